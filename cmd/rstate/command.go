package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// verb is one command of rstate.
type verb struct {
	use      string // its name, and the words that follow it
	summary  string
	examples string // command lines, without rstate before them
	ros      bool   // it takes arguments for ROS 2
	define   define
}

// define adds the options of a verb, and returns what the verb does.
type define func(*env, *options) action

// action does what a verb is for, once its command line is read, and returns the exit code.
type action func(words []string) int

// group is the verbs under one heading of the help.
type group struct {
	title string
	verbs []verb
}

// groups returns all verbs in the order of the help.
func groups() []group {
	return []group{
		{"Run a network:", []verb{
			{"demo [rstate|nrp|rock|factory|cle|roscle|cloe]", "Show the life of a small network in half a minute",
				"demo\ndemo nrp --pace 3s", true, demoVerb},
			{"up FILE", "Run the daemon and a demo node for every node of a network file",
				"up config/demo.yaml\nup robot.yaml --ros-args -r __node:=trial", true, upVerb},
			{"run [FILE]", "Run the daemon of a network file",
				"run config/demo.yaml\nrun robot.yaml --log json --ros-args -r __ns:=/base -p use_sim_time:=true", true,
				runVerb},
			{"nav2", "Run a daemon in place of nav2's lifecycle manager, with the parameters of that",
				"nav2 --ros-args -r __node:=lifecycle_manager_navigation --params-file nav2_params.yaml", true, nav2Verb},
			{"factory", "Make simulations of experiments on request, each a network of its own",
				"factory --experiments experiments --http 8080\nfactory --experiments experiments --ros-args -r __ns:=/lab", true, factoryVerb},
			{"batch FOLDER", "Run every simulation of a folder to its end, and compare the outcomes with the expected ones",
				"batch scenarios\nbatch scenarios --jobs 4 --timeout 5m --result results.json --junit results.xml",
				true, batchVerb},
		}},
		{"Command it:", []verb{
			{"send COMMAND", "Send a command, or a state to reach, and follow it to its end",
				"send active\nsend arm --reason \"shift starts\" --authority-file ~/.rstate.key\n" +
					"send active --wait-peers --node /base/rstate\nsend shutdown --node /base/rstate -o json", true,
				sendVerb},
			{"acknowledge", "Acknowledge a stop, so that the network can be armed again",
				"acknowledge\nacknowledge --who ann --node /base/rstate\nacknowledge --authority-file ~/.rstate.key", true,
				acknowledgeVerb},
			{"step [STEPS]", "Run one step of a stepped loop, or so many, and wait for the end",
				"step\nstep 100 --dt 10ms --node /base/rstate", true, stepVerb},
			{"trigger NUMBER", "Set or remove a trigger of a stepped loop",
				"trigger 1 --after 100 --do pause\ntrigger 2 --at 1m --do succeed --node /base/rstate\ntrigger 1 --remove", true, triggerVerb},
			{"sim create|list|remove|send [WORD…]", "Create, list, remove or command the simulations of a factory",
				"sim create nrp --owner me\nsim list\nsim send 0 started\nsim remove 0 --on-exit shutdown --factory /lab/rstate_factory", true, simVerb},
		}},
		{"See its state and the reasons for it:", []verb{
			{"status", "Show the state of a network and its nodes", "status\nstatus --node /base/rstate -o yaml", true,
				statusVerb},
			{"watch", "Show the state live, or wait for a state",
				"watch\nwatch --until active --for 60s\nwatch --wait -o json", true, watchVerb},
			{"why", "Explain the present state, also without a daemon", "why\nwhy --dir ./journal-of-the-robot", false,
				whyVerb},
			{"history", "Show what happened, also without a daemon",
				"history --since 10m --follow\nhistory --about /slam --kind step -o json", false, historyVerb},
			{"replay", "Play again what happened, or show the network at one moment",
				"replay --speed 10\nreplay --at 05:58\nreplay --dir ./journal-of-the-robot --since 10m -o json", false, replayVerb},
			{"plot RECORDING TOPIC…", "Draw numbers of a recording over simulated time",
				"plot run.mcap /pendulum/angle\nplot run.mcap /odom.pose.pose.position.x /odom.pose.pose.position.y\nplot run.mcap /pendulum/angle /controller/force -o svg > run.svg", false, plotVerb},
			{"peers", "Show all instances of a simulation, and faults between them",
				"peers\npeers --node /base/rstate -o json\npeers --simulation mobile_manipulator", true, peersVerb},
			{"doctor [FILE]", "Find faults of ROS 2 and of a network, and say what to do",
				"doctor\ndoctor robot.yaml\ndoctor --node /base/rstate -o json", true, doctorVerb},
		}},
		{"Work on its file:", []verb{
			{"init [FILE]", "Draft a network file from the robot that runs, or from a launch file",
				"init robot.yaml\ninit robot.yaml --force --for 10s\ninit -o json\n" +
					"init robot.yaml --from-launch bringup.launch.py --launch-arg use_sim_time:=true\n" +
					"init robot.yaml --from-daemon /rstate", true, initVerb},
			{"check FILE", "Find every fault of a network file", "check robot.yaml\ncheck robot.yaml -o json", false,
				checkVerb},
			{"import nav2 FILE", "Write a network file from the parameters of nav2's lifecycle managers",
				"import nav2 nav2_params.yaml\nimport nav2 nav2_params.yaml --to robot.yaml", false, importVerb},
			{"graph FILE [nodes|machine]", "Draw the order of a network, or its states and commands",
				"graph config/demo.yaml\ngraph robot.yaml machine -o mermaid\ngraph robot.yaml -o dot > robot.dot",
				false, graphVerb},
			{"plan FILE [COMMAND]", "Show what a command would ask of each node, and in what order",
				"plan config/demo.yaml\nplan robot.yaml shutdown --from armed", false, planVerb},
			{"rehearse FILE [SCRIPT]", "Play faults on simulated nodes and show where the network ends up",
				"rehearse robot.yaml\nrehearse config/demo.yaml config/rehearsals/demo.yaml --junit results.xml", false,
				rehearseVerb},
		}},
		{"Small helpers:", []verb{
			{"node NAME…", "Run demo lifecycle nodes",
				"node /lidar /slam\nnode /arm --arm --configure-delay 2s --fail activate", true, nodeVerb},
			{"guard FILE…", "Disarm nodes that do not follow the arm lease if the daemon dies",
				"guard robot.yaml\nguard /arm_driver/arm --node /base/rstate", true, guardVerb},
			{"completion bash|zsh|fish|powershell", "Print the completion script of a shell",
				"completion bash > ~/.local/share/bash-completion/completions/rstate\ncompletion zsh > ~/.zfunc/_rstate\n" +
					"completion fish > ~/.config/fish/completions/rstate.fish\ncompletion powershell >> $PROFILE",
				false, completionVerb},
			{"man FOLDER", "Write the man pages into a folder", "man ~/.local/share/man/man1", false, manVerb},
			{"version", "Print the version", "version\nversion -o json", false, versionVerb},
			{"help [VERB]", "Show the help of rstate or of a verb", "help\nhelp send", false, helpVerb},
		}},
	}
}

