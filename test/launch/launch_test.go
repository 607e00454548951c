// Package launch tests what brings rstate to a machine with ROS 2: launch files, the networks of
// config/, the ament package and the container. These cannot run without launch, colcon or a
// container engine, so the tests read them and compare them with the rest of the project. The
// package may import everything of this project that needs no ROS.
package launch

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"rstate/internal/machine"
	"rstate/internal/network"
)

const root = "../.."

// daemonFiles are one launch file in three languages.
var daemonFiles = []string{"rstate.launch.py", "rstate.launch.xml", "rstate.launch.yaml"}

func TestTheThreeLaunchFilesAreOne(t *testing.T) {
	want := describe(t, daemonFiles[0]).Entities
	for _, name := range daemonFiles[1:] {
		got := describe(t, name).Entities
		if len(got) != len(want) {
			t.Errorf("%s has %d entries, %s %d", name, len(got), daemonFiles[0], len(want))
			continue
		}
		for i := range want {
			if !reflect.DeepEqual(got[i], want[i]) {
				t.Errorf("%s differs from %s:\n%+v\n%+v", name, daemonFiles[0], got[i], want[i])
			}
		}
	}
}

// The arguments are an interface: the bringups of users name them.
func TestArgumentsAreTheDocumentedOnes(t *testing.T) {
	want := []struct{ name, value string }{
		{"network", "(must be given)"},
		{"namespace", ""},
		{"name", "rstate"},
		{"log_level", "info"},
		{"use_sim_time", "false"},
		{"autostart", ""},
		{"journal", ""},
	}
	var got []struct{ name, value string }
	for _, e := range describe(t, daemonFiles[0]).Entities {
		if e.Kind != "arg" {
			continue
		}
		value := "(must be given)"
		if e.Default != nil {
			value = *e.Default
		}
		got = append(got, struct{ name, value string }{e.Name, value})
	}
	if !slices.Equal(got, want) {
		t.Errorf("arguments are %v, want %v", got, want)
	}
}

var (
	substitution = regexp.MustCompile(`\$\(([a-z-]+)( ([^)]*))?\)`)
	variable     = regexp.MustCompile(`\$\(var ([^)]*)\)`)
)

func TestArgumentsAreDeclaredBeforeTheyAreUsed(t *testing.T) {
	for _, name := range launchFiles(t) {
		declared, used := map[string]bool{}, map[string]bool{}
		for _, e := range describe(t, name).Entities {
			for _, text := range e.texts() {
				for _, m := range substitution.FindAllStringSubmatch(text, -1) {
					if !slices.Contains([]string{"var", "dirname", "find-pkg-share"}, m[1]) {
						t.Errorf("%s uses $(%s …), which no test knows", name, m[1])
					}
				}
				for _, m := range variable.FindAllStringSubmatch(text, -1) {
					used[m[1]] = true
					if !declared[m[1]] {
						t.Errorf("%s uses %s in %q and has not declared it by then", name, m[1], text)
					}
				}
			}
			if e.Kind == "arg" {
				if declared[e.Name] {
					t.Errorf("%s declares %s twice", name, e.Name)
				}
				declared[e.Name] = true
				if e.Description == "" || !strings.HasSuffix(e.Description, ".") {
					t.Errorf("%s: %s is described as %q, which is no sentence", name, e.Name, e.Description)
				}
				if e.Default != nil && e.Choices != nil && !slices.Contains(e.Choices, *e.Default) {
					t.Errorf("%s: the default of %s is none of its choices", name, e.Name)
				}
			}
		}
		for _, argument := range slices.Sorted(maps.Keys(declared)) {
			if !used[argument] {
				t.Errorf("%s declares %s and does nothing with it", name, argument)
			}
		}
	}
}

// texts returns all values of an entity that may contain substitutions.
func (e entity) texts() []string {
	texts := append([]string{e.Package, e.Executable, e.Namespace, e.Output, e.SigtermTimeout, e.File}, e.Args...)
	if e.Kind == "arg" && e.Default != nil {
		texts = append(texts, *e.Default)
	}
	if e.Kind != "arg" {
		texts = append(texts, e.Name)
	}
	for _, p := range e.Parameters {
		texts = append(texts, p.Value)
	}
	return slices.AppendSeq(texts, maps.Values(e.Given))
}

func (e entity) isNode() bool { return e.Kind == "node" || e.Kind == "lifecycle_node" }

// The ament package installs the programs that a launch file starts, and they know their arguments.
func TestNodesCanBeStarted(t *testing.T) {
	said := sourceStrings(t, "cmd/rstate")
	installed := installedPrograms(t)
	for _, name := range launchFiles(t) {
		for _, e := range describe(t, name).Entities {
			if !e.isNode() {
				continue
			}
			if program := e.Package + "/" + e.Executable; !slices.Contains(installed, program) {
				t.Errorf("%s starts %s; ros/rstate installs %v", name, program, installed)
			}
			if len(e.Args) < 2 || !slices.Contains([]string{"run", "node"}, e.Args[0]) {
				t.Fatalf("%s starts the program with %v; a daemon is `run FILE`, a demo node `node NAME`", name, e.Args)
			}
			for _, a := range e.Args {
				option, is := strings.CutPrefix(a, "--")
				// Such options contain the name of a step.
				step, delayed := strings.CutSuffix(option, "-delay")
				if is && !said[option] && !(delayed && said[step] && said["-delay"]) {
					t.Errorf("%s gives %s, which rstate %s does not know", name, a, e.Args[0])
				}
			}
			if e.Output != "both" {
				t.Errorf("%s: output is %q; what a node says belongs on the screen and in the log", name, e.Output)
			}
		}
	}
}

