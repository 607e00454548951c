package engine

import (
	"rstate/internal/engine/arming"
	"rstate/internal/engine/grant"
	"rstate/internal/network"
)

// Step: one input in, effects out.

// New returns the state of an instance that knows nothing yet. The first input begins the start.
func New(net *network.Network, opt Options) *State {
	s := &State{}
	s.facts = factsOf(net, opt)
	s.report.era = s.grants.Era()
	s.hold.facts, s.peers.facts, s.loop.facts = s.facts, s.facts, s.facts
	s.judge = net.Machine.Start()
	s.startup.last = opt.Last
	s.nodes = make([]node, len(net.Nodes))
	s.peers.book = newBook(net, opt)
	s.hold.leftovers = leftoversOf(opt.Leftovers)
	s.openStops()
	for i := range s.nodes {
		s.nodes[i].spec = &net.Nodes[i]
		s.nodes[i].arm = arming.New(settlesOf(&net.Nodes[i]))
		s.nodes[i].checks = checkupsOf(s.nodes[i].spec)
	}
	return s
}

// Step takes one input and returns the next state and the effects. It takes ownership of s.
func Step(s *State, now Time, in Input) (*State, []Effect) {
	s.grants.Look(grant.Moment{Steady: now.Steady, Wall: now.Wall}) // before discount leaves time out
	now = s.discount(now, in)
	if !now.Simulated {
		now.ROS, now.Heard = now.Steady, false
	}
	s.out = nil
	if s.closing.gone {
		s.afterTheEnd(in)
		return s, s.out
	}
	was := s.now
	s.now = now
	if !s.startup.begun {
		s.begin()
	}
	s.compareClocks(was)
	s.noteGuardGap(was)
	s.mindDrain(was)
	cleaned(in).absorb(s)
	s.judgeEnds()
	s.noteArms() // recorded before its consequences
	s.elapse()
	s.countRefusals()
	s.forgetRival()
	s.journalLate()
	s.mindPeers()
	s.mindStops()
	for !s.closing.gone { // nothing follows the end
		s.advanceQueued()
		if more := s.goOnce(); !more {
			break
		}
	}
	if s.closing.gone {
		return s, s.out
	}
	s.noteArms()
	s.disarmLeftovers()
	s.listen()
	s.listenLogs()
	s.holdLease()
	s.mindGuards()
	s.endForged()
	s.tell()
	s.show()
	s.wake()
	return s, s.out
}

// advanceQueued advances every node of the queue.
func (s *State) advanceQueued() {
	for k := 0; k < len(s.queue); k++ { // the queue grows meanwhile
		i := s.queue[k]
		s.nodes[i].look.queued = false
		s.advance(i)
	}
	s.queue = s.queue[:0]
}

// goOnce does the first thing that is due, and reports whether there may be more to do.
func (s *State) goOnce() bool {
	if done := s.conclude(); done {
		return true
	}
	if done := s.lapse(""); done {
		return true
	}
	if done := s.release(); done {
		return true
	}
	return len(s.queue) > 0
}

// afterTheEnd answers inputs after the end, because every state answers every command.
func (a *agenda) afterTheEnd(in Input) {
	switch in := in.(type) {
	case GoalAsked:
		a.do(RejectGoal{Handle: in.Handle, Why: "rstate has ended; start it again"})
	case CancelAsked:
		a.do(AnswerCancel{Handle: in.Handle, Why: "rstate has ended"})
	case AcknowledgeAsked:
		a.do(AnswerAcknowledge{Handle: in.Handle, Message: "rstate has ended"})
	}
}

// conclude ends the parts that can end, and reports whether it changed anything.
func (s *State) conclude() bool {
	switch {
	case s.closing.gone:
		return false
	case s.closing.ended != nil:
		return s.end()
	case s.closing.stop != nil:
		if done := s.stopWhenSafe(); done {
			return true
		}
	}
	if s.work == nil && s.settled == "" {
		s.endDisarmGoals()
		if s.closing.stop != nil {
			return false
		}
		return s.comeUp()
	}
	if begun := s.beginUnasked(); begun {
		return true
	}
	if s.work == nil {
		return s.reconcile()
	}
	s.endDisarmGoals()
	return s.concludeWork()
}

