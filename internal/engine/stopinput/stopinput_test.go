package stopinput

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const ms = time.Millisecond

// listed is a graph with these writers, each of a node of its name.
func listed(ids ...string) Seen {
	var s Seen
	for _, id := range ids {
		s.Writers = append(s.Writers, Writer{ID: id, Node: "/" + id})
	}
	return s
}

// step is one event of a story: a word of a writer, or a graph.
type step struct {
	at    time.Duration
	from  string
	word  Word
	graph *Seen
	armed bool
}

func says(at time.Duration, from string, word Word) step { return step{at: at, from: from, word: word} }

func shows(at time.Duration, graph Seen) step { return step{at: at, graph: &graph} }

func showsArmed(at time.Duration, graph Seen) step { return step{at: at, graph: &graph, armed: true} }

func play(steps []step) (in Input, lost []string) {
	in = Input{Silent: 500 * ms}
	in.Begin(0)
	for _, s := range steps {
		if s.graph != nil {
			lost = append(lost, in.See(s.at, *s.graph, s.armed)...)
			continue
		}
		in.Hear(s.at, s.from, s.word, "")
	}
	return in, lost
}

// TestA12WhenAnInputIsClear: each row is a story, and how the input is at its end.
func TestA12WhenAnInputIsClear(t *testing.T) {
	two := Seen{Writers: listed("a", "b").Writers, Unsigned: true}
	one := Seen{Writers: listed("a").Writers, Unsigned: true}
	for _, row := range []struct {
		name  string
		steps []step
		at    time.Duration
		kind  Kind
		trips bool
		lost  int
	}{
		{"nothing yet", nil, 400 * ms, Silent, false, 0},
		{"nothing in time", nil, 600 * ms, Silent, true, 0},
		{"one that is clear", []step{shows(0, listed("a")), says(100*ms, "a", Clear)}, 600 * ms, IsClear, false, 0},
		{"… for too long", []step{shows(0, listed("a")), says(100*ms, "a", Clear)}, 601 * ms, Silent, true, 0},
		{"one that says stop", []step{says(100*ms, "a", Stop)}, 100 * ms, Pressed, true, 0},
		{"… and then clear", []step{says(100*ms, "a", Stop), says(200*ms, "a", Clear)}, 200 * ms, IsClear, false, 0},
		{"stop, then silence", []step{says(100*ms, "a", Stop)}, time.Hour, Pressed, true, 0},
		{"a message that is none", []step{says(100*ms, "a", Garbled)}, 100 * ms, Unclear, true, 0},
		{"one of two is silent", []step{shows(0, listed("a", "b")), says(0, "a", Clear), says(0, "b", Clear),
			says(400*ms, "a", Clear)}, 600 * ms, Silent, true, 0},
		{"one of two says stop", []step{says(0, "a", Clear), says(0, "b", Stop), says(100*ms, "a", Clear)}, 100 * ms,
			Pressed, true, 0},
		{"another one was never heard", []step{shows(0, listed("a", "b")), says(100*ms, "a", Clear)}, 200 * ms, Silent,
			false, 0},
		{"… and the first is silent", []step{shows(0, listed("a", "b")), says(100*ms, "a", Clear)}, 700 * ms, Silent,
			true, 0},
		{"one leaves in order", []step{shows(0, listed("a", "b")), says(100*ms, "a", Clear), says(100*ms, "b", Clear),
			shows(200*ms, listed("a"))}, 300 * ms, IsClear, false, 0},
		{"one leaves while armed", []step{shows(0, listed("a", "b")), says(100*ms, "a", Clear), says(100*ms, "b", Clear),
			showsArmed(200*ms, listed("a"))}, 300 * ms, Lost, false, 1},
		{"one leaves after silence", []step{shows(0, listed("a", "b")), says(100*ms, "a", Clear), says(100*ms, "b", Clear),
			shows(700*ms, listed("a")), says(700*ms, "a", Clear)}, 700 * ms, Lost, false, 1},
		{"one leaves after stop", []step{shows(0, listed("a", "b")), says(100*ms, "a", Clear), says(100*ms, "b", Stop),
			shows(150*ms, listed("a"))}, 200 * ms, Lost, false, 1},
		{"one that is lost comes back", []step{shows(0, listed("a")), says(100*ms, "a", Clear), shows(700*ms, listed()),
			says(800*ms, "a", Clear), shows(800*ms, listed("a"))}, 900 * ms, IsClear, false, 1},
		{"the last one leaves in order", []step{shows(0, listed("a")), says(100*ms, "a", Clear), shows(200*ms, listed())},
			300 * ms, Silent, false, 0},
		{"… and nothing is armed in time", []step{shows(0, listed("a")), says(100*ms, "a", Clear), shows(200*ms, listed())},
			501 * ms, Silent, true, 0},
		{"the only one is lost", []step{shows(0, listed("a")), says(100*ms, "a", Stop), shows(200*ms, listed())},
			400 * ms, Silent, false, 1},
		{"messages before discovery", []step{says(0, "a", Clear), shows(100*ms, listed())}, 200 * ms, IsClear, false, 0},
		{"… which never comes", []step{says(0, "a", Clear), shows(1200*ms, listed())}, 1200 * ms, Silent, true, 1},
		{"one that repeats itself leaves in order", []step{shows(0, listed("a", "b")), says(0, "b", Clear),
			says(600*ms, "a", Clear), says(600*ms, "b", Clear), shows(700*ms, listed("a"))}, 700 * ms, IsClear, false, 0},
		{"one leaves after a message that is none", []step{shows(0, listed("a", "b")), says(100*ms, "a", Clear),
			says(100*ms, "b", Garbled), shows(150*ms, listed("a"))}, 200 * ms, Lost, false, 1},
		{"one that is lost is listed again, and is not heard", []step{shows(0, listed("a", "b")), says(100*ms, "a", Clear),
			says(100*ms, "b", Clear), showsArmed(150*ms, listed("a")), shows(200*ms, listed("a", "b"))}, 200 * ms, Silent,
			false, 1},
		{"a stranger does not pass for the only publisher", []step{shows(0, listed("a")), says(100*ms, "x", Clear),
			shows(200*ms, listed("a")), says(700*ms, "a", Clear)}, 700 * ms, Silent, true, 0},
		{"the topic cannot be read any more", []step{shows(0, listed("a")), says(100*ms, "a", Stop),
			shows(200*ms, Seen{Fault: "no such type"})}, 300 * ms, Pressed, true, 0},
		{"writers that cannot be told apart any more, the newest says stop", []step{shows(0, listed("a")),
			says(0, "a", Clear), says(100*ms, "b", Stop), shows(200*ms, one)}, 200 * ms, Pressed, true, 0},
		{"the topic cannot be read", []step{shows(0, Seen{Fault: "no such type"})}, 600 * ms, Silent, true, 0},
		{"unsigned, one publisher", []step{shows(0, one), says(100*ms, "x", Clear)}, 200 * ms, IsClear, false, 0},
		{"unsigned, two publishers", []step{shows(0, two), says(100*ms, "x", Clear)}, 200 * ms, Unclear, true, 0},
	} {
		in, lost := play(row.steps)
		is := in.Is(row.at, 0)
		if row.name == "the topic cannot be read" {
			row.kind = Unclear
		}
		if is.Kind != row.kind || (in.Trips(row.at) != "") != row.trips || len(lost) != row.lost {
			t.Errorf("%s: it is %+v, trips %q, lost %v", row.name, is, in.Trips(row.at), lost)
		}
		if (is.Why == "") != (is.Kind == IsClear) {
			t.Errorf("%s: %+v", row.name, is)
		}
	}
}

