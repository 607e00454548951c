//go:build ros

package ros

import (
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// TestA14DependentsGoDownWithALostNode: those that come after the lost node, directly or through another one. The others
// stay, and what happens when the node is back is what its do says.
func TestA14DependentsGoDownWithALostNode(t *testing.T) {
	t.Parallel()
	const network = `proof: 10s
nodes:
  ~/lidar: {on_loss: {do: restore, with: dependents}}
  ~/camera: {on_loss: {with: dependents}}
  ~/slam: {after: [~/lidar]}
  ~/nav: {after: [~/slam]}
  ~/viewer: {after: [~/camera]}
  ~/drive: {arm: {}}
`
	s := newStand(t, setup{network: network})
	fell := func(s *stand, lost string, names ...string) {
		s.t.Helper()
		s.Await("they went down with "+lost, func(v daemon.View) bool {
			all := v.State.Label == "active" && v.Settled && !v.Intact
			for _, name := range names {
				all = all && daemon.HasAll(v.Deviation(s.full(name)), "is inactive", "it went down with "+s.full(lost))
			}
			return all
		})
	}
	t.Run("while armed, and it is restored", func(t *testing.T) {
		s := s.in(t)
		s.bring("armed")
		s.vanish("lidar")
		s.awaitWhere("- active inactive inactive active active")
		fell(s, "lidar", "slam", "nav")
		disarm, nav, slam := s.newest("drive", "disarm"), s.newest("nav", "deactivate"), s.newest("slam", "deactivate")
		if disarm.End > nav.Begin || nav.End > slam.Begin {
			s.t.Errorf("not in the order of the way down: %+v, %+v, %+v", disarm, nav, slam)
		}
		s.back("lidar")
		s.awaitWhere(s.all("active"))
		s.Intact("active")
	})
	t.Run("it is reported, and a command brings them up again", func(t *testing.T) {
		s := s.in(t)
		s.vanish("camera")
		s.awaitWhere("active - active active inactive active")
		fell(s, "camera", "viewer")
		s.back("camera")
		s.Await("it is back, and stays as it is", func(v daemon.View) bool {
			return strings.Contains(v.Deviation(s.full("camera")), "unconfigured")
		})
		s.Rejected("arm", "not intact", s.full("viewer"))
		s.Do("active", "succeeded done active")
		s.wantWhere(s.all("active"))
		s.Intact("active")
	})
}

// newest returns the newest call of a node of that word.
func (s *stand) newest(name, word string) bed.Call {
	s.t.Helper()
	calls := s.nodes[name].Truth().Calls
	for k := len(calls) - 1; k >= 0; k-- {
		if calls[k].What == word {
			return calls[k]
		}
	}
	s.t.Fatalf("%s was never asked to %s", name, word)
	return bed.Call{}
}
