package engine

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine/arming"
	"rstate/internal/machine"
	"rstate/internal/network"
	"rstate/internal/stepper"
)

// The owners of the state, each without what stands above it. test/tree has the list of them.

// ownersLoop has a stepped loop, and ownersArm what arming needs.
const ownersLoop = `simulation: x
machine: cle
loop: {dt: 20ms, participants: {/eye: {as: simulator}}}
nodes:
  /eye: {}
`

const ownersArm = `simulation: x
peers: {required: [/other/rstate]}
nodes:
  /eye: {checks: [{topic: /scan, rate: 1Hz}]}
  /hand: {after: [/eye], arm: {}}
`

func factsFor(t *testing.T, text string) *facts {
	t.Helper()
	net, err := network.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return factsOf(net, Options{Name: "/rstate", Instance: "1"})
}

func rosterFor(t *testing.T, text string) roster {
	t.Helper()
	f := factsFor(t, text)
	ro := roster{standing: standing{facts: f}, hold: holding{facts: f}}
	for i := range f.net.Nodes {
		ro.nodes = append(ro.nodes, node{spec: &f.net.Nodes[i], arm: arming.New(settlesOf(&f.net.Nodes[i]))})
	}
	return ro
}

func leagueFor(t *testing.T, text string) league {
	t.Helper()
	le := league{roster: rosterFor(t, text)}
	le.peers = peering{facts: le.facts, book: newBook(le.net, le.opt)}
	return le
}

func TestFactsAlone(t *testing.T) {
	f := factsFor(t, ownersArm)
	if !slices.Equal(f.names, []string{"/eye", "/hand"}) || !slices.Equal(f.armable, []int{1}) ||
		!slices.Equal(f.checked, []int{0}) {
		t.Errorf("names %q, armable %v, checked %v", f.names, f.armable, f.checked)
	}
	for command, want := range map[string]bool{"disarm": true, "arm": false, "deactivate": false, "nothing": false} {
		if got := f.isDisarm(command); got != want {
			t.Errorf("%s is a disarm: %v", command, got)
		}
	}
}

func TestAgendaAlone(t *testing.T) {
	a := agenda{now: Time{Steady: time.Second}}
	a.do(TakeName{})
	a.do(SyncJournal{Ticket: a.next()})
	if len(a.out) != 2 || a.out[1] != (SyncJournal{Ticket: 1}) || a.next() != 2 {
		t.Errorf("it has %v", a.out)
	}
	d := a.allowSteady(3, 2*time.Second)
	if a.passed(d) || a.left(d) != 2*time.Second {
		t.Errorf("%v are left", a.left(d))
	}
	if w := a.wakes.pop(); w != (wakeup{3 * time.Second, 3}) {
		t.Errorf("it wakes up for %+v", w)
	}
	if a.now.Steady = 3 * time.Second; !a.passed(d) || a.left(d) != 0 {
		t.Errorf("%v are left at the end", a.left(d))
	}
}

func TestStandingAlone(t *testing.T) {
	st := standing{facts: factsFor(t, ownersArm)}
	if st.mayWrite() || st.origin() != machine.Unknown || st.armedHere() {
		t.Error("before the start it may write, or knows where it stands")
	}
	st.startup.writes, st.settled = true, "armed"
	if leave, ok := st.leaves(); !st.mayWrite() || !st.armedHere() || !ok || leave.Name != "disarm" {
		t.Errorf("armed, it leaves by %q", leave.Name)
	}
	if st.closing.stop = (&stopping{yields: true}); st.mayWrite() || !st.isClosing() {
		t.Error("it writes after it has yielded")
	}
}

func TestRosterAlone(t *testing.T) {
	ro := rosterFor(t, ownersArm)
	ro.touch(1)
	ro.touchAll()
	if !slices.Equal(ro.queue, []int{1, 0}) {
		t.Errorf("the queue is %v", ro.queue)
	}
	ro.nodes[1].arm.ArmSent(1, 0)
	if got := ro.mayBeArmed(); !slices.Equal(got, []string{"/hand"}) {
		t.Errorf("may be armed: %q", got)
	}
	if got := ro.goneWhileArmed(); got != "gone, and perhaps armed: /hand" {
		t.Errorf("left: %q", got)
	}
	if ro.nodes[1].count = 1; ro.goneWhileArmed() != "" {
		t.Error("a node that is there has left")
	}
}

