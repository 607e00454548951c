package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"
)

// Kind is what a line is about.
type Kind string

// The kinds.
const (
	KindStart   Kind = "start"   // rstate starts
	KindEnd     Kind = "end"     // rstate is to stop, or ends
	KindGoal    Kind = "goal"    // a goal was taken, cancelled, finished
	KindRefusal Kind = "refusal" // a goal was not taken
	KindState   Kind = "state"   // the network's own state changed
	KindStep    Kind = "step"    // a node's part of a transition
	KindNode    Kind = "node"    // a node came, went, strayed, or is in its place again
	KindJournal Kind = "journal" // the journal itself: what it could not write
)

// Event is what happened, within a kind. A line of a kind that has events and bears none is read as eventOf says.
type Event string

// The events, by the kind that they belong to.
const (
	EventAsked    Event = "asked"    // goal: it was accepted
	EventCanceled Event = "canceled" // goal: its cancelling was accepted
	EventFinished Event = "finished" // goal: it ended

	EventBegan   Event = "began"   // state: a transition begins
	EventFailed  Event = "failed"  // state: it failed, or what a policy calls a failure happened: back to the origin
	EventTurned  Event = "turned"  // state: it takes another way: back after a cancel, or the next rung of the ladder
	EventSettled Event = "settled" // state: the network rests in it

	EventSent Event = "sent" // step: asked of the node, no verdict yet

	EventThere   Event = "there"   // node: a process of its name lives
	EventGone    Event = "gone"    // node: none does
	EventStrayed Event = "strayed" // node: it is not as the network's state says
	EventFits    Event = "fits"    // node: it is again
)

// Line is one thing that happened. N, and Instance and At where they are empty, are the journal's to fill.
type Line struct {
	N        uint64        `json:"n"`                   // counts on over restarts; a number that is missing is a line that is
	At       time.Time     `json:"at,omitzero"`         // wall clock
	Steady   time.Duration `json:"steady_ns,omitempty"` // steady clock of the instance, for durations
	Instance string        `json:"instance,omitempty"`
	Kind     Kind          `json:"kind"`
	Event    Event         `json:"event,omitempty"`
	State    string        `json:"state,omitempty"`   // of the network, after what happened
	Settled  bool          `json:"settled,omitempty"` // State is one that the network rests in

	// Of goals, refusals and transitions.
	Command string `json:"command,omitempty"` // goal, refusal: as asked; state: the transition
	Goal    string `json:"goal,omitempty"`    // the handle
	By      string `json:"by,omitempty"`      // who asked, where that is known
	Reason  string `json:"reason,omitempty"`  // as the caller gave it
	Outcome string `json:"outcome,omitempty"` // of a finished goal: "succeeded done", "aborted restored"
	From    string `json:"from,omitempty"`    // the settled state in which the transition began
	To      string `json:"to,omitempty"`      // where the transition is to end

	// Of steps and nodes.
	Node     string        `json:"node,omitempty"`
	Step     string        `json:"step,omitempty"`    // what was asked of the node
	Verdict  string        `json:"verdict,omitempty"` // what became of that; of a strayed node: gone, unknown, or nothing
	Optional bool          `json:"optional,omitempty"`
	Count    int           `json:"count,omitempty"`       // living processes of the name, where there are several
	Seen     string        `json:"seen,omitempty"`        // the node's state as last seen
	SeenAgo  time.Duration `json:"seen_ago_ns,omitempty"` // how old that was
	Took     time.Duration `json:"took_ns,omitempty"`

	Sentence string `json:"sentence,omitempty"` // the whole of it for a person
	Cause    string `json:"cause,omitempty"`    // the reason, or what the verdict rests on
	Lost     uint64 `json:"lost,omitempty"`     // journal: lines that are missing right before this one
}

// String is the line for a person who reads a list of them.
func (l Line) String() string {
	text := l.Sentence
	if text == "" {
		text = fmt.Sprintf("%s %s %s", l.Event, l.Node, l.State)
	}
	if l.Cause != "" && l.Cause != l.Sentence {
		text += ": " + l.Cause
	}
	return fmt.Sprintf("%s %-7s %s", l.At.Format("2006-01-02 15:04:05.000"), l.Kind, text)
}

const (
	maxText = 4 << 10 // of one text in a line; an over-long message of a node fills no disk
	maxLine = 1 << 20 // what a reader takes for a line; a clipped one is shorter, however it is escaped
)

// maxNumber leaves room to count on from whatever a file claims.
const maxNumber = 1 << 62

var errNoLine = errors.New("is no line of a journal")

// encoder returns what appends lines, each with its newline.
func encoder(to io.Writer) *json.Encoder {
	enc := json.NewEncoder(to)
	enc.SetEscapeHTML(false) // it is people who read this
	return enc
}

func decode(text []byte) (Line, error) {
	var l Line
	if err := json.Unmarshal(text, &l); err != nil || l.N == 0 || l.N > maxNumber || l.Kind == "" {
		return Line{}, errNoLine
	}
	return l, nil
}

// bound clips the texts of a line and returns about how much memory it takes.
func (l *Line) bound() int {
	size := 400
	for _, s := range []*string{
		&l.Instance, (*string)(&l.Kind), (*string)(&l.Event), &l.State, &l.Command, &l.Goal, &l.By, &l.Reason, &l.Outcome,
		&l.From, &l.To, &l.Node, &l.Step, &l.Verdict, &l.Seen, &l.Sentence, &l.Cause,
	} {
		*s = clip(*s)
		size += len(*s)
	}
	if y := l.At.Year(); y < 0 || y > 9999 {
		l.At = time.Time{} // a clock gone mad cannot be written down, and must not cost the line
	}
	return size
}

func clip(s string) string {
	if len(s) <= maxText {
		return s
	}
	cut := maxText
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "… (cut)"
}

// eventOf is the event of a line; where it bears none, what its other fields say.
func eventOf(l *Line) Event {
	switch {
	case l.Event != "":
		return l.Event
	case l.Kind == KindState && l.Settled:
		return EventSettled
	case l.Kind == KindState && l.Command != "":
		return EventBegan
	case l.Kind == KindState:
		return EventTurned
	case l.Kind == KindGoal && l.Outcome != "":
		return EventFinished
	case l.Kind == KindGoal:
		return EventAsked
	case l.Kind == KindStep && l.Verdict == "":
		return EventSent
	}
	return ""
}

// LastSettled returns the settled state in which lines end. It is empty if they end on the way to another, if there is
// none, or if lines are missing after it: what they said nobody knows. A start that wants to know no more need not read
// the whole journal: a Filter with Last, of more lines than one transition has, is enough.
func LastSettled(lines []Line) string {
	settled, last := "", uint64(0)
	for i := range lines {
		l := &lines[i]
		if l.Lost > 0 || (last > 0 && l.N > last+1) {
			settled = ""
		}
		last = l.N
		if l.Kind != KindState {
			continue
		}
		settled = ""
		if eventOf(l) == EventSettled {
			settled = l.State
		}
	}
	return settled
}
