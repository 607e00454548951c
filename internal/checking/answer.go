package checking

import "time"

// answer is what was answered when the world was asked: whether a service says yes, or a file exists.
type answer struct {
	passes string // what a check that passes shows
	came   bool
	fault  string
}

func (a *answer) Take(s Sample, _ Moment) { a.came, a.fault = true, s.Fault }

func (a *answer) Judge(time.Duration) Verdict {
	switch {
	case !a.came:
		return Verdict{Fault: "has not answered yet"}
	case a.fault != "":
		return Verdict{Known: true, Fault: a.fault}
	}
	return Verdict{Known: true, Value: a.passes}
}

// Due is zero: an answer holds until the next one.
func (a *answer) Due() time.Duration { return 0 }

func (a *answer) Restart() { a.came, a.fault = false, "" }

// Window is zero: one answer is enough.
func (a *answer) Window() time.Duration { return 0 }

func (a *answer) Clone() Gauge {
	c := *a
	return &c
}
