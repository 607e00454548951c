//go:build ros

package rosnet

import (
	"context"
	"crypto/sha256"
	"reflect"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
	"go.uber.org/zap"

	"rstate/internal/coordinator"
	"rstate/internal/engine"
	"rstate/internal/engine/stopinput"
	"rstate/internal/latch"
	"rstate/internal/lease"
	"rstate/internal/network"
	"rstate/internal/outbox"
	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

// deskWorld is a world without a middleware. Its inputs go to sink, if that is not nil, and are kept.
func deskWorld(t *testing.T, sink func(engine.Input)) (*World, *posted) {
	t.Helper()
	net, err := network.Parse("test.yaml", []byte("simulation: x\nnodes: {/a: {arm: {}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	w := &World{net: net, machine: net.Machine, log: zap.NewNop(), started: make(chan struct{}), instance: "this",
		tested: gives, out: outlets{box: outbox.New(coordinator.BootTime)}}
	w.out.leases = w.out.box.Slot(0)
	w.ctx, w.cancel = context.WithCancel(context.Background())
	w.asking = w.ctx
	kept := &posted{}
	w.sink = func(in engine.Input) {
		kept.post(in)
		if sink != nil {
			sink(in)
		}
	}
	close(w.started)
	t.Cleanup(func() { w.cancel(); w.tasks.Wait() })
	return w, kept
}

// TestA1AGoalIsHandedOverWhole, and has a place for its answer before the engine hears of it.
func TestA1AGoalIsHandedOverWhole(t *testing.T) {
	for authority, fits := range map[string]bool{"sesame": true, "sesam": false, "": false} {
		var w *World
		placed := false
		w, e := deskWorld(t, func(in engine.Input) { placed = w.goals.get(in.(engine.GoalAsked).Handle) != nil })
		w.secret = secretOf("sesame")
		goal := rstate_msgs_action.NewTransition_Goal()
		goal.Command, goal.Reason, goal.Client, goal.Id = "arm", "why", "me", "id"
		goal.Authority, goal.WaitPeers, goal.Argument, goal.Seen = authority, true, "fast", "run 7"
		id := types.GoalID{1}
		w.goalAsked(&rclgo.GoalHandle{ID: id, Description: goal})
		asked := all[engine.GoalAsked](e)
		if len(asked) != 1 || !placed {
			t.Fatalf("asked %v; it has a place: %v", asked, placed)
		}
		want := engine.GoalAsked{Handle: asked[0].Handle, Command: "arm", Reason: "why", Client: "me", ID: "id",
			Authorized: fits, WaitPeers: true, Argument: "fast", Seen: "run 7"}
		if !reflect.DeepEqual(asked[0], want) {
			t.Errorf("with the secret %q the engine was asked for %+v, want %+v", authority, asked[0], want)
		}
	}
}

// TestC2ACancelHasAPlaceForItsAnswer before the engine hears of it, which may answer at once.
func TestC2ACancelHasAPlaceForItsAnswer(t *testing.T) {
	for _, accepted := range []bool{true, false} {
		g := newGoal()
		answer := g.askCancel(func() { g.answerCancel(accepted) })
		select {
		case got := <-answer:
			if got != accepted || g.cancel.Load() != accepted {
				t.Errorf("answered %v, cancelled %v, want %v", got, g.cancel.Load(), accepted)
			}
		default:
			t.Error("the engine's answer was lost")
		}
	}
}

// TestC4WhatAsksOverAServiceIsAParent, and not a client that saw the state.
func TestC4WhatAsksOverAServiceIsAParent(t *testing.T) {
	w, e := deskWorld(t, nil)
	w.newest.Store(&engine.Snapshot{State: "active", Settled: "active", Intact: true})
	(&face{w: w}).setArmed(true, origin{}, func(bool, string) {})
	w.cancel()
	w.tasks.Wait()
	if asked := all[engine.GoalAsked](e); len(asked) != 1 || asked[0].By != engine.ByParent || asked[0].Authorized ||
		asked[0].Command != "arm" {
		t.Errorf("the engine was asked for %+v", asked)
	}
}

// TestC4ANetworkIsArmedWhenItRests: a request to arm or disarm succeeds at once only in such a state.
func TestC4ANetworkIsArmedWhenItRests(t *testing.T) {
	for _, c := range []struct {
		name            string
		state           string
		intact, settled bool
		armed, disarmed bool
	}{
		{"it rests", "armed", true, true, true, true},
		{"a node is lost", "armed", false, true, false, true},
		{"it is on its way", "armed", true, false, false, false},
	} {
		w, _ := deskWorld(t, nil)
		s := &engine.Snapshot{State: c.state, Settled: c.state, Intact: c.intact}
		if !c.settled {
			s.Work.Target = "active"
		}
		w.newest.Store(s)
		f := &face{w: w}
		if f.armed() != c.armed || f.disarmed() != c.disarmed {
			t.Errorf("%s: it counts as armed: %v, and as disarmed: %v", c.name, f.armed(), f.disarmed())
		}
	}
}

// TestA12AnAcknowledgementBringsItsSecretAndWhatWasShown: two at once get their own answers.
func TestA12AnAcknowledgementBringsItsSecretAndWhatWasShown(t *testing.T) {
	var w *World
	w, e := deskWorld(t, func(in engine.Input) {
		a := in.(engine.AcknowledgeAsked)
		w.acks.answer(engine.AnswerAcknowledge{Handle: a.Handle, Accepted: a.Authorized, Message: a.Who})
	})
	w.secret = secretOf("sesame")
	shown := []latch.Latch{{Origin: "/a", Instance: "a1", Latched: 2}}
	for authority, fits := range map[string]bool{"sesame": true, "open": false} {
		for _, list := range [][]latch.Latch{shown, nil} {
			if accepted, message := w.Acknowledge(t.Context(), "ann", authority, list); accepted != fits || message != "ann" {
				t.Errorf("with the secret %q: accepted %v, %q", authority, accepted, message)
			}
			asked := all[engine.AcknowledgeAsked](e)
			if a := asked[len(asked)-1]; !a.ShownOnly || !reflect.DeepEqual(a.Shown, list) {
				t.Errorf("the engine was asked for %+v", a)
			}
		}
		w.acknowledgeAsked(&rstate_msgs_srv.Acknowledge_Request{Who: "bob", Authority: authority},
			func(*rstate_msgs_srv.Acknowledge_Response) {})
		asked := all[engine.AcknowledgeAsked](e)
		if a := asked[len(asked)-1]; a.Authorized != fits || a.ShownOnly {
			t.Errorf("over the service, with the secret %q: %+v", authority, a)
		}
	}
	handles := map[string]bool{}
	for _, a := range all[engine.AcknowledgeAsked](e) {
		handles[a.Handle] = true
	}
	if n := len(all[engine.AcknowledgeAsked](e)); len(handles) != n {
		t.Errorf("%d requests have %d handles", n, len(handles))
	}
}

// TestA12WhatCannotBeReadIsNotClear: neither a message that is none, nor a field that the type lacks.
func TestA12WhatCannotBeReadIsNotClear(t *testing.T) {
	support, err := rclgo.LoadDynamicMessageTypeSupport("std_msgs", "Bool")
	if err != nil {
		t.Fatal(err)
	}
	net, err := network.Parse("test.yaml", []byte("simulation: x\nnodes: {/a: {arm: {}}}\nstop: [{topic: /estop}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	spec := net.Stop[0]
	header := []byte{0, 1, 0, 0}
	other := spec
	other.Field = "nothing"
	for _, c := range []struct {
		text []byte
		spec network.Stop
		want stopinput.Word
	}{
		{append(header[:4:4], 1), spec, stopinput.Stop},
		{append(header[:4:4], 0), spec, stopinput.Clear},
		{header, spec, stopinput.Garbled},
		{nil, spec, stopinput.Garbled},
		{append(header[:4:4], 1), other, stopinput.Garbled},
	} {
		s := &stopInput{spec: &c.spec, support: support}
		if word, fault := s.read(c.text); word != c.want || (fault != "") != (c.want == stopinput.Garbled) {
			t.Errorf("%v with the field %s: %v (%s), want %v", c.text, c.spec.Field, word, fault, c.want)
		}
	}
}

// TestA13GuardsAreToldApartByTheirWriters: one of the same id neither speaks for another one nor uses up its words.
// A guard that has heard no run has not heard this one.
func TestA13GuardsAreToldApartByTheirWriters(t *testing.T) {
	w, e := deskWorld(t, nil)
	m := &rstate_msgs_msg.GuardStatus{Id: "g", Hears: []rstate_msgs_msg.HeardLease{{InstanceId: "", Term: 1, Seq: 1}}}
	for range 2 * guardWords {
		w.guardHeard(m, &rclgo.MessageInfo{PublisherGID: rclgo.GID{1}}, nil)
	}
	w.guardHeard(m, &rclgo.MessageInfo{PublisherGID: rclgo.GID{2}}, nil)
	heard := all[engine.GuardHeard](e)
	first, last := heard[0].Word, heard[len(heard)-1].Word
	if first.Writer == last.Writer || first.ID != last.ID || first.Follows || len(first.Heard) > 0 {
		t.Errorf("the first is %+v, and the last %+v", first, last)
	}
	w.tested = partial // their messages do not tell them apart
	w.guards = guardRooms{}
	w.guardHeard(m, &rclgo.MessageInfo{PublisherGID: rclgo.GID{2}}, nil)
	if heard = all[engine.GuardHeard](e); heard[len(heard)-1].Word.Writer != "" {
		t.Errorf("it is %+v", heard[len(heard)-1])
	}
}

// TestA6ALeaseThatLeftIsOneOfItsTerm: a message of an earlier term neither lets an arm leave nor counts as sent.
func TestA6ALeaseThatLeftIsOneOfItsTerm(t *testing.T) {
	w, e := deskWorld(t, nil)
	message := func(term, seq uint64, proved time.Duration) lease.Message {
		return lease.Message{Instance: "this", Term: term, Seq: seq, Proved: proved}
	}
	if w.out.said(1) || !w.out.said(0) {
		t.Error("a message left before there was one, or none is needed and it had to")
	}
	before := message(1, 9, 5*time.Second)
	w.out.sent.Store(&before)
	if !w.out.said(1) || w.out.said(2) {
		t.Error("a message of term 1 counts for another one")
	}
	w.sendLease(message(2, 1, 6*time.Second)) // they wait, since nothing is written here
	w.sendLease(message(2, 2, 7*time.Second))
	unsent := all[engine.LeaseUnsent](e)
	if len(unsent) != 1 || unsent[0] != (engine.LeaseUnsent{Term: 2}) {
		t.Errorf("not sent: %+v", unsent)
	}
	left := message(2, 1, 6*time.Second)
	w.out.sent.Store(&left)
	w.sendLease(message(2, 3, 8*time.Second))
	if unsent = all[engine.LeaseUnsent](e); len(unsent) != 2 ||
		unsent[1] != (engine.LeaseUnsent{Term: 2, Sent: true, Proved: 6 * time.Second}) {
		t.Errorf("not sent: %+v", unsent)
	}
}

// TestA3ADisarmRecallsTheArmAndItsLease: what has not left never does.
func TestA3ADisarmRecallsTheArmAndItsLease(t *testing.T) {
	w, _ := deskWorld(t, nil)
	r := &remote{w: w, spec: &w.net.Nodes[0]}
	written := false
	w.out.leases.Set(func() { written = true })
	arm := r.arms.begin(w.ctx)
	r.disarms.begin(w.ctx) // is never sent, so that the disarm waits for its turn
	r.arm(2, false)
	if arm.ctx.Err() == nil {
		t.Error("the arm leaves after the disarm")
	}
	w.out.box.Close()
	if w.out.box.Run(); written {
		t.Error("the lease leaves after the disarm")
	}
}

func secretOf(text string) *Secret {
	return &Secret{sha256.Sum256([]byte(text))}
}

// TestA6TheTermsOfOthersAreHeard: each that is above the one of just before, and none of ours. An instance that says that
// it holds no lease tells no term.
func TestA6TheTermsOfOthersAreHeard(t *testing.T) {
	w, e := deskWorld(t, nil)
	for _, m := range []rstate_msgs_msg.ArmLease{{InstanceId: "this", Term: 9, ValidNs: 1},
		{InstanceId: "b", Term: 9}, {InstanceId: "b", Term: 3, ValidNs: 1}, {InstanceId: "b", Term: 3, ValidNs: 1},
		{InstanceId: "c", Term: 4, ValidNs: 1}} {
		w.heardLease(&m, &rclgo.MessageInfo{}, nil)
	}
	heard := all[engine.LeaseHeard](e)
	if len(heard) == 0 || heard[0].Term != 3 || heard[len(heard)-1].Term != 4 {
		t.Errorf("heard %+v", heard)
	}
}
