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

// drivers are the armable nodes of one rclpy process: /PREFIX_1, /PREFIX_2, … They stamp events by
// the clock that all processes of a machine share. Signals and faults are made in that process too,
// so that the measurements include no communication between processes.
type drivers struct {
	*peer
	prefix string
	count  int
}

// driverSpec describes drivers.
type driverSpec struct {
	prefix      string // empty: a unique one
	count       int
	coordinator string   // the coordinator whose lease they follow; empty: none
	slow        bool     // calls are handled concurrently, so that a disarm is handled during a slow arm
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

// group returns the drivers as a group of lifecycle nodes.
func (d drivers) group() group { return group{prefix: d.prefix, count: d.count} }

// at makes the drivers' process do something that is stamped, and returns the time.
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

// takes sets how long calls to arm, and checks, take from now on. A check that is waiting takes at
// most that long.
func (d drivers) takes(arming, checking time.Duration) int64 {
	d.b.Helper()
	return d.at("takes", map[string]any{"arming": arming.Seconds(), "checking": checking.Seconds()})
}

// armed reports whether all drivers are armed.
func (d drivers) armed() bool {
	d.b.Helper()
	var list []bool
	d.ask("armed", nil, &list)
	return !slices.Contains(list, false)
}

// armedAt reports whether all were armed at a moment shortly before.
func (d drivers) armedAt(at int64) bool {
	d.b.Helper()
	var list []bool
	d.ask("armed_at", map[string]any{"at": at}, &list)
	return !slices.Contains(list, false)
}

// disarms holds when nodes were disarmed: when each request was sent, and when its callback began.
// A node that disarms itself, since its lease has expired, has one time for both.
type disarms struct{ sent, begun []int64 }

// disarmed waits until every node was asked to disarm after a moment, or disarmed itself.
func disarmed(since int64, all ...drivers) (d disarms) {
	for _, of := range all {
		of.b.Helper()
		var list []struct{ Begun, Sent int64 }
		bed.Eventually(of.b, "the nodes "+of.prefix+" disarm", func() (string, bool) {
			of.ask("disarmed", map[string]any{"since": since}, &list)
			seen := fmt.Sprint(list)
			return seen, !strings.Contains(seen, " 0}") // a pending answer has no time of sending yet
		})
		for _, one := range list {
			d.sent, d.begun = append(d.sent, one.Sent), append(d.begun, one.Begun)
		}
	}
	return d
}

// last returns how long after a moment the last of them was.
func last(since int64, moments []int64) time.Duration {
	return time.Duration(slices.Max(moments) - since)
}
