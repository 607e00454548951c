//go:build ros

package client

import (
	"cmp"
	"os"
	"strconv"
	"time"
)

// everywhereVariable tells a process that it discovers all participants, also if a daemon has noted
// where it listens. Its value is when the search began, in nanoseconds of Unix time.
const everywhereVariable = "RSTATE_LOOK_EVERYWHERE"

// LookEverywhere is what Client.Widen adds to the environment.
func LookEverywhere(began time.Time) string {
	return everywhereVariable + "=" + strconv.FormatInt(began.UnixNano(), 10)
}

// lookedSince returns when an earlier image of this process began to look for its daemon; zero: none did.
func lookedSince() time.Time {
	at, err := strconv.ParseInt(os.Getenv(everywhereVariable), 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(0, at)
}

// Widened reports whether this process was started over to look everywhere.
func Widened() bool { return !lookedSince().IsZero() }

// misled reports whether the client looks only at the place that its daemon has noted, and found
// nothing there for long enough.
func (c *Client) misled(waited time.Duration) bool {
	if c.Widen == nil || !c.session.LooksAtOnePlace() || waited < cmp.Or(min(c.widenIn, widenAt(c.Patience)), widenAt(c.Patience)) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state == nil && !c.published(c.daemon+"/state")
}

// widenAt returns how long a client with that patience looks only where its daemon has noted that it
// listens. It leaves most of the patience for looking everywhere.
func widenAt(patience time.Duration) time.Duration { return min(silentFor, patience/2) }
