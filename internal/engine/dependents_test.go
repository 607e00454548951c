package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/simnet"
)

// needsLidar has two nodes that need /lidar, one through the other, and one that needs neither.
const needsLidar = `
simulation: demo
nodes:
  /lidar: {on_loss: {do: restore, with: dependents}}
  /slam: {after: [/lidar], on_drift: restore}
  /nav: {after: [/slam]}
  /map: {after: [/lidar], optional: true}
  /camera: {}
  /arm_driver: {after: [/camera], arm: {}}
`

func kill(node string) simnet.Beat { return when(simnet.Then(), simnet.Kill{Node: node}) }

func afterwards(d time.Duration, do simnet.Act) simnet.Beat { return when(simnet.Then().Later(d), do) }

// TestA14DependentsGoDownWithALostNode: in the order of the way down, and the others stay.
func TestA14DependentsGoDownWithALostNode(t *testing.T) {
	const (
		down = "deactivate nav, deactivate map, deactivate slam"
		up   = "configure lidar, activate lidar, activate slam, activate map, activate nav"
	)
	play(t, []story{
		{name: "lost", tell: []simnet.Beat{kill("/lidar"), afterwards(5*time.Second, simnet.Nothing{})}, calls: down,
			ends: "- inactive inactive inactive active active"},
		{name: "it comes back", tell: []simnet.Beat{
			kill("/lidar"), afterwards(5*time.Second, simnet.Respawn{Node: "/lidar"}), afterwards(5*time.Second, simnet.Nothing{}),
		}, calls: down + ", " + up, ends: "active active active active active active"},
		{name: "it comes back at once", tell: []simnet.Beat{
			kill("/lidar"), afterwards(10*ms, simnet.Respawn{Node: "/lidar"}), afterwards(5*time.Second, simnet.Nothing{}),
		}, ends: "active active active active active active"},
		{name: "while armed", first: []string{"armed"}, tell: []simnet.Beat{
			kill("/lidar"), afterwards(5*time.Second, simnet.Nothing{}),
		}, states: "disarming active", calls: "disarm arm_driver, " + down},
		{name: "and is lost again", tell: []simnet.Beat{
			kill("/lidar"), afterwards(5*time.Second, simnet.Respawn{Node: "/lidar"}),
			afterwards(20*time.Second, simnet.Kill{Node: "/lidar"}), afterwards(5*time.Second, simnet.Nothing{}),
		}, ends: "- inactive inactive inactive active active"},
		{name: "a node between them is lost too", tell: []simnet.Beat{
			kill("/lidar"), afterwards(time.Second, simnet.Kill{Node: "/slam"}),
			afterwards(5*time.Second, simnet.Respawn{Node: "/lidar"}), afterwards(5*time.Second, simnet.Nothing{}),
		}, ends: "active - inactive active active active"},
		{name: "one refuses, and is asked three times", scripts: one("/nav", simnet.Script{On: []simnet.On{{Do: "deactivate", End: simnet.Refuse}}}),
			tell: []simnet.Beat{kill("/lidar"), afterwards(20*time.Second, simnet.Nothing{})},
			ends: "- inactive active inactive active active"},
		{name: "the network is inactive", first: []string{"inactive"}, tell: []simnet.Beat{
			kill("/lidar"), afterwards(5*time.Second, simnet.Nothing{}),
		}, calls: "none"},
		{name: "a node without dependents", tell: []simnet.Beat{
			kill("/camera"), afterwards(5*time.Second, simnet.Nothing{}),
		}, calls: "none"},
	}, func(s *story) {
		s.net = needsLidar
		if s.first == nil {
			s.first = []string{"active"}
		}
	})
}

