package looper

import "time"

// slowest is the longest time that a step waits for: it keeps the arithmetic of a slow rate from an overflow.
const slowest = 24 * time.Hour

// pace says when the steps of a run may begin, so that simulated time is not faster than its rate against real
// time. A step that ends later than the next one may begin is an overrun. The time that it lost is not made up: the
// pace is counted anew from its end, so no burst of fast steps follows a slow one.
type pace struct {
	rate     float64       // simulated against real time; 0: as fast as possible
	period   time.Duration // between the beginnings of two steps; 0: none
	begun    bool          // the first step of the run has
	next     time.Duration // when the next step may begin
	overruns uint64        // in this run
}

// begin begins a run whose steps cover dt each.
func (p *pace) begin(dt time.Duration) {
	*p = pace{rate: p.rate}
	if p.rate > 0 {
		p.period = time.Duration(min(float64(dt)/p.rate, float64(slowest)))
	}
}

// wait returns how long the next step has to wait, now that the one before has ended.
func (p *pace) wait(now time.Duration) time.Duration {
	switch {
	case p.period == 0:
		return 0
	case !p.begun:
		p.begun, p.next = true, now
	case now > p.next:
		p.overruns++
		p.next = now
	}
	wait := p.next - now
	p.next += p.period
	return wait
}
