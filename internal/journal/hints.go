package journal

import "fmt"

// next says what to do, once the nodes are put right.
func (w teller) next(b *book, c *chapter) []string {
	switch {
	case b.end != nil && c.settled != nil && c.shutDown() != "":
		return []string{"start again, as nothing else leaves finalized: the processes of " + c.shutDown(),
			"rstate run FILE, when they are there"}
	case b.end != nil:
		return []string{"rstate run FILE starts it again, and it adopts what is there"}
	case c.settled == nil:
		return []string{"rstate status shows what it waits for"}
	}
	var tries []string
	if !b.intact() {
		try := fmt.Sprintf("rstate send %s brings every node that is there back to its place", c.stands())
		if b.finalized() {
			try += ", but none that is finalized, and none that comes after such a node"
		}
		tries = append(tries, try)
	}
	if again := b.again(c); again != "" {
		when := "when that is put right"
		if c.failed == nil && len(tries) == 0 && !b.stopsOpen() {
			when = "if it is still wanted"
		}
		tries = append(tries, fmt.Sprintf("rstate send %s, %s", again, when))
	}
	return tries
}

// again is the command that was not carried through; empty: there is none.
func (b *book) again(c *chapter) string {
	if c.start != nil && len(b.chapters) > 1 {
		if former := b.chapters[len(b.chapters)-2]; former.cutBy == c.start && former.began != nil {
			c = former
		}
	}
	switch {
	case (c.missed() != "" || c.settled == nil) && c.asking != nil && c.asking.asked != nil:
		return c.asking.asked.Command
	case c.settled == nil && c.began != nil:
		return c.began.Command
	}
	return c.missed()
}

// hints says what to try with a node, by what became of it.
func (w teller) hints(l *Line) []string {
	switch {
	case l.Count > 1:
		return []string{fmt.Sprintf("end all but one of the %d processes that are called %s", l.Count, l.Node)}
	case l.Step == "disarm" && l.Verdict != "done":
		return []string{fmt.Sprintf("take %s to be armed and keep away until it confirms; rstate asks it every second",
			l.Node)}
	case l.Verdict == "refused", l.Verdict == "errored":
		return append([]string{w.saidNo(l)}, reborn(l)...)
	case l.Verdict == "late" && l.Step != "" && l.Step != "arm":
		return []string{
			fmt.Sprintf("see whether %s hangs in on_%s: ros2 lifecycle get %s gets no answer then", l.Node, l.Step,
				l.Node),
			fmt.Sprintf("if it only takes longer, give it more in the network file: deadline: {%s: …}", l.Step),
		}
	case l.Verdict == "late", l.Verdict == "unknown", l.Event == EventSilent:
		return []string{fmt.Sprintf("see whether %s hangs: ros2 lifecycle get %s; if it does, start its process again",
			l.Node, l.Node)}
	case l.Verdict == "gone":
		return []string{fmt.Sprintf("start the process of %s again, and read why it ended", l.Node)}
	}
	return reborn(l)
}

// saidNo points to where a node says why it did not do what it was asked.
func (w teller) saidNo(l *Line) string {
	log := fmt.Sprintf("read what %s logged at %s", l.Node, w.at(l))
	switch {
	case l.Step == "":
		return log
	case l.Step == "arm":
		return log + ": it said no to arm"
	case l.Verdict == "refused":
		return log + ": its on_" + l.Step + " said no"
	}
	return log + ": its on_" + l.Step + " ended in an error"
}

// reborn says what helps a node that is finalized.
func reborn(l *Line) []string {
	if l.Seen != "finalized" {
		return nil
	}
	return []string{fmt.Sprintf("start the process of %s again: nothing else leaves finalized", l.Node)}
}
