//go:build ros

package ros

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// The tests of A12 with the stop button of the examples, a node in rclpy.

// stoppable is a network with two nodes that can be armed and a stop input. The long times keep a busy machine from
// stopping it, and a start arms without an acknowledgement; gap_test.go is about those that do not.
const stoppable = "proof: 10s\nstop: {after_gap: clear, inputs: [{topic: ~/estop, silent: 3s}]}\n" +
	"nodes:\n  ~/left: {arm: {}}\n  ~/right: {arm: {}}\n"

// stops is a stand with a stop button.
type stops struct {
	*stand
	topic string
}

func newStops(t *testing.T) *stops {
	t.Helper()
	s := &stops{stand: newStand(t, setup{network: stoppable, config: daemon.Config{Env: bed.ShortLease(t), HTTP: true}})}
	s.topic = s.space + "/estop"
	return s
}

// button starts a stop button, and waits until the daemon hears that it is clear.
func (s *stops) button() *stopButton {
	s.t.Helper()
	b := startButton(s.t, s.host, s.topic)
	s.is("clear")
	return b
}

// is waits until the stop input is of a kind.
func (s *stops) is(kind string) {
	s.t.Helper()
	s.Await("the stop input is "+kind, func(v daemon.View) bool { return len(v.StopInputs) == 1 && v.StopInputs[0].Kind == kind })
}

// stopped waits until the network is disarmed and stopped, for a reason.
func (s *stops) stopped(why string) {
	s.t.Helper()
	s.Await("the network is stopped: "+why, func(v daemon.View) bool {
		return v.Settled && v.State.Label == "active" && len(v.MayBeArmed) == 0 && len(v.Stops) == 1 &&
			v.Stops[0].Origin == s.Name && strings.Contains(v.Stops[0].Why, why)
	})
	s.wantWhere(s.all("active"))
	s.Rejected("arm", why, "rstate acknowledge")
}

// acknowledge acknowledges at a daemon, and returns what it answers.
func acknowledge(t *testing.T, host *bed.Host, name string) (success bool, message string) {
	t.Helper()
	var answer struct {
		Success bool
		Message string
	}
	if err := host.Call("rstate_msgs/srv/Acknowledge", name+"/acknowledge", map[string]any{"who": "ann"}, bed.Deadline,
		&answer); err != nil {
		t.Fatal(err)
	}
	return answer.Success, answer.Message
}

// acknowledges acknowledges, which must succeed or be refused for a reason.
func (s *stops) acknowledges(refusal string) {
	s.t.Helper()
	ok, message := acknowledge(s.t, s.host, s.Name)
	if ok != (refusal == "") || !strings.Contains(message, refusal) {
		s.t.Fatalf("an acknowledgement is answered with %v: %s; want %q", ok, message, refusal)
	}
}

// stopButton is a process of the example.
type stopButton struct {
	*bed.Process
	t    *testing.T
	host *bed.Host
	name string
}

func startButton(t *testing.T, host *bed.Host, topic string) *stopButton {
	t.Helper()
	b := &stopButton{t: t, host: host, name: "/" + bed.Unique(t, "button")}
	b.Process = bed.StartCommand(t, "stop button", bed.Command{
		Args: []string{"python3", "-B", filepath.Join(inPackage, "examples", "stop_button.py"), "--ros-args",
			"-r", "__node:=" + strings.TrimPrefix(b.name, "/"), "-r", "estop:=" + topic},
		Env: modules(t),
	})
	t.Cleanup(b.Thaw)
	return b
}

// press presses the button, or releases it. A process that has just started may find its client later than the client
// finds it, and its answer is lost then. So it is asked until it answers: two presses are one.
func (b *stopButton) press(on bool) {
	b.t.Helper()
	bed.Eventually(b.t, "the button answers", func() (string, bool) {
		err := b.host.Call("std_srvs/srv/SetBool", b.name+"/press", map[string]any{"data": on}, time.Second, nil)
		return fmt.Sprint(err), err == nil
	})
}

// ending is a way to end what the stop button says.
type ending struct {
	name  string
	stop  func(s *stops, b *stopButton)
	why   string // the stop
	while string // the input is, until clear
	kind  string // of the input meanwhile
	clear func(s *stops, b *stopButton)
}

func TestA12AStopButtonStops(t *testing.T) {
	stopsAndHolds(t, []ending{
		{"pressed", func(_ *stops, b *stopButton) { b.press(true) }, "says stop", "says stop", "stop",
			func(_ *stops, b *stopButton) { b.press(false) }},
	})
}

