//go:build ros

package ros

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// The tests of A12 about time in which no daemon listens to a stop button.

// gapping is stoppable with the default of after_gap.
var gapping = strings.Replace(stoppable, "after_gap: clear, ", "", 1)

const gapSilent = 3 * time.Second // as in stoppable

func newGaps(t *testing.T, network string, args ...string) *stops {
	t.Helper()
	s := &stops{stand: newStand(t, setup{network: network,
		config: daemon.Config{Env: bed.ShortLease(t), Args: args}})}
	s.topic = s.space + "/estop"
	return s
}

// latched waits until the network is stopped because of a gap, and only of that. Arm is refused until a person
// acknowledges.
func (s *stops) latched(words string) {
	s.t.Helper()
	s.Await("one stop is open, of a gap", func(v daemon.View) bool {
		return v.Settled && v.State.Label == "active" && len(v.Stops) == 1 &&
			strings.HasPrefix(v.Stops[0].Why, "rstate did not listen ") && strings.Contains(v.Stops[0].Why, words)
	})
	s.is("clear")
	s.Rejected("arm", "rstate did not listen ", words, "rstate acknowledge")
	s.acknowledges("")
	s.arms()
}

// arms arms and disarms.
func (s *stops) arms() {
	s.t.Helper()
	s.is("clear")
	s.Do("arm", "succeeded done armed")
	s.Do("disarm", "succeeded done active")
}

// down ends the daemon, presses and releases the button, and starts the daemon again once it has been away for longer than
// a button may be silent.
func (s *stops) down(b *stopButton, signal syscall.Signal) {
	s.t.Helper()
	s.Process.Signal(signal)
	<-s.Process.Done()
	ended := time.Now()
	b.press(true)
	b.press(false)
	awaitPast(s.t, ended)
	s.again()
	s.Intact("active")
	s.Alone()
}

// awaitPast waits until more time than a button may be silent has passed since a moment.
func awaitPast(t *testing.T, since time.Time) {
	t.Helper()
	bed.Eventually(t, "a button would be silent by now", func() (string, bool) {
		return "", time.Since(since) > gapSilent+500*time.Millisecond
	})
}

// bootOf is the boot of the machine in a line of the journal.
var bootOf = regexp.MustCompile(`"boot":"[0-9a-f]+"`)

