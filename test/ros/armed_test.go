//go:build ros

package ros

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// policies is a network with a node of each policy, and one that is armed while the others are in
// their state. The long proof keeps a busy machine from disarming it.
const policies = `proof: 10s
nodes:
  ~/reports: {}
  ~/restores: {on_drift: restore, on_loss: restore}
  ~/errs: {on_drift: error, on_loss: error}
  ~/mover: {arm: {}}
`

// aftermath is what follows a fault in an armed network.
type aftermath struct {
	passed string // the states published since, in order
	rests  string // the state in which the network settles
	where  string // the states of its nodes then
	intact bool
}

// strike arms the network and causes a fault. The network must disarm once, and then follow the
// policy.
func (s *stand) strike(blow func(), want aftermath) {
	s.t.Helper()
	s.bring("active")
	s.Do("arm", "succeeded done armed")
	s.Settled("armed")
	before, calls := len(s.Passed()), s.nodes["mover"].Truth().Count("arm")
	stalls := func() int { return strings.Count(s.Process.Log(), `"kind":"stall"`) }
	stalled := stalls()
	blow()
	s.Await("it rests again", func(v daemon.View) bool {
		return len(s.Passed()) > before && v.Settled && v.State.Label == want.rests && v.Intact == want.intact
	})
	s.awaitWhere(want.where)
	// If the machine did not let the daemon run meanwhile, other states come first.
	if got := strings.Join(s.Passed()[before:], " "); got != want.passed && stalls() == stalled {
		s.t.Errorf("published %q, want %q", got, want.passed)
	}
	truth := s.nodes["mover"].Truth()
	if words := truth.Words(); !slices.Contains(words, "disarm") || truth.Count("arm") != calls {
		s.t.Errorf("the mover was asked for %v; want a disarm and no further arm", words)
	}
}

// TestA2DriftDisarms: a transition of any required node by another tool disarms at once and in one
// way, whatever the node's policy; the policy decides what follows.
func TestA2DriftDisarms(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{network: policies})
	for name, want := range map[string]aftermath{
		"reports":  {"disarming active", "active", "inactive active active active", false},
		"restores": {"disarming active", "active", s.all("active"), true},
		"errs":     {"disarming active errorprocessing active", "active", s.all("active"), true},
	} {
		t.Run(name, func(t *testing.T) {
			s := s.in(t)
			s.strike(func() { s.tool(name, "deactivate") }, want)
			if !want.intact {
				s.Rejected("arm", "not intact", s.full(name))
			}
		})
	}
}

// TestA2DeathDisarms: the death of a node's process disarms in the same way, when it is detected.
func TestA2DeathDisarms(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]aftermath{
		"reports":  {"disarming active", "active", "- active active active", false},
		"restores": {"disarming active", "active", "active - active active", false},
		"errs":     {"disarming active errorprocessing unconfigured", "unconfigured", "unconfigured unconfigured - unconfigured", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStand(t, setup{network: policies, away: []string{name}, ready: "-"})
			apart := bed.NewHost(t, bed.ShortLease(t)...)
			s.appear(apart, name, bed.NodeSpec{})
			s.Intact("unconfigured")
			s.strike(func() {
				apart.Process().Kill()
				delete(s.nodes, name)
			}, want)
			s.back(name)
			switch name {
			case "reports":
				s.Await("the node is back", func(v daemon.View) bool { return daemon.HasAll(v.Deviation(s.full(name)), "unconfigured") })
			case "restores": // no command is needed
				s.awaitWhere(s.all("active"))
			case "errs":
				s.Intact("unconfigured")
			}
			s.bring("active")
			s.wantWhere(s.all("active"))
		})
	}
}

// TestA2SlowTopicDisarms: a topic that is too slow disarms, and must be fast enough before the
// network is armed again.
func TestA2SlowTopicDisarms(t *testing.T) {
	r := newRig(t, "", bed.NodeSpec{Threads: 2})
	r.do("armed", "armed")
	r.driver.Pace(4)
	r.disarmed()
	r.await("active")
	if said := r.refused("arm"); !strings.Contains(said, "/joints comes at") {
		t.Errorf("the message does not name the topic: %s", said)
	}
	r.driver.Pace(50)
	r.do("arm", "armed")
}

// TestA3NodeThatRefusesToDisarm: after a disarm for safety that the node refuses, the node may be
// armed and is named, and arm is refused. The node is then lowered: deactivated and, since that
// does not confirm the disarm either, shut down.
func TestA3NodeThatRefusesToDisarm(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{network: "proof: 10s\nnodes:\n  ~/front: {}\n  ~/mover: {arm: {}, deadline: {disarm: 3s}}\n"})
	s.bring("active")
	s.Do("arm", "succeeded done armed")
	s.script("mover", "disarm", bed.Behaviour{Result: bed.Failure})
	s.tool("front", "deactivate")
	s.Await("the mover may be armed", func(v daemon.View) bool {
		return v.Settled && v.State.Label == "active" && !v.Intact && slices.Equal(v.MayBeArmed, []string{s.full("mover")})
	})
	s.Rejected("arm", s.full("mover"))
	s.awaitWhere("inactive finalized+armed")
	words := s.nodes["mover"].Truth().Words()
	if down := slices.DeleteFunc(words, func(w string) bool { return w != "deactivate" && w != "shutdown" }); !slices.Equal(down, []string{"deactivate", "shutdown"}) {
		t.Errorf("the node was lowered by %v", down)
	}
	s.Rejected("arm", s.full("mover"))
}

