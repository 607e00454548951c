package engine

import (
	"fmt"
	"strings"
	"time"
)

// One instance per name. On one host a lock ensures this before anything is made on ROS. The rest
// of this file concerns instances on other hosts or in other containers.
//
// A start only listens until it knows that no other instance holds the name. If another instance
// holds it, the start yields. If two instances start together, or find each other after a
// partition, the smaller instance id stays. Ids begin with the time of the start, so that is the
// older instance.
//
// An instance that holds the name yields only to an instance that has just answered it. An instance
// that stood still a moment ago gives no answer, and yields to any answer. So both instances agree on
// the one that stays, whatever they hear first.

// naming is what is believed of other instances with this name.
type naming struct {
	doubtBy time.Duration // until then another instance has to show that it lives; 0: there is none
	rival   NameTaken     // newest message of another instance
	heard   bool          // rival is valid, and still shown as a warning
	until   time.Duration // end of that warning
	others  int           // nodes of this name that are no rstate
}

// Times and exit codes of S1.
const (
	// How long another instance of the name has to show that it lives.
	ghostIn      = time.Second
	rivalFor     = 3 * time.Second // how long the warning of a rival stays after its last message
	codeBadInput = 2               // the network file asks for something that is impossible here
	// Another instance holds the name; also the code of a rejected goal.
	codeNameTaken = 3
)

// notOurs is why a start that only listens accepts no goal. Only this process itself can ask at
// that time.
const notOurs = "it is not known yet whether another rstate has the name"

// takeName ends the listening of a start: the name belongs to this instance, so it may answer
// clients and ask nodes. After a stall it keeps the name.
func (ro *roster) takeName() {
	ro.startup.writes = true
	if !ro.startup.named {
		ro.startup.named, ro.changed = true, true
		ro.do(TakeName{})
	}
	ro.touchAll()
}

// nameSeen waits for a message of an instance that only the graph has shown, before the daemon
// writes anything.
func (st *standing) nameSeen() {
	if !st.startup.writes {
		st.doubtName()
	}
}

func (st *standing) doubtName() {
	st.name.doubtBy = st.now.Steady + ghostIn
	st.wakeWhole(st.name.doubtBy)
}

func (s *State) nameTaken(in NameTaken) {
	older := in.Instance < s.opt.Instance
	switch {
	case in.Instance == s.opt.Instance, s.yields():
	case !s.startup.named && (in.Answered || in.Renews && (in.Holds || older)):
		s.exit(codeNameTaken, s.whoElse(in)+"; this one has touched nothing and ends; "+renamed)
	case s.startup.named && in.Answered && (in.Stood || !s.startup.writes):
		// What it held is from before it stood still.
		in.Stood = true
		s.yield(in, "this one has stood still while that one took over, and ends without touching anything")
	case !s.startup.writes:
		s.noteRival(in)
		s.doubtName() // the other has to show that it lives, or yields
	case in.Answered && older:
		s.yield(in, "this one is the younger and ends")
	default:
		s.noteRival(in)
	}
}

// noteRival logs another instance once, and shows it for a while.
func (st *standing) noteRival(in NameTaken) {
	n := &st.name
	if !n.heard || n.rival.Instance != in.Instance {
		st.record(Entry{Kind: EntryNode, Event: EventThere, Node: st.opt.Name,
			Sentence: st.whoElse(in) + "; this one stays"})
		st.changed = true
	}
	if n.rival.Instance == in.Instance {
		if in.Who == "" {
			in.Who = n.rival.Who // not every message of it names the process
		}
		st.changed = st.changed || in.Who != n.rival.Who
	}
	n.rival, n.heard, n.until = in, true, st.now.Steady+rivalFor
	st.wakeWhole(n.until)
}

// forgetRival ends the warning of a rival that was not heard for a while.
func (st *standing) forgetRival() {
	if st.name.heard && st.now.Steady >= st.name.until {
		st.name.heard = false
		st.changed = true
	}
}

func (f *facts) whoElse(in NameTaken) string {
	who := "instance " + in.Instance
	if in.Who != "" {
		who += ", " + in.Who
	}
	return fmt.Sprintf("another rstate has the name %s (%s)", f.opt.Name, who)
}

// renamed tells the user how to run both instances.
const renamed = "to run both, give one another name with --ros-args -r __node:=NAME"

// yields reports whether another instance has the network now.
func (st *standing) yields() bool { return st.closing.stop != nil && st.closing.stop.yields }

// yield leaves the network to another instance. This instance disarms what it has armed itself, and
// leaves the rest.
func (s *State) yield(in NameTaken, reason string) {
	why := s.whoElse(in) + "; " + reason + "; " + renamed
	s.record(Entry{Kind: EntryEnd, Sentence: "rstate yields", Cause: why})
	s.endEra(why)
	s.closing.stop = &stopping{by: s.now.Steady + exitDisarm, why: why, yields: true, stood: in.Stood}
	s.wakeWhole(s.closing.stop.by)
	s.endOpenGoals()
	s.work = nil
	disarms := false
	for i := range s.nodes {
		n := &s.nodes[i]
		n.arm.Drop()
		if n.armedByUs() && !in.Stood {
			s.disarm(i)
			disarms = true
		}
	}
	if disarms {
		s.leaveArmed()
	}
}

// leaveArmed shows that the network is leaving armed, although no work runs. The engine no longer
// watches the proofs, so it must not show the network as armed, and no peer may rely on it.
func (s *State) leaveArmed() {
	t, ok := s.leaves()
	if !ok || s.settled == "" || s.closing.ended != nil {
		return
	}
	must(s.judge.Preempt(t.Name))
	s.showState()
}

// armedByUs reports whether the node may be armed because this instance asked for it.
func (n *node) armedByUs() bool { return n.arm.Ours() && n.arm.Belief() != Disarmed }

// exitYielding ends a yielding process as soon as the nodes that it has armed are disarmed.
func (s *State) exitYielding() bool {
	armed := s.named(func(n *node) bool { return n.armedByUs() && !s.closing.stop.stood })
	switch {
	case len(armed) == 0:
		s.exit(codeNameTaken, s.closing.stop.why)
	case s.now.Steady < s.closing.stop.by:
		return false
	default:
		s.exit(5, s.closing.stop.why+"; not confirmed to be disarmed: "+strings.Join(armed, ", "))
	}
	return true
}

// nameShared notes nodes of this name that are no rstate. ROS allows them, and they answer none of
// the daemon's requests.
func (st *standing) nameShared(in NameShared) {
	if in.Others == st.name.others {
		return
	}
	st.name.others = in.Others
	st.changed = true
	event, sentence := EventThere, st.sharedName()
	if in.Others == 0 {
		event, sentence = EventGone, "no other node has the name "+st.opt.Name+" any more"
	}
	st.record(Entry{Kind: EntryNode, Event: event, Node: st.opt.Name, Sentence: sentence})
}

func (st *standing) sharedName() string {
	return fmt.Sprintf("%d more of the name %s, no rstate: tools cannot tell it from this one; end it, or give one of them another name", st.name.others, st.opt.Name)
}

// nameWarnings lists the warnings about the name.
func (st *standing) nameWarnings() []string {
	var list []string
	if st.name.heard {
		list = append(list, st.whoElse(st.name.rival)+": end one of the two; "+renamed)
	}
	if st.name.others > 0 {
		list = append(list, st.sharedName())
	}
	return list
}
