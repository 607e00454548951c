package main

import (
	"rstate/internal/host"
	"rstate/internal/machine"

	_ "embed"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rstate/internal/network"
	"rstate/internal/session"
	"rstate/internal/strict"
)

// bashFallbacks replaces functions of the package bash-completion that the script of cobra needs,
// if it is not installed.
//
//go:embed completion.bash
var bashFallbacks string

func completionVerb(e *env, f *options) action {
	return func(words []string) int {
		root := f.cmd.Root()
		scripts := map[string]func(io.Writer) error{
			"bash": func(out io.Writer) error {
				err := root.GenBashCompletionV2(out, true)
				fmt.Fprint(out, bashFallbacks)
				return err
			},
			"zsh":        root.GenZshCompletion,
			"fish":       func(out io.Writer) error { return root.GenFishCompletion(out, true) },
			"powershell": root.GenPowerShellCompletionWithDesc,
		}
		write, ok := scripts[words[0]]
		if !ok {
			shells := strings.Split(wordsOf(f.cmd.Use).names[0], "|")
			return e.fail(exitBadInput, "cannot complete in %q: %s", words[0],
				strict.Suggest(words[0], shells, "write one of "+strings.Join(shells, ", ")))
		}
		if err := write(e.out); err != nil {
			return e.fail(exitFailed, "cannot write the script: %v", err)
		}
		return exitDone
	}
}

// complete offers values for the next word. It is the ValidArgsFunction of a verb.
func (w words) complete(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	at := len(args)
	if w.repeated() {
		at = min(at, len(w.names)-1)
	}
	if at >= len(w.names) {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	name := strings.TrimSuffix(w.names[at], "…")
	switch {
	case strings.Contains(name, "|"):
		return strings.Split(name, "|"), cobra.ShellCompDirectiveNoFileComp
	case name == "FILE" || name == "SCRIPT":
		return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
	case name == "FOLDER":
		return nil, cobra.ShellCompDirectiveFilterDirs
	case name == "COMMAND":
		return wishes(machineOf(c, args)), cobra.ShellCompDirectiveNoFileComp
	case name == "VERB":
		var verbs []string
		for _, v := range c.Root().Commands() {
			verbs = append(verbs, v.Name()+"\t"+v.Short)
		}
		return verbs, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completeOptions registers the values of each option of a verb.
func completeOptions(c *cobra.Command) {
	c.Flags().VisitAll(func(o *pflag.Flag) {
		value, _ := pflag.UnquoteUsage(o)
		offer := func(c *cobra.Command, args []string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if words, ok := o.Value.(*choice); ok {
				return words.words, cobra.ShellCompDirectiveNoFileComp
			}
			switch {
			case value == "folder":
				return nil, cobra.ShellCompDirectiveFilterDirs
			case value == "file":
				return nil, cobra.ShellCompDirectiveDefault
			case value == "state":
				return resting(machineOf(c, args)), cobra.ShellCompDirectiveNoFileComp
			case o.Name == "node" || o.Name == "from-daemon":
				return daemons(), cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		err := c.RegisterFlagCompletionFunc(o.Name,
			func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
				return offer(c, args)
			})
		if err != nil {
			panic(err) // the option exists, and is registered once
		}
	})
}

// machineOf returns the machine of the network file that the command line names, or of the daemon that a verb with the
// option --node asks. If that daemon does not run on this host, it returns the standard machine.
func machineOf(c *cobra.Command, args []string) *machine.Machine {
	file := ""
	if len(args) > 0 {
		file = args[0]
	} else if daemon := c.Flags().Lookup("node"); daemon != nil {
		file = host.NetworkFile(daemon.Value.String())
	}
	if file != "" {
		if net, err := network.Load(file); err == nil {
			return net.Machine
		}
	}
	m, err := machine.Preset("rstate")
	if err != nil {
		panic(err) // it is part of this program, and tested
	}
	return m
}

// wishes lists what a goal can name: the commands that clients can give, and the states to which these lead.
func wishes(m *machine.Machine) []string {
	var names, states []string
	for _, t := range m.Transitions {
		if !t.Hidden {
			names = append(names, t.Name)
			states = append(states, m.Targets(t.Name)...)
		}
	}
	for _, s := range resting(m) {
		if slices.Contains(states, s) && !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	return names
}

// daemons returns the names of the daemons that have a journal in the usual place.
func daemons() []string {
	dir, err := host.JournalDir(session.NodeName)
	if err != nil {
		return nil
	}
	return journalsIn(filepath.Dir(dir))
}
