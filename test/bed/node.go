package bed

import (
	"cmp"
	"slices"
	"testing"
	"time"
)

// NodeSpec describes a node and its behaviour.
type NodeSpec struct {
	Name  string // the full one: /ns/lidar
	Plain bool   // no lifecycle
	Arm   string // the name of its std_srvs/srv/SetBool service, if it has one: /ns/lidar/arm
	// it arms and disarms side by side, so a disarm does not end an arm that runs; Threads must be above 2
	Beside bool
	Begins []string // transitions that it takes by itself before anyone can ask it: configure, activate
	Check  string   // the name of its std_srvs/srv/Trigger service, if it has one; the word is check
	// its std_msgs/msg/Int32 topic, if it has one: published while it is active, by a plain node always
	Topic   string
	Rate    float64 // of the topic, in Hz
	Reports bool    // it publishes sub-states on <node>/report; see Report
	StepsAs string  // the participant whose <node>/step it offers, too; empty: its own
	// it takes part in a stepped loop, as <node>/step; the words are step_begin, step_simulator, step_controller,
	// step_end and reset
	Steps bool
	// It serves its parameters.
	Parameters bool
	Bonds      string // the topic on which it bonds while it is active; empty: it does not. See Nav2Interfaces.
	Threads    int    // above 1: Arm is answered during a transition's callback
	// by word: configure, cleanup, activate, deactivate, shutdown, error; arm, disarm, check
	Script map[string][]Behaviour
}

// Result is how a callback ends.
type Result string

// The results that a script can name.
const (
	Success Result = "success"
	Failure Result = "failure" // refusal
	Fault   Result = "error"   // for transitions only
	Thrown  Result = "throw"   // the callback of a transition raises an exception
	Frozen  Result = "freeze"  // does not return until Thaw, then succeeds
)

// Answer is how a node's answer to a change_state relates to what it does. It applies to requests
// by label. Lost and Deaf also apply to arm and disarm.
type Answer string

// The answers that a script can name. By default the answer is the truth.
const (
	Hollow Answer = "hollow" // reports success and keeps its state
	Denied Answer = "denied" // moves and reports failure
	Lost   Answer = "lost"   // moves, and its answer is lost
	Deaf   Answer = "deaf"   // the request is lost: the node neither moves nor answers
)

// Behaviour is the reaction to a word. Of several each is used once, in order, and the last for
// ever.
type Behaviour struct {
	Delay  time.Duration
	Result Result // empty for Success
	Answer Answer // empty for the truth
	Want   uint8  // of a participant: a value of want in rstate_msgs/srv/Step
	Report string // a sub-state that the callback publishes before it ends, on the node's own publisher
}

// Call is one call of the node, with the wall clock in nanoseconds; End is 0 while it runs.
type Call struct {
	What       string
	Begin, End int64
	Result     Result
}

// Node is a node in a host. Its methods read from the node itself, not over ROS.
type Node struct {
	Name   string
	host   *Host
	handle string
}

// Node makes a node, until the end of the test.
func (h *Host) Node(spec NodeSpec) *Node {
	h.t.Helper()
	n := &Node{Name: spec.Name, host: h, handle: Unique(h.t, "node")}
	script := map[string]any{}
	for word, behaviours := range spec.Script {
		script[word] = behavioursForHost(behaviours)
	}
	steps := ""
	if spec.Steps {
		steps = cmp.Or(spec.StepsAs, spec.Name) + "/step"
	}
	h.must("create_node", map[string]any{"handle": n.handle, "name": spec.Name, "lifecycle": !spec.Plain,
		"arm":    spec.Arm,
		"beside": spec.Beside, "begins": append([]string{}, spec.Begins...),
		"check": spec.Check, "topic": spec.Topic, "rate": spec.Rate, "reports": spec.Reports, "steps": steps,
		"parameters": spec.Parameters, "bonds": spec.Bonds,
		"threads": max(spec.Threads, 1), "script": script}, nil)
	h.cleanup("destroy_node", n.handle)
	return n
}

