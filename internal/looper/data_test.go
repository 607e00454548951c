package looper

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/stepper"
	"rstate/internal/tally"
)

// counter is a participant that counts: it publishes one message on each of its topics in each call. Its zero value
// does not count.
type counter struct {
	topics []tally.Topic
	life   uint64
	asked  []string // stages
	no     func(q Question) string
	epoch  uint64
	sent   uint64
	saw    []string
	denies bool // it says that it does not count
}

func (d *counter) ask(q Question) Reply {
	d.asked = append(d.asked, [...]string{"declare", "match", "settle", "zero"}[q.Stage])
	if d.no != nil {
		if why := d.no(q); why != "" {
			return Reply{Why: why}
		}
	}
	if q.Stage == Zero {
		d.epoch, d.sent = q.Epoch, 0
	}
	return Reply{OK: true, Incarnation: d.life, Topics: d.topics}
}

func (d *counter) answer(c Call) Answer {
	a := Answer{Answered: stepper.Answered{OK: true}, Counts: d.topics != nil && !d.denies}
	if d.topics == nil {
		return a
	}
	if c.Epoch != d.epoch {
		a.OK, a.Message = false, "another epoch"
		return a
	}
	var saw []string
	for _, v := range c.Visible {
		saw = append(saw, fmt.Sprintf("%s %s %d", v.Node, v.Topic, v.N))
	}
	d.saw = append(d.saw, fmt.Sprintf("%d%c %s", c.Cycle, "bscer"[c.Phase], strings.Join(saw, ", ")))
	d.sent++
	for _, t := range d.topics {
		if t.Publishers != nil {
			a.Sent = append(a.Sent, tally.Count{Topic: t.Name, N: d.sent})
		}
	}
	return a
}

// seen returns what was seen since the last time.
func (d *counter) seen() []string {
	saw := d.saw
	d.saw = nil
	return saw
}

func (d *counter) stages() string {
	asked := strings.Join(d.asked, " ")
	d.asked = nil
	return asked
}

// talk lets the simulator publish /scan for the pilot, and the pilot /force for the simulator.
func talk(w *world) {
	scan := tally.Topic{Name: "/scan", Type: "a/msg/B"}
	force := tally.Topic{Name: "/force", Type: "a/msg/B"}
	publishes := func(t tally.Topic, node string) tally.Topic { t.Publishers = []string{node}; return t }
	receives := func(t tally.Topic, node string) tally.Topic { t.Subscribers = []string{node}; return t }
	w.simulator.data.topics = []tally.Topic{publishes(scan, "/simulator"), receives(force, "/simulator")}
	w.pilot.data.topics = []tally.Topic{publishes(force, "/pilot"), receives(scan, "/pilot")}
}

func TestL11WhatWasSaidInThePhaseBeforeIsVisible(t *testing.T) {
	in(t, "", func(w *world) {
		talk(w)
		w.start(2)
		w.end()
		want := []string{"1b ", "1c /simulator /scan 2", "1e ", "2b /simulator /scan 3", "2c /simulator /scan 5", "2e "}
		if got := w.pilot.data.seen(); !slices.Equal(got, want) {
			t.Errorf("the pilot sees\n%q, want\n%q", got, want)
		}
		want = []string{"1b ", "1s /pilot /force 1", "1e /pilot /force 2", "2b /pilot /force 3", "2s /pilot /force 4",
			"2e /pilot /force 5"}
		if got := w.simulator.data.seen(); !slices.Equal(got, want) {
			t.Errorf("the simulator sees\n%q, want\n%q", got, want)
		}
	})
}

// TestL11CountsGoOn: after a pause between two steps the next run sees what was published before it; after anything
// else all counts are zero.
func TestL11CountsGoOn(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(w *world)
		goesOn  bool
	}{
		"nothing":             {func(*world) {}, true},
		"a reset":             {func(w *world) { w.loop.Carry(engine.ResetLoop{}) }, false},
		"another incarnation": {func(w *world) { w.pilot.data.life++ }, false},
		"another topic": {func(w *world) {
			w.pilot.data.topics = append(w.pilot.data.topics,
				tally.Topic{Name: "/scan2", Type: "a/msg/B", Publishers: []string{"/pilot"},
					Subscribers: []string{"/pilot"}})
		}, false},
		"a participant is lost": {func(w *world) { w.loop.Carry(engine.LoseStepper{Node: 0, Why: "it ended"}) }, false},
		"a step is interrupted": {func(w *world) {
			w.pilot.does = func(_ Call, answer func(Answer, error)) bool {
				answer(Answer{Answered: stepper.Answered{OK: true, Want: stepper.Abort}, Counts: true}, nil)
				return true
			}
			w.start(1)
			w.end()
			w.pilot.does = nil
		}, false},
		"a fault": {func(w *world) {
			w.pilot.does = func(_ Call, answer func(Answer, error)) bool {
				answer(Answer{Counts: true}, nil)
				return true
			}
			w.start(1)
			w.end()
			w.pilot.does = nil
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, "", func(w *world) {
				talk(w)
				w.start(1)
				w.end()
				if got, want := w.pilot.data.stages(), "declare settle match zero"; got != want {
					t.Errorf("before the first run the pilot is asked %q, want %q", got, want)
				}
				c.happens(w)
				w.pilot.data.stages()
				w.pilot.data.seen()
				w.start(1)
				if e := w.end(); e.Fault {
					t.Fatalf("the run ends with %+v", e)
				}
				wantAsked, wantFirst := "declare settle match zero", " "
				if c.goesOn {
					wantAsked, wantFirst = "declare match", " /simulator /scan 3"
				}
				if got := w.pilot.data.stages(); got != wantAsked {
					t.Errorf("the pilot is asked %q, want %q", got, wantAsked)
				}
				if got := w.pilot.data.seen(); len(got) == 0 || !strings.HasSuffix(got[0], wantFirst) {
					t.Errorf("the pilot sees %q, want first %q", got, wantFirst)
				}
			})
		})
	}
}

