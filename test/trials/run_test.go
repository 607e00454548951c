//go:build ros

package trials

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/test/bed"
)

// goal is a goal of the robot's client.
type goal struct {
	*bed.Goal
	command string
	sent    moment // before it was sent
	counted bool   // its result is in the record
}

// again is how long a client waits until it sends a goal again that was rejected, has failed, or was not
// answered. A goal that is sent while the client and a new daemon are being matched may be lost.
const again = 100 * time.Millisecond

// post sends a goal, and does not wait for an answer.
func (r *robot) post(command string) *goal {
	r.t.Helper()
	sent := now()
	fields := map[string]any{"command": command, "reason": "a trial"}
	g := &goal{Goal: r.sites[0].Host.PostGoals("rstate_msgs/action/Transition", r.name+"/transition", fields)[0],
		command: command, sent: sent}
	r.goals = append(r.goals, g)
	return g
}

// does sends a command until it succeeds. Before it repeats an arm, it sends active: the daemon may have found
// a new process of a node since.
func (r *robot) does(command string) {
	r.t.Helper()
	g := r.post(command)
	bed.Eventually(r.t, command+" succeeds", func() (string, bool) {
		got := g.Record()
		seen, _ := json.Marshal(got)
		succeeded := r.count(g, got)
		if succeeded && g.command == command {
			return string(seen), true
		}
		failed := got.Status != 0 && !succeeded || got.Answered && !got.Accepted
		switch age := g.sent.until(now()); {
		case failed && age > again && g.command == "arm":
			g = r.post("active")
		case succeeded, failed && age > again, !got.Answered && age > 10*again:
			g = r.post(command)
		}
		return fmt.Sprintf("%s, while ~/state shows %+v", seen, r.view()), false
	})
}

// count puts the result of a goal into the record, once, and reports whether it is a success.
func (r *robot) count(g *goal, got bed.GoalRecord) bool {
	if got.Status == 0 {
		return false
	}
	var result struct {
		Success          bool
		Outcome, Message string
	}
	r.sites[0].Host.Decode(got.Result, &result)
	if !g.counted {
		g.counted = true
		r.mu.Lock()
		defer r.mu.Unlock()
		r.said.endings = append(r.said.endings,
			ending{at: moment(got.Ended), command: g.command, outcome: result.Outcome,
				message: result.Message, success: result.Success})
	}
	return result.Success
}

// ready brings the robot to active, with nothing armed. If a process is new, the robot is armed once: then
// every node and guard has heard a lease, so all that a trial depends on is matched.
func (r *robot) ready() {
	r.t.Helper()
	for _, n := range r.nodes {
		r.mu.Lock()
		over := n.over
		r.mu.Unlock()
		if over {
			n.process.Kill()
			r.startNode(n)
		}
		n.takes(0)
	}
	r.does("active")
	if r.fresh {
		r.arm()
		r.does("disarm")
		r.fresh = false
	}
}

// arm arms the robot, and returns when all nodes are armed and all guards have heard of it.
func (r *robot) arm() {
	r.t.Helper()
	var before [sides]int
	for i, g := range r.guards {
		before[i] = g.holds()
	}
	r.does("arm")
	bed.Eventually(r.t, "all nodes are armed, and the guards have heard the lease", func() (string, bool) {
		armed, heard := r.armed(), 0
		for i, g := range r.guards {
			if g.holds() > before[i] {
				heard++
			}
		}
		if len(armed) < len(r.nodes) && r.view().state == "active" { // a busy machine has let a proof get too old
			r.does("arm")
		}
		return fmt.Sprintf("%v, %d guards", armed, heard), len(armed) == len(r.nodes) && heard == sides
	})
}

// fault is a fault that has happened.
type fault struct {
	trial
	at   moment // before it happened
	over moment // before it ended, if it ends by itself
}

// strike causes the fault.
func (r *robot) strike(d trial) fault {
	f := fault{trial: d, at: now()}
	switch d.kind {
	case daemonKilled:
		r.killDaemon()
	case nodeKilled:
		r.killNode(r.victim(d))
	case guardKilled:
		r.guards[d.victim%sides].process.Kill()
	case linkDown:
		r.land.Wire.Cut(r.sites[1].At)
	default:
		r.suspended(d).Freeze()
	}
	return f
}

