//go:build !ros

package main

import "testing"

func TestVerbsThatNeedROSSaySo(t *testing.T) {
	for _, verb := range []string{"run", "up", "send", "status", "watch", "node", "doctor", "guard", "demo"} {
		if code, out, errs := invoke(verb, "x"); code != exitNoROS || out != "" || !has(errs, "make build") {
			t.Errorf("%s: code %d, %q, %q", verb, code, out, errs)
		}
	}
}
