package checking

import (
	"fmt"
	"time"

	"rstate/internal/network"
)

// age is whether the newest message of a topic is new enough. It counts from the arrival, on the steady clock.
type age struct {
	most  time.Duration
	came  bool          // a message has come
	at    time.Duration // when the newest came
	heard time.Duration // when the newest sample came
	next  time.Duration // so long after it the next one is overdue
	since time.Duration // when the first sample came
	taken bool          // it came
	fault string
}

func (a *age) Take(s Sample, at Moment) {
	if !a.taken {
		a.since, a.taken = at.Steady, true
	}
	a.heard, a.next, a.fault = at.Steady, overdue*s.Every, s.Fault
	a.came = s.Fault == "" && s.Age >= 0
	if a.came {
		a.at = at.Steady - s.Age
	}
}

// Judge takes the age that the newest sample had. Until the next one is due, a newer message may have come since.
func (a *age) Judge(now time.Duration) Verdict {
	switch {
	case a.fault != "":
		return Verdict{Known: true, Fault: a.fault}
	case !a.taken:
		return Verdict{Fault: "no message has been looked for yet"}
	case now-a.heard > countStale:
		return Verdict{Known: true, Fault: fmt.Sprintf(countedWords+"last %v ago", tenths(now-a.heard))}
	case !a.came:
		return Verdict{Known: now-a.since > a.most,
			Fault: fmt.Sprintf("has not come yet; its newest message may be %v old", a.most)}
	}
	v := Verdict{Known: true, Value: fmt.Sprintf("%v old of %v", rounded(now-a.at), a.most),
		Number: network.Number((now - a.at).Seconds())}
	if a.heard-a.at > a.most || now-a.at > a.most && now-a.heard > a.next {
		v.Fault = fmt.Sprintf(newestWords+"%v ago, and may be %v old", rounded(now-a.at), a.most)
	}
	return v
}

// Due is when the newest message becomes too old, or the newest sample.
func (a *age) Due() time.Duration {
	due := a.heard + countStale
	switch {
	case a.came && a.heard-a.at <= a.most:
		due = min(due, max(a.at+a.most, a.heard+a.next))
	case !a.came && a.since+a.most > a.heard:
		due = min(due, a.since+a.most)
	}
	return due + 1
}

func (a *age) Restart() { a.came, a.taken, a.fault = false, false, "" }

// Window is zero once a message has come: the next one may come at any time, or never.
func (a *age) Window() time.Duration {
	switch {
	case a.came:
		return 0
	case a.taken:
		return max(0, a.since+a.most-a.heard)
	}
	return a.most
}

func (a *age) Clone() Gauge {
	c := *a
	return &c
}

// rounded shows two digits of a short time, and tenths of a second of a long one.
func rounded(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(10 * time.Millisecond)
	}
	return tenths(d)
}