// TestA12TwoPublishersAreNamedWhereTheyCannotBeToldApart: the reason says which nodes publish.
func TestA12TwoPublishersAreNamedWhereTheyCannotBeToldApart(t *testing.T) {
	in, _ := play([]step{shows(0, Seen{Writers: listed("a", "b").Writers, Unsigned: true}), says(1, "", Clear)})
	if why := in.Is(1, 0).Why; !strings.Contains(why, "/a, /b") {
		t.Error(why)
	}
}

// TestA12EachPressIsNew: a writer that presses again latches again, and one that keeps pressing does not.
func TestA12EachPressIsNew(t *testing.T) {
	in := Input{Silent: 500 * ms}
	for k, row := range []struct {
		from  string
		word  Word
		press bool
	}{
		{"a", Stop, true}, {"a", Stop, false}, {"b", Stop, true}, {"a", Clear, false}, {"b", Stop, false},
		{"a", Stop, true}, {"a", Garbled, false}, {"a", Stop, true},
	} {
		if got := in.Hear(time.Duration(k), row.from, row.word, ""); got != row.press {
			t.Errorf("message %d: press %v", k, got)
		}
	}
}

// TestA12WhatWaitedInAQueueIsNotClear: after a gap of the process, only a later message counts as clear.
func TestA12WhatWaitedInAQueueIsNotClear(t *testing.T) {
	in, _ := play([]step{says(1000*ms, "a", Clear)})
	if is := in.Is(1100*ms, 1050*ms); is.Kind != Silent {
		t.Errorf("an old word: %+v", is)
	}
	in.Hear(1060*ms, "a", Clear, "")
	if is := in.Is(1100*ms, 1050*ms); is.Kind != IsClear {
		t.Errorf("a new word: %+v", is)
	}
}

