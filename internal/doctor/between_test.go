package doctor

import (
	"strings"
	"testing"
)

// circle returns three instances of one simulation without faults.
func circle() Circle {
	one := func(name, id string, nodes ...string) Instance {
		return Instance{Name: name, Instance: id, Alive: true, State: "active", Settled: true, Intact: true,
			Common: "active",
			Seen:   map[string]uint64{"1": 2, "2": 1}, Machine: "rstate", Hash: "aaaaaaaabbbb", Nodes: nodes}
	}
	c := Circle{Simulation: "demo", Instances: []Instance{one("/a", "1", "/x", "/y"), one("/b", "2", "/z"),
		one("/c", "3", "/u")}}
	c.Instances[0].Requires = []string{"/b"}
	return c
}

func TestInstancesInAccordHaveNothingBetweenThem(t *testing.T) {
	for name, change := range map[string]func(*Circle){
		"all is well":            func(*Circle) {},
		"no instance is present": func(c *Circle) { c.Instances = nil },
		"a dead instance is required by no other": func(c *Circle) {
			c.Instances[2].Alive, c.Instances[2].Seen, c.Instances[2].State = false, nil, "inactive"
		},
		"one is on its way": func(c *Circle) { c.Instances[2].State, c.Instances[2].Settled = "activating", false },
		"nothing has happened yet": func(c *Circle) {
			for i := range c.Instances {
				c.Instances[i].Seen, c.Instances[i].Common = map[string]uint64{}, ""
			}
			c.Instances[1].State = "inactive"
		},
		"counts of nothing": func(c *Circle) { c.Instances[1].Seen = map[string]uint64{"1": 2, "2": 1, "9": 0} },
	} {
		t.Run(name, func(t *testing.T) {
			c := circle()
			change(&c)
			if got := Between(c); len(got) > 0 {
				t.Errorf("found %+v", got)
			}
		})
	}
}

// Each row is one fault between instances, which must be the only finding.
func TestEachWrongBetweenInstances(t *testing.T) {
	for name, c := range map[string]struct {
		wrong    func(*Circle)
		level    Level
		about    string
		what     string
		evidence string
		do       string
	}{
		"a required one is dead": {func(c *Circle) { c.Instances[1].Alive = false }, Fault, "/b",
			"required and not there", "/a requires it", "start it"},
		"a required one is silent": {func(c *Circle) { c.Instances = c.Instances[:1]; c.Silent = []string{"/b"} },
			Fault, "/b", "required and not there", "/a requires it", "start it"},
		"a required one ends": {func(c *Circle) { c.Instances[1].Leaving = true }, Warning, "/b",
			"required and ends", "/a requires it", "started again"},
		"another one is silent": {func(c *Circle) { c.Silent = []string{"/d"} }, Warning, "/d", "says nothing",
			"no word", "stands still"},
		"two of one name": {func(c *Circle) { c.Instances[2].Name = "/a" }, Fault, "/a",
			"is the name of 2 instances", "each", "--ros-args"},
		"another machine": {func(c *Circle) { c.Instances[2].Machine, c.Instances[2].Hash = "nrp", "ccccccccdddd" },
			Fault, "/c", "another machine than /a", "nrp with the hash cccccccc, there rstate with aaaaaaaa",
			"same machine"},
		"all nodes of two": {func(c *Circle) {
			c.Instances[0].Nodes, c.Instances[1].Nodes = []string{"/x", "/y"}, []string{"/y", "/x"}
		},
			Fault, "/a and /b", "drive the same 2 nodes: /x, /y", "each lists them", "one coordinator"},
		"a node of two": {func(c *Circle) { c.Instances[1].Nodes = []string{"/z", "/x"} }, Fault, "/x",
			"is driven by /a and /b", "each lists it", "one coordinator"},
		"split brain": {func(c *Circle) {
			c.Instances = c.Instances[:2]
			c.Instances[0].Seen, c.Instances[1].Seen = map[string]uint64{"1": 3}, map[string]uint64{"1": 1, "2": 1}
			c.Instances[1].Common = "inactive"
		}, Fault, "/a and /b", "split brain: /a and /b have changes that the other has not seen",
			"/a goes by changes to active, /b goes by changes to inactive; /a has not seen 1 change of the other's, /b has not seen 2 changes", "lower state"},
		"one lags": {func(c *Circle) {
			c.Instances = c.Instances[:2]
			c.Instances[1].Seen = map[string]uint64{"1": 1, "2": 1}
		},
			Warning, "/b", "has not seen what /a has", "1 change", "look again"},
		"the other one lags": {func(c *Circle) { c.Instances = c.Instances[:2]; c.Instances[0].Seen = map[string]uint64{"1": 2} },
			Warning, "/a", "has not seen what /b has", "1 change", "look again"},
		"one could not follow": {func(c *Circle) {
			c.Instances = c.Instances[:2]
			c.Instances[1].State, c.Instances[1].Behind, c.Instances[1].Cause = "inactive", true, "/z refused"
		}, Fault, "/a and /b", "diverged: /a is active, /b is inactive",
			"/b is not active as the changes say: /z refused", "rstate why"},
		"one stays lower, and is alone": {func(c *Circle) {
			c.Instances = c.Instances[2:]
			c.Instances[0].State, c.Instances[0].Common, c.Instances[0].Behind, c.Instances[0].Cause = "active",
				"armed", true, "disarm: /b is lost"
		}, Warning, "/c", "is behind: the changes of the simulation lead to armed", "it is active: disarm: /b is lost",
			"command again"},
		"apart without a known reason": {func(c *Circle) {
			c.Instances = c.Instances[:2]
			c.Instances[1].State, c.Instances[1].Common = "inactive", "inactive"
		}, Fault, "/a and /b", "diverged: /a is active, /b is inactive", "both have seen the same changes",
			"rstate why"},
	} {
		t.Run(name, func(t *testing.T) {
			circle := circle()
			c.wrong(&circle)
			got := Between(circle)
			if len(got) != 1 || got[0].Level != c.level || got[0].About != c.about ||
				!strings.Contains(got[0].What, c.what) ||
				!strings.Contains(got[0].Evidence, c.evidence) || !strings.Contains(got[0].Do, c.do) {
				t.Errorf("found %+v", got)
			}
		})
	}
}