// TestA14NothingIsInItsPlaceWhileItGoesDown: a command that comes while dependents go down, or while one of them takes
// long, does not find the network as it was.
func TestA14NothingIsInItsPlaceWhileItGoesDown(t *testing.T) {
	const net = "simulation: demo\nnodes:\n  /lidar: {optional: true, on_loss: {with: dependents}}\n  /slam: {after: [/lidar]}\n" +
		"  /nav: {after: [/lidar]}\n"
	for _, after := range []time.Duration{0, 50 * ms, 3 * time.Second} {
		play(t, []story{{name: fmt.Sprintf("%v after the loss", after), net: net, first: []string{"active"},
			scripts: one("/nav", simnet.Script{On: []simnet.On{{Do: "deactivate", Takes: 8 * time.Second}}}),
			tell: []simnet.Beat{
				kill("/lidar"), when(simnet.Called("deactivate", "/slam").Later(after), simnet.Send{Command: "active"}),
				afterwards(20*time.Second, simnet.Nothing{}),
			}, goals: "active: aborted held", why: "/slam is", ends: "- inactive inactive"}})
	}
}

// TestA14NoCommandRaisesADependent while the node is lost: a repair leaves it where it is, and a network that needs it is
// not raised.
func TestA14NoCommandRaisesADependent(t *testing.T) {
	const net = "simulation: demo\nnodes:\n  /lidar: {optional: true, on_loss: {with: dependents}}\n  /slam: {after: [/lidar]}\n" +
		"  /map: {after: [/lidar], optional: true}\n  /camera: {}\n"
	play(t, []story{
		{name: "a repair", first: []string{"active"}, tell: []simnet.Beat{
			kill("/lidar"), afterwards(3*time.Second, simnet.Send{Command: "active"}), afterwards(5*time.Second, simnet.Nothing{}),
		}, calls: "deactivate slam, deactivate map", goals: "active: aborted held", why: "/slam is inactive: it went down with /lidar",
			ends: "- inactive inactive active"},
		{name: "a command", first: []string{"inactive"}, tell: []simnet.Beat{
			kill("/lidar"), afterwards(3*time.Second, simnet.Send{Command: "activate"}), afterwards(5*time.Second, simnet.Nothing{}),
		}, calls: "none", goals: "activate: rejected", why: "/slam goes down with /lidar, which is lost (start the process of /lidar again)"},
		{name: "a state", tell: []simnet.Beat{
			kill("/lidar"), afterwards(3*time.Second, simnet.Send{Command: "active"}), afterwards(5*time.Second, simnet.Nothing{}),
		}, goals: "active: rejected", why: "/slam goes down with /lidar, which is lost"},
		{name: "only optional nodes depend on it", net: strings.Replace(net, "/slam: {after: [/lidar]}", "/slam: {}", 1), first: []string{"inactive"}, tell: []simnet.Beat{
			kill("/lidar"), afterwards(3*time.Second, simnet.Send{Command: "activate"}), afterwards(5*time.Second, simnet.Nothing{}),
		}, goals: "activate: succeeded done", ends: "- active inactive active"},
		{name: "they need it to be active, and only for that", tell: []simnet.Beat{
			kill("/lidar"), afterwards(3*time.Second, simnet.Send{Command: "configure"}), afterwards(5*time.Second, simnet.Nothing{}),
		}, calls: "configure slam, configure map, configure camera", goals: "configure: succeeded done",
			ends: "- inactive inactive inactive"},
		{name: "one that still goes down holds what it comes after",
			net: strings.Replace(net, "/map: {after: [/lidar]", "/map: {after: [/lidar, /camera]", 1), first: []string{"active"},
			scripts: one("/map", on("deactivate", simnet.On{Takes: 3 * time.Second})), tell: []simnet.Beat{
				kill("/lidar"), when(simnet.Called("deactivate", "/map").Later(time.Second), simnet.Send{Command: "inactive"})},
			goals: "inactive: succeeded done", ends: "- inactive inactive inactive", states: "deactivating inactive"},
	}, func(s *story) {
		if s.net == "" {
			s.net = net
		}
	})
}

