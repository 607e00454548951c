//go:build ros

package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"rstate/test/bed"
)

// drivers are the nodes of one rclpy process that can be armed: /PREFIX_1, /PREFIX_2, … They stamp what happens to them by
// the clock that all processes of a machine have in common, and signals and faults are made there too, so that no way
// between processes is in what is measured.
type drivers struct {
	*peer
	prefix string
	count  int
}

// driverSpec says what drivers are.
type driverSpec struct {
	prefix      string // empty: one of its own
	count       int
	coordinator string   // whose lease they follow; empty: none
	slow        bool     // calls are taken side by side, so that one to disarm comes through while one to arm lasts
	env         []string // more environment
}

func startDrivers(b *testing.B, s driverSpec) drivers {
	b.Helper()
	if s.prefix == "" {
		s.prefix = bed.Unique(b, "driver")
	}
	folder, err := filepath.Abs("../../ros/rstate")
	if err != nil {
		b.Fatal(err)
	}
	env := append([]string{"PYTHONPATH=" + folder + string(filepath.ListSeparator) + os.Getenv("PYTHONPATH")}, s.env...)
	args := []string{s.prefix, strconv.Itoa(s.count), s.coordinator}
	if s.slow {
		args = append(args, "slow")
	}
	return drivers{startPeerIn(b, env, "armed.py", args...), s.prefix, s.count}
}

// group is what they are to who drives lifecycles.
func (d drivers) group() group { return group{prefix: d.prefix, count: d.count} }

// at has the drivers' process do something that is stamped, and returns when.
func (d drivers) at(op string, arguments map[string]any) (when int64) {
	d.b.Helper()
	d.ask(op, arguments, &when)
	return when
}

func (d drivers) signal(p *bed.Process, s syscall.Signal) int64 {
	d.b.Helper()
	return d.at("signal", map[string]any{"pid": p.Pid(), "number": int(s)})
}

func (d drivers) pace(hz float64) int64 {
	d.b.Helper()
	return d.at("pace", map[string]any{"rate": hz})
}

func (d drivers) check(passes bool) int64 {
	d.b.Helper()
	return d.at("check", map[string]any{"passes": passes})
}

// takes sets how long a call to arm, and a check, take from now on, and those checks at most that wait already.
func (d drivers) takes(arming, checking time.Duration) int64 {
	d.b.Helper()
	return d.at("takes", map[string]any{"arming": arming.Seconds(), "checking": checking.Seconds()})
}

// armed says whether all of them are.
func (d drivers) armed() bool {
	d.b.Helper()
	var list []bool
	d.ask("armed", nil, &list)
	return !slices.Contains(list, false)
}

// armedAt says whether all of them were armed at a moment that was a moment ago.
func (d drivers) armedAt(at int64) bool {
	d.b.Helper()
	var list []bool
	d.ask("armed_at", map[string]any{"at": at}, &list)
	return !slices.Contains(list, false)
}

// disarms is when nodes were disarmed: when each request was sent, and when its callback began. One that disarms by itself,
// as its lease has ended, has one moment for both.
type disarms struct{ sent, begun []int64 }

// disarmed waits until every node was told to disarm after a moment, or did by itself.
func disarmed(since int64, all ...drivers) (d disarms) {
	for _, of := range all {
		of.b.Helper()
		var list []struct{ Begun, Sent int64 }
		bed.Eventually(of.b, "the nodes "+of.prefix+" disarm", func() (string, bool) {
			of.ask("disarmed", map[string]any{"since": since}, &list)
			seen := fmt.Sprint(list)
			return seen, !strings.Contains(seen, " 0}") // an answer that is on its way has no moment of sending yet
		})
		for _, one := range list {
			d.sent, d.begun = append(d.sent, one.Sent), append(d.begun, one.Begun)
		}
	}
	return d
}

// last is how long after a moment the last of them was.
func last(since int64, moments []int64) time.Duration {
	return time.Duration(slices.Max(moments) - since)
}
