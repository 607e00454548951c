package rclgo_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo"
)

// diary notes the called callbacks.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) take() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	lines := d.lines
	d.lines = nil
	return lines
}

func (d *diary) callback(name string) rclgo.LifecycleCallback {
	return func(_ context.Context, from rclgo.LifecycleState) rclgo.TransitionResult {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.lines = append(d.lines, name+" from "+from.Label)
		return rclgo.TransitionSuccess
	}
}

func TestLifecycleWholeLife(t *testing.T) {
	rctx := startLifecycleContext(t)
	driver := startLifecycleDriver(t)
	var d diary
	l := startLifecycle(t, rctx, rclgo.LifecycleCallbacks{
		OnConfigure: d.callback("configure"), OnCleanup: d.callback("cleanup"),
		OnActivate: d.callback("activate"), OnDeactivate: d.callback("deactivate"),
		OnShutdown: d.callback("shutdown"), OnError: d.callback("error"),
	}, nil)
	name := l.Node().FullyQualifiedName()
	driver.meet(t, l)

	life := []struct {
		request  driverRequest
		callback string
		state    rclgo.LifecycleState
		event    string
		next     []string
	}{
		{driverRequest{Label: "configure"}, "configure from unconfigured",
			rclgo.LifecycleState{ID: 2, Label: "inactive"},
			"unconfigured configuring inactive", []string{"cleanup", "activate", "shutdown"}},
		{driverRequest{Transition: 2}, "cleanup from inactive", rclgo.LifecycleState{ID: 1, Label: "unconfigured"},
			"inactive cleaningup unconfigured", []string{"configure", "shutdown"}},
		{driverRequest{Transition: 1, Label: "configure"}, "configure from unconfigured",
			rclgo.LifecycleState{ID: 2, Label: "inactive"},
			"unconfigured configuring inactive", []string{"cleanup", "activate", "shutdown"}},
		{driverRequest{Transition: 3}, "activate from inactive", rclgo.LifecycleState{ID: 3, Label: "active"},
			"inactive activating active", []string{"deactivate", "shutdown"}},
		{driverRequest{Transition: 4}, "deactivate from active", rclgo.LifecycleState{ID: 2, Label: "inactive"},
			"active deactivating inactive", []string{"cleanup", "activate", "shutdown"}},
		{driverRequest{Transition: 99, Label: "activate"}, "activate from inactive",
			rclgo.LifecycleState{ID: 3, Label: "active"},
			"inactive activating active", []string{"deactivate", "shutdown"}},
		{driverRequest{Transition: 7}, "shutdown from active", rclgo.LifecycleState{ID: 4, Label: "finalized"},
			"active shuttingdown finalized", nil},
	}
	for i, step := range life {
		step.request.Node, step.request.Op = name, "change_state"
		if !driver.call(t, step.request).Success {
			t.Fatalf("step %d: %+v was no success", i, step.request)
		}
		if got := d.take(); !slices.Equal(got, []string{step.callback}) {
			t.Errorf("step %d: callbacks %q instead of %q", i, got, step.callback)
		}
		if got := driver.state(t, l); got != step.state || l.State() != step.state {
			t.Errorf("step %d: state %v for rclpy, %v here, instead of %v", i, got, l.State(), step.state)
		}
		events := driver.eventsOf(t, l, 2*i+2)[2*i:]
		if got := events[0].Start + " " + events[0].Goal + " " + events[1].Goal; got != step.event {
			t.Errorf("step %d: heard of %q instead of %q", i, got, step.event)
		}
		var next []string
		for _, e := range driver.call(t, driverRequest{Node: name, Op: "get_available_transitions"}).Edges {
			next = append(next, e.Label)
		}
		if !slices.Equal(next, step.next) {
			t.Errorf("step %d: %q are available instead of %q", i, next, step.next)
		}
	}
}