func TestLogLevelsAreThoseOfTheProgram(t *testing.T) {
	levels := callArguments(t, "cmd/rstate", "oneOf", "log-level")[1:] // after the explanation
	for _, name := range launchFiles(t) {
		for _, e := range describe(t, name).Entities {
			if e.Kind != "arg" || e.Name != "log_level" {
				continue
			}
			if got, want := slices.Sorted(slices.Values(e.Choices)),
				slices.Sorted(slices.Values(levels)); !slices.Equal(got, want) {
				t.Errorf("%s offers %v, rstate run takes %v", name, got, want)
			}
			if *e.Default != levels[0] {
				t.Errorf("%s: the default is %s, that of rstate run %s", name, *e.Default, levels[0])
			}
		}
	}
}

// parametersOf lists all parameters of the daemon's node: its own, and those of every node.
func parametersOf(t *testing.T) []string {
	t.Helper()
	own := declaredParameters(t, "internal/daemon")
	if want := []string{"autostart", "journal", "log_level", "network"}; !slices.Equal(own, want) {
		t.Errorf("the daemon declares %q, want %q", own, want)
	}
	every := declaredParameters(t, "rclgo/pkg/rclgo")
	if !slices.Contains(every, "use_sim_time") {
		t.Errorf("a node of rclgo declares %q, and not use_sim_time", every)
	}
	return append(own, "use_sim_time")
}

// ROS 2 ignores a parameter that the node does not declare.
func TestParametersAreDeclaredByTheDaemon(t *testing.T) {
	declared := parametersOf(t)
	for _, name := range launchFiles(t) {
		for _, e := range describe(t, name).Entities {
			for _, p := range slices.Sorted(maps.Keys(e.Parameters)) {
				if !slices.Contains(declared, p) {
					t.Errorf("%s sets the parameter %s; the daemon declares %v", name, p, declared)
				}
				if e.Parameters[p].Type == "" {
					t.Errorf("%s does not say of what type %s is: launch would guess it from the value", name, p)
				}
			}
		}
	}
}

// The parameters are an interface too: their page has a line for each, and the example file sets no
// others.
func TestParametersAreDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "parameters.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range parametersOf(t) {
		if !strings.Contains(string(page), "| `"+name+"` |") {
			t.Errorf("docs/parameters.md has no line for %s", name)
		}
	}
	_, example, _ := strings.Cut(string(page), "```yaml\n")
	example, _, found := strings.Cut(example, "```")
	var file map[string]struct {
		Parameters map[string]any `yaml:"ros__parameters"`
	}
	if err := yaml.Unmarshal([]byte(example), &file); err != nil || !found || len(file["/rstate"].Parameters) == 0 {
		t.Fatalf("docs/parameters.md has no file of parameters for /rstate: %v\n%s", err, example)
	}
	for name := range file["/rstate"].Parameters {
		if !slices.Contains(parametersOf(t), name) {
			t.Errorf("the example in docs/parameters.md sets %s, which the daemon does not have", name)
		}
	}
}

// The daemon has up to 5 s to disarm and to end. Until then it must not get a second signal, on
// which it exits at once.
func TestLaunchWaitsForTheDaemonToEnd(t *testing.T) {
	for _, name := range daemonFiles {
		for _, e := range describe(t, name).Entities {
			if !e.isNode() {
				continue
			}
			if seconds, err := strconv.ParseFloat(e.SigtermTimeout, 64); err != nil || seconds < 6 {
				t.Errorf("%s: sigterm_timeout is %q; the daemon may take 5 s and a little", name, e.SigtermTimeout)
			}
		}
	}
}

// autostart of a launch file for a network of its own offers the states up to active, and empty for none. The launch
// files for any network leave the choice to the daemon, which knows the machine and refuses what arms.
func TestAutostartNeverArms(t *testing.T) {
	m, err := machine.Preset(network.DefaultMachine)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{""}
	for _, s := range m.States {
		if !s.Passing && !s.Final && m.Level(s.Name) <= m.Level("active") {
			want = append(want, s.Name)
		}
	}
	offered := 0
	for _, name := range launchFiles(t) {
		for _, e := range describe(t, name).Entities {
			if e.Kind == "arg" && e.Name == "autostart" {
				offered++
				choices := want
				if strings.HasPrefix(name, "rstate.launch.") {
					choices = nil
				}
				if !slices.Equal(e.Choices, choices) {
					t.Errorf("%s offers %q, want %q", name, e.Choices, choices)
				}
			}
			given, is := e.Given["autostart"]
			if is && given != "$(var autostart)" && !slices.Contains(want, given) {
				t.Errorf("%s hands on the autostart %q", name, given)
			}
		}
	}
	if offered != len(launchFiles(t)) {
		t.Errorf("%d of %d launch files have autostart", offered, len(launchFiles(t)))
	}
}

