package network

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"rstate/internal/machine"
	"rstate/internal/patient"
	"rstate/internal/strict"
)

// Loop is the stepped loop of a network: its participants, and how much simulated time a step covers.
type Loop struct {
	DT           time.Duration
	Participants []Participant // in file order
	Clock        string        // simulated time is published on this topic; empty: on none
	Rate         float64       // how fast simulated time may be, against real time; 0: as fast as possible
	Record       *Record       // nil: the loop is not recorded
	Triggers     []Trigger
}

// Participant is a node that steps.
type Participant struct {
	Node     string
	As       StepRole
	Deadline time.Duration // of each of its calls
	Speaks   Interface
	Steps    int    // of a simulator that speaks the standard: how many of its own steps are one of the loop
	Services string // of such a simulator: its services are below this name; empty: below its own
}

// Interface is how a participant is called.
type Interface string

// The interfaces of participants.
const (
	SpeaksStep     Interface = "step"                  // <node>/step, rstate_msgs/srv/Step
	SpeaksStandard Interface = "simulation_interfaces" // the services of simulators in ROS 2
)

// mostSimulatorSteps is how many steps of a simulator can be one of the loop.
const mostSimulatorSteps = 1_000_000

// Below returns the name of one of the services of a simulator that speaks the standard.
func (p *Participant) Below(service string) string {
	base := p.Services
	if base == "" {
		base = p.Node
	}
	return strings.TrimSuffix(base, "/") + "/" + service
}

// StepRole is what a participant does in a step.
type StepRole string

// The roles. Simulators step before controllers.
const (
	Simulator  StepRole = "simulator"
	Controller StepRole = "controller"
)

// Trigger makes something happen to the loop, once: at the first end of a step at which both conditions hold.
type Trigger struct {
	After int           // so many steps have ended; 0 always holds
	At    time.Duration // simulated time has reached this; 0 always holds
	Do    LoopDoes
}

// LoopDoes is what a trigger does.
type LoopDoes string

// What triggers do. One that the machine has no command for becomes stop.
const (
	LoopStop    LoopDoes = "stop"
	LoopReset   LoopDoes = "reset"
	LoopAbort   LoopDoes = "abort"
	LoopPause   LoopDoes = "pause"
	LoopFail    LoopDoes = "fail"
	LoopSucceed LoopDoes = "succeed"
)

// Outcome is how a simulation ends.
type Outcome string

// The outcomes, as the engine names them.
const (
	Success Outcome = "success"
	Stopped Outcome = "stopped"
	Failure Outcome = "failure"
	Aborted Outcome = "aborted"
	NoStart Outcome = "no_start"
)

// Datum is simulation data that clients read over HTTP: the newest message of a topic, or the answer of a service.
type Datum struct {
	Name    string
	Topic   string // empty: a service
	Service string
	Type    string // empty: that of the graph
}

// defaultLoop is a loop whose file says nothing.
func defaultLoop() Loop { return Loop{DT: 20 * time.Millisecond} }

// mostTriggers is how many triggers a loop can have.
const mostTriggers = 64

func loopFields() []strict.Field[Loop] {
	return []strict.Field[Loop]{
		strict.Key("dt", "how much simulated time a step covers", strict.Duration(false),
			func(l *Loop) *time.Duration { return &l.DT }),
		strict.Key("participants", "the nodes that step, by full name; each offers <node>/step (rstate_msgs/srv/Step), or says with speaks what else", participantsKind(), func(l *Loop) *[]Participant { return &l.Participants }).Required(),
		strict.Key("clock", "the topic on which rstate publishes simulated time; true: /clock, false: none",
			clockKind(), func(l *Loop) *string { return &l.Clock }),
		strict.Key("rate", "how fast simulated time may be, against real time: 1.0 is real time, 0 as fast as possible",
			factorKind(), func(l *Loop) *float64 { return &l.Rate }),
		strict.Key("record", "the file to which the loop is recorded, like run.mcap",
			strict.Pointer(recordKind(), func() Record { return Record{} }),
			func(l *Loop) **Record { return &l.Record }),
		strict.Key("triggers", "what happens to the loop by itself, at the end of a step", triggersKind(),
			func(l *Loop) *[]Trigger { return &l.Triggers }),
	}
}

// clockKind reads true, which stands for /clock, false, or the name of a topic.
func clockKind() strict.Kind[string] {
	const wanted = "true, or the full name of a topic, like /sim_$(sim)/clock"
	text := strict.Text(wanted, rosPattern, func(s string) (string, string) {
		if word := strings.ToLower(s); word == "true" || word == "false" {
			return "", ""
		}
		return nameFault(s, "topic", wanted)
	})
	k := text
	k.Schema = strict.Schema{"anyOf": []strict.Schema{{"type": "boolean"}, text.Schema}}
	k.Read = func(v strict.Value, into *string) {
		text.Read(v, into)
		switch strings.ToLower(*into) {
		case "true":
			*into = "/clock"
		case "false":
			*into = ""
		}
	}
	k.Show = func(topic string) any {
		if topic == "" {
			return false
		}
		return topic
	}
	return k
}

