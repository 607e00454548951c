package network

import (
	"fmt"
	"time"

	"rstate/internal/machine"
	"rstate/internal/patient"
	"rstate/internal/strict"
)

// Stops are the stop inputs of a network, and what follows time in which no run of it listened to them.
type Stops struct {
	AfterGap AfterGap
	Stop     []Stop
}

// AfterGap is what follows time in which nothing listened to the stop inputs.
type AfterGap string

// What follows such time.
const (
	GapLatches AfterGap = "latch" // a stop, until a person acknowledges
	GapIsClear AfterGap = "clear" // nothing
)

// Stop is a stop input: a topic on which stop buttons repeat their value (A12).
type Stop struct {
	Topic  string
	Type   string
	Field  string        // the field of the message, with dots for a field within another
	Value  Scalar        // the network stops where the field has this value
	Silent time.Duration // a writer that has said nothing for so long counts as one that stops
}

// DefaultStopType is the type of a stop input whose file names none.
const DefaultStopType = "std_msgs/msg/Bool"

// Bounds of stop inputs.
const (
	mostStops      = 16
	shortestSilent = 50 * time.Millisecond
	longestSilent  = time.Minute
)

// defaultStop is a stop input whose file names only the topic.
func defaultStop() Stop {
	return Stop{Type: DefaultStopType, Field: "data", Value: Truth(true), Silent: 500 * time.Millisecond * patient.Factor}
}

func stopFields() []strict.Field[Stop] {
	return []strict.Field[Stop]{
		strict.Key("topic", "the topic on which stop buttons repeat their value", rosName("topic", "/estop"),
			func(s *Stop) *string { return &s.Topic }).Required(),
		strict.Key("type", "its type", interfaceType("msg", DefaultStopType),
			func(s *Stop) *string { return &s.Type }),
		strict.Key("field", "the field to look at; a dot leads into a field of a field, like status.level", fieldKind(),
			func(s *Stop) *string { return &s.Field }),
		strict.Key("value",
			"the value at which the network stops: true, false, a number or a text; every other value is clear",
			scalarKind(), func(s *Stop) *Scalar { return &s.Value }),
		strict.Key("silent",
			"how long a stop button may say nothing; let it repeat its value three times in this time",
			strict.Duration(false), func(s *Stop) *time.Duration { return &s.Silent }),
	}
}

// Says reports whether a value of the field says stop. fault says why the value cannot be compared with that of the
// network file; such a message counts as one that cannot be read.
func (s *Stop) Says(v Scalar) (stop bool, fault string) { return s.Bound().Admits(v) }

// Bound is what the field is compared with.
func (s *Stop) Bound() Bound { return Bound{Is: &s.Value} }

// stopsKind reads a list of stop inputs, or a mapping that has the list as one of its keys.
func stopsKind() strict.Kind[Stops] {
	list, whole := inputsKind(), strict.Record(stopsFields(), Defaults().Stops)
	return strict.Kind[Stops]{
		Schema: strict.Schema{"anyOf": []strict.Schema{list.Schema, whole.Schema}},
		Read: func(v strict.Value, into *Stops) {
			if v.IsMap() {
				whole.Read(v, into)
				return
			}
			list.Read(v, &into.Stop)
		},
		Write: func(s Stops) strict.Written {
			if len(s.Stop) == 0 && s.AfterGap == GapLatches {
				return list.Write(nil)
			}
			return whole.Write(s)
		},
	}
}

func stopsFields() []strict.Field[Stops] {
	return []strict.Field[Stops]{
		strict.Key("after_gap", "what follows time in which rstate did not listen to the stop inputs: latch (nothing is "+
			"armed until a person acknowledges) or clear (nothing)",
			strict.Enum(GapLatches, GapIsClear), func(s *Stops) *AfterGap { return &s.AfterGap }),
		strict.Key("inputs", "the stop inputs", inputsKind(), func(s *Stops) *[]Stop { return &s.Stop }).Required(),
	}
}

func inputsKind() strict.Kind[[]Stop] {
	one := strict.Record(stopFields(), defaultStop())
	return strict.Kind[[]Stop]{
		Schema: strict.Schema{"type": "array", "items": one.Schema, "maxItems": mostStops},
		Read: func(v strict.Value, into *[]Stop) {
			items, ok := v.Items("a list of stop inputs, like [{topic: /estop}]")
			if !ok {
				return
			}
			list := make([]Stop, len(items))
			for i, item := range items {
				list[i] = defaultStop()
				one.Read(item, &list[i])
				list[i].check(item)
			}
			if len(list) > mostStops {
				v.Fault(fmt.Sprintf("there are %d stop inputs", len(list)), fmt.Sprintf("write %d at most", mostStops))
			}
			*into = list
		},
		Write: func(list []Stop) strict.Written {
			var out []strict.Written
			for i := range list {
				out = append(out, strict.Mapping(stopFields(), &list[i]))
			}
			return strict.Writtens(out)
		},
	}
}

// check checks one stop input by itself.
func (s *Stop) check(v strict.Value) {
	if !v.IsMap() {
		return
	}
	if s.Silent < shortestSilent || s.Silent > longestSilent {
		v.Find("silent").Fault(fmt.Sprintf("%v is no time to wait for a stop button", s.Silent),
			fmt.Sprintf("write a time from %v to %v", shortestSilent, longestSilent))
	}
	switch at := v.Find("value"); {
	case s.Value.Kind == NoScalar: // its fault is found
	case s.Type == DefaultStopType && s.Field == "data" && s.Value.Kind != TruthScalar:
		at.Fault(fmt.Sprintf("%v is no value of a %s", s.Value, s.Type), "write true or false")
	case s.Value == Text(""):
		at.Fault("is empty", "write the value at which the network stops")
	}
}

// stopAt is where stop input k stands: in the list, or in the list of the mapping.
func (f *file) stopAt(k int) strict.Value { return f.root.Find("stop").Find("inputs").Find(k) }

// checkStops checks the stop inputs as a whole.
func (f *file) checkStops(m *machine.Machine) {
	at := f.root.Find("stop")
	if len(f.Stop) > 0 && !m.CanArm() {
		at.Fault("machine "+m.Name+" has no state that arms, so there is nothing to stop", "remove it")
	}
	seen := map[string]bool{}
	for k, s := range f.Stop {
		at := f.stopAt(k)
		key := s.Topic + " " + s.Field
		switch {
		case s.Topic == "": // its fault is found
		case seen[key]:
			at.Fault(s.Topic+" is a stop input already", "write it once")
		case s.Topic == f.Topic || s.Topic == PeersTopic(f.Simulation) || s.Topic == DefaultTopic(m, f.Simulation):
			at.Fault("instances of rstate speak on "+s.Topic, "give the stop button a topic of its own")
		}
		seen[key] = true
	}
}
