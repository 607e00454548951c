package engine

import (
	"time"

	"rstate/internal/checking"
	"rstate/internal/network"
)

// Which clock the rates of topics count.

// momentOf is now, as the checks of node i count it: simulated time once it is heard, if the
// node's deadlines do.
func (ro *roster) momentOf(i int) checking.Moment {
	return checking.Moment{Clock: ro.clockOf(i), Steady: ro.now.Steady}
}

func (ro *roster) clockOf(i int) time.Duration {
	if ro.clock.rates && ro.nodes[i].spec.Clock != network.SteadyClock {
		return ro.now.ROS
	}
	return ro.now.Steady
}

// restartRates begins every check of a topic anew, because its times come from another clock now.
func (ro *roster) restartRates() {
	for _, i := range ro.checked {
		for k := range ro.nodes[i].checks {
			if c := &ro.nodes[i].checks[k]; c.spec.Counted() {
				c.gauge.Restart()
				ro.noteCheck(i, k)
			}
		}
	}
}
