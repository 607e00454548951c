package guards

import (
	"strings"
	"testing"
	"time"
)

// TestA13WhenAGuardMayLeave: each row is what the instance shows before and after guard g says that it ends.
func TestA13WhenAGuardMayLeave(t *testing.T) {
	for name, c := range map[string]struct {
		before        string // guards: "id node node" if it counts, "id!fault" if not
		calls         int
		after         string
		waits, leaves bool
	}{
		"another one covers all":        {"g /a /b, h /b /a", 2, "g!has ended, h /a /b", true, true},
		"two others cover all together": {"f /a, g /a /b, h /b", 2, "f /a, g!has ended, h /b", true, true},
		"it is the only one":            {"g /a /b", 2, "g!has ended", false, false},
		"another one covers a part":     {"g /a /b, h /a", 2, "g!has ended, h /a", false, false},
		"another one is lost":           {"g /a /b, h!is lost", 2, "g!has ended, h!is lost", false, false},
		"another one is lost meanwhile": {"g /a /b, h /a /b", 2, "g!has ended, h!is lost", true, false},
		"another one ends meanwhile":    {"g /a /b, h /a /b", 2, "g!has ended, h!has ended", true, false},
		"the instance does not know":    {"g /a /b, h /a /b", 2, "g /a /b, h /a /b", true, false},
		"the instance calls it lost":    {"g /a /b, h /a /b", 2, "g!is lost, h /a /b", true, false},
		"it is not listed any more":     {"g /a /b, h /a /b", 2, "h /a /b", true, false},
		"it was not listed":             {"h /a /b", 2, "g!has ended, h /a /b", false, false},
		"it did not count":              {"g!is lost, h /a", 1, "g!has ended, h /a", false, false},
		"it did not count, others do":   {"g!is lost, h /a /b", 2, "g!has ended, h /a /b", false, false},
		"a service of no node":          {"g /a, h /a", 2, "g!has ended, h /a", false, true},
		"nothing is shown":              {"", 0, "", false, false},
	} {
		l, waits := Leave("g", listed(c.before), c.calls)
		if leaves := l.Relieved(listed(c.after)); waits != c.waits || leaves != c.leaves {
			t.Errorf("%s: waits %v, leaves %v; want %v, %v", name, waits, leaves, c.waits, c.leaves)
		}
	}
}

// listed reads guards. One that does not count still lists nodes.
func listed(text string) (list []Listed) {
	for one := range strings.SplitSeq(text, ", ") {
		if id, fault, lost := strings.Cut(one, "!"); lost {
			list = append(list, Listed{ID: id, Nodes: []string{"/a", "/b"}, Fault: fault})
		} else if words := strings.Fields(one); len(words) > 0 {
			list = append(list, Listed{ID: words[0], Nodes: words[1:], Lives: true})
		}
	}
	return list
}

// TestA13AGuardThatHasEndedDoesNotCount: it says so by a word without calls, and is not called silent afterwards.
func TestA13AGuardThatHasEndedDoesNotCount(t *testing.T) {
	var b Book
	b.Hear(0, says("g", 0, 0))
	b.Hear(ms, Word{ID: "g", Follows: true})
	for _, at := range []time.Duration{ms, Silent + ms} {
		why, v := b.Lacks(at, "/drive/arm"), b.Views(at)
		if why != "guard g has ended" || len(v) != 1 || v[0].Lives || v[0].Fault != Ended {
			t.Errorf("at %v: %q, %+v", at, why, v)
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
