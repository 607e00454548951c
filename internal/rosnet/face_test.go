//go:build ros

package rosnet

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
	"go.uber.org/zap"
	"rstate/internal/coordinator"
	"rstate/internal/engine"
	"rstate/internal/network"
	"rstate/internal/outbox"
	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
)

// TestC4ADisarmOverTheServiceIsAnOrder, which the engine gets, also where nothing is armed: `~/arm` false arrives while
// the network is armed or leaves armed, and nothing is armed when the engine handles it. The call succeeds as soon as
// no node is armed, whatever the engine's answer is.
func TestC4ADisarmOverTheServiceIsAnOrder(t *testing.T) {
	shows := func(state, settled string, armed engine.ArmBelief) *engine.Snapshot {
		return &engine.Snapshot{State: state, Settled: settled, Intact: true,
			Nodes: []engine.NodeView{{Name: "/a", CanArm: true, Armed: armed}, {Name: "/b"}}}
	}
	refused := engine.RejectGoal{Why: "disarm is not legal in active"}
	for _, r := range []struct {
		name          string
		before, after *engine.Snapshot // as shown when it comes, and when the engine answers
		answer        engine.Effect
		want          bool
	}{
		{"nothing is armed", shows("active", "active", engine.Disarmed), shows("active", "active", engine.Disarmed),
			engine.FinishGoal{Result: engine.Result{Success: true}}, true},
		{"disarmed as it was told", shows("armed", "armed", engine.IsArmed), shows("active", "active", engine.Disarmed),
			engine.FinishGoal{Result: engine.Result{Success: true}}, true},
		{"overtaken by the network's own disarm", shows("armed", "armed", engine.IsArmed),
			shows("active", "active", engine.Disarmed), refused, true},
		{"and that is being put right", shows("disarming", "armed", engine.MayBeArmed),
			shows("errorprocessing", "active", engine.Disarmed), refused, true},
		{"a node may still be armed", shows("disarming", "armed", engine.MayBeArmed),
			shows("active", "active", engine.MayBeArmed), engine.FinishGoal{Result: engine.Result{Message: "no"}},
			false},
		{"an earlier run may have left a node armed that is not of the network",
			shows("active", "active", engine.Disarmed), leftArmed(shows("active", "active", engine.Disarmed)),
			engine.FinishGoal{Ending: engine.Aborted, Result: engine.Result{Message: "not confirmed: /old"}}, false},
		{"refused, and armed", shows("armed", "armed", engine.IsArmed), shows("armed", "armed", engine.IsArmed),
			engine.RejectGoal{Why: "rstate is stopping"}, false},
	} {
		t.Run(r.name, func(t *testing.T) {
			net, err := network.Parse("test.yaml", []byte("simulation: x\nnodes: {/a: {arm: {}}, /b: {}}\n"))
			if err != nil {
				t.Fatal(err)
			}
			w := &World{net: net, machine: net.Machine, started: make(chan struct{}),
				out: outlets{box: outbox.New(coordinator.BootTime)}}
			w.ctx, w.cancel = context.WithCancel(context.Background())
			w.asking = w.ctx
			defer w.cancel()
			w.newest.Store(r.before)
			asked := false
			w.sink = func(in engine.Input) {
				goal := in.(engine.GoalAsked)
				if asked = true; goal.Command != "disarm" {
					t.Errorf("the engine is asked for %q", goal.Command)
				}
				w.newest.Store(r.after)
				w.tellGoal(goal.Handle, r.answer)
			}
			close(w.started)
			var answers []bool
			(&face{w: w}).setArmed(false, origin{}, func(success bool, _ string) { answers = append(answers, success) })
			w.tasks.Wait()
			if len(answers) != 1 || answers[0] != r.want || !asked {
				t.Errorf("answered %v, and the engine was asked: %v; want %v", answers, asked, r.want)
			}
		})
	}
}

func leftArmed(s *engine.Snapshot) *engine.Snapshot {
	s.ArmedLeftovers = []string{"/old"}
	return s
}

