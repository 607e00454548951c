//go:build ros

package session

import (
	"testing"
	"time"
)

// TestS1WhoHasToListen: a start that has claimed its name listens only where more than the loopback interface is in
// reach.
func TestS1WhoHasToListen(t *testing.T) {
	for _, c := range []struct {
		name        string
		session     *Session
		claimed     bool
		least, most time.Duration
	}{
		{"claimed, on this host alone", &Session{soon: true, near: true}, true, 0, listenSoon},
		{"not claimed", &Session{soon: true, near: true}, false, listenLeast, listenSoon},
		{"others are in reach", &Session{soon: true}, true, listenLeast, listenSoon},
		{"the profile is the user's", &Session{}, true, listenLeast, listenLate},
	} {
		if least, most := c.session.Listen(c.claimed); least != c.least || most != c.most {
			t.Errorf("%s: %v to %v, want %v to %v", c.name, least, most, c.least, c.most)
		}
	}
}
