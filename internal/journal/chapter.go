package journal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/clean"
	"rstate/internal/lifecycle"
)

// chapter tells what led to the end of chapter k.
func (w teller) chapter(b *book, k int) Tree {
	c := b.chapters[k]
	t := Tree{Text: w.past(c)}
	if at := c.newest(); at != nil {
		t.At = at.At
	}
	t.add(w.origin(c)...)
	for i := range c.phases {
		t.add(w.phase(c, i)...)
	}
	if l := c.settled; l != nil && (c.failed != nil || c.turnedBack()) {
		t.add(leaf(l, "%s (%s)", l.Sentence, w.at(l)))
	}
	t.add(w.outcome(c)...)
	t.add(w.before(b, k)...)
	return t
}

// past is the headline of a chapter that another followed.
func (w teller) past(c *chapter) string {
	since := w.at(c.newest())
	switch {
	case c.cutBy != nil && c.cutBy.Kind != KindState && c.began != nil:
		return fmt.Sprintf("before that %s was under way since %s, from %s to %s", c.began.Command, since, c.began.From,
			c.began.To)
	case c.cutBy != nil && c.began != nil:
		return fmt.Sprintf("%s pre-empted %s, under way since %s", c.cutBy.Command, c.began.Command, since)
	case c.cutBy != nil && c.stalled:
		return fmt.Sprintf("before that %s, at %s, and not every node was read", c.start.Sentence, since)
	case c.cutBy != nil && c.start != nil:
		return fmt.Sprintf("before that rstate had started at %s and not read every node yet", since)
	case c.settled == nil:
		return fmt.Sprintf("before that the network was %s since %s", lifecycle.Words(c.stands()), since)
	}
	text := "before that the network was " + lifecycle.Words(c.stands())
	if not := c.missed(); not != "" {
		text += ", not " + not + ","
	}
	return text + " since " + since + c.because()
}

// origin says who or what began a chapter.
func (w teller) origin(c *chapter) []Tree {
	switch {
	case c.start != nil && c.crashed != nil:
		return []Tree{
			leaf(c.crashed, "rstate ended without a word some time after %s: killed, crashed, or the power went",
				w.at(c.crashed)),
			w.started(c),
		}
	case c.start != nil:
		return []Tree{w.started(c)}
	case c.began == nil:
		return nil
	case c.asking != nil && c.asking.asked != nil:
		return []Tree{w.asked(c.asking.asked)}
	}
	why := c.began.Cause
	if why == "" {
		why = c.began.Sentence
	}
	return []Tree{leaf(c.began, "%s (%s)", why, w.at(c.began))}
}

func (w teller) started(c *chapter) Tree {
	t := leaf(c.start, "%s at %s", c.start.Sentence, w.at(c.start))
	if names := c.disarmed(); c.stalled && names != "" {
		t.Text = fmt.Sprintf("%s, until %s", c.start.Sentence, w.at(c.start))
		t.add(Tree{Text: "so rstate read its nodes anew, and disarmed those that may have been armed: " + names})
	}
	if l := c.settled; l != nil && l.Cause != "" {
		t.add(leaf(l, "%s", l.Cause))
	}
	return t
}

// disarmed names the nodes that were asked to disarm.
func (c *chapter) disarmed() string {
	var names []string
	for _, p := range c.phases {
		for _, s := range p.steps {
			if s.Step == "disarm" && !slices.Contains(names, s.Node) {
				names = append(names, s.Node)
			}
		}
	}
	return strings.Join(names, ", ")
}

// asked is a goal in the words of the one who asked.
func (w teller) asked(l *Line) Tree {
	text := l.Command + " was asked for at " + w.at(l)
	if l.Reason != "" {
		text += ": " + l.Reason
	}
	return leaf(l, "%s", text)
}

