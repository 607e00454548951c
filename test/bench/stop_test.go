//go:build ros

package bench

import (
	"context"
	"fmt"
	"testing"
	"time"

	"rstate/test/bed"

	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

// stopLimit is how long a node may stay armed after a stop button was pressed.
const stopLimit = 300 * time.Millisecond

// BenchmarkStop measures how long two armed nodes stay armed after a stop button of another process is pressed: from
// before the message is published to the beginning of the later of the two disarm callbacks.
func BenchmarkStop(b *testing.B) {
	c := newCaller(b)
	rigs := beside(b, times(b, "RSTATE_BENCH_RUNS", 100, 3), func() *stopping { return newStopping(b, c) },
		(*stopping).round)
	one, unasked := row{name: "a stop button is pressed", limit: stopLimit}, 0
	for _, s := range rigs {
		unasked += s.unasked
		one.took = append(one.took, s.took...)
	}
	rows(b, "From a press to disarmed, in ms", unasked, []row{one})
}

// stopping is the network of BenchmarkStop.
type stopping struct {
	*armedRig
	movers drivers // both armed
	button drivers // never armed; it has the stop button
	acks   *rstate_msgs_srv.AcknowledgeClient
	took   series
}

func newStopping(b *testing.B, c *caller) *stopping {
	b.Helper()
	s := &stopping{movers: startDrivers(b, driverSpec{count: 2}), button: startDrivers(b, driverSpec{count: 1})}
	name := bed.Unique(b, "rstate")
	s.armedRig = newArmedRig(b, c, name, []string{
		fmt.Sprintf("/%s_1: {arm: {dead_man: none}}", s.movers.prefix),
		fmt.Sprintf("/%s_2: {arm: {dead_man: none}}", s.movers.prefix),
		fmt.Sprintf("/%s_1: {}\nstop: {after_gap: clear, inputs: [{topic: /%[1]s_1/estop}]}", s.button.prefix),
	}, s.movers)
	s.acks = must[*rstate_msgs_srv.AcknowledgeClient](b)(rstate_msgs_srv.NewAcknowledgeClient(c.node,
		"/"+s.daemon.name+"/acknowledge", nil))
	b.Cleanup(func() { s.acks.Close() })
	s.button.press(false)
	return s
}

// press presses the stop button, or releases it, and returns the time.
func (d drivers) press(on bool) int64 {
	d.b.Helper()
	return d.at("press", map[string]any{"on": on})
}

// round presses the button once.
func (s *stopping) round() {
	at := s.strikes(func() int64 { return s.button.press(true) }, s.over)
	took := last(at, disarmed(at, s.movers).begun)
	s.took = append(s.took, took)
	s.late("a stop button is pressed", at, took, stopLimit)
	s.over()
}

// over releases the button, and acknowledges until nothing is stopped.
func (s *stopping) over() {
	s.b.Helper()
	s.button.press(false)
	bed.Eventually(s.b, "the stop is acknowledged", func() (string, bool) {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		resp, _, err := s.acks.Send(ctx, rstate_msgs_srv.NewAcknowledge_Request())
		if err != nil {
			return err.Error(), false
		}
		return resp.Message, resp.Success
	})
}
