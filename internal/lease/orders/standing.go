package orders

import (
	"fmt"
	"slices"
	"time"

	"rstate/internal/lease"
)

// A receiver that stands still takes the messages that waited when it goes on: all at once, or one in each cycle. It
// never stands still for longer than Window beyond the last message, because nothing changes after that.

const (
	// Jitter is by how much longer a message is on its way than the fastest one.
	Jitter = 40 * time.Millisecond
	// Still is how many ticks a receiver stands still at most.
	Still = 8
)

// cycles are the times between two messages that a receiver takes which waited; 0: it takes all at once.
var cycles = []time.Duration{0, 20 * time.Millisecond, 50 * time.Millisecond}

// Said is what a source says, and when that leaves by the receiver's clock.
type Said struct {
	Name     string
	Messages []lease.Message
	Left     []time.Duration
}

// plans are what a source says before it dies. Proofs are fresh, get old, or are renewed in turn, and the receiver has
// heard before how fast a message can be, or has not.
func plans() (list []Said) {
	ages := map[string][]int{ // in ticks, of each message of the lease
		"fresh proofs":       {0, 0, 0, 0, 0, 0},
		"one proof":          {0, 1, 2, 0, 1, 2},
		"a proof gets older": {0, 0, 0, 0, 1, 2},
		"old, then new":      {2, 2, 0, 0, 0, 0},
	}
	for _, name := range []string{"fresh proofs", "one proof", "a proof gets older", "old, then new"} {
		for idles := range 3 {
			s := Said{Name: fmt.Sprintf("%s after %d messages without a lease", name, idles)}
			for k := range idles {
				s.add(lease.Message{Instance: "a", Proved: time.Duration(k) * 2 * Tick}, 0)
			}
			first := time.Duration(idles) * 2 * Tick
			for k, age := range ages[name] {
				left := first + time.Duration(k)*Tick
				old := time.Duration(age) * Tick
				s.add(lease.Message{Instance: "a", Term: 1, Seq: uint64(k + 1), Proved: Base + left - old, Valid: Proof}, old)
			}
			list = append(list, s)
		}
	}
	return list
}

// Proof is how long the proofs of a source that dies are good.
const Proof = 450 * time.Millisecond

func (s *Said) add(m lease.Message, old time.Duration) {
	if m.Valid == 0 {
		m.Proved += Base
	}
	s.Messages = append(s.Messages, m)
	s.Left = append(s.Left, Sent(m)+old)
}

// Stand is one life of a receiver: what it takes and when, and from when until when it stands still.
type Stand struct {
	Name     string
	Said     Said
	From, To time.Duration // by the receiver's clock; equal: never
	List     []Arrival
}

// Standing yields each life: of each plan, with each message slow or fast, from and to each tick, in each cycle.
func Standing(yield func(Stand) bool) {
	for _, plan := range plans() {
		count := len(plan.Messages)
		for slow := range 1 << count {
			for from := range count + 3 {
				for ticks := range Still + 1 {
					for c, cycle := range cycles {
						if ticks == 0 && (from > 0 || c > 0) {
							continue
						}
						start := Offset + time.Duration(from)*Tick
						s := Stand{Said: plan, From: start, To: start + time.Duration(ticks)*Tick}
						s.Name = fmt.Sprintf("%s, slow %b, still %d to %d, cycle %v", plan.Name, slow, from,
							from+ticks, cycle)
						s.List = plan.taken(slow, s.From, s.To, cycle)
						if !yield(s) {
							return
						}
					}
				}
			}
		}
	}
}

// taken is when a receiver takes the messages. Those that waited are taken in their order, and so are those that come
// while others wait.
func (s *Said) taken(slow int, from, to, cycle time.Duration) (list []Arrival) {
	for k, m := range s.Messages {
		at := s.Left[k]
		if slow>>k&1 == 1 {
			at += Jitter
		}
		list = append(list, Arrival{At: at, Message: m})
	}
	slices.SortStableFunc(list, func(x, y Arrival) int { return int(x.At - y.At) })
	free := time.Duration(0) // when the next message can be taken
	for k := range list {
		a := &list[k]
		if a.At >= from && a.At < to {
			a.At = to
		}
		if a.At < free {
			a.At = free
		}
		if a.At >= to && to > from {
			free = a.At + cycle
		}
	}
	return list
}
