//go:build ros

package ros

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/foxglove/mcap/go/mcap"

	"rstate/test/bed"
)

// recordedNames are the names of a simulation: two with the same names give the same recording.
type recordedNames struct{ id, node, physics, pilot string }

func newNames(t *testing.T) recordedNames {
	return recordedNames{bed.Unique(t, "sim"), "/" + bed.Unique(t, "rstate"), "/" + bed.Unique(t, "physics"),
		"/" + bed.Unique(t, "pilot")}
}

// all is the topic on which both participants publish.
func (n recordedNames) all() string { return n.physics + "/all" }

// recorded is a simulation that is recorded, of two participants in rclpy (testdata/recorded.py).
type recorded struct {
	*robot
	recordedNames
	folder    string // in which the daemon runs
	processes map[string]*bed.Process
}

func newRecorded(t *testing.T, folder string, n recordedNames, record string, pilot ...string) *recorded {
	t.Helper()
	r := &recorded{
		robot:         &robot{t: t, host: bed.NewHost(t), name: n.node, simulation: n.id},
		recordedNames: n, folder: folder, processes: map[string]*bed.Process{},
	}
	r.states = r.host.Subscribe(bed.Topic{Kind: "rstate_msgs/msg/InstanceState", Name: r.name + "/state",
		Latched: true})
	r.participant(r.physics, r.pilot, "--simulator")
	r.participant(r.pilot, r.physics, pilot...)
	text := patient + fmt.Sprintf("simulation: %s\nmachine: cle\n"+
		"nodes: {%s: {}, %s: {}}\nloop:\n  dt: 100ms\n  record: %s\n"+
		"  participants: {%[2]s: {as: simulator, deadline: 20s}, %[3]s: {deadline: 20s}}\n",
		r.simulation, r.physics, r.pilot, record)
	if err := os.WriteFile(filepath.Join(r.folder, "network.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r.daemon = bed.StartCommand(t, "rstate", bed.Command{
		Args: []string{binary, "run", "network.yaml", "--result", "result.json", "--ros-args", "-r",
			"__node:=" + strings.TrimPrefix(n.node, "/")},
		Dir: r.folder,
	})
	r.intact("created")
	r.do("initialize", "stopped")
	return r
}

// participant starts one that reads the topic of the other.
func (r *recorded) participant(name, other string, args ...string) {
	r.t.Helper()
	args = append([]string{"python3", "-B", "testdata/recorded.py", "--in-topic", other + "/text", "--out-topic",
		name + "/text", "--all", r.all()}, args...)
	r.processes[name] = bed.StartCommand(r.t, name, bed.Command{
		Args: append(args, "--ros-args", "-r", "__node:="+strings.TrimPrefix(name, "/")),
		Env:  append(modules(r.t), bed.ShortLease(r.t)...),
	})
}

func (r *recorded) runs(steps int) Result {
	r.t.Helper()
	var result Result
	r.goalWith(map[string]any{"command": "run_step", "argument": strconv.Itoa(steps)}).Result(&result)
	return result
}

func (r *recorded) went(steps int) {
	r.t.Helper()
	if result := r.runs(steps); !result.Success {
		r.t.Fatalf("the run ended %s: %s", result.Outcome, result.Message)
	}
}

// ends ends everything in good order, and returns the recording.
func (r *recorded) ends() []string {
	r.t.Helper()
	r.daemon.Signal(syscall.SIGTERM)
	r.daemon.Wait(r.t)
	for _, p := range r.processes {
		p.Signal(syscall.SIGINT)
		p.Wait(r.t)
	}
	text, err := os.ReadFile(filepath.Join(r.folder, "result.json"))
	if err != nil {
		r.t.Fatal(err)
	}
	var result struct{ Recording []string }
	if err := json.Unmarshal(text, &result); err != nil {
		r.t.Fatal(err)
	}
	return result.Recording
}

// line is a message of a recording.
type line struct {
	topic, publisher string
	number           uint32
	at               time.Duration
	data             []byte
}

// readRecording reads a file from its beginning, as after a crash: up to where it ends too early.
func readRecording(t *testing.T, file string) (lines []line, whole bool) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := mcap.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if profile := reader.Header().Profile; profile != "ros2" {
		t.Errorf("%s has the profile %q", file, profile)
	}
	all, err := reader.Messages(mcap.UsingIndex(false))
	if err != nil {
		t.Fatal(err)
	}
	for {
		schema, channel, m, err := all.NextInto(nil)
		if errors.Is(err, io.EOF) {
			return lines, bytes.HasSuffix(text, mcap.Magic)
		}
		if err != nil {
			t.Fatal(err)
		}
		if channel.MessageEncoding != "cdr" || schema.Encoding != "ros2msg" || m.LogTime != m.PublishTime {
			t.Errorf("%+v of %+v is %+v", m, channel, schema)
		}
		lines = append(lines, line{channel.Topic, channel.Metadata["publisher"], m.Sequence, time.Duration(m.LogTime),
			bytes.Clone(m.Data)})
	}
}

// sameFiles fails unless two files are equal, byte for byte.
func sameFiles(t *testing.T, a, b string) {
	t.Helper()
	one, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	two, err := os.ReadFile(b)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(one, two) {
		return
	}
	x, _ := readRecording(t, a)
	y, _ := readRecording(t, b)
	for i := range min(len(x), len(y)) {
		if fmt.Sprint(x[i]) != fmt.Sprint(y[i]) {
			t.Fatalf("message %d is\n%+v\nand\n%+v", i, x[i], y[i])
		}
	}
	t.Fatalf("%s has %d bytes and %d messages, %s has %d bytes and %d messages", a, len(one), len(x), b, len(two),
		len(y))
}

