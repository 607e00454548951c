package guards

import (
	"strings"
	"testing"
	"time"
)

// TestA13WhenAGuardMayLeave: each row is what the instance shows before and after guard g says that it ends.
func TestA13WhenAGuardMayLeave(t *testing.T) {
	lists := func(id, nodes string) Listed { return Listed{ID: id, Nodes: strings.Fields(nodes), Lives: true} }
	ended := Listed{ID: "g", Fault: Ended}
	lost := Listed{ID: "h", Nodes: []string{"/a", "/b"}, Fault: "is lost"}
	for name, c := range map[string]struct {
		before        []Listed
		calls         int
		after         []Listed
		waits, leaves bool
	}{
		"another one covers all":        {[]Listed{lists("g", "/a /b"), lists("h", "/b /a")}, 2, []Listed{ended, lists("h", "/a /b")}, true, true},
		"two others cover all together": {[]Listed{lists("f", "/a"), lists("g", "/a /b"), lists("h", "/b")}, 2, []Listed{lists("f", "/a"), ended, lists("h", "/b")}, true, true},
		"it is the only one":            {[]Listed{lists("g", "/a /b")}, 2, []Listed{ended}, false, false},
		"another one covers a part":     {[]Listed{lists("g", "/a /b"), lists("h", "/a")}, 2, []Listed{ended, lists("h", "/a")}, false, false},
		"another one is lost":           {[]Listed{lists("g", "/a /b"), lost}, 2, []Listed{ended, lost}, false, false},
		"another one is lost meanwhile": {[]Listed{lists("g", "/a /b"), lists("h", "/a /b")}, 2, []Listed{ended, lost}, true, false},
		"another one ends meanwhile":    {[]Listed{lists("g", "/a /b"), lists("h", "/a /b")}, 2, []Listed{ended, {ID: "h", Fault: Ended}}, true, false},
		"the instance does not know":    {[]Listed{lists("g", "/a /b"), lists("h", "/a /b")}, 2, []Listed{lists("g", "/a /b"), lists("h", "/a /b")}, true, false},
		"the instance calls it lost":    {[]Listed{lists("g", "/a /b"), lists("h", "/a /b")}, 2, []Listed{{ID: "g", Fault: "is lost"}, lists("h", "/a /b")}, true, false},
		"it is not listed any more":     {[]Listed{lists("g", "/a /b"), lists("h", "/a /b")}, 2, []Listed{lists("h", "/a /b")}, true, false},
		"it was not listed":             {[]Listed{lists("h", "/a /b")}, 2, []Listed{ended, lists("h", "/a /b")}, false, false},
		"it did not count":              {[]Listed{{ID: "g", Nodes: []string{"/a"}, Fault: "is lost"}, lists("h", "/a")}, 1, []Listed{ended, lists("h", "/a")}, false, false},
		"a service of no node":          {[]Listed{lists("g", "/a"), lists("h", "/a")}, 2, []Listed{ended, lists("h", "/a")}, false, true},
		"nothing is shown":              {nil, 0, nil, false, false},
	} {
		l, waits := Leave("g", c.before, c.calls)
		if leaves := l.Relieved(c.after); waits != c.waits || leaves != c.leaves {
			t.Errorf("%s: waits %v, leaves %v; want %v, %v", name, waits, leaves, c.waits, c.leaves)
		}
	}
}

// TestA13AGuardThatHasEndedDoesNotCount: it says so by a word without calls, and is not called silent afterwards.
func TestA13AGuardThatHasEndedDoesNotCount(t *testing.T) {
	var b Book
	b.Hear(0, says("g", 0, 0))
	b.Hear(ms, Word{ID: "g", Follows: true})
	for _, at := range []time.Duration{ms, Silent + ms} {
		if v := b.Views(at); b.Lacks(at, "/drive/arm") != "guard g has ended" || len(v) != 1 || v[0].Lives || v[0].Fault != Ended {
			t.Errorf("at %v: %q, %+v", at, b.Lacks(at, "/drive/arm"), v)
		}
	}
	if b.Turn(ms + Silent + forgotten); len(b.list) != 0 {
		t.Error("it is never forgotten")
	}
}

// TestA13WhichGuardsDisarm: those that live and say so, also the last word of one that ends.
func TestA13WhichGuardsDisarm(t *testing.T) {
	faulty := func(id, fault string) Word {
		w := says(id, 1, 1)
		w.Calls[0].Fault = fault
		return w
	}
	var b Book
	b.Hear(0, faulty("f", Disarms))
	b.Hear(0, says("g", 1, 1))
	b.Hear(0, faulty("h", DisarmsLast))
	b.Hear(0, faulty("i", "no server"))
	if got := b.Disarms(0, "/drive/arm"); got != "guard f and guard h, which ends" {
		t.Error(got)
	}
	if why := b.Lacks(0, "/other"); !strings.Contains(why, "; guard h ends; ") {
		t.Errorf("a guard that ends lacks no call: %s", why)
	}
	if got := b.Disarms(0, "/other") + b.Disarms(Silent, "/drive/arm"); got != "" {
		t.Error(got)
	}
}
