package engine

import (
	"slices"
	"time"

	"rstate/internal/lifecycle"
)

// The one change_state that is in flight to a node, from its being sent to what makes its end certain.

// call is the one change_state in flight.
type call struct {
	number                    uint64
	do                        lifecycle.Transition
	from                      lifecycle.State
	sent                      time.Duration
	began                     Time          // the same on every clock, or when its deadline last started again
	old                       bool          // where the node was had not been read right before
	started                   bool          // the node was seen on its way
	erred                     bool          // the node was seen in error processing
	told                      bool          // its events have said where it led
	still                     int           // reads, each a second or more after the call, that found the node where it was
	answered, arrived, agreed bool          // its answer says that it went well; its event does; both did
	again                     bool          // it is the second try of a request that was lost
	found                     time.Duration // when the node was found first after its no; it may be read again and again
}

// send puts a transition on the wire, one at a time.
func (s *State) send(i int, t lifecycle.Transition) {
	n := &s.nodes[i]
	s.forgetUnheard(n) // also of a node that announces nothing
	if c := n.newest; c != nil && !c.told && !c.arrived {
		n.unheard = append(n.unheard, c)
	}
	n.call = &call{number: s.next(), do: t, from: n.state, old: !s.fresh(i), sent: s.now.Steady, began: s.now}
	n.newest = n.call
	n.sent, n.asked, n.firm, n.closed = s.now.Steady, true, false, nil
	if s.work != nil {
		s.work.fault.asked = true
	}
	s.do(CallNode{Node: i, Call: n.call.number, Transition: t})
	s.recordSent(i, t.Label)
	s.at(i, s.now.Steady+readEvery)
	s.touchAround(i) // who goes next is read meanwhile
	s.report.changed = true
}

// callAnswered takes what a node says of its transition. Success is a claim that lets others go on; its event or a read
// makes it firm. An answer to a call that we no longer wait for informs nobody.
func (s *State) callAnswered(in CallAnswered) {
	s.answered(in.Node, in.Call)
	s.responds(in.Node)
	n := &s.nodes[in.Node]
	c := n.call
	switch {
	case c != nil && c.number == in.Call && (s.work == nil || !n.leg.open()): // it comes too late to decide anything
		s.endCall(in.Node)
		n.state, n.firm, n.polled = lifecycle.Unknown, false, 0
		s.read(in.Node)
	case c != nil && c.number == in.Call && in.Success:
		n.call, n.closed, c.answered = nil, c, true
		if n.firm && n.state == c.do.Target() && n.at >= c.sent {
			break // a read was faster
		}
		s.claim(in.Node, c.do.Target())
	case c != nil && c.number == in.Call:
		s.endCall(in.Node)
		n.firm, n.leg.refused = false, c
		s.read(in.Node)
	case c == nil && n.closed != nil && n.closed.number == in.Call && in.Success:
		n.closed.answered = true
		s.agree(in.Node, n.closed)
	default:
		return
	}
	s.heardFrom(in.Node)
	s.report.changed = true
	s.touch(in.Node)
}

// announcedIn is how late the announcement of a step may come.
const announcedIn = 10 * time.Second

// belated says whether what is announced may be of an earlier step, of which it has not been heard yet: announcements overtake
// none of their own node. It is taken for that step's, once; where that one's was lost the node is only asked once more.
func (s *State) belated(in EventHeard) bool {
	n := &s.nodes[in.Node]
	s.forgetUnheard(n)
	k := slices.IndexFunc(n.unheard, func(c *call) bool { return c.announces(in) })
	if k >= 0 && in.To.Primary() {
		n.unheard = n.unheard[k+1:]
	}
	return k >= 0
}

// forgetUnheard gives up the announcements that are not waited for any more.
func (s *State) forgetUnheard(n *node) {
	n.unheard = slices.DeleteFunc(n.unheard, func(c *call) bool { return s.now.Steady > c.sent+announcedIn })
}

// announces says whether an event is one that the call gives rise to.
func (c *call) announces(in EventHeard) bool {
	passing := c.do.Passing()
	return in.To == passing || in.From == passing || (in.From == lifecycle.ErrorProcessing && c.erred)
}

// arrived takes the event that ends the call in flight.
func (s *State) arrived(i int, state lifecycle.State) {
	n := &s.nodes[i]
	c := n.call
	n.call = nil
	s.claim(i, state)
	if state == c.do.Target() {
		c.arrived, n.closed = true, c
		return
	}
	n.leg.refused = c
	s.read(i)
}

// vouched says whether the answer to the node's last step, or its event, is what says that it is where it is believed to
// be. What an event of no known request says is less: it may be of a step from before that one.
func (n *node) vouched() bool {
	c := n.closed
	return c != nil && !c.agreed && !n.firm && n.state == c.do.Target()
}

// agree takes what a call's answer and its event say together as firm, once.
func (s *State) agree(i int, c *call) {
	n := &s.nodes[i]
	if c.answered && c.arrived && !c.agreed {
		c.agreed = true
		if n.state == c.do.Target() {
			s.believe(i, n.state)
		}
	}
}

// over says whether a call has ended in what was read, whatever becomes of its answer: the node rests, and is there, has
// been on its way, or was found where it began twice, a second or more after the request.
func (c *call) over(read lifecycle.State) bool {
	return read.Primary() && (read != c.from || c.started || c.still > 1)
}

// endCall forgets the call in flight. Who waits for node i may have hung on where it was going.
func (s *State) endCall(i int) {
	s.nodes[i].call = nil
	s.touchAround(i)
}
