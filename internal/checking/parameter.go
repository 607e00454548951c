package checking

import (
	"time"

	"rstate/internal/network"
)

// parameter is whether a parameter of the node is within a bound.
type parameter struct {
	answer
	bound network.Bound
	value network.Scalar
}

func (p *parameter) Take(s Sample, at Moment) {
	p.answer.Take(s, at)
	p.value = s.Value
}

func (p *parameter) Judge(now time.Duration) Verdict {
	if v := p.answer.Judge(now); v.Fault != "" {
		return v
	}
	return within(p.value, p.bound)
}

func (p *parameter) Clone() Gauge {
	c := *p
	return &c
}