// similar are words that people write for a verb, beside those that are spelt like it.
var similar = map[string][]string{
	"run": {"start", "daemon"}, "status": {"state", "info", "show"}, "history": {"log", "logs"},
	"check": {"validate", "lint"}, "init": {"new", "generate", "draft"},
	"send": {"command", "set"}, "why": {"explain"}, "doctor": {"diagnose"},
}

const about = `rstate brings up, arms and shuts down all lifecycle nodes of a robot with one command.`

const exitCodes = `Exit codes: 0 done, 1 transition failed, 2 bad input, 3 rejected, 4 no ROS or no daemon,
            5 unclean shutdown, 6 cancelled`

// newRoot returns the whole command line.
func newRoot(e *env) *cobra.Command {
	cobra.EnableCommandSorting = false // the order of the help is that of groups
	root := &cobra.Command{
		Use: "rstate VERB [options]", Short: "Run a network of ROS 2 lifecycle nodes", Long: about + "\n\n" + exitCodes,
		SilenceErrors: true, SilenceUsage: true, SuggestionsMinimumDistance: 2, DisableFlagsInUseLine: true,
		DisableAutoGenTag: true, Args: cobra.ArbitraryArgs,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.RunE = func(_ *cobra.Command, words []string) error { return unknownVerb(e, root, words) }
	root.ValidArgsFunction = cobra.NoFileCompletions
	root.SetIn(e.in)
	root.SetOut(e.out)
	root.SetErr(e.err)
	standard := root.UsageFunc()
	root.SetUsageFunc(func(c *cobra.Command) error { return usage(c, standard) })
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return badOption(c, err) })
	root.InitDefaultHelpFlag()
	for _, g := range groups() {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, v := range g.verbs {
			c := newVerb(e, v)
			c.GroupID = g.title
			if root.AddCommand(c); c.Name() == "help" {
				root.SetHelpCommand(c)
			}
		}
	}
	return root
}

