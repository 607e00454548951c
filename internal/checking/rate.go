package checking

import (
	"fmt"
	"strconv"
	"time"

	"rstate/internal/network"
)

// How a rate is computed from counts. The window holds several messages of a slow topic, and is at
// least a second, so that a brief delay of the network is no failure.
const (
	rateWindow = time.Second
	rateShare  = 0.8 // share of the rate that is enough
	// Counts that come faster than this have waited to be read.
	countBurst = 30 * time.Millisecond
)

type count struct {
	at time.Duration
	n  uint64
}

// rate is whether a topic comes often enough, on the clock of the node's deadlines (except heard).
type rate struct {
	wanted float64 // Hz
	// The first is at the beginning of the window, or before it if the window is full.
	kept  []count
	last  count         // the newest
	heard time.Duration // when the newest came, on the steady clock
	fault string        // why counting is impossible
}

func (r *rate) Window() time.Duration {
	return max(rateWindow, time.Duration(network.RatePeriods/r.wanted*float64(time.Second)))
}

// Take notes a count. A count that is smaller or earlier than the one before it begins a new
// window. So does one that has waited together with the first of the window: what was counted between
// the two did not come in the time between them.
func (r *rate) Take(s Sample, at Moment) {
	c := count{at.Clock, s.Count}
	waited := len(r.kept) == 1 && r.kept[0] == r.last && at.Steady-r.heard < countBurst
	if s.Fault != "" || c.n < r.last.n || c.at < r.last.at || waited {
		r.kept = nil
	}
	r.last, r.heard, r.fault = c, at.Steady, s.Fault
	if s.Fault != "" {
		return
	}
	if k := len(r.kept); k == 0 || c.at-r.kept[k-1].at >= r.Window()/16 { // enough detail
		r.kept = append(r.kept, c)
	}
	for len(r.kept) > 1 && r.kept[1].at <= c.at-r.Window() {
		r.kept = r.kept[1:]
	}
}

// Judge allows one message to be missing at the edge of the window.
func (r *rate) Judge(now time.Duration) Verdict {
	switch {
	case r.fault != "":
		return Verdict{Known: true, Fault: r.fault}
	case len(r.kept) == 0:
		return Verdict{Fault: "nothing has been counted yet"}
	case now-r.heard > countStale:
		return Verdict{Known: true, Fault: fmt.Sprintf(countedWords+"last %v ago", tenths(now-r.heard))}
	}
	span := r.last.at - r.kept[0].at
	if span < r.Window() {
		return Verdict{Fault: fmt.Sprintf("was counted for %v of %v only", tenths(span), r.Window())}
	}
	came := float64(r.last.n - r.kept[0].n)
	is, wanted := hertz(came/span.Seconds()), hertz(r.wanted)
	v := Verdict{Known: true, Value: is + " of " + wanted, Number: network.Number(came / span.Seconds())}
	if came+1 < rateShare*r.wanted*span.Seconds() {
		v.Fault = comesWords + is + ", not " + wanted
	}
	return v
}

// hertz writes three digits. A rate is judged at each event, so this takes a fraction of what package fmt would.
func hertz(f float64) string { return strconv.FormatFloat(f, 'g', 3, 64) + " Hz" }

func (r *rate) Due() time.Duration { return r.heard + countStale + 1 }

func (r *rate) Restart() { r.kept = nil }

func (r *rate) Clone() Gauge {
	c := *r
	c.kept = append([]count(nil), r.kept...)
	return &c
}
