package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/clean"
	"rstate/internal/engine/guards"
	"rstate/internal/lease"
	"rstate/internal/machine"
	"rstate/internal/network"
)

// Guards disarm nodes that follow no lease if this process dies. Where the file requires one, no such node
// is armed without a living guard that covers it.

// GuardView is a guard in a snapshot.
type GuardView struct {
	guards.View
	Nodes []string // those that it covers
}

// guarding is what is known of guards.
type guarding struct {
	book      guards.Book
	wake      time.Duration // when one may be lost, as was asked for last
	leaseFrom time.Duration // when the first message of the lease was sent
	// Until then, words of guards from a time in which the loop did not turn may wait to be read.
	readBy time.Duration
}

// noteGuardGap notes that the loop has not turned since the last input, for longer than it ever rests while armed. It is
// no gap of A8. What guards said meanwhile is read first.
func (ro *roster) noteGuardGap(was Time) {
	if ro.net.Arming.Guard == network.GuardRequired && ro.now.Steady-was.Steady > 2*guards.Every {
		ro.guard.readBy, ro.changed = ro.now.Steady+guards.Every, true
		ro.wakeWhole(ro.guard.readBy)
	}
}

// noteLeaseSent notes a message of the lease that guards are to hear.
func (ro *roster) noteLeaseSent(m lease.Message, first bool) {
	if ro.net.Arming.Guard != network.GuardRequired {
		return
	}
	if first {
		ro.guard.leaseFrom = ro.now.Steady
	}
	ro.guard.book.Sent(ro.now.Steady, m.Term, m.Seq)
}

// guardHeard takes the word of a guard. An arming may wait for it.
func (co *course) guardHeard(in GuardHeard) {
	co.guard.book.Hear(co.now.Steady, in.Word)
	if co.work == nil {
		return
	}
	for _, i := range co.armable {
		if n := &co.nodes[i]; n.part.arm && n.part.status == partWaiting {
			co.touch(i)
		}
	}
}

// mindGuards asks for an input when a guard may be lost, and notes whether one has come or gone.
func (ro *roster) mindGuards() {
	g, now := &ro.guard, ro.now.Steady
	news := g.book.Turn(now)
	if g.readBy > 0 && now >= g.readBy {
		g.readBy, news = 0, true
	}
	ro.changed = news || ro.changed
	if next, ok := g.book.Next(now); ok && (g.wake <= now || next < g.wake) {
		g.wake = next
		ro.wakeWhole(next)
	}
}

// guarded reports whether node i may be armed only while a guard covers it.
func (f *facts) guarded(i int) bool {
	return f.net.Arming.Guard == network.GuardRequired && f.net.Nodes[i].Guardable()
}

// unguarded says for each node that the state arms why no guard covers it, or that one disarms it. A node that may be
// armed has to be covered; one that may be armed next too, unless the network does without it.
func (ro *roster) unguarded(to machine.State, next bool) []NodeResult {
	var list []NodeResult
	for _, i := range ro.armable {
		n := &ro.nodes[i]
		if !ro.net.Arms(to, i) {
			continue
		}
		disarmed := n.arm.Belief() == Disarmed
		if disarmed && (!next || n.spec.Optional && !n.there()) || !disarmed && ro.now.Steady < ro.guard.readBy {
			continue
		}
		if why := ro.whyUnguarded(i); why != "" {
			list = append(list, NodeResult{Node: n.spec.Name, Verdict: VerdictRefused, Evidence: why, From: n.state,
				State: n.state})
		}
	}
	return list
}

// disarmedBy begins the reason why a node is not armed that guards disarm.
const disarmedBy = "is disarmed by "

// whyUnguarded says that a guard disarms node i, whether or not the file requires one, or why none covers it although
// one has to; empty: neither.
func (ro *roster) whyUnguarded(i int) string {
	service := ro.nodes[i].spec.Arm.Service
	if by := ro.guard.book.Disarms(ro.now.Steady, service); by != "" {
		return disarmedBy + by
	}
	if !ro.guarded(i) {
		return ""
	}
	if why := ro.guard.book.Lacks(ro.now.Steady, service); why != "" {
		return "is covered by no guard: " + why
	}
	return ""
}

