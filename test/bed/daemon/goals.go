package daemon

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/stall"
)

// Goal sends a goal of the action, again if need be; see Taken.
func (d *Daemon) Goal(command string) *bed.Goal {
	d.t.Helper()
	return d.goal(map[string]any{"command": command, "reason": "a test"})
}

// Post sends a goal of the action, and does not wait for its answer.
func (d *Daemon) Post(command string) *bed.Goal {
	d.t.Helper()
	return d.PostAll(command)[0]
}

// PostAll is Post for several goals of one client, which leave at once.
func (d *Daemon) PostAll(commands ...string) []*bed.Goal {
	d.t.Helper()
	var goals []map[string]any
	for _, command := range commands {
		fields := map[string]any{"command": command, "reason": "a test"}
		BringSeen(d.states, fields)
		goals = append(goals, fields)
	}
	return d.host.PostGoals("rstate_msgs/action/Transition", d.Name+"/transition", goals...)
}

// GoalWith sends a goal with an argument.
func (d *Daemon) GoalWith(command, argument string) *bed.Goal {
	d.t.Helper()
	return d.goal(map[string]any{"command": command, "reason": "a test", "argument": argument})
}

// GoalOfAll sends a goal that also waits for the peers.
func (d *Daemon) GoalOfAll(command string) *bed.Goal {
	d.t.Helper()
	return d.goal(map[string]any{"command": command, "reason": "a test", "wait_peers": true})
}

func (d *Daemon) goal(fields map[string]any) *bed.Goal {
	d.t.Helper()
	BringSeen(d.states, fields)
	g := d.host.SendGoal("rstate_msgs/action/Transition", d.Name+"/transition", fields)
	Taken(d.t, d.states, g)
	return g
}

// BringSeen adds what the daemon shows as seen to a goal, where the middleware hides the host of a client. Elsewhere the
// clients of the tests are on the host of their daemon, and arm without it. A goal that has one keeps it.
func BringSeen(states *bed.Subscription, goal map[string]any) {
	hides := slices.ContainsFunc(strings.Split(os.Getenv("RMW_UNABLE"), ","), func(fault string) bool {
		return strings.HasSuffix(fault, "_gids") || fault == "all"
	})
	if rmw := os.Getenv("RMW_IMPLEMENTATION"); rmw != "" && !strings.HasPrefix(rmw, "rmw_fastrtps") {
		hides = true
	}
	if _, has := goal["seen"]; has || !hides {
		return
	}
	var v View
	states.Last(&v)
	goal["seen"] = v.Seen
}

// NodeResult is the result of one node.
type NodeResult struct {
	Name, Step, Verdict, Evidence string
	ToState                       State `json:"to_state"`
}

// Result is the result of a goal.
type Result struct {
	Success bool
	Outcome string
	Message string
	State   State
	Nodes   []NodeResult
	Ended   string // succeeded, canceled, aborted
}

// Node returns the result of one node by its full name.
func (r Result) Node(name string) NodeResult {
	if i := slices.IndexFunc(r.Nodes, func(n NodeResult) bool { return n.Name == name }); i >= 0 {
		return r.Nodes[i]
	}
	return NodeResult{}
}

// String returns three words: the status, the outcome and the state, such as "aborted restored
// inactive".
func (r Result) String() string {
	return strings.Join([]string{r.Ended, r.Outcome, r.State.Label}, " ")
}

// End waits for a goal's end; see Ended.
func (d *Daemon) End(g *bed.Goal) Result {
	d.t.Helper()
	var r Result
	status := Ended(d.t, d.states, g, &r)
	if status == 0 {
		d.t.Fatalf("the goal was rejected: %+v", d.View())
	}
	r.Ended = map[int]string{bed.StatusSucceeded: "succeeded", bed.StatusCanceled: "canceled",
		bed.StatusAborted: "aborted"}[status]
	if r.Success != (status == bed.StatusSucceeded) || r.Message == "" {
		d.t.Errorf("a result contradicts itself: %s, %+v", r.Ended, r)
	}
	return r
}

