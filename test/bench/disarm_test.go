//go:build ros

package bench

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"rstate/test/bed"
)

// wireLimit is how long after its cause the last of 20 disarm requests may be sent.
const wireLimit = 50 * time.Millisecond

// disarmNodes is the number of nodes that are disarmed at once, in disarmProcesses processes.
const disarmNodes, disarmProcesses = 20, 4

// BenchmarkDisarm measures how soon 20 armed nodes get their disarm requests: until the last
// request was passed to the middleware, by its own time stamp. Meanwhile the nodes are probed 200
// times a second, and a check is always running. In one row five nodes are busy arming; in another
// one 20 nodes of another network are being brought up. The time starts before the goal is sent, so
// the goal's transport is included, or when another tool's request to leave active reaches a node.
func BenchmarkDisarm(b *testing.B) {
	d := newDisarming(b)
	commanded, interrupted, strayed := &told{name: "disarm is sent"}, &told{name: "disarm is sent, five still arm"},
		&told{name: "a node strays"}
	crowded := &told{name: "disarm is sent, others come up"}
	for range times(b, "RSTATE_BENCH_RUNS", 20, 3) {
		d.arms()
		at := d.beside.at("clock", nil)
		d.daemon.command("disarm")
		commanded.take(at, d.all)
		interrupted.take(d.interrupts(), d.all)
		d.arms()
		d.tool.change("deactivate")
		strayed.take(d.beside.at("left", nil), d.all)
		crowded.take(d.amongOthers(), d.all)
	}
	var list []row
	for _, t := range []*told{commanded, interrupted, strayed, crowded} {
		list = append(list, row{t.name + ": last request sent", t.sent, wireLimit},
			row{t.name + ": last callback begun", t.begun, 0})
	}
	rows(b, fmt.Sprintf("Disarming %d nodes, in ms", disarmNodes), d.unasked, list)
}

// told holds the times of the disarm requests, by round.
type told struct {
	name        string
	sent, begun series
}

func (t *told) take(at int64, all []drivers) {
	d := disarmed(at, all...)
	t.sent, t.begun = append(t.sent, last(at, d.sent)), append(t.begun, last(at, d.begun))
}

// disarming is the network of BenchmarkDisarm.
type disarming struct {
	*armedRig
	busy   drivers // five of the armed nodes, which can take their time to arm
	beside drivers // never armed; its check takes nearly the whole interval between two calls
	tool   *hand   // another tool
	others *daemon // over as many nodes, which are slow
}

func newDisarming(b *testing.B) *disarming {
	b.Helper()
	d := &disarming{beside: startDrivers(b, driverSpec{count: 1, slow: true})}
	d.beside.takes(0, 900*time.Millisecond)
	lines := []string{fmt.Sprintf("/%[1]s_1: {probe: 100ms, checks: [{service: /%[1]s_1/check}]}", d.beside.prefix)}
	var armed []drivers
	for i := range disarmProcesses {
		of := startDrivers(b, driverSpec{count: disarmNodes / disarmProcesses, slow: i == 0})
		armed = append(armed, of)
		for _, name := range of.group().names() {
			lines = append(lines, name+": {arm: {dead_man: none}}")
		}
	}
	d.busy = armed[0]
	c := newCaller(b)
	d.tool = c.hand(d.beside.group())
	d.others = c.startDaemon(b, startGroup(b, ownNodes, disarmNodes, 100*time.Millisecond))
	d.armedRig = newArmedRig(b, c, bed.Unique(b, "rstate"), lines, armed...)
	return d
}

// amongOthers sends a disarm while the nodes of another network are in their callbacks, and returns
// the time.
func (d *disarming) amongOthers() (at int64) {
	d.b.Helper()
	d.arms()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	raised, err := d.others.send(ctx, "active")
	if err != nil {
		d.b.Fatalf("active: %v", err)
	}
	at = d.beside.at("clock", nil)
	d.daemon.command("disarm")
	if result, err := raised(); err != nil || !result.Success {
		d.b.Fatalf("the bring-up beside a disarm: %v, %+v", err, result)
	}
	d.others.lower()
	return at
}

// interrupts sends a disarm while five nodes are in their callback and the others are armed, and
// returns the time.
func (d *disarming) interrupts() (at int64) {
	d.b.Helper()
	d.busy.takes(2*time.Second, 0)
	defer d.busy.takes(0, 0)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	d.ready()
	arm, err := d.daemon.send(ctx, "arm")
	if err != nil {
		d.b.Fatalf("arm: %v", err)
	}
	bed.Eventually(d.b, "five nodes are still arming, and the others are armed", func() (string, bool) {
		var inside int
		d.busy.ask("inside", nil, &inside)
		armed := !slices.ContainsFunc(d.all[1:], func(of drivers) bool { return !of.armed() })
		return fmt.Sprint(inside, armed), inside == d.busy.count && armed
	})
	at = d.beside.at("clock", nil)
	d.daemon.command("disarm")
	if result, err := arm(); err != nil || result.Success {
		d.b.Fatalf("the arm that a disarm interrupts: %v, %+v", err, result)
	}
	return at
}
