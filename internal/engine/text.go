package engine

import (
	"cmp"
	"slices"

	"rstate/internal/clean"
)

// cleaned returns an input whose texts from outside are safe to print and to publish; see package clean. The goal's own id
// stays as it is, since goals are found by it: it is cleaned where it is shown.
func cleaned(in Input) Input {
	switch in := in.(type) {
	case GoalAsked:
		in.Command, in.Reason, in.Client = clean.Short(in.Command), clean.Short(in.Reason), clean.Short(in.Client)
		return in
	case ArmAnswered:
		in.Message = clean.Short(in.Message)
		return in
	case LeftAnswered:
		in.Message = clean.Short(in.Message)
		return in
	case NodeLost:
		in.Why = clean.Short(in.Why)
		return in
	case NodeMissed:
		in.Alike = clean.All(in.Alike)
		return in
	case TopicCounted:
		in.Fault = clean.Short(in.Fault)
		return in
	case CheckAnswered:
		in.Fault = clean.Short(in.Fault)
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
	}
	return cleanedInstance(in)
}

// cleanedInstance is cleaned for what another instance says.
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
		for _, text := range []*string{&c.Name, &c.Instance, &c.SourceState, &c.Event, &c.TargetState, &c.State, &c.Hash, &c.Cause} {
			*text = clean.Short(*text)
		}
		c.Seen = cleanedSeen(c.Seen)
		return in
	case PeerTold:
		st := &in.Status
		for _, text := range []*string{&st.Name, &st.Instance, &st.State, &st.Target, &st.Machine, &st.Hash, &st.Cause} {
			*text = clean.Short(*text)
		}
		for _, list := range []*[]string{&st.Nodes, &st.MayBeArmed, &st.Requires} {
			*list = clean.All(*list)
		}
		st.Seen = cleanedSeen(st.Seen)
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

// Who names whoever asked for a goal, as far as is known.
func (g GoalAsked) Who() string {
	switch {
	case g.Client != "":
		return g.Client
	case cmp.Or(g.By, ByGoal) == ByGoal:
		return "an action client"
	}
	return string(g.By)
}