// No launch file contains a word that could arm anything.
func TestNothingInALaunchFileArms(t *testing.T) {
	m, err := machine.Preset(network.DefaultMachine)
	if err != nil {
		t.Fatal(err)
	}
	forbidden := []string{"send"}
	for _, s := range m.States {
		if s.Armed.Any() {
			forbidden = append(forbidden, s.Name)
		}
	}
	for _, tr := range m.Transitions {
		if to, _ := m.State(tr.To); to.Armed.Any() {
			forbidden = append(forbidden, tr.Name, tr.Via)
		}
	}
	if len(forbidden) < 4 {
		t.Fatalf("nothing arms in %s: only %v", m.Name, forbidden)
	}
	for _, name := range launchFiles(t) {
		for _, text := range describe(t, name).Words {
			for _, word := range strings.Fields(text) {
				// Names of commands are read without case, blanks, - and _.
				plain := strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(word))
				if slices.Contains(forbidden, plain) {
					t.Errorf("%s contains %q", name, word)
				}
			}
		}
	}
}

// The files that a launch file names exist, and are installed where it looks for them.
func TestFilesThatAreNamedAreThere(t *testing.T) {
	found := 0
	for _, name := range launchFiles(t) {
		for _, e := range describe(t, name).Entities {
			for _, text := range e.texts() {
				switch {
				case strings.HasPrefix(text, "$(dirname)/"):
					text = strings.Replace(text, "$(dirname)", "launch", 1)
				case strings.HasPrefix(text, "$(find-pkg-share rstate)/"):
					text = strings.TrimPrefix(text, "$(find-pkg-share rstate)/")
					if folder, _, _ := strings.Cut(text, "/"); !slices.Contains(installedFolders(t), folder) {
						t.Errorf("%s names %s; ros/rstate installs %v", name, text, installedFolders(t))
					}
				default:
					continue
				}
				found++
				if _, err := os.Stat(filepath.Join(root, text)); err != nil {
					t.Errorf("%s names %s: %v", name, text, err)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no launch file names a file: the example of a bringup should")
	}
}

// A file that includes another one passes the required arguments and those that launch would
// otherwise pass on, and no others.
func TestIncludesGiveWhatIsTaken(t *testing.T) {
	for _, name := range launchFiles(t) {
		for _, e := range describe(t, name).Entities {
			if e.Kind != "include" {
				continue
			}
			var takes []string
			for _, a := range describe(t, filepath.Base(e.File)).Entities {
				if a.Kind != "arg" {
					continue
				}
				takes = append(takes, a.Name)
				if value, ok := e.Given[a.Name]; ok && a.Choices != nil && !strings.HasPrefix(value, "$(") &&
					!slices.Contains(a.Choices, value) {
					t.Errorf("%s gives %s the %s %q, one of %q is taken", name, e.File, a.Name, value, a.Choices)
				}
			}
			slices.Sort(takes)
			if given := slices.Sorted(maps.Keys(e.Given)); !slices.Equal(given, takes) {
				t.Errorf("%s gives %s %v; it takes %v", name, e.File, given, takes)
			}
		}
	}
}

// The example starts exactly the nodes of the network for which it starts the daemon, each as the
// network describes.
func TestTheBringupExampleStartsTheNodesOfItsNetwork(t *testing.T) {
	var net *network.Network
	started := map[string]entity{}
	for _, e := range describe(t, "bringup_example.launch.py").Entities {
		switch {
		case e.Kind == "include":
			net = loadNetwork(t, filepath.Join(root,
				strings.TrimPrefix(e.Given["network"], "$(find-pkg-share rstate)/")))
		case e.isNode():
			started[strings.TrimSuffix(e.Namespace, "/")+"/"+e.Name] = e
		}
	}
	if net == nil {
		t.Fatal("no network is given to the daemon")
	}
	for _, n := range net.Nodes {
		e, ok := started[n.Name]
		if !ok {
			t.Errorf("%s is in the network and is not started", n.Name)
			continue
		}
		delete(started, n.Name)
		if (e.Kind == "lifecycle_node") != n.Lifecycle {
			t.Errorf("%s is started as a %s", n.Name, e.Kind)
		}
		if e.Args[0] != "node" || e.Args[1] != n.Name {
			t.Errorf("%s is started with %v", n.Name, e.Args)
		}
		i := slices.Index(e.Args, "--arm-service")
		if (i >= 0) != (n.Arm != nil) || i >= 0 && e.Args[i+1] != n.Arm.Service {
			t.Errorf("%s is started with %v, the network arms it by %+v", n.Name, e.Args, n.Arm)
		}
	}
	for name := range started {
		t.Errorf("%s is started and is not in the network", name)
	}
}
