//go:build ros

package app

import (
	"testing"

	"rstate/internal/engine"
)

// TestS1WhoHasToListen: a start that has claimed its name listens only where more than the loopback interface is in reach.
func TestS1WhoHasToListen(t *testing.T) {
	for _, c := range []struct {
		name       string
		session    *session
		claimed    bool
		wantListen engine.Listen
	}{
		{"claimed, on this host alone", &session{soon: true, near: true}, true, engine.Listen{Most: listenSoon}},
		{"not claimed", &session{soon: true, near: true}, false, engine.Listen{Least: listenLeast, Most: listenSoon}},
		{"others are in reach", &session{soon: true}, true, engine.Listen{Least: listenLeast, Most: listenSoon}},
		{"the profile is the user's", &session{}, true, engine.Listen{Least: listenLeast, Most: listenLate}},
	} {
		if got := c.session.listen(c.claimed); got != c.wantListen {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.wantListen)
		}
	}
}
