package mirror

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/machine"
)

const ms = time.Millisecond

func rstate(t testing.TB) *machine.Machine {
	t.Helper()
	m, err := machine.Preset("rstate")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// book returns the book of instance A, called /a.
func book(t testing.TB, conf func(*Config)) *Book {
	c := Config{Name: "/a", Instance: "A", Machine: rstate(t)}
	if conf != nil {
		conf(&c)
	}
	return New(c)
}

// says returns a status of a peer: "/b" of instance "B".
func says(b *Book, who, state, knows string) Status {
	return Status{
		Name: "/" + strings.ToLower(who[:1]), Instance: who, State: state, Settled: true, Intact: true, Target: state, Seen: seen(knows),
		Machine: "rstate", Hash: b.Hash(),
	}
}

func change(b *Book, who, event, from, to, knows string) Change {
	return Change{
		Name: "/" + strings.ToLower(who[:1]), Instance: who, SourceState: from, Event: event, TargetState: to, State: to, Settled: true,
		Seen: seen(knows), Hash: b.Hash(),
	}
}

// sees are the inputs of a story, each with its own time.
type sees func(b *Book, now time.Duration)

func tell(who, state, knows string) sees {
	return func(b *Book, now time.Duration) { b.Tell(now, says(b, who, state, knows)) }
}

func hear(who, event, from, to, knows string) sees {
	return func(b *Book, now time.Duration) { b.Change(now, change(b, who, event, from, to, knows)) }
}

func makes(target string) sees { return func(b *Book, now time.Duration) { b.Make(now, target, "") } }

func lose(who string) sees {
	return func(b *Book, now time.Duration) { b.Lose(now, "/"+strings.ToLower(who[:1]), who, "it is cut off") }
}

func done(b *Book, _ time.Duration) {
	if t := b.Task(); t != nil {
		b.Done(t.Number)
	}
}

func fails(b *Book, _ time.Duration) { b.Fail(b.Task().Number) }

func tick(b *Book, now time.Duration) { b.Tick(now) }

// outcome is the result of a story: "target seen", and the change to follow.
func outcome(b *Book) string {
	var parts []string
	for _, s := range b.Seen() {
		if s.N > 0 {
			parts = append(parts, fmt.Sprintf("%s%d", s.Instance, s.N))
		}
	}
	words := fmt.Sprintf("%s by %s", b.Target(), strings.Join(parts, " "))
	if t := b.Task(); t != nil {
		how := "live"
		if t.CatchUp {
			how = "catching up"
		}
		words += fmt.Sprintf("; to %s, %s with %s", t.Target, how, t.From)
		if len(t.Loops) > 0 {
			words += ", first " + strings.Join(t.Loops, " ")
		}
	}
	return words
}

type tale struct {
	name string
	conf func(*Config)
	tell []sees // a second apart
	want string
}

func play(t *testing.T, tales []tale) {
	t.Helper()
	for _, c := range tales {
		t.Run(c.name, func(t *testing.T) {
			b := book(t, c.conf)
			for k, s := range c.tell {
				s(b, time.Duration(k+1)*time.Second)
			}
			if got := outcome(b); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestP2WhatIsNews: a later change is followed, a stale one is dropped, and of concurrent ones the
// lower is followed.
func TestP2WhatIsNews(t *testing.T) {
	play(t, []tale{
		{name: "after", tell: []sees{tell("B", "inactive", ""), hear("B", "activate", "inactive", "active", "B1")}, want: "active by B1; to active, live with /b"},
		{name: "two of it at once, one lost", tell: []sees{tell("B", "inactive", ""), hear("B", "arm", "active", "armed", "B2")}, want: "armed by B2; to armed, live with /b"},
		{name: "stale", tell: []sees{tell("B", "inactive", "B1"), done, makes("active"), hear("B", "configure", "unconfigured", "inactive", "B1")}, want: "active by A1 B1"},
		{name: "again, when it has settled", tell: []sees{tell("B", "active", ""), hear("B", "deactivate", "active", "inactive", "B1"), done, hear("B", "deactivate", "active", "inactive", "B1")}, want: "inactive by B1"},
		{name: "at once, theirs lower", tell: []sees{tell("B", "active", ""), makes("armed"), hear("B", "deactivate", "active", "inactive", "B1")}, want: "inactive by A1 B1; to inactive, live with /b"},
		{name: "at once, ours lower", tell: []sees{tell("B", "active", ""), makes("inactive"), hear("B", "arm", "active", "armed", "B1")}, want: "inactive by A1 B1"},
		{name: "at once, by its status", tell: []sees{tell("B", "active", ""), makes("armed"), tell("B", "inactive", "B1")}, want: "inactive by A1 B1; to inactive, live with /b"},
		{name: "the same seen, other targets: the lower", tell: []sees{tell("B", "active", "B1 C1"), done, tell("C", "inactive", "B1 C1")}, want: "inactive by B1 C1; to inactive, catching up with /c"},
		{name: "the same seen, ours lower", tell: []sees{tell("B", "inactive", "B1 C1"), done, tell("C", "active", "B1 C1")}, want: "inactive by B1 C1"},
		{name: "our own words", tell: []sees{hear("A", "arm", "active", "armed", "A5"), tell("A", "armed", "A5")}, want: " by "},
		{name: "nothing has happened", tell: []sees{tell("B", "active", "B0")}, want: " by "},
		{name: "an error is no place to go to", tell: []sees{tell("B", "active", ""), hear("B", "", "active", "errorprocessing", "B1")}, want: " by "},
	})
}

// TestP2ThePartition is the example of the design. A disarms while B goes on; healing the partition
// raises no network.
func TestP2ThePartition(t *testing.T) {
	a := book(t, nil)
	b := New(Config{Name: "/b", Instance: "B", Machine: rstate(t)})
	a.Tell(0, says(a, "B", "active", ""))
	b.Tell(0, says(b, "A", "active", ""))
	a.Make(0, "armed", "arm")
	b.Change(0, Change{Name: "/a", Instance: "A", TargetState: "armed", Seen: a.Seen(), Hash: a.Hash()})
	b.Done(b.Task().Number)
	a.Lose(1, "/b", "B", "it is cut off")
	b.Lose(1, "/a", "A", "it is cut off")
	a.Make(2, "active", "disarm")
	b.Make(3, "armed", "repair")
	sa, sb := says(a, "A", "active", ""), says(b, "B", "armed", "")
	sa.Seen, sb.Seen = a.Seen(), b.Seen()
	a.Tell(4, sb)
	b.Tell(4, sa)
	if got := outcome(a); got != "active by A2 B1" {
		t.Errorf("A: %s", got)
	}
	if got := outcome(b); got != "active by A2 B1; to active, catching up with /a" {
		t.Errorf("B: %s", got)
	}
}

// TestP2AnyOrderOfDeliveryEndsAtOneTarget: three instances make changes at any time, and their
// messages arrive in any order, late or only as a status. When all have received all, they have
// seen the same changes and have the same target.
func TestP2AnyOrderOfDeliveryEndsAtOneTarget(t *testing.T) {
	m := rstate(t)
	places := []string{"unconfigured", "inactive", "active", "armed"}
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 7))
		names := []string{"A", "B", "C"}
		books := make([]*Book, 3)
		for i, n := range names {
			books[i] = New(Config{Name: "/" + strings.ToLower(n), Instance: n, Machine: m})
		}
		status := func(i int) Status {
			st := says(books[i], names[i], books[i].Target(), "")
			st.Seen = books[i].Seen()
			if st.Target == "" {
				st.State, st.Target = "inactive", "inactive"
			}
			return st
		}
		now := time.Duration(0)
		exchange := func() {
			for i := range books {
				for j := range books {
					if i != j {
						books[j].Tell(now, status(i))
					}
				}
			}
		}
		exchange()
		type letter struct {
			to int
			c  Change
		}
		var mail []letter
		for range 12 {
			now += 10 * ms
			if i := r.IntN(3); r.IntN(2) == 0 {
				to := places[r.IntN(len(places))]
				books[i].Make(now, to, "")
				for j := range books {
					if c := change(books[i], names[i], "", "", to, ""); j != i {
						c.Seen = books[i].Seen()
						mail = append(mail, letter{j, c})
					}
				}
				continue
			}
			if len(mail) > 0 {
				k := r.IntN(len(mail))
				books[mail[k].to].Change(now, mail[k].c)
				mail = slices.Delete(mail, k, k+1)
			}
		}
		for range 4 {
			now += 2 * RaceIn
			exchange()
			for _, b := range books {
				b.Tick(now + RaceIn)
			}
		}
		for i, b := range books {
			if Compare(b.Seen(), books[0].Seen()) != Same || b.Target() != books[0].Target() {
				t.Fatalf("seed %d: %s ends with %s, %s with %s", seed, names[i], outcome(b), names[0], outcome(books[0]))
			}
		}
	}
}

// TestP3LoopsThatWereMissed: missed loops run once, first, if the instance was in step before; a
// joiner runs none.
func TestP3LoopsThatWereMissed(t *testing.T) {
	loops := func(who, state, knows string, n uint64) sees {
		return func(b *Book, now time.Duration) {
			st := says(b, who, state, knows)
			st.Loops = []Loop{{"reset", n}}
			b.Tell(now, st)
		}
	}
	reset := func(c *Config) {
		m := *c.Machine
		m.Transitions = append(slices.Clone(m.Transitions), machine.Transition{Name: "reset", From: []string{"active"}, To: "active", Loop: true})
		c.Machine = &m
	}
	play(t, []tale{
		{name: "live", conf: reset, tell: []sees{tell("B", "active", ""), hear("B", "reset", "active", "active", "B1")}, want: "active by B1; to active, live with /b, first reset"},
		{name: "who joins", conf: reset, tell: []sees{loops("B", "active", "B5", 3)}, want: "active by B5; to active, catching up with /b"},
		{name: "a joiner that has made a change alone", conf: reset, tell: []sees{makes("unconfigured"), loops("B", "active", "A1 B5", 3)}, want: "active by A1 B5; to active, catching up with /b"},
		{
			name: "healed", conf: reset, want: "active by B3; to active, catching up with /b, first reset",
			tell: []sees{loops("B", "active", "B1", 0), done, lose("B"), loops("B", "active", "B3", 2)},
		},
		{
			name: "healed, and nothing was missed", conf: reset, want: "active by B3; to active, catching up with /b",
			tell: []sees{loops("B", "active", "B1", 2), done, lose("B"), loops("B", "active", "B3", 2)},
		},
	})
}

// TestP5OneSlotNewestOnly: a newer change replaces one that was not followed yet.
func TestP5OneSlotNewestOnly(t *testing.T) {
	play(t, []tale{
		{name: "the newest", tell: []sees{tell("B", "inactive", ""), hear("B", "activate", "inactive", "active", "B1"), hear("B", "arm", "active", "armed", "B2")}, want: "armed by B2; to armed, live with /b"},
		{name: "a command of our own is newer", tell: []sees{tell("B", "inactive", ""), hear("B", "activate", "inactive", "active", "B1"), makes("unconfigured")}, want: "unconfigured by A1 B1"},
		{name: "what failed is not tried again", tell: []sees{tell("B", "inactive", ""), hear("B", "activate", "inactive", "active", "B1"), fails, tell("B", "active", "B1"), tell("C", "active", "B1")}, want: "active by B1"},
		{name: "but something newer is", tell: []sees{tell("B", "inactive", ""), hear("B", "activate", "inactive", "active", "B1"), fails, hear("B", "activate", "active", "active", "B2")}, want: "active by B2; to active, live with /b"},
	})
}

// TestP6WhoIsInStep: only a change of a peer in step is live; otherwise the instance catches up by
// a status.
func TestP6WhoIsInStep(t *testing.T) {
	play(t, []tale{
		{name: "a change of a peer that was never received", tell: []sees{hear("B", "arm", "active", "armed", "B1")}, want: " by "},
		{name: "the first status is caught up with", tell: []sees{tell("B", "armed", "B2")}, want: "armed by B2; to armed, catching up with /b"},
		{name: "an old change after it is not live", tell: []sees{tell("B", "active", "B2"), done, hear("B", "arm", "active", "armed", "B1")}, want: "active by B2"},
		{name: "lost and found again", tell: []sees{tell("B", "active", "B2"), done, lose("B"), hear("B", "arm", "active", "armed", "B3"), tell("B", "armed", "B3")}, want: "armed by B3; to armed, catching up with /b"},
		{name: "another run of it", tell: []sees{tell("B", "active", "B2"), done, tell("Bb", "active", "B2"), hear("B", "arm", "active", "armed", "B3")}, want: "active by B2"},
		{name: "a status that is ahead waits for the change", tell: []sees{tell("B", "active", ""), tell("B", "armed", "B1")}, want: " by "},
		{name: "which comes", tell: []sees{tell("B", "active", ""), tell("B", "armed", "B1"), hear("B", "arm", "active", "armed", "B1"), tick}, want: "armed by B1; to armed, live with /b"},
		{name: "or does not", tell: []sees{tell("B", "active", ""), tell("B", "armed", "B1"), tick}, want: "armed by B1; to armed, catching up with /b"},
		{name: "a status that is lower waits for nothing", tell: []sees{tell("B", "active", "B1"), done, tell("B", "inactive", "B2")}, want: "inactive by B2; to inactive, live with /b"},
		{name: "an instance that has just started does not end because others have", tell: []sees{tell("B", "finalized", "B2")}, want: " by B2"},
		{name: "a peer that was present does", tell: []sees{tell("B", "active", "B1"), done, lose("B"), tell("B", "finalized", "B2")}, want: "finalized by B2; to finalized, catching up with /b"},
		{name: "a peer in state unknown has seen nothing", tell: []sees{tell("B", "unknown", "C4")}, want: " by "},
		{
			name: "after standing still nothing is live", want: "armed by B2; to armed, catching up with /b",
			tell: []sees{tell("B", "active", "B1"), func(b *Book, _ time.Duration) { b.Forget() }, hear("B", "arm", "active", "armed", "B2"), tell("B", "armed", "B2")},
		},
		{
			name: "a change from before a stall is caught up with, if a peer still reports it", want: "active by B1; to active, catching up with /b",
			tell: []sees{tell("B", "inactive", ""), hear("B", "activate", "inactive", "active", "B1"), func(b *Book, _ time.Duration) { b.Forget() }, tell("B", "active", "B1")},
		},
		{
			name: "and not by itself", want: "active by B1",
			tell: []sees{tell("B", "inactive", ""), hear("B", "activate", "inactive", "active", "B1"), func(b *Book, _ time.Duration) { b.Forget() }, lose("B")},
		},
	})
}

// TestP6WhatAPeerMadeBeforeTheTwoMet: a change that a peer made before this instance was in step
// with the peer's current run is never followed as a change. Nothing is followed of a peer on its
// way to a final state.
func TestP6WhatAPeerMadeBeforeTheTwoMet(t *testing.T) {
	latched := hear("B", "arm", "active", "armed", "B2")
	play(t, []tale{
		{name: "latched by a peer that mirrors a shutdown", tell: []sees{tell("B", "finalized", "B2 C1"), latched}, want: " by B2 C1"},
		{name: "and heard again", tell: []sees{tell("B", "finalized", "B2 C1"), latched, tell("B", "finalized", "B2 C1"), latched, tick}, want: " by B2 C1"},
		{name: "by two such peers", tell: []sees{tell("B", "finalized", "B2 C1"), tell("C", "finalized", "B2 C1"), latched, hear("C", "shutdown", "active", "finalized", "B2 C1"), tick}, want: " by B2 C1"},
		{name: "by two such peers that have seen different changes", tell: []sees{tell("B", "finalized", "B2 C1"), tell("C", "finalized", "C2"), latched, tick}, want: " by B2 C2"},
		{name: "of two runs of one name", tell: []sees{tell("B", "finalized", "B2 C1"), tell("Bb", "inactive", ""), latched}, want: " by B2 C1"},
		{name: "by a peer that is met again", tell: []sees{tell("B", "finalized", "B2 C1"), lose("B"), tell("B", "finalized", "B2 C1"), latched}, want: " by B2 C1"},
		{name: "a change that the peer makes while it ends", tell: []sees{tell("B", "finalized", "B2"), hear("B", "", "active", "inactive", "B3")}, want: " by B2"},
		{
			name: "a peer that is met at its end, by an instance that is not new", want: "active by A1 B2",
			tell: []sees{makes("active"), tell("B", "finalized", "A1 B2"), tell("B", "finalized", "A1 B2"), latched, tick},
		},
		{
			name: "a peer in step that mirrors that end is followed", want: "finalized by A1 B2; to finalized, live with /c",
			tell: []sees{makes("active"), tell("C", "active", "A1"), tell("B", "finalized", "A1 B2"), tell("C", "finalized", "A1 B2")},
		},
		{name: "a shutdown of a peer in step is followed", tell: []sees{tell("B", "active", ""), tell("B", "finalized", "B1"), hear("B", "shutdown", "active", "finalized", "B1")}, want: "finalized by B1; to finalized, live with /b"},
		{name: "its status alone is not, where nothing was followed before", tell: []sees{tell("B", "active", ""), tell("B", "finalized", "B1"), tick, tell("B", "finalized", "B1"), hear("B", "shutdown", "active", "finalized", "B1")}, want: " by B1"},
		{name: "a change of a peer that did not see that end", tell: []sees{tell("B", "finalized", "B2"), tell("C", "inactive", ""), hear("C", "activate", "inactive", "active", "C1")}, want: "active by B2 C1; to active, live with /c"},
		{name: "its arm, heard before its status", tell: []sees{tell("B", "finalized", "B2"), tell("C", "active", ""), hear("C", "arm", "active", "armed", "C1"), tell("C", "armed", "C1")}, want: "armed by B2 C1; to armed, live with /c"},
		{name: "its status waits for the change", tell: []sees{tell("B", "finalized", "B2"), tell("C", "active", ""), tell("C", "armed", "C1")}, want: " by B2"},
		{name: "and never arms", tell: []sees{tell("B", "finalized", "B2"), tell("C", "active", ""), tell("C", "armed", "C1"), tick}, want: "armed by B2 C1; to armed, catching up with /c"},
		{name: "another that joins leads nowhere", tell: []sees{tell("C", "unknown", "B2"), tell("C", "unknown", "B2"), tick}, want: " by "},
		{name: "nor after the end was counted", tell: []sees{tell("B", "finalized", "B2"), tell("C", "unknown", "B2"), tell("C", "unknown", "B2"), tick}, want: " by B2"},
		{name: "a command of its own is newer", tell: []sees{tell("B", "finalized", "B2"), makes("inactive")}, want: "inactive by A1 B2"},
	})
}

// TestP6NoLoopsOfAnotherLife: looping commands that a peer ran before the two were in step in its
// current run are not run.
func TestP6NoLoopsOfAnotherLife(t *testing.T) {
	reset := func(c *Config) {
		m := *c.Machine
		m.Transitions = append(slices.Clone(m.Transitions), machine.Transition{Name: "reset", From: []string{"active"}, To: "active", Loop: true})
		c.Machine = &m
	}
	loops := func(who, state, knows string, n uint64) sees {
		return func(b *Book, now time.Duration) {
			st := says(b, who, state, knows)
			st.Loops = []Loop{{"reset", n}}
			b.Tell(now, st)
		}
	}
	play(t, []tale{
		{
			name: "its next run", conf: reset, want: "active by B1 Bb1; to active, catching up with /b",
			tell: []sees{loops("B", "active", "B1", 0), done, lose("B"), loops("Bb", "active", "B1 Bb1", 2)},
		},
		{
			name: "at once with a change here", conf: reset, want: "inactive by A1 B1 C3; to inactive, catching up with /c",
			tell: []sees{loops("B", "active", "B1", 0), done, makes("active"), loops("C", "inactive", "B1 C3", 2)},
		},
	})
	b := book(t, reset)
	for k, s := range []sees{loops("B", "armed", "B1", 0), done, makes("armed"), loops("B", "armed", "B2", 1)} {
		s(b, time.Duration(k)*time.Second)
	}
	if task := b.Task(); task == nil || !task.CatchUp || len(task.Loops) != 1 {
		t.Errorf("a status that is armed, at once with ours, makes %+v: a status never arms", task)
	}
}

// TestP6AnotherMachineIsNotMirrored: such a peer is shown, and reported once.
func TestP6AnotherMachineIsNotMirrored(t *testing.T) {
	b := book(t, nil)
	st := says(b, "B", "active", "B4")
	st.Hash, st.Machine = "another", "cle"
	notes := slices.Concat(b.Tell(1, st), b.Tell(2, st), b.Change(3, Change{Name: "/b", Instance: "B", TargetState: "active", Seen: seen("B5"), Hash: "another"}))
	if got := outcome(b); got != " by " {
		t.Errorf("it makes of it: %s", got)
	}
	if len(notes) != 2 || notes[1].What != Ignored || len(b.Warnings()) != 1 {
		t.Errorf("it says %v, and warns %v", notes, b.Warnings())
	}
}

// TestP9Plain: each message of a plain peer is its next change, and none leads to armed.
func TestP9Plain(t *testing.T) {
	plain := func(event, to string) sees {
		return func(b *Book, now time.Duration) {
			b.Change(now, Change{Name: "/nrp", SourceState: "inactive", Event: event, TargetState: to})
		}
	}
	listed := func(c *Config) { c.Plain = []string{"/nrp"} }
	play(t, []tale{
		{name: "listed", conf: listed, tell: []sees{plain("activate", "active")}, want: "active by plain:/nrp1; to active, live with /nrp"},
		{name: "again", conf: listed, tell: []sees{plain("activate", "active"), done, plain("deactivate", "inactive")}, want: "inactive by plain:/nrp2; to inactive, live with /nrp"},
		{name: "never armed", conf: listed, tell: []sees{plain("arm", "armed")}, want: "active by plain:/nrp1; to active, live with /nrp"},
		{name: "not listed", tell: []sees{plain("activate", "active")}, want: " by "},
		{name: "no state of ours", conf: listed, tell: []sees{plain("started", "started")}, want: " by "},
		{name: "no place to rest in", conf: listed, tell: []sees{plain("", "activating")}, want: " by "},
	})
	b := book(t, nil)
	one := Change{Name: "/nrp", TargetState: "active"}
	if notes := slices.Concat(b.Change(1, one), b.Change(2, one)); len(notes) != 1 || notes[0].What != Ignored || len(b.Warnings()) != 1 {
		t.Errorf("a plain peer that is not listed causes the notes %v and the warnings %v", notes, b.Warnings())
	}
}

// TestP7WhatARequiredPeerHasToBe: every reason is reported.
func TestP7WhatARequiredPeerHasToBe(t *testing.T) {
	for _, c := range []struct {
		name string
		tell []sees
		edit func(*Status)
		late time.Duration
		want string
		lost bool
	}{
		{name: "fit", tell: []sees{}, edit: func(*Status) {}},
		{name: "fit, on its way to armed", edit: func(s *Status) { s.State, s.Settled, s.Target = "arming", false, "active" }},
		{name: "never heard", want: "/b: is not there", lost: true},
		{name: "lost", edit: func(*Status) {}, tell: []sees{lose("B")}, late: 3 * time.Second, want: "/b: lost for 3s: it is cut off", lost: true},
		{name: "silent", edit: func(*Status) {}, late: 1500 * ms, want: "/b: has said nothing for 1.5s"},
		{name: "another machine", edit: func(s *Status) { s.Hash, s.Machine = "x", "cle" }, want: "/b: follows another machine, cle; /b: has not said anything since this rstate stood still"},
		{name: "leaving", edit: func(s *Status) { s.Leaving = true }, want: "/b: is about to end"},
		{name: "not intact", edit: func(s *Status) { s.Intact, s.Cause = false, "/imu is lost" }, want: "/b: is not intact: /imu is lost"},
		{name: "in error processing", edit: func(s *Status) { s.State, s.Settled = "errorprocessing", false }, want: "/b: is putting a failure right"},
		{name: "lower", edit: func(s *Status) { s.State, s.Target = "inactive", "inactive" }, want: "/b: is inactive, which is lower than active"},
		{name: "behind", edit: func(s *Status) { s.State, s.Behind = "inactive", true }, want: "/b: is inactive, which is lower than active"},
		{name: "on its way down", edit: func(s *Status) { s.State, s.Target, s.Settled = "deactivating", "inactive", false }, want: "/b: is deactivating, on its way to inactive"},
		{name: "on its way up", edit: func(s *Status) { s.State, s.Settled = "activating", false }, want: "/b: is activating, on its way to active"},
		{name: "being disarmed", edit: func(s *Status) { s.State, s.Settled = "disarming", false }},
		{name: "it has not read its nodes", edit: func(s *Status) { s.State, s.Settled = "unknown", false }, want: "/b: is unknown, on its way to active"},
		{name: "all at once", edit: func(s *Status) { s.Leaving, s.Intact, s.State = true, false, "inactive" }, want: "/b: is about to end; /b: is not intact; /b: is inactive, which is lower than active"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := book(t, func(c *Config) { c.Required = []string{"/b"} })
			if c.edit != nil {
				st := says(b, "B", "active", "")
				c.edit(&st)
				b.Tell(time.Second, st)
			}
			for _, s := range c.tell {
				s(b, time.Second)
			}
			var got []string
			lost := false
			for _, u := range b.Unfit(time.Second+c.late, "active") {
				got, lost = append(got, u.String()), lost || u.Lost
			}
			if strings.Join(got, "; ") != c.want || lost != c.lost {
				t.Errorf("got  %v (lost: %v)\nwant %s (lost: %v)", got, lost, c.want, c.lost)
			}
		})
	}
}

// TestP7NothingIsWaitedForLongerThanItHolds: the book knows when a required peer's status expires, and while armed also
// that it has expired.
func TestP7NothingIsWaitedForLongerThanItHolds(t *testing.T) {
	b := book(t, func(c *Config) { c.Required = []string{"/b"} })
	b.Tell(time.Second, says(b, "B", "active", ""))
	const old = time.Second + Fresh + 1
	for _, c := range []struct {
		now   time.Duration
		armed bool
		due   bool
	}{{time.Second, true, true}, {time.Second, false, true}, {old, true, true}, {old, false, false}} {
		if when, ok := b.Next(c.now, c.armed); ok != c.due || ok && when != old {
			t.Errorf("at %v, armed %v, it is looked at after %v (%v)", c.now, c.armed, when, ok)
		}
	}
	for now, unfit := range map[time.Duration]bool{old - 1: false, old: true} {
		if list := b.Unfit(now, "active"); len(list) > 0 != unfit {
			t.Errorf("at %v it is unfit: %v", now, list)
		}
		if got := b.Silent(now); len(got) > 0 != unfit {
			t.Errorf("at %v %q are silent", now, got)
		}
	}
	b.Tell(old, says(b, "B", "active", ""))
	if got := b.Silent(old); got != nil {
		t.Errorf("%q are silent after they spoke", got)
	}
}

// TestP8HowLongAPeerTakes is measured from our newest change.
func TestP8HowLongAPeerTakes(t *testing.T) {
	b := book(t, nil)
	b.Tell(0, says(b, "B", "inactive", ""))
	b.Make(time.Second, "active", "activate")
	lag := func(now time.Duration) time.Duration { return b.Lagging(now, b.Peer("/b")) }
	if got := lag(3 * time.Second); got != 2*time.Second {
		t.Errorf("while it has not followed: %v", got)
	}
	on := says(b, "B", "activating", "A1")
	on.Settled, on.Target = false, "active"
	b.Tell(4*time.Second, on)
	b.Tell(5*time.Second, says(b, "B", "active", "A1"))
	b.Tell(9*time.Second, says(b, "B", "active", "A1"))
	if got := lag(10 * time.Second); got != 4*time.Second {
		t.Errorf("it took %v, want 4s", got)
	}
	b.Tell(11*time.Second, says(b, "C", "active", "A1"))
	if got := b.Lagging(12*time.Second, b.Peer("/c")); got >= 0 {
		t.Errorf("one that came later has nothing to follow, and took %v", got)
	}
}
