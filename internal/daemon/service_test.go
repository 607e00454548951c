package daemon

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"rstate/internal/coordinator"
	"rstate/internal/engine"
	"rstate/internal/machine"
	"rstate/internal/network"
	"rstate/internal/sdnotify"
	"rstate/test/bed/manager"
)

// managed returns the service of a network whose manager wants a sign of life every second.
func managed(t *testing.T) (*service, *manager.Manager) {
	t.Helper()
	m := manager.New(t)
	t.Setenv("NOTIFY_SOCKET", m.Address)
	t.Setenv("WATCHDOG_USEC", "4000000")
	to, err := sdnotify.FromEnv(func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	file := t.TempDir() + "/network.yaml"
	if err := os.WriteFile(file, []byte("simulation: x\nnodes: {/lidar: {}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	net, err := network.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	return &service{to: to, machine: net.Machine}, m
}

// reported is the world of a coordinator that reports to a manager as a daemon does. Its effects
// can block.
type reported struct {
	*service
	effect func()
}

func (r *reported) Carry(engine.Effect)    { r.effect() }
func (r *reported) Show(s engine.Snapshot) { r.shows(&s) }
func (r *reported) Beat()                  { r.turns() }

// asked is a brain that answers every goal with an effect, and is asked to stop by StopAsked.
type asked struct{}

func (asked) Snapshot() engine.Snapshot { return engine.Snapshot{State: "active", Intact: true} }
func (asked) Step(_ engine.Time, in engine.Input) []engine.Effect {
	switch in.(type) {
	case engine.GoalAsked:
		return []engine.Effect{engine.ReadState{}}
	case engine.StopAsked:
		return []engine.Effect{engine.Exit{}}
	}
	return nil
}

// TestS11ALoopThatHangsGivesNoSignOfLife: the loop itself feeds the watchdog, so that an effect
// that blocks ends it.
func TestS11ALoopThatHangsGivesNoSignOfLife(t *testing.T) {
	s, m := managed(t)
	synctest.Test(t, func(t *testing.T) {
		blocks := make(chan struct{})
		w := &reported{s, func() { <-blocks }}
		heart := &coordinator.Heart{}
		loop := coordinator.New(asked{}, w, coordinator.SteadyClock(), heart, zap.NewNop())
		ended := make(chan error, 1)
		go func() { _, err := loop.Run(t.Context()); ended <- err }()
		time.Sleep(5500 * time.Millisecond)
		if n := m.Count(t, "WATCHDOG=1"); n < 5 || n > 6 {
			t.Errorf("%d signs of life in 5.5 s, want one each second", n)
		}
		loop.Post(engine.GoalAsked{})
		synctest.Wait()
		before := m.Count(t, "WATCHDOG=1")
		time.Sleep(time.Minute)
		if n := m.Count(t, "WATCHDOG=1") - before; n != 0 {
			t.Errorf("%d signs of life while the loop hangs, want none", n)
		}
		close(blocks)
		time.Sleep(2 * time.Second)
		if n := m.Count(t, "WATCHDOG=1") - before; n < 1 {
			t.Error("no sign of life when the loop goes on")
		}
		loop.Post(engine.StopAsked{})
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestS11AShutdownAsksForTheTimeThatItNeeds: as long as the loop turns on the way to the end.
func TestS11AShutdownAsksForTheTimeThatItNeeds(t *testing.T) {
	s, m := managed(t)
	last := slices.IndexFunc(s.machine.States, func(s machine.State) bool { return s.Final })
	s.turns()
	s.shows(&engine.Snapshot{State: "active", Intact: true, Work: engine.WorkView{Target: "inactive"}})
	s.turns()
	if n := m.Count(t, "EXTEND_TIMEOUT_USEC="); n != 0 {
		t.Errorf("asked for more time %d times before a shutdown", n)
	}
	s.shows(&engine.Snapshot{State: "shuttingdown", Intact: true,
		Work: engine.WorkView{Target: s.machine.States[last].Name}})
	s.turns()
	if n := m.Count(t, "EXTEND_TIMEOUT_USEC="); n != 1 {
		t.Errorf("asked for more time %d times in a shutdown", n)
	}
	s.ends("")
	if n := m.Count(t, "STOPPING=1"); n != 1 || !slices.Contains(m.Lines(t), "STATUS=stopping: the network is shut down") {
		t.Errorf("at the end it said %q", m.Lines(t))
	}
}

// TestS11TheStatusOfANetwork in one line, without text that changes a terminal.
func TestS11TheStatusOfANetwork(t *testing.T) {
	for want, s := range map[string]engine.Snapshot{
		"active": {State: "active", Intact: true},
		"activating, on the way to active": {State: "activating", Intact: true,
			Work: engine.WorkView{Target: "active"}},
		"inactive": {State: "inactive", Intact: true, Work: engine.WorkView{Target: "inactive"}},
		"active, not intact: /slam is not there": {State: "active",
			Deviations: []string{"/slam is not there"}},
		"active, not intact: /slam is not there, and 2 more": {State: "active",
			Deviations: []string{"/slam is not there", "b", "c"}},
		"active, not intact":                     {State: "active"},
		"unknown, waits for: /slam is not there": {State: machine.Unknown, Waiting: []string{"/slam is not there"}},
		"unknown":                                {State: machine.Unknown},
	} {
		if got := statusLine(&s); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	s, m := managed(t)
	s.shows(&engine.Snapshot{State: "active", Deviations: []string{"\x1b[2J"}})
	if got := strings.Join(m.Lines(t), "\n"); !strings.Contains(got, "not intact") || strings.Contains(got, "\x1b") {
		t.Errorf("it said %q", got)
	}
}
