package httpapi

import (
	"maps"
	"slices"
	"time"
)

// Figures is what has happened in the present run of a simulation, and how its loop turns. Only the metrics tell it.
type Figures struct {
	Steps       map[NodeStep]Durations   // of nodes, by how they ended
	Transitions map[Transition]Durations // of the network
	Losses      map[string]uint64        // how often a node was lost
	Deviations  map[string]uint64        // how often a node was not as the state says
	Arms        map[string]uint64        // how often a node has confirmed that it is armed
	Goals       map[string]uint64        // commands that have ended, by outcome
	Refused     uint64                   // commands that were rejected
	Stops       uint64                   // stops that this run has learned of
	Stalls      uint64                   // how often the process or its loop did not run
	Lag         Durations                // how much later than planned the loop turned

	// Turned is how long ago the loop turned last, and Lease how long ago the newest message of the arm lease left;
	// negative: never.
	Turned, Lease time.Duration
}

// NodeStep is a step of a node, such as configure, and how it ended.
type NodeStep struct{ Node, Step, Verdict string }

// Transition is a command of the machine, and how it ended: reached, failed or replaced.
type Transition struct{ Command, Result string }

// How a transition ends.
const (
	Reached  = "reached"  // the network is in the state to which the command leads
	Failed   = "failed"   // it is in another one: the command failed, or was cancelled
	Replaced = "replaced" // another command took its place
)

// buckets are the upper bounds, in seconds, by which durations are counted: those of a turn of the loop, and those of
// what nodes do.
var buckets = []float64{.001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300}

// Durations counts durations. The zero value is ready for use.
type Durations struct {
	Count  uint64
	Sum    time.Duration
	within [16]uint64 // by bucket, without those of the buckets before
}

// Add counts one more.
func (d *Durations) Add(took time.Duration) {
	d.Count++
	d.Sum += took
	if k, _ := slices.BinarySearch(buckets, took.Seconds()); k < len(buckets) {
		d.within[k]++
	}
}

// cumulative returns how many durations are within each bucket, as a histogram of Prometheus has it.
func (d *Durations) cumulative() map[float64]uint64 {
	all, sum := make(map[float64]uint64, len(buckets)), uint64(0)
	for k, most := range buckets {
		sum += d.within[k]
		all[most] = sum
	}
	return all
}

// Clone returns figures that share no memory with f.
func (f Figures) Clone() Figures {
	f.Steps, f.Transitions = maps.Clone(f.Steps), maps.Clone(f.Transitions)
	f.Losses, f.Deviations, f.Arms, f.Goals = maps.Clone(f.Losses), maps.Clone(f.Deviations), maps.Clone(f.Arms),
		maps.Clone(f.Goals)
	return f
}