// Stalls returns how often a daemon has logged that it did not run for a while. Each time it disarms everything.
func Stalls(p *bed.Process) (count int) {
	for line := range strings.Lines(p.Log()) {
		if strings.Contains(line, `"kind":"stall"`) && stall.Said(line) {
			count++
		}
	}
	return count
}

// Ended waits for a goal's end, decodes the result and returns the status; 0: the goal was rejected. A goal that was
// aborted because the daemon did not run for a while is sent again once, from the state in which the network rested
// before. The states are those of the daemon.
func Ended(t testing.TB, states *bed.Subscription, g *bed.Goal, into any) (status int) {
	t.Helper()
	for again := false; Taken(t, states, g); again = true {
		var r Result
		g.Result(&r)
		status = g.Result(into)
		if again || status != bed.StatusAborted || r.Outcome != "preempted" || !stall.Said(r.Message) {
			return status
		}
		t.Logf("a goal is sent again, since it was aborted: %s", r.Message)
		if !restored(t, states, g, r.Message) {
			return status
		}
		g.Send()
	}
	return 0
}

// restored brings a network back to where it rested before the daemon did not run for a while, and reports whether it
// is there: its nodes may have moved on. why is how the daemon says that it did not run.
func restored(t testing.TB, states *bed.Subscription, g *bed.Goal, why string) bool {
	t.Helper()
	var rested string
	bed.EventuallyAfter(t, states.Pause, "the daemon reads its nodes again", func() (string, bool) {
		last, found := "", false
		for _, m := range states.Messages() {
			switch v := viewOf(t, m); {
			case v.State.Label == "unknown" && strings.Contains(v.Cause, why):
				rested, found = last, true
			case v.Settled:
				last = v.State.Label
			}
		}
		return last, found
	})
	back := g.Beside(map[string]any{"command": rested, "reason": "a test begins anew"})
	return Taken(t, states, back) && back.Result(nil) == bed.StatusSucceeded
}

func viewOf(t testing.TB, m bed.Message) (v View) {
	t.Helper()
	if err := json.Unmarshal(m.Message, &v); err != nil {
		t.Fatalf("cannot read %s: %v", m.Message, err)
	}
	return v
}

// Taken reports whether a goal was accepted. A goal that is rejected because the daemon did not run for a while is sent
// until the daemon takes goals again.
func Taken(t testing.TB, states *bed.Subscription, g *bed.Goal) bool {
	t.Helper()
	rejected := false
	bed.EventuallyAfter(t, states.Pause, "the daemon takes goals again", func() (string, bool) {
		if rejected {
			g.Send()
		}
		if g.Accepted || g.Answered() {
			return "", true
		}
		why := refusal(t, states, g)
		if rejected = stall.Said(why); rejected {
			t.Logf("a goal is sent again, since %s", why)
		}
		return why, !rejected
	})
	return g.Accepted
}

// refusal waits until the daemon says why it has rejected a goal. It is empty if the daemon says nothing, as after its
// end, or if another rejection has taken the place.
func refusal(t testing.TB, states *bed.Subscription, g *bed.Goal) (why string) {
	t.Helper()
	id := g.Record().ID
	bed.Within(bed.Deadline, states.Pause, func() bool {
		for _, m := range slices.Backward(states.Messages()) {
			if v := viewOf(t, m); v.RefusedGoal == id {
				why = v.Refusal
				return true
			}
		}
		return false
	})
	return why
}

// Do sends a command that must end as in want, such as "succeeded done active".
func (d *Daemon) Do(command, want string) Result {
	d.t.Helper()
	r := d.End(d.Goal(command))
	if r.String() != want {
		d.t.Fatalf("%s: %v, want %s: %+v", command, r, want, r)
	}
	return r
}

// Rejected sends a command that must be rejected, for a reason that contains all the words.
func (d *Daemon) Rejected(command string, words ...string) {
	d.t.Helper()
	if g := d.Goal(command); g.Accepted {
		d.t.Fatalf("%s was accepted", command)
	}
	d.Await("it says why "+command+" was rejected",
		func(v View) bool { return HasAll(v.Refusal, append(words, command)...) })
}
