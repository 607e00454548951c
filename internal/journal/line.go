package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"rstate/internal/clean"
)

// Kind is what a line is about.
type Kind string

// The kinds.
const (
	KindStart   Kind = "start"   // rstate starts
	KindEnd     Kind = "end"     // rstate is to stop, or ends
	KindGoal    Kind = "goal"    // a goal was taken, cancelled, finished
	KindRefusal Kind = "refusal" // a goal, or its cancelling, was not taken
	KindState   Kind = "state"   // the network's own state changed
	KindStep    Kind = "step"    // a node's part of a transition
	KindNode    Kind = "node"    // a node came, went, strayed, or is in its place again
	KindJournal Kind = "journal" // the journal itself could not be written, or is again
	KindClock   Kind = "clock"   // which clock deadlines of nodes count
	KindConsole Kind = "console" // the log cannot be written
	KindStall   Kind = "stall"   // the process or its loop did not run for a while
	KindPeer    Kind = "peer"    // another instance of the simulation came, went, or made a change
	KindStop    Kind = "stop"    // a stop input has stopped the network, or a person has acknowledged that
)

// Kinds are all of them.
var Kinds = []Kind{KindStart, KindEnd, KindGoal, KindRefusal, KindState, KindStep, KindNode, KindJournal, KindClock,
	KindConsole, KindStall, KindPeer, KindStop}

// groups are the kinds in the words of the service ~/history, whose message has them as constants.
var groups = map[Kind]string{
	KindGoal: "command", KindRefusal: "refusal", KindStep: "step", KindState: "state", KindNode: "drift",
	KindPeer:  "peer",
	KindStop:  "stop",
	KindStart: "instance", KindEnd: "instance", KindJournal: "instance", KindClock: "instance", KindConsole: "instance",
	KindStall: "instance",
}

// Group is the kind in the words of the service ~/history; empty for a kind that it does not have.
func (k Kind) Group() string { return groups[k] }

// Event is what happened, within a kind.
type Event string

// The events, by the kinds that have any.
const (
	EventAsked    Event = "asked"    // goal: it was accepted
	EventCanceled Event = "canceled" // goal: its cancelling was
	EventFinished Event = "finished" // goal: it ended

	EventBegan Event = "began" // state: a transition begins
	// state: it failed, or what a policy calls a failure happened; journal: it cannot be written; clock: nothing is
	// heard of it
	EventFailed  Event = "failed"
	EventTurned  Event = "turned"  // state: it takes another way: back after a cancel, or the next rung of the ladder
	EventSettled Event = "settled" // state: the network rests in it

	EventSent Event = "sent" // step: asked of the node, no verdict yet
	EventDone Event = "done" // step: it has a verdict; journal: it is written again; clock: it is another one now

	EventStalled Event = "stalled" // stall: the process did not run, and reads its nodes anew
	EventLate    Event = "late"    // stall: the loop was busy

	EventThere   Event = "there"   // node: a process of its name lives
	EventGone    Event = "gone"    // node: none does
	EventStrayed Event = "strayed" // node: it is not as the network's state says
	EventFits    Event = "fits"    // node: it is again
	EventSilent  Event = "silent"  // node: it is unresponsive
	EventAnswers Event = "answers" // node: it is not any more

	EventReported Event = "reported" // node: it reports a sub-state
	EventStrange  Event = "strange"  // node: it reports a word that the network file does not declare

	EventMayBeArmed Event = "may_be_armed" // node: it may be armed from now on
	EventDisarmed   Event = "disarmed"     // node: it is disarmed for certain

	EventSaid Event = "heard" // peer: it made a change, or knows of one

	EventEnded Event = "ended" // end: in good order, with this line

	EventLatched      Event = "latched"      // stop: nothing is armed until a person acknowledges
	EventAcknowledged Event = "acknowledged" // stop: a person has acknowledged it
	EventExtended     Event = "extended"     // stop: it is part of a newer one of the same instance
)

