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

// policies are nodes of each policy, and one that is armed while they are as they should be. That the machine is busy is no
// reason to disarm it.
const policies = `proof: 10s
nodes:
  ~/reports: {}
  ~/restores: {on_drift: restore, on_loss: restore}
  ~/errs: {on_drift: error, on_loss: error}
  ~/mover: {arm: {}}
`

// aftermath is what comes of a blow to an armed network.
type aftermath struct {
	passed string // what was published since, in order
	rests  string // where the network comes to rest
	where  string // and its nodes
	intact bool
}

// strike arms the network, does something to it, and wants that it is disarmed, once, and then as the policy says.
func (s *stand) strike(blow func(), want aftermath) {
	s.t.Helper()
	s.bring("active")
	s.Do("arm", "succeeded done armed")
	s.Settled("armed")
	before, calls := len(s.Passed()), s.nodes["mover"].Truth().Count("arm")
	blow()
	s.Await("it rests again", func(v daemon.View) bool {
		return len(s.Passed()) > before && v.Settled && v.State.Label == want.rests && v.Intact == want.intact
	})
	s.awaitWhere(want.where)
	if got := strings.Join(s.Passed()[before:], " "); got != want.passed {
		s.t.Errorf("published %q, want %q", got, want.passed)
	}
	truth := s.nodes["mover"].Truth()
	if words := truth.Words(); !slices.Contains(words, "disarm") || truth.Count("arm") != calls {
		s.t.Errorf("the mover was asked for %v; it was to be disarmed and never armed again", words)
	}
}

// TestA2DriftDisarms: what another tool does to any required node disarms at once and one way, whatever its policy, and
// the policy says what follows.
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

// TestA2DeathDisarms: so does the death of a node's process, when it is missed.
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
			s.Settled("unconfigured")
			s.strike(func() {
				apart.Process().Kill()
				delete(s.nodes, name)
			}, want)
			s.back(name)
			switch name {
			case "reports":
				s.Await("it is back", func(v daemon.View) bool { return daemon.HasAll(v.Deviation(s.full(name)), "unconfigured") })
			case "restores": // nobody has to ask for it
				s.awaitWhere(s.all("active"))
			case "errs":
				s.Intact("unconfigured")
			}
			s.bring("active")
			s.wantWhere(s.all("active"))
		})
	}
}

// TestA2SlowTopicDisarms: a topic need not be silent; and what was too slow has to be as it should before it is armed again.
func TestA2SlowTopicDisarms(t *testing.T) {
	r := newRig(t, "proof: 10s", bed.NodeSpec{Threads: 2})
	r.do("armed", "armed")
	r.driver.Pace(4)
	r.disarmed()
	r.await("active")
	if said := r.refused("arm"); !strings.Contains(said, "/joints comes at") {
		t.Errorf("nothing was said of the topic: %s", said)
	}
	r.driver.Pace(50)
	r.do("arm", "armed")
}

// TestA3NodeThatRefusesToDisarm: after a disarming for safety it may be armed, is named, lets nothing be armed, and is taken
// down: deactivated, and as that is no confirmation either, shut down.
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
		t.Errorf("it was taken down by %v", down)
	}
	s.Rejected("arm", s.full("mover"))
}

// TestA9AnActionTooEarly: an action that moves something is advertised before the network is armed. Arm is refused until it
// has gone. Armed it may come back, and a disarm is not over before it has gone again.
func TestA9AnActionTooEarly(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{
		network: "proof: 10s\nnodes:\n  ~/mover: {arm: {}, unsafe: [~/mover/move], deadline: {disarm: 30s}}\n",
		config:  daemon.Config{Level: "debug"}, // while armed nothing else tells that it has seen what it may see then
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
		t.Errorf("it was asked for %v", words)
	}
	inTime := serve()
	bed.Eventually(t, "the action is seen again", func() (string, bool) {
		return s.Process.Log(), strings.Count(s.Process.Log(), "offers "+action) == 2
	})
	s.Intact("armed")
	g := s.Goal("disarm")
	s.awaitWhere("active")
	s.Await("it still disarms", func(v daemon.View) bool { return v.State.Label == "disarming" && len(v.MayBeArmed) == 0 })
	inTime.Signal(syscall.SIGTERM)
	if r := s.End(g); r.String() != "succeeded done active" {
		t.Errorf("%v: %+v", r, r)
	}
	s.Intact("active")
}

// TestA1WrongAuthority: what is not the secret is as good as nothing, and neither is asked of a node.
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
			t.Errorf("arm was taken with the authority %q", wrong)
		}
	}
	s.Await("it says why", func(v daemon.View) bool { return strings.Contains(v.Refusal, "authority") })
	if n := s.nodes["mover"].Truth().Count("arm"); n != 0 {
		t.Errorf("it was asked to arm %d times", n)
	}
	if r := s.End(goal("open sesame")); r.String() != "succeeded done armed" {
		t.Errorf("%v: %+v", r, r)
	}
	if said := s.Process.Log(); strings.Contains(said, "sesame") || strings.Contains(said, "barley") {
		t.Error("what was brought is in the log")
	}
}

// TestA1AllThatStandsAgainstIt: several checks that do not pass, one that does not answer, and a node that is not active, are
// told together.
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
	s.Settled("unconfigured")
	s.bring("active")
	topics := []string{"/lidar/scan comes at", "/mover/joints comes at", "/mover/none is published by nobody"}
	r := s.Do("arm", "aborted restored active")
	if !daemon.HasAll(r.Message, append(topics, "/lidar/self_test answered no: refused by the test's script", "/rear/self_test did not answer in 2s", "/rear/none is offered by nobody")...) {
		t.Errorf("not all is told: %s", r.Message)
	}
	s.tool("rear", "deactivate")
	s.Await("it is seen", func(v daemon.View) bool { return !v.Intact })
	s.Rejected("arm", append(topics, "/rear is inactive, not active")...)
	if n := s.nodes["mover"].Truth().Count("arm"); n != 0 {
		t.Errorf("it was asked to arm %d times", n)
	}
}