// TestL13TwoRunsGiveTheSameRecording: two equal simulations, the second one with a participant that is killed in the
// midst of a step and comes back, and with pauses elsewhere. A reset begins a new file.
func TestL13TwoRunsGiveTheSameRecording(t *testing.T) {
	const n, dies = 60, 31
	names, a, b := newNames(t), t.TempDir(), t.TempDir()
	var one, two []string
	t.Run("one", func(t *testing.T) {
		r := newRecorded(t, a, names, "run.mcap")
		r.went(n)
		r.do("reset", "stopped")
		r.went(n)
		one = r.ends()
		if want := []string{filepath.Join(r.folder, "run.mcap"),
			filepath.Join(r.folder, "run-2.mcap")}; fmt.Sprint(one) != fmt.Sprint(want) {
			t.Fatalf("the result names %q, want %q", one, want)
		}
	})
	t.Run("two", func(t *testing.T) {
		r := newRecorded(t, b, names, "{file: run.mcap}", "--dies-at", strconv.Itoa(dies))
		r.went(20)
		if result := r.runs(n - 20); result.Success {
			t.Fatalf("the run ended %+v, and a participant was killed", result)
		}
		r.participant(r.pilot, r.physics)
		says(t, r.daemon, r.pilot+" is unconfigured, not active")
		r.do("initialize", "stopped")
		r.went(n - dies + 1)
		r.do("reset", "stopped")
		r.went(5)
		r.went(n - 5)
		two = r.ends()
	})
	if t.Failed() {
		return
	}
	for i := range one {
		sameFiles(t, one[i], two[i])
		checkRecording(t, names, one[i], n)
	}
}

// checkRecording fails unless the file has what the participants published, in order.
func checkRecording(t *testing.T, names recordedNames, file string, steps int) {
	t.Helper()
	lines, whole := readRecording(t, file)
	if !whole {
		t.Errorf("%s ends too early", file)
	}
	var want []string
	numbers := map[string]int{}
	for n := 1; n <= steps; n++ {
		at := time.Duration(n-1) * 100 * time.Millisecond
		add := func(topic, publisher string) {
			numbers[topic+publisher]++
			want = append(want, fmt.Sprint(topic, publisher, numbers[topic+publisher], at))
		}
		add("/rstate/steps", "")
		for _, p := range []string{names.physics, names.pilot} {
			add(names.all(), p)
			add(p+"/text", p)
		}
		for _, p := range []string{names.physics, names.pilot} {
			if n%2 == 0 {
				add(names.all(), p)
			}
		}
	}
	var got []string
	for _, l := range lines {
		got = append(got, fmt.Sprint(l.topic, l.publisher, l.number, l.at))
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s has\n%s\nwant\n%s", file, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	first := lines[1].data // of /all: what aligns its fields is zero
	if want := append([]byte{0, 1, 0, 0, 1}, make([]byte, 7)...); !bytes.HasPrefix(first, want) {
		t.Errorf("the first message of %s is % x", names.all(), first)
	}
}

// TestL13WhatKeepsARunFromBeginning: the message says what to do, and ~/state names no recording.
func TestL13WhatKeepsARunFromBeginning(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ record, want string }{
		"no topic": {"{file: run.mcap, topics: [/angel]}",
			"cannot record /angel: no participant with SteppedNode publishes it; there are "},
		"no folder": {"none/run.mcap", "none/run.mcap: no such file or directory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRecorded(t, t.TempDir(), newNames(t), c.record)
			if result := r.runs(1); result.Success || !strings.Contains(result.Message, c.want) {
				t.Errorf("the run ended %v: %s, want %q", result.Success, result.Message, c.want)
			}
			if files := r.ends(); len(files) > 0 {
				t.Errorf("the result names %q", files)
			}
		})
	}
	t.Run("no SteppedNode", func(t *testing.T) {
		s := newLoop(t, "cle", "created", "  record: "+filepath.Join(t.TempDir(), "run.mcap")+"\n")
		s.Do("initialize", "succeeded done stopped")
		s.ends(s.Goal("start"), "aborted held stopped",
			"nothing can be recorded, because no participant counts its messages")
	})
}

// TestL13AKilledDaemonLeavesARecording: up to the last whole second of simulated time.
func TestL13AKilledDaemonLeavesARecording(t *testing.T) {
	t.Parallel()
	r := newRecorded(t, t.TempDir(), newNames(t), "run.mcap")
	r.went(25)
	file := filepath.Join(r.folder, "run.mcap")
	if state := r.await("stopped"); state.Recording != file {
		t.Errorf("~/state names the recording %q", state.Recording)
	}
	bed.Eventually(t, "21 steps are in the file", func() (string, bool) {
		lines, _ := readRecording(t, file)
		return fmt.Sprint(len(lines)), len(lines) == 21*5+10*2
	})
	r.daemon.Signal(syscall.SIGKILL)
	r.daemon.Wait(t)
	if _, whole := readRecording(t, file); whole {
		t.Error("the recording has an end, and the daemon was killed")
	}
}