// TestA9AnActionTooEarly: an action that moves something is advertised before the network is
// armed. Arm is refused until the action has left the graph. It may appear again while the network
// is armed, and a disarm completes only after it has left again.
func TestA9AnActionTooEarly(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{
		network: "proof: 10s\nnodes:\n  ~/mover: {arm: {}, unsafe: [~/mover/move], deadline: {disarm: 30s}}\n",
		config:  daemon.Config{Level: "debug"}, // while armed, only the debug log shows that the daemon has seen the action
	})
	action := s.full("mover") + "/move"
	serve := func() *bed.Process {
		return bed.Start(t, "action server", "python3", filepath.Join("testdata", "action.py"), action)
	}
	exposed := func(v daemon.View) bool {
		return daemon.HasAll(v.Deviation(s.full("mover")), "advertises", action)
	}
	s.bring("active")
	early := serve()
	s.Await("it is seen", func(v daemon.View) bool { return !v.Intact && exposed(v) })
	s.Rejected("arm", "not intact", action)
	early.Signal(syscall.SIGTERM)
	s.Intact("active")
	s.Do("arm", "succeeded done armed")
	if words := s.nodes["mover"].Truth().Words(); words[len(words)-1] != "arm" {
		t.Errorf("the mover was asked for %v", words)
	}
	inTime := serve()
	bed.Eventually(t, "the action is seen again", func() (string, bool) {
		return s.Process.Log(), strings.Count(s.Process.Log(), "offers "+action) == 2
	})
	s.Intact("armed")
	g := s.Goal("disarm")
	s.awaitWhere("active")
	s.Await("the disarm still runs", func(v daemon.View) bool { return v.State.Label == "disarming" && len(v.MayBeArmed) == 0 })
	inTime.Signal(syscall.SIGTERM)
	if r := s.End(g); r.String() != "succeeded done active" {
		t.Errorf("%v: %+v", r, r)
	}
	s.Intact("active")
}

// TestA1WrongAuthority: a wrong secret counts as none, and no node is asked to arm.
func TestA1WrongAuthority(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("open sesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newStand(t, setup{network: "proof: 10s\narming: {secret_file: " + secret + "}\nnodes:\n  ~/mover: {arm: {}}\n"})
	s.bring("active")
	goal := func(authority string) *bed.Goal {
		return s.host.SendGoal("rstate_msgs/action/Transition", s.Name+"/transition", map[string]any{"command": "arm", "authority": authority})
	}
	for _, wrong := range []string{"", "open barley", "open sesame and more", "open"} {
		if goal(wrong).Accepted {
			t.Errorf("arm was accepted with the authority %q", wrong)
		}
	}
	s.Await("the refusal names the authority", func(v daemon.View) bool { return strings.Contains(v.Refusal, "authority") })
	if n := s.nodes["mover"].Truth().Count("arm"); n != 0 {
		t.Errorf("the mover was asked to arm %d times", n)
	}
	if r := s.End(goal("open sesame")); r.String() != "succeeded done armed" {
		t.Errorf("%v: %+v", r, r)
	}
	if said := s.Process.Log(); strings.Contains(said, "sesame") || strings.Contains(said, "barley") {
		t.Error("the authority of a goal is in the log")
	}
}

// TestA1AllThatStandsAgainstIt: the refusal lists all obstacles: several failed checks, one that
// does not answer, and a node that is not active.
func TestA1AllThatStandsAgainstIt(t *testing.T) {
	t.Parallel()
	network := `proof: 10s
nodes:
  ~/lidar: {checks: [{topic: ~/lidar/scan, rate: 50Hz}, {service: ~/lidar/self_test}]}
  ~/mover: {arm: {}, checks: [{topic: ~/mover/joints, rate: 50Hz}, {topic: ~/mover/none, rate: 1Hz}]}
  ~/rear: {checks: [{service: ~/rear/self_test}, {service: ~/rear/none}]}
`
	s := newStand(t, setup{network: network, away: []string{"lidar", "mover", "rear"}, ready: "-"})
	rear := s.appear(s.host, "rear", bed.NodeSpec{Check: s.full("rear") + "/self_test", Threads: 4, Script: map[string][]bed.Behaviour{"check": {{Result: bed.Frozen}}}})
	t.Cleanup(rear.Thaw)
	s.appear(s.host, "lidar", bed.NodeSpec{Topic: s.full("lidar") + "/scan", Rate: 10, Check: s.full("lidar") + "/self_test",
		Script: map[string][]bed.Behaviour{"check": {{Result: bed.Failure}}}})
	s.appear(s.host, "mover", bed.NodeSpec{Topic: s.full("mover") + "/joints", Rate: 10})
	s.Intact("unconfigured")
	s.bring("active")
	topics := []string{"/lidar/scan comes at", "/mover/joints comes at", "/mover/none has no publisher"}
	r := s.Do("arm", "aborted restored active")
	if !daemon.HasAll(r.Message, append(topics, "/lidar/self_test answered no: refused by the test's script", "/rear/self_test did not answer in 2s", "/rear/none has no server")...) {
		t.Errorf("the message is incomplete: %s", r.Message)
	}
	s.tool("rear", "deactivate")
	s.Await("it is seen", func(v daemon.View) bool { return !v.Intact })
	s.Rejected("arm", append(topics, "/rear is inactive, not active")...)
	if n := s.nodes["mover"].Truth().Count("arm"); n != 0 {
		t.Errorf("the mover was asked to arm %d times", n)
	}
}
