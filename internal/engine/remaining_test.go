package engine_test

import (
	"fmt"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
)

// chain is two nodes one after the other and one beside them, with a second for most steps.
const chain = `
simulation: x
defaults: {deadline: {configure: 1s, activate: 1s, deactivate: 1s, cleanup: 1s, shutdown: 1s, arm: 1s, disarm: 1s}}
nodes:
  /a: {}
  /b: {after: [/a], arm: {}}
  /c: {optional: true, deadline: {configure: 3s, shutdown: 10s}}
`

// TestTimeLeftIsTheLongestWay: nodes side by side share their time, those one after the other add theirs up.
func TestTimeLeftIsTheLongestWay(t *testing.T) {
	net, err := network.Parse("test.yaml", []byte(chain))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at      lifecycle.State
		command string
		answers []int // nodes that do what they are asked to, in order, half a second before the look
		left    time.Duration
	}{
		{lifecycle.Unconfigured, "configure", nil, 2500 * time.Millisecond},
		{lifecycle.Unconfigured, "configure", []int{2}, 1500 * time.Millisecond},
		{lifecycle.Unconfigured, "configure", []int{2, 0}, time.Second},
		{lifecycle.Active, "deactivate", nil, 1500 * time.Millisecond},
		{lifecycle.Active, "shutdown", nil, 9500 * time.Millisecond},
		{lifecycle.Active, "arm", nil, 500 * time.Millisecond},
	} {
		t.Run(fmt.Sprint(c.command, c.answers), func(t *testing.T) {
			r := &rehearsal{state: engine.New(net, engine.Options{Instance: "a"}),
				at: []lifecycle.State{c.at, c.at, c.at}, calls: map[int]engine.CallNode{}}
			for i := range net.Nodes {
				r.step(engine.NodeSeen{Node: i, Epoch: 1, Count: 1})
			}
			if left := r.state.Snapshot().Work.TimeLeft; left != 0 {
				t.Errorf("%v is left of nothing", left)
			}
			r.step(engine.GoalAsked{Handle: "g", Command: machine.Word(c.command), Seen: r.state.Seen()})
			r.now.Steady += 500 * time.Millisecond
			for _, i := range c.answers {
				r.at[i] = r.calls[i].Transition.Target()
				r.step(engine.CallAnswered{Node: i, Call: r.calls[i].Call, Success: true})
				r.step(engine.EventHeard{Node: i, Epoch: 1, From: r.calls[i].Transition.Passing(), To: r.at[i]})
			}
			r.step(engine.Tick{})
			if left := r.state.Snapshot().Work.TimeLeft.Round(time.Millisecond); left != c.left {
				t.Errorf("%v is left, want %v: %+v", left, c.left, r.state.Snapshot())
			}
		})
	}
}

// rehearsal steps an engine whose nodes answer what they are, and whose journal is quick.
type rehearsal struct {
	state *engine.State
	now   engine.Time
	at    []lifecycle.State // by node
	calls map[int]engine.CallNode
	slow  bool               // reads are not answered by themselves
	reads []engine.ReadState // but kept here
	stuck bool               // the journal is not
	hangs bool               // disarms are not answered
	arms  int                // so many requests to arm have gone out
	arm   engine.ArmNode     // the newest of them
	done  string             // what became of the goal that ended last
	gone  bool               // it has ended
}

// rehearse begins with nodes that are there, each in the state that is given.
func rehearse(t *testing.T, nodes string, at ...lifecycle.State) *rehearsal {
	t.Helper()
	net, err := network.Parse("test.yaml", []byte("simulation: x\nnodes: "+nodes+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := &rehearsal{state: engine.New(net, engine.Options{Instance: "a"}), at: at, calls: map[int]engine.CallNode{}}
	for i := range net.Nodes {
		r.step(engine.NodeSeen{Node: i, Epoch: 1, Count: 1})
	}
	return r
}

// does lets a node do what it was asked for last, and announce nothing.
func (r *rehearsal) does(i int, to lifecycle.State) {
	r.at[i] = to
	r.step(engine.CallAnswered{Node: i, Call: r.calls[i].Call, Success: true})
	r.now.Steady += 10 * ms
	r.step(engine.Tick{})
}

func (r *rehearsal) step(in engine.Input) {
	var effects []engine.Effect
	r.state, effects = engine.Step(r.state, r.now, in)
	for _, e := range effects {
		switch e := e.(type) {
		case engine.ReadState:
			if r.slow {
				r.reads = append(r.reads, e)
				continue
			}
			r.now.Steady++ // an answer is later than its question
			r.step(engine.StateRead{Node: e.Node, Ticket: e.Ticket, State: r.at[e.Node]})
		case engine.SyncJournal:
			if r.stuck {
				continue
			}
			r.step(engine.JournalSynced{Ticket: e.Ticket})
		case engine.CallNode:
			r.calls[e.Node] = e
		case engine.FinishGoal:
			r.done = e.Handle + ": " + e.Result.Message
		case engine.Exit:
			r.gone = true
		case engine.ArmNode:
			if e.Arms() {
				r.arms, r.arm = r.arms+1, e
			} else if !r.hangs {
				r.step(engine.ArmAnswered{Node: e.Node, Call: e.Call, Arm: e.Arms(), Success: true})
			}
		}
	}
}
