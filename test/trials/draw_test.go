//go:build ros

package trials

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// kind is a kind of fault.
type kind int

const (
	daemonKilled kind = iota
	daemonSuspended
	guardKilled
	guardSuspended
	nodeKilled
	nodeSuspended
	linkDown
	kinds int = iota
)

func (k kind) String() string {
	return [...]string{"the daemon is killed", "the daemon is suspended", "a guard is killed", "a guard is suspended",
		"a node is killed", "a node is suspended", "the link is down"}[k]
}

// lasts reports whether the fault lasts for a drawn time, and ends by itself.
func (k kind) lasts() bool {
	return k == daemonSuspended || k == guardSuspended || k == nodeSuspended || k == linkDown
}

// place is the moment of a trial around which the fault happens.
type place int

const (
	beforeArm    place = iota // the fault happens, then arm is sent
	arming                    // arm is sent, then the fault happens, maybe before the last node is armed
	armed                     // the fault happens at rest
	beforeDisarm              // the fault happens, then disarm is sent
	disarming                 // disarm is sent, then the fault happens, maybe before the last node is disarmed
	afterDisarm               // the fault happens after the result of the disarm
	places       int   = iota
)

func (p place) String() string {
	return [...]string{"before arm", "after arm was sent", "while armed", "before disarm", "after disarm was sent",
		"after the disarm"}[p]
}

// latest is the longest drawn time from the one event to the other.
func (p place) latest() time.Duration {
	return [...]time.Duration{100 * time.Millisecond, 150 * time.Millisecond, 250 * time.Millisecond,
		60 * time.Millisecond, 30 * time.Millisecond, 100 * time.Millisecond}[p]
}

const (
	proof = 500 * time.Millisecond
	// enough is how long a fault must last to be noticed: the greatest age of a proof, and the time
	// that the product may take to act on it.
	enough = proof + 400*time.Millisecond
	// mostArming is the longest time that a node takes to arm.
	mostArming = 100 * time.Millisecond
)

// trial is what was drawn for a trial.
type trial struct {
	number int
	kind   kind
	place  place
	lead   time.Duration   // between the two events of the place
	lasts  time.Duration   // of a fault that ends by itself
	victim int             // the number of the node or guard
	arming []time.Duration // how long each node takes to arm
}

func (d trial) String() string {
	text := fmt.Sprintf("trial %d: %v, %v, %v apart", d.number, d.kind, d.place, d.lead)
	if d.kind.lasts() {
		text += fmt.Sprintf(", for %v", d.lasts)
	}
	return text
}

// long reports whether the fault must be noticed.
func (d trial) long() bool { return !d.kind.lasts() || d.lasts >= enough }

// random returns the source of a trial. It follows from the seed and the number alone, so that a trial
// can be repeated without those before it.
func random(seed uint64, number int) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(number))) }

// draw draws a trial of a kind. The shares are the likelihood of each place. Three in four faults that
// end by themselves last long enough to be noticed.
func draw(r *rand.Rand, number int, k kind, shares [places]int, nodes int) trial {
	d := trial{number: number, kind: k, place: pick(r, shares), victim: r.IntN(nodes)}
	d.lead = upTo(r, d.place.latest())
	d.lasts = enough + upTo(r, 600*time.Millisecond)
	if r.IntN(4) == 0 {
		d.lasts = 50*time.Millisecond + upTo(r, proof+100*time.Millisecond)
	}
	for range nodes {
		d.arming = append(d.arming, upTo(r, mostArming))
	}
	return d
}

func pick(r *rand.Rand, shares [places]int) place {
	all := 0
	for _, share := range shares {
		all += share
	}
	n := r.IntN(all)
	for p, share := range shares {
		if n -= share; n < 0 {
			return place(p)
		}
	}
	return armed
}

// upTo draws a time in whole tenths of a millisecond, which reads well.
func upTo(r *rand.Rand, most time.Duration) time.Duration {
	const grain = 100 * time.Microsecond
	return grain * time.Duration(r.IntN(int(most/grain)+1))
}