// TestA12AnAcknowledgementForgetsTheLost: writers that are there stay.
func TestA12AnAcknowledgementForgetsTheLost(t *testing.T) {
	in, _ := play([]step{shows(0, listed("a", "b")), says(1, "a", Clear), says(1, "b", Stop), shows(2, listed("a"))})
	in.Forget()
	if is := in.Is(3, 0); is.Kind != IsClear || len(is.Writers) != 1 {
		t.Errorf("%+v", is)
	}
}

// TestA12AnAcknowledgementForgetsNoOther: a writer that the graph has not shown yet may still say stop.
func TestA12AnAcknowledgementForgetsNoOther(t *testing.T) {
	in, _ := play([]step{says(0, "a", Stop)})
	if in.Forget(); in.Is(1, 0).Kind != Pressed {
		t.Errorf("%+v", in.Is(1, 0))
	}
}

// TestA12AWriterIsKnownWhileItIsThere: one that is lost is not.
func TestA12AWriterIsKnownWhileItIsThere(t *testing.T) {
	in, _ := play([]step{shows(0, listed("a", "b")), says(0, "a", Clear), says(0, "b", Stop), shows(1, listed("a"))})
	if !in.Knows("a") || in.Knows("b") || in.Knows("c") {
		t.Errorf("knows a: %v, b, which is lost: %v, c: %v", in.Knows("a"), in.Knows("b"), in.Knows("c"))
	}
}

// TestA12TheAgeIsThatOfTheOldestWord, since each writer has to speak.
func TestA12TheAgeIsThatOfTheOldestWord(t *testing.T) {
	in, _ := play([]step{says(100*ms, "a", Clear), says(200*ms, "b", Clear)})
	if age := in.Is(300*ms, 0).Age; age != 200*ms {
		t.Errorf("it is %v", age)
	}
}

// TestA12ACopyOfAnInputKeepsItsWriters: what the input learns later is not the copy's.
func TestA12ACopyOfAnInputKeepsItsWriters(t *testing.T) {
	for name, do := range map[string]func(*Input){
		"a word":               func(in *Input) { in.Hear(300*ms, "b", Clear, "") },
		"a new writer":         func(in *Input) { in.Hear(300*ms, "0", Stop, "") },
		"a graph":              func(in *Input) { in.See(300*ms, listed("a"), false) },
		"a graph of no writer": func(in *Input) { in.See(300*ms, Seen{Unsigned: true}, false) },
		"an acknowledgement":   func(in *Input) { in.Forget() },
		"a gap":                func(in *Input) { in.Resume(time.Minute) },
	} {
		in, _ := play([]step{shows(0, listed("a", "b", "c")), says(0, "a", Clear), says(0, "b", Stop), says(0, "c", Stop),
			shows(1, listed("b", "c")), says(200*ms, "d", Clear)})
		kept := in
		was := fmt.Sprint(kept.writers)
		do(&in)
		if now := fmt.Sprint(kept.writers); now != was {
			t.Errorf("%s changes the copy from %s to %s", name, was, now)
		}
	}
	var full Input
	full.Silent = time.Second
	for k := range mostWriters {
		full.Hear(1, fmt.Sprintf("%02d", k), Clear, "")
	}
	full.See(2*time.Second, listed("01"), true) // all others are lost
	kept := full
	was := fmt.Sprint(kept.writers)
	full.Hear(3*time.Second, "00+", Clear, "")
	if now := fmt.Sprint(kept.writers); now != was {
		t.Errorf("a writer in the place of a lost one changes the copy from %s to %s", was, now)
	}
}