// Line is one thing that happened. N and Instance are the journal's to fill.
type Line struct {
	N        uint64    `json:"n"` // counts the lines of one run, from 1
	Instance string    `json:"instance"`
	At       time.Time `json:"at"` // wall clock
	Kind     Kind      `json:"kind"`
	Event    Event     `json:"event,omitempty"`
	State    string    `json:"state,omitempty"` // of the network, after what happened

	// Of goals, refusals and changes of state.
	Command string `json:"command,omitempty"` // goal, refusal: as asked; state: the transition
	Goal    string `json:"goal,omitempty"`    // the handle
	Reason  string `json:"reason,omitempty"`  // as the caller gave it
	Client  string `json:"client,omitempty"`  // who asked, as far as is known
	Outcome string `json:"outcome,omitempty"` // of a finished goal: "succeeded done", "aborted restored"
	// of a disarm that was asked for: how many orders to disarm this run has given
	Orders uint64 `json:"orders,omitempty"`
	From   string `json:"from,omitempty"` // the settled state in which the transition began
	To     string `json:"to,omitempty"`   // where it is to end
	// of a state that began or settled: the goal's commands that follow, unless the goal ends before
	Then string `json:"then,omitempty"`

	// Of steps and nodes.
	Node string `json:"node,omitempty"` // of a transition that begins: the peer whose change it follows
	Step string `json:"step,omitempty"` // what was asked of the node
	// what became of that; of a strayed node: gone, unknown, or nothing
	Verdict  string        `json:"verdict,omitempty"`
	Optional bool          `json:"optional,omitempty"`
	Count    int           `json:"count,omitempty"`       // living processes of the name, where there are several
	Seen     string        `json:"seen,omitempty"`        // the node's state as last seen
	SeenAgo  time.Duration `json:"seen_ago_ns,omitempty"` // how old that was
	Took     time.Duration `json:"took_ns,omitempty"`

	// Of a node that may be armed: the call that disarms it.
	Service string `json:"service,omitempty"`
	Type    string `json:"type,omitempty"`
	Lease   bool   `json:"lease,omitempty"` // it follows the arm lease
	// How long a lease is good for without a newer proof.
	Proof time.Duration `json:"proof_ns,omitempty"`
	Armed bool          `json:"armed,omitempty"` // it has said that it is armed, so no request to arm is open

	// Of a stop of the node's instance: the run that has latched it, how many it has latched, and how many of these are
	// acknowledged.
	StopRun      string    `json:"stop_run,omitempty"`
	Latched      uint64    `json:"latched,omitempty"`
	Acknowledged uint64    `json:"acknowledged,omitempty"`
	StopWhy      string    `json:"stop_why,omitempty"` // the newest of these stops
	StopAt       time.Time `json:"stop_at,omitzero"`
	StopSince    time.Time `json:"stop_since,omitzero"` // of time in which nothing listened: when it began

	// Of a run with stop inputs: in each line the boot of the machine. In those that a start believes: the topics of the
	// inputs. In its last line also the time since the boot.
	Boot    string        `json:"boot,omitempty"`
	Listens string        `json:"listens,omitempty"` // separated by spaces
	Up      time.Duration `json:"up_ns,omitempty"`

	// Of a start and of a settled state: the ROS domain. Of a start: the network file.
	Domain string `json:"domain,omitempty"`
	File   string `json:"file,omitempty"`

	// Of a start: the simulation id and the hash of the machine. Of that and of a settled state: what a state means.
	Simulation string `json:"simulation,omitempty"`
	Machine    string `json:"machine_hash,omitempty"`
	Network    string `json:"network,omitempty"`

	Sentence string `json:"sentence"`        // the whole of it for a person
	Cause    string `json:"cause,omitempty"` // the reason, or what the verdict rests on
}

// Text is the line's sentence, with its cause where that says more.
func (l *Line) Text() string {
	if l.Cause == "" || l.Cause == l.Sentence {
		return l.Sentence
	}
	return l.Sentence + " (" + l.Cause + ")"
}

// JSON is the line as the journal has it.
func (l *Line) JSON() string { return strings.TrimSuffix(string(encode(l)), "\n") }

// ParseLine reads a line from outside.
func ParseLine(text string) (Line, error) { return decode([]byte(text)) }

const maxLine = 1 << 18 // what a reader takes for a line; a clipped one is shorter, however it is escaped

// encode returns the line with its newline.
func encode(l *Line) []byte {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)  // it is people who read this
	if enc.Encode(l) != nil { // a year that cannot be written down must not cost the line
		l.At = time.Time{}
		_ = enc.Encode(l)
	}
	return text.Bytes()
}

func decode(text []byte) (Line, error) {
	var l Line
	if err := json.Unmarshal(text, &l); err != nil || l.N == 0 || l.Kind == "" {
		return Line{}, errors.New("is no line of a journal")
	}
	for _, s := range l.texts() { // an earlier version may have written it
		*s = clean.Text(*s)
	}
	return l, nil
}

// texts are those of the line's texts that may come from outside.
func (l *Line) texts() []*string {
	return []*string{
		&l.Instance, &l.State, &l.Command, &l.Goal, &l.Reason, &l.Client, &l.Outcome, &l.From, &l.To, &l.Then, &l.Node,
		&l.Step, &l.Verdict, &l.Seen,
		&l.Service, &l.Type, &l.Domain, &l.File, &l.Simulation, &l.Machine, &l.Network, &l.Sentence, &l.Cause,
		&l.StopRun, &l.StopWhy, &l.Boot, &l.Listens,
	}
}

// clipped returns the line with texts that are safe to print and not too long.
func (l Line) clipped() Line {
	for _, s := range l.texts() {
		*s = clean.Short(*s)
	}
	return l
}

// LastSettled returns the settled state in which lines end. It is empty in these cases:
//   - The lines end on the way to another state. A state from which the goal was to continue is on the
//     way, unless the goal ended there: a loss of power may have removed the continuation.
//   - There is no settled state.
//   - Lines are missing after it, so that later states are unknown.
func LastSettled(lines []Line) string {
	ended := map[string]bool{} // goals, after the line that is looked at
	for k := len(lines) - 1; k >= 0; k-- {
		if k+1 < len(lines) && missing(&lines[k], &lines[k+1]) > 0 {
			return ""
		}
		switch l := &lines[k]; {
		case l.Kind == KindGoal && l.Event == EventFinished:
			ended[l.Goal] = true
		case l.Kind != KindState:
		case l.Event == EventSettled && (l.Then == "" || ended[l.Goal]):
			return l.State
		default:
			return ""
		}
	}
	return ""
}

// missing is how many lines should be between two that follow each other, and are not.
func missing(a, b *Line) uint64 {
	last := uint64(0)
	if a.Instance == b.Instance {
		last = a.N
	}
	if b.N <= last {
		return 0
	}
	return b.N - last - 1
}