func TestLifecycleDescribesItself(t *testing.T) {
	rctx := startLifecycleContext(t)
	driver := startLifecycleDriver(t)
	name := startLifecycle(t, rctx, rclgo.LifecycleCallbacks{}, nil).Node().FullyQualifiedName()

	want := map[string]uint8{
		"unconfigured": rclgo.LifecycleUnconfigured, "inactive": rclgo.LifecycleInactive,
		"active": rclgo.LifecycleActive, "finalized": rclgo.LifecycleFinalized,
		"configuring": rclgo.LifecycleConfiguring, "cleaningup": rclgo.LifecycleCleaningUp,
		"shuttingdown": rclgo.LifecycleShuttingDown, "activating": rclgo.LifecycleActivating,
		"deactivating": rclgo.LifecycleDeactivating, "errorprocessing": rclgo.LifecycleErrorProcessing,
	}
	states := map[string]uint8{}
	for _, s := range driver.call(t, driverRequest{Node: name, Op: "get_available_states"}).States {
		states[s.Label] = s.ID
		if s.Primary() != (s.ID < 10) {
			t.Errorf("%v is primary: %v", s, s.Primary())
		}
	}
	delete(states, "unknown")
	if !reflect.DeepEqual(states, want) {
		t.Errorf("available states are %v instead of %v", states, want)
	}
	graph := driver.call(t, driverRequest{Node: name, Op: "get_transition_graph"}).Edges
	for _, edge := range []driverEdge{
		{1, "configure", "unconfigured", "configuring"},
		{6, "shutdown", "inactive", "shuttingdown"},
		{32, "transition_error", "activating", "errorprocessing"},
		{60, "transition_success", "errorprocessing", "unconfigured"},
	} {
		if !slices.Contains(graph, edge) {
			t.Errorf("the transition graph lacks %+v: %+v", edge, graph)
		}
	}
}

func TestLifecycleCallbackOutcomes(t *testing.T) {
	result := func(r rclgo.TransitionResult) rclgo.LifecycleCallback {
		return func(context.Context, rclgo.LifecycleState) rclgo.TransitionResult { return r }
	}
	failing, erring, wrong := result(rclgo.TransitionFailure), result(rclgo.TransitionError), result(3)
	succeeding := result(rclgo.TransitionSuccess)
	panicking := func(context.Context, rclgo.LifecycleState) rclgo.TransitionResult { panic("on purpose") }
	cases := []struct {
		name   string
		cb     rclgo.LifecycleCallbacks
		path   []string // the last transition fails
		states string   // the states on the path
	}{
		{name: "configure refuses", cb: rclgo.LifecycleCallbacks{OnConfigure: failing},
			path: []string{"configure"}, states: "configuring unconfigured"},
		{name: "cleanup refuses", cb: rclgo.LifecycleCallbacks{OnCleanup: failing},
			path: []string{"configure", "cleanup"}, states: "cleaningup inactive"},
		{name: "activate refuses", cb: rclgo.LifecycleCallbacks{OnActivate: failing},
			path: []string{"configure", "activate"}, states: "activating inactive"},
		{name: "deactivate refuses", cb: rclgo.LifecycleCallbacks{OnDeactivate: failing},
			path: []string{"configure", "activate", "deactivate"}, states: "deactivating active"},
		{name: "shutdown refuses in vain", cb: rclgo.LifecycleCallbacks{OnShutdown: failing},
			path: []string{"shutdown"}, states: "shuttingdown finalized"},
		{name: "configure errs and recovers", cb: rclgo.LifecycleCallbacks{OnConfigure: erring, OnError: succeeding},
			path: []string{"configure"}, states: "configuring errorprocessing unconfigured"},
		{name: "activate errs without OnError", cb: rclgo.LifecycleCallbacks{OnActivate: erring},
			path: []string{"configure", "activate"}, states: "activating errorprocessing unconfigured"},
		{name: "OnError refuses", cb: rclgo.LifecycleCallbacks{OnConfigure: erring, OnError: failing},
			path: []string{"configure"}, states: "configuring errorprocessing finalized"},
		{name: "OnError errs", cb: rclgo.LifecycleCallbacks{OnActivate: erring, OnError: erring},
			path: []string{"configure", "activate"}, states: "activating errorprocessing finalized"},
		{name: "callback panics", cb: rclgo.LifecycleCallbacks{OnConfigure: panicking},
			path: []string{"configure"}, states: "configuring errorprocessing unconfigured"},
		{name: "OnError panics", cb: rclgo.LifecycleCallbacks{OnShutdown: panicking, OnError: panicking},
			path: []string{"shutdown"}, states: "shuttingdown errorprocessing finalized"},
		{name: "unknown result", cb: rclgo.LifecycleCallbacks{OnConfigure: wrong},
			path: []string{"configure"}, states: "configuring errorprocessing unconfigured"},
	}
	rctx := startLifecycleContext(t)
	driver := startLifecycleDriver(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			l := startLifecycle(t, rctx, c.cb, nil)
			driver.meet(t, l)
			last := len(c.path) - 1
			for i, label := range c.path {
				if got := driver.change(t, l, label); got != (i < last) {
					t.Errorf("success of %s is %v", label, got)
				}
			}
			want := strings.Fields(c.states)
			var got []string
			for _, e := range driver.eventsOf(t, l, 2*last+len(want))[2*last:] {
				got = append(got, e.Goal)
			}
			if !slices.Equal(got, want) {
				t.Errorf("heard of %q instead of %q", got, want)
			}
			if got := driver.state(t, l).Label; got != want[len(want)-1] {
				t.Errorf("the node is %s at last", got)
			}
		})
	}
}

