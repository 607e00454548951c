package journal

import (
	"fmt"
	"slices"
	"strings"
)

// book is what lines tell, in chapters. It is made by going over the lines once.
type book struct {
	chapters []*chapter
	open     *chapter // the last chapter, while it has not settled
	goals    []*asking
	strays   []straying // nodes that left their place, and those of them that are back since the last chapter began
	mute     []*Line    // nodes that are unresponsive
	refusals []refusal
	stops    []stopped // by the run that has latched them; those that are open, or acknowledged since the last chapter began
	newest   *Line
	end      *Line  // rstate has ended, or is to, and has not started again
	rested   string // the state in which the network rested last
	silent   bool   // that is not written: end is its last word
}

// chapter is a transition, with all that its failing or cancelling made of it; or a start; or what a policy did.
type chapter struct {
	start   *Line  // of rstate, or where it went on after a stall
	stalled bool   // the latter
	from    string // of a stall: the state in which the network rested before
	crashed *Line  // the last word of an instance that ended without one
	began   *Line  // the transition; nil in a start and where a policy acts
	asking  *asking
	failed  *Line
	phases  []phase // the first is forward
	gone    []Line  // nodes that went meanwhile
	settled *Line   // nil: under way, or cut off
	cutBy   *Line   // the beginning of what pre-empted it, or the start that followed a crash
}

// phase is one way that a chapter took: forward, back, down the ladder.
type phase struct {
	line  *Line // which says so; nil: forward
	steps []Line
}

// asking is a goal.
type asking struct {
	asked, canceled, finished *Line
	handle                    string
}

// straying is a node that is not as the network's state says, and what was done about it while nothing else ran.
type straying struct {
	line  *Line
	in    int // chapters there were
	steps []Line
	back  *Line // it is in its place again
}

// refusal is a command that was refused, and how often in the same words.
type refusal struct {
	line  *Line
	times int
}

func read(lines []Line) *book {
	b := &book{}
	for i := range lines {
		b.take(&lines[i])
		b.newest = &lines[i]
	}
	return b
}

func (b *book) take(l *Line) {
	switch l.Kind {
	case KindStart:
		b.started(l)
	case KindStall:
		if l.Event == EventStalled {
			b.stalled(l)
		}
	case KindEnd:
		b.end = l
	case KindGoal:
		b.goal(l)
	case KindRefusal:
		b.refused(l)
	case KindState:
		b.changed(l)
	case KindStep:
		b.stepped(l)
	case KindNode:
		b.node(l)
	case KindStop:
		b.stop(l)
	}
}

// started begins a chapter in which nothing is known of the nodes any more.
func (b *book) started(l *Line) {
	if b.newest != nil && b.newest.Instance == l.Instance && l.Instance != "" { // as former versions recorded a stall
		b.stalled(l)
		return
	}
	c := &chapter{start: l}
	if b.newest != nil && b.end == nil {
		c.crashed = b.newest
	}
	b.cut(l)
	b.end, b.strays, b.mute, b.refusals, b.goals = nil, nil, nil, nil, nil
	b.stops = nil // a start writes again which stops are open
	b.push(c)
}

// stalled begins a chapter in which the same instance reads its nodes anew. Its goals end with words of their own.
func (b *book) stalled(l *Line) {
	c := &chapter{start: l, stalled: true, from: b.rested}
	b.cut(l)
	b.strays, b.mute, b.refusals = nil, nil, nil
	b.push(c)
}

func (b *book) push(c *chapter) {
	c.phases = []phase{{}}
	b.chapters = append(b.chapters, c)
	b.open = c
	b.strays = slices.DeleteFunc(b.strays, func(s straying) bool { return s.back != nil })
	b.forgetStops()
}

// cut ends a chapter that has not settled and never will.
func (b *book) cut(by *Line) {
	if b.open != nil {
		b.open.cutBy = by
		b.open = nil
	}
}

func (b *book) changed(l *Line) {
	if l.Event == EventBegan {
		b.cut(l)
		b.push(&chapter{began: l, asking: b.asking(l.Goal)})
		b.refusals = nil
		return
	}
	if b.open == nil {
		b.push(&chapter{})
	}
	c := b.open
	switch l.Event {
	case EventFailed:
		c.failed = l
		c.phases = append(c.phases, phase{line: l})
	case EventSettled:
		c.settled = l
		b.rested = l.State
		b.open = nil
	default:
		c.phases = append(c.phases, phase{line: l})
	}
}

// asking finds a goal. A journal whose beginning is gone does not know it.
func (b *book) asking(handle string) *asking {
	for _, a := range slices.Backward(b.goals) {
		if handle != "" && a.handle == handle {
			return a
		}
	}
	return nil
}

