package daemon

import (
	"context"
	"errors"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/machine"
)

// localGoalsAlone makes a localGoals, and the test in the place of the engine.
func localGoalsAlone() (d *localGoals, goals chan engine.GoalAsked) {
	goals = make(chan engine.GoalAsked, 9)
	return newLocalGoals(func(in engine.Input) { goals <- in.(engine.GoalAsked) }), goals
}

// TestDeskTellsEachClient: goals end in any order, and each client hears of its own.
func TestDeskTellsEachClient(t *testing.T) {
	d, goals := localGoalsAlone()
	told := map[string]chan verdict{}
	for _, command := range []string{"configure", "activate", "arm"} {
		told[command] = make(chan verdict, 1)
		go func() {
			v, err := d.ask(t.Context(), engine.GoalAsked{Command: machine.Word(command), Client: "a test"})
			if err != nil {
				t.Error(err)
			}
			told[command] <- v
		}()
	}
	handles := map[string]string{}
	for range told {
		g := <-goals
		handles[g.Command.String()] = g.Handle
		if g.Client != "a test" {
			t.Errorf("the goal is %+v", g)
		}
	}
	if !d.hears(engine.AcceptGoal{Handle: handles["arm"]}) || !d.hears(engine.SendFeedback{Handle: handles["arm"]}) {
		t.Error("it leaves effects about its goal to others")
	}
	d.hears(engine.RejectGoal{Handle: handles["arm"], Why: "no"})
	d.hears(engine.FinishGoal{Handle: handles["configure"], Result: engine.Result{Message: "done"}})
	d.hears(engine.FinishGoal{Handle: handles["activate"], Result: engine.Result{Message: "later"}})
	if v := <-told["arm"]; v.Rejected == nil || v.Rejected.Why != "no" || v.Finished != nil {
		t.Errorf("arm was told %+v", v)
	}
	for command, want := range map[string]string{"configure": "done", "activate": "later"} {
		if v := <-told[command]; v.Finished == nil || v.Finished.Result.Message != want {
			t.Errorf("%s was told %+v", command, v)
		}
	}
	if len(d.open) > 0 {
		t.Errorf("it remembers %v", d.open)
	}
}

// TestDeskLeavesOtherGoalsAlone: those of the action have ids as handles.
func TestDeskLeavesOtherGoalsAlone(t *testing.T) {
	d, _ := localGoalsAlone()
	const other = "17cb196a-b207-4fb1-aa98-172b928b8ddd"
	for _, e := range []engine.Effect{
		engine.AcceptGoal{Handle: other}, engine.RejectGoal{Handle: other}, engine.SendFeedback{Handle: other},
		engine.FinishGoal{Handle: other}, engine.Exit{},
	} {
		if d.hears(e) {
			t.Errorf("it takes %v", e)
		}
	}
}

// TestDeskDoesNotWaitForEver: a client may go away, and a daemon may end. Nothing blocks then.
func TestDeskDoesNotWaitForEver(t *testing.T) {
	d, goals := localGoalsAlone()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := d.ask(ctx, engine.GoalAsked{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a client that goes away gets %v", err)
	}
	if !d.hears(engine.FinishGoal{Handle: (<-goals).Handle}) {
		t.Error("the end of a goal whose client has gone goes elsewhere")
	}
	d.close()
	if _, err := d.ask(t.Context(), engine.GoalAsked{}); !errors.Is(err, errOver) {
		t.Errorf("a client of a daemon that has ended gets %v", err)
	}
}

// TestS7AGoalThatIsCutOffIsNotRejected: a client learns that its goal had begun when the daemon ended.
func TestS7AGoalThatIsCutOffIsNotRejected(t *testing.T) {
	d, goals := localGoalsAlone()
	told := make(chan error, 1)
	go func() {
		_, err := d.ask(t.Context(), engine.GoalAsked{})
		told <- err
	}()
	d.hears(engine.AcceptGoal{Handle: (<-goals).Handle})
	d.close()
	if err := <-told; !errors.Is(err, errCut) {
		t.Errorf("it gets %v", err)
	}
}

// TestH7AnOrderIsHandedOverAtOnce: the engine has it before anything waits for its end, and before the next one.
func TestH7AnOrderIsHandedOverAtOnce(t *testing.T) {
	d, goals := localGoalsAlone()
	waits := []func(context.Context) (verdict, error){
		d.hand(engine.GoalAsked{Command: "arm"}), d.hand(engine.GoalAsked{Command: "disarm"})}
	for k, want := range []machine.Word{"arm", "disarm"} {
		if len(goals) == 0 {
			t.Fatalf("%s is not handed over", want)
		}
		g := <-goals
		if g.Command != want {
			t.Errorf("%s comes in the place of %s", g.Command, want)
		}
		d.hears(engine.FinishGoal{Handle: g.Handle})
		if v, err := waits[k](t.Context()); err != nil || v.Finished.Handle != g.Handle {
			t.Errorf("%s: %+v, %v", want, v, err)
		}
	}
	if len(d.open) > 0 {
		t.Errorf("it remembers %v", d.open)
	}
}
