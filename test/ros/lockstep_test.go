//go:build ros

package ros

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"rstate/test/bed"
)

// lockstep is a loop of two participants in rclpy whose data depend on each other (testdata/lockstep.py), and perhaps
// of further controllers, whose data depend on those of the simulator.
type lockstep struct {
	*robot
	recordedNames
	folder    string
	more      []string
	processes map[string]*bed.Process
}

// newLockstep starts the daemon and two participants, and brings the network to stopped.
func newLockstep(t *testing.T, physics, pilot []string) *lockstep {
	t.Helper()
	l := lockstepOf(t, newNames(t))
	l.starts(physics, pilot, "")
	return l
}

func lockstepOf(t *testing.T, n recordedNames) *lockstep {
	t.Helper()
	return &lockstep{
		robot:         &robot{t: t, host: bed.NewHost(t), name: n.node, simulation: n.id},
		recordedNames: n, folder: t.TempDir(), processes: map[string]*bed.Process{},
	}
}

// starts starts the daemon and the participants. Each of programs is a further one, as in test/lockstep; loop is more
// of the network file.
func (l *lockstep) starts(physics, pilot []string, loop string, programs ...string) {
	l.t.Helper()
	l.states = l.host.Subscribe(bed.Topic{Kind: "rstate_msgs/msg/InstanceState", Name: l.name + "/state",
		Latched: true})
	members, pairs := "", []string{"--numbers"}
	for k, program := range programs {
		name := fmt.Sprintf("%s_more%d", l.physics, k)
		l.more = append(l.more, name)
		members += ", " + name + ": {deadline: 20s}"
		in, out := name+"/in", name+"/out"
		pairs = append(pairs, in+","+out)
		l.processes[name] = bed.StartCommand(l.t, name, bed.Command{
			Args: []string{program, in, out, l.records(name), "--ros-args", "-r",
				"__node:=" + strings.TrimPrefix(name, "/")},
		})
	}
	physics = append(physics, pairs...)
	l.participant(l.physics, append([]string{"--simulator", "--in-topic", l.pilot + "/force", "--out-topic",
		l.physics + "/angle"}, physics...))
	l.participant(l.pilot, append([]string{"--in-topic", l.physics + "/angle", "--out-topic", l.pilot + "/force"},
		pilot...))
	file := filepath.Join(l.folder, "network.yaml")
	nodes := strings.Join(append([]string{l.physics, l.pilot}, l.more...), ": {}, ")
	text := patient + fmt.Sprintf("simulation: %s\nmachine: cle\n"+
		"nodes: {%s: {}}\nloop:\n  dt: 10ms\n%s"+
		"  participants: {%s: {as: simulator, deadline: 20s}, %s: {deadline: 20s}%s}\n",
		l.simulation, nodes, loop, l.physics, l.pilot, members)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
	l.daemon = bed.Start(l.t, "rstate", binary, "run", file, "--ros-args", "-r",
		"__node:="+strings.TrimPrefix(l.name, "/"))
	l.intact("created")
	l.do("initialize", "stopped")
}

// ends ends the daemon and the participants, in good order.
func (l *lockstep) ends() {
	l.t.Helper()
	l.daemon.Signal(syscall.SIGTERM)
	l.daemon.Wait(l.t)
	for _, p := range l.processes {
		p.Signal(syscall.SIGINT)
		p.Wait(l.t)
	}
}

func (l *lockstep) participant(name string, args []string) {
	l.t.Helper()
	args = append([]string{"python3", "-B", "testdata/lockstep.py", "--out", l.records(name)}, args...)
	l.processes[name] = bed.StartCommand(l.t, name, bed.Command{
		Args: append(args, "--ros-args", "-r", "__node:="+strings.TrimPrefix(name, "/")),
		Env:  modules(l.t),
	})
}

// records is the file of what a participant was handed.
func (l *lockstep) records(name string) string {
	return filepath.Join(l.folder, strings.TrimLeft(name, "/"))
}

// was returns what a participant was handed, and how many messages were of another step than they should be.
func (l *lockstep) was(name string) (data string, stale int) {
	l.t.Helper()
	text, err := os.ReadFile(l.records(name))
	if err != nil {
		l.t.Fatal(err)
	}
	return string(text), strings.Count(string(text), "stale")
}

// runs runs so many steps, a hundred at a time, so that the counts go on often.
func (l *lockstep) runs(steps int) {
	l.t.Helper()
	for ; steps > 0; steps -= 100 {
		if r := l.runsOnce(min(steps, 100)); !r.Success {
			l.t.Fatalf("the run ended %s: %s", r.Outcome, r.Message)
		}
	}
}

func (l *lockstep) runsOnce(steps int) Result {
	l.t.Helper()
	var result Result
	l.goalWith(map[string]any{"command": "run_step", "argument": strconv.Itoa(steps)}).Result(&result)
	return result
}

