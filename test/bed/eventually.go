package bed

import (
	"strings"
	"testing"
	"time"
)

// Deadline is how long anything may take in the real world before a test fails. It is long because
// the machine may be busy; no test waits for it to pass.
const Deadline = 30 * time.Second

// interval is how often a condition is checked.
const interval = 10 * time.Millisecond

// Eventually waits until the condition holds. `what` completes "it never came about that …". The
// condition returns what it has seen, for the report, which also has the log of every process of
// the test.
func Eventually(t testing.TB, what string, condition func() (seen string, ok bool)) {
	t.Helper()
	if seen, ok := poll(Deadline, condition); !ok {
		t.Fatalf("it never came about that %s; last seen: %s%s", what, seen, logs(t))
	}
}

// poll checks at once, and then at intervals until the limit.
func poll(limit time.Duration, condition func() (string, bool)) (string, bool) {
	seen, ok := condition()
	if ok {
		return seen, true
	}
	over := time.NewTimer(limit)
	defer over.Stop()
	again := time.NewTicker(interval)
	defer again.Stop()
	for {
		select {
		case <-over.C:
			return condition()
		case <-again.C:
			if seen, ok := condition(); ok {
				return seen, true
			}
		}
	}
}

// logs returns the logs of the processes of the test, of its parent tests, and of the shared host.
func logs(t testing.TB) string {
	var text strings.Builder
	children.Lock()
	var mine []*Process
	for of, processes := range children.of {
		if strings.HasPrefix(t.Name()+"/", of+"/") {
			mine = append(mine, processes...)
		}
	}
	children.Unlock()
	shared.Lock()
	if shared.host != nil {
		mine = append(mine, shared.host.process)
	}
	shared.Unlock()
	for _, p := range mine {
		text.WriteString("\n--- " + p.Name + " said:\n" + p.Log())
		if p.graph != nil {
			text.WriteString("\n--- " + p.Name + " has discovered:\n" + p.graph())
		}
	}
	return text.String()
}