// TestA14WhoWentDownWithWhomIsShown: and the network is not intact.
func TestA14WhoWentDownWithWhomIsShown(t *testing.T) {
	trace := story{net: needsLidar, first: []string{"active"}, tell: []simnet.Beat{kill("/lidar"),
		afterwards(5*time.Second, simnet.Nothing{})}}.run(t)
	last, got := trace.Last, strings.Join(trace.Last.Deviations, "; ")
	for _, want := range []string{"/slam is inactive: it went down with /lidar", "/nav is inactive: it went down with /lidar"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if last.Intact || !strings.Contains(last.Cause, "with it goes down /slam, /nav, /map") {
		t.Errorf("intact %v, because %q", last.Intact, last.Cause)
	}
	trace = story{net: needsLidar, first: []string{"active"}, scripts: one("/nav",
		simnet.Script{On: []simnet.On{{Do: "deactivate", End: simnet.Refuse}}}),
		tell: []simnet.Beat{kill("/lidar"), afterwards(20*time.Second, simnet.Nothing{})}}.run(t)
	if got := strings.Join(trace.Last.Deviations, "; "); !strings.Contains(got, "/nav is active, and did not go down with /lidar") {
		t.Error(got)
	}
}

// TestA14ReportRestoresNothing: a command brings all of them up again, in order.
func TestA14ReportRestoresNothing(t *testing.T) {
	play(t, []story{
		{name: "it comes back, and nothing is asked of any", tell: []simnet.Beat{
			kill("/lidar"), afterwards(5*time.Second, simnet.Respawn{Node: "/lidar"}), afterwards(5*time.Second, simnet.Nothing{}),
		}, ends: "unconfigured inactive inactive inactive active active"},
		{name: "another tool brings it back", tell: []simnet.Beat{
			kill("/lidar"), afterwards(5*time.Second, simnet.Respawn{Node: "/lidar"}),
			afterwards(time.Second, simnet.Move{Node: "/lidar", To: lifecycle.Active}), afterwards(5*time.Second, simnet.Nothing{}),
		}, ends: "active inactive inactive inactive active active"},
		{name: "a command", tell: []simnet.Beat{
			kill("/lidar"), afterwards(5*time.Second, simnet.Respawn{Node: "/lidar"}),
			afterwards(time.Second, simnet.Send{Command: "active"}),
		}, goals: "active: succeeded done", ends: "active active active active active active"},
		{name: "a command while it is gone", tell: []simnet.Beat{
			kill("/lidar"), afterwards(5*time.Second, simnet.Send{Command: "active"}), afterwards(20*time.Second, simnet.Nothing{}),
		}, goals: "active: aborted restored", ends: "- inactive inactive inactive active active"},
		{name: "arm is refused", tell: []simnet.Beat{
			kill("/lidar"), afterwards(5*time.Second, simnet.Respawn{Node: "/lidar"}),
			afterwards(time.Second, simnet.Send{Command: "arm"}),
		}, goals: "arm: rejected", why: "the network is not intact"},
	}, func(s *story) {
		s.net, s.first = strings.Replace(needsLidar, "do: restore, ", "", 1), []string{"active"}
	})
}

// TestA14AnOptionalNodeTakesItsDependentsDown: while armed everything is disarmed first.
func TestA14AnOptionalNodeTakesItsDependentsDown(t *testing.T) {
	play(t, []story{{name: "while armed", net: strings.Replace(needsLidar, "/lidar: {", "/lidar: {optional: true, ", 1), first: []string{"armed"},
		tell: []simnet.Beat{kill("/lidar"), afterwards(5*time.Second, simnet.Nothing{})}, states: "disarming active",
		calls: "disarm arm_driver, deactivate nav, deactivate map, deactivate slam"}})
}

// TestA14AnotherToolThatRaisesOne: a dependent that is raised while the node is lost goes down again.
func TestA14AnotherToolThatRaisesOne(t *testing.T) {
	play(t, []story{{name: "raised", net: needsLidar, first: []string{"active"}, tell: []simnet.Beat{
		kill("/lidar"), afterwards(5*time.Second, simnet.Move{Node: "/slam", To: lifecycle.Active}),
		afterwards(5*time.Second, simnet.Nothing{}),
	}, ends: "- inactive inactive inactive active active"}})
}
