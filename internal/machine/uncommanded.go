package machine

import (
	"fmt"
	"slices"
	"strings"

	"rstate/internal/strict"
)

// uncommanded checks what can happen without a command of a client: it must exist, it must not raise (R4), and it must
// come to an end.
func (c *check) uncommanded() {
	for _, t := range c.Machine.Transitions {
		own := c.Transitions[t.Name]
		if t.Preempts {
			c.preempts(t, own)
		}
		if t.Spread == SpreadAll {
			c.neverRaises(t, c.place(find(own, "spread")), c.origins(t), "peers follow it without a command")
		}
		if t.Hidden && !t.Always && !c.used(t.Name) {
			c.place(find(own, "hidden")).Fault(t.Name+" is hidden, and neither then: nor auto: runs it",
				"remove hidden, or the command")
		}
	}
	for _, a := range c.Machine.Auto {
		c.auto(a)
	}
	c.endless()
}

func (c *check) preempts(t Transition, own strict.Value) {
	at := c.place(find(own, "preempts"))
	switch {
	case t.Always:
		at.Fault(t.Name+" ends the network from any state and interrupts everything", "remove it")
	case t.Via == "" && c.Machine.CanArm():
		at.Fault(t.Name+" can leave an armed state without via",
			"add via: and a state with transition: true, so that disarming is shown")
	default:
		c.neverRaises(t, at, append(c.origins(t), Unknown), "it interrupts what runs")
	}
}

// neverRaises reports the first origin from which the transition raises.
func (c *check) neverRaises(t Transition, at strict.Value, origins []string, why string) {
	for _, origin := range origins {
		if low, high, raises := c.Machine.raise(t.Name, origin); raises {
			at.Fault(fmt.Sprintf("%s raises nodes from %s to %s, and %s", t.Name, low, high, why),
				"remove it, or let the command lead to a state that is not higher")
			return
		}
	}
}

// used reports whether a failure or a reaction runs the command.
func (c *check) used(command string) bool {
	return slices.ContainsFunc(c.Machine.Auto, func(a Auto) bool { return a.Do == command }) ||
		slices.ContainsFunc(c.Machine.Transitions,
			func(t Transition) bool { return slices.Contains(t.thens(), command) })
}

// thens lists the commands that run after a failure of the transition.
func (t Transition) thens() []string {
	var list []string
	for _, f := range []Failure{t.OnRefusal, t.OnError} {
		if f.Does == Then && !slices.Contains(list, f.Then) {
			list = append(list, f.Then)
		}
	}
	return list
}

// failures checks what follows when a transition fails.
func (c *check) failures(t Transition, own strict.Value, disarms bool) {
	at := c.place(find(own, "on_failure"))
	for _, key := range []string{"on_error", "on_refusal", "on_failure"} {
		if own.Given() && own.Has(key) {
			at = own.Find(key)
		}
	}
	if own.Given() && own.Has("on_failure") && (own.Has("on_refusal") || own.Has("on_error")) {
		own.Find("on_failure").Fault("stands for on_refusal and on_error, and one of these is given too",
			"keep on_failure, or the two others")
		return
	}
	origins := slices.DeleteFunc(c.origins(t), func(s string) bool { return c.Machine.Arrives(t.Name, s) })
	mirrored := t.MirroredFailure == MirroredTarget
	plain := t.OnRefusal.isRestore() && t.OnError.isRestore()
	switch {
	case plain && !mirrored:
		return
	case t.Always:
		at.Fault(t.Name+" ends the network from any state and never fails", "remove it")
		return
	case disarms:
		at.Fault(t.Name+" is a disarm, which goes on until each node has confirmed", "remove it")
		return
	case len(origins) == 0:
		at.Fault(t.Name+" always arrives and never fails", "remove it")
		return
	}
	for _, command := range t.thens() {
		for _, origin := range origins {
			if !c.checkFailureCommand(t, command, c.Machine.Disarmed(origin), at) {
				return
			}
			if end, _ := c.Machine.State(t.target(origin)); mirrored && !end.Final &&
				!c.checkFailureCommand(t, command, end.Name, c.place(find(own, "mirrored_failure"))) {
				return
			}
		}
	}
	if !mirrored {
		return
	}
	at = c.place(find(own, "mirrored_failure"))
	switch {
	case t.OnRefusal.Does != Then || t.OnError.Does != Then:
		at.Fault("takes the target although the nodes are not there, and no command follows",
			"add on_failure: {then: COMMAND}")
	case slices.ContainsFunc(t.targets(), func(to string) bool { s, _ := c.Machine.State(to); return s.Armed.Any() }):
		at.Fault(t.Name+" arms, and a network is never taken for armed", "remove it")
	}
}

