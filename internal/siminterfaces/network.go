package siminterfaces

import (
	"fmt"
	"slices"

	"rstate/internal/machine"
)

// Network is a network with a stepped loop, as it is now.
type Network struct {
	Machine *machine.Machine
	State   string // as shown
	Settled string // the last state that was not passing
	Target  string // of the command that runs; empty: none runs
	Legal   []string
	Stopped bool // a client has set STATE_STOPPED, and no step has run since
}

// Now returns the state in the words of the standard.
func (n Network) Now() State {
	here, known := n.Machine.State(n.State)
	if here.Passing || n.Target != "" {
		here, known = n.Machine.State(n.Settled)
	}
	target, _ := n.Machine.State(n.Target)
	switch {
	case !known:
		return Initializing
	case here.Final || target.Final:
		return Quitting
	case here.Loop != machine.NoLoop:
		return Playing
	case n.starts(here.Name) && n.Stopped:
		return Stopped
	case n.starts(here.Name):
		return Paused
	case n.Target != "":
		return Initializing
	}
	return Stopped
}

// starts reports whether a command starts the loop from a state without one.
func (n Network) starts(state string) bool {
	return slices.ContainsFunc(n.Machine.Transitions,
		func(t machine.Transition) bool { return n.leadsToLoop(t, state) })
}

// leadsToLoop reports whether a command that is no reset leads from a state without a loop to one
// with a loop.
func (n Network) leadsToLoop(t machine.Transition, state string) bool {
	here, _ := n.Machine.State(state)
	return !t.Hidden && !t.Loop && here.Loop == machine.NoLoop && n.loopAfter(t.Name, state) != machine.NoLoop
}

// loopAfter returns what the loop does in the state to which a command leads.
func (n Network) loopAfter(command, state string) machine.Loop {
	to, _ := n.Machine.Target(command, state)
	there, _ := n.Machine.State(to)
	return there.Loop
}

// Offers lists the features of a network with this machine.
func Offers(m *machine.Machine) []Feature {
	n := Network{Machine: m}
	list := []Feature{SimulationStateGetting, SimulationStateSetting}
	if t, ok := n.resets(); ok && !t.Hidden {
		list = append(list, SimulationReset)
	}
	pauses, steps := false, false
	for _, s := range m.States {
		_, can := n.pause(s.Name)
		pauses = pauses || can && s.Loop != machine.NoLoop
		for _, t := range m.Transitions {
			steps = steps || takesSteps(t) && n.leadsToLoop(t, s.Name)
		}
	}
	if pauses {
		list = append(list, SimulationStatePause)
	}
	if steps {
		list = append(list, StepSimulationSingle, StepSimulationMultiple, StepSimulationAction)
	}
	slices.Sort(list)
	return list
}

// takesSteps reports whether the argument of a command is a number of steps.
func takesSteps(t machine.Transition) bool { return t.Argument != "" && t.Argument != machine.TellsEnd }

// Steps returns the command that runs a number of steps: one that ends by itself before one that
// goes on.
func (n Network) Steps() (command string, r Result) {
	if now := n.Now(); now != Paused {
		return "", refuse(IncorrectState, "the simulation can be stepped in %v only, and is in %v (the network is %s)",
			Paused, now, n.State)
	}
	for _, t := range n.Machine.Transitions {
		if !takesSteps(t) || !n.leadsToLoop(t, n.Settled) {
			continue
		}
		if command == "" || n.loopAfter(t.Name, n.Settled) == machine.LoopEnding {
			command = t.Name
		}
	}
	switch {
	case command == "":
		return "", refuse(FeatureUnsupported, "no command of machine %s takes a number of steps in %s",
			n.Machine.Name, n.State)
	case !slices.Contains(n.Legal, command):
		return "", refuse(IncorrectState, "%s is not legal now (the network is %s)", command, n.State)
	}
	return command, Result{Code: OK}
}

// refuse returns a result that is not OK.
func refuse(code Code, format string, parts ...any) Result {
	return Result{code, fmt.Sprintf(format, parts...)}
}

// Reset returns the command that resets the simulation.
func (n Network) Reset(scope Scope) (command string, r Result) {
	t, has := n.resets()
	switch {
	case !has || t.Hidden:
		return "", refuse(FeatureUnsupported, "machine %s has no command that resets", n.Machine.Name)
	case !scope.Whole():
		return "", refuse(FeatureUnsupported,
			"scope %d is a part of the simulation; use SCOPE_DEFAULT, which resets time and state", scope)
	case !slices.Contains(n.Legal, t.Name):
		return "", refuse(IncorrectState, "the network is %s, and cannot be reset there", n.State)
	}
	return t.Name, Result{Code: OK}
}

// Move is one command on the way to a state.
type Move struct {
	Command string
	To      string // the state in which the network is after it; of a command that ends a loop: without the loop
}

