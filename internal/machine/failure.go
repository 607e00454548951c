package machine

// Verdict is how the part of a node in a transition has failed.
type Verdict string

// The two verdicts. A transition in which both occur has failed with an error.
const (
	Refusal Verdict = "refusal" // the node said no and is unchanged
	Error   Verdict = "error"   // the node erred, was late or was lost
)

// Does is what a failed transition does.
type Does string

// The ways to fail. From an armed origin each ends in the disarmed state (F3).
const (
	Restore Does = "restore" // the rungs of F1: the origin, else unconfigured, else last_resort
	Stay    Does = "stay"    // nodes that changed are rolled back, and the network stays in its origin
	Then    Does = "then"    // as Stay; afterwards a command runs without a goal
)

// Failure is what follows when a transition has failed.
type Failure struct {
	Does Does
	Then string // the command that runs next, with Does == Then
}

// MirroredFailure is what follows when a change that was mirrored from a peer has failed.
type MirroredFailure string

// The two ways in which a mirrored change fails.
const (
	MirroredBehind MirroredFailure = "behind" // the instance is behind its peers and says why
	// the network takes the target without raising a node, not intact; then Then runs
	MirroredTarget MirroredFailure = "target"
)

// Failed says how a network goes on after a transition has failed.
type Failed struct {
	Does Does
	// Rest is the state in which the network rests after the rollback.
	Rest string
	// Then is the command that runs after the rollback, also if the rollback has failed. Empty: none.
	Then string
	// Upward reports whether the rollback may raise nodes to where they were. It may not if Then lowers from Rest.
	Upward bool
	// Rungs reports whether a failed rollback goes on to the next rung: unconfigured, then last_resort.
	Rungs bool
}

// OnFailure returns how the network goes on when a command that left the origin has failed.
func (m *Machine) OnFailure(command, origin string, v Verdict) Failed {
	t, _ := m.Transition(command)
	f := t.OnError
	if v == Refusal {
		f = t.OnRefusal
	}
	rest := m.Disarmed(origin)
	switch f.Does {
	case Then:
		return m.FailedThen(rest, f.Then)
	case Stay:
		return Failed{Does: Stay, Rest: rest, Upward: true, Rungs: true}
	}
	return Failed{Does: Restore, Rest: rest, Upward: true, Rungs: true}
}

// FailedThen says that a network rests in a state after a failure, and runs a command there.
func (m *Machine) FailedThen(rest, command string) Failed {
	return Failed{Does: Then, Rest: rest, Then: command, Upward: !m.LowersFrom(command, rest)}
}

// OnMirroredFailure returns how the network goes on when a change that it mirrored with a command from the origin has
// failed. A machine with mirrored_failure: target takes the target, raises no node and is not intact; Then runs there,
// unless the target is final.
func (m *Machine) OnMirroredFailure(command, origin string, v Verdict) Failed {
	t, _ := m.Transition(command)
	to, ok := m.Target(command, origin)
	if t.MirroredFailure != MirroredTarget || !ok {
		return m.OnFailure(command, origin, v)
	}
	f := Failed{Does: Then, Rest: to}
	if end, _ := m.State(to); !end.Final {
		f.Then = m.OnFailure(command, origin, v).Then
	}
	return f
}

func (f Failure) isRestore() bool { return f.Does == Restore || f.Does == "" }
