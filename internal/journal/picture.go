package journal

import (
	"slices"
	"time"
)

// Picture is what the lines of a journal say of a network, up to one of them. The zero value is that of no line.
type Picture struct {
	At       time.Time     `json:"at"`
	Instance string        `json:"instance"`
	State    string        `json:"state"`
	To       string        `json:"to,omitempty"`      // where a transition under way is to end
	Command  string        `json:"command,omitempty"` // of that transition
	Ended    bool          `json:"ended"`             // rstate has ended, or is to
	Missing  uint64        `json:"missing"`           // lines that should be there, and are not
	Nodes    []NodePicture `json:"nodes"`             // in the order in which they came
	Line     Line          `json:"line"`              // the newest

	after bool // there was a line
}

// NodePicture is one node in a picture.
type NodePicture struct {
	Name       string `json:"name"`
	Optional   bool   `json:"optional"`
	Gone       bool   `json:"gone"`
	Silent     bool   `json:"silent"`
	Seen       string `json:"seen"`                 // its state as last seen; empty: not seen by this run
	Asked      string `json:"asked,omitempty"`      // the step that it has been asked for, and that has no verdict yet
	MayBeArmed bool   `json:"may_be_armed"`         // it has been asked to arm, and no disarm is confirmed
	Armed      bool   `json:"armed"`                // it has said that it is armed
	Strayed    bool   `json:"strayed"`              // it is not as the state of the network says
	Verdict    string `json:"verdict,omitempty"`    // of its newest step
	LastStep   string `json:"last_step,omitempty"`  // what that step was
	LastCause  string `json:"last_cause,omitempty"` // what the verdict rests on
}

// Take takes the next line.
func (p *Picture) Take(l *Line) {
	if p.after {
		p.Missing += missing(&p.Line, l)
	}
	p.At, p.Instance, p.Line, p.after = l.At, l.Instance, *l, true
	if l.State != "" {
		p.State = l.State
	}
	switch l.Kind {
	case KindStart:
		p.begin()
	case KindEnd:
		p.Ended = true
	case KindState:
		p.moves(l)
	case KindNode:
		p.node(l.Node).changes(l)
	case KindStep:
		p.node(l.Node).steps(l)
	}
}

// begin forgets what the run before has seen. What may be armed stays so until a disarm is confirmed.
func (p *Picture) begin() {
	p.Ended, p.To, p.Command = false, "", ""
	p.Nodes = slices.DeleteFunc(p.Nodes, func(n NodePicture) bool { return !n.MayBeArmed })
	for i := range p.Nodes {
		n := &p.Nodes[i]
		*n = NodePicture{Name: n.Name, Optional: n.Optional, MayBeArmed: true}
	}
}

func (p *Picture) moves(l *Line) {
	switch l.Event {
	case EventBegan, EventTurned:
		if l.To != "" {
			p.To = l.To
		}
		if l.Command != "" {
			p.Command = l.Command
		}
	case EventSettled:
		p.To, p.Command = "", ""
	}
}

// node returns a node of that name, a new one if no line before was about it.
func (p *Picture) node(name string) *NodePicture {
	i := slices.IndexFunc(p.Nodes, func(n NodePicture) bool { return n.Name == name })
	if i < 0 {
		i = len(p.Nodes)
		p.Nodes = append(p.Nodes, NodePicture{Name: name})
	}
	return &p.Nodes[i]
}

func (n *NodePicture) changes(l *Line) {
	n.sees(l)
	switch l.Event {
	case EventThere:
		n.Gone, n.Silent, n.Seen, n.Asked = false, false, l.Seen, ""
	case EventGone:
		n.Gone, n.Silent, n.Seen, n.Asked = true, false, "", ""
	case EventStrayed:
		n.Strayed = true
		n.Gone = n.Gone || l.Verdict == "gone"
	case EventFits:
		n.Strayed, n.Gone = false, false
	case EventSilent:
		n.Silent = true
	case EventAnswers:
		n.Silent = false
	case EventMayBeArmed:
		n.MayBeArmed, n.Armed = true, l.Armed
	case EventDisarmed:
		n.MayBeArmed, n.Armed = false, false
	}
}

func (n *NodePicture) steps(l *Line) {
	n.sees(l)
	switch l.Event {
	case EventSent:
		n.Asked = l.Step
	case EventDone:
		n.Asked, n.LastStep, n.Verdict, n.LastCause = "", l.Step, l.Verdict, l.Cause
	}
}

func (n *NodePicture) sees(l *Line) {
	if l.Seen != "" {
		n.Seen = l.Seen
	}
	n.Optional = n.Optional || l.Optional
}