// usage prints what cobra prints, in the words of rstate and in lines that fit a window. A template
// of cobra could do the same, and would add 5 MB to the program.
func usage(c *cobra.Command, standard func(*cobra.Command) error) error {
	out := c.OutOrStderr()
	var text bytes.Buffer
	c.SetOut(&text)
	defer c.SetOut(out)
	if err := standard(c); err != nil {
		return err
	}
	local := c.LocalFlags()
	_, err := strings.NewReplacer(
		strings.TrimRight(local.FlagUsages(), "\n"), strings.TrimRight(local.FlagUsagesWrapped(usageWidth), "\n"),
		"\nFlags:\n", "\nOptions:\n", "\n  rstate [command]", "", "[command] --help", "VERB --help", "about a command",
		"about a verb",
	).WriteString(out, text.String())
	return err
}

// usageWidth is how many columns the help takes.
const usageWidth = 110

func newVerb(e *env, v verb) *cobra.Command {
	tail := " [options]"
	if v.ros {
		tail += " [" + rosArgs + " …]"
	}
	c := &cobra.Command{
		Use: v.use + tail, Short: v.summary, Example: "  rstate " + strings.ReplaceAll(v.examples, "\n", "\n  rstate "),
		DisableFlagsInUseLine: true, DisableAutoGenTag: true,
	}
	c.SuggestFor = similar[c.Name()]
	c.Flags().SortFlags = false
	words := wordsOf(v.use)
	c.ValidArgsFunction = words.complete
	own := &options{c.Flags(), c}
	do := v.define(e, own)
	if v.ros {
		c.Flags().Bool(rosArgs[2:], false, "pass the arguments that follow, up to --, to ROS 2")
	}
	if !c.DisableFlagParsing {
		c.Args = words.check
	}
	completeOptions(c)
	c.RunE = func(_ *cobra.Command, words []string) error {
		own.choose(e)
		if code := do(words); code != exitDone {
			return exit(code)
		}
		return nil
	}
	return c
}

// exit is the exit code of a verb that has said itself what went wrong.
type exit int

func (x exit) Error() string { return fmt.Sprintf("exit code %d", int(x)) }

// dispatch runs a command line, and returns the exit code.
func dispatch(e *env, args []string) int {
	if len(args) > 0 && args[0] == "--version" {
		args = append([]string{"version"}, args[1:]...)
	}
	root := newRoot(e)
	if c, _, err := root.Find(args); err == nil && c != root {
		if c.Flags().Lookup(rosArgs[2:]) != nil {
			args, e.ros = splitROS(args)
		}
		args = longOptions(c.Flags(), args)
	}
	root.SetArgs(append([]string{}, args...)) // cobra takes nil for the arguments of the process
	err := root.Execute()
	code := exit(exitDone)
	if err != nil && !errors.As(err, &code) {
		return e.fail(exitBadInput, "%v", err)
	}
	return int(code)
}

func helpVerb(e *env, f *options) action {
	return func(words []string) int {
		root := f.cmd.Root()
		c, _, err := root.Find(words)
		if err == nil && len(words) > 0 && c == root {
			err = unknownVerb(e, root, words)
		}
		if err == nil {
			c.InitDefaultHelpFlag()
			err = c.Help()
		}
		if err != nil {
			return e.fail(exitBadInput, "%v", err)
		}
		return exitDone
	}
}

// longOptions gives long options with one dash, which earlier versions accepted, their second one.
func longOptions(known *pflag.FlagSet, args []string) []string {
	args = slices.Clone(args)
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		if !strings.HasPrefix(args[i], "-") {
			continue
		}
		name, _, hasValue := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		o := known.Lookup(name)
		switch short := !strings.HasPrefix(args[i], "--"); {
		case short && len(name) == 1:
			o = known.ShorthandLookup(name)
		case short && len(name) > 1 && (o != nil || known.ShorthandLookup(name[:1]) == nil):
			args[i] = "-" + args[i]
		}
		if o != nil && o.NoOptDefVal == "" && !hasValue {
			i++ // its value
		}
	}
	return args
}

// rosArgs is where the arguments begin that are for ROS 2.
const rosArgs = "--ros-args"

// splitROS takes what follows --ros-args, up to a -- or the end, out of the arguments, in the form
// in which ROS reads it. It may occur several times.
func splitROS(args []string) (own, ros []string) {
	for inside, i := false, 0; i < len(args); i++ {
		switch {
		case args[i] == rosArgs:
			inside = true
			ros = append(ros, args[i])
		case inside && args[i] == "--":
			inside = false
			ros = append(ros, args[i])
		case inside:
			ros = append(ros, args[i])
		default:
			own = append(own, args[i])
		}
	}
	return own, ros
}
