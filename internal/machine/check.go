package machine

import (
	"fmt"
	"slices"

	"rstate/internal/lifecycle"
	"rstate/internal/strict"
)

// The greatest machines: ids on the wire end at 255, and looking at ways takes time.
const (
	maxStates   = 200
	maxCommands = 500
)

// uncleanExit is the exit code of a shutdown that has left a node armed or not finalized.
const uncleanExit = 5

// check reads the states and transitions of one source and looks at the machine that results, as a whole.
type check struct {
	*Built
	base *Machine // nil: the machine extends nothing
	at   strict.Value
	src  Source

	before int // how many faults there were when it began
}

func (c *check) readStates(v strict.Value) {
	if !v.Given() {
		return
	}
	entries, ok := v.Entries("a mapping of states")
	if !ok {
		return
	}
	if len(entries) > maxStates {
		v.Fault(fmt.Sprintf("has %d states", len(entries)), fmt.Sprintf("a machine has at most %d", maxStates))
		return
	}
	kind, spelled := stateKind(), map[string]string{}
	for _, s := range c.Machine.States {
		spelled[spelling(s.Name)] = s.Name
	}
	for _, e := range entries {
		state := State{Name: e.Name}
		i := slices.IndexFunc(c.Machine.States, func(s State) bool { return s.Name == e.Name })
		if i >= 0 {
			state = c.Machine.States[i]
		} else {
			c.nameOf(e, "state", spelled)
		}
		before := state
		kind.Read(e.Value, &state)
		c.States[e.Name] = e.Value
		if i < 0 {
			c.Machine.States = append(c.Machine.States, state)
			continue
		}
		if state.Passing != before.Passing || state.Final != before.Final || state.ID != before.ID {
			e.Value.Fault("changes what kind of state the extended machine's "+e.Name+" is",
				"make a state of your own with another name")
		}
		c.Machine.States[i] = state
	}
}

func (c *check) readTransitions(v strict.Value) {
	if !v.Given() {
		return
	}
	entries, ok := v.Entries("a mapping of transitions")
	if !ok {
		return
	}
	if len(entries) > maxCommands {
		v.Fault(fmt.Sprintf("has %d commands", len(entries)), fmt.Sprintf("a machine has at most %d", maxCommands))
		return
	}
	kind, spelled := transitionKind(), map[string]string{}
	for _, t := range c.Machine.Transitions {
		spelled[spelling(t.Name)] = t.Name
	}
	for _, e := range entries {
		t := newTransition(e.Name)
		i := slices.IndexFunc(c.Machine.Transitions, func(t Transition) bool { return t.Name == e.Name })
		if i >= 0 {
			t = c.Machine.Transitions[i]
		} else {
			c.nameOf(e, "command", spelled)
		}
		kind.Read(e.Value, &t)
		c.Transitions[e.Name] = e.Value
		if i < 0 {
			c.Machine.Transitions = append(c.Machine.Transitions, t)
			i = len(c.Machine.Transitions) - 1
		} else {
			c.Machine.Transitions[i] = t
		}
		c.transition(&c.Machine.Transitions[i], e.Value)
	}
}

// readAuto reads the reactions, one for each state.
func (c *check) readAuto(v strict.Value) {
	if !v.Given() {
		return
	}
	items, ok := v.Items("a list of reactions, like [{in: active, on: node_error, do: deactivate}]")
	if !ok {
		return
	}
	if len(items) > maxCommands {
		v.Fault(fmt.Sprintf("has %d reactions", len(items)), fmt.Sprintf("a machine has at most %d", maxCommands))
		return
	}
	var own []Auto
	kind := autoKind()
	for _, item := range items {
		var text autoText
		kind.Read(item, &text)
		for _, in := range text.in {
			a := Auto{In: in, On: text.on, From: text.from, Do: text.do}
			if slices.ContainsFunc(own, a.same) {
				item.Fault("reacts in "+in+" to what one above reacts to already", "keep one of the two")
			}
			own = append(own, a)
			c.Auto[a] = item
		}
	}
	c.Machine.Auto = react(own, c.Machine.Auto)
}

func (c *check) stateNames() []string {
	names := make([]string, len(c.Machine.States))
	for i, s := range c.Machine.States {
		names[i] = s.Name
	}
	return names
}

// nameOf checks a new name against its form and against those that are typed alike.
func (c *check) nameOf(e strict.Entry, noun string, spelled map[string]string) {
	switch {
	case !isName(e.Name):
		e.Key.Fault("is no name of a "+noun, "use small letters, digits and _, a letter first")
	case spelling(e.Name) == Unknown:
		e.Key.Fault("every machine has a state unknown already: nodes not read yet", "choose another name")
	}
	if other, twice := spelled[spelling(e.Name)]; twice {
		e.Key.Fault(fmt.Sprintf("reads like the %s %s: case, blanks, - and _ are ignored", noun, other),
			"choose another name")
		return
	}
	spelled[spelling(e.Name)] = e.Name
}

