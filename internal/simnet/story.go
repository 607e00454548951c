package simnet

import (
	"slices"
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
	holds *func(now *Trace) bool // a pointer, so that moments can be compared
}

// occurrence is something that a story may wait for.
type occurrence struct {
	kind              byte
	state, node, step string
	goal              string
}

// The moments of a story:
//
//	At       a virtual time
//	Then     right after the beat before
//	Shown    the network shows a state
//	Settled  the network first shows a state in which it rests
//	Called   the coordinator asks a node for a step
//	Begun    a node begins the callback of a transition, or the call that arms or disarms it
//	Ended    a goal ends, is rejected, or loses its coordinator
//	Over     the same, and it also counts if that was before the beat before
//	Open     the same, and it also counts if the goal stays open until the stepped loop ends
//	Doing    the coordinator begins an aim of coverage after a state (empty: any)
//	Died     the process of a node ends
//	Exited   the coordinator exits
//	LoopEnded the stepped loop ends, for a want (empty: any)
//	Stepped  a participant is called in a phase
//	Holds    a condition holds, and the coordinator is not killed; Last of the trace is how it is now
func At(d time.Duration) Moment         { return Moment{occurrence: occurrence{kind: 't'}, at: d} }
func Then() Moment                      { return when(occurrence{kind: 'n'}) }
func Shown(state string) Moment         { return when(occurrence{kind: 's', state: state}) }
func Settled() Moment                   { return when(occurrence{kind: 'r'}) }
func Called(step, node string) Moment   { return when(occurrence{kind: 'c', step: step, node: node}) }
func Begun(step, node string) Moment    { return when(occurrence{kind: 'b', step: step, node: node}) }
func Ended(goal string) Moment          { return when(occurrence{kind: 'e', goal: goal}) }
func Over(goal string) Moment           { return when(occurrence{kind: 'o', goal: goal}) }
func Open(goal string) Moment           { return when(occurrence{kind: 'w', goal: goal}) }
func Doing(aim, settled string) Moment  { return when(occurrence{kind: 'a', state: aim, step: settled}) }
func Died(node string) Moment           { return when(occurrence{kind: 'd', node: node}) }
func Exited() Moment                    { return when(occurrence{kind: 'x'}) }
func LoopEnded(want string) Moment      { return when(occurrence{kind: 'l', state: want}) }
func Stepped(phase, node string) Moment { return when(occurrence{kind: 'p', step: phase, node: node}) }
func Holds(is func(*Trace) bool) Moment {
	return Moment{occurrence: occurrence{kind: 'h'}, holds: &is}
}
func when(o occurrence) Moment { return Moment{occurrence: o} }

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
	gaveUp  bool // its beats that are left do not come

	patience time.Duration // how long a run waits for its next moment; zero: without end
	told     time.Duration // when its last beat was
}

// Tell adds a story. Stories run side by side, each in its own order.
func (w *World) Tell(beats ...Beat) *World {
	w.stories = append(w.stories, &story{beats: beats})
	w.holds = w.holds || slices.ContainsFunc(beats, func(b Beat) bool { return b.When.holds != nil })
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

// Await adds a story that a run gives up if one of its moments does not come within patience of the beat before.
func (w *World) Await(patience time.Duration, beats ...Beat) *World {
	w.Tell(beats...)
	w.stories[len(w.stories)-1].patience = patience
	return w
}

// GiveUp gives up the stories of Await at once. What they still wait for does not come.
func (w *World) GiveUp() {
	for _, s := range w.stories {
		s.gaveUp = s.gaveUp || s.patience > 0
	}
}

// Untold returns the beats of the stories of Await that have not come.
func (w *World) Untold() []Beat {
	var left []Beat
	for _, s := range w.stories {
		if s.patience > 0 {
			left = append(left, s.beats[s.next:]...)
		}
	}
	return left
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
		switch {
		case s.pending:
			return false
		case s.next == len(s.beats), s.loose, s.gaveUp, s.aside && s.next == 0:
		case s.patience > 0 && w.now > s.told+s.patience:
		default:
			return false
		}
	}
	return true
}

// tell takes each story as far as it goes now. Only what happens, or a beat that is done, takes one further.
func (w *World) tell() {
	if !w.news && !w.holds {
		return
	}
	w.news = false
	for _, s := range w.stories {
		for s.next < len(s.beats) && !s.pending && !s.gaveUp {
			at, ok := w.moment(s, s.beats[s.next].When)
			if !ok {
				break
			}
			do := s.beats[s.next].Do
			s.pending = true
			w.queue.push(at, func() {
				s.pending = false
				s.next++
				s.told = w.now
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
	case 'h':
		if !w.brain.up && !w.brain.gone { // a killed coordinator shows nothing
			return 0, false
		}
		w.trace.End, w.trace.Last = w.now, w.brain.state.Snapshot()
		is := (*m.holds)(w.trace)
		if is {
			s.cursor = len(w.log)
		}
		return w.now + m.after, is
	case 'o':
		g := w.trace.Goal(m.goal)
		return w.now + m.after, g != nil && (g.Finished || g.Rejected || g.Orphaned)
	case 'w':
		if w.brain.up && slices.Contains(w.brain.state.Snapshot().OpenGoals, m.goal) {
			return w.now + m.after, true
		}
		m.kind = 'o'
		return w.moment(s, m)
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
