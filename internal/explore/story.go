package explore

import (
	"fmt"
	"strings"

	"rstate/internal/engine"
)

// story collects what happens, as lines for a person.
type story struct{ lines []string }

// tell adds a line of what is true.
func (w *world) tell(format string, args ...any) {
	if w.story != nil {
		w.story.lines = append(w.story.lines, fmt.Sprintf("%10.6f   ", w.now.Seconds())+fmt.Sprintf(format, args...))
	}
}

// say adds a line of what an engine hears, or wishes.
func (w *world) say(i int, way string, what fmt.Stringer) {
	if w.story == nil {
		return
	}
	switch what.(type) {
	case engine.Tick, engine.WakeAt, engine.TopicCounted:
		return
	}
	name := ""
	if len(w.sides) > 1 {
		name = w.sides[i].file.name + " "
	}
	w.tell("%s%s %s", name, way, w.names(i, what.String()))
}

// names puts the names of nodes in the place of their numbers.
func (w *world) names(i int, words string) string {
	for k := range w.sides[i].nodes {
		words = strings.ReplaceAll(words, fmt.Sprintf("node %d", k), w.sides[i].nodes[k].spec.Name)
	}
	return words
}
