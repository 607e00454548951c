package engine

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Each input as a sentence.

func (Tick) String() string { return "time passed" }

func (g GoalAsked) String() string {
	who := g.asker()
	if g.Client == "" && g.By == "" { // only the goal is known of the client
		who += " (goal " + g.Handle + ")"
	}
	if g.Reason == "" {
		return fmt.Sprintf("%s was asked for by %s", g.Command, who)
	}
	return fmt.Sprintf("%s was asked for by %s: %s", g.Command, who, g.Reason)
}

// asker names the client of a goal, as far as it is known.
func (g GoalAsked) asker() string {
	switch {
	case g.Client != "":
		return g.Client
	case cmp.Or(g.By, ByGoal) == ByGoal:
		return "an action client"
	}
	return string(g.By)
}

func (c CancelAsked) String() string { return "cancel was asked for by " + c.Handle }

func (n NodeSeen) String() string {
	return fmt.Sprintf("node %d is there (epoch %d, %d of its name)", n.Node, n.Epoch, n.Count)
}

func (n NodeLost) String() string { return fmt.Sprintf("node %d is gone: %s", n.Node, n.Why) }

func (n NodeMissed) String() string {
	return fmt.Sprintf("node %d was never there; of a similar name: %v", n.Node, n.Alike)
}

func (n NodeEnded) String() string {
	return fmt.Sprintf("the process of node %d has ended (epoch %d)", n.Node, n.Epoch)
}

func (r StateRead) String() string {
	return fmt.Sprintf("node %d says that it is %v (read %d)", r.Node, r.State, r.Ticket)
}

func (e EventHeard) String() string {
	return fmt.Sprintf("node %d announced that it went from %v to %v", e.Node, e.From, e.To)
}

func (c CallAnswered) String() string {
	return fmt.Sprintf("node %d answered call %d: %s", c.Node, c.Call, yes(c.Success))
}

func (a ArmAnswered) String() string {
	word := "disarm"
	if a.Arm {
		word = "arm"
	}
	return fmt.Sprintf("node %d answered %s %d: %s %s", a.Node, word, a.Call, yes(a.Success), a.Message)
}

func (r NodeReported) String() string {
	return fmt.Sprintf("node %d reported %q %v ago: %s", r.Node, r.Word, r.Age, r.Message)
}

func (l NodeLogged) String() string {
	return fmt.Sprintf("node %d logged an error %v ago: %s", l.Node, l.Age, l.Text)
}

func (s StopAsked) String() string { return "rstate is to stop: " + s.Why }

func (j JournalSynced) String() string {
	if j.Err == "" {
		return fmt.Sprintf("the journal is safe (%d)", j.Ticket)
	}
	return fmt.Sprintf("the journal is not safe (%d): %s", j.Ticket, j.Err)
}

func (j JournalChanged) String() string {
	if j.Err == "" {
		return "the journal can be written"
	}
	return j.Err
}

func (c ConsoleClosed) String() string {
	return fmt.Sprintf("the console is closed (%s): rstate logs no more, and the journal goes on; read it with `rstate history`", c.Err)
}

func (l LoopIdle) String() string {
	return fmt.Sprintf("the loop (%d) stands after step %d: %s", l.Run, l.Step, cmp.Or(l.Why, "all its steps have run"))
}

func (l LoopSeen) String() string { return fmt.Sprintf("the loop is in step %d", l.Loop.Step) }

func (NameSeen) String() string { return "another instance may have our name" }

func (n NameTaken) String() string {
	return fmt.Sprintf("instance %s bears our name (past its start: %s, renews its liveliness: %s, has answered: %s, we stood still: %s) %s",
		n.Instance, yes(n.Holds), yes(n.Renews), yes(n.Answered), yes(n.Stood), n.Who)
}

func (n NameShared) String() string {
	return fmt.Sprintf("%d other nodes that are no rstate bear our name", n.Others)
}

func (c ChildSeen) String() string { return fmt.Sprintf("node %d is a network itself", c.Node) }

func (c ChildFound) String() string {
	return fmt.Sprintf("node %d is a network itself, of simulation %s, and leads to us by %v", c.Node, c.Simulation,
		c.Way)
}

