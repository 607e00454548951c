package httpapi

import (
	"context"
	"errors"
	"time"

	"rstate/internal/machine"
)

// Simulations is what the service needs of a process that runs simulations. All methods may be
// called from many goroutines at once. Errors are ErrUnknown, *Rejected, *Busy, or else an internal
// error, which is answered with 500 and its text.
type Simulations interface {
	// List returns a summary of each simulation, those included that have ended and have not been
	// removed yet, ordered by age. It answers from memory.
	List() []Summary

	// Get returns what a simulation published last. It answers from memory and does not wait for
	// the loop of the simulation: clients poll it.
	Get(id string) (Simulation, error)

	// Figures returns what has happened in the present run of a simulation. It answers from memory.
	Figures(id string) (Figures, error)

	// Read reads an order once. The service decides on what it returns, and forwards that: a command
	// that arms only with a challenge, and one that does not disarm only with the token.
	Read(id string, o Order) (Asked, error)

	// Command hands over what Read has returned, and does not wait. Of two orders the one that was handed over
	// first is carried out first. The history names the client.
	Command(id, client string, asked Asked) Wait

	// Acknowledge acknowledges all stops, and says what was acknowledged. The history names the client, and the name
	// that it gives. What cannot be acknowledged now is a *Rejected, and so are stops beyond those that were shown.
	Acknowledge(ctx context.Context, id, client string, a Acknowledgement) (string, error)

	// History returns entries of the journal of a simulation, the oldest first.
	History(ctx context.Context, id string, q HistoryQuery) ([]Entry, error)

	// Why tells why a simulation is in its state, from its journal.
	Why(ctx context.Context, id string) (Why, error)

	// Network returns the network file of a simulation.
	Network(id string) (Network, error)

	// Data returns simulation data as they are between two steps: it waits for the end of the step
	// that runs. Data that are not there now are a *Missing, an unknown name is a *Rejected. Data of more
	// bytes than most are ErrTooLarge, and are not copied.
	Data(ctx context.Context, id, name string, most int64) (Datum, error)

	// Trigger sets a trigger of a stepped loop, or replaces the one of the same number; nil removes it. One that
	// cannot be set is a *Rejected.
	Trigger(ctx context.Context, id string, number uint64, t *Trigger) error

	// Watch calls changed after each change of what List or Get return, with the id of the
	// simulation. It returns when the context ends. Function changed returns at once, so that a
	// loop can call it. Several calls for one simulation may be merged into one.
	Watch(ctx context.Context, changed func(id string))

	// Health returns why the process does not serve simulations as it should, or nil.
	Health(ctx context.Context) error
}

// Wait returns when an order has ended. It is called once. The context is never cancelled because a client went
// away. It must return once the simulation has ended or was removed.
//
// An order that is not legal is a *Rejected, and one that has to wait for a running transition
// is a *Busy. An accepted one returns a Result, whose Success tells whether the state is reached.
type Wait func(ctx context.Context) (Result, error)

// Factory makes and removes simulations. A process that cannot has none: the endpoints are not
// offered then.
type Factory interface {
	// Create makes a simulation. A client that goes away does not stop it. An experiment that does
	// not exist, or that has faults, is a *Rejected; one simulation too many is a *Busy.
	Create(ctx context.Context, client string, c Creation) (Simulation, error)

	// Remove ends a simulation and forgets it. Nodes that may be armed are disarmed first.
	Remove(ctx context.Context, id, client string, r Removal) error
}

// Asked is an order as the simulation understands it. What it can do depends on the machine alone, not
// on the state. A word that the machine does not have does nothing.
type Asked struct {
	Word    machine.Word
	Arms    bool // it can arm a node from some state of the simulation
	Disarms bool // it names a command that leads out of an armed state to its disarmed one

	Argument, Reason, ID, Authority, Seen string // of the order
}

// ErrTooLarge says that data are larger than was asked for.
var ErrTooLarge = errors.New("the data are too large")

// ErrUnknown says that there is no simulation of this id: it was never made, or was removed.
var ErrUnknown = errors.New("there is no such simulation")

// Rejected says that a request is not legal now or is invalid. Nothing has changed.
type Rejected struct {
	Why   string
	Legal []string // the commands that are legal now
}

func (r *Rejected) Error() string { return r.Why }

// Missing says that something cannot be read now, and why.
type Missing struct{ Why string }

func (m *Missing) Error() string { return m.Why }

// Busy says that a request is legal, but cannot be carried out now. Nothing has changed.
type Busy struct {
	Why   string
	Retry time.Duration // when another attempt makes sense; 0: not by waiting alone
}

func (b *Busy) Error() string { return b.Why }
