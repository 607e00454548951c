package journal

import (
	"slices"
	"strings"
)

// stopped is the newest stop of a run that lines tell of.
type stopped struct {
	line         *Line // which says so first
	acknowledged *Line // nil: it is open
}

// stop takes a line of a stop. A journal repeats the lines of open stops.
func (b *book) stop(l *Line) {
	i := slices.IndexFunc(b.stops, func(s stopped) bool { return s.line.StopRun == l.StopRun })
	open := l.Latched > l.Acknowledged
	switch {
	case i >= 0 && l.Event == EventExtended:
		b.stops = slices.Delete(b.stops, i, i+1)
	case i < 0 && open:
		b.stops = append(b.stops, stopped{line: l})
	case i < 0:
	case l.Latched > b.stops[i].line.Latched && open:
		b.stops[i] = stopped{line: l}
	case !open && b.stops[i].acknowledged == nil:
		b.stops[i].acknowledged = l
	}
}

// forgetStops forgets what is past: stops that are acknowledged.
func (b *book) forgetStops() {
	b.stops = slices.DeleteFunc(b.stops, func(s stopped) bool { return s.acknowledged != nil })
}

// stopsOpen reports whether a stop is not acknowledged.
func (b *book) stopsOpen() bool {
	return slices.ContainsFunc(b.stops, func(s stopped) bool { return s.acknowledged == nil })
}

// stops tells which stops are open, and which were acknowledged since the last transition began.
func (w teller) stops(b *book) []Tree {
	var trees []Tree
	for _, s := range b.stops {
		at := *s.line
		if !at.StopAt.IsZero() { // the line may repeat a stop of an earlier run
			at.At = at.StopAt.In(at.At.Location())
		}
		t := leaf(&at, "stopped at %s by %s: %s", w.at(&at), at.Node, stopCause(at.StopWhy))
		if a := s.acknowledged; a != nil {
			t.add(leaf(a, "%s at %s%s", acknowledgement(a), w.at(a), cause(a)))
		} else {
			t.Text += "; nothing is armed until a person acknowledges"
			t.Try = []string{stopRemedy(at.StopWhy), "rstate status shows whether the stop input is clear"}
		}
		trees = append(trees, t)
	}
	return trees
}

// isInput reports whether a stop came from an input, whose topic begins the words. Else nothing listened for a while.
func isInput(why string) bool { return strings.HasPrefix(why, "/") }

func stopCause(why string) string {
	if isInput(why) {
		return "stop input " + why
	}
	return why
}

func stopRemedy(why string) string {
	if isInput(why) {
		return "release the stop, then run rstate acknowledge"
	}
	return "make sure that nothing has to stop, then run rstate acknowledge"
}

// acknowledgement names the person that has acknowledged, if the line does: a peer tells no name.
func acknowledgement(l *Line) string {
	if l.Client == "" {
		return "a person has acknowledged it"
	}
	return l.Client + " has acknowledged it"
}
