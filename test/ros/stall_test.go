//go:build ros && !patient

package ros

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/test/bed"
)

// freeze suspends the daemon for longer than its loop may stall, and returns when the daemon
// answers no request.
func (r *rig) freeze() {
	r.t.Helper()
	r.daemon.Freeze()
	r.t.Cleanup(r.daemon.Thaw)
	bed.Eventually(r.t, "the daemon does not answer", func() (string, bool) {
		_, err := r.host.GetState(r.name, 700*time.Millisecond)
		return fmt.Sprint(err), err != nil
	})
}

// TestA8GoalsSentDuringAStallRaiseNothing: the daemon rejects raising goals that its socket received while it was
// stopped.
func TestA8GoalsSentDuringAStallRaiseNothing(t *testing.T) {
	r := newRig(t, "", bed.NodeSpec{Threads: 2})
	r.do("inactive", "inactive")
	r.freeze()
	goals := r.host.PostGoals("rstate_msgs/action/Transition", r.name+"/transition",
		map[string]any{"command": "activate", "reason": "sent during the stall"},
		map[string]any{"command": "arm", "reason": "sent during the stall"},
		map[string]any{"command": "armed", "reason": "sent during the stall"})
	time.Sleep(time.Second) // the goals must be in the socket before the daemon continues
	r.daemon.Thaw()
	for i, g := range goals {
		if g.Answered() {
			t.Errorf("goal %d of a stall was accepted", i+1)
		}
	}
	r.await("inactive")
	for _, n := range []*bed.Node{r.driver, r.lidar} {
		if truth := n.Truth(); truth.Armed || slices.Contains(truth.Words(), "arm") ||
			slices.Contains(truth.Words(), "activate") || truth.State != "inactive" {
			t.Errorf("%s is %+v", n.Name, truth)
		}
	}
	bed.Eventually(t, "a goal that is sent after the stall is taken",
		func() (string, bool) { return "", r.goal("activate").Accepted })
}

// TestA8DisarmSentDuringAStallIsTaken: a disarm that the socket received while the daemon was stopped is taken.
func TestA8DisarmSentDuringAStallIsTaken(t *testing.T) {
	r := newRig(t, "", bed.NodeSpec{Threads: 2})
	r.do("armed", "armed")
	r.freeze()
	goals := r.host.PostGoals("rstate_msgs/action/Transition", r.name+"/transition",
		map[string]any{"command": "disarm"})
	time.Sleep(time.Second) // the goal must be in the socket before the daemon continues
	r.daemon.Thaw()
	if !goals[0].Answered() {
		t.Error("the disarm was rejected")
	}
	r.disarmed()
	r.await("active")
}

// TestA8WhyNamesTheStall: after a stall while armed, rstate why names the stall as the cause of the
// disarm, and not an end of rstate.
func TestA8WhyNamesTheStall(t *testing.T) {
	r := newRig(t, "", bed.NodeSpec{Threads: 2})
	r.do("armed", "armed")
	r.freeze()
	r.daemon.Thaw()
	r.disarmed()
	r.await("active")
	why := bed.Start(t, "why", binary, "why", "--node", r.name)
	if code := why.Wait(t); code != 0 {
		t.Fatalf("rstate why ended with %d: %s", code, why.Log())
	}
	for _, want := range []string{"The network is active, not armed, since ", "the process did not run for ",
		"disarmed those that may have been armed: " + r.driver.Name} {
		if !strings.Contains(why.Log(), want) {
			t.Errorf("rstate why does not say %q:\n%s", want, why.Log())
		}
	}
	if strings.Contains(why.Log(), "ended without a word") {
		t.Errorf("rstate why takes the stall for an end:\n%s", why.Log())
	}
}

// TestA8AClientSendsAgainWhatAStallRejected: so do the clients of these tests, as the rejection says.
func TestA8AClientSendsAgainWhatAStallRejected(t *testing.T) {
	s := newStand(t, setup{})
	s.Do("configure", "succeeded done inactive") // its client is matched then
	s.Process.Freeze()
	t.Cleanup(s.Process.Thaw)
	bed.Eventually(t, "the daemon does not answer", func() (string, bool) {
		_, err := s.host.GetState(s.space+"/rstate", 700*time.Millisecond)
		return fmt.Sprint(err), err != nil
	})
	g := s.Post("activate")
	time.Sleep(time.Second) // the goal must be in the socket before the daemon continues
	s.Process.Thaw()
	if g.Answered() {
		t.Fatal("a goal of a stall was accepted")
	}
	if got := s.End(g).String(); got != "succeeded done active" {
		t.Errorf("sent again, it ended %s", got)
	}
}

// TestA8AClientSendsAgainWhatAStallAborted: and so they do with a goal that was open during a stall. The network may
// have nothing that can be armed.
func TestA8AClientSendsAgainWhatAStallAborted(t *testing.T) {
	for name, network := range map[string]string{"armable": trio, "not armable": "nodes:\n  ~/front: {}\n"} {
		t.Run(name, func(t *testing.T) {
			s := newStand(t, setup{network: network,
				scripts: map[string]map[string][]bed.Behaviour{"front": {"configure": frozen()}}})
			g := s.Goal("configure")
			s.busy("front", "configure")
			s.Process.Freeze()
			t.Cleanup(s.Process.Thaw)
			bed.Eventually(t, "the daemon does not answer", func() (string, bool) {
				_, err := s.host.GetState(s.space+"/rstate", 700*time.Millisecond)
				return fmt.Sprint(err), err != nil
			})
			s.Process.Thaw()
			g.Result(nil)
			s.nodes["front"].Thaw()
			if got := s.End(g).String(); got != "succeeded done inactive" {
				t.Errorf("sent again, it ended %s", got)
			}
			s.wantWhere(s.all("inactive"))
		})
	}
}
