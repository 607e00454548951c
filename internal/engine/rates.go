package engine

import (
	"fmt"
	"strings"
	"time"

	"rstate/internal/network"
)

// How a rate is computed from counts. The window holds several messages of a slow topic, and is at
// least a second, so that a brief delay of the network is no failure.
const (
	rateWindow  = time.Second
	ratePeriods = 4           // least number of periods in a window
	rateShare   = 0.8         // share of the rate that is enough
	countStale  = time.Second // greatest age of the newest count
	// Counts that come faster than this have waited to be read: they are made ten times a second.
	countBurst = 30 * time.Millisecond
)

type count struct {
	at time.Duration
	n  uint64
}

// meter measures the rate of one topic, on the clock of the node's deadlines (except heard).
type meter struct {
	rate float64 // required rate, Hz
	// The first is at the beginning of the window, or before it if the window is full.
	kept  []count
	last  count         // the newest
	heard time.Duration // when the newest came, on the steady clock
	fault string        // why counting is impossible
}

func (m *meter) window() time.Duration {
	return max(rateWindow, time.Duration(ratePeriods/m.rate*float64(time.Second)))
}

// take notes a count. A count that is smaller or earlier than the one before it begins a new
// window. So does one that has waited together with the first of the window: what was counted between
// the two did not come in the time between them.
func (m *meter) take(c count, heard time.Duration, fault string) {
	waited := len(m.kept) == 1 && m.kept[0] == m.last && heard-m.heard < countBurst
	if fault != "" || c.n < m.last.n || c.at < m.last.at || waited {
		m.kept = nil
	}
	m.last, m.heard, m.fault = c, heard, fault
	if fault != "" {
		return
	}
	if k := len(m.kept); k == 0 || c.at-m.kept[k-1].at >= m.window()/16 { // enough detail
		m.kept = append(m.kept, c)
	}
	for len(m.kept) > 1 && m.kept[1].at <= c.at-m.window() {
		m.kept = m.kept[1:]
	}
}

// judge says why the topic is below its rate; empty: it is not. known is false while the window is
// not full. A window may miss one message at its edge, which does not count against the topic.
func (m *meter) judge(steady time.Duration) (fault string, known bool) {
	switch {
	case m.fault != "":
		return m.fault, true
	case len(m.kept) == 0:
		return "nothing has been counted yet", false
	case steady-m.heard > countStale:
		return fmt.Sprintf(countedWords+"last %v ago", (steady - m.heard).Round(100*time.Millisecond)), true
	}
	span := m.last.at - m.kept[0].at
	if span < m.window() {
		return fmt.Sprintf("was counted for %v of %v only", span.Round(100*time.Millisecond), m.window()), false
	}
	came := float64(m.last.n - m.kept[0].n)
	if came+1 < rateShare*m.rate*span.Seconds() {
		return fmt.Sprintf(comesWords+"%.3g Hz, not %.3g Hz", came/span.Seconds(), m.rate), true
	}
	return "", true
}

// clockOf is the time that the topic rates of node i count: simulated time once it is heard, if the
// node's deadlines do.
func (ro *roster) clockOf(i int) time.Duration {
	if ro.clock.rates && ro.nodes[i].spec.Clock != network.SteadyClock {
		return ro.now.ROS
	}
	return ro.now.Steady
}

// restartRates begins every rate anew, because its times come from another clock now.
func (ro *roster) restartRates() {
	for _, i := range ro.checked {
		for k := range ro.nodes[i].checks {
			ro.nodes[i].checks[k].meter.kept = nil
		}
	}
}

// What stands before a value that changes with each look.
const (
	comesWords   = "comes at "
	countedWords = "was counted "
)

// unmeasured returns a text up to its first value that changes with each look.
func unmeasured(text string) string {
	for _, words := range [...]string{comesWords, countedWords} {
		if before, _, ok := strings.Cut(text, words); ok {
			return before + words
		}
	}
	return text
}
