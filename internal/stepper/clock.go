package stepper

import "time"

// Latest is the last simulated time: the seconds of builtin_interfaces/Time have 31 bits.
const Latest = (1<<31 - 1) * time.Second

// clock is simulated time. It is a product, not a sum of floating-point numbers, so it is exact.
type clock struct {
	dt     time.Duration
	base   time.Duration // when dt last changed
	cycles uint64        // since then
}

func (c *clock) now() time.Duration { return c.base + time.Duration(c.cycles)*c.dt }

func (c *clock) change(dt time.Duration) {
	if dt != c.dt {
		c.base, c.cycles, c.dt = c.now(), 0, dt
	}
}

// reaches reports whether simulated time can still advance by dt.
func (c *clock) reaches(dt time.Duration) bool { return dt <= Latest-c.now() }
