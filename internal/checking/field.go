package checking

import (
	"time"

	"rstate/internal/network"
)

// field is whether a field of the newest message of a topic is within a bound. An old message says nothing of the value
// now, so its age counts too.
type field struct {
	age
	bound network.Bound
	value network.Scalar
}

func (f *field) Take(s Sample, at Moment) {
	f.age.Take(s, at)
	f.value = s.Value
}

func (f *field) Judge(now time.Duration) Verdict {
	if v := f.age.Judge(now); v.Fault != "" {
		return v
	}
	return within(f.value, f.bound)
}

func (f *field) Clone() Gauge {
	c := *f
	return &c
}
