package simnet

import (
	"time"

	"rstate/internal/engine"
	"rstate/internal/machine"
)

// What waits in queues: requests of clients, and what a node and its coordinator say to each other.

// keeps is how long a queue keeps a message.
const keeps = 30 * time.Second

// LateGoal is what a client has decided on and sends now, by what it sees now, and what arrives after a while. AtRobot:
// the client is at the robot, and brings nothing that it saw.
type LateGoal struct {
	Send
	Waits   time.Duration
	AtRobot bool
}

// Hold keeps all that is on the way to the processes of a node and from them, and delivers it together after a while.
type Hold struct {
	Node string
	For  time.Duration
}

func (a Send) act(w *World) { w.decides(a, 0, false) }

func (a LateGoal) act(w *World) { w.decides(a.Send, a.Waits, a.AtRobot) }

// decides lets a client decide on a goal, which arrives after a while.
func (w *World) decides(a Send, waits time.Duration, atRobot bool) {
	if a.Handle == "" {
		a.Handle = a.Command
	}
	in := engine.GoalAsked{Handle: a.Handle, Command: machine.ReadWord(a.Command), Reason: a.Reason, Client: a.Client,
		ID: a.ID, Authorized: !a.Unauthorized, WaitPeers: a.WaitPeers, Argument: a.Argument,
		Sent: w.time().Wall, Here: atRobot}
	if !atRobot {
		in.Seen = w.brain.seen()
	}
	decided := w.now
	if waits == 0 {
		w.check.asks(a, decided)
		w.brain.deliver(in)
		return
	}
	w.queue.push(w.now+waits, func() {
		w.check.asks(a, decided)
		w.brain.deliver(in)
	})
}

func (a Hold) act(w *World) {
	w.note("what is on the way to %s and from it waits for %v", a.Node, a.For)
	n := w.named(a.Node)
	n.held = max(n.held, w.now+min(a.For, keeps-time.Second)) // what waits leaves before what comes later
}

// through returns what happens when a message that comes by the link of a node arrives: after what keeps it.
func (n *node) through(arrives func(waited bool)) func() {
	due := time.Duration(-1)
	var comes func()
	comes = func() {
		w := n.world
		if due < 0 {
			due = w.now
		}
		if w.now < n.held {
			w.covers("wait", "a message of a node", "", "")
			w.queue.push(n.held, comes)
			return
		}
		arrives(w.now > due)
	}
	return comes
}

// overrides notes that a person was told that a disarm or a lowering has succeeded, or that the network is already as low
// as was asked for: what was decided on before that arrived arms nothing any more (A1). A goal with an id that an
// accepted one before it has used is no new order (C2).
func (c *checker) overrides(a *Goal) {
	for _, o := range c.world.trace.Goals {
		if o == a {
			break
		}
		if a.ID != "" && o.ID == a.ID && !o.Rejected {
			return
		}
	}
	to, isState := c.leadsTo(a.Command)
	bounds := isState && a.Result.Outcome == engine.OutcomeAlready && c.world.net.Machine.Disarmed(to) == to
	if a.Ending == engine.Succeeded && (bounds || a.lowers || c.disarms(a.Command)) {
		c.toldAt = max(c.toldAt, a.Arrived)
	}
}

// lowers reports whether a command leads below the state in which the network rests.
func (c *checker) lowers(command string) bool {
	to, _ := c.leadsTo(command)
	m := c.world.net.Machine
	return m.Level(to) < m.Level(c.world.brain.settled)
}

// coversLate counts the answer to a goal that has waited.
func (c *checker) coversLate(a *Goal, answer string) {
	if a.Arrived > a.Asked && c.asksToArm(a.Command) {
		c.world.covers("wait", "a goal that arms", answer, "")
	}
}
