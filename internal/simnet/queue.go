package simnet

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"
)

type event struct {
	at time.Duration
	do func()
}

// timeline is the virtual time and what will happen in it. Worlds that can hear of each other share one.
type timeline struct {
	now   time.Duration
	queue queue
}

// queue is what will happen, the earliest last. It is short, so an insertion costs little.
type queue struct{ events []event }

func (q *queue) push(at time.Duration, do func()) {
	// Of one moment the event that was planned first comes first: the new one goes before all of its moment.
	k, _ := slices.BinarySearchFunc(q.events, at, func(e event, at time.Duration) int { return cmp.Compare(at, e.at) })
	q.events = slices.Insert(q.events, k, event{at, do})
}

func (q *queue) pop() event {
	last := len(q.events) - 1
	e := q.events[last]
	q.events[last] = event{}
	q.events = q.events[:last]
	return e
}

func (q *queue) empty() bool         { return len(q.events) == 0 }
func (q *queue) next() time.Duration { return q.events[len(q.events)-1].at }

// next does what comes next, and takes the stories of worlds as far as they go then.
func (t *timeline) next(worlds ...*World) {
	e := t.queue.pop()
	t.now = max(t.now, e.at)
	e.do()
	for _, w := range worlds {
		w.tell()
	}
}

type dice struct{ *rand.Rand }

func diceOf(seed, stream uint64) dice { return dice{rand.New(rand.NewPCG(seed, stream))} }

func (d dice) draw(r Range) time.Duration {
	if r.Max <= r.Min {
		return r.Min
	}
	return r.Min + time.Duration(d.Int64N(int64(r.Max-r.Min)+1))
}

func (d dice) chance(share float64) bool { return share > 0 && d.Float64() < share }

// message is how long a message takes, of which a share takes up to a hundred times as long.
func (d dice) message(r Range, slow float64) time.Duration {
	takes := d.draw(r)
	if d.chance(slow) {
		takes *= time.Duration(1 + d.IntN(100))
	}
	return takes
}
