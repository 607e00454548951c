//go:build ros

package ros

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rstate/test/bed"
)

// pair is a network of two rclpy nodes, the second of which can be armed, and its file.
type pair struct {
	t          *testing.T
	host       *bed.Host
	lidar, arm *bed.Node
	simulation string
	folder     string
	file       string
}

func newPair(t *testing.T, script map[string][]bed.Behaviour) *pair {
	t.Helper()
	p := &pair{t: t, host: bed.StartHost(t), simulation: bed.Unique(t, "sim"), folder: t.TempDir()}
	arm := "/" + bed.Unique(t, "arm")
	p.lidar = p.host.Node(bed.NodeSpec{Name: "/" + bed.Unique(t, "lidar"), Script: script})
	p.arm = p.host.Node(bed.NodeSpec{Name: arm, Arm: arm + "/arm"})
	p.file = p.write("network.yaml", patient+fmt.Sprintf("simulation: %s\nproof: 10s\nnodes:\n"+
		"  %s: {}\n  %s: {after: [%s], arm: {}}\n",
		p.simulation, p.lidar.Name, p.arm.Name, p.lidar.Name))
	return p
}

func (p *pair) write(name, text string) string {
	p.t.Helper()
	path := filepath.Join(p.folder, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// run starts a daemon and listens to the state of the instance of that name.
func (p *pair) run(name string, args ...string) (*robot, *bed.Process) {
	p.t.Helper()
	r := &robot{t: p.t, host: p.host, name: name, simulation: p.simulation}
	r.states = p.host.Subscribe(bed.Topic{Kind: "rstate_msgs/msg/InstanceState", Name: name + "/state", Latched: true})
	r.daemon = bed.Start(p.t, "rstate", append([]string{binary, "run"}, args...)...)
	p.t.Cleanup(func() { // a killed daemon may leave locks in shared memory that later ones need
		r.daemon.Signal(syscall.SIGTERM)
		r.daemon.Wait(p.t)
	})
	return r, r.daemon
}

func (p *pair) truth() string {
	p.t.Helper()
	words := []string{p.lidar.Truth().State, p.arm.Truth().State}
	if p.arm.Truth().Armed {
		words = append(words, "armed")
	}
	return strings.Join(words, " ")
}

func TestParametersOfTheDaemon(t *testing.T) {
	p := newPair(t, nil)
	name := "/" + bed.Unique(t, "rstate")
	r, daemon := p.run(name, p.file, "--log", "json", "--ros-args", "-r", "__node:="+name[1:], "-p", "log_level:=warn")
	events := p.host.Subscribe(bed.Topic{Kind: "rcl_interfaces/msg/ParameterEvent", Name: "/parameter_events"})
	r.intact("unconfigured")
	params := p.host.Parameters(name)

	names := params.List()
	slices.Sort(names)
	want := []string{"autostart", "journal", "log_level", "network", "use_sim_time"}
	if !slices.Equal(names, want) {
		t.Fatalf("the daemon has the parameters %q, want %q", names, want)
	}
	const isBool, isString = 1, 4
	for i, d := range params.Describe(want...) {
		kind, fixed := isString, want[i] != "log_level" && want[i] != "use_sim_time"
		if want[i] == "use_sim_time" {
			kind = isBool
		}
		if d.Name != want[i] || d.Type != kind || d.ReadOnly != fixed || d.Description == "" {
			t.Errorf("%s is described as %+v", want[i], d)
		}
	}
	if got := fmt.Sprint(params.Get(want...)); got != fmt.Sprint([]any{"", "", "warn", p.file, false}) {
		t.Errorf("the parameters' values are %s", got)
	}

	for _, c := range []struct {
		name   string
		value  any
		reason string
	}{
		{"log_level", "loud", "write debug, info, warn or error"},
		{"log_level", 5, "it is of type string"},
		{"network", p.file, "it is read-only"},
		{"autostart", "active", "it is read-only"},
		{"journal", "/elsewhere", "it is read-only"},
		{"use_sim_time", "yes", "it is of type bool"},
		{"rate", 1.5, "it is not declared"},
	} {
		if got := params.Set(c.name, c.value); got.Successful || !strings.Contains(got.Reason, c.reason) {
			t.Errorf("setting %s to %v: %+v, want it refused as %s", c.name, c.value, got, c.reason)
		}
	}
	if got := params.SetAll(map[string]any{"log_level": "debug", "autostart": "active"}); got.Successful {
		t.Error("two parameters were set at once although one is read-only")
	}
	if strings.Contains(daemon.Log(), `"level":"info"`) {
		t.Errorf("at level warn the log has:\n%s", daemon.Log())
	}
	if got := params.Set("log_level", "debug"); !got.Successful {
		t.Fatalf("log_level is not set: %s", got.Reason)
	}
	r.do("configure", "inactive")
	bed.Eventually(t, "the log has more in it", func() (string, bool) {
		return "", strings.Contains(daemon.Log(), `"level":"debug"`)
	})
	var event struct {
		Node    string
		Changed []struct {
			Name  string
			Value struct {
				Text string `json:"string_value"`
			}
		} `json:"changed_parameters"`
	}
	bed.Eventually(t, "the change is on /parameter_events", func() (string, bool) {
		ok := events.Last(&event) && event.Node == name && len(event.Changed) == 1
		return fmt.Sprintf("%+v", event),
			ok && event.Changed[0].Name == "log_level" && event.Changed[0].Value.Text == "debug"
	})
}

// The three ways of ROS to give a parameter or a remapping; the nodes of the file keep their names.
func TestParametersAndNamesAreGiven(t *testing.T) {
	for _, c := range []struct {
		name string
		args func(p *pair, node string) []string
		node string // with %s for a unique one
		life string // the lifecycle topic, with %s for the simulation
	}{
		{
			name: "on the command line", node: "/%s", life: "/simulation/%s/lifecycle",
			args: func(p *pair, node string) []string {
				return []string{"--ros-args", "-r", "__node:=" + node, "-p", "network:=" + p.file, "-p",
					"autostart:=inactive"}
			},
		},
		{
			name: "in a file for that node", node: "/%s", life: "/simulation/%s/lifecycle",
			args: func(p *pair, node string) []string {
				params := p.write("params.yaml",
					fmt.Sprintf("/%s:\n  ros__parameters:\n    network: %s\n    autostart: Inactive\n    journal: %s\n",
						node, p.file, filepath.Join(p.folder, "journal")))
				return []string{"--ros-args", "-r", "__node:=" + node, "--params-file", params}
			},
		},
		{
			name: "in a file for all nodes, the network beside it", node: "/%s", life: "/simulation/%s/lifecycle",
			args: func(p *pair, node string) []string {
				params := p.write("params.yaml", "/**:\n  ros__parameters: {autostart: configure, someone_elses: 5}\n")
				return []string{p.file, "--ros-args", "-r", "__node:=" + node, "--params-file", params, "-p",
					"network:=" + p.file}
			},
		},
		{
			name: "with a namespace and a topic of another name", node: "/base/front/%s", life: "/base/life/%s",
			args: func(p *pair, node string) []string {
				return []string{
					p.file, "--ros-args", "-r", "__ns:=/base/front", "-r", "__node:=" + node, "-p",
					"autostart:=inactive",
					"-r", "/simulation/" + p.simulation + "/lifecycle:=/base/life/" + p.simulation,
				}
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPair(t, nil)
			node := bed.Unique(t, "rstate")
			name := fmt.Sprintf(c.node, node)
			life := p.host.Subscribe(bed.Topic{
				Kind: "rstate_msgs/msg/NetworkState", Name: fmt.Sprintf(c.life, p.simulation), Latched: true,
			})
			r, daemon := p.run(name, c.args(p, node)...)
			r.await("inactive")
			if got := p.truth(); got != "inactive inactive" {
				t.Errorf("the nodes are %s", got)
			}
			var change struct {
				SourceNode string `json:"source_node"`
				State      State
			}
			bed.Eventually(t, "the change is on "+fmt.Sprintf(c.life, p.simulation), func() (string, bool) {
				return fmt.Sprintf("%+v", change),
					life.Last(&change) && change.State.Label == "inactive" && change.SourceNode == name
			})
			if got := p.host.Parameters(name).Get("network"); got[0] != p.file {
				t.Errorf("its network is %v", got)
			}
			r.do("active", "active")
			if dir := p.host.Parameters(name).Get("journal")[0].(string); dir != "" {
				if files, err := os.ReadDir(dir); err != nil || len(files) == 0 {
					t.Errorf("the journal in %s has %v: %v", dir, files, err)
				}
			}
			if strings.Contains(daemon.Log(), "someone_elses") != strings.Contains(c.name, "all nodes") {
				t.Errorf("the log about unknown parameters:\n%s", daemon.Log())
			}
		})
	}
}

func TestAutostart(t *testing.T) {
	t.Run("brings the network to active, and is a goal like any", func(t *testing.T) {
		p := newPair(t, nil)
		name := "/" + bed.Unique(t, "rstate")
		r, daemon := p.run(name, p.file, "--log", "text", "--ros-args", "-r", "__node:="+name[1:], "-p",
			"autostart:=active")
		r.await("active")
		if got := p.truth(); got != "active active" {
			t.Errorf("the nodes are %s", got)
		}
		bed.Eventually(t, "the goal and its end are in the log", func() (string, bool) {
			log := daemon.Log()
			return "", strings.Contains(log, "active was asked for by autostart") &&
				strings.Contains(log, "active succeeded")
		})
	})
	t.Run("does nothing if the network is in that state already", func(t *testing.T) {
		p := newPair(t, nil)
		for _, n := range []*bed.Node{p.lidar, p.arm} {
			for _, label := range []string{"configure", "activate"} {
				if ok, err := p.host.ChangeState(n.Name, label, bed.Deadline); !ok || err != nil {
					t.Fatal(label, n.Name, ok, err)
				}
			}
		}
		name := "/" + bed.Unique(t, "rstate")
		r, daemon := p.run(name, p.file, "--log", "text", "--ros-args", "-r", "__node:="+name[1:], "-p",
			"autostart:=active")
		r.await("active")
		bed.Eventually(t, "it says so", func() (string, bool) {
			return "", strings.Contains(daemon.Log(), "autostart has nothing to do")
		})
		if strings.Contains(daemon.Log(), "was asked for") {
			t.Errorf("the log:\n%s", daemon.Log())
		}
	})
	t.Run("fails like any goal", func(t *testing.T) {
		p := newPair(t, map[string][]bed.Behaviour{"configure": {{Result: bed.Failure}}})
		name := "/" + bed.Unique(t, "rstate")
		r, daemon := p.run(name, p.file, "--log", "text", "--ros-args", "-r", "__node:="+name[1:], "-p",
			"autostart:=active")
		bed.Eventually(t, "it says so", func() (string, bool) {
			return "", strings.Contains(daemon.Log(), "WARN  autostart failed") &&
				strings.Contains(daemon.Log(), "configure failed: "+p.lidar.Name)
		})
		var last struct {
			State State
			Cause string
		}
		bed.Eventually(t, "the state says so", func() (string, bool) {
			ok := r.states.Last(&last) && last.State.Label == "unconfigured" &&
				strings.Contains(last.Cause, p.lidar.Name)
			return fmt.Sprintf("%+v", last), ok
		})
	})
}

// Invalid arguments are refused before the daemon touches a node, with exit code 2 and a remedy.
func TestParametersThatARunRefuses(t *testing.T) {
	p := newPair(t, nil)
	nowhere := filepath.Join(t.TempDir(), "nowhere.yaml")
	set := func(list ...string) []string {
		args := []string{"--ros-args"}
		for _, one := range list {
			args = append(args, "-p", one)
		}
		return args
	}
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"autostart to armed": {append([]string{p.file}, set("autostart:=armed")...),
			"no start arms anything; write one of unconfigured, inactive, active"},
		"autostart by arm":       {append([]string{p.file}, set("autostart:=Arm")...), "no start arms anything"},
		"autostart to finalized": {append([]string{p.file}, set("autostart:=finalized")...), "ends the network"},
		"autostart by shutdown":  {append([]string{p.file}, set("autostart:=shutdown")...), "ends the network"},
		"autostart to nowhere": {append([]string{p.file}, set("autostart:=flying")...),
			"neither a command nor a state"},
		"autostart in passing": {append([]string{p.file}, set("autostart:=activating")...),
			"neither a command nor a state"},
		"autostart as a number": {append([]string{p.file}, set("autostart:=3")...), "it is of type string"},
		"a log level": {append([]string{p.file}, set("log_level:=loud")...),
			"write debug, info, warn or error"},
		"use_sim_time": {append([]string{p.file}, set("use_sim_time:=perhaps")...), "write true or false"},
		"no network":   {nil, "no network file is given"},
		"two networks": {append([]string{p.file}, set("network:="+nowhere)...), "leave one of them out"},
		"two journals": {append([]string{p.file, "--journal", "/tmp/a"}, set("journal:=/tmp/b")...),
			"leave one of them out"},
		"a network that is none": {set("network:=" + nowhere), "there is no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			daemon := bed.Start(t, "rstate", append([]string{binary, "run"}, c.args...)...)
			if code := daemon.Wait(t); code != 2 || !strings.Contains(daemon.Log(), c.says) {
				t.Errorf("code %d, want 2 and %q; the log:\n%s", code, c.says, daemon.Log())
			}
		})
	}
	if words := append(p.lidar.Truth().Words(), p.arm.Truth().Words()...); len(words) > 0 {
		t.Errorf("the nodes were asked for %v", words)
	}
}
