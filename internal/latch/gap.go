package latch

import (
	"cmp"
	"strings"
	"time"
)

// Gap is a time in which an instance did not listen to its stop inputs, so that a press left no trace. The zero value is
// none.
type Gap struct {
	From time.Time // zero: nothing is known of the time before To
	To   time.Time
	// Its length. Negative: the instance does not know when it began, and From is the last sign that it listened.
	For time.Duration
	Why string // why nothing, or little, is known of its beginning; empty: it is known
}

// Any reports whether it is a gap.
func (g Gap) Any() bool { return !g.To.IsZero() }

// Exceeds reports whether the gap may have been longer than a stop button may be silent.
func (g Gap) Exceeds(silent time.Duration) bool { return g.Any() && (g.For < 0 || g.For > silent) }

// deaf begins the words of each gap. Those of a stop input begin with its topic. Peers tell the two apart by that.
const deaf = "rstate did not listen "

// words says that nothing listened since a moment. parts says that it did so in between.
func (g Gap) words(parts bool) string {
	const day = 20 * time.Hour
	form := "15:04:05Z"
	if g.To.Sub(g.From) > day && !g.From.IsZero() {
		form = "2006-01-02 15:04:05Z"
	}
	text := deaf
	if parts {
		text += "all the time "
	}
	to := g.To.UTC().Format(form)
	switch {
	case g.From.IsZero() || g.From.After(g.To): // a clock that was set back
		text += "before " + to
	case g.For < 0:
		text += "from " + g.From.UTC().Format(form) + " at the earliest to " + to
	default:
		text += "from " + g.From.UTC().Format(form) + " to " + to
	}
	if g.Why != "" {
		text += ": " + g.Why
	}
	return text
}

// IsGap reports whether the newest stop of the run is only a gap: nothing has said stop.
func (l *Latch) IsGap() bool { return strings.HasPrefix(l.Why, deaf) }

// Cause says what has stopped the network.
func (l *Latch) Cause() string {
	if l.IsGap() {
		return l.Why
	}
	return "stop input " + l.Why
}

// Advice says what a person does about the stop.
func (l *Latch) Advice() string {
	if l.IsGap() {
		return "make sure that nothing has to stop, then run rstate acknowledge"
	}
	return "release the stop, then run rstate acknowledge"
}

// LatchGap latches a stop of this run because of a gap. If a stop of the run is open, its text covers the gap too. Open
// gaps of earlier runs of the same instance become part of it: closed lists them. So a run that ends again and again
// leaves one open stop, which a person acknowledges once.
func (l *Ledger) LatchGap(origin, instance string, g Gap) (now Latch, closed []Latch) {
	parts := false
	for _, e := range l.Open() {
		if e.Origin != origin || !e.IsGap() {
			continue
		}
		if g = g.after(e.Since); e.Instance != instance {
			e.Acknowledged = e.Latched
			l.put(e)
			closed = append(closed, e)
		}
		parts = true
	}
	why := g.words(parts)
	if own := l.Of(instance); own.Open() && !own.IsGap() {
		before, _, _ := strings.Cut(own.Why, "; "+deaf)
		why = before + "; " + why
	}
	now = l.Latch(origin, instance, why, g.To)
	now.Since = g.From
	l.put(now)
	return now, closed
}

// after returns the gap with the beginning of an earlier one. If nothing is known of that one's, the beginning of both is
// unknown.
func (g Gap) after(since time.Time) Gap {
	if since.IsZero() || g.From.IsZero() {
		g.From, g.Why = time.Time{}, cmp.Or(g.Why, "nothing is known of the time before")
	} else if since.Before(g.From) {
		g.From = since
	}
	return g
}

// GoesOn reports whether a later stop of the same instance covers a gap that is closed, so no person has acknowledged it.
func (l *Ledger) GoesOn(closed *Latch) bool {
	if !closed.IsGap() {
		return false
	}
	for _, e := range l.Open() {
		if e.Origin == closed.Origin && e.IsGap() && e.Instance != closed.Instance {
			return true
		}
	}
	return false
}
