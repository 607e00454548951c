package wire

import (
	"math/rand/v2"
	"time"
)

// Faults is what a direction of the wire does to frames. The zero value carries each of them at once and in order.
type Faults struct {
	Loss      float64       // the share of frames that are lost
	Duplicate float64       // the share that arrives twice
	Reorder   float64       // the share that is held back, so that what was sent later comes first
	Delay     time.Duration // of every frame
	Jitter    time.Duration // on top of it, anything up to that; it reorders too
	Cut       bool          // nothing passes
}

// holdBack is how long a frame is held that is to come out of its order: longer than what a busy sender puts between two.
const holdBack = 20 * time.Millisecond

// fates decides on the frames of one direction. The same seed decides alike, frame by frame, whatever the faults are
// meanwhile: each frame takes the same number of draws.
type fates struct{ random *rand.Rand }

func newFates(seed, direction uint64) *fates {
	return &fates{rand.New(rand.NewPCG(seed, direction))}
}

// next returns after how long the frame arrives, once for each time that it does: an empty list is a lost frame.
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
