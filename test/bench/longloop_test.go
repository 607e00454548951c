//go:build ros

package bench

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/test/bed"

	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

const (
	longSteps = 110_000
	longParts = 11 // of a long loop: memory is read after the first and after the last
	longDT    = 7 * time.Microsecond
	// longGrowth is how much memory the daemon may use after all steps, relative to its memory after the first part of
	// them.
	longGrowth = 1.10
)

// BenchmarkLongLoop runs more than 10⁵ steps of one participant. Simulated time must be exact, and the memory of the
// daemon must not grow.
func BenchmarkLongLoop(b *testing.B) {
	once(b, func() outcome {
		part := max(times(b, "RSTATE_BENCH_STEPS", longSteps, longSteps/10)/longParts, 1)
		c := newCaller(b)
		d := c.startLoop(b, startParticipants(b, 1, 0))
		state := c.states(d)
		d.command("initialize")
		var took series
		var first, last float64
		for i := range longParts {
			took = append(took, d.stepsOf(fmt.Sprintf("%d %v", part, longDT))/time.Duration(part))
			if last, _ = memoryOf(b, d.process.Pid()); i == 0 {
				first = last
			}
		}
		steps := longParts * part
		want := time.Duration(steps) * longDT
		var now time.Duration
		bed.Eventually(b, "the state after the last step", func() (string, bool) {
			s := state()
			now = time.Duration(s.StepTime.Sec)*time.Second + time.Duration(s.StepTime.Nanosec)
			return fmt.Sprintf("step %d at %v, %s", s.Step, now, s.State.Label), s.Step == uint64(steps) && s.Settled
		})
		if now != want {
			b.Fatalf("after %d steps of %v, simulated time is %v, not %v", steps, longDT, now, want)
		}
		growth := last / first
		o := outcome{"ns/op": float64(took.median()), "RSS-ratio": growth, ofBound: growth / longGrowth}
		tableOf("A long loop with one participant", "steps", "simulated time", "a step, in ms: median (least–most)",
			"RSS after the first part", "at the end", "ratio", "limit", "").
			row(count(steps), now.String(), took.String(), fmt.Sprintf("%.1f MB", first), fmt.Sprintf("%.1f MB", last),
				fmt.Sprintf("%.2f", growth), fmt.Sprintf("%.2f", longGrowth), verdict(o[ofBound]))
		return o
	})
}

// states follows the state of a daemon.
func (c *caller) states(d *daemon) (newest func() *rstate_msgs_msg.InstanceState) {
	c.b.Helper()
	var mu sync.Mutex
	state := &rstate_msgs_msg.InstanceState{}
	opts := rclgo.NewDefaultSubscriptionOptions()
	opts.Qos.Durability = rclgo.DurabilityTransientLocal
	heard := func(msg *rstate_msgs_msg.InstanceState, _ *rclgo.MessageInfo, err error) {
		if err == nil {
			mu.Lock()
			state = msg
			mu.Unlock()
		}
	}
	must[*rstate_msgs_msg.InstanceStateSubscription](c.b)(
		rstate_msgs_msg.NewInstanceStateSubscription(c.node, "/"+strings.TrimPrefix(d.name, "/")+"/state", opts, heard))
	return func() *rstate_msgs_msg.InstanceState {
		mu.Lock()
		defer mu.Unlock()
		return state
	}
}