func TestLifecycleRefusesIllegalTransitions(t *testing.T) {
	cases := []driverRequest{
		{Transition: 0}, {Transition: 3}, {Transition: 6}, {Transition: 8}, {Transition: 10},
		{Transition: 60}, {Transition: 97}, {Transition: 255},
		{Label: "activate"}, {Label: "create"}, {Label: "destroy"}, {Label: "transition_success"},
		{Label: "no such thing"}, {Label: strings.Repeat("long ", 10_000)},
		{Transition: 1, Label: "activate"}, // the label takes precedence
	}
	rctx := startLifecycleContext(t)
	driver := startLifecycleDriver(t)
	l := startLifecycle(t, rctx, rclgo.LifecycleCallbacks{}, nil)
	driver.meet(t, l)
	for _, c := range cases {
		t.Run(fmt.Sprintf("%d %.20s", c.Transition, c.Label), func(t *testing.T) {
			c.Node, c.Op = l.Node().FullyQualifiedName(), "change_state"
			if driver.call(t, c).Success {
				t.Error("it was a success")
			}
			if got := driver.state(t, l).Label; got != "unconfigured" {
				t.Errorf("the node is %s", got)
			}
		})
	}
	if !driver.change(t, l, "configure") {
		t.Error("the node does not live on")
	}
	if events := driver.eventsOf(t, l, 2); len(events) != 2 || events[0].Goal != "configuring" {
		t.Errorf("events are %v; only configure's were due", events)
	}
}

func TestLifecycleAnswersDuringCallback(t *testing.T) {
	cases := []struct {
		name     string
		parallel bool
		state    string // when asked for during OnConfigure
	}{
		{"parallel: at once", true, "configuring"},
		{"not parallel: afterwards", false, "inactive"},
	}
	rctx := startLifecycleContext(t)
	driver := startLifecycleDriver(t)
	other := startLifecycle(t, rctx, rclgo.LifecycleCallbacks{}, nil)
	driver.meet(t, other)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			hold := newHold()
			defer hold.release()
			l := startLifecycle(t, rctx, rclgo.LifecycleCallbacks{OnConfigure: hold.callback},
				&rclgo.LifecycleOptions{Parallel: c.parallel})
			driver.meet(t, l)
			name := l.Node().FullyQualifiedName()
			configure := driver.send(t, driverRequest{Node: name, Op: "change_state", Label: "configure"})
			hold.waitForStart(t)
			state := driver.send(t, driverRequest{Node: name, Op: "get_state"})
			// This request waits behind the first, and is then illegal.
			again := driver.send(t, driverRequest{Node: name, Op: "change_state", Label: "configure"})
			for range 20 { // gives an early answer time to arrive
				driver.state(t, other)
			}
			var answer driverAnswer
			if c.parallel {
				answer = driver.wait(t, state)
			}
			hold.release()
			if !driver.wait(t, configure).Success {
				t.Error("configure was no success")
			}
			if driver.wait(t, again).Success {
				t.Error("the second configure was a success")
			}
			if !c.parallel {
				answer = driver.wait(t, state)
			}
			if got := answer.States[0].Label; got != c.state {
				t.Errorf("get_state said %s instead of %s", got, c.state)
			}
		})
	}
}
