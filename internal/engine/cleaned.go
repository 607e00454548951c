package engine

import (
	"slices"

	"rstate/internal/clean"
	"rstate/internal/machine"
)

// Texts of inputs come from other processes. Each is cleaned before the engine sees it.

// cleaned returns an input whose texts from outside are safe to print and to publish; see package
// clean. The goal's own id stays unchanged, because goals are found by it; it is cleaned where it
// is shown.
func cleaned(in Input) Input {
	switch in := in.(type) {
	case GoalAsked:
		in.Command, in.Reason, in.Client = machine.ReadWord(string(in.Command)), clean.Short(in.Reason),
			clean.Short(in.Client)
		in.Argument = clean.Short(in.Argument)
		return in
	case LoopIdle:
		in.Why = clean.Short(in.Why)
		return in
	case ArmAnswered:
		in.Message = clean.Short(in.Message)
		return in
	case LeftoverAnswered:
		in.Message = clean.Short(in.Message)
		return in
	case NodeReported:
		in.Word, in.Message = clean.Short(in.Word), clean.Short(in.Message)
		return in
	case NodeLogged:
		in.Text = clean.Short(in.Text)
		return in
	case NodeLost:
		in.Why = clean.Short(in.Why)
		return in
	case ServersSeen:
		in.Why, in.Others = clean.Short(in.Why), clean.All(in.Others)
		return in
	case NodeMissed:
		in.Alike = clean.All(in.Alike)
		return in
	case JournalSynced:
		in.Err = clean.Short(in.Err)
		return in
	case JournalChanged:
		in.Err = clean.Short(in.Err)
		return in
	case StopAsked:
		in.Why = clean.Short(in.Why)
		return in
	case TopicCounted, CheckAnswered, StopHeard, AcknowledgeAsked, GuardHeard:
		return cleanedAround(in)
	}
	return cleanedInstance(in)
}

// cleanedAround is cleaned for what checks, stop buttons and guards say, and a person beside them.
func cleanedAround(in Input) Input {
	switch in := in.(type) {
	case TopicCounted:
		in.Fault, in.Value.Text = clean.Short(in.Fault), clean.Short(in.Value.Text)
		return in
	case CheckAnswered:
		in.Fault, in.Value.Text = clean.Short(in.Fault), clean.Short(in.Value.Text)
		return in
	case StopHeard:
		in.Writer, in.Fault = clean.Short(in.Writer), clean.Short(in.Fault)
		return in
	case AcknowledgeAsked:
		in.Who = clean.Short(in.Who)
		return in
	case GuardHeard:
		return cleanedGuard(in)
	}
	return in
}

// cleanedInstance is cleaned for the messages of another instance.
func cleanedInstance(in Input) Input {
	switch in := in.(type) {
	case NameTaken:
		in.Instance, in.Who = clean.Short(in.Instance), clean.Short(in.Who)
		return in
	case ChildFound:
		in.Simulation, in.Way = clean.Short(in.Simulation), clean.All(in.Way)
		return in
	case PeerChanged:
		c := &in.Change
		for _, text := range []*string{&c.Name, &c.Instance, &c.SourceState, &c.Event, &c.TargetState, &c.State,
			&c.Hash, &c.Cause} {
			*text = clean.Short(*text)
		}
		c.Seen = cleanedSeen(c.Seen)
		return in
	case PeerTold:
		st := &in.Status
		for _, text := range []*string{&st.Name, &st.Instance, &st.State, &st.Target, &st.Machine, &st.Hash,
			&st.Cause} {
			*text = clean.Short(*text)
		}
		for _, list := range []*[]string{&st.Nodes, &st.MayBeArmed, &st.Requires} {
			*list = clean.All(*list)
		}
		st.Seen, st.StopsUnclear = cleanedSeen(st.Seen), clean.Short(st.StopsUnclear)
		st.Stops = slices.Clone(st.Stops)
		for k := range st.Stops {
			l := &st.Stops[k]
			l.Origin, l.Instance, l.Why = clean.Short(l.Origin), clean.Short(l.Instance), clean.Short(l.Why)
		}
		return in
	case PeerLost:
		in.Name, in.Instance, in.Why = clean.Short(in.Name), clean.Short(in.Instance), clean.Short(in.Why)
		return in
	}
	return in
}

func cleanedSeen(list []Seen) []Seen {
	if !slices.ContainsFunc(list, func(s Seen) bool { return clean.Short(s.Instance) != s.Instance }) {
		return list
	}
	list = slices.Clone(list)
	for i := range list {
		list[i].Instance = clean.Short(list[i].Instance)
	}
	return list
}