// TestL11TwoRunsGiveTheSameData: two equal simulations, with participants in Python, C++ and Go, hand the same messages
// to the same steps, and none of them is stale. Their recordings are equal, byte for byte (L13). With RSTATE_STEPS they
// have so many steps, beside four processes that take all the time of the processors that they get; no other test may
// run then.
func TestL11TwoRunsGiveTheSameData(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("RSTATE_STEPS"))
	if err != nil {
		n = 200
	}
	for k := range 4 {
		if err == nil {
			bed.Start(t, fmt.Sprintf("busy %d", k), "python3", "-c", "while True: pass")
		}
	}
	programs := []string{bed.BuildCpp(t, "../lockstep/testdata/participant.cpp"),
		bed.BuildGo(t, "../lockstep/participant")}
	names := newNames(t)
	var both [2]*lockstep
	for k := range both {
		l := lockstepOf(t, names)
		l.starts(nil, nil, fmt.Sprintf("  record: %s\n", filepath.Join(l.folder, "run.mcap")), programs...)
		l.runs(n)
		l.ends()
		both[k] = l
	}
	one, two := both[0], both[1]
	for _, name := range append([]string{one.physics, one.pilot}, one.more...) {
		a, stale := one.was(name)
		b, _ := two.was(name)
		if lines := strings.Count(a, "\n"); lines != n || a != b || stale > 0 {
			t.Errorf("%s was handed other messages in %d steps, of which %d were stale", name, lines, stale)
		}
	}
	data, _ := one.was(one.physics)
	if last := strings.Fields(data[strings.LastIndex(strings.TrimSpace(data), "\n")+1:]); len(last) != 4+len(programs) {
		t.Errorf("the last step of the simulator has %q, want a number of each of %d further participants", last,
			len(programs))
	}
	recording := filepath.Join(one.folder, "run.mcap")
	sameFiles(t, recording, filepath.Join(two.folder, "run.mcap"))
	lines, whole := readRecording(t, recording)
	if want := n * (1 + 2 + 2*len(programs)); len(lines) != want || !whole {
		t.Errorf("the recording has %d messages, want %d; whole: %v", len(lines), want, whole)
	}
}

// TestL11WithoutSteppedNodeDataAreStale: the same program, with a subscription that needs 5 ms.
func TestL11WithoutSteppedNodeDataAreStale(t *testing.T) {
	l := newLockstep(t, []string{"--plain"}, []string{"--plain", "--late", "0.005"})
	l.runs(100)
	if _, stale := l.was(l.pilot); stale == 0 {
		t.Error("no message was stale, so the other test shows nothing")
	}
	m := newLockstep(t, nil, []string{"--late", "0.005"})
	m.runs(100)
	if _, stale := m.was(m.pilot); stale > 0 {
		t.Errorf("%d messages were stale with SteppedNode", stale)
	}
}

// TestL11AStrangerKeepsARunFromBeginning: it is named, and the run begins once it has gone.
func TestL11AStrangerKeepsARunFromBeginning(t *testing.T) {
	t.Parallel()
	l := newLockstep(t, nil, nil)
	l.runs(10)
	bag := bed.NewHost(t)
	t.Run("while it is there", func(t *testing.T) {
		bag.In(t).Advertise(bed.Topic{Kind: "std_msgs/msg/String", Name: l.physics + "/angle", Depth: 1})
		topics := []map[string]any{{"topic": l.physics + "/angle", "publishers": []string{l.physics},
			"subscribers": []string{l.pilot}}}
		bed.Eventually(t, "the controller has found it", func() (string, bool) {
			var answer struct{ Message string }
			err := l.host.Call("rstate_msgs/srv/StepData", l.pilot+"/step_data",
				map[string]any{"stage": 1, "topics": topics}, bed.Deadline, &answer)
			return fmt.Sprint(answer.Message, err), strings.Contains(answer.Message, "publishes")
		})
		r := l.runsOnce(10)
		for _, want := range []string{"publishes " + l.physics + "/angle too",
			"the data of " + l.pilot + " are not in lockstep"} {
			if r.Success || !strings.Contains(r.Message, want) {
				t.Errorf("the run ended %v: %s, want %q", r.Success, r.Message, want)
			}
		}
	})
	l.runs(10)
	if data, stale := l.was(l.pilot); stale > 0 || strings.Count(data, "\n") != 20 {
		t.Errorf("the controller was handed, %d stale:\n%s", stale, data)
	}
}

// TestL11AParticipantThatRestarts: a controller ends and starts anew. Nothing of its former life reaches a step.
func TestL11AParticipantThatRestarts(t *testing.T) {
	t.Parallel()
	l := newLockstep(t, nil, nil)
	l.runs(10)
	l.processes[l.pilot].Signal(syscall.SIGINT) // a node that is killed is waited for until its lease ends
	l.processes[l.pilot].Wait(t)
	l.participant(l.pilot, []string{"--in-topic", l.physics + "/angle", "--out-topic", l.pilot + "/force"})
	says(t, l.daemon, l.pilot+" is unconfigured, not active")
	l.do("initialize", "stopped")
	l.runs(10)
	data, _ := l.was(l.pilot)
	for n, line := range strings.Split(strings.TrimSpace(data), "\n") {
		if want := fmt.Sprintf("%d %[1]d ", n+11); !strings.HasPrefix(line, want) {
			t.Errorf("the controller was handed %q, want %s…", line, want)
		}
	}
}