// fastest is the highest rate of a loop, and slowest the lowest one above 0.
const fastest, slowest = 1000, 0.001

// factorKind reads how fast simulated time may be.
func factorKind() strict.Kind[float64] {
	wanted := fmt.Sprintf("a number from %g to %d, like 1.0, or 0 for as fast as possible", slowest, fastest)
	return strict.Kind[float64]{
		Schema: strict.Schema{"type": "number", "minimum": 0, "maximum": fastest},
		Read: func(v strict.Value, into *float64) {
			text, ok := v.Text(wanted)
			if !ok {
				return
			}
			f, err := strconv.ParseFloat(text, 64)
			if err != nil || f != 0 && !(slowest <= f && f <= fastest) { // what is not a number fails it too
				v.Fault(fmt.Sprintf("%.40q is no rate of a loop", text), "write "+wanted)
				return
			}
			*into = f
		},
		Show: func(f float64) any { return f },
	}
}

func participantFields() []strict.Field[Participant] {
	return []strict.Field[Participant]{
		strict.Key("as", "what the node does in a step: simulator, or controller, which comes after the simulators",
			strict.Enum(Simulator, Controller), func(p *Participant) *StepRole { return &p.As }),
		strict.Key("deadline", "how long one call to it may take", strict.Duration(false),
			func(p *Participant) *time.Duration { return &p.Deadline }),
		strict.Key("speaks", "how it is called: step is <node>/step (rstate_msgs/srv/Step); simulation_interfaces is for simulators that offer the standard services, such as Gazebo", strict.Enum(SpeaksStep, SpeaksStandard), func(p *Participant) *Interface { return &p.Speaks }),
		strict.Key("steps", "of a simulator that speaks simulation_interfaces: how many of its own steps are one step of the loop", strict.Int(1, mostSimulatorSteps), func(p *Participant) *int { return &p.Steps }),
		strict.Key("services", "of a simulator that speaks simulation_interfaces: the name below which its services are, or /; left out: its own name", servicesKind(), func(p *Participant) *string { return &p.Services }).Plain(),
	}
}

// servicesKind reads the name of a namespace.
func servicesKind() strict.Kind[string] {
	const wanted = "the full name of a node or namespace, like /gzserver, or / for services without one"
	return strict.Text(wanted, `^/`, func(s string) (string, string) {
		if s == "/" {
			return "", ""
		}
		return nameFault(s, "namespace", wanted)
	})
}

func participantsKind() strict.Kind[[]Participant] {
	fresh := Participant{As: Controller, Deadline: time.Second * patient.Factor, Speaks: SpeaksStep, Steps: 1}
	k := strict.Table(strict.Record(participantFields(), fresh), rosPattern, true,
		func(e strict.Entry) (Participant, bool) {
			p := fresh
			p.Node = e.Name
			problem, hint := NodeName(e.Name)
			if problem != "" {
				e.Key.Fault(problem, hint)
			}
			return p, problem == ""
		})
	k.Write = func(list []Participant) strict.Written {
		var pairs []strict.Pair
		for i := range list {
			pairs = append(pairs, strict.Pair{Key: list[i].Node, Value: strict.Mapping(participantFields(), &list[i])})
		}
		return strict.Map(pairs...)
	}
	return k
}

func triggersKind() strict.Kind[[]Trigger] {
	fields := []strict.Field[Trigger]{
		strict.Key("after", "so many steps have ended since the start of rstate", strict.Int(0, 1<<31-1),
			func(t *Trigger) *int { return &t.After }).Plain(),
		strict.Key("at", "simulated time has reached this", strict.Duration(true),
			func(t *Trigger) *time.Duration { return &t.At }).Plain(),
		strict.Key("do", "what happens then",
			strict.Enum(LoopStop, LoopReset, LoopAbort, LoopPause, LoopFail, LoopSucceed),
			func(t *Trigger) *LoopDoes { return &t.Do }).Required(),
	}
	one := strict.Record(fields, Trigger{})
	return strict.Kind[[]Trigger]{
		Schema: strict.Schema{"type": "array", "items": one.Schema, "maxItems": mostTriggers},
		Read: func(v strict.Value, into *[]Trigger) {
			items, ok := v.Items("a list of triggers, like [{after: 500, do: stop}]")
			if !ok {
				return
			}
			list := make([]Trigger, len(items))
			for i, item := range items {
				one.Read(item, &list[i])
				if list[i].After == 0 && list[i].At == 0 {
					item.Fault("this trigger has no condition",
						"write after: 500 (steps) or at: 10s (of simulated time)")
				}
			}
			if len(list) > mostTriggers {
				v.Fault(fmt.Sprintf("there are %d triggers", len(list)), fmt.Sprintf("write %d at most", mostTriggers))
			}
			*into = list
		},
		Write: func(list []Trigger) strict.Written {
			var out []strict.Written
			for i := range list {
				out = append(out, strict.Mapping(fields, &list[i]))
			}
			return strict.Writtens(out)
		},
	}
}

