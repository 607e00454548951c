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
		c.place(find(c.States[s.Name], "armed"), find(c.src.Initial)).Fault("arms, and a network begins in "+s.Name, "name another state with initial:")
	}
}

// place is the first of some keys of states and transitions that a file writes, or else the machine. What a preset brings
// is written in no file; the file that breaks it writes something else.
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
	case s.Final && !s.Nodes.only(lifecycle.Finalized):
		nodes.Fault(s.Name+" is final, and not every node is finalized in it", "write nodes: finalized")
	case !s.Final && s.Nodes.has(lifecycle.Finalized):
		nodes.Fault(s.Name+" finalizes nodes, and is not final: a finalized node cannot be used again", "write unconfigured, or final: true and nodes: finalized")
	}
	if !s.Armed.Any() {
		return
	}
	if s.Armed.All && len(s.Nodes.Groups) == 0 && s.Nodes.Others != lifecycle.Active {
		nodes.Fault(fmt.Sprintf("%s arms nodes that are %v", s.Name, s.Nodes.Others), "write nodes: active")
	}
	d, ok := c.Machine.State(s.Disarmed)
	at := c.place(find(c.States[s.Name], "disarmed"), find(c.States[s.Disarmed], "nodes"))
	switch {
	case !ok || d.Passing || d.Final || d.Armed.Any():
		at.Fault(fmt.Sprintf("%s is disarmed to %s, which is no resting state without arming", s.Name, s.Disarmed), "name one that is")
	case !s.Nodes.same(d.Nodes):
		at.Fault(fmt.Sprintf("the nodes of %s differ from those of %s: a disarm would move nodes", s.Disarmed, s.Name), "give both states the same nodes")
	}
	if _, ok := c.Machine.Disarm(s.Name); !ok && !c.States[s.Name].Given() { // else ways has said so
		var leave []strict.Value
		for _, t := range c.Machine.Transitions {
			if slices.Contains(t.From, s.Name) {
				leave = append(leave, find(c.Transitions[t.Name], "to"))
			}
		}
		c.place(leave...).Fault("no command leads from "+s.Name+" to "+s.Disarmed, "add a transition from "+s.Name+" to "+s.Disarmed)
	}
}

func (c *check) soundTransition(t Transition, disarms bool) {
	to, _ := c.Machine.State(t.To)
	own := c.Transitions[t.Name]
	switch {
	case t.Always && !to.Final:
		c.place(find(own, "to"), find(c.States[t.To], "final")).Fault(fmt.Sprintf("%s ends the network from any state, and %s is not final", t.Name, t.To), "name a final state, or list the states after from:")
	case t.Always && t.Loop:
		c.place(find(own, "loop")).Fault("a command that ends the network cannot loop", "remove it")
	case t.Always && t.Via == "" && c.passes():
		c.place(own).Fault("ends the network without via, and this machine has states that are passed through", "add via: and a state with transition: true")
	case to.Final && !t.Always:
		c.place(find(own, "to"), find(c.States[t.To], "final")).Fault(fmt.Sprintf("%s leads to %s, which is final; more than one way to end a network is not in this version", t.Name, t.To), "let only a command with from: any lead to a final state")
	}
	for i, name := range t.From {
		from, _ := c.Machine.State(name)
		at := c.place(find(own, "from", i), c.States[name], c.States[t.To])
		switch {
		case t.Via == "" && to.Armed.Any():
			c.place(own).Fault(t.Name+" arms without via", "add via: and a state with transition: true, so that arming is shown")
			return
		case t.Via == "" && from.Armed.Any():
			at.Fault(fmt.Sprintf("%s leaves %s, which arms, without via", t.Name, name), "add via: and a state with transition: true, so that disarming is shown")
		case from.Armed.Any() && to.Armed.Any() && !from.Armed.same(to.Armed):
			at.Fault(fmt.Sprintf("%s arms other nodes than %s, from which %s begins", t.To, name, t.Name), "go through the disarmed state: let "+t.Name+" begin in "+to.Disarmed)
		case to.Armed.Any() && !from.Nodes.same(to.Nodes):
			at.Fault(fmt.Sprintf("the nodes of %s differ from those of %s: arming moves no node", name, t.To), "let "+t.Name+" begin in "+to.Disarmed)
		case disarms && (!from.Armed.Any() || from.Disarmed != t.To):
			at.Fault(fmt.Sprintf("%s is a disarm, and %s is no state that is %s when disarmed", t.Name, name, t.To), "make a command of its own from "+name)
		}
	}
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
	return w.Others == o.Others && in(w, o) && in(o, w)
}

// same reports whether both arm the same nodes, whatever the groups have in them.
func (a Armed) same(o Armed) bool {
	in := func(a, b Armed) bool {
		return !slices.ContainsFunc(a.Groups, func(g string) bool { return !slices.Contains(b.Groups, g) })
	}
	return a.All == o.All && (a.All || in(a, o) && in(o, a))
}
