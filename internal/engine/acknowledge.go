package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rstate/internal/latch"
)

// How a person acknowledges stops (A12). An acknowledgement arms nothing: it only lets a later Arm through.

// acknowledgeAsked answers a request to acknowledge all stops that are known here. It takes all of them or none, and
// none that its person was not shown.
func (s *State) acknowledgeAsked(in AcknowledgeAsked) {
	who := cmp.Or(in.Who, "a person")
	if why := s.refusesAcknowledge(in); why != "" {
		s.recordRefusal(who, Entry{Kind: EntryRefusal, Command: "acknowledge", Client: who,
			Sentence: "acknowledge was rejected: " + why, Cause: "asked for by " + who})
		s.do(AnswerAcknowledge{Handle: in.Handle, Message: why})
		return
	}
	var names []string
	for _, l := range s.stops.ledger.Open() {
		s.stops.ledger.Acknowledge(l.Instance, l.Latched)
		l.Acknowledged = l.Latched
		s.closeLatch(&l)
		names = append(names, l.Cause())
		s.record(Entry{Kind: EntryStop, Event: EventAcknowledged, Node: l.Origin, Client: who, Latch: l,
			Sentence: fmt.Sprintf("%s has acknowledged the stop by %s (%s)", who, l.Origin, l.Cause())})
	}
	s.stops.unclear = s.unclearStops()
	s.do(AnswerAcknowledge{Handle: in.Handle, Accepted: true,
		Message: "acknowledged: " + strings.Join(names, "; ") + "; nothing is armed by this"})
}

// refusesAcknowledge says why stops are not acknowledged now; empty: they are.
func (s *State) refusesAcknowledge(in AcknowledgeAsked) string {
	open := s.stops.ledger.Open()
	switch {
	case s.yields() || s.closing.stop != nil || s.closing.ended != nil:
		return "rstate is stopping"
	case !s.startup.named:
		return notOurs
	case s.net.Arming.SecretFile != "" && !in.Authorized:
		return "to acknowledge asks for authority: bring the content of the file that arming.secret_file names"
	case len(open) == 0:
		return "nothing is stopped, so there is nothing to acknowledge"
	case slices.ContainsFunc(open, in.misses):
		return "another stop has come meanwhile; look again, and acknowledge then"
	}
	var list []string
	for k := range open {
		if why := s.unfitOrigin(&open[k]); why != "" && !slices.Contains(list, why) {
			list = append(list, why)
		}
	}
	return strings.Join(list, "; ")
}

// misses reports whether the person was not shown the newest stop of a run.
func (in AcknowledgeAsked) misses(l latch.Latch) bool {
	return in.ShownOnly && !slices.ContainsFunc(in.Shown, func(seen latch.Latch) bool {
		return seen.Instance == l.Instance && seen.Latched >= l.Latched
	})
}

// unfitOrigin says why a stop cannot be acknowledged now: the instance with its stop input is not there, or says
// that the input is not clear.
func (co *course) unfitOrigin(l *latch.Latch) string {
	if l.Origin == co.opt.Name {
		if why := co.unclearStops(); why != "" {
			return "stop input " + why
		}
		return ""
	}
	p := co.peers.book.Peer(l.Origin)
	switch {
	case p == nil || !p.Alive || p.Plain || p.Status.Leaving:
		return l.Origin + ", whose stop input has stopped the network, is not there: start it"
	case p.Status.StopsUnclear != "":
		return "stop input of " + l.Origin + " " + p.Status.StopsUnclear
	}
	return ""
}
