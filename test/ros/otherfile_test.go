//go:build ros

package ros

import (
	"slices"
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// S2: a daemon is killed while armed and started again with a network file that lacks one of the
// armed nodes. The next daemon names that node, disarms it by the call in the journal, and refuses
// Arm until the node confirms.
func TestS2RestartWithAFileThatLacksAnArmedNode(t *testing.T) {
	t.Parallel()
	const both = "proof: 10s\nnodes:\n  ~/middle: {arm: {}}\n  ~/rear: {arm: {dead_man: none}}\n"
	s := newStand(t, setup{network: both, config: daemon.Config{Env: bed.ShortLease(t)}})
	s.bring("armed")
	s.wantWhere("active+armed active+armed")
	s.script("rear", "disarm", bed.Behaviour{Result: bed.Failure})
	s.Rewrite(strings.ReplaceAll("proof: 10s\nnodes:\n  ~/middle: {arm: {}}\n", "~", s.space))
	s.restart(true)
	rear := s.full("rear")
	v := s.Await("the state names the node that is left armed", func(v daemon.View) bool {
		return v.State.Label == "active" && v.Settled && slices.Contains(v.MayBeArmed, rear) && !slices.Contains(v.MayBeArmed, s.full("middle"))
	})
	if !strings.Contains(strings.Join(v.Warnings, "\n"), rear+" may be armed") || slices.Contains(v.Legal, "arm") {
		t.Errorf("the warnings are %q, and %q is legal", v.Warnings, v.Legal)
	}
	s.Alone() // a goal may go to the killed daemon until then
	s.Rejected("arm", "not known to be disarmed", rear)
	s.script("rear", "disarm", bed.Behaviour{})
	s.Await("the node has confirmed", func(v daemon.View) bool { return len(v.MayBeArmed) == 0 && slices.Contains(v.Legal, "arm") })
	s.wantWhere("active active")
	s.Do("arm", "succeeded done armed")
	s.wantWhere("active+armed active")
}