func behavioursForHost(behaviours []Behaviour) []map[string]any {
	var listed []map[string]any
	for _, b := range behaviours {
		if b.Result == "" {
			b.Result = Success
		}
		listed = append(listed, map[string]any{"delay": b.Delay.Seconds(), "result": b.Result, "answer": b.Answer,
			"want": b.Want, "report": b.Report})
	}
	return listed
}

// Script changes the node's behaviour for a word from now on.
func (n *Node) Script(word string, behaviours ...Behaviour) {
	n.host.t.Helper()
	n.host.must("script", map[string]any{"handle": n.handle, "word": word, "behaviours": behavioursForHost(behaviours)},
		nil)
}

// Pace changes the rate of the node's topic; with 0 it goes silent.
func (n *Node) Pace(hz float64) {
	n.host.t.Helper()
	n.host.must("pace", map[string]any{"handle": n.handle, "rate": hz}, nil)
}

// Report publishes a sub-state on the node's own publisher, which keeps it for later subscribers.
func (n *Node) Report(state string) {
	n.host.t.Helper()
	n.host.must("report", map[string]any{"handle": n.handle, "state": state}, nil)
}

// Thaw lets callbacks that are frozen or delayed return now.
func (n *Node) Thaw() {
	n.host.t.Helper()
	n.host.must("thaw", map[string]any{"handle": n.handle}, nil)
}

// Destroy removes the node from the graph cleanly, as a process does that ends by itself.
func (n *Node) Destroy() {
	n.host.t.Helper()
	n.host.must("destroy_node", map[string]any{"handle": n.handle}, nil)
}

// Truth is the node's real state and record, independent of what other processes have received.
type Truth struct {
	State string // the lifecycle label; empty for a plain node
	Armed bool
	Calls []Call
	Bond  string     // the state of its side of the bond: waiting, alive or dead; empty: it has none
	Steps [][4]int64 // calls of a participant: the number of the step, the phase, simulated time and dt in nanoseconds
}

// Truth reads them from the node itself.
func (n *Node) Truth() Truth {
	n.host.t.Helper()
	var truth Truth
	n.host.must("node", map[string]any{"handle": n.handle}, &truth)
	return truth
}

// Words returns the calls of the node, in order.
func (t Truth) Words() []string {
	var words []string
	for _, call := range t.Calls {
		words = append(words, call.What)
	}
	return words
}

// Count returns how often a word was called.
func (t Truth) Count(word string) int {
	return len(slices.DeleteFunc(t.Words(), func(w string) bool { return w != word }))
}

// Ready waits until each lifecycle node is matched with the host in both directions, and has
// answered a get_state.
func (h *Host) Ready(nodes ...*Node) {
	h.t.Helper()
	for _, n := range nodes {
		h.uses(n.Name + "/change_state")
		h.uses(n.Name + "/get_state")
		h.must("ready", map[string]any{"name": n.Name, "timeout": Deadline.Seconds()}, nil)
	}
}

// GetState asks a lifecycle node over ROS for the label of its state.
func (h *Host) GetState(name string, timeout time.Duration) (string, error) {
	var answer struct {
		CurrentState struct{ Label string } `json:"current_state"`
	}
	err := h.Call("lifecycle_msgs/srv/GetState", name+"/get_state", nil, timeout, &answer)
	return answer.CurrentState.Label, err
}

// ChangeState asks a lifecycle node over ROS for a transition, by its label.
func (h *Host) ChangeState(name, label string, timeout time.Duration) (success bool, err error) {
	var answer struct{ Success bool }
	request := map[string]any{"transition": map[string]any{"label": label}}
	err = h.Call("lifecycle_msgs/srv/ChangeState", name+"/change_state", request, timeout, &answer)
	return answer.Success, err
}

// EventuallyState waits until the node itself reports a state.
func (n *Node) EventuallyState(t testing.TB, label string) {
	t.Helper()
	Eventually(t, n.Name+" is "+label, func() (string, bool) {
		state := n.Truth().State
		return state, state == label
	})
}