func (b *book) goal(l *Line) {
	a := b.asking(l.Goal)
	if a == nil || l.Event == EventAsked {
		a = &asking{handle: l.Goal}
		b.goals = append(b.goals, a)
	}
	switch l.Event {
	case EventAsked:
		a.asked = l
	case EventCanceled:
		a.canceled = l
	case EventFinished:
		a.finished = l
	}
	b.goals = tail(b.goals, 100) // open ones are few, and of the others only the newest are asked for
}

func (b *book) refused(l *Line) {
	times := 1
	b.refusals = slices.DeleteFunc(b.refusals, func(r refusal) bool {
		same := r.line.Sentence == l.Sentence
		if same {
			times += r.times
		}
		return same
	})
	b.refusals = append(b.refusals, refusal{l, times})
}

func (b *book) stepped(l *Line) {
	if b.open != nil {
		p := &b.open.phases[len(b.open.phases)-1]
		p.steps = follow(p.steps, l)
		return
	}
	if s := b.astray(l.Node); s != nil {
		s.steps = follow(s.steps, l)
	}
}

// follow adds a step; its end takes the place of its beginning.
func follow(steps []Line, l *Line) []Line {
	steps = slices.DeleteFunc(steps, func(s Line) bool { return s.Node == l.Node && s.Event == EventSent })
	return append(steps, *l)
}

func (b *book) node(l *Line) {
	switch l.Event {
	case EventSilent, EventAnswers, EventThere, EventGone:
		b.mute = slices.DeleteFunc(b.mute, func(m *Line) bool { return m.Node == l.Node })
	}
	s := b.astray(l.Node)
	switch {
	case l.Event == EventSilent:
		b.mute = append(b.mute, l)
	case l.Event == EventStrayed && s != nil:
		s.line = l
	case l.Event == EventStrayed:
		b.strays = append(b.strays, straying{line: l, in: len(b.chapters)})
	case l.Event == EventFits && s != nil && s.in == len(b.chapters):
		s.back = l
	case l.Event == EventFits: // what has happened to the network since put it right
		b.strays = slices.DeleteFunc(b.strays, func(s straying) bool { return s.line.Node == l.Node })
	case l.Event == EventGone && b.open != nil:
		b.open.gone = append(b.open.gone, *l)
	}
}

// astray finds the node among those that are out of their place.
func (b *book) astray(node string) *straying {
	for i := range b.strays {
		if s := &b.strays[i]; s.line.Node == node && s.back == nil {
			return s
		}
	}
	return nil
}

// intact says whether no required node is out of its place.
func (b *book) intact() bool {
	return !slices.ContainsFunc(b.strays, func(s straying) bool { return s.back == nil && !s.line.Optional })
}

// finalized reports whether a node out of its place is finalized: no command brings it back (E5), nor what comes after it.
func (b *book) finalized() bool {
	return slices.ContainsFunc(b.strays, func(s straying) bool { return s.back == nil && s.line.Seen == "finalized" })
}

// badIn lists the steps of a phase that went wrong, those of required nodes first.
func (p *phase) badIn() []Line {
	var list []Line
	for _, optional := range []bool{false, true} {
		for _, s := range p.steps {
			if s.Optional == optional && bad(&s) {
				list = append(list, s)
			}
		}
	}
	return list
}

// bad says whether a step did not do what was asked.
func bad(l *Line) bool {
	switch l.Verdict {
	case "", "done", "undone":
		return false
	case "skipped":
		return l.Step == "" // what was asked of it already was given up with all the rest
	}
	return true
}

// unanswered lists the steps that have no verdict yet.
func (p *phase) unanswered() []Line {
	var list []Line
	for _, s := range p.steps {
		if s.Event == EventSent {
			list = append(list, s)
		}
	}
	return list
}

// done names the nodes whose steps went well.
func (p *phase) done() string {
	return named([]phase{*p}, func(s *Line) bool { return s.Verdict == "done" })
}

// shutDown names the nodes that were asked to shut down. They are finalized, or nothing is known of them.
func (c *chapter) shutDown() string {
	return named(c.phases, func(s *Line) bool { return s.Step == "shutdown" })
}

// named names the nodes of the steps that count.
func named(phases []phase, counts func(*Line) bool) string {
	var names []string
	for _, p := range phases {
		for k := range p.steps {
			if s := &p.steps[k]; counts(s) && !slices.Contains(names, s.Node) {
				names = append(names, s.Node)
			}
		}
	}
	slices.Sort(names)
	if more := len(names) - 10; more > 0 {
		names = append(names[:10], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

func tail[T any](list []T, most int) []T { return list[max(0, len(list)-most):] }
