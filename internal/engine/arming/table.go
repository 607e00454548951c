package arming

import "time"

// Answer is the answer of a node to a request to arm or disarm.
type Answer struct {
	Call    uint64
	Arm     bool // to an arm, else to a disarm
	Yes     bool
	Granted bool   // the present grant has sent the process an arm
	Words   string // its words, if it refused
	At      time.Duration
	Several bool   // more than one process has the node's name
	Latest  uint64 // the newest call of all nodes
}

// kind is what an answer is about.
type kind uint8

const (
	yesArm          kind = iota // to the newest arm, which is granted
	yesArmOlder                 // to an older arm; the newest one is granted
	yesArmUngranted             // to an arm that no grant permits any more, or after which a disarm was sent
	noArm                       // to the newest arm
	noArmLast                   // to the last arm without an answer, after which a disarm was sent
	noArmOlder                  // to any other arm
	yesDisarm                   // to a disarm that was sent after every arm had been answered
	yesDisarmFirst              // while an arm has no answer: the first
	yesDisarmLater              // the same, to one that was sent long enough after the first
	// To a disarm beside an arm, from another process perhaps, or the second one too soon.
	yesDisarmUnclear
	yesDisarmBefore // first yes to a disarm from before the newest arm
	noDisarm        // to a disarm after the newest arm
	disarmVoid      // to a disarm that no longer counts
	kinds
)

var kindNames = [kinds]string{
	"yes to arm", "yes to an older arm", "yes to arm, ungranted", "no to arm", "no to the last arm",
	"no to an older arm",
	"yes to disarm", "yes to disarm, first", "yes to disarm, settled", "yes to disarm, unclear",
	"yes to disarm from before",
	"no to disarm", "disarm, void",
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

var standingNames = [standings]string{
	"disarmed", "disarmed, asked", "may be armed", "may be armed, asked", "armed", "armed, asked",
}

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
	Settles    // it is disarmed, but an arm may still take effect
	Confirmed  // it is disarmed
	Refused    // the node refuses to disarm
)

var outcomeNames = [...]string{
	"stale", "heard", "distrusted", "repeated", "armed", "refused arm", "doubted", "settles", "confirmed", "refused",
}

func (o Outcome) String() string { return outcomeNames[o] }

// row is the outcomes of one kind of answer: off, offDuty, maybe, maybeDuty, on, onDuty.
type row [standings]Outcome

func all(o Outcome) row { return row{o, o, o, o, o, o} }

// table has the outcome of every kind of answer in every standing.
var table = [kinds]row{
	yesArm:           {Distrusted, Distrusted, Armed, Repeated, Armed, Repeated},
	yesArmOlder:      {Distrusted, Distrusted, Heard, Repeated, Heard, Repeated},
	yesArmUngranted:  {Distrusted, Distrusted, Distrusted, Repeated, Distrusted, Repeated},
	noArm:            {RefusedArm, Heard, RefusedArm, Heard, RefusedArm, Heard},
	noArmLast:        {Heard, Heard, Heard, Repeated, Heard, Repeated},
	noArmOlder:       all(Heard),
	yesDisarm:        all(Confirmed),
	yesDisarmFirst:   {Heard, Heard, Settles, Settles, Settles, Settles},
	yesDisarmLater:   all(Confirmed),
	yesDisarmUnclear: all(Heard),
	yesDisarmBefore:  {Heard, Heard, Heard, Heard, Doubted, Doubted},
	noDisarm:         all(Refused),
	disarmVoid:       all(Heard),
}

// Answered takes an answer of the node and returns the outcome.
func (n *Node) Answered(in Answer) Outcome {
	l := &n.asked
	if in.Arm && in.Yes && in.Call <= l.born { // of a process before, which may be this one; see Succeed
		k := yesArmUngranted
		if in.Granted {
			k = yesArmOlder
		}
		o := table[k][n.standing()]
		n.apply(o, in)
		return o
	}
	sent, first := l.disarmAnswered(in.Call)
	if in.Call > l.call || in.Call <= l.born || in.Call <= l.void && !in.Arm && !first {
		return Stale
	}
	last := false
	if in.Arm {
		last = l.armAnswered(in.Call, in.Latest)
	}
	if in.Call == l.call {
		l.open = false
	}
	k := n.disarmKindOf(in, sent, first)
	if in.Arm {
		k = n.armKindOf(in, last)
	}
	o := table[k][n.standing()]
	n.apply(o, in)
	if k == yesArmOlder { // a refusal of the newest one may mean that it is armed already
		n.clean = false
	}
	return o
}

func (n *Node) armKindOf(in Answer, last bool) kind {
	l := &n.asked
	overtaken := l.call > l.arm
	newest := in.Call == l.arm && in.Call > l.void
	switch {
	case !in.Yes && last && overtaken:
		return noArmLast
	case !in.Yes && newest:
		return noArm
	case !in.Yes:
		return noArmOlder
	case !in.Granted || overtaken:
		return yesArmUngranted
	case newest:
		return yesArm
	}
	return yesArmOlder
}

func (n *Node) disarmKindOf(in Answer, sent request, first bool) kind {
	l := &n.asked
	switch {
	case in.Call < l.arm && in.Yes && first:
		return yesDisarmBefore
	case in.Call < l.arm, in.Call <= l.void:
		return disarmVoid
	case !in.Yes:
		return noDisarm
	case in.Several:
		return yesDisarmUnclear
	case len(l.arms) == 0 && in.Call > l.clear:
		return yesDisarm
	case len(l.arms) == 0, !first:
		return yesDisarmUnclear
	case l.first == 0:
		return yesDisarmFirst
	case sent.at >= l.first+n.settles:
		return yesDisarmLater
	}
	return yesDisarmUnclear
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
		n.belief, n.asked.first = MayBeArmed, 0
	case Repeated: // the time of the disarm that decides begins now
		n.asked.first, n.since = 0, in.At
	case Armed:
		n.belief, n.vouched = IsArmed, in.At
	case RefusedArm:
		n.refused = Refusal(in.Words)
		if n.clean && len(n.asked.arms) == 0 { // else a refusal to arm may mean that it is armed already
			n.belief = Disarmed
		}
	case Settles:
		n.belief, n.refused, n.asked.first = MayBeArmed, "", in.At
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
