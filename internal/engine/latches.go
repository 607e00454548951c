package engine

import (
	"fmt"
	"slices"

	"rstate/internal/engine/stopinput"
	"rstate/internal/latch"
	"rstate/internal/mirror"
	"rstate/internal/network"
)

// What a stop does, and what it forbids until a person acknowledges it. Package latch is the memory of it.

// latchStop notes a stop of this instance. It is an order to disarm for all instances, like that of a client,
// but no goal waits for it.
func (s *State) latchStop(k int, why string) {
	topic := s.net.Stop[k].Topic
	l := s.stops.ledger.Latch(s.opt.Name, s.opt.Instance, topic+": "+why, s.now.Wall)
	words := l.Cause()
	s.endEra(words)
	s.peers.order(&s.agenda)
	s.record(Entry{Kind: EntryStop, Event: EventLatched, Node: s.opt.Name, Orders: s.peers.book.Ordered(), Latch: l,
		Sentence: "stopped: " + words + "; nothing is armed until a person acknowledges"})
	s.disarmForStop(words)
	s.peers.book.Disarm()
}

// latchGap notes time in which this instance did not listen to its stop inputs, if a button may have said stop in it.
// Nothing is armed until a person acknowledges, here and at peers. It is no order: nothing has said stop, so peers that
// are armed stay so.
func (co *course) latchGap(g latch.Gap) {
	if co.net.AfterGap == network.GapIsClear || !slices.ContainsFunc(co.net.Stop,
		func(in network.Stop) bool { return g.Exceeds(in.Silent) }) {
		return
	}
	l, closed := co.stops.ledger.LatchGap(co.opt.Name, co.opt.Instance, g)
	for _, e := range closed {
		co.record(Entry{Kind: EntryStop, Event: EventExtended, Node: e.Origin, Latch: e,
			Sentence: "the stop before this start is part of a newer one (" + e.Why + ")"})
	}
	co.endEra(l.Why)
	co.record(Entry{Kind: EntryStop, Event: EventLatched, Node: co.opt.Name, Latch: l,
		Sentence: "stopped: " + l.Why + "; nothing is armed until a person acknowledges"})
	co.peers.untold, co.changed = true, true
}

// disarmForStop disarms one way, whatever runs.
func (s *State) disarmForStop(why string) {
	if s.closing.ended != nil || s.closing.stop != nil || s.closing.gone {
		return // what may be armed is being disarmed already
	}
	w := s.work
	switch {
	case s.settled == "", w == nil && !s.armedHere():
	case w == nil, w.phase == reconciling && s.armedHere():
		s.disarmForSafety(why)
		return
	default:
		if begun := s.stopAtWork(w, why); begun {
			return
		}
	}
	s.repeatDisarms()
}

// stopAtWork carries out a stop while work runs, as obeyAtWork does with the order of a peer. It reports
// whether it has begun to disarm.
func (s *State) stopAtWork(w *work, why string) bool {
	turns := w.takenBack || w.phase == rearming
	switch {
	case w.phase == finalizing, w.lowers && !turns:
		w.oneWay = w.oneWay || s.isDisarm(w.command)
	case !w.arms && w.phase == forward && s.armsLater(w.goal):
		s.takeBack(w, why)
	case w.arms, turns, s.armedHere():
		s.disarmForSafety(why)
		return true
	}
	return false
}

// noteStops records the stops that the journal of an earlier run knows and that are not acknowledged.
func (co *course) noteStops() {
	for _, l := range co.stops.ledger.Open() {
		if l.Instance == co.opt.Instance {
			continue
		}
		co.record(Entry{Kind: EntryStop, Event: EventLatched, Node: l.Origin, Latch: l, Cause: "known from the journal",
			Sentence: "stopped by " + l.Origin + " before this start: " + l.Cause() +
				"; nothing is armed until a person acknowledges"})
	}
}

