package engine

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rstate/internal/lifecycle"
	"rstate/internal/network"
)

const adviceNet = `simulation: x
nodes:
  /eye: {}
  /map: {after: [/eye]}
  /hand: {after: [/map], arm: {}}
  /door: {lifecycle: false}
`

// TestA10EveryNodeSaysWhatToDo walks over all that may stand against arming of a node: each has advice.
func TestA10EveryNodeSaysWhatToDo(t *testing.T) {
	const eye, hand, door = 0, 2, 3
	lost := func(n *node, why string) { n.count, n.absence.lost = 0, why }
	for _, r := range []struct {
		name string
		node int
		is   func(ro *roster, n *node)
		do   string // empty: the reason says it
	}{
		{"it is not there", eye, func(_ *roster, n *node) { n.count = 0 }, "start it"},
		{"another is there", eye, func(_ *roster, n *node) { n.count, n.absence.alike = 0, []string{"/eyes"} },
			"correct its name"},
		{"its process has ended", eye, func(_ *roster, n *node) { lost(n, whyEnded) }, "start its process again"},
		{"a plain one has left", door, func(_ *roster, n *node) { lost(n, "it left the graph") }, "restore the connection"},
		{"it has left and may be armed", hand, func(_ *roster, n *node) {
			lost(n, "it left the graph")
			n.arm.ArmSent(1, 0)
			n.arm.Abandon()
		}, "keep away"},
		{"it was replaced", eye, func(_ *roster, n *node) { n.place.repairs.owed = "was lost" }, "wait for the recovery"},
		{"another drives it", eye, func(_ *roster, n *node) { n.relation.driver = "/other" }, ""},
		{"it leads back", eye, func(_ *roster, n *node) {
			n.relation.childOf = n.epoch
			n.relation.child = "is a network that leads back to this one (/eye): take one of them out of nodes"
		}, ""},
		{"it is there twice", eye, func(_ *roster, n *node) { n.count = 2 }, ""},
		{"it leaves probes without an answer", eye, func(_ *roster, n *node) { n.reading.probing.lostAfter = 3 }, startAgain},
		{"it may be armed", hand, func(_ *roster, n *node) { n.arm.ArmSent(1, 0) }, keepAway},
		{"it offers what is unsafe", eye, func(_ *roster, n *node) { n.unsafe = []string{"/move"} }, exposedDo},
		{"it has said nothing", eye, func(_ *roster, n *node) { n.state, n.firm = lifecycle.Unknown, false }, afterAnswer},
		{"it is in doubt", eye, func(_ *roster, n *node) { n.firm, n.doubted = false, -2*readEvery }, afterAnswer},
		{"it is finalized", hand, func(_ *roster, n *node) { n.state = lifecycle.Finalized }, reborn},
		{"it is on its way", eye, func(_ *roster, n *node) { n.state = lifecycle.Deactivating }, afterStep},
		{"it is lower", hand, func(_ *roster, n *node) { n.state = lifecycle.Inactive }, "send active"},
		{"what it comes after is finalized", hand, func(ro *roster, n *node) {
			n.state, ro.nodes[eye].state = lifecycle.Inactive, lifecycle.Finalized
		}, "start the process of /eye again"},
		{"a command would fail", hand, func(ro *roster, n *node) {
			n.state, ro.nodes[door].count, ro.nodes[door].place.deviant = lifecycle.Inactive, 0, "is not there"
		}, "put the other nodes right, then send active"},
	} {
		co := adviceCourse(t)
		n := &co.nodes[r.node]
		r.is(&co.roster, n)
		n.place.deviant = co.deviation(r.node)
		if n.place.deviant == "" {
			t.Errorf("%s: it deviates from nothing", r.name)
			continue
		}
		for o := range slices.Values(co.strayObstacles()) {
			if !Advises(o) {
				t.Errorf("%s: %q has no advice", r.name, o)
			}
		}
		if do := co.remedy(r.node); !strings.Contains(do, r.do) || do != "" && r.do == "" {
			t.Errorf("%s: the advice is %q, want %q", r.name, do, r.do)
		}
	}
}