// rewriteJournal changes the text of a journal whose daemon has ended.
func (s *stops) rewriteJournal(change func(text string) string) {
	s.t.Helper()
	files, err := filepath.Glob(filepath.Join(s.Journal(), "*.jsonl"))
	if err != nil || len(files) == 0 {
		s.t.Fatalf("there is no journal in %s: %v", s.Journal(), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, []byte(change(string(text))), 0o600)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

// TestA12APressWhileNobodyListens: the stop button is pressed and released while no daemon lives, or while it stands
// still. The next Arm is refused, says when nothing listened, and works after an acknowledgement. The first start of all
// has no journal. A new boot begins clear.
func TestA12APressWhileNobodyListens(t *testing.T) {
	s := newGaps(t, gapping)
	b := s.button()
	s.bring("active")
	s.latched("it has no journal of a run before")

	s.down(b, syscall.SIGKILL)
	s.latched(" at the earliest to ")
	s.down(b, syscall.SIGTERM)
	s.latched(" from ")

	s.Process.Freeze()
	stood := time.Now()
	b.press(true)
	b.press(false)
	awaitPast(t, stood)
	s.Process.Thaw()
	s.Intact("active")
	s.Await("the stall has latched", func(v daemon.View) bool { return len(v.Stops) == 1 })
	s.acknowledgesSoon()
	s.arms()

	s.Process.Kill()
	s.rewriteJournal(func(text string) string { return bootOf.ReplaceAllString(text, `"boot":"00000000"`) })
	s.again()
	s.Intact("active")
	s.Alone()
	s.arms()

	s.Process.Kill()
	s.LoseJournal()
	s.again()
	s.Intact("active")
	s.Alone()
	s.latched("it has no journal")
}

// acknowledgesSoon acknowledges when the input counts as clear after a stall.
func (s *stops) acknowledgesSoon() {
	s.t.Helper()
	bed.Eventually(s.t, "a stop of a stall is acknowledged", func() (string, bool) {
		ok, message := acknowledge(s.t, s.host, s.Name)
		return message, ok
	})
}

// TestA12AnOrderlyRestartIsShort: a daemon that ends in good order, and starts before a button counts as silent, needs no
// acknowledgement. One that was killed does, however soon it is back.
func TestA12AnOrderlyRestartIsShort(t *testing.T) {
	s := newGaps(t, strings.Replace(gapping, "silent: 3s", "silent: 1m", 1))
	s.button()
	s.bring("active")
	s.latched("it has no journal")
	s.Process.Signal(syscall.SIGTERM)
	<-s.Process.Done()
	s.again()
	s.Intact("active")
	s.Alone()
	s.arms()
	s.restart(true)
	s.Intact("active")
	s.Alone()
	s.latched(" at the earliest to ")
}

// goButton starts a button in Go, which says clear or stop for as long as it lives.
func (s *stops) goButton(stop bool) *bed.Process {
	s.t.Helper()
	args := []string{binary, "node", "/" + bed.Unique(s.t, "go_button"), "--plain", "--log", "text",
		"--topic", s.topic + ":std_msgs/msg/Bool:20Hz"}
	if stop {
		args = append(args, "--say", s.topic+":data=true")
	}
	return bed.StartCommand(s.t, "button in Go", bed.Command{Args: args})
}

// TestA12APressOfAGoButtonWhileNobodyListens: the same with a button in Go. The kernel says at once that a button has
// ended, so a new one is acknowledged although the old one is in the graph still.
func TestA12APressOfAGoButtonWhileNobodyListens(t *testing.T) {
	s := newGaps(t, gapping)
	first := s.goButton(false)
	s.is("clear")
	s.bring("active")
	s.latched("it has no journal")

	s.Process.Kill()
	first.Kill()
	pressed := s.goButton(true)
	listens := s.host.Subscribe(bed.Topic{Kind: "std_msgs/msg/Bool", Name: s.topic})
	bed.Eventually(t, "the button says stop", func() (string, bool) {
		var said struct{ Data bool }
		return fmt.Sprint(said), listens.Last(&said) && said.Data
	})
	pressed.Kill()
	second := s.goButton(false)
	s.again()
	s.Intact("active")
	s.Alone()
	s.latched(" at the earliest to ")

	s.Do("arm", "succeeded done armed")
	second.Kill()
	s.stopped("is gone")
	s.goButton(false)
	s.is("lost")
	s.acknowledges("")
	s.arms()
}

// TestA12ARemappedStopTopic: the daemon's arguments remap the topic of the file. Its real name is read, looked up in the
// graph, shown, and named in messages.
func TestA12ARemappedStopTopic(t *testing.T) {
	base := "/" + bed.Unique(t, "base")
	s := &stops{stand: newStand(t, setup{network: strings.Replace(stoppable, "~/estop", "/estop_of_the_file", 1),
		config: daemon.Config{Env: bed.ShortLease(t), Args: []string{"-r", "/estop_of_the_file:=" + base + "/estop"}}})}
	s.topic = base + "/estop"
	b := s.button()
	s.Await("the input is shown under its real name, with its button", func(v daemon.View) bool {
		in := v.StopInputs[0]
		return in.Topic == s.topic && slices.Equal(in.Writers, []string{b.name})
	})
	s.bring("active")
	s.Do("arm", "succeeded done armed")
	b.press(true)
	s.stopped(s.topic + ": " + b.name + " says stop")
	b.Signal(syscall.SIGINT)
	<-b.Done()
	s.is("silent")
	s.acknowledges("stop input " + s.topic + ": no stop button is heard")
}