// hearStops takes the stops that a peer tells of. A new one disarms here, in whatever way it has come. A gap only forbids
// to arm.
func (s *State) hearStops(st mirror.Status) {
	if st.Name == s.opt.Name || st.Instance == "" {
		return
	}
	if why := s.stops.ledger.Wrong(st.Stops, s.opt.Instance); why != "" {
		s.notePeers(s.peers.book.Refuse(st.Name, why))
		return
	}
	stopped, acknowledged := s.stops.ledger.Merge(st.Stops)
	for k := range stopped {
		l := &stopped[k]
		words := st.Name + " tells of a stop: " + l.Why
		s.record(Entry{Kind: EntryStop, Event: EventLatched, Node: l.Origin, Latch: *l, Cause: "told by " + st.Name,
			Sentence: "stopped by " + l.Origin + ": " + l.Cause()})
		if l.IsGap() && s.restsArmed() {
			s.endEra(words)
			continue
		}
		s.obey(mirror.Note{What: mirror.Ordered, Peer: st.Name, Words: words})
		s.peers.book.Disarm()
	}
	for k := range acknowledged {
		l := &acknowledged[k]
		if s.stops.ledger.GoesOn(l) {
			s.record(Entry{Kind: EntryStop, Event: EventExtended, Node: l.Origin, Latch: *l, Cause: "told by " + st.Name,
				Sentence: "the stop by " + l.Origin + " is part of its newer one (" + l.Why + ")"})
			continue
		}
		s.closeLatch(l)
		s.record(Entry{Kind: EntryStop, Event: EventAcknowledged, Node: l.Origin, Latch: *l, Cause: "told by " + st.Name,
			Sentence: "the stop by " + l.Origin + " is acknowledged (" + l.Cause() + ")"})
	}
	if len(stopped)+len(acknowledged) > 0 {
		s.peers.untold, s.changed = true, true
	}
}

// restsArmed reports whether the network is armed, and no command changes that.
func (s *State) restsArmed() bool {
	return s.settled != "" && s.armedHere() && (s.work == nil || s.work.phase == reconciling)
}

// closeLatch notes that a stop is acknowledged. A person has looked at the inputs, so writers that are gone
// are forgotten.
//
// It ends the era: an arm that was decided on while the network was stopped, and that comes after another person has
// acknowledged, arms nothing.
func (co *course) closeLatch(l *latch.Latch) {
	co.peers.untold = true
	co.endEra("the stop by " + l.Origin + " was acknowledged")
	if l.Origin != co.opt.Name {
		return
	}
	for k := range co.stops.inputs {
		co.stops.inputs[k].Forget()
	}
}

// stopAdvice says what a person can do about a stop input that is not clear. Where it says nothing, the reason does.
func stopAdvice(k stopinput.Kind, topic string) string {
	switch k {
	case stopinput.Pressed:
		return "release it"
	case stopinput.Silent:
		return "see that each of its buttons runs and repeats its value"
	}
	return fmt.Sprintf("see what is published: ros2 topic info -v %s, ros2 topic echo --once %[1]s", topic)
}

// stopsForbid says why stop inputs forbid to arm; empty: they do not.
func (co *course) stopsForbid() string { return obstacleWords(co.stopObstacles()) }

// stopObstacles lists the stops that are not acknowledged, and the stop inputs that are not clear.
func (co *course) stopObstacles() []Obstacle {
	var list []Obstacle
	open := co.stops.ledger.Open()
	for k := range open {
		list = append(list, Obstacle{Why: open[k].Words(), Do: open[k].Advice()})
	}
	for k := range co.stops.inputs {
		if is := co.stopIs(k); !is.Clear() {
			list = append(list, Obstacle{Why: "stop input " + co.net.Stop[k].Topic + ": " + is.Why, Do: stopAdvice(is.Kind, co.net.Stop[k].Topic)})
		}
	}
	for _, p := range co.peers.book.Peers() {
		if p.Alive && p.Status.StopsUnclear != "" {
			list = append(list, Obstacle{Why: "stop input of " + p.Status.Name + " " + p.Status.StopsUnclear,
				Do: "clear it there: rstate status --node " + p.Status.Name})
		}
	}
	return list
}