// TestA12AnInputThatHearsNothingWakesInTime: with no writer it trips when its time is over, and a writer that the graph
// never shows is looked at when it may be lost.
func TestA12AnInputThatHearsNothingWakesInTime(t *testing.T) {
	in, _ := play(nil)
	if at, ok := in.Next(0); !ok || in.Trips(at-1) != "" || in.Trips(at) == "" {
		t.Errorf("no writer: wakes at %v: %q before, %q then", at, in.Trips(at-1), in.Trips(at))
	}
	in, _ = play([]step{says(100*ms, "a", Clear)})
	if at, ok := in.Next(0); !ok || at != 500*ms+1 {
		t.Errorf("before its time is over: %v (%v)", at, ok)
	}
	if at, ok := in.Next(500*ms + 1); !ok || at != 600*ms+1 || in.Trips(at) == "" {
		t.Errorf("its silence: %v (%v)", at, ok)
	}
	at, ok := in.Next(700 * ms)
	if early := in.Tick(at-1, false); !ok || len(early) != 0 {
		t.Errorf("never shown: %v (%v), lost before that %v", at, ok, early)
	}
	if lost := in.Tick(at, false); len(lost) != 1 {
		t.Errorf("at %v lost are %v", at, lost)
	}
}

// TestA12AnInputWakesInTime: with nothing heard, the input asks to be looked at when it falls silent.
func TestA12AnInputWakesInTime(t *testing.T) {
	in, _ := play([]step{shows(0, listed("a")), says(100*ms, "a", Clear)})
	at, ok := in.Next(550 * ms)
	if !ok || in.Trips(at-1) != "" || in.Trips(at) == "" {
		t.Errorf("wakes at %v: %q before, %q then", at, in.Trips(at-1), in.Trips(at))
	}
}

// TestA12AButtonThatLeavesDuringAStall has not left in order: what it said meanwhile was not heard.
func TestA12AButtonThatLeavesDuringAStall(t *testing.T) {
	in := Input{Silent: 500 * time.Millisecond}
	there := Seen{Writers: []Writer{{ID: "a", Node: "/a"}}}
	in.See(0, there, false)
	in.Hear(time.Second, "a", Clear, "")
	in.Resume(time.Minute)
	if lost := in.See(time.Minute, Seen{}, false); len(lost) != 1 {
		t.Errorf("lost are %v", lost)
	}
}

// TestA12WritersBecomeKnown: a start learns late whether messages carry their writer. What was heard before of an unknown
// writer neither keeps the input clear nor counts as lost.
func TestA12WritersBecomeKnown(t *testing.T) {
	in, lost := play([]step{shows(0, Seen{Writers: listed("a").Writers, Unsigned: true}), says(10*ms, "a", Clear),
		shows(20*ms, listed("a"))})
	if is := in.Is(30*ms, 0); is.Kind != Silent || len(lost) > 0 || in.Trips(30*ms) != "" {
		t.Errorf("before it speaks again: %+v, lost %v, trips %q", is, lost, in.Trips(30*ms))
	}
	in.Hear(40*ms, "a", Clear, "")
	if is := in.Is(50*ms, 0); is.Kind != IsClear {
		t.Errorf("after it has spoken again: %+v", is)
	}
}

// TestA12WritersAreBounded: strangers make no room by being many, push out no button, and cannot be clear. A press of one
// that there is no room for is a press.
func TestA12WritersAreBounded(t *testing.T) {
	in := Input{Silent: time.Second}
	in.Hear(0, "button", Clear, "")
	for k := range 2 * mostWriters {
		in.Hear(1*ms, fmt.Sprint("stranger ", k), Clear, "")
	}
	if n := len(in.writers); n != mostWriters {
		t.Fatalf("%d writers are kept", n)
	}
	if !in.Hear(2*ms, "another", Stop, "") {
		t.Error("a press counts for nothing")
	}
	if is := in.Is(3*ms, 0); is.Kind != Pressed || is.Why != "one of more than 64 writers says stop" {
		t.Errorf("pressed beyond, it is %+v", is)
	}
	if in.Hear(100*ms, "another", Stop, "") || in.Hear(1100*ms, "another", Stop, "") {
		t.Error("a button that is held is pressed again")
	}
	if !in.Hear(2200*ms, "another", Stop, "") {
		t.Error("a press after a silence counts for nothing")
	}
	in.beyond = 0
	in.See(3*ms, listed("button", "another"), false)
	in.Hear(2*time.Second, "button", Clear, "")
	in.Tick(2*time.Second, false) // the graph has never shown the strangers: they are lost
	if is := in.Is(2*time.Second, 0); is.Kind != Silent || !strings.Contains(is.Why, "/another") || strings.Contains(is.Why, "/button") {
		t.Errorf("it is %+v", is)
	}
	in.Hear(2*time.Second, "another", Clear, "") // in the place of one that is lost
	if is := in.Is(2*time.Second, 0); !is.Clear() || len(is.Writers) != 2 || len(in.writers) != mostWriters {
		t.Errorf("it is %+v, with %d writers", is, len(in.writers))
	}
}
