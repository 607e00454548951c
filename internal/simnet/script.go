package simnet

import (
	"time"

	"rstate/internal/lifecycle"
)

// Script is how one node behaves. Its zero value is a good node: there from the beginning, unconfigured, quick, and
// willing.
type Script struct {
	State    lifecycle.State // at its birth; Unknown: unconfigured
	Armed    bool            // at its birth
	Born     time.Duration   // when its process starts
	Never    bool            // its process never starts
	Matched  time.Duration   // how long after its discovery requests still get lost
	Parallel bool            // answers while a callback runs; else it answers nothing until the callback has returned
	On       []On            // the first that fits is used
	Arm      []Reply         // one per request to arm, the last for all that follow; none: yes at once
	Disarm   []Reply         // the same of requests to disarm
	Reads    []Loss          // one per get_state, and what follows is good
	Watched  []Loss          // the same of the reads of the watch (S5)
	Steps    []Step          // in the stepped loop; the first that fits is used
}

// On is how a node behaves in one transition.
type On struct {
	Do      string        // the transition's label; empty: any
	Times   int           // how often this holds; 0: always
	Takes   time.Duration // the callback
	End     End
	OnError time.Duration // the callback on_error, where End calls it
	Loss    Loss          // of the request or its answer
	Late    time.Duration // how much later than usual the answer comes
	Events  Events
	Report  string // a sub-state that the callback reports before it ends
}

// End is how a callback ends.
type End uint8

// The ends of a callback.
const (
	Succeed  End = iota
	Refuse       // FAILURE: the node stays where it was
	Err          // ERROR, and on_error succeeds: the node is unconfigured
	ErrFatal     // ERROR, and on_error fails: the node is finalized
	Lie          // answers with success and stays where it was, silently
	Die          // the process ends in the middle
	Hang         // the callback never returns
)

// Loss is what a wire does to a request and its answer.
type Loss uint8

// The losses.
const (
	None        Loss = iota
	LoseAnswer       // what was asked for happens, unsaid
	LoseRequest      // nothing happens
	Double           // the answer comes twice
)

// Events is what becomes of the transition events of a callback.
type Events uint8

// What may become of events.
const (
	Sent   Events = iota
	Lost          // they are not heard
	Behind        // they come long after the answer
)

// Reply is how a node takes one request to arm or to disarm.
type Reply struct {
	Takes  time.Duration
	No     bool
	Says   string
	Silent bool // it never answers, and does nothing
	Mute   bool // it does what it is asked to, and never answers
}

func legal(from lifecycle.State, label string) bool {
	switch label {
	case "configure":
		return from == lifecycle.Unconfigured
	case "cleanup", "activate":
		return from == lifecycle.Inactive
	case "deactivate":
		return from == lifecycle.Active
	case "shutdown":
		return from == lifecycle.Unconfigured || from == lifecycle.Inactive || from == lifecycle.Active
	}
	return false
}

func (n *node) on(label string) On {
	for k := range n.script.On {
		o := &n.script.On[k]
		if o.Do != "" && o.Do != label {
			continue
		}
		if o.Times > 0 && n.used[k] >= o.Times {
			continue
		}
		n.used[k]++
		return *o
	}
	return On{}
}

func (n *node) reply(arm bool) Reply {
	list, count := n.script.Disarm, &n.disarms
	if arm {
		list, count = n.script.Arm, &n.arms
	}
	if len(list) == 0 {
		return Reply{}
	}
	k := min(*count, len(list)-1)
	*count++
	return list[k]
}

func (n *node) readLoss(watch bool) Loss {
	list, count := n.script.Reads, &n.readings
	if watch {
		list, count = n.script.Watched, &n.watchings
	}
	if *count >= len(list) {
		return None
	}
	*count++
	return list[*count-1]
}
