package arming

import (
	"slices"
	"time"
)

// Answer is the answer of a node to a request to arm or disarm.
type Answer struct {
	Call    uint64
	Arm     bool // to an arm, else to a disarm
	Yes     bool
	Words   string // its words, if it refused
	At      time.Duration
	Several bool   // more than one process has the node's name
	Latest  uint64 // the newest call of all nodes
}

// kind is what an answer is about.
type kind uint8

const (
	yesArm              kind = iota // to the newest arm
	yesArmOvertaken                 // to the newest arm, after which a disarm was sent
	yesArmOvertakenVoid             // the same, from before a stall or an earlier doubt
	yesArmVoid                      // to an arm that no longer counts
	noArm                           // to the newest arm
	noArmVoid                       // to an arm that no longer counts
	yesDisarm                       // to a disarm after the newest arm
	// The same, but from another process perhaps, or the node may have handled the arm later.
	yesDisarmUnclear
	yesDisarmBefore // first yes to a disarm from before the newest arm
	noDisarm        // to a disarm after the newest arm
	disarmVoid      // to a disarm that no longer counts
	kinds
)

var kindNames = [kinds]string{
	"yes to arm", "yes to arm, overtaken", "yes to arm, overtaken and void", "yes to arm, void", "no to arm", "no to arm, void",
	"yes to disarm", "yes to disarm, unclear", "yes to disarm from before", "no to disarm", "disarm, void",
}

// standing is the belief when the answer came, and whether the node is being disarmed.
type standing uint8

const (
	off standing = iota
	offDuty
	maybe
	maybeDuty
	on
	onDuty
	standings
)

var standingNames = [standings]string{"disarmed", "disarmed, asked", "may be armed", "may be armed, asked", "armed", "armed, asked"}

// Outcome is what follows from an answer.
type Outcome uint8

// The outcomes. The engine has to act on Distrusted, Repeated and Armed.
const (
	Stale      Outcome = iota // proves nothing, not even that the process lives
	Heard                     // changes nothing
	Distrusted                // the node may be armed although it should not be: begin to disarm it
	// A disarm was handled before or after the arm: send a later one now, which decides.
	Repeated
	Armed      // the node is armed
	RefusedArm // the node refuses to arm
	Doubted    // it may have handled a disarm after the arm, so it may be disarmed
	Confirmed  // it is disarmed
	Refused    // the node refuses to disarm
)

var outcomeNames = [...]string{"stale", "heard", "distrusted", "repeated", "armed", "refused arm", "doubted", "confirmed", "refused"}

func (o Outcome) String() string { return outcomeNames[o] }

// table has the outcome of every kind of answer in every standing.
var table = [kinds][standings]Outcome{
	yesArm:              {off: Distrusted, offDuty: Distrusted, maybe: Armed, maybeDuty: Repeated, on: Armed, onDuty: Repeated},
	yesArmOvertaken:     {off: Distrusted, offDuty: Distrusted, maybe: Distrusted, maybeDuty: Repeated, on: Distrusted, onDuty: Repeated},
	yesArmOvertakenVoid: {off: Distrusted, offDuty: Distrusted, maybe: Distrusted, maybeDuty: Heard, on: Distrusted, onDuty: Heard},
	yesArmVoid:          {off: Distrusted, offDuty: Distrusted, maybe: Heard, maybeDuty: Heard, on: Heard, onDuty: Heard},
	noArm:               {off: RefusedArm, offDuty: Heard, maybe: RefusedArm, maybeDuty: Heard, on: RefusedArm, onDuty: Heard},
	noArmVoid:           {off: Heard, offDuty: Heard, maybe: Heard, maybeDuty: Heard, on: Heard, onDuty: Heard},
	yesDisarm:           {off: Confirmed, offDuty: Confirmed, maybe: Confirmed, maybeDuty: Confirmed, on: Confirmed, onDuty: Confirmed},
	yesDisarmUnclear:    {off: Heard, offDuty: Heard, maybe: Heard, maybeDuty: Heard, on: Heard, onDuty: Heard},
	yesDisarmBefore:     {off: Heard, offDuty: Heard, maybe: Heard, maybeDuty: Heard, on: Doubted, onDuty: Doubted},
	noDisarm:            {off: Refused, offDuty: Refused, maybe: Refused, maybeDuty: Refused, on: Refused, onDuty: Refused},
	disarmVoid:          {off: Heard, offDuty: Heard, maybe: Heard, maybeDuty: Heard, on: Heard, onDuty: Heard},
}

// Answered takes an answer of the node and returns the outcome.
func (n *Node) Answered(in Answer) Outcome {
	first := n.settle(in.Call)
	if in.Call > n.asked.call || in.Call <= n.asked.void && !in.Arm && !first {
		return Stale
	}
	if in.Call == n.asked.arm {
		n.asked.armOpen = false
	}
	if in.Call == n.asked.call {
		n.asked.open = false
	}
	o := table[n.kindOf(in, first)][n.standing()]
	n.apply(o, in)
	return o
}

// settle notes an answer, and reports whether it is the first to an unanswered disarm.
func (n *Node) settle(call uint64) bool {
	k := slices.IndexFunc(n.asked.unanswered, func(r request) bool { return r.call == call })
	if k < 0 {
		return false
	}
	n.asked.unanswered = slices.Delete(n.asked.unanswered, k, k+1)
	return true
}

func (n *Node) kindOf(in Answer, first bool) kind {
	if in.Arm {
		return n.armKindOf(in)
	}
	a := &n.asked
	switch {
	case in.Call < a.arm && in.Yes && first:
		return yesDisarmBefore
	case in.Call < a.arm, in.Call <= a.void:
		return disarmVoid
	case !in.Yes:
		return noDisarm
	case in.Several, a.armOpen && (in.Call < a.call || a.at < a.armAt+Every):
		// The disarm may have overtaken the arm.
		return yesDisarmUnclear
	}
	return yesDisarm
}

func (n *Node) armKindOf(in Answer) kind {
	a := &n.asked
	newest, void, overtaken := in.Call == a.arm, in.Call <= a.void, in.Call < a.call
	switch {
	case !in.Yes && newest && !void:
		return noArm
	case !in.Yes:
		return noArmVoid
	case newest && overtaken && void:
		return yesArmOvertakenVoid
	case newest && overtaken:
		return yesArmOvertaken
	case newest && !void:
		return yesArm
	}
	return yesArmVoid
}

func (n *Node) standing() standing {
	s := off
	switch n.belief {
	case MayBeArmed:
		s = maybe
	case IsArmed:
		s = on
	}
	if n.duty {
		s++
	}
	return s
}

// apply changes the belief by an outcome.
func (n *Node) apply(o Outcome, in Answer) {
	switch o {
	case Distrusted, Doubted:
		n.belief = MayBeArmed
	case Repeated:
		n.asked.void = in.Latest
	case Armed:
		n.belief, n.vouched = IsArmed, in.At
	case RefusedArm:
		n.refused = Refusal(in.Words)
		if n.clean { // else a refusal to arm may mean that it is armed already
			n.belief = Disarmed
		}
	case Confirmed:
		n.Confirm()
		n.refused = ""
	case Refused:
		n.refused = Refusal(in.Words)
	}
}

// Refusal puts a node's refusal into words.
func Refusal(words string) string {
	if words == "" {
		return "answered no"
	}
	return "answered no: " + words
}
