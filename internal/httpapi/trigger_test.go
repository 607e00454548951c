package httpapi

import (
	"fmt"
	"testing"
)

// TestTriggers: a client sets, replaces and removes a trigger. What cannot be one is refused, and needs what other
// writing needs.
func TestTriggers(t *testing.T) {
	b := start(t)
	const at = "/simulation/0/trigger/7"
	b.want(b.send("PUT", at, `{"after": 100, "do": "pause"}`), 400, "has no loop")
	b.fake.set(func() { b.fake.triggers = map[uint64]*Trigger{} })
	b.want(b.send("PUT", at, `{"after": 100, "at_s": 1.5, "do": "pause", "reason": "look"}`), 204, "")
	b.want(b.send("PUT", at, `{"after": 3, "do": "succeed"}`), 204, "")
	set := func() (text string) {
		b.fake.set(func() {
			for n, one := range b.fake.triggers {
				text += fmt.Sprintf("%d %+v", n, *one)
			}
		})
		return text
	}
	if got := set(); got != "7 {After:3 At:0 Do:succeed Reason:}" {
		t.Errorf("set is %s", got)
	}
	for _, bad := range []string{`{}`, `{"do": "explode"}`, `{"do": "pause", "after": -1}`,
		`{"do": "pause", "at_s": -1}`, `{"do": "pause", "at_s": 1e18}`} {
		if a := b.send("PUT", at, bad); a.StatusCode != 400 && a.StatusCode != 422 {
			t.Errorf("%s: %d: %s", bad, a.StatusCode, a.text)
		}
	}
	for _, path := range []string{"/simulation/0/trigger/0", "/simulation/0/trigger/4294967296",
		"/simulation/0/trigger/x"} {
		if a := b.send("DELETE", path, ""); a.StatusCode != 400 && a.StatusCode != 422 {
			t.Errorf("%s: %d: %s", path, a.StatusCode, a.text)
		}
	}
	b.want(b.send("PUT", "/simulation/9/trigger/7", `{"after": 3, "do": "stop"}`), 404, "")
	b.want(b.send("PUT", at, `{"after": 3, "do": "stop"}`, "Forwarded: "), 403, "needs a token")
	b.want(b.send("DELETE", at, ""), 204, "")
	if got := set(); got != "" {
		t.Errorf("after the removal there is %s", got)
	}
}