// phase tells of one way that a chapter took: what it was for, and what went wrong on it.
func (w teller) phase(c *chapter, i int) []Tree {
	p := &c.phases[i]
	wrong := p.badIn()
	if i > 0 || c.start != nil {
		return w.recovery(c, p, wrong)
	}
	trees := some(wrong, func(l *Line) Tree { return w.step(c, l) })
	if c.failed != nil && len(wrong) == 0 {
		t := leaf(c.failed, "%s (%s)", c.failed.Sentence, w.at(c.failed))
		if c.failed.Node != "" {
			t.Try = w.hints(c.failed)
		}
		trees = append(trees, t)
	}
	trees = append(trees, w.waits(c, p)...)
	if done := p.done(); done != "" && (c.failed != nil || c.settled == nil) {
		trees = append(trees, Tree{Text: "went well: " + done})
	}
	return trees
}

// waits tells what is waited for, in a chapter that has not ended.
func (w teller) waits(c *chapter, p *phase) []Tree {
	if c.settled != nil || p != &c.phases[len(c.phases)-1] {
		return nil
	}
	return some(p.unanswered(), func(l *Line) Tree { return leaf(l, "%s: %s since %s", l.Node, l.Step, w.at(l)) })
}

// recovery tells of a way back or down. One that went well needs no words of its own: where it ended says it.
func (w teller) recovery(c *chapter, p *phase, wrong []Line) []Tree {
	// What is gone is no hindrance on the way down.
	var hindered []Line
	for _, l := range wrong {
		if l.Verdict != "gone" || l.Step != "" {
			hindered = append(hindered, l)
		}
	}
	trees := append(some(hindered, func(l *Line) Tree { return w.step(c, l) }), w.waits(c, p)...)
	if p.line == nil || p.line == c.failed {
		return trees
	}
	t := leaf(p.line, "%s (%s)", p.line.Sentence, w.at(p.line))
	if c.turnedBack() && c.cancelled() {
		t.add(leaf(c.asking.canceled, "its caller cancelled it at %s", w.at(c.asking.canceled)))
	}
	return []Tree{{At: t.At, Text: t.Text, Because: append(t.Because, trees...)}}
}

// step tells of a step that went wrong: which, what was last seen, what to try.
func (w teller) step(c *chapter, l *Line) Tree {
	what := strings.TrimSpace(l.Step + " " + l.Verdict)
	t := leaf(l, "%s: %s at %s%s", l.Node, what, w.at(l), cause(l))
	if l.Optional {
		t.Text += " (optional)"
	}
	for i := range c.gone {
		if g := &c.gone[i]; g.Node == l.Node {
			t.add(leaf(g, "it went at %s%s", w.at(g), cause(g)))
		}
	}
	if l.Seen != "" && bad(l) {
		seen := leaf(l, "last seen %s", l.Seen)
		if l.SeenAgo >= time.Millisecond {
			seen.Text += ", " + shortly(l.SeenAgo) + " before"
		}
		t.add(seen)
	}
	t.Try = w.hints(l)
	return t
}

// outcome tells how a goal ended that did not end with its transition.
func (w teller) outcome(c *chapter) []Tree {
	a := c.asking
	if a == nil || a.finished == nil || c.failed != nil || c.cancelled() ||
		strings.HasPrefix(a.finished.Outcome, "succeeded") {
		return nil
	}
	return []Tree{leaf(a.finished, "%s (%s)", a.finished.Sentence, w.at(a.finished))}
}

// before tells of the chapter before k where k does not explain itself: a start found what was there, and what
// pre-empted something else did so for a reason. It goes back over three starts at most.
func (w teller) before(b *book, k int) []Tree {
	if k == 0 {
		return nil
	}
	c, former := b.chapters[k], b.chapters[k-1]
	starts := 0
	for i := k; i < len(b.chapters); i++ {
		if b.chapters[i].start != nil {
			starts++
		}
	}
	switch {
	case c.start != nil && starts > 3:
		return nil
	case c.start != nil && former.unusual():
		return []Tree{w.chapter(b, k-1)}
	case c.start != nil, former.cutBy != nil && former.cutBy == c.began:
		t := leaf(former.newest(), "%s", w.past(former))
		t.add(w.outcome(former)...)
		return []Tree{t}
	}
	return nil
}

