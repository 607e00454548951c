package engine

import (
	"slices"
	"strings"
)

// What tests of this package see of its inside.

// holdAdvice are reasons that say themselves what to do.
var holdAdvice = []string{": end all but one", ": take it out of", ": take them out of", ": give its file another",
	": take one of them out of", "; send it again", "send the command to", "to run both, give one another name"}

// Advises reports whether an obstacle says what to do.
func Advises(o Obstacle) bool {
	return o.Do != "" || slices.ContainsFunc(holdAdvice, func(words string) bool { return strings.Contains(o.Why, words) })
}

// Follow calls f with each phase that begins, and with the one before it in the same work, which is empty at
// the start of the work, until end is called. f may be called by several goroutines at a time.
func Follow(f func(before, begins string)) (end func()) {
	phaseBegins = f
	return func() { phaseBegins = nil }
}

// PhaseRow is a phase as the table has it.
type PhaseRow struct {
	Name, Heads string
	Next        []string
}

// Phases lists the table of phases.
func Phases() []PhaseRow {
	words := map[heading]string{
		onward: "to the target", anew: "to the armed state again", nowhere: "nowhere", backward: "back to the origin",
		downward: "down", toTheEnd: "down, to the end", inPlace: "to where they belong",
	}
	var rows []PhaseRow
	for _, p := range []*phase{
		forward, draining, undoing, restoring, returning, unconfiguring, finalizing, rearming, reconciling, leaving,
		adopting,
	} {
		row := PhaseRow{Name: p.name, Heads: words[p.heads]}
		for _, n := range p.next {
			row.Next = append(row.Next, n.name)
		}
		rows = append(rows, row)
	}
	return rows
}
