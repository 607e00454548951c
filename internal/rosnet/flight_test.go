//go:build ros

package rosnet

import (
	"context"
	"sync"
	"testing"
)

// leave puts a request on the wire in its turn.
func leave(r *request, wire func()) {
	if r.turn() {
		_ = r.depart(func() error { wire(); return nil })
	}
}

func TestRequestsGoOnTheWireInTheOrderOfBegin(t *testing.T) {
	for range 100 {
		var f flight
		var mu sync.Mutex
		var wire []uint64
		var all sync.WaitGroup
		var requests []*request
		for range maxInFlight {
			requests = append(requests, f.begin(t.Context()))
		}
		for i := len(requests) - 1; i >= 0; i-- { // the last one runs first
			r := requests[i]
			all.Go(func() {
				leave(r, func() {
					mu.Lock()
					defer mu.Unlock()
					wire = append(wire, r.number)
				})
			})
		}
		all.Wait()
		for i, number := range wire {
			if number != uint64(i+1) {
				t.Fatalf("the order on the wire was %v", wire)
			}
		}
		if len(wire) != maxInFlight {
			t.Fatalf("%d of %d went on the wire", len(wire), maxInFlight)
		}
	}
}

func TestOldestRequestIsGivenUpWhenThereAreTooMany(t *testing.T) {
	var f flight
	first := f.begin(t.Context())
	first.passTurn()
	for range maxInFlight {
		if first.ctx.Err() != nil {
			t.Fatal("the oldest was given up too early")
		}
		f.begin(t.Context()).passTurn()
	}
	if first.ctx.Err() == nil {
		t.Error("the oldest still waits")
	}
	if len(f.open) != maxInFlight {
		t.Errorf("%d wait", len(f.open))
	}
}

func TestRequestThatEndsLeavesNothingBehindAndBlocksNobody(t *testing.T) {
	var f flight
	never := f.begin(t.Context()) // ends without having been sent
	next := f.begin(t.Context())
	f.end(never)
	if !next.turn() {
		t.Error("the next one was given up")
	}
	f.end(next)
	if len(f.open) != 0 {
		t.Errorf("%d wait", len(f.open))
	}
}

func TestRequestOfAWorldThatEndsGivesUpItsTurn(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var f flight
	f.begin(ctx) // holds the turn
	next := f.begin(ctx)
	cancel()
	if next.turn() {
		t.Error("it took its turn")
	}
}

// TestA3AnArmThatHasNotLeftIsRecalledByADisarm: the answer to one that was sent is still received.
func TestA3AnArmThatHasNotLeftIsRecalledByADisarm(t *testing.T) {
	var f flight
	left, waits := f.begin(t.Context()), f.begin(t.Context())
	leave(left, func() {})
	f.recall()
	if left.ctx.Err() != nil {
		t.Error("the one on the wire was given up")
	}
	leave(waits, func() { t.Error("the one that had not left was sent") })
}

// TestA3AnArmIsRecalledAfterItsTurnHasCome: it may wait for the lease that is published for it, and a disarm comes meanwhile.
func TestA3AnArmIsRecalledAfterItsTurnHasCome(t *testing.T) {
	var f flight
	arm, next := f.begin(t.Context()), f.begin(t.Context())
	if !arm.turn() {
		t.Fatal("its turn has not come")
	}
	f.recall()
	if err := arm.depart(func() error { t.Error("it was sent"); return nil }); err == nil {
		t.Error("it departs without an error")
	}
	if next.turn() {
		t.Error("the one behind it, which was recalled too, takes its turn")
	}
}

// TestA3NothingLeavesAfterTheClose: not what waits for its turn, and not what begins later. What has left stays open.
func TestA3NothingLeavesAfterTheClose(t *testing.T) {
	var f flight
	gone := f.begin(t.Context())
	leave(gone, func() {})
	waits := f.begin(t.Context())
	f.close()
	leave(waits, func() { t.Error("a request leaves that waited") })
	f.end(waits)
	leave(f.begin(t.Context()), func() { t.Error("a request leaves that began later") })
	if gone.ctx.Err() != nil || !f.busy() {
		t.Error("the request that has left is given up")
	}
	f.end(gone)
	if f.busy() {
		t.Error("a request is open after the end of all")
	}
}
