package recording

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/foxglove/mcap/go/mcap"

	"rstate/internal/tally"
)

// topics are what two participants publish.
var topics = []tally.Topic{
	{Name: "/angle", Type: "std_msgs/msg/Float64", Publishers: []string{"/physics"}},
	{Name: "/log", Type: "std_msgs/msg/String", Publishers: []string{"/physics", "/pilot"}},
}

// world is a recorder, and the middleware from which it takes its messages.
type world struct {
	t      *testing.T
	r      *Recorder
	file   string
	faults []string
	began  []string

	mu      sync.Mutex
	arrived map[string][]arrived // by topic
	opened  []tally.Topic
	failing error // of the middleware
	sent    map[channel]uint64
	step    uint64
}

type arrived struct{ publisher, data string }

func (w *world) Open(topics []tally.Topic) error    { w.opened = topics; return w.failing }
func (w *world) Matched(topics []tally.Topic) error { return w.failing }
func (w *world) Zero([]tally.Topic) error           { return nil }
func (w *world) Close() error                       { return nil }

func (w *world) Take(topic string) ([]byte, string, bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := w.arrived[topic]
	if len(list) == 0 {
		return nil, "", false, w.failing
	}
	w.arrived[topic] = list[1:]
	return []byte(list[0].data), list[0].publisher, true, nil
}

// arrives lets a message arrive.
func (w *world) arrives(topic, publisher, data string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.arrived[topic] = append(w.arrived[topic], arrived{publisher, data})
}

// says counts messages of a publisher.
func (w *world) says(topic, publisher string, n uint64) tally.Count {
	at := channel{topic, publisher}
	w.sent[at] += n
	return tally.Count{Topic: topic, Node: publisher, N: w.sent[at]}
}

// steps records a step in which these were said.
func (w *world) steps(said ...tally.Count) {
	w.r.Step(Step{Number: w.step + 1, Now: time.Duration(w.step) * 100 * time.Millisecond, DT: 100 * time.Millisecond,
		Said: said})
	w.step++
}

// begins begins a run, which must succeed.
func (w *world) begins(first, zero bool) {
	w.t.Helper()
	if zero {
		clear(w.sent)
	}
	if first {
		w.step = 0
	}
	if err := w.r.Begin(context.Background(), first, zero); err != nil {
		w.t.Fatal(err)
	}
}

// in runs a test with a recorder, in a bubble.
func in(t *testing.T, file string, named []string, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, file, named)
		test(w)
		w.r.Close()
	})
}

func newWorld(t *testing.T, file string, named []string) *world {
	w := &world{t: t, file: file, arrived: map[string][]arrived{}, sent: map[channel]uint64{}}
	w.r = New(Config{
		File: file, Topics: named, Source: w,
		Definition: func(typ string) (string, error) { return "# " + typ + "\n", nil },
		Encode:     func(s Step) ([]byte, error) { return fmt.Appendf(nil, "step %d", s.Number), nil },
		Began:      func(file string) { w.began = append(w.began, filepath.Base(file)) },
		Fault:      func(why string) { w.faults = append(w.faults, why) },
	})
	return w
}

// opens opens the topics and begins.
func (w *world) opens() {
	w.t.Helper()
	if err := w.r.Open(context.Background(), topics); err != nil {
		w.t.Fatal(err)
	}
	w.begins(true, true)
}

// read returns the messages of a file as "time topic publisher number data", and whether it has its end.
func read(t *testing.T, file string) (lines []string, whole bool) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := mcap.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	all, err := reader.Messages(mcap.UsingIndex(false))
	if err != nil {
		t.Fatal(err)
	}
	for {
		_, c, m, err := all.NextInto(nil)
		if errors.Is(err, io.EOF) {
			return lines, bytes.HasSuffix(text, mcap.Magic)
		}
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%v %s %s %d %s", time.Duration(m.LogTime), c.Topic, c.Metadata["publisher"],
			m.Sequence, m.Data))
	}
}