// relieve ends a fault that ends by itself, when its time has come.
func (r *robot) relieve(f *fault) {
	if !f.kind.lasts() {
		return
	}
	sleepUntil(f.at + moment(f.lasts))
	f.over = now()
	if f.kind == linkDown {
		r.land.Wire.Heal(r.sites[1].At)
		return
	}
	r.suspended(f.trial).Thaw()
}

func (r *robot) victim(d trial) *node { return r.nodes[d.victim] }

// suspended returns the process that the trial suspends.
func (r *robot) suspended(d trial) *bed.Process {
	switch d.kind {
	case daemonSuspended:
		return r.daemon
	case guardSuspended:
		return r.guards[d.victim%sides].process
	}
	return r.victim(d).process
}

// restart starts what the trial has killed.
func (r *robot) restart(d trial) {
	r.t.Helper()
	switch d.kind {
	case daemonKilled:
		r.daemon.Kill() // it is not in the process table any more
		r.startDaemon()
	case nodeKilled:
		r.startNode(r.victim(d))
	case guardKilled:
		r.startGuard(r.guards[d.victim%sides])
	}
}

// cause brings the robot to the place of the trial, and causes the fault there.
func (r *robot) cause(d trial) fault {
	r.t.Helper()
	if d.place > arming {
		r.arm()
	}
	var begun moment
	switch d.place {
	case beforeArm, beforeDisarm:
		f := r.strike(d)
		sleepUntil(f.at + moment(d.lead))
		r.post(map[place]string{beforeArm: "arm", beforeDisarm: "disarm"}[d.place])
		return f
	case arming:
		begun = r.post("arm").sent
	case disarming:
		begun = r.post("disarm").sent
	case afterDisarm:
		r.does("disarm")
		begun = now()
	default:
		begun = now()
	}
	sleepUntil(begun + moment(d.lead))
	return r.strike(d)
}

// run runs a trial, judges it, and returns its measurements.
func (r *robot) run(d trial) (samples []sample) {
	r.t.Helper()
	r.ready()
	r.rests()
	r.forget()
	for i, n := range r.nodes {
		n.takes(d.arming[i])
	}
	var f fault
	defer func() { r.judge(f) }() // also if a condition never holds
	f = r.cause(d)
	r.relieve(&f)
	samples = r.await(f)
	if d.kind == guardKilled {
		samples = r.disarmAll(f)
	}
	r.restart(d)
	r.disarmAll(f)
	r.close(d)
	return samples
}

// judge reports what is wrong with what was said in this trial.
func (r *robot) judge(f fault) {
	r.t.Helper()
	said := r.record()
	for _, wrong := range said.judge(r.names(), now()) {
		r.t.Errorf("%v: %s; in ms since the fault:\n%s", f.trial, strings.ReplaceAll(wrong, r.name, ""),
			said.tell(f.at))
	}
}

// rests waits until no node is armed by its own word.
func (r *robot) rests() {
	r.t.Helper()
	bed.Eventually(r.t, "no node is armed after a disarm", func() (string, bool) {
		armed := r.armed()
		return fmt.Sprint(armed), len(armed) == 0
	})
}

// disarmAll sends a disarm until it succeeds. No node is armed then. It returns how long that took for each
// node that was armed, if a disarm was not sent before.
func (r *robot) disarmAll(f fault) (samples []sample) {
	r.t.Helper()
	before, said := now(), r.record()
	r.does("disarm")
	r.rests()
	after := r.record()
	for _, n := range r.nodes {
		if at, ok := after.disarmedAfter(n.name, before); ok && said.armedAt(n.name, before) && f.place.counts() {
			samples = append(samples, sample{row{f.kind, n.side, false}, before.until(at)})
		}
	}
	return samples
}

// close waits until the client has every result, and ~/state shows that nothing is armed. A daemon that was
// killed answers no goal.
func (r *robot) close(d trial) {
	r.t.Helper()
	bed.Eventually(r.t, "every goal has ended", func() (string, bool) {
		var open []string
		for _, g := range r.goals {
			got := g.Record()
			if r.count(g, got); got.Status == 0 && (got.Accepted || !got.Answered) {
				open = append(open, g.command)
			}
		}
		return fmt.Sprint(open), len(open) == 0 || d.kind == daemonKilled
	})
	r.goals = nil
	bed.Eventually(r.t, "~/state shows that nothing is armed", func() (string, bool) {
		v := r.view()
		return fmt.Sprintf("%+v", v), v.settled &&
			!slices.ContainsFunc(r.names(), func(name string) bool { return !v.hides(name) })
	})
}
