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
	astray   []Line // nodes that are not as the network's state says, by the newest line about each
	refusals []refusal
	lost     []Line // what the journal says that it lost
	state    *Line  // the newest of kind state
	newest   *Line
	end      *Line // rstate has ended, or is to, and has not started again
	life     *Line // the newest line of rstate itself, before the one that is looked at
}

// chapter is a transition, with all that its failing or cancelling made of it; or a start; or what a policy did.
type chapter struct {
	start   *Line // of rstate
	crashed *Line // the last word of an instance that ended without one
	began   *Line // the transition; nil in a start and where a policy acts
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
	case KindJournal:
		if l.Lost > 0 {
			b.lost = append(b.lost, *l)
		}
	}
	if l.Kind != KindJournal {
		b.life = l
	}
}

// started begins a chapter in which nothing is known of the nodes any more.
func (b *book) started(l *Line) {
	c := &chapter{start: l, phases: []phase{{}}}
	if b.life != nil && b.end == nil {
		c.crashed = b.life
	}
	b.cut(l)
	b.end, b.astray, b.refusals, b.goals = nil, nil, nil, nil
	b.push(c)
}

func (b *book) push(c *chapter) {
	b.chapters = append(b.chapters, c)
	b.open = c
}

// cut ends a chapter that has not settled and never will.
func (b *book) cut(by *Line) {
	if b.open != nil {
		b.open.cutBy = by
		b.open = nil
	}
}

func (b *book) changed(l *Line) {
	b.state = l
	event := eventOf(l)
	if event == EventBegan {
		b.cut(l)
		b.push(&chapter{began: l, asking: b.askedFor(l), phases: []phase{{}}})
		b.refusals = nil
		return
	}
	if b.open == nil {
		b.push(&chapter{phases: []phase{{}}})
	}
	c := b.open
	switch event {
	case EventFailed:
		c.failed = l
		c.phases = append(c.phases, phase{line: l})
	case EventSettled:
		c.settled = l
		b.open = nil
	default:
		c.phases = append(c.phases, phase{line: l})
	}
}

// askedFor finds the goal of a transition. A journal whose beginning is gone does not know it.
func (b *book) askedFor(l *Line) *asking {
	if l.Goal == "" {
		return nil
	}
	return b.asking(l.Goal)
}

func (b *book) asking(handle string) *asking {
	for _, a := range slices.Backward(b.goals) {
		if a.handle == handle {
			return a
		}
	}
	return nil
}

func (b *book) goal(l *Line) {
	a := b.asking(l.Goal)
	if a == nil || eventOf(l) == EventAsked {
		a = &asking{handle: l.Goal}
		b.goals = append(b.goals, a)
	}
	switch eventOf(l) {
	case EventAsked:
		a.asked = l
	case EventCanceled:
		a.canceled = l
	case EventFinished:
		a.finished = l
	}
	if len(b.goals) > 100 { // open ones are few, and of the others only the newest are asked for
		b.goals = b.goals[1:]
	}
}

func (b *book) refused(l *Line) {
	for i := range b.refusals {
		if b.refusals[i].line.Sentence == l.Sentence {
			again := refusal{l, b.refusals[i].times + 1}
			b.refusals = append(slices.Delete(b.refusals, i, i+1), again)
			return
		}
	}
	b.refusals = append(b.refusals, refusal{l, 1})
}

func (b *book) stepped(l *Line) {
	if b.open == nil {
		if l.Verdict == "done" {
			b.fits(l.Node) // brought back to its place while nothing ran
		}
		return
	}
	p := &b.open.phases[len(b.open.phases)-1]
	p.steps = slices.DeleteFunc(p.steps, func(s Line) bool { return s.Node == l.Node && s.Verdict == "" })
	p.steps = append(p.steps, *l)
}

func (b *book) node(l *Line) {
	switch eventOf(l) {
	case EventStrayed:
		b.fits(l.Node)
		b.astray = append(b.astray, *l)
	case EventFits:
		b.fits(l.Node)
	case EventGone:
		if b.open != nil {
			b.open.gone = append(b.open.gone, *l)
		}
	}
}

func (b *book) fits(node string) {
	b.astray = slices.DeleteFunc(b.astray, func(s Line) bool { return s.Node == node })
}

// bad says whether a step did not do what was asked.
func bad(l *Line) bool {
	switch l.Verdict {
	case "refused", "errored", "late", "gone", "unknown":
		return true
	}
	return false
}

// badIn lists the steps of a phase that went wrong, those of required nodes first.
func (p *phase) badIn() []Line {
	var list []Line
	for _, optional := range []bool{false, true} {
		for i := range p.steps {
			if s := &p.steps[i]; bad(s) && s.Optional == optional {
				list = append(list, *s)
			}
		}
	}
	return list
}

// unanswered lists the steps that have no verdict yet.
func (p *phase) unanswered() []Line {
	var list []Line
	for i := range p.steps {
		if p.steps[i].Verdict == "" {
			list = append(list, p.steps[i])
		}
	}
	return list
}

// done names the nodes whose steps went well.
func (p *phase) done() string {
	var names []string
	for i := range p.steps {
		if p.steps[i].Verdict == "done" {
			names = append(names, p.steps[i].Node)
		}
	}
	if more := len(names) - 10; more > 0 {
		names = append(names[:10], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// required lists the nodes that make the network less than intact.
func (b *book) required() []Line {
	var list []Line
	for i := range b.astray {
		if !b.astray[i].Optional {
			list = append(list, b.astray[i])
		}
	}
	return list
}

func tail[T any](list []T, most int) []T {
	return list[max(0, len(list)-most):]
}
