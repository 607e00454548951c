package machine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/looplab/fsm"
)

// Judge holds the state that a network is in and is the only one to say what is legal there. It is a table over
// looplab/fsm without callbacks: those deadlock or are ignored when misspelt, and nothing here needs them. Not safe
// for concurrent use: an instance has one loop.
type Judge struct {
	machine *Machine
	fsm     *fsm.FSM
	shared  bool // a clone has the same fsm: it must not change
}

// The events beside the commands. A command's own event bears its name; these cannot collide with one, since no
// command has a blank in it.
const (
	evFail    = "a failure"
	evPreempt = "pre-empt with "
	evRepair  = "repair by "
	evSettle  = "settle in "
)

// Start returns a judge whose network is in the unknown state.
func (m *Machine) Start() *Judge {
	return &Judge{machine: m, fsm: fsm.NewFSM(Unknown, m.events(), nil)}
}

// events lists every edge of the machine. Where it lists an (event, source) twice fsm would silently take the second;
// names of events keep the edges apart, and machines that name one twice are refused when they are read.
func (m *Machine) events() []fsm.EventDesc {
	var primary, passing, living []string
	for _, s := range m.States {
		switch {
		case s.Passing:
			passing = append(passing, s.Name)
		case !s.Final:
			primary = append(primary, s.Name)
		}
	}
	living = append(append(append(living, Unknown), primary...), passing...)
	var events []fsm.EventDesc
	add := func(name string, src []string, dst string) {
		events = append(events, fsm.EventDesc{Name: name, Src: src, Dst: dst})
	}
	begin := func(name string, src []string, via string) {
		if via != "" {
			add(name, src, via)
			return
		}
		for _, s := range src { // the network shows where it comes from until the commit
			add(name, []string{s}, s)
		}
	}
	for _, t := range m.Transitions {
		begin(evPreempt+t.Name, living, t.Via)
		if t.Always {
			begin(t.Name, append([]string{Unknown}, primary...), t.Via)
			continue
		}
		begin(t.Name, t.From, t.Via)
		begin(evRepair+t.Name, slices.DeleteFunc(t.targets(),
			func(to string) bool { return !slices.Contains(primary, to) }), t.Via)
	}
	for _, s := range m.States {
		if !s.Passing {
			add(evSettle+s.Name, living, s.Name)
		}
	}
	if m.Error != "" {
		add(evFail, living, m.Error)
	}
	return events
}

// State is where the network is.
func (j *Judge) State() string { return j.fsm.Current() }

// Can reports whether the command is legal in the present state. A hidden one is, too: Command keeps clients from it.
func (j *Judge) Can(command string) bool { return j.fsm.Can(command) }

// Legal lists the commands that are legal in the present state, in file order, without the hidden ones.
func (j *Judge) Legal() []string {
	var legal []string
	for _, t := range j.machine.Transitions {
		if !t.Hidden && j.fsm.Can(t.Name) {
			legal = append(legal, t.Name)
		}
	}
	return legal
}

// Begin starts a command where it is legal.
func (j *Judge) Begin(command string) error { return j.fire(command) }

// Repair starts the command that leads to the present state.
func (j *Judge) Repair(command string) error { return j.fire(evRepair + command) }

// Preempt starts a command whatever runs.
func (j *Judge) Preempt(command string) error { return j.fire(evPreempt + command) }

// Settle ends what runs, or the reading of a start, in a state that is not passing.
func (j *Judge) Settle(state string) error { return j.fire(evSettle + state) }

// Fail enters the state in which failures are put right; a machine without one stays where it is.
func (j *Judge) Fail() error {
	if j.machine.Error == "" {
		return nil
	}
	return j.fire(evFail)
}

func (j *Judge) fire(event string) error {
	if !slices.Contains(j.fsm.AvailableTransitions(), event) {
		return fmt.Errorf("cannot %s in state %q", event, j.State())
	}
	j.own()
	err := j.fsm.Event(context.Background(), event)
	var same fsm.NoTransitionError
	if err == nil || errors.As(err, &same) { // a transition onto itself is one to us
		return nil
	}
	return fmt.Errorf("cannot %s in state %q: %w", event, j.State(), err)
}