// TestA12AStopButtonThatEndsStops: at once if its process has ended, and else when it has been silent for too long.
func TestA12AStopButtonThatEndsStops(t *testing.T) {
	stopsAndHolds(t, []ending{
		{"suspended", func(_ *stops, b *stopButton) { b.Freeze() }, "has said nothing for 3s", "has said nothing for 3s",
			"silent", func(_ *stops, b *stopButton) { b.Thaw() }},
		{"killed", func(_ *stops, b *stopButton) { b.Kill() }, "is gone", "no stop button is heard", "silent",
			func(s *stops, _ *stopButton) { startButton(s.t, s.host, s.topic) }},
		{"ended", func(_ *stops, b *stopButton) { b.Signal(syscall.SIGINT) }, "is gone", "no stop button is heard", "silent",
			func(s *stops, _ *stopButton) { startButton(s.t, s.host, s.topic) }},
	})
}

// stopsAndHolds ends what the stop button says while two nodes are armed. They are disarmed, Arm is refused until the input is
// clear and a person has acknowledged, and an acknowledgement before that is refused.
func stopsAndHolds(t *testing.T, rows []ending) {
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s := newStops(t)
			s.bring("active")
			s.Rejected("arm", "no stop button is heard")
			b := s.button()
			s.Do("arm", "succeeded done armed")
			s.wantWhere(s.all("active+armed"))
			row.stop(s, b)
			s.stopped(row.why)
			s.is(row.kind)
			s.acknowledges(row.while)
			row.clear(s, b)
			s.is(map[bool]string{true: "lost", false: "clear"}[row.kind == "silent" && row.name != "suspended"])
			s.Rejected("arm", "rstate acknowledge")
			s.acknowledges("")
			s.Do("arm", "succeeded done armed")
		})
	}
}

// TestA12AnOldClearIsNone: what a publisher has latched before the daemon listens does not count, and a publisher that
// only latches is never clear.
func TestA12AnOldClearIsNone(t *testing.T) {
	host := bed.StartHost(t)
	space := "/" + bed.Unique(t, "stand")
	old := host.Advertise(bed.Topic{Kind: "std_msgs/msg/Bool", Name: space + "/estop", Latched: true})
	old.Publish(map[string]any{"data": false})
	node := host.Node(bed.NodeSpec{Name: space + "/drive", Arm: space + "/drive/arm", Threads: 2})
	d := daemon.Start(t, host, daemon.Config{Binary: binary, Name: space + "/rstate",
		Network: strings.ReplaceAll("proof: 10s\nstop: {after_gap: clear, inputs: [{topic: ~/estop, silent: 3s}]}\n"+
			"nodes:\n  ~/drive: {arm: {}}\n", "~", space)})
	host.Ready(node)
	d.Intact("unconfigured")
	d.Do("active", "succeeded done active")
	bed.Eventually(t, "the publisher is matched", func() (string, bool) { return "", old.Subscribers() > 0 })
	d.Rejected("arm", "publishes it and has said nothing since rstate listens")
	if v := d.View(); len(v.StopInputs) != 1 || v.StopInputs[0].Kind != "silent" {
		t.Errorf("the input is %+v", v.StopInputs)
	}
}

// TestA12AStopSurvivesARestart: the daemon is killed while it is stopped. Its next run knows the stop from the journal,
// and a run after the acknowledgement knows that too.
func TestA12AStopSurvivesARestart(t *testing.T) {
	s := newStops(t)
	b := s.button()
	s.bring("active")
	s.Do("arm", "succeeded done armed")
	b.press(true)
	s.stopped("says stop")
	b.press(false)
	s.restart(true)
	s.Intact("active")
	s.Alone()
	s.is("clear")
	s.Rejected("arm", "says stop", "rstate acknowledge")
	out := bed.Start(t, "acknowledge", binary, "acknowledge", "--node", s.Name, "--who", "ann")
	if code := out.Wait(t); code != 0 || !strings.Contains(out.Log(), "nothing is armed by this") {
		t.Fatalf("rstate acknowledge ends with %d: %s", code, out.Log())
	}
	s.restart(true)
	s.Intact("active")
	s.Alone()
	s.is("clear")
	s.Do("arm", "succeeded done armed")
	history := bed.Start(t, "history", binary, "history", "--node", s.Name, "--kind", "stop")
	history.Wait(t)
	if log := history.Log(); !strings.Contains(log, "ann") || !strings.Contains(log, fmt.Sprint("stopped: stop input ", s.topic)) {
		t.Errorf("the history says:\n%s", log)
	}
}
