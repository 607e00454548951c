package engine

import (
	"slices"

	"rstate/internal/engine/arming"
	"rstate/internal/network"
	"rstate/internal/plan"
)

// New returns the state of an instance that knows nothing yet. The first input begins the start.
func New(net *network.Network, opt Options) *State {
	s := &State{
		net: net, machine: net.Machine, judge: net.Machine.Start(), nodes: make([]node, len(net.Nodes)),
		fixed: fixed{order: plan.OrderOf(net), opt: opt},
		peers: peering{book: newBook(net, opt)},
		hold:  holding{leftovers: leftoversOf(opt.Left)},
	}
	for i := range s.nodes {
		s.fixed.names = append(s.fixed.names, net.Nodes[i].Name)
		if net.Nodes[i].Arm != nil {
			s.fixed.armable = append(s.fixed.armable, i)
		}
		s.nodes[i].spec = &net.Nodes[i]
		s.nodes[i].arm, s.nodes[i].place.noted = arming.New(), slices.Contains(opt.Noted, net.Nodes[i].Name)
		s.nodes[i].checks = checkupsOf(s.nodes[i].spec)
		if len(s.nodes[i].checks)+len(net.Nodes[i].Unsafe) > 0 {
			s.fixed.checked = append(s.fixed.checked, i)
		}
	}
	return s
}

// Step takes one input and returns the next state and the effects. It takes ownership of s.
func Step(s *State, now Time, in Input) (*State, []Effect) {
	now = s.discount(now, in)
	if !now.Simulated {
		now.ROS, now.Heard = now.Steady, false
	}
	s.turn.out = nil
	if s.closing.gone {
		s.afterTheEnd(in)
		return s, s.turn.out
	}
	was := s.now
	s.now = now
	if !s.startup.begun {
		s.begin()
	}
	s.follow(was)
	s.absorb(cleaned(in))
	s.judgeEnds()
	s.noteArms() // recorded before its consequences
	s.elapse()
	s.forgetRival()
	s.journalLate()
	s.mindPeers()
	for !s.closing.gone { // nothing follows the end
		s.work1()
		if !s.conclude() && !s.lapse("") && !s.release() && len(s.turn.queue) == 0 {
			break
		}
	}
	if s.closing.gone {
		return s, s.turn.out
	}
	s.noteArms()
	s.disarmLeft()
	s.listen()
	s.holdLease()
	s.tell()
	s.show()
	s.wake()
	return s, s.turn.out
}

// work1 advances every node of the queue.
func (s *State) work1() {
	for k := 0; k < len(s.turn.queue); k++ { // the queue grows meanwhile
		i := s.turn.queue[k]
		s.nodes[i].look.queued = false
		s.advance(i)
	}
	s.turn.queue = s.turn.queue[:0]
}

// afterTheEnd answers inputs after the end, because every state answers every command.
func (s *State) afterTheEnd(in Input) {
	switch in := in.(type) {
	case GoalAsked:
		s.do(RejectGoal{Handle: in.Handle, Why: "rstate has ended; start it again"})
	case CancelAsked:
		s.do(AnswerCancel{Handle: in.Handle, Why: "rstate has ended"})
	}
}

// absorb takes one input into the belief. It decides nothing about the network; advance and
// conclude do.
func (s *State) absorb(in Input) {
	s.absorbOwn(in)
	s.absorbOfNode(in)
	s.absorbOfInstance(in)
}

// absorbOwn takes inputs about goals and the process itself.
func (s *State) absorbOwn(in Input) {
	switch in := in.(type) {
	case GoalAsked:
		s.asked(in)
	case CancelAsked:
		s.cancel(in.Handle)
	case Stalled:
		s.stalled(in)
	case Late:
		s.late(in)
	case LeaseUnsent:
		s.leaseUnsent(in)
	case StopAsked:
		s.stopAsked(in.Why)
	case JournalSynced:
		s.journalSynced(in)
	case ConsoleClosed:
		s.report.console, s.report.changed = in.String(), true
		s.record(Entry{Kind: EntryConsole, Event: EventFailed, Sentence: in.String()})
	case JournalChanged:
		s.judgeJournal(in.Err)
	}
}

// absorbOfNode takes inputs about one node.
func (s *State) absorbOfNode(in Input) {
	switch in := in.(type) {
	case NodeSeen:
		s.nodeSeen(in)
	case NodeLost:
		s.nodeLost(in)
	case NodeEnded:
		s.nodeEnded(in)
	case NodeMissed:
		s.nodeMissed(in)
	case StateRead:
		s.stateRead(in)
	case EventHeard:
		s.eventHeard(in)
	case CallAnswered:
		s.callAnswered(in)
	case ArmAnswered:
		s.armAnswered(in)
	case LeftAnswered:
		s.leftAnswered(in)
	case ChildSeen:
		s.childSeen(in.Node)
	case ChildFound:
		s.childFound(in)
	case TopicCounted:
		s.topicCounted(in)
	case CheckAnswered:
		s.checkAnswered(in)
	case UnsafeSeen:
		s.unsafeSeen(in)
	}
}

// absorbOfInstance takes inputs about other instances: of the same name, or peers.
func (s *State) absorbOfInstance(in Input) {
	switch in := in.(type) {
	case NameSeen:
		s.nameSeen()
	case NameTaken:
		s.nameTaken(in)
	case NameShared:
		s.nameShared(in)
	case LeaseHeard:
		s.hold.lease.Heard(in.Term)
		s.othersHold()
	case PeerChanged:
		s.peerChanged(in.Change)
	case PeerTold:
		s.peerTold(in.Status)
	case PeerLost:
		s.peerLost(in)
	}
}

// conclude ends the parts that can end, and reports whether it changed anything.
func (s *State) conclude() bool {
	switch {
	case s.closing.gone:
		return false
	case s.closing.ended != nil:
		return s.end()
	case s.closing.stop != nil && s.stopWhenSafe():
		return true
	case s.work == nil && s.settled == "":
		if len(s.goals.pending) > 0 && s.armedNow() == 0 {
			s.endDisarmGoals()
		}
		return s.closing.stop == nil && s.comesUp()
	case s.mirrors(), s.watchRequired():
		return true
	case s.work == nil:
		return s.tend()
	}
	s.endDisarmGoals()
	return s.concludeWork()
}

// concludeWork goes on to the next phase if that is decided.
func (s *State) concludeWork() bool {
	w := s.work
	if w.proves() && !w.arm.proven {
		if s.gathers() {
			return false
		}
		if !w.arm.judged {
			s.judgeChecks()
			return true
		}
	}
	if w.fault.failing && w.phase.failed != nil {
		w.phase.failed(s)
		return true
	}
	if w.legs.open > 0 || w.legs.unsure > 0 && !w.phase.drains {
		return false
	}
	return w.phase.concluded(s)
}

// advance does what is due for node i.
func (s *State) advance(i int) {
	s.armDuty(i)
	s.probe(i)
	if s.work == nil {
		s.watch(i)
		return
	}
	s.work.phase.advance(s, i)
}