// unusual says whether a chapter is worth telling when it is past.
func (c *chapter) unusual() bool {
	return c.settled == nil || c.failed != nil || c.turnedBack() || c.start != nil || c.missed() != ""
}

// since tells what happened after the network had settled: stops, nodes that left their place or are unresponsive, and
// what was refused.
func (w teller) since(b *book) []Tree {
	trees := w.stops(b)
	groups := b.alike()
	for i, alike := range groups {
		if i == maxStrays {
			trees = append(trees, Tree{Text: "and " + clean.Count(len(slices.Concat(groups[i:]...)), "more node")})
			break
		}
		trees = append(trees, w.strayedAlike(alike))
	}
	for i, l := range b.mute {
		if i == maxStrays {
			trees = append(trees, Tree{Text: "and " + clean.Count(len(b.mute)-i, "more unresponsive node")})
			break
		}
		t := leaf(l, "%s, since %s", l.Sentence, w.at(l))
		t.Try = w.hints(l)
		trees = append(trees, t)
	}
	for _, r := range tail(b.refusals, 3) {
		t := leaf(r.line, "%s (%s)", r.line.Sentence, w.at(r.line))
		if r.times > 1 {
			t.Text = fmt.Sprintf("%s (%s, the last of %d times)", r.line.Sentence, w.at(r.line), r.times)
		}
		trees = append(trees, t)
	}
	return trees
}

// maxStrays is how many nodes fit on a screen.
const maxStrays = 10

// alike returns the nodes that left their place, in groups with the same text.
func (b *book) alike() (groups [][]straying) {
	for _, s := range b.strays {
		at := slices.IndexFunc(groups, func(g []straying) bool {
			return s.same() != "" && g[0].same() == s.same() && g[0].line.Optional == s.line.Optional
		})
		if at < 0 {
			groups = append(groups, []straying{s})
			continue
		}
		groups[at] = append(groups[at], s)
	}
	return groups
}

// same is the text about the node that may stand for several nodes. It is empty if rstate did something about the node,
// or if there is a hint for this node alone.
func (s *straying) same() string {
	if s.back != nil || len(s.steps) > 0 || len(teller{}.hints(s.line)) > 0 {
		return ""
	}
	said, _ := strings.CutPrefix(s.line.Sentence, s.line.Node+" ")
	return said
}

// strayedAlike tells of a group of nodes with the same text.
func (w teller) strayedAlike(alike []straying) Tree {
	t := w.strayed(alike[0])
	if len(alike) == 1 {
		return t
	}
	var names []string
	for _, s := range alike {
		names = append(names, s.line.Node)
	}
	const most = 10
	list := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	said, _ := strings.CutPrefix(t.Text, alike[0].line.Node+" ")
	t.Node, t.Text = "", list+": "+said
	return t
}

// strayed tells of a node that left its place, and what was done about it.
func (w teller) strayed(s straying) Tree {
	t := leaf(s.line, "%s, since %s", s.line.Sentence, w.at(s.line))
	if s.back != nil {
		t.Text = fmt.Sprintf("%s at %s, and is back in its place since %s", s.line.Sentence, w.at(s.line), w.at(s.back))
	}
	if s.line.Optional {
		t.Text += " (optional)"
	}
	if n := len(s.steps); n > 0 {
		last := w.step(&chapter{}, &s.steps[n-1])
		if n > 1 {
			last.Text += fmt.Sprintf(", the last of %d tries", n)
		}
		t.add(last)
	}
	if s.back == nil {
		t.Try = w.hints(s.line)
	}
	return t
}