// Way returns the commands that lead to a state of the standard, or why there are none. A way that
// is empty has no command to wait for.
func (n Network) Way(to State) ([]Move, Result) {
	now := n.Now()
	switch {
	case now == to:
		return nil, refuse(AlreadyInTargetState, "the simulation is in %v already", to)
	case now == Quitting:
		return nil, refuse(IncorrectTransition, "the simulation is in %v: the network ends", now)
	case now == Initializing || n.Target != "" && now != Playing && to != Quitting:
		return nil, refuse(IncorrectTransition, "the simulation is in %v, and a command of the network is under way",
			now)
	case to > Quitting:
		return nil, refuse(IncorrectTransition, "%v is no state that can be set", to)
	}
	w := way{n: n, at: n.Settled}
	if !w.leads(now, to) {
		return nil, refuse(FeatureUnsupported, "machine %s has no commands that lead from %s to %v",
			n.Machine.Name, n.State, to)
	}
	return w.moves, Result{Code: OK}
}

// way is a list of commands, and the state in which the network is after them.
type way struct {
	n     Network
	at    string
	moves []Move
}

func (w *way) move(command, to string) {
	if command != "" {
		w.moves = append(w.moves, Move{command, to})
	}
	w.at = to
}

// leads adds the commands to a state, and reports whether the machine has them.
func (w *way) leads(now, to State) bool {
	switch to {
	case Quitting:
		w.move(w.n.quit(w.at))
		return len(w.moves) > 0
	case Playing:
		if !w.up() {
			return false
		}
		command, end := w.n.play(w.at)
		w.move(command, end)
		return command != ""
	}
	if !w.pauses(now) {
		return false
	}
	if to == Paused {
		return true
	}
	reset, end, ok := w.n.rewinds(w.at)
	w.move(reset, end)
	return ok
}

// pauses leads to a state in which the loop stands and can be started.
func (w *way) pauses(now State) bool {
	if now != Playing {
		return w.up()
	}
	m, ok := w.n.pause(w.at)
	w.move(m.Command, m.To)
	return ok
}

// resets returns the command that follows a loop that begins anew.
func (n Network) resets() (machine.Transition, bool) {
	return n.Machine.Transition(n.Machine.CommandAfter(machine.AfterReset))
}

// rewinds returns the reset and where it leads, and whether no loop runs there.
func (n Network) rewinds(from string) (command, to string, ok bool) {
	t, _ := n.resets()
	to, leads := n.Machine.Target(t.Name, from)
	return t.Name, to, leads && !t.Hidden && n.starts(to)
}

// up leads to the nearest state in which the loop can be started.
func (w *way) up() bool {
	n := w.n
	if n.starts(w.at) {
		return true
	}
	var best []string
	for _, s := range n.Machine.States {
		if s.Passing || s.Final || s.Armed.Any() || !n.starts(s.Name) {
			continue
		}
		if path, ok := n.Machine.Path(w.at, s.Name); ok && (best == nil || len(path) < len(best)) {
			best = path
		}
	}
	for _, command := range best {
		to, _ := n.Machine.Target(command, w.at)
		w.move(command, to)
	}
	return best != nil
}

// play returns the command that starts the loop without an end.
func (n Network) play(from string) (command, to string) {
	for _, t := range n.Machine.Transitions {
		if n.leadsToLoop(t, from) && n.loopAfter(t.Name, from) == machine.LoopRunning {
			to, _ := n.Machine.Target(t.Name, from)
			return t.Name, to
		}
	}
	return "", ""
}

// pause returns how a loop comes to stand so that it can go on: by the command for a pause, or by
// the one for a stop in a machine without one. A loop that runs its last steps needs no command.
func (n Network) pause(from string) (Move, bool) {
	here, _ := n.Machine.State(from)
	if here.Loop == machine.LoopEnding {
		return Move{"", here.AdoptAs}, true
	}
	for _, end := range []machine.LoopEnd{machine.AfterPause, machine.AfterStop} {
		name := n.Machine.CommandAfter(end)
		t, ok := n.Machine.Transition(name)
		to, leads := n.Machine.Target(name, from)
		if !ok || t.Hidden || !leads {
			continue
		}
		if there, _ := n.Machine.State(to); there.Loop != machine.NoLoop {
			to = there.AdoptAs
		}
		return Move{name, to}, n.starts(to)
	}
	return Move{}, false
}

// quit returns the command that ends the network.
func (n Network) quit(from string) (command, to string) {
	names := []string{}
	if t, ok := n.Machine.ByRole(machine.RoleShutdown); ok && !t.Hidden {
		names = append(names, t.Name)
	}
	for _, t := range n.Machine.Transitions {
		if !t.Hidden {
			names = append(names, t.Name)
		}
	}
	for _, name := range names {
		if n.Machine.Ends(name, from) {
			to, _ := n.Machine.Target(name, from)
			return name, to
		}
	}
	return "", ""
}