// transition checks what one transition refers to and turns "any" into what it stands for.
func (c *check) transition(t *Transition, v strict.Value) {
	c.to(t, v)
	if t.Via != "" {
		if via := c.stateAt(t.Via, v.Find("via"), true); via.Name == t.Via && !via.Passing {
			v.Find("via").Fault(fmt.Sprintf("the state %s rests and cannot be passed through", t.Via),
				"name a state with transition: true")
		}
	}
	final := func(name string) bool { s, _ := c.Machine.State(name); return s.Final }
	ends := t.targets()
	switch {
	case len(t.From) == 0 && !t.Always && !v.Has("from") && len(t.Ends) > 0:
		for _, e := range t.Ends {
			t.From = append(t.From, e.From)
		}
	case len(t.From) == 0 && !t.Always && !v.Has("from"):
		v.Fault("does not say where it begins", "add from: and a list of states, or any")
	case len(t.From) == 0 && !t.Always && v.Find("from").IsList():
		v.Find("from").Fault("begins nowhere", "list a state")
	case slices.Equal(t.From, []string{anyState}) && len(ends) > 0 &&
		!slices.ContainsFunc(ends, func(s string) bool { return !final(s) }):
		t.From, t.Always = nil, true
	case slices.Equal(t.From, []string{anyState}):
		t.From = c.resting(t)
	case len(t.From) > 0:
		t.Always = false
		c.from(t, v)
	}
	if slices.ContainsFunc(ends, final) {
		if v.Has("cancel") && t.Cancel != Refuse {
			v.Find("cancel").Fault("ending a network cannot be cancelled", "write cancel: refuse")
		}
		t.Cancel = Refuse
	}
	for _, end := range ends {
		if to, _ := c.Machine.State(end); t.Loop && to.Armed.Any() {
			v.Find("loop").Fault("leads to a state that arms; nothing arms over and over",
				"let it lead to "+to.Disarmed)
		}
	}
}

// to checks the targets of a transition, by themselves. Whether each origin has one is checked with the whole machine.
func (c *check) to(t *Transition, v strict.Value) {
	if len(t.Ends) == 0 && t.Else != "" {
		if v.Has("else") {
			v.Find("else").Fault("is for a target that depends on the origin, and to: names one state for all",
				"remove it")
		}
		t.Else = ""
	}
	rests := func(name string, at strict.Value) {
		if s := c.stateAt(name, at, true); s.Passing {
			at.Fault(fmt.Sprintf("leads to %s, which is only passed through", name),
				"name a state that is no transition")
		}
	}
	if t.To == "" && len(t.Ends) == 0 && !v.Has("to") {
		v.Fault("does not say where it leads", "add to: and a state")
	}
	if t.To != "" {
		rests(t.To, v.Find("to"))
	}
	for _, e := range t.Ends {
		at := v.Find("to")
		if s := c.stateAt(e.From, at.KeyOf(e.From), true); s.Passing || s.Final {
			at.KeyOf(e.From).Fault(fmt.Sprintf("no command begins in %s, which is final or only passed through",
				e.From), "remove it")
		}
		if e.To != "" { // else it was reported
			rests(e.To, at.Find(e.From))
		}
	}
	if t.Else != "" {
		rests(t.Else, v.Find("else"))
	}
}

func (c *check) from(t *Transition, v strict.Value) {
	for i, name := range t.From {
		at := v.Find("from", i)
		s := c.stateAt(name, at, true)
		switch {
		case s.Passing:
			at.Fault(fmt.Sprintf("begins in %s, which is only passed through", name),
				"name a state that is no transition")
		case s.Final:
			at.Fault(fmt.Sprintf("begins in %s, which is final", name), "remove it: nothing leads out of a final state")
		}
	}
}

// resting lists where a transition from any state that does not end the network begins: wherever it leads elsewhere.
func (c *check) resting(t *Transition) []string {
	var from []string
	for _, s := range c.Machine.States {
		if !s.Passing && !s.Final && (s.Name != t.target(s.Name) || t.Loop) {
			from = append(from, s.Name)
		}
	}
	return from
}

// stateAt returns the state of that name, which is reported where it is not there.
func (c *check) stateAt(name string, at strict.Value, report bool) State {
	s, ok := c.Machine.State(name)
	if !ok && report {
		at.Fault(fmt.Sprintf("there is no state %q", name),
			at.Report().Suggest(name, c.stateNames(), "add it under states"))
	}
	return s
}

// whole checks the machine that results. What the extended machine brought is taken as sound.
func (c *check) whole() {
	for i := range c.Machine.States {
		s := &c.Machine.States[i]
		if v := c.States[s.Name]; v.Given() {
			c.state(s, v)
		}
	}
	c.ids()
	c.pointers()
	if c.at.Report().Count() > c.before {
		return // ways through a machine that is broken would only repeat what was said
	}
	c.inherit()
	c.ways()
	c.sound()
}

