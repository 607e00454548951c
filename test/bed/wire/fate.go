package wire

import (
	"math/rand/v2"
	"time"
)

// Faults are the faults of one direction of the wire. The zero value delivers each frame at once
// and in order.
type Faults struct {
	Loss      float64       // the share of frames that are lost
	Duplicate float64       // the share of frames that arrive twice
	Reorder   float64       // the share of frames that are held back, so that later ones arrive first
	Delay     time.Duration // of every frame
	Jitter    time.Duration // a random extra delay up to that; it also reorders
	Cut       bool          // no frame arrives
}

// holdBack is how long a frame is delayed for reordering: longer than a busy sender's interval
// between two frames.
const holdBack = 20 * time.Millisecond

// fates decides on the frames of one direction. The same seed gives the same decisions, frame by
// frame, independent of the faults: each frame takes the same number of draws.
type fates struct{ random *rand.Rand }

func newFates(seed, direction uint64) *fates {
	return &fates{rand.New(rand.NewPCG(seed, direction))}
}

// next returns the delays of a frame, one for each time that it arrives: an empty list is a lost
// frame.
func (f *fates) next(faults Faults) []time.Duration {
	lost, twice, late := f.random.Float64(), f.random.Float64(), f.random.Float64()
	first, second := f.random.Float64(), f.random.Float64()
	if faults.Cut || lost < faults.Loss {
		return nil
	}
	after := func(share float64) time.Duration {
		return faults.Delay + time.Duration(share*float64(faults.Jitter))
	}
	arrivals := []time.Duration{after(first)}
	if late < faults.Reorder {
		arrivals[0] += holdBack
	}
	if twice < faults.Duplicate {
		arrivals = append(arrivals, after(second))
	}
	return arrivals
}
