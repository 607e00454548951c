package stepper

import "testing"

// begin begins the cycle that the loop asks for.
func begin(w *world) { w.send(Begin{}) }

// TestL7BetweenTwoCycles: a loop that asks begins no cycle by itself. Between two cycles no participant is called, no
// deadline runs, and a want of the caller acts at once.
func TestL7BetweenTwoCycles(t *testing.T) {
	asks := func(c *Config) { c.Asks = true }
	tell(t, []story{
		{
			name: "each cycle waits",
			conf: asks,
			tell: []func(*world){
				start(20*ms, 0), after(time10), input(Tick{}), begin, rest,
				again(ctl), after(time10), input(Tick{}), begin, begin, ok(sim),
			},
			want: lines(cycle(1), cycle(2)[:1]),
		},
		{name: "a stop", conf: asks, tell: []func(*world){start(20*ms, 0), begin, rest, demand(None), demand(Stop),
			begin}, want: lines(cycle(1), "stopped (cycle 1, simulated time 20ms)")},
		{name: "a stop before the first", conf: asks, tell: []func(*world){start(20*ms, 0), demand(Pause), begin},
			want: lines("paused (cycle 0, simulated time 0s)")},
		{
			name: "a fault",
			conf: asks,
			tell: []func(*world){start(20*ms, 0), begin, rest, input(Lost{Participant: sim, Why: "it ended"}), begin,
				input(Respawned{sim}), start(20*ms, 1), begin, rest},
			want: lines(cycle(1), "failed: /sim is lost: it ended (cycle 1, simulated time 20ms)", cycle(2),
				"all cycles have run (cycle 2, simulated time 40ms)"),
		},
		{
			name: "the last cycle",
			conf: asks,
			tell: []func(*world){start(20*ms, 1), begin, rest, begin},
			want: lines(cycle(1), "all cycles have run (cycle 1, simulated time 20ms)"),
		},
	})
}

const time10 = 10_000 * ms