// TestA10AFailedArmSaysWhatToDo about the node for which it failed. A plain node has no step for which to wait.
func TestA10AFailedArmSaysWhatToDo(t *testing.T) {
	const eye, door = 0, 3
	for _, r := range []struct {
		name string
		node int
		v    Verdict
		is   func(n *node)
		do   string
	}{
		{"a plain one", door, VerdictRefused, func(n *node) { n.state = lifecycle.Unknown }, readLog},
		{"it is on its way", eye, VerdictLate, func(n *node) { n.state = lifecycle.Deactivating }, afterStep},
		{"it is lower", eye, VerdictErrored, func(n *node) { n.state = lifecycle.Inactive }, readLog},
		{"it is finalized", eye, VerdictErrored, func(n *node) { n.state = lifecycle.Finalized }, reborn},
		{"it says nothing", eye, VerdictUnknown, func(*node) {}, "start it again if it hangs"},
		{"it has ended", eye, VerdictGone, func(n *node) { n.count, n.absence.lost = 0, whyEnded }, "start its process again"},
		{"it was replaced", eye, VerdictGone, func(n *node) { n.part.replaced = true }, "send arm again"},
		{"it is there twice", eye, VerdictRefused, func(n *node) { n.count = 2 }, endOthers},
		{"it is late", eye, VerdictLate, func(n *node) { n.part.arm, n.part.result.did = true, "arm" }, "deadline.arm"},
	} {
		co := adviceCourse(t)
		co.work = &work{}
		r.is(&co.nodes[r.node])
		if do := co.armRemedy(r.node, r.v); !strings.Contains(do, r.do) {
			t.Errorf("%s: the advice is %q, want %q", r.name, do, r.do)
		}
	}
}

// adviceCourse is a network that is active.
func adviceCourse(t *testing.T) *course {
	t.Helper()
	net, err := network.Parse("test.yaml", []byte(adviceNet))
	if err != nil {
		t.Fatal(err)
	}
	s := New(net, Options{Name: "/rstate", Instance: "1"})
	s.settled = "active"
	for i := range s.nodes {
		n := &s.nodes[i]
		n.count, n.epoch, n.state, n.firm = 1, 1, lifecycle.Active, true
		if n.spec.Arm != nil {
			n.arm.Meet(false)
		}
	}
	return &s.course
}

// TestA10EveryKindOfReasonHasAdvice: a reason is never made without the words that say what to do, or that it needs
// none. This finds a new kind.
func TestA10EveryKindOfReasonHasAdvice(t *testing.T) {
	found := 0
	for _, folder := range []string{".", "../mirror"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		set := token.NewFileSet()
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(set, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for at, literal := range reasonsIn(file) {
				found++
				if !literal["Do"] {
					t.Errorf("%v makes a reason without Do: say what a person can do", set.Position(at))
				}
			}
		}
	}
	if found < 12 {
		t.Errorf("%d places make reasons: the test does not find them", found)
	}
}

// reasonsIn returns the fields that each literal of a reason sets.
func reasonsIn(file *ast.File) map[token.Pos]map[string]bool {
	list := map[token.Pos]map[string]bool{}
	add := func(c *ast.CompositeLit) {
		keys := map[string]bool{}
		for _, e := range c.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				keys[kv.Key.(*ast.Ident).Name] = true
			}
		}
		if keys["Why"] {
			list[c.Pos()] = keys
		}
	}
	isReason := func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return ok && (id.Name == "Obstacle" || id.Name == "Unfit")
	}
	ast.Inspect(file, func(n ast.Node) bool {
		c, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		if isReason(c.Type) {
			add(c)
		}
		if a, ok := c.Type.(*ast.ArrayType); ok && isReason(a.Elt) {
			for _, e := range c.Elts {
				if inner, ok := e.(*ast.CompositeLit); ok && inner.Type == nil {
					add(inner)
				}
			}
		}
		return true
	})
	return list
}
