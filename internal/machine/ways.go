package machine

import (
	"fmt"
	"slices"
	"strings"

	"rstate/internal/lifecycle"
)

// isPreset says whether the file is one of ours, whose states may have the ids of lifecycle_msgs.
func isPreset(file string) bool {
	name, ok := strings.CutPrefix(file, "presets/")
	if !ok {
		return false
	}
	_, err := presets.ReadFile("presets/" + name)
	return err == nil
}

// inherit lets the extended machine's lowering commands begin in states of one's own that have no way down on which no
// node rises: a mode whose nodes are active is left by deactivate, as active is. Without it every mode would have to
// say so.
func (c *check) inherit() {
	if c.base == nil {
		return
	}
	before := downs{}
	for _, s := range c.Machine.States { // first all ways as they are written: what is added must not hide a need
		before.has(c.Machine, s, func(from, to State) bool { return to.above(from) })
	}
	for _, s := range c.Machine.States {
		if _, inherited := c.base.State(s.Name); inherited || s.Passing || s.Final ||
			before.has(c.Machine, s, func(from, to State) bool { return to.above(from) }) {
			continue
		}
		for i := range c.Machine.Transitions {
			t := &c.Machine.Transitions[i]
			if before, inherited := c.base.Transition(t.Name); inherited && c.leadsDown(before, s) &&
				!slices.Contains(t.From, s.Name) {
				t.From = append(slices.Clone(t.From), s.Name)
			}
		}
	}
}

// leadsDown says whether the extended machine's transition lowers from a state just like s.
func (c *check) leadsDown(t Transition, s State) bool {
	if t.Always || t.Loop || t.Hidden || t.byOrigin() || s.Armed.Any() && t.To != s.Disarmed {
		return false
	}
	return slices.ContainsFunc(t.From, func(from string) bool {
		return c.base.Level(from) == s.Level() && c.base.Lowers(from, t.To)
	})
}

// downs are, for each level, the states that have a way to a final state, or to one in which every node is
// unconfigured, without a state above that level: the way that Path would take from a state of that level. The command
// that is legal everywhere does not count.
type downs map[int]map[string]bool

// has reports whether the state has a way down.
func (d downs) has(m *Machine, s State, never func(from, to State) bool) bool {
	ceiling := max(s.Level(), lifecycle.Unconfigured.Level())
	if d[ceiling] == nil {
		d[ceiling] = m.down(ceiling, never)
	}
	return d[ceiling][s.Name]
}

// down goes from the lowest states back along the transitions until nothing is added any more. It takes no step that
// never names.
func (m *Machine) down(ceiling int, never func(from, to State) bool) map[string]bool {
	found, through, states := map[string]bool{}, map[string]bool{}, map[string]State{}
	for _, s := range m.States {
		rests := !s.Passing && !s.Final && !s.Armed.Any() && s.Level() <= ceiling
		through[s.Name], states[s.Name] = rests, s
		found[s.Name] = rests && s.Level() == lifecycle.Unconfigured.Level()
	}
	for more := true; more; {
		more = false
		for _, t := range m.Transitions {
			for _, from := range t.From {
				to := t.target(from)
				if t.Loop || found[from] || !states[to].Final && (!through[to] || !found[to]) {
					continue
				}
				if !never(states[from], states[to]) {
					more, found[from] = true, true
				}
			}
		}
	}
	return found
}

// ways checks that every state of one's own can be reached and left.
func (c *check) ways() {
	m := c.Machine
	if _, ok := m.Shutdown(); !ok {
		c.at.Fault("nothing leads to shutdown", "add shutdown: {from: any, to: …} to transitions, to a final state")
	}
	for i, t := range m.Transitions {
		if first := slices.IndexFunc(m.Transitions, func(t Transition) bool { return t.Always }); t.Always &&
			i != first {
			c.Transitions[t.Name].Fault(fmt.Sprintf("ends the network from any state, as %s does",
				m.Transitions[first].Name), "keep one of the two")
		}
	}
	reached, down, endable := m.reachable(), downs{}, m.endable()
	shutdown, ends := m.Shutdown()
	nearest := m.Initial
	if !endable[nearest] {
		nearest = shutdown.To
	}
	for _, s := range m.States {
		v := c.States[s.Name]
		_, inherited := c.inherited(s.Name)
		if !v.Given() || isPreset(v.File()) {
			continue
		}
		switch {
		case !reached[s.Name] && inherited: // a file may leave states of its preset aside
		case !reached[s.Name] && s.Passing:
			v.Fault("cannot be reached: no transition passes through it", "name it in a via, or remove it")
		case !reached[s.Name]:
			v.Fault("cannot be reached from "+m.Initial, "add a transition that leads to it")
		case s.Passing || s.Final:
		case !inherited && !down.has(m, s, func(from, to State) bool { return false }) && !c.joins(s):
			v.Fault("has no way down to unconfigured",
				"add a transition from it to a lower state, for example to "+m.below(s))
		case ends && !endable[s.Name]:
			v.Fault("no command that can be given leads from it to the end",
				"add a transition from it, for example to "+nearest)
		}
		if _, ok := m.Disarm(s.Name); s.Armed.Any() && !ok {
			v.Fault("no command leads from it to "+s.Disarmed, "add a transition from "+s.Name+" to "+s.Disarmed)
		}
	}
}

// joins reports whether a command leads from a state of one's own to one of the preset that has no way down either: in
// cle, only the end lowers nodes.
func (c *check) joins(s State) bool {
	return slices.ContainsFunc(c.Machine.Transitions, func(t Transition) bool {
		to, _ := c.Machine.State(t.target(s.Name))
		_, inherited := c.inherited(to.Name)
		return slices.Contains(t.From, s.Name) && inherited && !to.Passing && to.Level() <= s.Level() &&
			s.Name != to.Name
	})
}

// reachable lists every state that a network can come to from the initial one, or pass through on its way.
func (m *Machine) reachable() map[string]bool {
	reached := map[string]bool{m.Initial: true, m.Error: true}
	for todo := []string{m.Initial}; len(todo) > 0; todo = todo[1:] {
		at, _ := m.State(todo[0])
		for _, t := range m.Transitions {
			if !t.applies(at) {
				continue
			}
			to := t.target(at.Name)
			if !reached[to] {
				todo = append(todo, to)
			}
			reached[to], reached[t.Via] = true, true
		}
	}
	return reached
}

// endable lists every state from which commands that people can give lead to a final state.
func (m *Machine) endable() map[string]bool {
	found := map[string]bool{}
	for more := true; more; {
		more = false
		for _, t := range m.Transitions {
			for _, s := range m.States {
				end, _ := m.State(t.target(s.Name))
				if !t.Hidden && !found[s.Name] && t.starts(s) && (end.Final || found[end.Name]) {
					more, found[s.Name] = true, true
				}
			}
		}
	}
	return found
}

// below names a state that allows less than s, the highest there is.
func (m *Machine) below(s State) string {
	best := State{Name: m.Initial}
	for _, o := range m.States {
		if !o.Passing && !o.Final && o.Level() < s.Level() && o.Level() > best.Level() {
			best = o
		}
	}
	return best.Name
}
