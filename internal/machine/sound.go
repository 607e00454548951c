package machine

import (
	"fmt"
	"slices"

	"rstate/internal/lifecycle"
	"rstate/internal/strict"
)

// sound refuses machines that the engine cannot run. It looks at the whole machine, because a file can break a preset's
// state by changing another one.
func (c *check) sound() {
	for _, s := range c.Machine.States {
		if !s.Passing {
			c.soundState(s)
		}
	}
	disarms := map[string]bool{}
	for _, s := range c.Machine.States {
		if t, ok := c.Machine.Disarm(s.Name); s.Armed.Any() && ok {
			disarms[t.Name] = true
		}
	}
	for _, t := range c.Machine.Transitions {
		c.soundTransition(t, disarms[t.Name])
	}
	if s, _ := c.Machine.State(c.Machine.Initial); s.Armed.Any() {
		c.place(find(c.States[s.Name], "armed"), find(c.src.Initial)).Fault("arms, and a network begins in "+s.Name,
			"name another state with initial:")
	}
	if c.at.Report().Count() > c.before {
		return // what follows would only repeat what was said
	}
	for _, t := range c.Machine.Transitions {
		own := c.Transitions[t.Name]
		c.through(t, own)
		c.arrival(t, own, disarms[t.Name])
		c.failures(t, own, disarms[t.Name])
		c.stepEnd(t, own, disarms[t.Name])
		c.roleOf(t, own)
	}
	c.uncommanded()
}

// place is the first of some keys of states and transitions that a file writes, or else the machine. What a preset
// brings is written in no file; the file that breaks it writes something else.
func (c *check) place(keys ...strict.Value) strict.Value {
	if i := slices.IndexFunc(keys, strict.Value.Given); i >= 0 {
		return keys[i]
	}
	return c.at
}

func find(v strict.Value, way ...any) strict.Value {
	if !v.Given() {
		return v
	}
	return v.Find(way...)
}

func (c *check) soundState(s State) {
	nodes := c.place(find(c.States[s.Name], "nodes"))
	switch {
	case s.Final && !s.Nodes.AsIs && !s.Nodes.only(lifecycle.Finalized):
		nodes.Fault(s.Name+" is final, and not every node is finalized in it", "write nodes: finalized, or as_is")
	case !s.Final && s.Nodes.has(lifecycle.Finalized):
		nodes.Fault(s.Name+" finalizes nodes, and is not final: a finalized node cannot be used again",
			"write unconfigured, or final: true and nodes: finalized")
	}
	c.soundLoop(s)
	if !s.Armed.Any() {
		return
	}
	switch {
	case s.Nodes.AsIs:
		nodes.Fault(s.Name+" arms nodes and leaves them as they are", "write nodes: active")
	case s.Armed.All && len(s.Nodes.Groups) == 0 && s.Nodes.Others != lifecycle.Active:
		nodes.Fault(fmt.Sprintf("%s arms nodes that are %v", s.Name, s.Nodes.Others), "write nodes: active")
	}
	d, ok := c.Machine.State(s.Disarmed)
	at := c.place(find(c.States[s.Name], "disarmed"), find(c.States[s.Disarmed], "nodes"))
	switch {
	case !ok || d.Passing || d.Final || d.Armed.Any():
		at.Fault(fmt.Sprintf("%s is disarmed to %s, which is no resting state without arming", s.Name, s.Disarmed),
			"name one that is")
	case !s.Nodes.same(d.Nodes):
		at.Fault(fmt.Sprintf("the nodes of %s differ from those of %s: a disarm would move nodes", s.Disarmed, s.Name),
			"give both states the same nodes")
	}
	if _, ok := c.Machine.Disarm(s.Name); !ok && !c.States[s.Name].Given() { // else ways has said so
		var leave []strict.Value
		for _, t := range c.Machine.Transitions {
			if slices.Contains(t.From, s.Name) {
				leave = append(leave, find(c.Transitions[t.Name], "to"))
			}
		}
		c.place(leave...).Fault("no command leads from "+s.Name+" to "+s.Disarmed,
			"add a transition from "+s.Name+" to "+s.Disarmed)
	}
}

// soundLoop keeps a start from starting a loop, and from taking a state that asks more of a node than the one it found.
func (c *check) soundLoop(s State) {
	at := c.place(find(c.States[s.Name], "loop"), find(c.States[s.Name], "adopt_as"))
	a, adopts := c.Machine.State(s.AdoptAs)
	switch {
	case s.Final && (s.Loop != NoLoop || s.AdoptAs != ""):
		at.Fault(s.Name+" is final: no loop runs in it, and no start takes it", "remove loop and adopt_as")
	case s.Loop != NoLoop && !adopts:
		at.Fault("a start could take "+s.Name+", and no loop starts without a command",
			"add adopt_as: and a state without a loop")
	case adopts && a.Loop != NoLoop:
		at.Fault("adopt_as names "+s.AdoptAs+", in which a loop runs", "name a state without a loop")
	case adopts && c.Machine.Raises(s.Name, s.AdoptAs):
		at.Fault(fmt.Sprintf("the nodes of %s are higher than those of %s", s.AdoptAs, s.Name),
			"name a state with the same nodes")
	}
}

