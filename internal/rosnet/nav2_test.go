//go:build ros

package rosnet

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"rstate/internal/bond"
	"rstate/internal/coordinator"
	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/nav2"
	"rstate/internal/network"
	"rstate/internal/outbox"
	"rstate/test/bed"
)

// TestB5AMissingPackageIsNoFault: a package that is not installed does not count as a fault, and a fault does.
func TestB5AMissingPackageIsNoFault(t *testing.T) {
	_, err := rclgo.LoadDynamicMessageTypeSupport("no_such_package", "Nothing")
	if err == nil || !absent(err) {
		t.Errorf("a package that is not installed: %v", err)
	}
	if absent(errors.New("the library cannot be read")) {
		t.Error("a fault counts as a package that is not installed")
	}
}

// TestB4WhatLowers says in which moments nodes have a reason to end their bonds.
func TestB4WhatLowers(t *testing.T) {
	net, err := network.Parse("test.yaml", []byte("simulation: x\nnodes: {/a: {}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	to := func(target string) engine.WorkView { return engine.WorkView{Command: "a command", Target: target} }
	for _, c := range []struct {
		moment, state string
		work          engine.WorkView
		want          bool
	}{
		{"before the first state is known", machine.Unknown, engine.WorkView{}, true},
		{"at rest", "active", engine.WorkView{}, false},
		{"a node is restored", "active", engine.WorkView{Target: "active"}, false},
		{"CONFIGURE", "configuring", to("inactive"), true},
		{"STARTUP, RESUME", "activating", to("active"), false},
		{"PAUSE", "deactivating", to("inactive"), true},
		{"RESET, CLEANUP", "cleaningup", to("unconfigured"), true},
		{"SHUTDOWN", "shuttingdown", to("finalized"), true},
		{"STARTUP failed", "errorprocessing", to("inactive"), true},
		{"what it raised is lowered again", "activating",
			engine.WorkView{Command: "activate", Target: "active", Recovery: "restore"}, true},
	} {
		if got := lowers(net.Machine, &engine.Snapshot{State: c.state, Work: c.work}); got != c.want {
			t.Errorf("%s: %v, want %v", c.moment, got, c.want)
		}
	}
}

// TestB4ANodeThatHungWhileOthersWereLowered is lost after that, and not before.
func TestB4ANodeThatHungWhileOthersWereLowered(t *testing.T) {
	w := managedWorld(t)
	b := newBonds(w, bond.Usual(100*time.Millisecond, 4*time.Second))
	now := time.Duration(0)
	pass := func(state string, work engine.WorkView, until time.Duration) (broken []bond.Cause) {
		b.show(&engine.Snapshot{State: state, Work: work,
			Nodes: []engine.NodeView{{Name: "/a", Present: true, State: lifecycle.Active}}})
		for ; now < until; now += 100 * time.Millisecond {
			_, events, _ := b.look(now)
			for _, e := range events {
				if e.State == bond.Dead {
					broken = append(broken, e.Cause)
				}
			}
		}
		return broken
	}
	pass("active", engine.WorkView{}, time.Second)
	b.table.Hear(bond.Status{ID: "a", Instance: "sister", Active: true}, now)
	lowering := engine.WorkView{Command: "deactivate", Target: "inactive"}
	if broken := pass("deactivating", lowering, 20*time.Second); len(broken) > 0 {
		t.Errorf("while others are lowered: %v", broken)
	}
	if broken := pass("active", engine.WorkView{}, 30*time.Second); !slices.Equal(broken, []bond.Cause{bond.Silence}) {
		t.Errorf("after that: %v", broken)
	}
}

// TestB1AnOlderStateIsNotShownLast: the topic opens while the coordinator shows a newer state.
func TestB1AnOlderStateIsNotShownLast(t *testing.T) {
	w := managedWorld(t)
	m := w.manager
	m.topic = &rclgo.Publisher{}
	rests := func(state string) *engine.Snapshot {
		return &engine.Snapshot{State: state, Settled: state, Intact: true}
	}
	w.newest.Store(rests("inactive"))
	m.mu.Lock()
	shown := make(chan struct{})
	go func() { m.show(); close(shown) }()
	bed.Eventually(t, "show waits for its lock", func() (string, bool) {
		stacks := make([]byte, 1<<20)
		all := string(stacks[:runtime.Stack(stacks, true)])
		return all, slices.ContainsFunc(strings.Split(all, "\n\n"), func(one string) bool {
			return strings.Contains(one, "[sync.Mutex.Lock]") && strings.Contains(one, "(*manager).show(")
		})
	})
	w.newest.Store(rests("active"))
	m.mu.Unlock()
	<-shown
	if m.said == nil || !*m.said {
		t.Error("a state that is not the newest was shown")
	}
}

// TestB1CommandsRunInTheOrderInWhichTheyCame, whichever of their goroutines runs first.
func TestB1CommandsRunInTheOrderInWhichTheyCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := managedWorld(t)
		asked := obeys(w, "unconfigured")
		runs := []func() bool{w.manager.manage(nav2.Startup, origin{}), w.manager.manage(nav2.Pause, origin{}), w.manager.manage(nav2.Cleanup, origin{})}
		succeeded := make([]bool, len(runs))
		for i, run := range slices.Backward(runs) {
			if len(*asked) > 0 {
				t.Errorf("the engine is asked for %q before the turn of that", *asked)
			}
			go func() { succeeded[i] = run() }()
			synctest.Wait()
		}
		if !slices.Equal(*asked, []string{"active", "inactive", "unconfigured"}) || slices.Contains(succeeded, false) {
			t.Errorf("the engine was asked for %q, and the commands answered %v", *asked, succeeded)
		}
	})
}

