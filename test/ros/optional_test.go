//go:build ros

package ros

import (
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// An optional node may be missing or may fail while the network is raised. While it is present, it
// counts when the network is lowered.
func TestOptionalNodes(t *testing.T) {
	t.Parallel()
	const network = `nodes:
  ~/base: {}
  ~/joins: {optional: true, after: [~/base]}
  ~/leaves: {optional: true, late: leave}
  ~/top: {after: [~/joins]}
`
	s := newStand(t, setup{network: "defaults: {deadline: {discover: 1s}}\n" + network,
		away: []string{"joins", "leaves"}, ready: "-"})
	s.Intact("unconfigured")
	t.Run("missing on the way up", func(t *testing.T) {
		s := s.in(t)
		r := s.Do("active", "succeeded done active")
		s.wantNodes(r, map[string]string{"joins": "skipped, is not there", "leaves": "skipped, is not there",
			"top": "activate done"})
		s.wantWhere("active - - active")
		s.Intact("active")
	})
	t.Run("late", func(t *testing.T) {
		s := s.in(t)
		s.back("leaves")
		s.host.Ready(s.nodes["leaves"])
		s.back("joins")
		s.awaitWhere("active active unconfigured active") // the node that appeared first keeps its state
		if words := s.nodes["leaves"].Truth().Words(); len(words) > 0 {
			t.Errorf("the node that should keep its state was asked to %v", words)
		}
		s.Intact("active")
	})
	t.Run("living on the way down", func(t *testing.T) {
		s := s.in(t)
		s.script("joins", "deactivate", then(bed.Behaviour{Result: bed.Failure})...)
		r := s.Do("deactivate", "aborted restored active")
		s.wantNodes(r, map[string]string{"joins": "deactivate refused", "top": "activate undone"})
		s.Do("deactivate", "succeeded done inactive")
		s.wantWhere(s.all("inactive")) // a command moves all nodes, including those that were skipped before
	})
	for _, c := range []struct {
		what   string
		fault  bed.Behaviour
		result string
		where  string
	}{
		{"refusing on the way up", bed.Behaviour{Result: bed.Failure}, "activate refused",
			"active inactive inactive active"},
		{"failing with an error on the way up", bed.Behaviour{Result: bed.Fault}, "activate errored, unconfigured",
			"active unconfigured inactive active"},
	} {
		t.Run(c.what, func(t *testing.T) {
			s := s.in(t)
			s.bring("unconfigured")
			s.bring("inactive")
			s.script("joins", "activate", then(c.fault)...)
			s.script("leaves", "activate", then(bed.Behaviour{Result: bed.Failure})...)
			r := s.Do("activate", "succeeded done active")
			s.wantNodes(r, map[string]string{"joins": c.result})
			s.wantWhere(c.where)
			s.Intact("active")
		})
	}
}

// TestANodeOfASimilarNameIsNamed: a node that never appears often has a misspelt name. No other
// test has a node whose base name is similar to this one.
func TestANodeOfASimilarNameIsNamed(t *testing.T) {
	t.Parallel()
	host, space := bed.StartHost(t), "/"+bed.Unique(t, "alike")
	host.Node(bed.NodeSpec{Name: space + "/rangefinder_1"})
	d := daemon.Start(t, host, daemon.Config{
		Binary: binary, Name: space + "/rstate",
		Network: "nodes:\n  " + space + "/rangefinder: {deadline: {discover: 5s}}\n",
	})
	d.Await("the state suggests the other name", func(v daemon.View) bool {
		return daemon.HasAll(v.Deviation(space+"/rangefinder"),
			"is not there, but "+space+"/rangefinder_1 is: is that one meant?")
	})
	d.Rejected("configure", space+"/rangefinder_1")
}
