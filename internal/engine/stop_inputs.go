package engine

import (
	"slices"
	"strings"
	"time"

	"rstate/internal/engine/stopinput"
	"rstate/internal/latch"
	"rstate/internal/mirror"
)

// Stop inputs (A12): topics on which a stop button repeats that nothing has to stop. Package stopinput judges
// one input. Here is when an input stops the network. latches.go has what follows, and acknowledge.go how a
// person ends it.

// stops are the stop inputs of this instance, and the stops that it knows of.
type stops struct {
	inputs  []stopinput.Input // as in the network file
	ledger  latch.Ledger
	unclear string // why an input is not clear, as told to peers; empty: all are
}

func (co *course) openStops() {
	co.stops.inputs = make([]stopinput.Input, len(co.net.Stop))
	for k := range co.stops.inputs {
		co.stops.inputs[k].Silent = co.net.Stop[k].Silent
	}
	co.stops.ledger.Owns(co.opt.Instance)
	co.stops.ledger.Merge(co.opt.Latches)
}

// stopHeard takes a message of a stop input. A press always stops, whatever the state of the network.
func (s *State) stopHeard(in StopHeard) {
	if in.Stop >= len(s.stops.inputs) {
		return
	}
	input := &s.stops.inputs[in.Stop]
	known := input.Knows(in.Writer)
	if pressed := input.Hear(s.now.Steady, in.Writer, in.Word, in.Fault); pressed {
		s.latchStop(in.Stop, input.Is(s.now.Steady, 0).Why)
	}
	s.changed = s.changed || !known && input.Knows(in.Writer)
}

// stopSeen takes what the graph shows of a stop input.
func (s *State) stopSeen(in StopSeen) {
	if in.Stop >= len(s.stops.inputs) {
		return
	}
	s.changed = true
	s.loseWriters(in.Stop, s.stops.inputs[in.Stop].See(s.now.Steady, in.Seen, s.armsAnywhere()))
}

// armsAnywhere reports whether anything may be armed, here, at a peer or since an earlier run, or is on the way to be.
// A peer that arms tells which of its nodes may be armed long before its change, which comes when all are.
func (co *course) armsAnywhere() bool {
	return co.perhapsArms() || len(co.hold.armedLeftovers()) > 0 ||
		slices.ContainsFunc(co.peers.book.Peers(),
			func(p *mirror.Peer) bool { return p.Alive && len(p.Status.MayBeArmed) > 0 })
}

// loseWriters stops the network because writers of a stop input have left, and may have wanted to stop. Each
// loss is a stop of its own: an acknowledgement that is under way does not know of it.
func (s *State) loseWriters(k int, lost []string) {
	if len(lost) > 0 {
		s.latchStop(k, strings.Join(lost, ", ")+" is gone")
	}
}

// stoppedHere reports whether a stop input has stopped the network in this run, and that is not acknowledged.
func (co *course) stoppedHere() bool {
	own := co.stops.ledger.Of(co.opt.Instance)
	return own.Open() && !own.IsGap()
}

// mindStops looks at the stop inputs after each input. While something is armed, or is about to be, an
// input that is not clear stops the network. A start disarms everything anyway, so silence counts from its
// end on.
func (s *State) mindStops() {
	if len(s.stops.inputs) == 0 {
		return
	}
	armed := s.armsAnywhere()
	for k := range s.stops.inputs {
		in := &s.stops.inputs[k]
		if s.settled == "" {
			in.Begin(s.now.Steady)
		}
		s.loseWriters(k, in.Tick(s.now.Steady, armed))
		if why := in.Trips(s.now.Steady); why != "" && armed && s.settled != "" && !s.stoppedHere() {
			s.latchStop(k, why)
		}
		if at, ok := in.Next(s.now.Steady); ok {
			s.wakeWhole(at)
		}
	}
	if now := s.unclearStops(); now != s.stops.unclear {
		s.stops.unclear, s.peers.untold, s.changed = now, true, true
	}
}

// resumeStops notes that this process did not run.
func (co *course) resumeStops() {
	for k := range co.stops.inputs {
		co.stops.inputs[k].Resume(co.now.Steady)
	}
}

// stopIs judges a stop input for an Arm or an acknowledgement: what came while this process did not run does
// not count as clear.
func (co *course) stopIs(k int) stopinput.Is {
	return co.stops.inputs[k].Is(co.now.Steady, max(co.gap.lateBy, co.gap.drainedAt))
}

// unclearStops says which stop inputs of this instance are not clear, and why; empty: all are. A writer that is
// lost has stopped the network, so there is a stop to acknowledge.
func (co *course) unclearStops() string {
	var list []string
	for k := range co.stops.inputs {
		if is := co.stopIs(k); !is.Clear() {
			list = append(list, co.net.Stop[k].Topic+": "+is.Why)
		}
	}
	return strings.Join(list, "; ")
}

// StopView is a stop input in a snapshot.
type StopView struct {
	Topic   string
	Kind    stopinput.Kind
	Why     string        // why it is not clear
	Age     time.Duration // of the oldest newest word of its writers; negative: nothing was heard
	Writers []string      // the nodes that are heard
}

// StopsView is what a snapshot says of stops.
type StopsView struct {
	Inputs []StopView    // of this instance, in the order of the network file
	Open   []latch.Latch // the stops that are not acknowledged
	// Why nothing may be armed because of stop inputs, here and at peers; empty: they forbid nothing.
	Forbids string
}

func (co *course) stopsView() StopsView {
	v := StopsView{Open: co.stops.ledger.Open(), Forbids: co.stopsForbid()}
	for k := range co.stops.inputs {
		is := co.stopIs(k)
		v.Inputs = append(v.Inputs, StopView{Topic: co.net.Stop[k].Topic, Kind: is.Kind, Why: is.Why, Age: is.Age,
			Writers: slices.Clone(is.Writers)})
	}
	return v
}
