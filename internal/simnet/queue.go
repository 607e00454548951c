package simnet

import (
	"math/rand/v2"
	"time"
)

type event struct {
	at  time.Duration
	seq uint64 // of one moment the one that was planned first comes first
	do  func()
}

func (e *event) before(o *event) bool { return e.at < o.at || e.at == o.at && e.seq < o.seq }

// timeline is the virtual time and what will happen in it. Worlds that can hear of each other share one.
type timeline struct {
	now   time.Duration
	queue queue
}

type queue struct {
	events []event
	seq    uint64
}

func (q *queue) push(at time.Duration, do func()) {
	q.seq++
	h := append(q.events, event{at, q.seq, do})
	for k := len(h) - 1; k > 0; {
		up := (k - 1) / 2
		if !h[k].before(&h[up]) {
			break
		}
		h[k], h[up] = h[up], h[k]
		k = up
	}
	q.events = h
}

func (q *queue) pop() event {
	h := q.events
	first, last := h[0], len(h)-1
	h[0], h[last] = h[last], event{}
	h = h[:last]
	for k := 0; ; {
		least := k
		for _, down := range [2]int{2*k + 1, 2*k + 2} {
			if down < last && h[down].before(&h[least]) {
				least = down
			}
		}
		if least == k {
			break
		}
		h[k], h[least] = h[least], h[k]
		k = least
	}
	q.events = h
	return first
}

func (q *queue) empty() bool { return len(q.events) == 0 }

func (q *queue) next() time.Duration { return q.events[0].at }

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
