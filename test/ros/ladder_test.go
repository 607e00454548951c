//go:build ros

package ros

import (
	"slices"
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// A failed activate, and each level of recovery: the rear node refuses, and the middle one prevents
// the gentler levels.
func TestTheLadder(t *testing.T) {
	t.Parallel()
	refuses, errs := bed.Behaviour{Result: bed.Failure}, bed.Behaviour{Result: bed.Fault}
	for _, c := range []struct {
		rung     string
		keys     string
		middle   map[string][]bed.Behaviour
		ended    string
		says     []string // parts of the message
		passed   string   // the states published since the goal
		where    string
		deviates string // of the middle node, if the daemon goes on
		repair   string // the command that repairs it, once the nodes obey
	}{
		{
			rung: "the state before", ended: "aborted restored inactive",
			says:   []string{"/rear answered no to activate", "inactive again"},
			passed: "activating errorprocessing inactive", where: "inactive inactive inactive",
		},
		{
			rung: "unconfigured", middle: map[string][]bed.Behaviour{"deactivate": then(refuses)},
			ended:  "aborted unconfigured unconfigured",
			says:   []string{"/rear answered no to activate", "taken to unconfigured"},
			passed: "activating errorprocessing unconfigured",
			where:  "unconfigured unconfigured unconfigured",
		},
		{
			rung: "last resort, shutdown", middle: map[string][]bed.Behaviour{"deactivate": {refuses}},
			ended:  "aborted finalized finalized",
			says:   []string{"/rear answered no to activate", "shut down"},
			passed: "activating errorprocessing shuttingdown finalized",
			where:  "finalized finalized finalized",
		},
		{
			rung:   "last resort, shutdown, of a node that its error finalizes",
			middle: map[string][]bed.Behaviour{"activate": {errs}, "error": {refuses}},
			ended:  "aborted finalized finalized", says: []string{"/middle activate erred", "shut down"},
			passed: "activating errorprocessing shuttingdown finalized", where: "finalized finalized finalized",
		},
		{
			rung: "last resort, hold", keys: "last_resort: hold\n",
			middle: map[string][]bed.Behaviour{"deactivate": {refuses}},
			ended:  "aborted held inactive", says: []string{"/rear answered no to activate", "held"},
			passed: "activating errorprocessing inactive", where: "unconfigured active unconfigured",
			deviates: "active", repair: "configure",
		},
	} {
		t.Run(c.rung, func(t *testing.T) {
			s := newStand(t, setup{
				network: c.keys + trio,
				scripts: map[string]map[string][]bed.Behaviour{"middle": c.middle, "rear": {"activate": then(refuses)}},
			})
			s.Do("configure", "succeeded done inactive")
			s.Settled("inactive") // published before the goal ended, but received over another topic
			before := len(s.Passed())
			r := s.Do("activate", c.ended)
			if !daemon.HasAll(r.Message, c.says...) {
				t.Errorf("the message is %q, without %q", r.Message, c.says)
			}
			s.Settled(r.State.Label)
			s.wantWhere(c.where)
			if got := strings.Join(s.Passed()[before:], " "); got != c.passed {
				t.Errorf("published %s, want %s", got, c.passed)
			}
			if r.State.Label == "finalized" {
				if code := s.Process.Wait(t); code != 5 { // F5: never 0 after a failed transition
					t.Errorf("the daemon ended with %d, want 5", code)
				}
				return
			}
			if c.deviates == "" {
				s.Intact(r.State.Label)
				return
			}
			s.Await("the state names the node that deviates", func(v daemon.View) bool {
				return !v.Intact && strings.Contains(v.Deviation(s.full("middle")), c.deviates)
			})
			s.Rejected("activate", "not intact", s.full("middle"))
			s.honest()
			s.Do(c.repair, "succeeded done inactive")
			s.Intact("inactive")
			s.wantWhere(s.all("inactive"))
		})
	}
}

// Recovery waits for a call that is late; a late success counts as the state of the node.
func TestALateNode(t *testing.T) {
	t.Parallel()
	const network = `nodes:
  ~/front: {}
  ~/hangs: {after: [~/front], deadline: {activate: 3s, recover: 3s}}
  ~/late: {after: [~/hangs], deadline: {configure: 3s, recover: 30s}}
  ~/spare: {optional: true, deadline: {activate: 3s}}
`
	s := newStand(t, setup{network: "last_resort: hold\n" + network})
	t.Run("is waited for, and rolled back", func(t *testing.T) {
		s := s.in(t)
		s.script("late", "configure", frozen()...)
		g := s.Goal("configure")
		s.Await("the deadline has passed", func(v daemon.View) bool { return v.State.Label == "errorprocessing" })
		s.nodes["late"].Thaw()
		r := s.End(g)
		if r.String() != "aborted restored unconfigured" {
			t.Errorf("%+v", r)
		}
		s.wantNodes(r, map[string]string{"late": "configure late, no answer to configure in"})
		s.wantWhere(s.all("unconfigured"))
		if got := s.nodes["late"].Truth().Words(); !slices.Equal(got, []string{"configure", "cleanup"}) {
			t.Errorf("the node was asked to %v", got)
		}
		s.Intact("unconfigured")
	})
	t.Run("is optional: its late success counts", func(t *testing.T) {
		s := s.in(t)
		s.bring("inactive")
		s.script("spare", "activate", frozen()...)
		r := s.Do("activate", "succeeded done active")
		s.wantNodes(r, map[string]string{"spare": "activate late, no answer to activate"})
		s.nodes["spare"].Thaw()
		s.awaitWhere(s.all("active"))
		s.Await("the daemon sees the node active", func(v daemon.View) bool {
			i := slices.IndexFunc(v.Nodes, func(n daemon.NodeView) bool { return n.Name == s.full("spare") })
			return v.Nodes[i].State.Label == "active" && v.Nodes[i].Cause == ""
		})
		s.bring("inactive")
	})
	t.Run("hangs for good", func(t *testing.T) {
		s := s.in(t)
		s.script("hangs", "activate", frozen()...)
		r := s.Do("activate", "aborted unconfigured unconfigured")
		s.wantNodes(r, map[string]string{"hangs": "activate late, no answer to activate"})
		s.wantWhere("unconfigured activating unconfigured unconfigured")
		s.nodes["hangs"].Thaw()
		s.awaitWhere("unconfigured active unconfigured unconfigured")
		s.Await("the daemon sees the late success", func(v daemon.View) bool {
			return strings.Contains(v.Deviation(s.full("hangs")), "active")
		})
		s.Do("unconfigured", "succeeded done unconfigured")
		s.Do("configure", "succeeded done inactive")
		s.Intact("inactive")
		s.wantWhere(s.all("inactive"))
	})
}
