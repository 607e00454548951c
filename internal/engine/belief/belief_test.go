package belief

import (
	"testing"
	"time"

	lc "rstate/internal/lifecycle"
)

// standings are what may be known of a node that is inactive and was asked to activate, or was not.
var standings = []struct {
	name string
	make func() Known
}{
	{"at rest", func() Known { return Known{State: lc.Inactive} }},
	{"unknown", func() Known { return Known{State: lc.Unknown} }},
	{"asked", func() Known { return Known{State: lc.Inactive, Call: activate()} }},
	{"under way", func() Known { k := Known{State: lc.Activating, Call: activate()}; k.Call.Started = true; return k }},
	{"erring", func() Known {
		k := Known{State: lc.ErrorProcessing, Call: activate()}
		k.Call.Started, k.Call.Erred = true, true
		return k
	}},
	{"answered", func() Known { return Known{State: lc.Active, Closed: activate()} }},
	{"agreed", func() Known { k := Known{State: lc.Active, Closed: activate()}; k.Closed.Agreed = true; return k }},
	{"refused", func() Known { return Known{State: lc.Inactive, Refused: activate()} }},
}

func activate() *Call { return &Call{Number: 7, Do: lc.Activate, From: lc.Inactive} }

// TestEveryEventInEveryStanding has the meaning of each announcement, in the order of the standings.
func TestEveryEventInEveryStanding(t *testing.T) {
	for _, c := range []struct {
		name    string
		event   Event
		earlier bool
		want    [8]Meaning
	}{
		{"begins to activate", Event{lc.Inactive, lc.Activating}, false,
			[8]Meaning{Claims, Claims, Moves, Moves, Moves, Nothing, Contradicts, Nothing}},
		{"has activated", Event{lc.Activating, lc.Active}, false,
			[8]Meaning{Contradicts, Claims, Unclear, Ends, Ends, Agrees, Nothing, Contradicts}},
		{"falls back", Event{lc.Activating, lc.Inactive}, false,
			[8]Meaning{Nothing, Claims, Unclear, Ends, Ends, Nothing, Contradicts, Nothing}},
		{"errs", Event{lc.Activating, lc.ErrorProcessing}, false,
			[8]Meaning{Contradicts, Claims, Unclear, Moves, Moves, Nothing, Contradicts, Nothing}},
		{"has handled its error", Event{lc.ErrorProcessing, lc.Unconfigured}, false,
			[8]Meaning{Contradicts, Claims, Contradicts, Contradicts, Ends, Contradicts, Contradicts, Contradicts}},
		{"is deactivated by another tool", Event{lc.Active, lc.Deactivating}, false,
			[8]Meaning{Contradicts, Claims, Contradicts, Contradicts, Contradicts, Claims, Claims, Contradicts}},
		{"of an earlier step, where it is", Event{lc.Activating, lc.Inactive}, true,
			[8]Meaning{Unclear, Contradicts, Unclear, Contradicts, Contradicts, Contradicts, Contradicts, Unclear}},
	} {
		for k, st := range standings {
			if got := st.make().Heard(c.event, c.earlier); got != c.want[k] {
				t.Errorf("%s, when %s: got %d, want %d", c.name, st.name, got, c.want[k])
			}
		}
	}
}

// TestEveryAnswerInEveryStanding: a yes, a no, a yes that nothing waits for, and a yes to another call.
func TestEveryAnswerInEveryStanding(t *testing.T) {
	for k, want := range [8][4]Meaning{
		{Stale, Stale, Stale, Stale}, {Stale, Stale, Stale, Stale},
		{Succeeds, Refuses, Late, Stale}, {Succeeds, Refuses, Late, Stale}, {Succeeds, Refuses, Late, Stale},
		{Agrees, Stale, Agrees, Stale}, {Agrees, Stale, Agrees, Stale}, {Stale, Stale, Stale, Stale},
	} {
		for j, in := range [4]struct {
			number       uint64
			yes, awaited bool
		}{{7, true, true}, {7, false, true}, {7, true, false}, {6, true, true}} {
			if got := standings[k].make().Answered(in.number, in.yes, in.awaited); got != want[j] {
				t.Errorf("%+v, when %s: got %d, want %d", in, standings[k].name, got, want[j])
			}
		}
	}
}

// TestAnswerAndEventTogetherMakeItCertain, whichever comes first, once.
func TestAnswerAndEventTogetherMakeItCertain(t *testing.T) {
	k := Known{State: lc.Activating, Call: activate()}
	k.Call.Started = true
	k.Answered(7, true, true)
	k.Closed, k.Call, k.State = k.Call, nil, lc.Active
	if k.Closed.Agree() {
		t.Error("the answer alone agrees with nothing")
	}
	if got := k.Heard(Event{lc.Activating, lc.Active}, false); got != Agrees || !k.Closed.Agree() || k.Closed.Agree() {
		t.Errorf("the announcement: %d, and they agree not once", got)
	}
}

// TestOver: what a read says of the end of a call.
func TestOver(t *testing.T) {
	for _, c := range []struct {
		read    lc.State
		started bool
		still   int
		want    bool
	}{
		{lc.Active, false, 0, true}, {lc.Activating, true, 0, false}, {lc.Inactive, false, 1, false},
		{lc.Inactive, false, 2, true}, {lc.Inactive, true, 0, true},
	} {
		call := activate()
		call.Started, call.Still = c.started, c.still
		if got := call.Over(c.read); got != c.want {
			t.Errorf("%+v: got %v", c, got)
		}
	}
}

// TestUnheard: an event counts for the earliest call that may have caused it, once and not for ever.
func TestUnheard(t *testing.T) {
	end := Event{lc.Activating, lc.Active}
	var u Unheard
	told := activate()
	told.Told = true
	u.Add(nil, 0)
	u.Add(told, 0)
	if u.Announced(end, 0) {
		t.Error("a call whose end was announced is not waited for")
	}
	u.Add(activate(), 0)
	if !u.Announced(Event{lc.Inactive, lc.Activating}, 0) || !u.Announced(end, 0) || u.Announced(end, 0) {
		t.Error("one call is announced until its end, and no further")
	}
	u.Add(activate(), 0)
	if u.Announced(end, announcedIn+time.Second) {
		t.Error("after 10 s its announcement is not expected any more")
	}
}
