package grant

import (
	"fmt"
	"strings"
	"time"
)

// Basis is what the client of a goal that arms knew of the network, as far as its request shows.
type Basis struct {
	Seen string    // Register.Seen as the client has read it; empty: the request brings none
	Sent time.Time // when the client sent the request, by the wall clock of this host; zero: unknown
	Here bool      // the client is a process of this host
}

// Moment is one moment on both clocks.
type Moment struct {
	Steady time.Duration
	Wall   time.Time
}

// clocks compares the wall clock with the steady one, to tell whether wall times can be compared.
type clocks struct {
	now, mark Moment // the newest moment, and the one with which the next is compared
	read      bool   // there was one
	isSet     bool   // the wall clock was set
	set       time.Duration
}

const (
	// noise is how far apart two readings of one moment may be.
	noise = 5 * time.Millisecond
	// slewed is how much faster or slower a wall clock runs while it is slewed: 500 ppm, one part in slewed.
	slewed = 2000
	// waited is how long a request may wait in queues. A clock that was set before it left could otherwise
	// be taken for one that was not set since the end of an era: the request is sent, the clock is set back, the
	// era ends, and the request arrives with a time after that end.
	waited = time.Minute
)

// look takes a new moment. A wall clock that moved otherwise than the steady one was set.
func (c *clocks) look(now Moment) {
	c.now = now
	if !c.read {
		c.read, c.mark = true, now
		return
	}
	passed := now.Steady - c.mark.Steady
	off := now.Wall.Round(0).Sub(c.mark.Wall.Round(0)) - passed
	set := off.Abs() > noise+passed/slewed
	if set {
		c.isSet, c.set = true, now.Steady
	}
	if set || passed >= waited {
		c.mark = now
	}
}

// setSince reports whether the wall clock was set after a moment that look has seen.
func (c *clocks) setSince(at time.Duration) bool { return c.isSet && c.set > at }

// Look takes the moment of a step. Its clocks must not leave any time out.
func (r *Register) Look(now Moment) {
	if !r.clocks.read {
		r.at = now
	}
	r.clocks.look(now)
}

// Seen is the text that a client brings with a goal that arms. It names the run and the present era, so
// everything that ends an era changes it.
func (r *Register) Seen(run string) string { return fmt.Sprintf("%s/%d", run, r.Era()) }

// noSeen begins the reasons for which a goal without a seen must not arm.
const noSeen = "the request brings no `seen`, and "

// Outdated says why a goal must not arm for what its client knew; empty: it may. A goal that brings the present
// Seen may arm. One that brings none may arm if its client is a process of this host, and the time at which it
// was sent shows that no era has ended since. In the first era of a run the start counts as that end: a
// request to an earlier run does not reach this one.
func (r *Register) Outdated(run string, b Basis) string {
	if b.Seen != "" {
		return r.outdatedSeen(run, b.Seen)
	}
	switch c := &r.clocks; {
	case !b.Here:
		return noSeen + "its client is not known to be on this host"
	case b.Sent.IsZero() || !c.read:
		return noSeen + "rstate does not know when it was sent"
	case b.Sent.After(c.now.Wall):
		return noSeen + "says that it was sent in the future"
	case !b.Sent.After(r.at.Wall) && r.why == "":
		return noSeen + "was sent before rstate was started"
	case !b.Sent.After(r.at.Wall):
		return noSeen + "was sent before the newest disarm, stop or other change: " + r.why
	case c.setSince(r.at.Steady), c.setSince(c.now.Steady - waited):
		return noSeen + "the clock of this host was set, perhaps after it was sent"
	}
	return ""
}

// outdatedSeen is Outdated for a goal that brings a text.
func (r *Register) outdatedSeen(run, seen string) string {
	if seen == r.Seen(run) {
		return ""
	}
	why := "rstate was started again"
	if of, _, ok := strings.Cut(seen, "/"); ok && of == run {
		why = r.why
	}
	if why == "" {
		return "the `seen` of the request is not one of this network"
	}
	return "a disarm, a stop or another change has come since you looked: " + why
}