func datumFields() []strict.Field[Datum] {
	return []strict.Field[Datum]{
		strict.Key("topic", "the topic whose newest message is served", rosName("topic", "/odom"),
			func(d *Datum) *string { return &d.Topic }).Plain(),
		strict.Key("service", "the service whose answer is served; its request has no fields",
			rosName("service", "/world/dump"), func(d *Datum) *string { return &d.Service }).Plain(),
		strict.Key("type", "the type of the topic or service; left out: that of the graph",
			interfaceType("srv|msg", "nav_msgs/msg/Odometry"), func(d *Datum) *string { return &d.Type }).Plain(),
	}
}

func dataKind() strict.Kind[[]Datum] {
	k := strict.Table(strict.Record(datumFields(), Datum{}), tokenPattern, false, func(e strict.Entry) (Datum, bool) {
		problem, hint := wordFault(e.Name, "datum")
		if problem != "" {
			e.Key.Fault(problem, hint)
		}
		return Datum{Name: e.Name}, problem == ""
	})
	k.Write = func(list []Datum) strict.Written {
		var pairs []strict.Pair
		for i := range list {
			pairs = append(pairs, strict.Pair{Key: list[i].Name, Value: strict.Mapping(datumFields(), &list[i])})
		}
		return strict.Map(pairs...)
	}
	return k
}

// checkLoop refuses a loop that cannot run, and a machine with a loop that has no participant.
func (f *file) checkLoop(m *machine.Machine) {
	at := f.root.Find("loop")
	has := slices.ContainsFunc(m.States, func(s machine.State) bool { return s.Loop == machine.LoopRunning })
	switch {
	case f.Loop == nil && !has:
		return
	case f.Loop == nil:
		return // a mirror of an instance that has the loop
	case !has:
		at.Fault(fmt.Sprintf("no state of the machine %s has a loop", m.Name),
			"remove loop, or take a machine with one: cle, roscle or cloe")
		return
	case len(f.Loop.Participants) == 0:
		at.Fault("no node steps", "add a participant: participants: {/physics: {as: simulator}}")
	}
	for i, p := range f.Loop.Participants {
		f.checkSpeaks(at.Find("participants", p.Node), &f.Loop.Participants[i])
		if !slices.ContainsFunc(f.Nodes, func(n Node) bool { return n.Name == p.Node }) {
			var names []string
			for i := range f.Nodes {
				names = append(names, f.Nodes[i].Name)
			}
			at.Find("participants").KeyOf(p.Node).Fault("is no node of this network",
				strict.Suggest(p.Node, names, "add it to nodes"))
		}
	}
}

// checkSpeaks refuses keys of a simulator that speaks the standard at other participants, and says what such a
// simulator does not get.
func (f *file) checkSpeaks(at strict.Value, p *Participant) {
	switch {
	case p.Speaks == SpeaksStandard && p.As != Simulator:
		at.Find("speaks").Fault("only a simulator speaks simulation_interfaces, and "+p.Node+" is a "+string(p.As),
			"write as: simulator")
	case p.Speaks == SpeaksStandard:
		words := "the messages of " + p.Node +
			" are not in lockstep, because simulators that speak simulation_interfaces do not count them"
		if f.Loop.Record != nil {
			words += "; nor are they recorded"
		}
		at.Find("speaks").Warn(words, "let controllers that need them in lockstep read them from a node that is a SteppedNode (docs/loop.md)")
	default:
		const problem, hint = "is for simulators that speak simulation_interfaces",
			"remove it, or add speaks: simulation_interfaces"
		if p.Steps != 1 {
			at.Find("steps").Fault(problem, hint)
		}
		if p.Services != "" {
			at.Find("services").Fault(problem, hint)
		}
	}
}

// checkData refuses data that have no source, or two.
func (f *file) checkData() {
	for _, d := range f.Data {
		if (d.Topic == "") == (d.Service == "") {
			f.root.Find("data").KeyOf(d.Name).Fault("needs a topic or a service, and one of them only",
				"write "+d.Name+": {topic: /odom}")
		}
	}
}