// checkFailureCommand checks that a command can run after a failure in the state.
func (c *check) checkFailureCommand(t Transition, command, state string, at strict.Value) bool {
	next, ok := c.Machine.Transition(command)
	_, leads := c.Machine.Target(command, state)
	low, high, raises := c.Machine.raise(command, state)
	switch {
	case !ok:
		at.Fault(fmt.Sprintf("there is no command %q", command),
			at.Report().Suggest(command, c.commandNames(), "add it under transitions"))
	case next.Name == t.Name:
		at.Fault(t.Name+" would follow its own failure", "name another command")
	case !leads:
		at.Fault(fmt.Sprintf("%s does not begin in %s, where %s has failed", command, state, t.Name),
			"add "+state+" to from: of "+command+", or name another command")
	case raises:
		at.Fault(fmt.Sprintf("%s follows a failure of %s, and raises nodes from %s to %s", command, t.Name, low, high),
			"name a command that does not raise")
	default:
		return true
	}
	return false
}

func (c *check) commandNames() []string {
	names := make([]string, len(c.Machine.Transitions))
	for i, t := range c.Machine.Transitions {
		names[i] = t.Name
	}
	return names
}

// auto checks one reaction.
func (c *check) auto(a Auto) {
	at := c.place(c.Auto[a])
	s, ok := c.Machine.State(a.In)
	t, known := c.Machine.Transition(a.Do)
	low, high, raises := c.Machine.raise(a.Do, a.In)
	switch {
	case !ok:
		c.stateAt(a.In, find(at, "in"), true)
	case s.Passing || s.Final:
		find(at, "in").Fault(fmt.Sprintf("nothing is reacted to in %s, which is final or only passed through", a.In),
			"name a resting state")
	case !known:
		find(at, "do").Fault(fmt.Sprintf("there is no command %q", a.Do),
			at.Report().Suggest(a.Do, c.commandNames(), "add it under transitions"))
	case !t.starts(s):
		find(at, "do").Fault(fmt.Sprintf("%s does not begin in %s", a.Do, a.In),
			"add "+a.In+" to from: of "+a.Do+", or name another command")
	case a.From != "" && (a.On.Event == Settled || a.On.Event == LoopIdle || a.On.Event == Made):
		find(at, "from").Fault(string(a.On.Event)+" comes from no node", "remove it")
	case a.On.Event == Made && c.Machine.Level(t.target(a.In)) == armedLevel:
		find(at, "do").Fault(a.Do+" arms without a command of its own", "name a command that does not arm")
	case raises && a.On.Event != Made:
		find(at, "do").Fault(fmt.Sprintf("%s runs without a command, and raises nodes from %s to %s", a.Do, low, high),
			"name a command that does not raise")
	}
}

// endless reports reactions and failures that lead back to where they began: they would follow each other for ever,
// without any command.
func (c *check) endless() {
	if c.at.Report().Count() > c.before {
		return
	}
	next := map[string][]string{} // state and failed command → what can follow by itself
	note := func(from, to string) { next[from] = append(next[from], to) }
	for _, t := range c.Machine.Transitions {
		for _, command := range t.thens() {
			for _, origin := range c.origins(t) {
				if c.Machine.Arrives(t.Name, origin) {
					continue
				}
				rests := []string{c.Machine.Disarmed(origin)}
				if t.MirroredFailure == MirroredTarget {
					rests = append(rests, t.target(origin))
				}
				for _, rest := range rests {
					if to, ok := c.Machine.Target(command, rest); ok {
						note(t.Name+" in "+origin, to)
						note(t.Name+" in "+origin, command+" in "+rest)
					}
				}
			}
		}
	}
	for _, a := range c.Machine.Auto {
		if a.On.Event == Settled {
			t, _ := c.Machine.Transition(a.Do)
			note(a.In, t.target(a.In))
			note(a.In, a.Do+" in "+a.In)
		}
	}
	const open, done = 1, 2
	mark := map[string]int{}
	var way []string
	var walk func(at string) bool
	walk = func(at string) bool {
		mark[at], way = open, append(way, at)
		for _, to := range next[at] {
			if mark[to] == open {
				way = append(way[slices.Index(way, to):], to)
				return true
			}
			if mark[to] == 0 && walk(to) {
				return true
			}
		}
		mark[at], way = done, way[:len(way)-1]
		return false
	}
	starts := make([]string, 0, len(next))
	for from := range next {
		starts = append(starts, from)
	}
	slices.Sort(starts)
	for _, from := range starts {
		if mark[from] != 0 || !walk(from) {
			continue
		}
		var written []strict.Value
		for _, a := range c.Machine.Auto {
			if slices.Contains(way, a.In) {
				written = append(written, c.Auto[a])
			}
		}
		for _, t := range c.Machine.Transitions {
			if slices.ContainsFunc(way, func(at string) bool { return strings.HasPrefix(at, t.Name+" in ") }) {
				written = append(written, c.Transitions[t.Name])
			}
		}
		c.place(written...).Fault("follows itself for ever without a command: "+strings.Join(way, ", then "),
			"let one of these lead elsewhere")
		return
	}
}
