// Package belief decides what an announcement or an answer of one node means for what an instance
// knows of that node. Answers, reads and announcements overtake each other, and an announcement
// names no request, so an old one may look new. So an announcement that ends a call is only a
// claim, as the call's answer is. Both together, or a read, make the state certain. Any other
// announcement is a reason to read.
//
// It knows neither the network nor other nodes, and sends nothing. The engine acts on the meaning.
//
// It may import the standard library and lifecycle only.
package belief

import (
	"slices"
	"time"

	"rstate/internal/lifecycle"
)

// Call is one change_state request to a node.
type Call struct {
	Number uint64
	Do     lifecycle.Transition
	From   lifecycle.State
	Sent   time.Duration
	// When it was sent, or when its deadline last started again, on the steady clock and in ROS time.
	Began, BeganROS time.Duration
	Old             bool // sent without a read right before
	Started         bool // the node was seen in transition
	Erred           bool // the node was seen in error processing
	Told            bool // its announcements have said where it led
	// Reads, each a second or more after the call, that found the node where it was.
	Still int
	// Its answer reports success; its announcement does; both agree.
	Answered, Arrived, Agreed bool
	Again                     bool // it is the second try of a request that was lost
	// When the node was first found after its refusal; later reads keep this.
	Found time.Duration
}

// Event is an announcement of a node.
type Event struct{ From, To lifecycle.State }

// announces reports whether the call causes this event.
func (c *Call) announces(e Event) bool {
	passing := c.Do.Passing()
	return e.To == passing || e.From == passing || (e.From == lifecycle.ErrorProcessing && c.Erred)
}

// note keeps what an event says about its call.
func (c *Call) note(e Event) {
	c.Erred = c.Erred || e.To == lifecycle.ErrorProcessing
	c.Told = c.Told || e.To.Primary()
}

// Over reports whether a read shows that a call has ended, whatever its answer. The node is in a
// primary state, and one of these holds: it has left the state where the call began, it was seen on
// its way, or it was found in the first state twice, a second or more after the request.
func (c *Call) Over(read lifecycle.State) bool {
	return read.Primary() && (read != c.From || c.Started || c.Still > 1)
}

// Agree notes, once, that the answer and the announcement of a call agree.
func (c *Call) Agree() bool {
	agrees := c.Answered && c.Arrived && !c.Agreed
	c.Agreed = c.Agreed || agrees
	return agrees
}

// Meaning is what follows from an announcement or an answer.
type Meaning uint8

// The meanings.
const (
	Nothing     Meaning = iota // it says what is known
	Unclear                    // it may be news: read
	Contradicts                // it is not what is believed: doubt, and read
	Moves                      // the node is on its way by the call in flight
	Ends                       // the call in flight has ended, as the node says
	Agrees                     // with what was claimed before
	Claims                     // the node has moved by itself: claim, and read
	Stale                      // to a call that is not awaited
	Late                       // to a call that nothing waits for any more: read
	Succeeds                   // the call in flight has ended, as its answer says
	Refuses                    // the node says no to the call in flight
)

// Known is what is known of a node besides its reads.
type Known struct {
	State   lifecycle.State
	Call    *Call // in flight
	Closed  *Call // last call that reported success
	Refused *Call // refused call; the read of the node's present state is open
}

// Heard says what an announcement means, and notes in the calls what it says of them. earlier says
// that it may announce an earlier call.
func (k Known) Heard(e Event, earlier bool) Meaning {
	c, done, refused := k.Call, k.Closed, k.Refused
	switch {
	case earlier && e.To == k.State:
		return Unclear
	case earlier:
		return Contradicts // it may be new after all
	case c != nil && c.announces(e):
		return c.heard(e)
	case c == nil && done != nil && !done.Agreed && done.announces(e):
		return done.confirm(e)
	case c == nil && refused != nil && refused.announces(e): // the reason of the refusal
		refused.note(e)
		if !e.To.Primary() || e.To == k.State {
			return Nothing
		}
		return Contradicts
	}
	return k.moved(e)
}

// heard takes an announcement of the call in flight.
func (c *Call) heard(e Event) Meaning {
	if !c.Started && (e.To.Primary() || e.From != c.From) {
		return Unclear // it may be the end of an earlier call of the same kind
	}
	c.Started = true
	c.note(e)
	if e.To.Primary() {
		return Ends
	}
	return Moves
}

// confirm takes an announcement of a call whose answer has ended it.
func (c *Call) confirm(e Event) Meaning {
	if e.To != c.Do.Target() {
		return Nothing
	}
	c.Arrived = true
	return Agrees
}

// moved takes an announcement that no call explains.
func (k Known) moved(e Event) Meaning {
	switch {
	case e.To == k.State:
		return Nothing
	case k.Call == nil && (e.From == k.State || k.State == lifecycle.Unknown):
		return Claims
	}
	return Contradicts
}

// Answered says what an answer to a call means, and notes it in the call. awaited says whether
// anything still waits for the call.
func (k Known) Answered(number uint64, yes, awaited bool) Meaning {
	c := k.Call
	switch done := k.Closed; {
	case c == nil && done != nil && done.Number == number && yes:
		done.Answered = true
		return Agrees
	case c == nil || c.Number != number:
		return Stale
	case !awaited:
		return Late
	case !yes:
		return Refuses
	}
	c.Answered = true
	return Succeeds
}

// announcedIn is how late the announcement of a call may come.
const announcedIn = 10 * time.Second

// Unheard is the earlier calls whose end was not announced yet, in their order.
type Unheard []*Call

// Add appends a call that no announcement has ended.
func (u *Unheard) Add(c *Call, now time.Duration) {
	u.forget(now)
	if c != nil && !c.Told && !c.Arrived {
		*u = append(*u, c)
	}
}

// Announced reports whether an event may announce one of these calls: the announcements of one node
// keep their order. Such an event counts for the earlier call, once. If that call's announcement
// was lost, the only cost is one more read.
func (u *Unheard) Announced(e Event, now time.Duration) bool {
	u.forget(now)
	k := slices.IndexFunc(*u, func(c *Call) bool { return c.announces(e) })
	if k >= 0 && e.To.Primary() {
		*u = (*u)[k+1:]
	}
	return k >= 0
}

// forget drops the calls whose announcement is no longer expected.
func (u *Unheard) forget(now time.Duration) {
	*u = slices.DeleteFunc(*u, func(c *Call) bool { return now > c.Sent+announcedIn })
}