func TestLeagueAlone(t *testing.T) {
	le := leagueFor(t, ownersArm)
	le.settled = "active"
	arm, disarm := le.command("arm", "active"), le.command("disarm", "armed")
	if got := le.lacksPeers(arm); !strings.Contains(obstacleWords(got), "/other/rstate") {
		t.Errorf("arming lacks %q", got)
	}
	if got := le.lacksPeers(disarm); len(got) > 0 {
		t.Errorf("disarming lacks %q", got)
	}
	if up := le.isNews(&work{origin: "active", news: news{ours: true}}, arm); up {
		t.Error("peers hear of an arming when it begins")
	}
	if !le.isNews(&work{origin: "armed", news: news{ours: true}}, disarm) {
		t.Error("peers do not hear of a disarming when it begins")
	}
}

func TestCourseAlone(t *testing.T) {
	co := course{league: leagueFor(t, ownersArm)}
	if left, held := co.timeLeft(); left != 0 || held {
		t.Errorf("at rest %v are left", left)
	}
	co.work = &work{command: "arm", target: "armed", origin: "active", phase: forward, arms: true}
	co.work.parts.total, co.work.parts.open = 2, 1
	co.nodes[0].part = part{status: partWorking, wants: true}
	co.nodes[1].part.status, co.nodes[1].part.result.verdict = partDone, VerdictDone
	if got := co.underWay(); !strings.HasPrefix(got, "arm is under way") {
		t.Errorf("it says %q", got)
	}
	if got := co.done(); got != 0 {
		t.Errorf("%d are done: one waits to be armed", got)
	}
	if !co.armsNext(1) || co.armsNext(0) {
		t.Error("/hand is not the next to arm")
	}
}

func TestClientsAlone(t *testing.T) {
	cl := clients{course: course{league: leagueFor(t, ownersArm)}}
	cl.goals.settledAt = time.Minute
	g := &goal{}
	if !cl.joinable(g) || cl.repeatsSince() != time.Minute {
		t.Errorf("at rest, a goal can be joined: %v; repeats count since %v", cl.joinable(g), cl.repeatsSince())
	}
	cl.work = &work{goal: g, phase: draining, since: time.Hour}
	if cl.joinable(g) || cl.repeatsSince() != time.Hour {
		t.Error("a goal that is cancelled can be joined")
	}
}

func TestPeeringAlone(t *testing.T) {
	le := leagueFor(t, ownersArm)
	var a agenda
	le.peers.order(&a)
	if le.peers.book.Ordered() != 1 || !le.peers.untold || !a.changed || len(a.out) != 0 {
		t.Errorf("an order: %d, untold %v, %v", le.peers.book.Ordered(), le.peers.untold, a.out)
	}
	if le.peers.alone() || le.peers.armedElsewhere() {
		t.Error("a network with a required peer is alone, or that peer is armed")
	}
	if got := le.peers.unconfirmedPeer("/other/rstate"); got != "is not there" {
		t.Errorf("the peer %s", got)
	}
}

func TestHoldingAlone(t *testing.T) {
	ho := holding{facts: factsFor(t, ownersArm), leftovers: leftoversOf([]Leftover{{Node: "/old", Service: "/old/arm"}})}
	a := agenda{now: Time{Steady: time.Second}}
	if age, left := ho.leaseAges(&a); age != -1 || left != -1 {
		t.Errorf("without a lease: %v, %v", age, left)
	}
	if !slices.Equal(ho.armedLeftovers(), []string{"/old"}) || !strings.Contains(ho.leftoversForbid(), "/old") || len(ho.leftoverWarnings()) != 1 {
		t.Errorf("left: %q, %q", ho.armedLeftovers(), ho.leftoverWarnings())
	}
	if ho.leftovers[0].disarmed = true; len(ho.armedLeftovers()) != 0 || ho.leftoversForbid() != "" {
		t.Error("a node that has confirmed is left armed")
	}
	if ho.noteOtherLease(&a); ho.othersEnd < a.now.Steady+ho.net.Proof {
		t.Errorf("leases of others end at %v", ho.othersEnd)
	}
}

func TestLoopingAlone(t *testing.T) {
	lo := looping{facts: factsFor(t, ownersLoop)}
	var a agenda
	lo.start(&a, stepper.Span{Steps: 3})
	if want := (StartLoop{Run: 1, Steps: 3}); !lo.runs || len(a.out) != 1 || a.out[0] != want {
		t.Fatalf("it runs: %v, %v", lo.runs, a.out)
	}
	if lo.view.Other = "/gazebo"; !strings.HasPrefix(lo.twoClocks(), "/gazebo publishes ") {
		t.Errorf("two clocks: %q", lo.twoClocks())
	}
	lo.stop(&a, stepper.Abort, "a test")
	if lo.runs || !a.changed || lo.stopped() != "the loop has stopped: a test" || lo.twoClocks() != "" {
		t.Errorf("it runs: %v; %q", lo.runs, lo.stopped())
	}
}