func (c *check) soundTransition(t Transition, disarms bool) {
	own := c.Transitions[t.Name]
	for _, name := range t.targets() {
		if to, _ := c.Machine.State(name); t.Always && !to.Final {
			c.place(find(own, "to"), find(c.States[name],
				"final")).Fault(fmt.Sprintf("%s ends the network from any state, and %s is not final", t.Name, name),
				"name a final state, or list the states after from:")
		}
	}
	switch {
	case t.Always && t.Loop:
		c.place(find(own, "loop")).Fault("a command that ends the network cannot loop", "remove it")
	case t.Always && t.Via == "" && c.passes():
		c.place(own).Fault("ends the network without via, and this machine has states that are passed through",
			"add via: and a state with transition: true")
	}
	c.everyOrigin(t, own)
	c.says(t, own)
	c.after(t, own)
	for i, name := range t.From {
		from, _ := c.Machine.State(name)
		to, ok := c.Machine.State(t.target(name))
		if !ok {
			continue // everyOrigin has said so
		}
		at := c.place(find(own, "from", i), c.States[name], c.States[to.Name])
		switch {
		case t.Via == "" && to.Armed.Any():
			c.place(own).Fault(t.Name+" arms without via",
				"add via: and a state with transition: true, so that arming is shown")
			return
		case t.Via == "" && from.Armed.Any():
			at.Fault(fmt.Sprintf("%s leaves %s, which arms, without via", t.Name, name),
				"add via: and a state with transition: true, so that disarming is shown")
		case from.Armed.Any() && to.Armed.Any() && !from.Armed.same(to.Armed):
			at.Fault(fmt.Sprintf("%s arms other nodes than %s, from which %s begins", to.Name, name, t.Name),
				"go through the disarmed state: let "+t.Name+" begin in "+to.Disarmed)
		case to.Armed.Any() && !from.Nodes.same(to.Nodes):
			at.Fault(fmt.Sprintf("the nodes of %s differ from those of %s: arming moves no node", name, to.Name),
				"let "+t.Name+" begin in "+to.Disarmed)
		case disarms && (!from.Armed.Any() || from.Disarmed != to.Name):
			at.Fault(fmt.Sprintf("%s is a disarm, and %s is no state that is %s when disarmed", t.Name, name, to.Name),
				"make a command of its own from "+name)
		}
	}
}

// everyOrigin checks that a transition has a target from each state in which it can run.
func (c *check) everyOrigin(t Transition, own strict.Value) {
	if !t.byOrigin() {
		return
	}
	if t.Else == "" && (t.Always || t.Preempts) {
		c.place(find(own, "to")).Fault(t.Name+" can run from every state, and to: does not name every one",
			"add else: and the state that it leads to from the others")
		return
	}
	for i, name := range t.From {
		if t.target(name) == "" {
			c.place(find(own, "from", i)).Fault(fmt.Sprintf("%s does not say where it leads from %s", t.Name, name),
				"add "+name+" to to:, or add else:")
		}
	}
	for _, e := range t.Ends {
		if s, _ := c.Machine.State(e.From); !t.applies(s) {
			c.place(find(own, "to", e.From)).Fault(fmt.Sprintf("%s does not begin in %s", t.Name, e.From),
				"add it to from:, or remove it")
		}
	}
}

// stepEnd keeps a command from acting later than its client asked if it arms, disarms or ends the network. One that
// ends it from any state is never kept: it lets a step that runs end, and the network passes the state after the loop.
func (c *check) stepEnd(t Transition, own strict.Value, disarms bool) {
	if t.At != StepEnd {
		return
	}
	does := ""
	for _, name := range t.targets() {
		switch s, _ := c.Machine.State(name); {
		case s.Final && !t.Always:
			does = "ends the network"
		case s.Armed.Any():
			does = "arms"
		}
	}
	if disarms {
		does = "disarms"
	}
	if does != "" {
		c.place(find(own, "at"), own).Fault(fmt.Sprintf("%s %s, and would be kept until a loop goes on", t.Name, does),
			"remove it")
	}
}

// comesBack reports whether nodes go up again from the state to which a transition takes them first.
func (c *check) comesBack(t Transition) bool {
	return slices.ContainsFunc(t.targets(), func(to string) bool { return c.Machine.Raises(t.Through, to) })
}

// through checks the state to which a transition takes the nodes first: a looping one brings them back from there.
func (c *check) through(t Transition, own strict.Value) {
	if t.Through == "" {
		return
	}
	at := c.place(find(own, "through"))
	s, ok := c.Machine.State(t.Through)
	switch {
	case !ok:
		c.stateAt(t.Through, at, true)
		return
	case !t.Loop && c.comesBack(t):
		at.Fault("is for a command that loops, or after which no node goes up again", "add loop: true, or remove it")
		return
	case s.Passing || s.Final || s.Armed.Any() || s.Nodes.AsIs:
		at.Fault(fmt.Sprintf("nodes cannot come back from %s, which passes, is final, arms or is as_is", s.Name),
			"name a resting state")
		return
	}
	for _, origin := range c.origins(t) {
		for _, higher := range []string{origin, t.target(origin)} {
			if c.Machine.Raises(higher, t.Through) {
				at.Fault(fmt.Sprintf("the nodes go down to %s, and %s is lower", t.Through, higher),
					"name a state that is not above it")
				return
			}
		}
	}
}