func wants(t *testing.T, file string, want ...string) {
	t.Helper()
	got, whole := read(t, file)
	if !slices.Equal(got, want) {
		t.Errorf("%s has\n%s\nwant\n%s", filepath.Base(file), strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !whole {
		t.Errorf("%s has no end", filepath.Base(file))
	}
}

// TestL13TheOrderOfArrivalDoesNotMatter: messages that arrive in another order, too early or too late, are in the same
// places.
func TestL13TheOrderOfArrivalDoesNotMatter(t *testing.T) {
	folder := t.TempDir()
	record := func(file string, messages func(w *world)) {
		in(t, filepath.Join(folder, file), nil, func(w *world) {
			w.opens()
			go messages(w)
			for range 3 {
				w.steps(w.says("/angle", "/physics", 2), w.says("/log", "/physics", 1), w.says("/log", "/pilot", 1),
					w.says("/angle", "/physics", 1))
				time.Sleep(time.Second)
			}
			time.Sleep(arriveIn)
		})
	}
	angles := func(w *world) {
		for i := range 9 {
			w.arrives("/angle", "/physics", fmt.Sprint(i))
		}
	}
	logs := func(w *world, publisher string, pause time.Duration) {
		for i := range 3 {
			time.Sleep(pause)
			w.arrives("/log", publisher, fmt.Sprint(i))
		}
	}
	record("a.mcap", func(w *world) {
		angles(w)
		logs(w, "/physics", 0)
		logs(w, "/pilot", 0)
	})
	record("b.mcap", func(w *world) {
		w.arrives("/log", "", "of another")
		logs(w, "/pilot", 0)
		logs(w, "/physics", 2*time.Second)
		angles(w)
	})
	step := func(n int, at string) []string {
		return []string{
			fmt.Sprintf("%s /rstate/steps  %d step %d", at, n, n),
			fmt.Sprintf("%s /angle /physics %d %d", at, 3*n-2, 3*n-3),
			fmt.Sprintf("%s /angle /physics %d %d", at, 3*n-1, 3*n-2),
			fmt.Sprintf("%s /log /physics %d %d", at, n, n-1), fmt.Sprintf("%s /log /pilot %d %d", at, n, n-1),
			fmt.Sprintf("%s /angle /physics %d %d", at, 3*n, 3*n-1),
		}
	}
	wants(t, filepath.Join(folder, "a.mcap"), slices.Concat(step(1, "0s"), step(2, "100ms"), step(3, "200ms"))...)
	same(t, folder, "a.mcap", "b.mcap")
}

func same(t *testing.T, folder, a, b string) {
	t.Helper()
	one, err := os.ReadFile(filepath.Join(folder, a))
	if err != nil {
		t.Fatal(err)
	}
	two, err := os.ReadFile(filepath.Join(folder, b))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one, two) {
		t.Errorf("%s and %s differ", a, b)
	}
}

// TestL13AResetBeginsAFile: of which the first step is as in the first one. A run that goes on, and one with other
// counts, does not.
func TestL13AResetBeginsAFile(t *testing.T) {
	folder := t.TempDir()
	in(t, filepath.Join(folder, "run.mcap"), nil, func(w *world) {
		life := func() {
			w.begins(true, true)
			w.arrives("/angle", "/physics", "a")
			w.arrives("/angle", "/physics", "of an interrupted step")
			w.steps(w.says("/angle", "/physics", 1))
			w.begins(false, true)
			w.arrives("/angle", "/physics", "b")
			w.steps(w.says("/angle", "/physics", 1))
			w.begins(false, false)
			w.arrives("/angle", "/physics", "c")
			w.steps(w.says("/angle", "/physics", 1))
		}
		w.opens()
		life()
		w.begins(true, true)
		life()
	})
	for _, file := range []string{"run.mcap", "run-2.mcap"} {
		wants(t, filepath.Join(folder, file), "0s /rstate/steps  1 step 1", "0s /angle /physics 1 a",
			"100ms /rstate/steps  2 step 2", "100ms /angle /physics 2 b",
			"200ms /rstate/steps  3 step 3", "200ms /angle /physics 3 c")
	}
	same(t, folder, "run.mcap", "run-2.mcap")
}

// TestL13AMissingMessageIsNamed: the recording ends before its step, the loop gets the reason, and only a reset begins
// another one.
func TestL13AMissingMessageIsNamed(t *testing.T) {
	folder := t.TempDir()
	in(t, filepath.Join(folder, "run.mcap"), nil, func(w *world) {
		w.opens()
		w.arrives("/angle", "/physics", "a")
		w.steps(w.says("/angle", "/physics", 1))
		w.arrives("/log", "/pilot", "of another publisher")
		w.steps(w.says("/log", "/physics", 1))
		w.steps()
		time.Sleep(arriveIn + time.Second)
		synctest.Wait()
		want := []string{"the recording " + w.file +
			" is incomplete: step 2 and later ones are not recorded: message 1 of /log from /physics has not arrived; after a reset a new one begins"}
		if !slices.Equal(w.faults, want) {
			t.Errorf("the faults are %q, want %q", w.faults, want)
		}
		if err := w.r.Begin(context.Background(), false, true); err == nil || err.Error() != want[0] {
			t.Errorf("the next run begins with %v", err)
		}
		wants(t, w.file, "0s /rstate/steps  1 step 1", "0s /angle /physics 1 a")
		w.begins(true, true)
		w.steps()
	})
	wants(t, filepath.Join(folder, "run-2.mcap"), "0s /rstate/steps  1 step 1")
}

// TestL13TheLoopWaitsForTheRecorder: it is a bounded number of steps, messages and bytes behind.
func TestL13TheLoopWaitsForTheRecorder(t *testing.T) {
	for name, c := range map[string]struct {
		each, size, most int
	}{
		"steps":    {0, 0, mostSteps},
		"messages": {300, 1, 5},
		"bytes":    {1, mostBytes / 3, 4},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, filepath.Join(t.TempDir(), "run.mcap"), nil, func(w *world) {
				w.opens()
				data := strings.Repeat("x", c.size)
				w.arrives("/log", "/pilot", data)
				w.steps(w.says("/log", "/pilot", 1)) // so that the size of a step is known
				synctest.Wait()
				told := make(chan bool, 1)
				w.steps(w.says("/log", "/pilot", 1)) // its message arrives later
				n := 1
				for w.r.Room(func() { told <- true }) {
					w.steps(w.says("/angle", "/physics", uint64(c.each)))
					n++
				}
				if n != c.most && n != c.most-1 {
					t.Errorf("it takes %d steps, want %d", n, c.most)
				}
				for range (n - 1) * c.each {
					w.arrives("/angle", "/physics", "")
				}
				w.arrives("/log", "/pilot", data)
				<-told
				if !w.r.Room(nil) {
					t.Error("there is room, and there is none")
				}
			})
		})
	}
}

