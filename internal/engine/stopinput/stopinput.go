// Package stopinput judges one stop input of a network: a topic on which stop buttons repeat that nothing
// has to stop. It tells the writers of the topic apart, because one button that is clear says nothing of
// another one that has fallen silent.
//
// An input is clear if at least one writer is there and each writer has said clear within the time that the
// network file allows. Only what arrives counts, by the time of its arrival. A writer that leaves the graph
// right after it has said clear, while nothing is armed, has left in order and is forgotten. Every other
// writer that leaves is lost, until a person acknowledges.
//
// It has no clock. It may import the standard library only.
package stopinput

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Word is what a message of a stop input says.
type Word uint8

// The words.
const (
	Clear   Word = iota
	Stop         // the value at which the network stops
	Garbled      // a message that cannot be read as a value
)

func (w Word) String() string { return [...]string{"clear", "stop", "garbled"}[min(w, Garbled)] }

// Kind is how an input is, for a person and for programs.
type Kind string

// The kinds, the worst first.
const (
	Pressed Kind = "stop"
	Silent  Kind = "silent"  // a writer has said nothing in time, or there is none
	Unclear Kind = "unclear" // the topic cannot be read, or its writers cannot be told apart
	Lost    Kind = "lost"    // all writers that are there are clear, and another one has left and may have wanted to stop
	IsClear Kind = "clear"
)

// Writer is a publisher of the topic in the graph.
type Writer struct {
	ID   string // the same that its messages carry
	Node string // the full name of its node
}

// Seen is what the graph shows of a topic.
type Seen struct {
	Writers []Writer
	// Messages do not carry the ID of their writer. Then a message counts as one of the only writer.
	Unsigned bool
	Fault    string // why the topic cannot be read; empty: it can
}

// Is is how an input is.
type Is struct {
	Kind    Kind
	Why     string        // in words without a time, so that they stay the same; empty: it is clear
	Age     time.Duration // of the oldest newest word of a writer; negative: no writer has said anything
	Writers []string      // the nodes that are heard
}

// writer is a publisher that was heard in this life.
type writer struct {
	Writer
	word   Word
	why    string        // of a garbled word
	at     time.Duration // when it said that; the time in which this process did not run does not count
	said   time.Duration // the same, and that time counts
	listed bool          // the graph has shown it since it was heard
	lost   bool
}

// Input is what is known of one stop input. The zero value with a Silent time knows nothing.
type Input struct {
	Silent time.Duration // a writer that has said nothing for so long is silent

	writers []writer // by ID
	graph   Seen
	since   time.Duration // since when silence counts: nothing was listened to before
	beyond  time.Duration // when a writer of which nothing is kept last said stop; 0: none has
}

// unlisted is how long a writer counts as there that the graph does not show yet: its first message may come
// before its discovery.
const unlisted = time.Second

// mostWriters are kept of an input. A stop counts from any other one too, and its clear words do not: the graph shows it as
// one that has said nothing.
const mostWriters = 64

// anonymous is the ID of the only writer, where messages carry none.
const anonymous = ""

// Begin notes that silence counts from now on.
func (in *Input) Begin(now time.Duration) { in.since = now }

// Hear takes a message. It reports whether the writer says stop and has not said so before.
func (in *Input) Hear(now time.Duration, id string, word Word, why string) (pressed bool) {
	if in.graph.Unsigned {
		id = anonymous
	}
	k := slices.IndexFunc(in.writers, func(w writer) bool { return w.ID == id })
	if k < 0 && len(in.writers) >= mostWriters {
		in.dropLost()
	}
	if k < 0 && len(in.writers) >= mostWriters {
		return in.hearBeyond(now, word)
	}
	if k < 0 {
		k = len(in.writers)
		in.writers = append(slices.Clip(in.writers), writer{Writer: Writer{ID: id}})
	} else {
		in.writers = slices.Clone(in.writers)
	}
	w := &in.writers[k]
	pressed = word == Stop && (w.word != Stop || w.at == 0)
	w.word, w.why, w.at, w.said, w.lost = word, why, max(now, 1), now, false
	if n := in.node(id); n != "" {
		w.Node, w.listed = n, true
	}
	slices.SortFunc(in.writers, func(a, b writer) int { return strings.Compare(a.ID, b.ID) })
	return pressed
}

// Knows reports whether a writer is shown: it has spoken, is not lost, and is not one too many.
func (in *Input) Knows(id string) bool {
	if in.graph.Unsigned {
		id = anonymous
	}
	return slices.ContainsFunc(in.writers, func(w writer) bool { return w.ID == id && w.at > 0 && !w.lost })
}

