//go:build ros

package rosnet

import (
	"context"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lease"
	"rstate/test/bed"
)

// TestNothingWaitsForAStuckPublisher blocks the writer, like a publisher that the middleware blocks.
// The loop goes on, and disarms and answers are sent; requests that arm are not. The leases that
// waited are too old when the writer goes on.
func TestNothingWaitsForAStuckPublisher(t *testing.T) {
	const stuck = 3 * time.Second // longer than a lease waits
	host, name := bed.StartHost(t), "/"+bed.Unique(t, "arm")
	node := host.Node(bed.NodeSpec{Name: name, Arm: name + "/arm"})
	w, e := newWorld(t, "  "+name+": {arm: {}}\n")
	hears[engine.NodeSeen](t, e, 1)
	matched(t, w, host)
	w.Carry(engine.ArmNode{Node: 0, Call: 1, Permit: permit()})
	hears[engine.ArmAnswered](t, e, 1)
	go func() {
		g := hears[engine.GoalAsked](t, e, 1)
		w.Carry(engine.AcceptGoal{Handle: g.Handle})
		w.Carry(engine.FinishGoal{Handle: g.Handle, Ending: engine.Succeeded})
	}()
	send := func() int {
		return host.SendGoal("rstate_msgs/action/Transition", w.name+"/transition", nil).Result(nil)
	}
	if status := send(); status != bed.StatusSucceeded { // all parts of the action are matched
		t.Fatalf("the first goal ended %d", status)
	}

	open, written := make(chan struct{}), make(chan struct{})
	w.out.box.Put(func() { <-open })
	began := time.Now()
	w.Show(engine.Snapshot{State: "armed", Settled: "armed"})
	w.publishChange(engine.Change{TargetState: "armed"})
	w.Carry(engine.SendLease{Message: lease.Message{Term: 1, Seq: 1, Valid: time.Second}})
	w.Carry(engine.SendLease{Message: lease.Message{Term: 1, Seq: 2, Valid: time.Second}})
	w.Beat()
	w.Carry(engine.ArmNode{Node: 0, Call: 2, Permit: permit()}) // must not leave without its lease
	w.Carry(engine.ReadState{Node: 0, Ticket: 1})
	if unsent := hears[engine.LeaseUnsent](t, e, 1); unsent.Term != 1 || unsent.Sent {
		t.Errorf("the engine hears %+v of the lease that waits", unsent)
	}
	w.Carry(engine.ArmNode{Node: 0, Call: 3})
	go func() {
		g := hears[engine.GoalAsked](t, e, 2)
		w.Carry(engine.AcceptGoal{Handle: g.Handle})
		w.Carry(engine.FinishGoal{Handle: g.Handle, Ending: engine.Succeeded})
	}()
	if answer := hears[engine.ArmAnswered](t, e, 2); answer.Call != 3 || node.Truth().Armed {
		t.Errorf("answered %+v, the node is armed: %v", answer, node.Truth().Armed)
	}
	if status := send(); status != bed.StatusSucceeded {
		t.Errorf("the second goal ended %d", status)
	}
	time.Sleep(time.Until(began.Add(stuck)))
	w.out.box.Put(func() { close(written) })
	close(open)
	<-written
	if left := w.out.sent.Load(); left != nil {
		t.Errorf("a lease of %v ago was sent: %+v", time.Since(began), left)
	}
	if node.Truth().Armed {
		t.Error("the node was armed after the disarm")
	}
}

// TestA8AnArmDoesNotLeaveWithoutItsLease: a lease that waits for 0.2 s is dropped, although no write before it takes
// long.
func TestA8AnArmDoesNotLeaveWithoutItsLease(t *testing.T) {
	host, name := bed.StartHost(t), "/"+bed.Unique(t, "arm")
	node := host.Node(bed.NodeSpec{Name: name, Arm: name + "/arm"})
	w, e := newWorld(t, "  "+name+": {arm: {}}\n")
	hears[engine.NodeSeen](t, e, 1)
	for range 4 {
		w.out.box.Put(func() { time.Sleep(80 * time.Millisecond) })
	}
	w.Carry(engine.SendLease{Message: lease.Message{Term: 1, Seq: 1, Valid: time.Second}})
	w.Carry(engine.ArmNode{Node: 0, Call: 1, Permit: permit()})
	ctx, cancel := context.WithTimeout(t.Context(), bed.Deadline)
	defer cancel()
	if !w.out.box.Wait(ctx, w.out.box.Mark()) {
		t.Fatal("the writes never end")
	}
	if left := w.out.sent.Load(); left != nil {
		t.Errorf("the lease left: %+v", left)
	}
	w.Carry(engine.SendLease{Message: lease.Message{Term: 2, Seq: 1, Valid: time.Second}})
	w.Carry(engine.ArmNode{Node: 0, Call: 2, Permit: permit()})
	answer := hears[engine.ArmAnswered](t, e, 1)
	if n := node.Truth().Count("arm"); answer.Call != 2 || n != 1 {
		t.Errorf("answered %+v; the node was asked %d times", answer, n)
	}
}

// TestA6WhatDoesNotLeaveIsNotSent: the engine hears of each message of the lease that did not leave: one that waited too
// long to be written, and one that the middleware did not take. No request to arm leaves then.
func TestA6WhatDoesNotLeaveIsNotSent(t *testing.T) {
	host, name := bed.StartHost(t), "/"+bed.Unique(t, "arm")
	node := host.Node(bed.NodeSpec{Name: name, Arm: name + "/arm"})
	w, e := newWorld(t, "  "+name+": {arm: {}}\n")
	hears[engine.NodeSeen](t, e, 1)
	matched(t, w, host)
	say := func(seq uint64, proved time.Duration) {
		w.Carry(engine.SendLease{Message: lease.Message{Term: 1, Seq: seq, Proved: proved, Valid: time.Minute}})
	}
	w.out.box.Put(func() { time.Sleep(2 * leaseKeeps) })
	say(1, 1)
	if unsent := hears[engine.LeaseUnsent](t, e, 1); unsent.Term != 1 || unsent.Sent {
		t.Errorf("the engine hears %+v of the lease that was too late", unsent)
	}
	say(2, 2)
	bed.Eventually(t, "a message has left", func() (string, bool) { return "", w.out.said(1) })
	if err := w.out.lease.Close(); err != nil {
		t.Fatal(err)
	}
	say(3, 3)
	if unsent := hears[engine.LeaseUnsent](t, e, 2); unsent.Term != 1 || !unsent.Sent || unsent.Proved != 2 {
		t.Errorf("the engine hears %+v of the lease that the middleware did not take", unsent)
	}
	w.Carry(engine.SendLease{Message: lease.Message{Term: 2, Seq: 1, Proved: 4, Valid: time.Minute}})
	hears[engine.LeaseUnsent](t, e, 3)
	w.Carry(engine.ArmNode{Node: 0, Call: 1, Permit: permit()})
	w.Carry(engine.ArmNode{Node: 0, Call: 2})
	if answer := hears[engine.ArmAnswered](t, e, 1); answer.Call != 2 || node.Truth().Count("arm") > 0 {
		t.Errorf("answered %+v; the node was asked %d times to arm", answer, node.Truth().Count("arm"))
	}
}
