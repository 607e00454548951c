//go:build ros

package ros

import (
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// frozen is a callback that does not return until it is thawed; later calls succeed.
func frozen() []bed.Behaviour { return []bed.Behaviour{{Result: bed.Frozen}, {}} }

// A cancel that arrives while a node is in its callback is accepted, and the nodes are rolled back.
func TestCancel(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{network: unhurried})
	for _, c := range []struct {
		during, from, command string
		node, word            string     // the node that holds the transition up, and its step
		result                bed.Result // the result of that step after the thaw
		back                  string
	}{
		{"configuring", "unconfigured", "configure", "middle", "configure", bed.Success, "unconfigured"},
		{"configuring, and it refuses", "unconfigured", "configure", "middle", "configure", bed.Failure,
			"unconfigured"},
		{"cleaningup", "inactive", "cleanup", "middle", "cleanup", bed.Success, "inactive"},
		{"activating", "inactive", "activate", "middle", "activate", bed.Success, "inactive"},
		{"activating, and it fails with an error", "inactive", "activate", "middle", "activate", bed.Fault, "inactive"},
		{"activating, on the way from unconfigured", "unconfigured", "active", "middle", "activate", bed.Success,
			"inactive"},
		{"deactivating", "active", "deactivate", "middle", "deactivate", bed.Success, "active"},
		{"deactivating, and it refuses", "active", "deactivate", "middle", "deactivate", bed.Failure, "active"},
		{"arming", "active", "arm", "rear", "arm", bed.Success, "active"},
		{"arming, on the way from inactive", "inactive", "armed", "rear", "arm", bed.Success, "active"},
		{"disarming", "armed", "disarm", "rear", "disarm", bed.Success, "armed"},
	} {
		t.Run(c.during, func(t *testing.T) {
			s := s.in(t)
			if s.origin() != c.from {
				s.bring(c.from)
			}
			// until it is thawed
			s.script(c.node, c.word, then(bed.Behaviour{Delay: bed.Deadline, Result: c.result})...)
			g := s.Goal(c.command)
			s.busy(c.node, c.word)
			label, _, _ := strings.Cut(c.during, ",")
			if c.word == "arm" || c.word == "disarm" {
				label = "active" // a lifecycle node has no state armed
			}
			if state, err := s.host.GetState(s.Name, bed.Deadline); err != nil || state != label {
				t.Errorf("meanwhile the state is %q, %v", state, err)
			}
			if !g.Cancel() {
				t.Fatal("the cancel was refused")
			}
			s.nodes[c.node].Thaw()
			r := s.End(g)
			if got, want := r.String(), "canceled canceled "+c.back; got != want {
				t.Fatalf("%s, want %s: %+v", got, want, r)
			}
			if len(r.Nodes) != len(s.parts) {
				t.Errorf("the result is incomplete: %+v", r)
			}
			where := s.all(c.back)
			if c.back == "armed" {
				where = "active active active+armed"
			}
			s.wantWhere(where)
			s.Intact(c.back)
		})
	}
}

// A goal that cannot be rolled back refuses the cancel, and runs to its end.
func TestCancelIsRefused(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{network: unhurried})
	t.Run("after the commit", func(t *testing.T) {
		s := s.in(t)
		g := s.Goal("configure")
		r := s.End(g)
		if g.Cancel() || r.String() != "succeeded done inactive" {
			t.Errorf("a goal that has ended was cancelled, or did not succeed: %+v", r)
		}
		s.Intact("inactive")
	})
	t.Run("in error processing", func(t *testing.T) {
		s := s.in(t)
		s.script("middle", "activate", bed.Behaviour{Result: bed.Failure}, bed.Behaviour{})
		s.script("front", "deactivate", frozen()...)
		g := s.Goal("activate")
		s.busy("front", "deactivate")
		s.Await("errors are being processed", func(v daemon.View) bool { return v.State.Label == "errorprocessing" })
		if g.Cancel() {
			t.Error("the cancel was accepted")
		}
		s.nodes["front"].Thaw()
		if r := s.End(g); r.String() != "aborted restored inactive" {
			t.Errorf("%+v", r)
		}
		s.wantWhere(s.all("inactive"))
	})
	t.Run("in a disarm for safety", func(t *testing.T) {
		s := s.in(t)
		s.bring("armed")
		s.script("rear", "disarm", frozen()...)
		s.tool("front", "deactivate")
		s.busy("rear", "disarm")
		g := s.Goal("disarm") // joins the disarm for safety
		if g.Cancel() {
			t.Error("the cancel was accepted")
		}
		s.nodes["rear"].Thaw()
		if r := s.End(g); !r.Success || r.State.Label != "active" {
			t.Errorf("%+v", r)
		}
		s.wantWhere("inactive active active")
		s.bring("active") // which also repairs the drift
	})
	t.Run("while shutting down", func(t *testing.T) {
		s := s.in(t)
		s.script("middle", "shutdown", frozen()...)
		g := s.Goal("shutdown")
		s.busy("middle", "shutdown")
		if g.Cancel() {
			t.Error("the cancel was accepted")
		}
		s.nodes["middle"].Thaw()
		if r := s.End(g); r.String() != "succeeded done finalized" {
			t.Errorf("%+v", r)
		}
		s.wantWhere(s.all("finalized"))
		if code := s.Process.Wait(t); code != 0 {
			t.Errorf("the daemon ended with %d", code)
		}
	})
}
