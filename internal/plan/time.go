package plan

import (
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/network"
)

// Ends returns when each of n things ends. A thing takes its time from its begin on, and after the things that it waits
// for have ended. One that waits for itself, over others, does not wait for the one that closes the circle.
func Ends(n int, begins, takes func(i int) time.Duration, waits func(i int) []int) []time.Duration {
	const unknown = -1
	ends := make([]time.Duration, n)
	for i := range ends {
		ends[i] = unknown
	}
	var end func(i int) time.Duration
	end = func(i int) time.Duration {
		if ends[i] != unknown {
			return ends[i]
		}
		ends[i] = 0
		begin := begins(i)
		for _, j := range waits(i) {
			begin = max(begin, end(j))
		}
		ends[i] = begin + takes(i)
		return ends[i]
	}
	for i := range n {
		end(i)
	}
	return ends
}

// Takes is how long a way through the lifecycle may take by the deadlines of its steps.
func Takes(way []lifecycle.Transition, d network.Deadlines) (sum time.Duration) {
	for _, t := range way {
		sum += d.Of(t)
	}
	return sum
}

// AtMost is how long the plan may take: each step as long as its deadline, after those that it waits for.
func (p Plan) AtMost() (longest time.Duration) {
	ends := Ends(len(p.Steps), func(int) time.Duration { return 0 },
		func(k int) time.Duration { return p.Steps[k].Deadline }, func(k int) []int { return p.Steps[k].After })
	for _, end := range ends {
		longest = max(longest, end)
	}
	return longest
}
