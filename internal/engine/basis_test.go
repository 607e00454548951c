package engine_test

import (
	"strings"
	"testing"
	"time"

	"rstate/internal/dispatch"
	"rstate/internal/engine"
	"rstate/internal/engine/stopinput"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/mirror"
	"rstate/internal/network"
)

// robot is an engine whose node does what it is asked for at once, and whose wall clock a test can set.
type robot struct {
	t     *testing.T
	state *engine.State
	now   time.Duration
	off   time.Duration // what the wall clock is ahead
	at    lifecycle.State
	says  []string // accepted, or why not, of each goal
	mute  bool     // the node does not answer to arm
	over  bool     // the newest goal that was rejected brought a seen that is over
}

var wallZero = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func (r *robot) wall() time.Time { return wallZero.Add(r.now + r.off) }

func newRobot(t *testing.T, more string) *robot {
	t.Helper()
	net, err := network.Parse("test.yaml", []byte("simulation: x\n"+more+"nodes: {/a: {arm: {}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := &robot{t: t, at: lifecycle.Active, state: engine.New(net, engine.Options{Instance: "run", Name: "/rstate"})}
	r.step(engine.NodeSeen{Node: 0, Epoch: 1, Count: 1})
	r.pass(10 * time.Second)
	r.is("active")
	return r
}

// pass lets time go by.
func (r *robot) pass(d time.Duration) {
	for end := r.now + d; r.now < end; {
		r.now += 100 * time.Millisecond
		r.step(engine.Tick{})
	}
}

func (r *robot) step(in engine.Input) {
	now := engine.Time{Steady: r.now, ROS: r.now, Wall: r.wall()}
	var effects []engine.Effect
	r.state, effects = engine.Step(r.state, now, in)
	for _, e := range effects {
		switch e := e.(type) {
		case engine.ReadState:
			r.now += time.Millisecond
			r.step(engine.StateRead{Node: e.Node, Ticket: e.Ticket, State: r.at})
		case engine.SyncJournal:
			r.step(engine.JournalSynced{Ticket: e.Ticket})
		case engine.CallNode:
			r.at = e.Transition.Target()
			r.step(engine.CallAnswered{Node: e.Node, Call: e.Call, Success: true})
		case engine.ArmNode:
			if e.Arms() && r.mute {
				continue
			}
			r.step(engine.ArmAnswered{Node: e.Node, Call: e.Call, Arm: e.Arms(), Success: true})
		case engine.AcceptGoal:
			r.says = append(r.says, "accepted")
		case engine.RejectGoal:
			r.says, r.over = append(r.says, e.Why), e.Outdated
		}
	}
}

func (r *robot) is(state string) {
	r.t.Helper()
	if s := r.state.Snapshot(); s.State != state || !s.Rests() {
		r.t.Fatalf("the network is %s, not %s; goals: %q", s.State, state, r.says)
	}
}

// asks sends a goal and returns what became of it.
func (r *robot) asks(g engine.GoalAsked) string {
	r.says = nil
	g.Handle = "g"
	r.step(g)
	r.pass(2 * time.Second)
	if len(r.says) != 1 {
		r.t.Fatalf("%v was answered with %q", g, r.says)
	}
	return r.says[0]
}

func (r *robot) does(command string) {
	r.t.Helper()
	if why := r.asks(engine.GoalAsked{Command: machine.ReadWord(command), Seen: r.state.Seen()}); why != "accepted" {
		r.t.Fatalf("%s: %s", command, why)
	}
}

// TestA1AWaitingArmDoesNotArm: what ended the permission while the goal waited is named, and nothing is armed.
func TestA1AWaitingArmDoesNotArm(t *testing.T) {
	for name, c := range map[string]struct {
		since func(r *robot)
		want  string
	}{
		"a disarm of nothing": {func(r *robot) { r.does("disarm") }, "disarm was asked for by an action client"},
		"active, as it is":    {func(r *robot) { r.does("active") }, "active was asked for by an action client"},
		"arm and disarm":      {func(r *robot) { r.does("arm"); r.does("disarm") }, "disarm was asked for"},
		"down and up again":   {func(r *robot) { r.does("deactivate"); r.does("activate") }, "deactivate"},
		"a stall": {func(r *robot) {
			r.step(engine.Stalled{For: time.Second})
			r.pass(20 * time.Second)
		}, "did not run"},
		"a one-way disarm": {func(r *robot) {
			r.does("arm")
			r.step(engine.NodeLost{Node: 0, Why: "left the graph"})
			r.pass(5 * time.Second)
			r.step(engine.NodeSeen{Node: 0, Epoch: 2, Count: 1})
			r.pass(20 * time.Second)
		}, "/a"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, command := range []string{"arm", "armed"} {
				r := newRobot(t, "")
				seen, sent := r.state.Seen(), r.wall()
				r.pass(time.Second)
				c.since(r)
				r.is("active")
				for _, late := range []engine.GoalAsked{
					{Seen: seen}, {Sent: sent, Here: true}, {Seen: seen, Sent: r.wall(), Here: true},
				} {
					late.Command = machine.ReadWord(command)
					why := r.asks(late)
					if !strings.Contains(why, c.want) || !strings.Contains(why, `"`+r.state.Seen()+`"`) {
						t.Errorf("%s: %q names neither %q nor %s", command, why, c.want, r.state.Seen())
					}
					if r.over != (late.Seen != "") {
						t.Errorf("%s with %+v: that its seen is over is %v", command, late, r.over)
					}
					r.is("active")
				}
				for _, here := range []bool{false, true} {
					late := engine.GoalAsked{Command: machine.ReadWord(command), Seen: r.state.Seen()}
					if here {
						late.Seen, late.Sent, late.Here = "", r.wall(), true
					}
					if why := r.asks(late); why != "accepted" {
						t.Errorf("%s: %s", command, why)
					}
					r.is("armed")
					r.does("disarm")
				}
			}
		})
	}
}

// TestA1APathToArmedRestsOnItToo: a goal that names armed from below is one that arms.
func TestA1APathToArmedRestsOnItToo(t *testing.T) {
	r := newRobot(t, "")
	r.does("deactivate")
	seen := r.state.Seen()
	r.does("disarm")
	if why := r.asks(engine.GoalAsked{Command: "armed", Seen: seen}); !strings.Contains(why, "since you looked") {
		t.Errorf("an old seen: %s", why)
	}
	r.is("inactive")
	if why := r.asks(engine.GoalAsked{Command: "active", Seen: seen}); why != "accepted" {
		t.Errorf("a goal that does not arm: %s", why)
	}
	r.does("deactivate")
	r.does("armed")
	r.is("armed")
}

// TestA1WithoutSeenTheClockDecides: only a client of this host, and only by a clock that was not set.
func TestA1WithoutSeenTheClockDecides(t *testing.T) {
	arm := func(r *robot, here bool) engine.GoalAsked {
		return engine.GoalAsked{Command: "arm", Sent: r.wall(), Here: here}
	}
	r := newRobot(t, "")
	r.does("disarm")
	r.off -= time.Hour
	r.pass(time.Second)
	if why := r.asks(arm(r, true)); !strings.Contains(why, "the request brings no `seen`") {
		t.Errorf("the wall clock was set back by an hour: %s", why)
	}
	r.does("arm") // with its seen
	r.does("disarm")
	if why := r.asks(arm(r, true)); !strings.Contains(why, "was set") {
		t.Errorf("the wall clock was set within the last minute: %s", why)
	}
	r.pass(time.Minute)
	if why := r.asks(arm(r, false)); !strings.Contains(why, "not known to be on this host") {
		t.Errorf("of another host: %s", why)
	}
	if why := r.asks(arm(r, true)); why != "accepted" {
		t.Errorf("a minute later: %s", why)
	}
	r.is("armed")
	if why := r.asks(engine.GoalAsked{Command: "armed"}); why != "accepted" { // it is so already
		t.Errorf("armed while armed: %s", why)
	}

	r = newRobot(t, "arming: {unseen: allow}\n")
	seen := r.state.Seen()
	r.does("disarm")
	if why := r.asks(engine.GoalAsked{Command: "arm", Seen: seen}); !strings.Contains(why, "since you looked") {
		t.Errorf("an old seen where none is needed: %s", why)
	}
	if why := r.asks(engine.GoalAsked{Command: "arm"}); why != "accepted" {
		t.Errorf("no seen where none is needed: %s", why)
	}
}

// TestA1ALateLoopSetsNoClock: the engine leaves the time of a late loop out of its deadlines. It does not leave it out
// of the comparison of the clocks.
func TestA1ALateLoopSetsNoClock(t *testing.T) {
	r := newRobot(t, "")
	r.does("disarm")
	r.now += 2 * time.Second
	r.step(engine.Late{For: 2 * time.Second})
	r.pass(5 * time.Second)
	if why := r.asks(engine.GoalAsked{Command: "arm", Sent: r.wall(), Here: true}); why != "accepted" {
		t.Error(why)
	}
}

// TestA1EveryReasonAtOnceWithSeen: that the seen is old is one reason beside others.
func TestA1EveryReasonAtOnceWithSeen(t *testing.T) {
	r := newRobot(t, "arming: {secret_file: secret}\n")
	why := r.asks(engine.GoalAsked{Command: "arm"})
	if !strings.Contains(why, "brings no `seen`") || !strings.Contains(why, "asks for authority") {
		t.Errorf("rejected with %q", why)
	}
}

// TestC2JoiningAnArmNeedsSeen: a late request does not hold an arming of its id open for a client that cancels it.
func TestC2JoiningAnArmNeedsSeen(t *testing.T) {
	r := newRobot(t, "")
	seen := r.state.Seen()
	r.does("disarm")
	r.says, r.mute = nil, true
	r.step(engine.GoalAsked{Handle: "now", Command: "arm", ID: "1", Seen: r.state.Seen()})
	r.step(engine.GoalAsked{Handle: "late", Command: "arm", ID: "1", Seen: seen})
	r.step(engine.GoalAsked{Handle: "again", Command: "arm", ID: "1", Seen: r.state.Seen()})
	if len(r.says) != 3 || !strings.Contains(r.says[1], "since you looked") || r.says[2] != "accepted" {
		t.Errorf("an arm, a late one of its id, and one more: %q", r.says)
	}
}

// TestA1SeenIsShownBeforeTheResultOfADisarm, also if nothing had to be disarmed.
func TestA1SeenIsShownBeforeTheResultOfADisarm(t *testing.T) {
	r := newRobot(t, "")
	state, effects := engine.Step(r.state, engine.Time{Steady: r.now, Wall: r.wall()},
		engine.GoalAsked{Handle: "g", Command: "disarm"})
	shown := ""
	for _, e := range dispatch.Order(effects, state) {
		switch e := e.(type) {
		case engine.Show:
			if e.Snapshot != nil {
				shown = e.Snapshot.Seen
			}
		case engine.FinishGoal:
			if shown != state.Seen() {
				t.Errorf("%q is shown when the result is sent, and seen is %q", shown, state.Seen())
			}
			return
		}
	}
	t.Error("the disarm did not end")
}

// TestA1APeerThatGoesDownChangesSeen: an order of a peer ends what was asked here before, and so does a disarm of the
// peer without an order.
func TestA1APeerThatGoesDownChangesSeen(t *testing.T) {
	r := newRobot(t, "peers: {}\n")
	status := func(state string, orders uint64) mirror.Status {
		return mirror.Status{Name: "/peer", Instance: "p1", Hash: rstateHash, State: state, Settled: true,
			Target: state, Intact: true, Seen: []mirror.Seen{{Instance: "p1", N: 1}},
			Orders: []mirror.Seen{{Instance: "p1", N: orders}}}
	}
	changes := func(what string, in engine.Input) {
		t.Helper()
		before := r.state.Seen()
		r.step(in)
		if r.state.Seen() == before {
			t.Errorf("%s: seen is still %s", what, before)
		}
	}
	r.step(engine.PeerTold{Status: status("active", 0)})
	changes("an order of the peer", engine.PeerTold{Status: status("active", 1)})
	r.step(engine.PeerTold{Status: status("armed", 1)})
	changes("the peer has disarmed", engine.PeerTold{Status: status("active", 1)})
}

// TestA1AnArmOfBeforeAnAcknowledgement: a person decides to arm while the network is stopped, and the request waits.
// Meanwhile another person acknowledges the stop. The request arms nothing.
func TestA1AnArmOfBeforeAnAcknowledgement(t *testing.T) {
	r := newRobot(t, "stop: [{topic: /estop}]\n")
	r.step(engine.StopSeen{Seen: stopinput.Seen{Writers: []stopinput.Writer{{ID: "button", Node: "/button"}}}})
	said := func(w stopinput.Word) { r.step(engine.StopHeard{Writer: "button", Word: w}) }
	said(stopinput.Clear)
	said(stopinput.Stop)
	said(stopinput.Clear)
	seen := r.state.Snapshot().Seen
	r.step(engine.AcknowledgeAsked{Handle: "k", Who: "ann"})
	if open := r.state.Snapshot().Stops.Open; len(open) > 0 {
		t.Fatalf("the stop is not acknowledged: %v", open)
	}
	if why := r.asks(engine.GoalAsked{Command: machine.ReadWord("arm"), Seen: seen}); !strings.Contains(why, "was acknowledged") {
		t.Errorf("an arm of before the acknowledgement: %s", why)
	}
	said(stopinput.Clear)
	if why := r.asks(engine.GoalAsked{Command: machine.ReadWord("arm"), Seen: r.state.Snapshot().Seen}); why != "accepted" {
		t.Errorf("an arm of after the acknowledgement: %s", why)
	}
}

// TestA1AGoalThatIsReachedEndsTheEra: a person asks for what the network is already, and gets "already". What was
// decided on before arms nothing after that.
func TestA1AGoalThatIsReachedEndsTheEra(t *testing.T) {
	const ignoring = "extends: rstate\nrepeat: ignore\n"
	strays := func(r *robot) {
		r.at = lifecycle.Inactive
		r.step(engine.EventHeard{Node: 0, Epoch: 1, From: lifecycle.Active, To: lifecycle.Inactive})
		r.pass(2 * time.Second)
	}
	for name, c := range map[string]struct {
		file  string
		first func(r *robot)
		asked string
		ends  bool
	}{
		"a state":                  {"", func(*robot) {}, "active", true},
		"a lower state":            {"", func(r *robot) { r.does("deactivate") }, "inactive", true},
		"a lowering is repeated":   {ignoring, func(r *robot) { r.does("deactivate") }, "deactivate", true},
		"a state is repaired":      {"defaults: {on_drift: report}\n", strays, "active", true},
		"a command that raises":    {ignoring, func(*robot) {}, "activate", false},
		"an armed state":           {"", func(r *robot) { r.does("arm") }, "armed", false},
		"a raise to a lower state": {"", func(r *robot) { r.does("deactivate") }, "active", false},
	} {
		r := newRobot(t, c.file)
		c.first(r)
		before := r.state.Seen()
		r.does(c.asked)
		if ends := r.state.Seen() != before; ends != c.ends {
			t.Errorf("%s: it has ended the era: %v, want %v", name, ends, c.ends)
		}
	}
}

// TestA1ARepeatedIDEndsNoEra: the result of an earlier goal is no new word of a person.
func TestA1ARepeatedIDEndsNoEra(t *testing.T) {
	r := newRobot(t, "")
	r.asks(engine.GoalAsked{Command: "active", ID: "1"})
	before := r.state.Seen()
	if why := r.asks(engine.GoalAsked{Command: "active", ID: "1"}); why != "accepted" || r.state.Seen() != before {
		t.Errorf("%s; seen was %s and is %s", why, before, r.state.Seen())
	}
}
