package rclgo_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo"
)

// hold is a callback that runs until it is released.
type hold struct {
	started chan struct{}
	ended   chan struct{} // closed when ctx is done
	let     chan struct{}
	once    sync.Once
}

func newHold() *hold {
	return &hold{started: make(chan struct{}), ended: make(chan struct{}), let: make(chan struct{})}
}

func (h *hold) callback(ctx context.Context, _ rclgo.LifecycleState) rclgo.TransitionResult {
	close(h.started)
	stop := context.AfterFunc(ctx, func() { close(h.ended) })
	defer stop()
	<-h.let
	return rclgo.TransitionSuccess
}

func (h *hold) release() { h.once.Do(func() { close(h.let) }) }

func (h *hold) waitForStart(t *testing.T) {
	t.Helper()
	await(t, "the callback starts", h.started)
}

func TestLifecycleTrigger(t *testing.T) {
	rctx := startLifecycleContext(t)
	failing := func(context.Context, rclgo.LifecycleState) rclgo.TransitionResult { return rclgo.TransitionFailure }
	l := startLifecycle(t, rctx, rclgo.LifecycleCallbacks{OnDeactivate: failing}, nil)
	steps := []struct {
		label  string
		result rclgo.TransitionResult
		legal  []string // of the error
		state  string
	}{
		{"activate", 0, []string{"configure", "shutdown"}, "unconfigured"},
		{"", 0, []string{"configure", "shutdown"}, "unconfigured"},
		{"configure", rclgo.TransitionSuccess, nil, "inactive"},
		{"configure", 0, []string{"cleanup", "activate", "shutdown"}, "inactive"},
		{"activate", rclgo.TransitionSuccess, nil, "active"},
		{"deactivate", rclgo.TransitionFailure, nil, "active"},
		{"shutdown", rclgo.TransitionSuccess, nil, "finalized"},
		{"shutdown", 0, nil, "finalized"},
	}
	for i, s := range steps {
		result, err := l.Trigger(s.label)
		if result != s.result || l.State().Label != s.state {
			t.Errorf("step %d, %s: result %v, state %v", i, s.label, result, l.State())
		}
		var illegal *rclgo.IllegalTransitionError
		if refused := s.result == 0; refused != errors.As(err, &illegal) {
			t.Fatalf("step %d, %s: error %v", i, s.label, err)
		} else if refused && (!reflect.DeepEqual(illegal.Legal, s.legal) || illegal.State != l.State()) {
			t.Errorf("step %d, %s: error %#v", i, s.label, illegal)
		}
	}
}

func TestLifecycleTriggerRefusedWhileAnotherRuns(t *testing.T) {
	for _, parallel := range []bool{false, true} {
		rctx := startLifecycleContext(t)
		hold := newHold()
		defer hold.release()
		var l *rclgo.Lifecycle
		inside := make(chan error, 1)
		l = startLifecycle(t, rctx, rclgo.LifecycleCallbacks{
			OnConfigure: hold.callback,
			OnActivate: func(context.Context, rclgo.LifecycleState) rclgo.TransitionResult {
				_, err := l.Trigger("shutdown")
				inside <- err
				return rclgo.TransitionSuccess
			},
		}, &rclgo.LifecycleOptions{Parallel: parallel})
		done := make(chan error, 1)
		go func() {
			_, err := l.Trigger("configure")
			done <- err
		}()
		hold.waitForStart(t)
		var illegal *rclgo.IllegalTransitionError
		for _, label := range []string{"shutdown", "transition_success"} { // the second is the callback's own
			_, err := l.Trigger(label)
			if !errors.As(err, &illegal) || illegal.State.ID != rclgo.LifecycleConfiguring || illegal.Legal != nil {
				t.Fatalf("%s beside a callback: %v", label, err)
			}
		}
		hold.release()
		if err := await(t, "configure ends", done); err != nil {
			t.Error(err)
		}
		if _, err := l.Trigger("activate"); err != nil {
			t.Error(err)
		}
		if err := await(t, "Trigger in a callback returns", inside); !errors.As(err, &illegal) {
			t.Errorf("Trigger in a callback returned %v", err)
		}
	}
}