// TestL13AKilledProcessLeavesWholeChunks: what is older than a second of simulated time can be read without the end of
// the file.
func TestL13AKilledProcessLeavesWholeChunks(t *testing.T) {
	in(t, filepath.Join(t.TempDir(), "run.mcap"), nil, func(w *world) {
		w.opens()
		for range 35 {
			w.steps()
		}
		synctest.Wait()
		got, whole := read(t, w.file)
		if len(got) != 31 || whole {
			t.Errorf("%d steps can be read, and it has its end: %v", len(got), whole)
		}
	})
}

// TestL13OnlyTheNamedTopicsAreRecorded: others are neither received nor waited for.
func TestL13OnlyTheNamedTopicsAreRecorded(t *testing.T) {
	in(t, filepath.Join(t.TempDir(), "run.mcap"), []string{"/log"}, func(w *world) {
		w.opens()
		if len(w.opened) != 1 || w.opened[0].Name != "/log" || w.r.Keeps("/angle") || !w.r.Keeps("/log") {
			t.Errorf("it receives %v", w.opened)
		}
	})
}

// TestL13AFileThatCannotBeWrittenEndsTheRecording: the loop gets the reason.
func TestL13AFileThatCannotBeWrittenEndsTheRecording(t *testing.T) {
	in(t, filepath.Join(t.TempDir(), "run.mcap"), nil, func(w *world) {
		w.opens()
		w.r.file.f.Close() // as the disk that is full: each write is an error
		for range 30 {
			w.steps()
		}
		synctest.Wait()
		if len(w.faults) != 1 || !strings.Contains(w.faults[0],
			"is incomplete: step 11 and later ones are not recorded: ") {
			t.Errorf("the faults are %q", w.faults)
		}
	})
}
