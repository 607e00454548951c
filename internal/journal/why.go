package journal

import (
	"fmt"
	"time"

	"rstate/internal/lifecycle"
)

// Why says why the network is in its state, and what to try. The lines are those of Read, or the last of them. Running
// says whether an instance still writes them. A moment of another day than now's is shown with its date.
func Why(lines []Line, running bool, now time.Time) Tree {
	b := read(lines)
	if !running && b.end == nil && b.newest != nil {
		end := *b.newest
		end.Sentence, end.Cause = "rstate ended without a word", "killed, crashed, or the power went"
		b.end, b.silent = &end, true
	}
	if b.newest == nil {
		return Tree{Text: "The journal says nothing yet.", Try: []string{"rstate status"}}
	}
	w := teller{now}
	if len(b.chapters) == 0 {
		return w.nothingKnown(b)
	}
	last := len(b.chapters) - 1
	c := b.chapters[last]
	t := w.chapter(b, last)
	t.Text = w.headline(b, c)
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
	stand := fmt.Sprintf("The network %s %s", is, lifecycle.Words(c.stands()))
	if not := c.missed(); not != "" {
		stand += ", not " + not + ","
	}
	if at := c.newest(); at != nil {
		stand += since + w.at(at)
	}
	stand += c.because() + "."
	if c.settled != nil && b.end == nil && !b.intact() {
		stand += " It is not intact."
	}
	if b.end != nil {
		when := "at"
		if b.silent {
			when = "some time after"
		}
		stand += fmt.Sprintf(" %s %s %s%s.", b.end.Sentence, when, w.at(b.end), cause(b.end))
	}
	return stand
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
	case c.stalled:
		expected = c.from
	case c.failed != nil && c.began == nil:
		expected = c.failed.From
	case c.began == nil:
	case c.failed != nil, c.turnedBack():
		expected = c.began.To
	case c.asking == nil && c.follows() == "":
		expected = c.began.From
	}
	if expected == c.stands() {
		return ""
	}
	return expected
}

// follows is the peer whose change the chapter is about; empty: it is about our own.
func (c *chapter) follows() string {
	if c.began == nil || c.asking != nil {
		return ""
	}
	return c.began.Node
}

// turnedBack says whether a transition went back without having failed.
func (c *chapter) turnedBack() bool { return c.failed == nil && c.began != nil && len(c.phases) > 1 }

// cancelled says whether that was because its caller cancelled it. Else its goal was pre-empted.
func (c *chapter) cancelled() bool { return c.asking != nil && c.asking.canceled != nil }

// because is the shortest reason, to follow the headline.
func (c *chapter) because() string {
	switch {
	case c.settled == nil:
		return c.unsettled()
	case c.failed != nil && c.began != nil:
		return ": " + c.began.Command + " failed"
	case c.failed != nil:
		return ": " + c.failed.Sentence
	case c.turnedBack() && c.cancelled():
		return ": " + c.began.Command + " was cancelled"
	case c.turnedBack():
		return ": " + c.began.Command + " was taken back"
	case c.stalled:
		return ": " + c.start.Sentence
	case c.start != nil && len(c.phases) > 1:
		return ", to which rstate lowered it when it started"
	case c.start != nil:
		return ", as rstate found it when it started"
	case c.began != nil:
		return ": " + c.began.Command + c.whose()
	}
	return cause(c.settled)
}

// unsettled is the reason of a network that has not settled.
func (c *chapter) unsettled() string {
	switch {
	case c.stalled:
		return ": " + c.start.Sentence + ", and rstate has not read every node since"
	case c.start != nil:
		return ": rstate has started and has not read every node yet"
	case c.failed != nil && c.began != nil:
		return ": " + c.began.Command + " failed, which is being put right"
	case c.began != nil:
		return fmt.Sprintf(": %s is under way from %s to %s", c.began.Command, c.began.From, c.began.To)
	}
	return ""
}

// whose says where the transition that led here came from.
func (c *chapter) whose() string {
	switch {
	case c.follows() != "":
		return ", as " + c.follows() + " did"
	case c.asking == nil && c.began.Goal == "":
		return ", without a command"
	}
	return " took it there"
}