// guardObstacles lists the nodes that lack a guard for a command that arms.
func (ro *roster) guardObstacles(t machine.Transition) []Obstacle {
	to, _ := ro.machine.State(t.To)
	if !to.Armed.Any() || t.To == ro.settled {
		return nil
	}
	return ro.needGuards(ro.unguarded(to, true))
}

// needGuards says of nodes that lack a guard what to do.
func (ro *roster) needGuards(unguarded []NodeResult) []Obstacle {
	list := make([]Obstacle, len(unguarded))
	for k, r := range unguarded {
		do := guardLog
		if !strings.HasPrefix(r.Evidence, disarmedBy) {
			do = fmt.Sprintf("on the host of the node: rstate guard %s --node %s", ro.net.File, ro.opt.Name)
		}
		list[k] = Obstacle{Node: r.Node, Why: r.Evidence, Do: do}
	}
	return list
}

// judgeGuards fails an arming that lacks a guard.
func (co *course) judgeGuards() {
	to, _ := co.machine.State(co.work.target)
	list := co.unguarded(to, true)
	for k, o := range co.needGuards(list) {
		list[k].Evidence = advised(o.Why, o.Do)
	}
	if len(list) > 0 {
		co.work.fault.blame = append(co.work.fault.blame, list...)
		co.work.fault.failing = true
	}
}

// awaitsGuards reports whether node i, which is to be armed, waits for guards to hear the lease of this arming: no
// node is armed before. What a guard said before that lease began, or a recording of a guard, does not do. missed
// says that a guard has not heard it in time.
func (co *course) awaitsGuards(i int) (waits, missed bool) {
	to, _ := co.machine.State(co.work.target)
	unready := func(j int) bool {
		n := &co.nodes[j]
		return co.guarded(j) && co.net.Arms(to, j) && n.part.arm && n.part.open() &&
			!co.guard.book.Ready(co.now.Steady, n.spec.Arm.Service)
	}
	switch {
	case !slices.ContainsFunc(co.armable, unready):
		return false, false
	case !co.hold.leased.said:
		return true, false // the lease begins at the end of this step
	}
	return co.waitUntil(i, co.guard.leaseFrom+co.nodes[i].spec.Deadline.Arm), true
}

// disarmForGuards disarms, or ends an arming, if a guard that is needed is lost, or one disarms, and reports whether it
// did.
func (s *State) disarmForGuards() bool {
	if !s.proving() || s.closing.ended != nil || s.closing.stop != nil {
		return false
	}
	if w := s.work; w != nil && w.phase != reconciling {
		if !w.arm.judged || w.fault.failing {
			return false
		}
		s.judgeGuards()
		return w.fault.failing
	}
	here, _ := s.machine.State(s.settled)
	if why := obstacleWords(s.needGuards(s.unguarded(here, false))); why != "" {
		s.disarmForSafety(why)
	}
	return s.busy()
}

// guardViews lists the guards that were heard lately.
func (ro *roster) guardViews() []GuardView {
	var list []GuardView
	for _, v := range ro.guard.book.Views(ro.now.Steady) {
		one := GuardView{View: v}
		for _, i := range ro.armable {
			if n := ro.nodes[i].spec; n.Guardable() && slices.Contains(v.Calls, n.Arm.Service) {
				one.Nodes = append(one.Nodes, n.Name)
			}
		}
		list = append(list, one)
	}
	return list
}

// cleanedGuard is cleaned for the word of a guard.
func cleanedGuard(in GuardHeard) GuardHeard {
	in.ID, in.Calls = clean.Short(in.ID), slices.Clone(in.Calls)
	for k := range in.Calls {
		c := &in.Calls[k]
		c.Service, c.Fault = clean.Short(c.Service), clean.Short(c.Fault)
	}
	return in
}
