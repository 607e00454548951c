//go:build ros

package rosnet

import (
	"sync"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/internal/engine"
	"rstate/internal/network"
	"rstate/internal/procs"
)

// What a request to arm rests on where it does not bring what its client has seen (A1): when it was sent, and whether
// its client is a process of this host.

// origin is what the middleware says of a request. The zero value says nothing.
type origin struct {
	sent time.Time // zero: unknown
	from procs.Participant
}

func originOf(info *rclgo.ServiceInfo) (o origin) {
	if info.SourceTimestamp.UnixNano() > 0 {
		o.sent = info.SourceTimestamp
	}
	for k := range o.from {
		o.from[k] = byte(info.RequestID.WriterGUID[k])
	}
	return o
}

// origins looks for the processes of clients, one after another. The zero value is ready for use.
type origins struct {
	mu      sync.Mutex
	waiting []awaited
	busy    bool // a goroutine looks
	// The participant that was looked for last: a client that goes on asking costs no more than a look every second.
	last procs.Participant
	here bool
	at   time.Time
}

// awaited is a goal whose client is looked for.
type awaited struct {
	in   engine.GoalAsked
	from procs.Participant
}

// originGood is how long the answer for the last participant is kept.
const originGood = time.Second

// ask hands a goal on. Of a goal that may arm and does not bring what its client has seen, it first looks for the
// process of the client, on a goroutine of its own. Goals that come later may overtake it: it arms only if nothing
// of them has ended the permission to.
func (w *World) ask(in engine.GoalAsked, o origin) {
	in.Sent = o.sent
	if in.Seen != "" || w.ends.watch == nil || !w.machine.Arms(in.Command) ||
		w.net.Arming.Unseen == network.UnseenAllow {
		w.post(in)
		return
	}
	w.origins.mu.Lock()
	defer w.origins.mu.Unlock()
	w.origins.waiting = append(w.origins.waiting, awaited{in, o.from})
	if !w.origins.busy {
		w.origins.busy = true
		w.goes(w.lookForClients)
	}
}

// lookForClients posts the goals that wait for it, in their order, until none is left.
func (w *World) lookForClients() {
	o := &w.origins
	for {
		o.mu.Lock()
		if len(o.waiting) == 0 {
			o.busy = false
			o.mu.Unlock()
			return
		}
		a := o.waiting[0]
		o.waiting = o.waiting[1:]
		o.mu.Unlock()
		if a.from != o.last || time.Since(o.at) > originGood { // only this goroutine uses them
			o.last, o.here, o.at = a.from, w.ends.watch.Here(a.from, w.participants()), time.Now()
		}
		a.in.Here = o.here
		w.post(a.in)
	}
}
