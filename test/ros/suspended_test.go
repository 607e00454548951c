//go:build ros && !patient

package ros

import (
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/asker"
	"rstate/test/bed/daemon"
)

// TestA1AnArmThatLeavesLate: clients in three languages are suspended after they have written an arm, and before it
// leaves. Meanwhile the network is disarmed by a person, by a check, or by the end of a node's process, which starts
// again. The clients continue, and their arms are rejected, with a seen and without.
func TestA1AnArmThatLeavesLate(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{network: `proof: 10s
nodes:
  ~/front: {checks: [{service: ~/front/check}]}
  ~/extra: {}
  ~/rear: {arm: {}}
`, away: []string{"front", "extra"}, ready: "-"})
	front := s.appear(s.host, "front", bed.NodeSpec{Check: s.full("front") + "/check"})
	var extra *bed.Host
	start := func() {
		t.Helper()
		extra = bed.NewHost(t, bed.ShortLease(t)...)
		s.appear(extra, "extra", bed.NodeSpec{})
	}
	start()
	s.Intact("unconfigured")
	s.bring("active")
	clients := asker.StartAll(t, s.Name, bed.Command{Env: asker.Stopping(t)})
	arms, stops := 0, 0
	armed := func() {
		t.Helper()
		arms++
		s.Do("arm", "succeeded done armed")
	}
	disarmed := func(cause string) {
		t.Helper()
		s.Await("it disarms because of "+cause, func(v daemon.View) bool {
			return v.State.Label == "active" && v.Settled && strings.Contains(v.Cause, cause)
		})
	}
	for _, story := range []struct {
		name, why string
		meanwhile func()
	}{
		{"a person disarms", "disarm was asked for by", func() { s.Do("disarm", "succeeded already active") }},
		{"a check fails", s.full("front"), func() {
			armed()
			front.Script("check", bed.Behaviour{Result: bed.Failure})
			disarmed(s.full("front"))
			front.Script("check", bed.Behaviour{})
		}},
		{"a node is killed, and the network repaired", "active was asked for by", func() {
			armed()
			extra.Process().Kill()
			disarmed(s.full("extra"))
			start()
			s.Do("active", "succeeded done active")
		}},
	} {
		for _, seen := range []string{s.View().Seen, "-"} {
			stops++
			t.Logf("%s, seen %q", story.name, seen)
			for _, c := range clients {
				c.Send("arm", seen, asker.Word(stops))
				c.Stopped()
			}
			story.meanwhile()
			for _, c := range clients {
				c.Thaw()
				if c.Accepted() {
					t.Fatalf("the arm of the client in %s was accepted: %+v", c.Language, s.View())
				}
			}
			why := []string{story.why, "has come since you looked: "}
			if seen == "-" {
				why[1] = "was sent before the newest disarm, stop or other change"
			}
			s.Await("it says why", func(v daemon.View) bool { return daemon.HasAll(v.Refusal, why...) })
			if truth := s.nodes["rear"].Truth(); truth.Armed || truth.Count("arm") != arms {
				t.Fatalf("the node is armed: %v, and was asked %d times, want %d", truth.Armed, truth.Count("arm"), arms)
			}
		}
	}
}
