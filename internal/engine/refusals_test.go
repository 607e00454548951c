package engine_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
)

// TestC10AFloodOfRefusedCommandsIsCounted: 1000 refused commands in 25 s leave the history readable, whatever the
// clients call themselves. Each is answered, the counts name all of them, and another client's refusal has a line of
// its own.
func TestC10AFloodOfRefusedCommandsIsCounted(t *testing.T) {
	for name, client := range map[string]func(int) string{
		"one client":   func(int) string { return "10.0.0.9 (HTTP, curl)" },
		"many names":   func(k int) string { return fmt.Sprint("client ", k) },
		"three, mixed": func(k int) string { return fmt.Sprint("client ", k%3) },
	} {
		t.Run(name, func(t *testing.T) {
			const asked = 1000
			w := newCourt(t)
			before := len(w.entries)
			for k := range asked {
				w.step(engine.GoalAsked{Handle: fmt.Sprint(k), Command: "arm", Client: client(k)})
				w.now.Steady += 25 * time.Millisecond
			}
			w.step(engine.GoalAsked{Handle: "anna", Command: "arm", Client: "anna"})
			if e := w.last(engine.EntryRefusal); name != "many names" && e.Client != "anna" {
				t.Errorf("the refusal of another client is not recorded: %+v", e)
			}
			for range 30 {
				w.now.Steady += time.Second
				w.step(engine.Tick{})
			}
			lines, counted := 0, 0
			for _, e := range w.entries[before:] {
				if e.Kind != engine.EntryRefusal {
					continue
				}
				lines++
				if m := regexp.MustCompile(`^(\d+) more commands? of `).FindStringSubmatch(e.Sentence); m != nil {
					n, _ := strconv.Atoi(m[1])
					counted += n
				} else {
					counted++
				}
			}
			if most := 5*20 + 5*5; lines > most || counted != asked+1 {
				t.Errorf("%d lines tell of %d refusals; want at most %d, of %d", lines, counted, most, asked+1)
			}
			rejected := 0
			for _, e := range w.effects {
				if _, ok := e.(engine.RejectGoal); ok {
					rejected++
				}
			}
			if rejected != asked+1 {
				t.Errorf("%d of %d clients were answered", rejected, asked+1)
			}
		})
	}
}

// TestC10TheCountComesByItself: the engine asks to be woken for it, and a client that has been quiet gets its lines
// again.
func TestC10TheCountComesByItself(t *testing.T) {
	w := newCourt(t)
	ask := func(n int) (lines int) {
		before := len(w.entries)
		for k := range n {
			w.step(engine.GoalAsked{Handle: fmt.Sprint(w.now.Steady, k), Command: "arm", Client: "anna"})
		}
		return len(w.entries) - before
	}
	w.now.Steady += 1234 * time.Millisecond // at which nothing else is due
	if n := ask(20); n != 20 {
		t.Errorf("%d of 20 refusals have a line", n)
	}
	if n := ask(5); n != 0 {
		t.Errorf("%d lines beyond the limit", n)
	}
	due := w.now.Steady + 10*time.Second
	for w.now.Steady < due { // only as the engine asks
		at, ok := w.effects[len(w.effects)-1].(engine.WakeAt)
		if !ok || at.Steady > due || at.Steady <= w.now.Steady {
			t.Fatalf("the engine does not ask to be woken at %v: %v", due, w.effects[len(w.effects)-1])
		}
		w.now.Steady = at.Steady
		w.step(engine.Tick{})
	}
	e := w.last(engine.EntryRefusal)
	if e.Client != "anna" || !strings.HasPrefix(e.Sentence,
		"5 more commands of anna were rejected; the newest: arm was") {
		t.Errorf("recorded: %q", e.Sentence)
	}
	w.now.Steady += 21 * time.Second
	w.step(engine.Tick{})
	if n := ask(20); n != 20 {
		t.Errorf("%d of 20 refusals have a line after a pause", n)
	}
}
