package daemon

import (
	"fmt"
	"slices"
	"strings"
)

// State is a state of a network or a node.
type State struct{ Label string }

// View holds the fields of ~/state that tests read.
type View struct {
	State, Target   State
	Settled, Intact bool
	Deviations      []struct{ Name, Found, Cause string }
	Nodes           []NodeView
	Armed           []string
	MayBeArmed      []string `json:"may_be_armed"`
	Legal           []string
	Refusal         string
	RefusedGoal     string `json:"refused_goal"`
	Warnings        []string
	Cause           string
	InstanceID      string   `json:"instance_id"`
	MachineHash     string   `json:"machine_hash"`
	OpenGoals       []string `json:"open_goals"`
	Peers           []Peer
	Seen            string // of the run and the era
	ChangesSeen     []Seen `json:"changes_seen"`
	Common          State
	Behind          bool
	Phase           string
	Step            uint64
	StepRate        float64 `json:"step_rate"`
	StepOverruns    uint64  `json:"step_overruns"`
	StepFault       string  `json:"step_fault"`
	Outcome         string
	StepTimes       []StepTime `json:"step_times"`

	StopInputs  []StopInput `json:"stop_inputs"`
	Stops       []struct{ Origin, Why string }
	StopsForbid string `json:"stops_forbid"`
	Readiness   string
	Obstacles   []Obstacle
	Checks      []Check
}

// Obstacle is one reason against arming.
type Obstacle struct {
	Name, Why string
	WhatToDo  string `json:"what_to_do"`
}

// Check is one check of the network file.
type Check struct {
	Name, Subject, Value, Fault string
	Known, Passes               bool
}

// Against joins the reasons against arming.
func (v View) Against() string {
	var words []string
	for _, o := range v.Obstacles {
		words = append(words, fmt.Sprintf("%s %s (%s)", o.Name, o.Why, o.WhatToDo))
	}
	return strings.Join(words, "; ")
}

// StopInput is a stop input of the daemon.
type StopInput struct {
	Topic, Kind, Why string
	Writers          []string
}

// StepTime is how long a participant of a loop takes for a phase.
type StepTime struct {
	Node  string
	Phase uint8
	Count uint64
}

// Seen is how many changes of an instance the daemon has seen.
type Seen struct {
	Instance string
	N        uint64
}

// Peer is another instance in the view.
type Peer struct {
	Name        string
	Required    bool
	Alive       bool
	SameMachine bool `json:"same_machine"`
	State       State
	Behind      bool
	Leaving     bool
	Cause       string
}

// Peer returns another instance by its name; the zero value if it was never received.
func (v View) Peer(name string) Peer {
	if i := slices.IndexFunc(v.Peers, func(p Peer) bool { return p.Name == name }); i >= 0 {
		return v.Peers[i]
	}
	return Peer{}
}

// NodeView is one node in the view.
type NodeView struct {
	Name        string
	Present     bool
	State       State
	Report      string
	ReportCount int `json:"report_count"`
	Cause       string
}

// Node returns a node of the view by its full name; the zero value if there is none.
func (v View) Node(name string) NodeView {
	if i := slices.IndexFunc(v.Nodes, func(n NodeView) bool { return n.Name == name }); i >= 0 {
		return v.Nodes[i]
	}
	return NodeView{}
}

// Deviation returns how a node deviates; empty if it does not.
func (v View) Deviation(name string) string {
	for _, d := range v.Deviations {
		if d.Name == name {
			return d.Found + " " + d.Cause
		}
	}
	return ""
}
