package machine

import "rstate/internal/strict"

// Source is a machine as it is written: what it extends, and its own states and transitions, not looked into yet.
type Source struct {
	Name        string
	Extends     strict.Value
	Initial     strict.Value
	Error       strict.Value
	Repeat      strict.Value
	Tells       strict.Value
	Folder      strict.Value
	States      strict.Value
	Transitions strict.Value
	Auto        strict.Value
	Outcomes    strict.Value
}

// Fields are the keys of a machine, for a file of its own and for those that hold one among other keys.
func Fields() []strict.Field[Source] {
	text := func(more string) strict.Schema { return strict.Schema{"type": "string", "pattern": more} }
	raw := strict.Raw
	return []strict.Field[Source]{
		strict.Key("extends", "the machine that this one adds to: the name of a preset, or a YAML file beside this one",
			raw(text(`.`)), func(s *Source) *strict.Value { return &s.Extends }),
		strict.Key("initial", "the state of a network before its first command; an extended machine has one",
			raw(text(namePattern)), func(s *Source) *strict.Value { return &s.Initial }),
		strict.Key("error", "the passing state of error processing; without one it is the state that the failed transition passes through", raw(text(namePattern)), func(s *Source) *strict.Value { return &s.Error }),
		strict.Key("repeat", "what happens to a command whose target is reached already: reject or ignore",
			raw(repeatKind.Schema), func(s *Source) *strict.Value { return &s.Repeat }),
		strict.Key("tells", "what goes on the lifecycle topic: all, or commands, which is only changes, each with the word of a command that clients have", raw(tellsKind.Schema), func(s *Source) *strict.Value { return &s.Tells }),
		strict.Key("simulation_folder", "the first part of the lifecycle topic of a simulation, /folder/ID/lifecycle, if it is not /simulation", raw(folderKind().Schema), func(s *Source) *strict.Value { return &s.Folder }),
		strict.Key("states", "the states, by name; the name of an extended machine's state changes the keys that are given", raw(statesSchema()), func(s *Source) *strict.Value { return &s.States }),
		strict.Key("transitions", "the commands, by name; the name of an extended machine's command changes the keys that are given", raw(transitionsSchema()), func(s *Source) *strict.Value { return &s.Transitions }),
		strict.Key("auto", "reactions without a command; they come before those of an extended machine, and the first one that matches runs", raw(autosSchema()), func(s *Source) *strict.Value { return &s.Auto }),
		strict.Key("outcomes", "the exit codes of the outcomes of a stepped loop", raw(outcomesKind().Schema),
			func(s *Source) *strict.Value { return &s.Outcomes }),
	}
}

// FileFields are the keys of a machine that stands alone.
func FileFields() []strict.Field[Source] {
	name := strict.Key("name", "the name of the machine", nameKind(),
		func(s *Source) *string { return &s.Name }).Else("the file's name, or <extended>-extended")
	return append([]strict.Field[Source]{name}, Fields()...)
}

var (
	repeatKind = strict.Enum(Reject, Ignore)
	tellsKind  = strict.Enum(TellsAll, TellsCommands)
)

// The keys of stepped loops are read and take part in the hash. Unlisted keeps them out of schema and hints until a
// loop can run.
func stateFields() []strict.Field[State] {
	return []strict.Field[State]{
		strict.Key("nodes", "the state of the lifecycle nodes: one for all, one for each group and for others, or as_is, which asks nothing of any node", wantKind(), func(s *State) *Want { return &s.Nodes }),
		strict.Key("armed", "what is armed: true for every node that can be, or a list of groups", armedKind(),
			func(s *State) *Armed { return &s.Armed }),
		strict.Key("disarmed", "of an armed state: the same state with nothing armed", nameKind(),
			func(s *State) *string { return &s.Disarmed }).Plain(),
		strict.Key("transition", "a state that a transition passes through", strict.Bool(),
			func(s *State) *bool { return &s.Passing }),
		strict.Key("final", "a state that no command leaves", strict.Bool(), func(s *State) *bool { return &s.Final }),
		strict.Key("exit", "of a final state: the exit code after a clean end; an unclean end is always 5",
			strict.Int(0, maxExit), func(s *State) *int { return &s.Exit }),
		strict.Key("id", "the number of the state in messages", idKind(),
			func(s *State) *uint8 { return &s.ID }).Else("the next free one from 100"),
		strict.Key("loop", "what a stepped loop does here: running or ending", strict.Enum(LoopRunning, LoopEnding),
			func(s *State) *Loop { return &s.Loop }).Plain(),
		strict.Key("adopt_as", "the state that a start, a stall or a mirror takes instead", nameKind(),
			func(s *State) *string { return &s.AdoptAs }).Plain(),
	}
}