// TestL11ARunDoesNotBeginWithoutTheData: the participant that is not ready is named, and a run whose topics are matched
// later begins then.
func TestL11ARunDoesNotBeginWithoutTheData(t *testing.T) {
	never := func(stage Stage) func(Question) string {
		return func(q Question) string {
			if q.Stage == stage {
				return "/scan is not matched with /simulator"
			}
			return ""
		}
	}
	for name, c := range map[string]struct {
		does func(w *world)
		why  string // empty: the run begins
	}{
		"never matched": {func(w *world) { w.pilot.data.no = never(Match) },
			"the data of /pilot are not in lockstep: /scan is not matched with /simulator"},
		"never settled": {func(w *world) { w.pilot.data.no = never(Settle) },
			"the data of /pilot are not in lockstep: /scan is not matched with /simulator"},
		"matched in time": {func(w *world) {
			began := time.Now()
			w.pilot.data.no = func(q Question) string {
				if q.Stage == Match && time.Since(began) < matchWithin-time.Second {
					return "not yet"
				}
				return ""
			}
		}, ""},
		"two types": {func(w *world) { w.pilot.data.topics[1].Type = "a/msg/C" },
			"/scan is a/msg/B for /simulator and a/msg/C for /pilot"},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, "", func(w *world) {
				talk(w)
				c.does(w)
				w.start(1)
				if e := w.end(); e.Fault != (c.why != "") || e.Why != c.why {
					t.Errorf("the run ends with fault %v, %q, want %q", e.Fault, e.Why, c.why)
				}
				if says := name != "two types"; len(w.waits) > 1 || (len(w.waits) == 1) != says {
					t.Errorf("it says %q while it waits, want one line: %v", w.waits, says)
				}
			})
		})
	}
}

// TestL11ACountThatCannotBeIsAFault: a participant that counts although that was unknown, or does not count any more,
// or counts anew, stops the loop.
func TestL11ACountThatCannotBeIsAFault(t *testing.T) {
	for name, c := range map[string]struct {
		does func(w *world)
		why  string
	}{
		"unknown": {func(w *world) {
			w.pilot.data.topics = nil
			w.pilot.does = func(_ Call, answer func(Answer, error)) bool {
				answer(Answer{Answered: stepper.Answered{OK: true}, Counts: true}, nil)
				return true
			}
		}, "/pilot/step_data was not there"},
		"no more": {func(w *world) { w.pilot.data.denies = true }, "it has counted its messages until now"},
		"fewer": {func(w *world) {
			w.pilot.does = once(1, stepper.StepEnd, func(c Call, answer func(Answer, error)) bool {
				w.pilot.data.sent = 0
				answer(w.pilot.data.answer(c), nil)
				return true
			})
		}, "it had published 2 messages on /force and says now that it has published 1"},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, "", func(w *world) {
				talk(w)
				c.does(w)
				w.start(1)
				if e := w.end(); !e.Fault || !strings.Contains(e.Why, c.why) {
					t.Errorf("the run ends with fault %v, %q, want %q", e.Fault, e.Why, c.why)
				}
			})
		})
	}
}

// TestL11AParticipantThatDoesNotCountIsCalledAsEver: beside one that does.
func TestL11AParticipantThatDoesNotCountIsCalledAsEver(t *testing.T) {
	in(t, "", func(w *world) {
		talk(w)
		w.pilot.data.topics = nil
		w.pilot.does = func(c Call, answer func(Answer, error)) bool {
			if c.Epoch != 0 || len(c.Visible) > 0 {
				t.Errorf("it is called with %+v", c)
			}
			return false
		}
		w.start(1)
		if e := w.end(); e.Fault {
			t.Errorf("the run ends with %+v", e)
		}
	})
}

// TestL11AStopEndsTheWaitForTheData: not only after ten seconds.
func TestL11AStopEndsTheWaitForTheData(t *testing.T) {
	in(t, "", func(w *world) {
		talk(w)
		w.pilot.data.no = func(q Question) string {
			if q.Stage == Match {
				return "not yet"
			}
			return ""
		}
		began := time.Now()
		w.start(1)
		time.Sleep(time.Second)
		w.loop.Carry(engine.StopLoop{Run: w.runs, Want: stepper.Stop})
		if e := w.end(); !e.ByUs || time.Since(began) > 2*time.Second {
			t.Errorf("the run ends with %#v after %v", e, time.Since(began))
		}
	})
}
