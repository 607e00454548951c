package bed

import (
	"strings"
	"testing"
	"time"

	"rstate/internal/runnable"
)

// Deadline is how long anything may take in the real world before a test fails. It is long because
// the machine may be busy; no test waits for it to pass. Time in which this process could not run does
// not count.
const Deadline = 30 * time.Second

// interval is how often a condition is checked for which nothing waits.
const interval = 20 * time.Millisecond

// patience is how long the host waits for news before the condition is checked all the same.
const patience = time.Second

// Eventually waits until the condition holds. `what` completes "it never came about that …". The
// condition returns what it has seen, for the report, which also has the log of every process of
// the test.
func Eventually(t testing.TB, what string, condition func() (seen string, ok bool)) {
	t.Helper()
	EventuallyAfter(t, func() { time.Sleep(interval) }, what, condition)
}

// EventuallyAfter is Eventually for a condition that can change only after pause has returned.
func EventuallyAfter(t testing.TB, pause func(), what string, condition func() (seen string, ok bool)) {
	t.Helper()
	if seen, ok := poll(Deadline, pause, condition); !ok {
		t.Fatalf("it never came about that %s; last seen: %s%s", what, seen, logs(t))
	}
}

// poll checks at once, and then after each pause until the limit.
func poll(limit time.Duration, pause func(), condition func() (string, bool)) (seen string, ok bool) {
	within := runnable.Within(limit)
	defer within.Stop()
	for ; ; pause() {
		late := within.IsOver()
		if seen, ok = condition(); ok || late {
			return seen, ok
		}
	}
}

// Within is EventuallyAfter for what may never come about. It reports whether it did before the limit.
func Within(limit time.Duration, pause func(), condition func() bool) bool {
	_, ok := poll(limit, pause, func() (string, bool) { return "", condition() })
	return ok
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
