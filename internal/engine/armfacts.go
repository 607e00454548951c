package engine

import (
	"fmt"
	"strings"
	"time"

	"rstate/internal/lease"
)

// The facts that arming rests on, and what is asked to learn them: more inputs and effects, kept together because they
// have to do with each other. The lists in input.go and effect.go are closed with these.

// TopicCounted says how many messages of a checked topic have come since it is listened to. A count is a fact, and comes
// ten times a second, whether it has grown or not; what rate that is, and by which clock, is decided here.
type TopicCounted struct {
	Node, Check int    // the check's place in the node's list
	Count       uint64 // begins anew where the listening had to
	Fault       string // why the topic cannot be counted; empty: it can
}

// CheckAnswered is the answer to a CallCheck.
type CheckAnswered struct {
	Node, Check int
	Ticket      uint64
	Fault       string // why the check does not pass; empty: it does
}

// LeaseHeard says that another instance of our name holds, or held, a lease of that term.
type LeaseHeard struct{ Term uint64 }

// UnsafeSeen says which of the names are in the graph that a node must not offer unless armed.
type UnsafeSeen struct {
	Node  int
	Names []string // as the file has them, in its order
}

// CountTopics says whether checked topics are to be counted. Nobody counts them before the first.
type CountTopics struct{ On bool }

// CallCheck asks a service whether the check passes. The answer, if one comes, is a CheckAnswered with the ticket.
type CallCheck struct {
	Node, Check int
	Ticket      uint64
}

// SendLease tells whoever is armed until when that may stay so.
type SendLease struct{ Message lease.Message }

// LeaseUnsent says that messages of the present term of the lease wait for the middleware, and what the newest said that
// has left.
type LeaseUnsent struct {
	Term   uint64
	Left   bool          // one of this term has left
	Proved time.Duration // what it said
}

func (LeaseHeard) input()    {}
func (LeaseUnsent) input()   {}
func (UnsafeSeen) input()    {}
func (SendLease) effect()    {}
func (TopicCounted) input()  {}
func (CheckAnswered) input() {}
func (CountTopics) effect()  {}
func (CallCheck) effect()    {}

func (c TopicCounted) String() string {
	if c.Fault != "" {
		return fmt.Sprintf("check %d of node %d cannot be counted: %s", c.Check, c.Node, c.Fault)
	}
	return fmt.Sprintf("%d messages for check %d of node %d have come", c.Count, c.Check, c.Node)
}

func (c CheckAnswered) String() string {
	if c.Fault != "" {
		return fmt.Sprintf("check %d of node %d does not pass (%d): %s", c.Check, c.Node, c.Ticket, c.Fault)
	}
	return fmt.Sprintf("check %d of node %d passes (%d)", c.Check, c.Node, c.Ticket)
}

func (u UnsafeSeen) String() string {
	if len(u.Names) == 0 {
		return fmt.Sprintf("node %d offers nothing that is unsafe", u.Node)
	}
	return fmt.Sprintf("node %d offers %s", u.Node, strings.Join(u.Names, ", "))
}

func (l LeaseHeard) String() string { return fmt.Sprintf("another instance holds lease %d", l.Term) }

func (l LeaseUnsent) String() string {
	if !l.Left {
		return fmt.Sprintf("no message of lease %d has left", l.Term)
	}
	return fmt.Sprintf("the newest message of lease %d that has left says it was proven at %v", l.Term, l.Proved)
}

func (e SendLease) String() string {
	m := e.Message
	return fmt.Sprintf("say of lease %d (%d) that it was proven at %v and is good for %v", m.Term, m.Seq, m.Proved, m.Valid)
}

func (e CountTopics) String() string {
	if e.On {
		return "count what comes on checked topics"
	}
	return "count checked topics no more"
}

func (e CallCheck) String() string {
	return fmt.Sprintf("ask for check %d of node %d", e.Check, e.Node)
}
