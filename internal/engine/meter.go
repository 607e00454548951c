package engine

import (
	"fmt"
	"time"
)

// How a rate is taken from counts. The window is long enough to hold some messages of a slow topic, and no shorter than a
// second, so that a hiccup of the network is no failure.
const (
	rateWindow  = time.Second
	ratePeriods = 4           // of the rate, that a window holds at least
	rateShare   = 0.8         // of the rate is enough
	countStale  = time.Second // the greatest age of the newest count
)

// meter tells the rate of one topic. Its times are those of the clock that the node's deadlines count, but for heard.
type meter struct {
	rate  float64       // to be reached, Hz
	kept  []count       // the first is at the beginning of the window, or before it where the window is full
	last  count         // the newest
	heard time.Duration // when that came, on the steady clock
	fault string        // why nothing can be counted
}

type count struct {
	at time.Duration
	n  uint64
}

func (m *meter) window() time.Duration {
	return max(rateWindow, time.Duration(ratePeriods/m.rate*float64(time.Second)))
}

// take notes a count. One that is smaller, or earlier, than the one before it begins a new window.
func (m *meter) take(c count, heard time.Duration, fault string) {
	if fault != "" || c.n < m.last.n || c.at < m.last.at {
		m.kept = nil
	}
	m.last, m.heard, m.fault = c, heard, fault
	if fault != "" {
		return
	}
	if k := len(m.kept); k == 0 || c.at-m.kept[k-1].at >= m.window()/16 { // enough to see the window by
		m.kept = append(m.kept, c)
	}
	for len(m.kept) > 1 && m.kept[1].at <= c.at-m.window() {
		m.kept = m.kept[1:]
	}
}

// judge says why the topic does not come at its rate; empty: it does. known is false while the window is not full. Who
// counts a window may miss one message at its edge, which is not held against the topic.
func (m *meter) judge(steady time.Duration) (fault string, known bool) {
	switch {
	case m.fault != "":
		return m.fault, true
	case len(m.kept) == 0:
		return "nothing has been counted yet", false
	case steady-m.heard > countStale:
		return fmt.Sprintf("was counted last %v ago", (steady - m.heard).Round(100*time.Millisecond)), true
	}
	span := m.last.at - m.kept[0].at
	if span < m.window() {
		return fmt.Sprintf("was counted for %v of %v only", span.Round(100*time.Millisecond), m.window()), false
	}
	came := float64(m.last.n - m.kept[0].n)
	if came+1 < rateShare*m.rate*span.Seconds() {
		return fmt.Sprintf("comes at %.3g Hz, not %.3g Hz", came/span.Seconds(), m.rate), true
	}
	return "", true
}