func (c TopicCounted) String() string {
	if c.Fault != "" {
		return fmt.Sprintf("check %d of node %d cannot be counted: %s", c.Check, c.Node, c.Fault)
	}
	return fmt.Sprintf("%d messages for check %d of node %d have come", c.Count, c.Check, c.Node)
}

func (c CheckAnswered) String() string {
	if c.Fault != "" {
		return fmt.Sprintf("check %d of node %d does not pass (%d): %s", c.Check, c.Node, c.Ticket, c.Fault)
	}
	return fmt.Sprintf("check %d of node %d passes (%d)", c.Check, c.Node, c.Ticket)
}

func (in ServersSeen) String() string {
	return fmt.Sprintf("the arming service of node %d is served by its processes %v, and by others of %v", in.Node, in.Meant,
		in.Others)
}

func (u UnsafeSeen) String() string {
	if len(u.Names) == 0 {
		return fmt.Sprintf("node %d offers nothing that is unsafe", u.Node)
	}
	return fmt.Sprintf("node %d offers %s", u.Node, strings.Join(u.Names, ", "))
}

func (l LeaseHeard) String() string { return fmt.Sprintf("another instance holds lease %d", l.Term) }

func (l LeaseUnsent) String() string {
	if !l.Sent {
		return fmt.Sprintf("no message of lease %d has left", l.Term)
	}
	return fmt.Sprintf("the newest message of lease %d that has left says it was proven at %v", l.Term, l.Proved)
}

func (g GuardHeard) String() string {
	words := make([]string, len(g.Calls))
	for k, c := range g.Calls {
		words[k] = c.Service
		if c.Fault != "" {
			words[k] += " not: " + c.Fault
		}
	}
	hears := "and does not hear this run"
	if g.Follows {
		hears = fmt.Sprintf("and has heard the leases %v", g.Heard)
	}
	return fmt.Sprintf("guard %s can call %s, %s", g.ID, strings.Join(words, ", "), hears)
}

func (p PeerChanged) String() string {
	return fmt.Sprintf("peer %s (%s) goes from %s to %s by %q, seen %v", p.Change.Name, p.Change.Instance,
		p.Change.SourceState, p.Change.TargetState, p.Change.Event, p.Change.Seen)
}

func (p PeerTold) String() string {
	return fmt.Sprintf("peer %s (%s) is %s on its way to %s, seen %v", p.Status.Name, p.Status.Instance, p.Status.State,
		p.Status.Target, p.Status.Seen)
}

func (p PeerLost) String() string {
	return fmt.Sprintf("peer %s (%s) is lost: %s", p.Name, p.Instance, p.Why)
}

func (a LeftoverAnswered) String() string {
	switch {
	case a.Absent:
		return fmt.Sprintf("no process offers the call that disarms leftover %d (%d)", a.Leftover, a.Call)
	case a.Success:
		return fmt.Sprintf("leftover %d is disarmed (%d)", a.Leftover, a.Call)
	}
	return fmt.Sprintf("leftover %d refuses to disarm (%d): %s", a.Leftover, a.Call, a.Message)
}

func (h StopHeard) String() string {
	return fmt.Sprintf("stop input %d: writer %q says %v", h.Stop, h.Writer, h.Word)
}

func (h StopSeen) String() string {
	return fmt.Sprintf("stop input %d has %d publishers %s", h.Stop, len(h.Seen.Writers), h.Seen.Fault)
}

func (a AcknowledgeAsked) String() string {
	return fmt.Sprintf("%s acknowledges the stops (%s)", a.Who, a.Handle)
}

// String says what was measured, not why.
func (l Late) String() string { return "the loop was busy for " + seconds(l.For) }

// imprecise is the difference between two measures of one gap that is within their precision.
const imprecise = 150 * time.Millisecond

// String says what was measured, not why.
func (t Stalled) String() string {
	if t.Still > 0 && t.For-t.Still > imprecise {
		return fmt.Sprintf("the loop did not run for %s, and the process not for %s of that", seconds(t.For),
			seconds(t.Still))
	}
	return "the process did not run for " + seconds(t.For)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