// hearBeyond takes a message of a writer of which nothing is kept. It reports whether the writer says stop and none has
// said so lately: a button that is held repeats it.
func (in *Input) hearBeyond(now time.Duration, word Word) (pressed bool) {
	if word != Stop {
		return false
	}
	pressed = !in.pressedBeyond(now)
	in.beyond = max(now, 1)
	return pressed
}

// pressedBeyond reports whether a writer of which nothing is kept says stop.
func (in *Input) pressedBeyond(now time.Duration) bool {
	return in.beyond > 0 && now <= in.beyond+in.Silent
}

// dropLost forgets the lost writer that was heard longest ago, if there is one. Its loss was a stop, which stays.
func (in *Input) dropLost() {
	drop := -1
	for k := range in.writers {
		if w := &in.writers[k]; w.lost && (drop < 0 || w.at < in.writers[drop].at) {
			drop = k
		}
	}
	if drop >= 0 {
		in.writers = slices.Delete(slices.Clone(in.writers), drop, drop+1)
	}
}

// node returns the node of a writer that the graph shows.
func (in *Input) node(id string) string {
	for _, w := range in.graph.Writers {
		if w.ID == id || in.graph.Unsigned && len(in.graph.Writers) == 1 {
			return w.Node
		}
	}
	return ""
}

// See takes what the graph shows. armed says that something may be armed, so no writer leaves in order. It
// returns the nodes of the writers that have left otherwise.
func (in *Input) See(now time.Duration, seen Seen, armed bool) (lost []string) {
	if seen.Unsigned && !in.graph.Unsigned {
		in.unsign()
	}
	if !seen.Unsigned && in.graph.Unsigned { // from now on messages carry their writer: it will speak again
		in.writers = slices.DeleteFunc(slices.Clone(in.writers), func(w writer) bool { return w.ID == anonymous })
		in.since = max(in.since, now)
	}
	in.graph = seen
	return in.leave(now, armed)
}

// unsign makes one writer of all, because their messages cannot be told apart.
func (in *Input) unsign() {
	var all []writer
	for _, w := range in.writers {
		if len(all) == 0 || w.at > all[0].at {
			w.ID = anonymous
			all = []writer{w}
		}
	}
	in.writers = all
}

// Tick looks at writers that the graph has never shown. It returns those that are lost.
func (in *Input) Tick(now time.Duration, armed bool) (lost []string) {
	for k := range in.writers {
		if w := &in.writers[k]; !w.lost && !w.listed && now >= w.at+max(unlisted, in.Silent) && in.graph.Fault == "" {
			return in.leave(now, armed)
		}
	}
	return nil
}

func (in *Input) leave(now time.Duration, armed bool) (lost []string) {
	var kept []writer
	for _, w := range in.writers {
		switch {
		case in.listed(w.ID):
			w.listed, w.Node = true, in.node(w.ID)
		case w.lost || in.graph.Fault != "": // what is not looked at has not left
		case !w.listed && now < w.at+max(unlisted, in.Silent):
		case w.listed && w.word == Clear && now <= w.said+in.Silent && !armed:
			continue
		default:
			w.lost = true
			lost = append(lost, w.name())
		}
		kept = append(kept, w)
	}
	in.writers = kept
	return lost
}

// listed reports whether the graph shows a writer.
func (in *Input) listed(id string) bool {
	if in.graph.Unsigned {
		return len(in.graph.Writers) > 0
	}
	return slices.ContainsFunc(in.graph.Writers, func(w Writer) bool { return w.ID == id })
}

// Forget forgets the writers that are lost: a person has acknowledged.
func (in *Input) Forget() {
	in.writers = slices.DeleteFunc(slices.Clone(in.writers), func(w writer) bool { return w.lost })
}

// name names a writer for a person.
func (w *writer) name() string {
	switch {
	case w.Node != "":
		return w.Node
	case w.ID != "":
		return "writer " + w.ID
	}
	return "its writer"
}

// Is judges the input. What has arrived before fresh does not count as clear: it may have waited in a queue
// while this process did not run.
func (in *Input) Is(now, fresh time.Duration) Is {
	is := Is{Kind: IsClear, Age: -1}
	for k := range in.writers {
		if w := &in.writers[k]; !w.lost {
			is.Age, is.Writers = max(is.Age, now-w.at), append(is.Writers, w.name())
		}
	}
	for _, kind := range [...]Kind{Pressed, Silent, Unclear} {
		if why := in.words(kind, now, fresh); why != "" {
			is.Kind, is.Why = kind, why
			return is
		}
	}
	if kind, why := in.judgeGraph(len(is.Writers)); why != "" {
		is.Kind, is.Why = kind, why
	} else if why := in.words(Lost, now, fresh); why != "" {
		is.Kind, is.Why = Lost, why
	}
	return is
}

