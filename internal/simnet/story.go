package simnet

import (
	"time"
)

// Beat is one line of a story: when this has happened, do that.
type Beat struct {
	When Moment
	Do   Act
}

// Moment is what a beat waits for. It counts from the beat before it: what happened earlier does not count.
type Moment struct {
	occurrence
	at    time.Duration
	times int
	after time.Duration
}

// occurrence is something that a story may wait for.
type occurrence struct {
	kind              byte
	state, node, step string
	goal              string
}

// The moments: a virtual time, right after the beat before, the network shows a state, it first shows a state in which it
// rests, a node is asked for a step, a node begins the callback of a transition, a goal has ended or was rejected, the
// coordinator begins to do something (an aim of coverage) after a state (empty: any), the process of a node ends, and the
// coordinator has nothing more to do.
func At(d time.Duration) Moment        { return Moment{occurrence: occurrence{kind: 't'}, at: d} }
func Then() Moment                     { return when(occurrence{kind: 'n'}) }
func Shown(state string) Moment        { return when(occurrence{kind: 's', state: state}) }
func Settled() Moment                  { return when(occurrence{kind: 'r'}) }
func Called(step, node string) Moment  { return when(occurrence{kind: 'c', step: step, node: node}) }
func Begun(step, node string) Moment   { return when(occurrence{kind: 'b', step: step, node: node}) }
func Ended(goal string) Moment         { return when(occurrence{kind: 'e', goal: goal}) }
func Doing(aim, settled string) Moment { return when(occurrence{kind: 'a', state: aim, step: settled}) }
func Died(node string) Moment          { return when(occurrence{kind: 'd', node: node}) }
func Exited() Moment                   { return when(occurrence{kind: 'x'}) }
func when(o occurrence) Moment         { return Moment{occurrence: o} }

func (m Moment) Later(d time.Duration) Moment {
	m.after = d
	return m
}

func (m Moment) Time(n int) Moment {
	m.times = n
	return m
}

func (m Moment) met(o occurrence) bool {
	return m.kind == o.kind && (m.state == "" || m.state == o.state) && (m.node == "" || m.node == o.node) &&
		(m.step == "" || m.step == o.step) && (m.goal == "" || m.goal == o.goal)
}

type story struct {
	beats   []Beat
	next    int
	cursor  int // what has happened up to here does not count
	met     int
	pending bool
	aside   bool // it may never begin
	loose   bool // nor end
}

// Tell adds a story. Stories run side by side, each in its own order.
func (w *World) Tell(beats ...Beat) *World {
	w.stories = append(w.stories, &story{beats: beats})
	w.news = true
	w.queue.push(0, func() {})
	return w
}

// Aside adds a story that may come to nothing: a run does not wait for its first moment.
func (w *World) Aside(beats ...Beat) *World {
	w.Tell(beats...)
	w.stories[len(w.stories)-1].aside = true
	return w
}

// Perhaps adds a story that may come to nothing at every one of its moments.
func (w *World) Perhaps(beats ...Beat) *World {
	w.Tell(beats...)
	w.stories[len(w.stories)-1].loose = true
	return w
}

// Send is the story of one goal after another, each when the one before it has ended.
func (w *World) Send(commands ...string) *World {
	var beats []Beat
	for k, c := range commands {
		when := Settled()
		if k > 0 {
			when = Ended(commands[k-1])
		}
		beats = append(beats, Beat{when, Send{Command: c}})
	}
	return w.Tell(beats...)
}

func (w *World) happens(o occurrence) {
	w.news = true
	w.log = append(w.log, o)
	if o.kind == 'x' {
		w.log = append(w.log, occurrence{kind: 'r'}) // it may exit without ever having settled
	}
	if o.kind == 's' {
		if s, ok := w.net.Machine.State(o.state); ok && !s.Passing {
			w.log = append(w.log, occurrence{kind: 'r', state: o.state})
		}
	}
}

func (w *World) storiesTold() bool {
	for _, s := range w.stories {
		begun := s.next > 0 || !s.aside
		if (s.pending || begun && !s.loose) && (s.pending || s.next < len(s.beats)) {
			return false
		}
	}
	return true
}

// tell takes each story as far as it goes now. Only what happens, or a beat that is done, takes one further.
func (w *World) tell() {
	if !w.news {
		return
	}
	w.news = false
	for _, s := range w.stories {
		for s.next < len(s.beats) && !s.pending {
			at, ok := w.moment(s, s.beats[s.next].When)
			if !ok {
				break
			}
			do := s.beats[s.next].Do
			s.pending = true
			w.queue.push(at, func() {
				s.pending = false
				s.next++
				w.news = true
				w.note("story: %s", describe(do))
				w.coversAct(do)
				w.end.stir()
				do.act(w)
			})
		}
	}
}

func (w *World) moment(s *story, m Moment) (time.Duration, bool) {
	switch m.kind {
	case 't':
		return max(w.now, m.at) + m.after, true
	case 'n':
		return w.now + m.after, true
	}
	for ; s.cursor < len(w.log); s.cursor++ {
		if !m.met(w.log[s.cursor]) {
			continue
		}
		if s.met++; s.met >= max(m.times, 1) {
			s.met = 0
			s.cursor++
			return w.now + m.after, true
		}
	}
	return 0, false
}

func (w *World) named(name string) *node {
	n := w.find(name)
	if n == nil {
		panic("simnet: a story names " + name + ", which is no node of the network")
	}
	return n
}
