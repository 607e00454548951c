package journal

import (
	"fmt"
	"strings"
	"time"
)

// Why says why the network is where the lines end, and what to try. Lines are those of Read with an empty filter, or the
// last of them: what has been cut off is not told.
func Why(lines []Line) Tree {
	b := read(lines)
	if b.newest == nil {
		return Tree{Text: "The journal says nothing yet.", Try: []string{"rstate status"}}
	}
	w := teller{b.newest.At}
	if len(b.chapters) == 0 {
		return w.nothingKnown(b)
	}
	last := len(b.chapters) - 1
	c := b.chapters[last]
	t := w.chapter(b, last)
	t.Text = w.headline(b, c)
	for _, l := range tail(b.lost, 3) {
		t.add(leaf(&l, "%s (%s)", l.Sentence, w.at(&l)))
	}
	t.add(w.since(b)...)
	t.Try = w.next(b, c)
	return t
}

func (w teller) nothingKnown(b *book) Tree {
	t := Tree{Text: "The journal does not say where the network is."}
	t.add(w.since(b)...)
	t.Try = []string{"rstate status"}
	return t
}

// headline is the answer in one line: where the network is, and since when; not where else; by what.
func (w teller) headline(b *book, c *chapter) string {
	is, since := "is", " since "
	if b.end != nil {
		is, since = "was", " at "
	}
	stand := fmt.Sprintf("The network %s %s", is, c.stands())
	if not := c.missed(); not != "" {
		stand += ", not " + not + ","
	}
	if at := c.newest(); at != nil {
		stand += since + w.at(at)
	}
	stand += c.because() + "."
	if c.settled != nil && b.end == nil && len(b.required()) > 0 {
		stand += " It is not intact."
	}
	if b.end != nil {
		stand += fmt.Sprintf(" %s at %s%s.", b.end.Sentence, w.at(b.end), cause(b.end))
	}
	return stand
}

func cause(l *Line) string {
	if l.Cause == "" {
		return ""
	}
	return ": " + l.Cause
}

// stands is the state in which a chapter ends, or is.
func (c *chapter) stands() string {
	if l := c.newest(); l != nil && l.State != "" {
		return l.State
	}
	return "unknown"
}

// newest is the line since which the network is where the chapter ends.
func (c *chapter) newest() *Line {
	switch {
	case c.settled != nil:
		return c.settled
	case c.failed != nil:
		return c.failed
	case c.began != nil:
		return c.began
	}
	return c.start
}

// missed is the state that a person may have expected instead; empty: none.
func (c *chapter) missed() string {
	expected := ""
	switch {
	case c.settled == nil:
	case c.failed != nil && c.began == nil:
		expected = c.failed.From
	case c.began == nil:
	case c.failed != nil, c.turnedBack():
		expected = c.began.To
	case c.asking == nil:
		expected = c.began.From
	}
	if expected == c.stands() {
		return ""
	}
	return expected
}

// turnedBack says whether a transition went back without having failed: it was cancelled.
func (c *chapter) turnedBack() bool { return c.failed == nil && c.began != nil && len(c.phases) > 1 }

// because is the shortest reason, to follow the headline.
func (c *chapter) because() string {
	switch {
	case c.settled == nil && c.start != nil:
		return ": rstate has started and has not read every node yet"
	case c.settled == nil && c.failed != nil && c.began != nil:
		return ": " + c.began.Command + " failed, which is being put right"
	case c.settled == nil && c.began != nil:
		return fmt.Sprintf(": %s is under way from %s to %s", c.began.Command, c.began.From, c.began.To)
	case c.settled == nil:
		return ""
	case c.failed != nil && c.began != nil:
		return ": " + c.began.Command + " failed"
	case c.failed != nil:
		return ": " + c.failed.Sentence
	case c.turnedBack():
		return ": " + c.began.Command + " was cancelled"
	case c.start != nil && len(c.phases) > 1:
		return ", to which rstate lowered it when it started"
	case c.start != nil:
		return ", as rstate found it when it started"
	case c.began != nil && c.asking == nil && c.began.Goal == "":
		return ": " + c.began.Command + ", which nobody commanded"
	case c.began != nil:
		return ": " + c.began.Command + " took it there"
	}
	return cause(c.settled)
}

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
	case c.cutBy != nil && c.cutBy.Kind == KindStart && c.began != nil:
		return fmt.Sprintf("before that %s was under way since %s, from %s to %s", c.began.Command, since, c.began.From, c.began.To)
	case c.cutBy != nil && c.began != nil:
		return fmt.Sprintf("%s pre-empted %s, under way since %s", c.cutBy.Command, c.began.Command, since)
	case c.cutBy != nil && c.start != nil:
		return fmt.Sprintf("before that rstate had started at %s and not read every node yet", since)
	case c.settled == nil:
		return fmt.Sprintf("before that the network was %s since %s", c.stands(), since)
	}
	text := "before that the network was " + c.stands()
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
			leaf(c.crashed, "rstate ended without a word some time after %s: killed, crashed, or the power went", w.at(c.crashed)),
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
	if l := c.settled; l != nil && l.Cause != "" {
		t.add(leaf(l, "%s", l.Cause))
	}
	return t
}

// asked is a goal in the words of the one who asked.
func (w teller) asked(l *Line) Tree {
	if l.Command == "" {
		return leaf(l, "%s (%s)", l.Sentence, w.at(l))
	}
	text := l.Command + " was asked for"
	if l.By != "" {
		text += " by " + l.By
	}
	text += " at " + w.at(l)
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
	if c.settled == nil {
		trees = append(trees, some(p.unanswered(), func(l *Line) Tree {
			return leaf(l, "%s: %s since %s", l.Node, l.Step, w.at(l))
		})...)
	}
	if done := p.done(); done != "" && (c.failed != nil || c.settled == nil) {
		trees = append(trees, Tree{Text: "went well: " + done})
	}
	return trees
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
	trees := some(hindered, func(l *Line) Tree { return w.step(c, l) })
	if p.line == nil || p.line == c.failed {
		return trees
	}
	t := leaf(p.line, "%s (%s)", p.line.Sentence, w.at(p.line))
	if c.asking != nil && c.asking.canceled != nil && c.turnedBack() {
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
	if l.Seen != "" && l.Seen != "unknown" {
		seen := leaf(l, "last seen %s", l.Seen)
		if l.SeenAgo >= time.Millisecond {
			seen.Text += ", " + shortly(l.SeenAgo) + " before"
		}
		t.add(seen)
	}
	t.Try = w.hints(l)
	return t
}