// words says which writers are of a kind; empty: none is.
func (in *Input) words(kind Kind, now, fresh time.Duration) string {
	var list []string
	for k := range in.writers {
		if w := &in.writers[k]; in.kindOf(w, now, fresh) == kind {
			list = append(list, in.wordsOf(w, kind))
		}
	}
	if kind == Pressed && in.pressedBeyond(now) {
		list = append(list, fmt.Sprintf("one of more than %d writers says stop", mostWriters))
	}
	return strings.Join(list, ", ")
}

// judgeGraph says what the graph has against an input all of whose heard writers are clear; empty: nothing.
func (in *Input) judgeGraph(heard int) (Kind, string) {
	others := in.unheard()
	switch {
	case in.graph.Fault != "":
		return Unclear, in.graph.Fault
	case in.graph.Unsigned && len(in.graph.Writers) > 1:
		return Unclear, fmt.Sprintf("has %d publishers (%s), and this middleware does not tell them apart: "+
			"give each a topic of its own", len(in.graph.Writers), strings.Join(in.nodes(), ", "))
	case len(others) > 0:
		return Silent, strings.Join(others, ", ") + " publishes it and has said nothing since rstate listens: " +
			"a stop button has to repeat its value"
	case heard == 0:
		return Silent, "no stop button is heard: start it"
	}
	return IsClear, ""
}

// Clear reports whether all that is there is clear. A writer that is lost does not count: a person decides on it.
func (i *Is) Clear() bool { return i.Kind == IsClear || i.Kind == Lost }

func (in *Input) kindOf(w *writer, now, fresh time.Duration) Kind {
	switch {
	case w.lost:
		return Lost
	case w.word == Stop:
		return Pressed
	case now > w.at+in.Silent, w.at < fresh:
		return Silent
	case w.word == Garbled:
		return Unclear
	}
	return IsClear
}

func (in *Input) wordsOf(w *writer, kind Kind) string {
	switch kind {
	case Pressed:
		return w.name() + " says stop"
	case Lost:
		return w.name() + " is gone, and it is not known why"
	case Unclear:
		return "a message of " + w.name() + " cannot be read: " + w.why
	}
	return fmt.Sprintf("%s has said nothing for %v", w.name(), in.Silent)
}

// unheard names the nodes of publishers that have said nothing.
func (in *Input) unheard() (nodes []string) {
	for _, p := range in.graph.Writers {
		id := p.ID
		if in.graph.Unsigned {
			id = anonymous
		}
		if !slices.ContainsFunc(in.writers, func(w writer) bool { return w.ID == id && !w.lost }) {
			nodes = append(nodes, p.Node)
		}
	}
	return nodes
}

func (in *Input) nodes() []string {
	var names []string
	for _, w := range in.graph.Writers {
		names = append(names, w.Node)
	}
	return names
}

// Trips says why the input stops what is armed, or is about to be; empty: it does not. A publisher that was
// never heard is no reason, and a writer that is lost was one when it left. An input that has not been heard
// at all has its time from Begin on.
func (in *Input) Trips(now time.Duration) string {
	is := in.Is(now, 0)
	switch {
	case is.Clear(), is.Kind == Silent && len(is.Writers) == 0 && now <= in.since+in.Silent:
		return ""
	case is.Kind == Silent && len(is.Writers) > 0 && in.words(Silent, now, 0) == "":
		return ""
	}
	return is.Why
}

// Next returns when the input changes if nothing more is heard.
func (in *Input) Next(now time.Duration) (at time.Duration, ok bool) {
	due := func(t time.Duration) {
		if t > now && (!ok || t < at) {
			at, ok = t, true
		}
	}
	due(in.since + in.Silent + 1)
	for k := range in.writers {
		if w := &in.writers[k]; !w.lost {
			due(w.at + in.Silent + 1)
			if !w.listed {
				due(w.at + max(unlisted, in.Silent))
			}
		}
	}
	return at, ok
}

// Resume notes that this process did not run until now: that time is silence of no writer.
func (in *Input) Resume(now time.Duration) {
	in.writers = slices.Clone(in.writers)
	for k := range in.writers {
		in.writers[k].at = max(in.writers[k].at, now)
	}
	in.since = max(in.since, now)
}