func transitionFields() []strict.Field[Transition] {
	whole := func(t *Transition) *Transition { return t }
	return []strict.Field[Transition]{
		strict.Key("from", "the states in which the command is legal, or any; left out, the origins that to lists",
			fromKind(), func(t *Transition) *fromText { return (*fromText)(&t.From) }),
		strict.Key("via", "the state that the network passes through", nameKind(),
			func(t *Transition) *string { return &t.Via }).Plain(),
		strict.Key("to", "the state that the command leads to: one, or one for each origin", toKind(), whole).Plain(),
		strict.Key("else", "the state that the command leads to from an origin that to does not list", nameKind(),
			func(t *Transition) *string { return &t.Else }).Plain(),
		strict.Key("cancel", "what a cancel request does: origin rolls the nodes back, refuse refuses it",
			strict.Enum(ToOrigin, Refuse), func(t *Transition) *Cancel { return &t.Cancel }),
		strict.Key("loop", "the command runs also if its target is reached already", strict.Bool(),
			func(t *Transition) *bool { return &t.Loop }),
		strict.Key("through", "the state to which the nodes go down first; they come back only in a command that loops",
			nameKind(), func(t *Transition) *string { return &t.Through }).Plain(),
		strict.Key("on_failure", "what follows a failure: restore the origin or a lower state; stay in the origin; or {then: COMMAND}", failureKind(onBoth), whole),
		strict.Key("on_refusal", "the same, if a node says no", failureKind(onRefusal), whole),
		strict.Key("on_error", "the same, if a node errs, is late or is lost", failureKind(onError), whole),
		strict.Key("mirrored_failure", "what follows a failure of a change that was mirrored from a peer: behind, or target, which takes the target not intact", strict.Enum(MirroredBehind, MirroredTarget), func(t *Transition) *MirroredFailure { return &t.MirroredFailure }),
		strict.Key("preempts", "true: the command interrupts what runs", strict.Bool(),
			func(t *Transition) *bool { return &t.Preempts }),
		strict.Key("arrives", "always, or a list of origins: a node that fails is tried once and passed over",
			arrivesKind(), func(t *Transition) *Arrival { return &t.Arrives }).Plain(),
		strict.Key("spread", "whose change of this kind peers follow if no command asked for it: required or all",
			strict.Enum(SpreadRequired, SpreadAll), func(t *Transition) *Spread { return &t.Spread }),
		strict.Key("role", "what the command is to tools that do not know the machine", strict.Enum(roles...),
			func(t *Transition) *Role { return &t.Role }).Plain(),
		strict.Key("hidden", "true: neither people nor peers can command it", strict.Bool(),
			func(t *Transition) *bool { return &t.Hidden }),
		strict.Key("at", "when the command acts on a stepped loop", strict.Enum(StepEnd),
			func(t *Transition) *string { return &t.At }).Plain(),
		strict.Key("open", "true: the goal stays open while the loop runs", strict.Bool(),
			func(t *Transition) *bool { return &t.Open }),
		strict.Key("argument", "what the argument of the goal means", nameKind(),
			func(t *Transition) *string { return &t.Argument }).Plain(),
		strict.Key("says", "the word of the command on the lifecycle topic, if it is not its name; peers that say it from the same origin mean this command", nameKind(), func(t *Transition) *string { return &t.Says }).Plain(),
		strict.Key("after", "the end of a stepped loop that the command follows, if it has not the name of that end",
			strict.Enum(loopEnds...), func(t *Transition) *LoopEnd { return &t.After }).Plain(),
	}
}

// newTransition is a transition of which a file says nothing.
func newTransition(name string) Transition {
	return Transition{
		Name: name, Cancel: ToOrigin, OnRefusal: Failure{Does: Restore}, OnError: Failure{Does: Restore},
		MirroredFailure: MirroredBehind, Spread: SpreadRequired,
	}
}

func autoFields() []strict.Field[autoText] {
	return []strict.Field[autoText]{
		strict.Key("in", "the state, or a list of states, in which it reacts", inKind(),
			func(a *autoText) *[]string { return &a.in }).Required(),
		strict.Key("on", "what it reacts to: settled, loop_idle, made, node_error, node_fatal, node_reborn, or {report: SUB-STATE}", onKind(), func(a *autoText) *On { return &a.on }).Required(),
		strict.Key("from", "the node that it listens to; left out: every node",
			strict.Text("the full name of a node", "", func(string) (string, string) { return "", "" }),
			func(a *autoText) *string { return &a.from }).Plain(),
		strict.Key("do", "the command that it runs", nameKind(), func(a *autoText) *string { return &a.do }).Required(),
	}
}

func stateKind() strict.Kind[State] { return strict.Record(stateFields(), State{}) }
func transitionKind() strict.Kind[Transition] {
	return strict.Record(transitionFields(), newTransition(""))
}

func statesSchema() strict.Schema {
	return strict.Schema{"type": "object", "patternProperties": strict.Schema{namePattern: stateKind().Schema},
		"additionalProperties": false}
}

func transitionsSchema() strict.Schema {
	return strict.Schema{"type": "object", "patternProperties": strict.Schema{namePattern: transitionKind().Schema},
		"additionalProperties": false}
}

func autosSchema() strict.Schema {
	return strict.Schema{"type": "array", "items": autoKind().Schema}
}