// TestB1TooManyCommandsAreRefused: eight wait for the one that runs. SHUTDOWN goes on.
func TestB1TooManyCommandsAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := managedWorld(t)
		core, said := observer.New(zap.WarnLevel)
		w.log = zap.New(core)
		asked := obeys(w, "unconfigured")
		var runs []func() bool
		for range 1 + 8 {
			runs = append(runs, w.manager.manage(nav2.Startup, origin{}))
		}
		if said.Len() > 0 {
			t.Fatalf("it refuses one of nine: %v", said.All())
		}
		refused := w.manager.manage(nav2.Reset, origin{})
		if said.Len() != 1 || refused() || len(*asked) > 0 {
			t.Errorf("one too many: it says %v, and asked for %q", said.All(), *asked)
		}
		for i, run := range runs {
			if !run() {
				t.Errorf("command %d fails", i)
			}
		}
		if reset := w.manager.manage(nav2.Reset, origin{}); !reset() {
			t.Error("a command after them fails")
		}
		w.manager.manage(nav2.Startup, origin{}) // it has its turn, and does not end
		if end := w.manager.manage(nav2.Shutdown, origin{}); !end() || !slices.Contains(*asked, "finalized") {
			t.Errorf("SHUTDOWN fails; the engine was asked for %q", *asked)
		}
	})
}

// TestB1ACommandDuringARepairWins: RESUME repairs inactive first, and meanwhile another client leads the network elsewhere.
func TestB1ACommandDuringARepairWins(t *testing.T) {
	w := managedWorld(t)
	w.newest.Store(&engine.Snapshot{State: "inactive", Settled: "inactive"})
	var asked []string
	w.sink = func(in engine.Input) {
		goal := in.(engine.GoalAsked)
		asked = append(asked, string(goal.Command))
		w.newest.Store(&engine.Snapshot{State: "unconfigured", Settled: "unconfigured", Intact: true})
		w.tellGoal(goal.Handle, engine.FinishGoal{Result: engine.Result{Success: true}})
	}
	done, why := w.manager.run(nav2.Resume, asker{})
	if done || why != "another command came while inactive was repaired: the network is unconfigured" {
		t.Errorf("RESUME answers %v %q", done, why)
	}
	if !slices.Equal(asked, []string{"inactive"}) {
		t.Errorf("the engine was asked for %q", asked)
	}
}

// TestB1ShutdownDoesNotAwaitTheStart of the network, which a missing node delays.
func TestB1ShutdownDoesNotAwaitTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := managedWorld(t)
		asked := obeys(w, "")
		go w.manager.manage(nav2.Shutdown, origin{})()
		synctest.Wait()
		if !slices.Equal(*asked, []string{"finalized"}) {
			t.Errorf("the engine was asked for %q", *asked)
		}
		w.cancel() // it ends what still waits
	})
}

// obeys settles a world in a state. Then each goal leads at once where it says. It returns the goals.
func obeys(w *World, settled string) (asked *[]string) {
	rests := func(state string) {
		w.newest.Store(&engine.Snapshot{State: state, Settled: state, Intact: true})
		w.manager.show()
	}
	rests(settled)
	asked = new([]string)
	w.sink = func(in engine.Input) {
		goal := in.(engine.GoalAsked)
		*asked = append(*asked, string(goal.Command))
		rests(string(goal.Command))
		w.tellGoal(goal.Handle, engine.FinishGoal{Result: engine.Result{Success: true}})
	}
	return asked
}

// managedWorld is a world in place of nav2's manager, without ROS.
func managedWorld(t *testing.T) *World {
	t.Helper()
	net, err := network.Parse("test.yaml", []byte("simulation: x\nnodes: {/a: {}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	w := &World{net: net, machine: net.Machine, log: zap.NewNop(), started: make(chan struct{}),
		out: outlets{box: outbox.New(coordinator.BootTime)}}
	w.ctx, w.cancel = context.WithCancel(t.Context())
	w.asking, w.fail = context.WithCancelCause(w.ctx)
	w.manager = w.newManager(&Manager{})
	close(w.started)
	return w
}