// TestS7ALoopThatDoesNotTurnIsNoNews: what was shown before it broke down, or stands still, is not told as if it were true.
func TestS7ALoopThatDoesNotTurnIsNoNews(t *testing.T) {
	net, err := network.Parse("test.yaml", []byte("simulation: x\nnodes: {/a: {arm: {}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	shows := func(armed engine.ArmBelief) *engine.Snapshot {
		return &engine.Snapshot{State: "armed", Settled: "armed", Intact: true,
			Nodes: []engine.NodeView{{Name: "/a", CanArm: true, Armed: armed}}}
	}
	for name, r := range map[string]struct {
		happens        func(w *World)
		told, answered bool // as shown last; at once
	}{
		"the loop turns":        {func(w *World) { w.naming.beats(time.Now()) }, true, true},
		"it stands still":       {func(*World) {}, false, false},
		"it broke down":         {func(w *World) { w.naming.beats(time.Now()); w.fail(errors.New("on purpose")) }, false, true},
		"it ends, as it should": {func(w *World) { w.cancel() }, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &World{net: net, machine: net.Machine, log: zap.NewNop()}
				w.ctx, w.cancel = context.WithCancel(t.Context())
				w.asking, w.fail = context.WithCancelCause(w.ctx)
				f := &face{w: w}
				w.naming.beats(time.Now())
				time.Sleep(time.Second)
				r.happens(w)
				w.newest.Store(shows(engine.IsArmed))
				if f.armed() != r.told {
					t.Errorf("it is armed, it says: %v", f.armed())
				}
				w.newest.Store(shows(engine.Disarmed))
				if f.nobodyArmed() != r.told {
					t.Errorf("nothing is armed, it says: %v", f.nobodyArmed())
				}
				answered := false
				w.whenItTurns(func() { answered = true })
				if answered != r.answered {
					t.Errorf("a client is answered at once: %v", answered)
				}
				w.naming.beats(time.Now())
				time.Sleep(100 * time.Millisecond)
				if !answered {
					t.Error("a client is not answered although the loop turns again")
				}
				w.cancel()
				w.tasks.Wait()
			})
		})
	}
}

// TestC2TheLastOfTwoRequestsDecides, whichever of their goroutines runs first: the engine is asked before the middleware
// has the next one.
func TestC2TheLastOfTwoRequestsDecides(t *testing.T) {
	net, err := network.Parse("test.yaml", []byte("simulation: x\nnodes: {/a: {arm: {}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		w := &World{net: net, machine: net.Machine, log: zap.NewNop(), started: make(chan struct{}),
			out: outlets{box: outbox.New(coordinator.BootTime)}}
		w.ctx, w.cancel = context.WithCancel(t.Context())
		w.asking = w.ctx
		w.newest.Store(&engine.Snapshot{State: "armed", Settled: "armed", Intact: true})
		var asked []string
		w.sink = func(in engine.Input) { asked = append(asked, string(in.(engine.GoalAsked).Command)) }
		close(w.started)
		f := &face{w: w}
		var answers []bool
		for _, on := range []bool{true, false, true} { // it is armed, but the second one changes that
			f.setArmed(on, origin{}, func(success bool, _ string) { answers = append(answers, success) })
		}
		synctest.Wait()
		for i, command := range []string{"arm", "disarm"} {
			goal := rstate_msgs_action.NewTransition_Goal()
			goal.Command = command
			w.goalAsked(&rclgo.GoalHandle{ID: types.GoalID{byte(i)}, Description: goal})
		}
		if want := []string{"disarm", "arm", "arm", "disarm"}; !slices.Equal(asked, want) || !slices.Equal(answers, []bool{true}) {
			t.Errorf("the engine was asked for %q, and %v were answered", asked, answers)
		}
		w.cancel()
		w.tasks.Wait()
		if f.waiting.Load() != 0 {
			t.Error("a request is open after its answer")
		}
	})
}
