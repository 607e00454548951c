package rclgo

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/internal/rcl"
)

// TestSpinEndsWhenWaitingFails puts a handle into the wait set that rcl refuses.
func TestSpinEndsWhenWaitingFails(t *testing.T) {
	c, err := NewContext(ClockTypeSteadyTime, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ts, err := LoadDynamicMessageTypeSupport("std_msgs", "Int64")
	if err != nil {
		t.Fatal(err)
	}
	// As many zero bytes of C memory as a subscription that was never made has.
	zero := ts.PrepareMemory()
	defer ts.ReleaseMemory(zero)
	bad := &entity{what: "bad", invalid: codeSubscriptionInvalid, kind: rcl.WaitSubscription, handle: zero}
	if err := c.build("build", func() error { c.adopt(bad); return nil }); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := c.Spin(ctx); !errors.Is(err, &Error{}) {
		t.Fatalf("spin with a bad handle: %v", err)
	}
	if err := bad.closeTree(); err != nil {
		t.Fatal(err)
	}
	fired := make(chan struct{}, 1)
	timer, err := c.NewTimer(time.Millisecond, func(*Timer) {
		select {
		case fired <- struct{}{}:
		default:
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer timer.Close()
	go func() { _ = c.Spin(ctx) }()
	select {
	case <-fired:
	case <-ctx.Done():
		t.Fatal("the loop does not go on")
	}
}