func TestLifecycleRequestRefusedDuringTrigger(t *testing.T) {
	rctx := startLifecycleContext(t)
	driver := startLifecycleDriver(t)
	hold := newHold()
	defer hold.release()
	l := startLifecycle(t, rctx, rclgo.LifecycleCallbacks{OnConfigure: hold.callback},
		&rclgo.LifecycleOptions{Parallel: true})
	driver.meet(t, l)
	done := make(chan error, 1)
	go func() {
		_, err := l.Trigger("configure")
		done <- err
	}()
	hold.waitForStart(t)
	for _, label := range []string{"shutdown", "transition_error"} {
		if driver.change(t, l, label) {
			t.Errorf("%s was a success beside configure", label)
		}
	}
	hold.release()
	if err := await(t, "configure ends", done); err != nil {
		t.Error(err)
	}
	if got := driver.state(t, l).Label; got != "inactive" {
		t.Errorf("the node is %s", got)
	}
}

func TestLifecycleCloseDuringCallback(t *testing.T) {
	closers := map[string]func(*rclgo.Lifecycle) error{
		"lifecycle": (*rclgo.Lifecycle).Close,
		"node":      func(l *rclgo.Lifecycle) error { return l.Node().Close() },
		"context":   func(l *rclgo.Lifecycle) error { return closeContext(l.Node().Context()) },
	}
	for name, closeIt := range closers {
		t.Run(name, func(t *testing.T) {
			rctx := startLifecycleContext(t)
			driver := startLifecycleDriver(t)
			hold := newHold()
			defer hold.release()
			returned := make(chan struct{})
			l := startLifecycle(t, rctx, rclgo.LifecycleCallbacks{
				OnConfigure: func(ctx context.Context, from rclgo.LifecycleState) rclgo.TransitionResult {
					defer close(returned)
					return hold.callback(ctx, from)
				},
			}, nil)
			driver.meet(t, l)
			driver.send(t, driverRequest{Node: l.Node().FullyQualifiedName(), Op: "change_state", Label: "configure"})
			driver.send(t, driverRequest{Node: l.Node().FullyQualifiedName(), Op: "get_state"})
			hold.waitForStart(t)
			for range 2 {
				if err := closeIt(l); err != nil {
					t.Errorf("Close: %v", err)
				}
			}
			await(t, "the callback's context ends", hold.ended)
			hold.release()
			await(t, "the callback returns", returned)
			if got := l.State().Label; got != "configuring" {
				t.Errorf("the last state is %s", got)
			}
			if _, err := l.Trigger("shutdown"); err == nil || !strings.Contains(err.Error(), "is closed") {
				t.Errorf("Trigger returned %v", err)
			}
		})
	}
}

func TestLifecycleCloseInsideCallback(t *testing.T) {
	rctx := startLifecycleContext(t)
	var l *rclgo.Lifecycle
	closed := make(chan error, 1)
	l = startLifecycle(t, rctx, rclgo.LifecycleCallbacks{
		OnConfigure: func(context.Context, rclgo.LifecycleState) rclgo.TransitionResult {
			closed <- l.Close()
			return rclgo.TransitionSuccess
		},
	}, nil)
	result, err := l.Trigger("configure")
	if result != rclgo.TransitionSuccess || !errors.Is(err, &rclgo.NotInit{}) {
		t.Errorf("Trigger returned %v, %v", result, err)
	}
	if err := await(t, "Close in a callback returns", closed); err != nil {
		t.Error(err)
	}
}

func TestLifecycleOncePerNode(t *testing.T) {
	rctx := startLifecycleContext(t)
	first := startLifecycle(t, rctx, rclgo.LifecycleCallbacks{}, nil)
	if _, err := first.Trigger("configure"); err != nil {
		t.Fatal(err)
	}
	node := first.Node()
	if _, err := node.NewLifecycle(rclgo.LifecycleCallbacks{}, nil); err == nil ||
		!strings.Contains(err.Error(), "already") {
		t.Errorf("a second lifecycle: %v", err)
	}
	for range 2 {
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
	}
	second, err := node.NewLifecycle(rclgo.LifecycleCallbacks{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := second.State().ID; got != rclgo.LifecycleUnconfigured {
		t.Errorf("the next lifecycle begins with state %d", got)
	}
	if err := node.Close(); err != nil {
		t.Error(err)
	}
	if _, err := node.NewLifecycle(rclgo.LifecycleCallbacks{}, nil); !errors.Is(err, &rclgo.NodeInvalid{}) {
		t.Errorf("a lifecycle on a closed node: %v", err)
	}
}