// arrival checks that a command that passes over a node does not raise, arm or disarm: a state that is not true must
// not allow more than the one before (R3), and a disarm waits for every node (A3).
func (c *check) arrival(t Transition, own strict.Value, disarms bool) {
	at := c.place(find(own, "arrives"))
	switch {
	case !t.Arrives.Always && len(t.Arrives.From) == 0:
		return
	case t.Always:
		at.Fault(t.Name+" ends the network from any state and always arrives", "remove it")
		return
	case disarms:
		at.Fault(t.Name+" is a disarm, which waits until each node has confirmed", "remove it")
		return
	}
	for i, name := range t.Arrives.From {
		if s, _ := c.Machine.State(name); !t.applies(s) {
			c.place(find(own, "arrives", i)).Fault(fmt.Sprintf("%s does not begin in %s", t.Name, name),
				"name one of its origins")
			return
		}
	}
	for _, origin := range c.origins(t) {
		if low, high, raises := c.Machine.raise(t.Name, origin); raises && c.Machine.Arrives(t.Name, origin) {
			at.Fault(fmt.Sprintf("%s raises nodes from %s to %s, and would pass over one that fails", t.Name, low,
				high), "remove it")
			return
		}
	}
}

// roleOf checks that a command is what tools will take it for.
func (c *check) roleOf(t Transition, own strict.Value) {
	if t.Role == "" {
		return
	}
	at := c.place(find(own, "role"))
	if first, _ := c.Machine.ByRole(t.Role); first.Name != t.Name {
		at = c.place(find(own, "role"), find(c.Transitions[first.Name], "role"))
		at.Fault(fmt.Sprintf("%s is the role of %s already", t.Role, first.Name), "keep one of the two")
		return
	}
	if t.Hidden {
		c.place(find(own, "hidden"), at).Fault("a hidden command is not offered, and its role offers it",
			"remove one of the two")
		return
	}
	problem := ""
	all := func(ok func(State) bool) bool {
		return !slices.ContainsFunc(t.targets(), func(to string) bool { s, _ := c.Machine.State(to); return !ok(s) })
	}
	higher := slices.ContainsFunc(c.origins(t),
		func(from string) bool { return c.Machine.Level(t.target(from)) > c.Machine.Level(from) })
	switch t.Role {
	case RoleArm:
		if !all(func(s State) bool { return s.Armed.Any() }) {
			problem = "does not arm"
		}
	case RoleDisarm:
		if !c.Machine.Disarms(t.Name) {
			problem = "does not lead from an armed state to its disarmed one"
		}
	case RoleShutdown:
		if !all(func(s State) bool { return s.Final }) {
			problem = "does not end the network"
		}
	case RoleConfigure, RoleActivate:
		if !all(func(s State) bool { return !s.Armed.Any() && !s.Final }) {
			problem = "arms or ends the network"
		}
	case RoleDeactivate, RoleCleanup:
		if higher {
			problem = "leads to a higher state"
		}
	}
	if problem != "" {
		at.Fault(fmt.Sprintf("%s %s, and its role is %s", t.Name, problem, t.Role),
			"give the role to another command, or remove it")
	}
}

// origins lists the resting states in which the transition can run.
func (c *check) origins(t Transition) []string {
	var list []string
	for _, s := range c.Machine.States {
		if t.applies(s) && !s.Passing {
			list = append(list, s.Name)
		}
	}
	return list
}

// passes reports whether the machine has passing states.
func (c *check) passes() bool {
	return slices.ContainsFunc(c.Machine.States, func(s State) bool { return s.Passing })
}

// has reports whether the state is wanted of any node.
func (w Want) has(state lifecycle.State) bool {
	return w.Others == state || slices.ContainsFunc(w.Groups, func(g GroupWant) bool { return g.State == state })
}

// only reports whether the state is wanted of every node.
func (w Want) only(state lifecycle.State) bool {
	return w.Others == state && !slices.ContainsFunc(w.Groups, func(g GroupWant) bool { return g.State != state })
}

// same reports whether both want the same of every node, whatever the groups have in them. The order of groups has no
// meaning, because a file is refused whose groups disagree about a node.
func (w Want) same(o Want) bool {
	in := func(a, b Want) bool {
		return !slices.ContainsFunc(a.Groups, func(g GroupWant) bool { return !slices.Contains(b.Groups, g) })
	}
	return w.AsIs == o.AsIs && w.Others == o.Others && in(w, o) && in(o, w)
}

// same reports whether both arm the same nodes, whatever the groups have in them.
func (a Armed) same(o Armed) bool {
	in := func(a, b Armed) bool {
		return !slices.ContainsFunc(a.Groups, func(g string) bool { return !slices.Contains(b.Groups, g) })
	}
	return a.All == o.All && (a.All || in(a, o) && in(o, a))
}
