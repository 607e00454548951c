//go:build ros

package ros

import (
	"os/exec"
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// The processes of these nodes stay in the graph for ten minutes after their end, so an earlier
// detection comes from the kernel (S4).

func (s *stand) ended(name string) {
	s.t.Helper()
	s.Await(name+" is lost", func(v daemon.View) bool {
		return daemon.HasAll(v.Deviation(s.full(name)), "lost", "its process has ended")
	})
}

// TestS4EndOfAProcess: a killed process is lost although the middleware still shows it, its
// respawned node is managed at once, and a suspended process is not lost.
func TestS4EndOfAProcess(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{network: "nodes:\n  ~/front: {}\n  ~/other: {on_loss: restore}\n",
		away: []string{"front", "other"}, ready: "-"})
	first, other := bed.NewHost(t, bed.LongLease(t)...), bed.NewHost(t, bed.LongLease(t)...)
	s.appear(first, "front", bed.NodeSpec{})
	s.appear(other, "other", bed.NodeSpec{})
	s.Intact("unconfigured")
	s.bring("active")

	other.Process().Freeze()
	first.Process().Kill()
	s.ended("front")
	if why := s.View().Deviation(s.full("other")); strings.Contains(why, "ended") {
		t.Errorf("a suspended process counts as ended: %s", why)
	}
	other.Process().Thaw()

	s.back("front")
	s.Await("it counts once", func(v daemon.View) bool {
		return strings.Contains(v.Deviation(s.full("front")), "unconfigured")
	})
	s.Do("active", "succeeded done active")
	s.Intact("active")

	other.Process().Kill()
	s.ended("other")
	s.back("other")
	s.Intact("active") // on_loss: restore
}

// TestS4CrashInACallback: a node that crashes while it is raised fails the command at once. The
// other nodes are rolled back and keep running, and so does the daemon.
func TestS4CrashInACallback(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ from, command, ended, where string }{
		{"unconfigured", "configure", "aborted restored unconfigured", "unconfigured - unconfigured"},
		{"inactive", "activate", "aborted unconfigured unconfigured", "unconfigured - unconfigured"},
	} {
		t.Run(c.command, func(t *testing.T) {
			s := newStand(t, setup{network: "defaults: {deadline: {configure: 600s, activate: 600s}}\n" +
				strings.TrimPrefix(trio, "proof: 10s\n"), away: []string{"middle"}, ready: "-"})
			victim := bed.NewHost(t, bed.LongLease(t)...)
			s.appear(victim, "middle", bed.NodeSpec{Threads: 1})
			s.Intact("unconfigured")
			s.bring(c.from)
			s.script("middle", c.command, frozen()...)
			g := s.Goal(c.command)
			s.busy("middle", c.command)
			victim.Process().Kill()
			delete(s.nodes, "middle")
			r := s.End(g) // the lease of the process and the deadline of the step are longer than a test waits
			if got := r.String(); got != c.ended {
				t.Errorf("the goal ended %s, want %s: %s", got, c.ended, r.Message)
			}
			if n := r.Node(s.full("middle")); !strings.Contains(n.Evidence, "its process has ended") {
				t.Errorf("%+v", n)
			}
			s.wantWhere(c.where)
			s.Settled("unconfigured")
		})
	}
}

// TestS4ArmedNodeThatEnds: a node of an armed network ends, a lifecycle node or a plain one. The
// others are disarmed, and the history names the cause.
func TestS4ArmedNodeThatEnds(t *testing.T) {
	t.Parallel()
	for kind, front := range map[string]string{"lifecycle": "{}", "plain": "{lifecycle: false}"} {
		t.Run(kind, func(t *testing.T) {
			s := newStand(t, setup{network: "proof: 10s\nnodes:\n  ~/front: " + front + "\n  ~/rear: {arm: {}}\n",
				away: []string{"front"}, ready: "-"})
			victim := bed.NewHost(t, bed.LongLease(t)...)
			s.appear(victim, "front", bed.NodeSpec{})
			s.Intact("unconfigured")
			s.bring("armed")
			victim.Process().Kill()
			v := s.Settled("active")
			if !strings.Contains(v.Cause, "its process has ended") {
				t.Errorf("the cause is %q", v.Cause)
			}
			why, err := exec.Command(binary, "why", "--dir", s.Journal()).CombinedOutput()
			if err != nil || !strings.Contains(string(why), "its process has ended") {
				t.Errorf("%v: %s", err, why)
			}
		})
	}
}