// beginUnasked begins the first thing that no client here has asked for and that is due. It reports whether
// there was one.
func (s *State) beginUnasked() bool {
	for _, begin := range [...]func(*State) bool{
		(*State).beginTask, (*State).disarmForPeers, (*State).disarmForGuards, (*State).react, (*State).attendToLoop,
	} {
		if begun := begin(s); begun {
			return true
		}
	}
	return false
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
	if w.parts.open > 0 || w.parts.unsure > 0 && w.phase != draining {
		return false
	}
	if w.phase != draining && w.phase != reconciling && s.anySettles() {
		return false // its result must not contradict a node that may be armed
	}
	return w.phase.conclude(s)
}

// advance does what is due for node i.
func (s *State) advance(i int) {
	s.armDuty(i)
	s.probe(i)
	s.noteChecks(i)
	if s.work == nil {
		s.watch(i)
		return
	}
	if !s.work.waits {
		s.work.phase.advance(s, i)
		s.noteWait(i)
	}
}

// must takes what the judge says of a move that it allowed before: a no is a fault of this program.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// absorb takes an input into the belief. It decides nothing about the network; advance and conclude
// do.

func (Tick) absorb(*State)                  {}
func (in GoalAsked) absorb(s *State)        { s.asked(in) }
func (in CancelAsked) absorb(s *State)      { s.cancel(in.Handle) }
func (in NodeSeen) absorb(s *State)         { s.nodeSeen(in) }
func (in NodeLost) absorb(s *State)         { s.nodeLost(in) }
func (in NodeMissed) absorb(s *State)       { s.nodeMissed(in) }
func (in StateRead) absorb(s *State)        { s.stateRead(in) }
func (in EventHeard) absorb(s *State)       { s.eventHeard(in) }
func (in CallAnswered) absorb(s *State)     { s.callAnswered(in) }
func (in ArmAnswered) absorb(s *State)      { s.armAnswered(in) }
func (in NodeReported) absorb(s *State)     { s.nodeReported(in) }
func (in NodeLogged) absorb(s *State)       { s.nodeLogged(in) }
func (in StopAsked) absorb(s *State)        { s.stopAsked(in) }
func (in LoopIdle) absorb(s *State)         { s.loopIdle(in) }
func (in LoopSeen) absorb(s *State)         { s.loopSeen(in) }
func (NameSeen) absorb(s *State)            { s.nameSeen() }
func (in NameTaken) absorb(s *State)        { s.nameTaken(in) }
func (in NameShared) absorb(s *State)       { s.nameShared(in) }
func (in ChildSeen) absorb(s *State)        { s.childSeen(in.Node) }
func (in ChildFound) absorb(s *State)       { s.childFound(in) }
func (in JournalSynced) absorb(s *State)    { s.journalSynced(in) }
func (in JournalChanged) absorb(s *State)   { s.judgeJournal(in.Err) }
func (in GuardHeard) absorb(s *State)       { s.guardHeard(in) }
func (in LeaseUnsent) absorb(s *State)      { s.leaseUnsent(in) }
func (in ServersSeen) absorb(s *State)      { s.serversSeen(in) }
func (in UnsafeSeen) absorb(s *State)       { s.unsafeSeen(in) }
func (in TopicCounted) absorb(s *State)     { s.topicCounted(in) }
func (in CheckAnswered) absorb(s *State)    { s.checkAnswered(in) }
func (in PeerChanged) absorb(s *State)      { s.peerChanged(in.Change) }
func (in PeerTold) absorb(s *State)         { s.peerTold(in.Status) }
func (in PeerLost) absorb(s *State)         { s.peerLost(in) }
func (in NodeEnded) absorb(s *State)        { s.nodeEnded(in) }
func (in Late) absorb(s *State)             { s.late(in) }
func (in LeftoverAnswered) absorb(s *State) { s.leftoverAnswered(in) }
func (in Stalled) absorb(s *State)          { s.stalled(in) }

func (in StopHeard) absorb(s *State)        { s.stopHeard(in) }
func (in StopSeen) absorb(s *State)         { s.stopSeen(in) }
func (in AcknowledgeAsked) absorb(s *State) { s.acknowledgeAsked(in) }

func (in ConsoleClosed) absorb(s *State) {
	s.report.console, s.changed = in.String(), true
	s.record(Entry{Kind: EntryConsole, Event: EventFailed, Sentence: in.String()})
}

func (in LeaseHeard) absorb(s *State) {
	if noted := s.hold.lease.Heard(in.Term); !noted {
		s.refuseLease(in.Term)
		return
	}
	s.hold.noteOtherLease(&s.agenda)
}
