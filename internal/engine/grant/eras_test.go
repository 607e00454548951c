package grant

import "testing"

// TestA1EveryEndCounts: each end of an era voids the grants and permits of that era, whatever its reason, and whether a
// goal or a peer made the grant.
func TestA1EveryEndCounts(t *testing.T) {
	for name, row := range map[string]struct {
		peer string
		ends []string // why the eras before ended, and why the one of the grant does
		why  string
	}{
		"a grant of a goal":             {"", []string{"a disarm"}, "a disarm"},
		"a grant of a peer's change":    {"/b", []string{"a disarm"}, "a disarm"},
		"an end without words":          {"", []string{""}, "nothing permits it"},
		"an end like the one before it": {"", []string{"a stop", "a stop"}, "a stop"},
		"an end of another kind":        {"", []string{"a disarm", "a stop"}, "a stop"},
	} {
		var r Register
		for _, why := range row.ends[:len(row.ends)-1] {
			r.End(why)
		}
		g := r.Give(row.peer)
		p, _ := r.Permit(g)
		era := r.Era()
		r.End(row.ends[len(row.ends)-1])
		again, why := r.Permit(g)
		_, renewed := r.Renew(era)
		if again.Given() || why != row.why || r.Void(g) != row.why || r.Holds(p) || renewed || r.Era() == era {
			t.Errorf("%s: void because of %q, permits again: %v, its permit holds: %v, renewed: %v", name, r.Void(g),
				again.Given(), r.Holds(p), renewed)
		}
	}
}

// TestA1AGrantOfAnotherRegisterIsVoid: a register that begins anew takes nothing from the one before it.
func TestA1AGrantOfAnotherRegisterIsVoid(t *testing.T) {
	var before, r Register
	before.End("a disarm")
	g := before.Give("")
	p, _ := before.Permit(g)
	if _, renewed := r.Renew(before.Era()); r.Void(g) == "" || r.Holds(p) || renewed {
		t.Errorf("void because of %q, its permit holds: %v, renewed: %v", r.Void(g), r.Holds(p), renewed)
	}
}
