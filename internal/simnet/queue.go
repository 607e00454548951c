package simnet

import (
	"container/heap"
	"time"
)

// event is something that will happen at a virtual time.
type event struct {
	at  time.Duration
	seq uint64 // of one moment the one that was planned first comes first
	do  func()
}

// queue is what will happen, the earliest first.
type queue struct {
	events events
	seq    uint64
}

func (q *queue) push(at time.Duration, do func()) {
	q.seq++
	heap.Push(&q.events, event{at, q.seq, do})
}

func (q *queue) pop() event { return heap.Pop(&q.events).(event) }

func (q *queue) empty() bool { return len(q.events) == 0 }

func (q *queue) next() time.Duration { return q.events[0].at }

type events []event

func (e events) Len() int      { return len(e) }
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }

func (e events) Less(i, j int) bool {
	if e[i].at != e[j].at {
		return e[i].at < e[j].at
	}
	return e[i].seq < e[j].seq
}

func (e *events) Pop() any {
	old := *e
	last := old[len(old)-1]
	old[len(old)-1] = event{}
	*e = old[:len(old)-1]
	return last
}