// state checks one state by itself.
func (c *check) state(s *State, v strict.Value) {
	if s.Passing {
		for _, key := range []string{"nodes", "armed", "disarmed", "final", "exit", "loop", "adopt_as"} {
			if v.Has(key) {
				v.Find(key).Fault("a state that is only passed through has no such key",
					"remove it, or transition: true")
			}
		}
		return
	}
	if s.Nodes.Others == lifecycle.Unknown && len(s.Nodes.Groups) == 0 && !s.Nodes.AsIs && !v.Has("nodes") {
		v.Fault("does not say what its nodes are to be in",
			"add nodes: and "+strict.Or(nodeStates)+", or transition: true")
	}
	if s.Exit != 0 && !s.Final {
		v.Find("exit").Fault("is for final states, and this one is not", "remove it, or add final: true")
	}
	if s.Exit == uncleanExit {
		v.Find("exit").Fault("5 says that the end was unclean", "choose another code")
	}
	if s.AdoptAs != "" {
		if a := c.stateAt(s.AdoptAs, v.Find("adopt_as"), true); a.Name == s.AdoptAs && !a.Adoptable() {
			v.Find("adopt_as").Fault(fmt.Sprintf("a start cannot take %s, which passes, is final, arms or is as_is",
				s.AdoptAs), "name a resting state")
		}
	}
	switch {
	case !s.Armed.Any() && s.Disarmed != "":
		v.Find("disarmed").Fault("is for states that arm, and this one does not", "remove it, or add armed: true")
	case !s.Armed.Any():
	case s.Final:
		v.Find("armed").Fault("a final state cannot arm", "remove it")
	case s.Disarmed == "" && !v.Has("disarmed"):
		v.Find("armed").Fault("arms, but does not say what it is with nothing armed",
			"add disarmed: and the state that it is then")
	case s.Disarmed != "":
		d := c.stateAt(s.Disarmed, v.Find("disarmed"), true)
		if d.Armed.Any() || d.Passing || d.Final {
			v.Find("disarmed").Fault(fmt.Sprintf("the state %s is no resting state without arming", s.Disarmed),
				"name one that is")
		}
	}
}

// ids gives every state without an id the next free one, and refuses what is taken.
func (c *check) ids() {
	taken := map[uint8]string{}
	for _, s := range c.Machine.States {
		if s.ID == 0 {
			continue
		}
		v := c.States[s.Name]
		if other, twice := taken[s.ID]; twice && v.Given() {
			v.Find("id").Fault(fmt.Sprintf("the state %s has the id %d already", other, s.ID),
				"choose another, or leave it out")
		}
		if _, inherited := c.inherited(s.Name); v.Given() && !inherited && s.ID < FirstOwnID && !isPreset(v.File()) {
			v.Find("id").Fault("ids below 100 are those of lifecycle_msgs and of rstate",
				"choose one from 100 to 255, or leave it out")
		}
		taken[s.ID] = s.Name
	}
	next := int(FirstOwnID)
	for i := range c.Machine.States {
		s := &c.Machine.States[i]
		if s.ID != 0 {
			continue
		}
		for taken[uint8(next)] != "" && next < 256 {
			next++
		}
		if next > 255 {
			c.States[s.Name].Fault("there are no ids left for it", "a machine has at most 156 states of its own")
			return
		}
		s.ID, taken[uint8(next)] = uint8(next), s.Name
	}
}

func (c *check) inherited(state string) (State, bool) {
	if c.base == nil {
		return State{}, false
	}
	return c.base.State(state)
}

// pointers checks the machine's own references: where it begins and where failures are put right.
func (c *check) pointers() {
	m := c.Machine
	if c.base == nil {
		for _, need := range []struct {
			missing   bool
			key, hint string
		}{
			{m.Initial == "" && !c.src.Initial.Given(), "initial",
				"name the state of a network to which nothing was done yet"},
			{!c.src.States.Given(), "states", "or extends: rstate"},
			{!c.src.Transitions.Given(), "transitions", "or extends: rstate"},
		} {
			if need.missing {
				c.at.Fault("the key "+need.key+" is missing from the machine", "add it, "+need.hint)
			}
		}
	}
	if at := c.src.Initial; at.Given() && m.Initial != "" {
		if s := c.stateAt(m.Initial, at, true); s.Name == m.Initial && !s.Adoptable() {
			at.Fault(fmt.Sprintf("nothing can begin in %s, which passes, is final, arms or is as_is", m.Initial),
				"name a resting state")
		}
	}
	if at := c.src.Error; at.Given() && m.Error != "" {
		if s := c.stateAt(m.Error, at, true); s.Name == m.Error && !s.Passing {
			at.Fault(fmt.Sprintf("the state %s rests; failures are put right on the way", m.Error),
				"name a state with transition: true")
		}
	}
}
