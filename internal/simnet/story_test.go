package simnet_test

import (
	"slices"
	"testing"
	"time"

	"rstate/internal/simnet"
)

// A run gives up a story of Await as soon as one of its moments has not come for so long, and names the beats that are
// left.
func TestARunGivesUpAStoryOfAwait(t *testing.T) {
	beat := func(when simnet.Moment, do simnet.Act) simnet.Beat { return simnet.Beat{When: when, Do: do} }
	for name, c := range map[string]struct {
		beats []simnet.Beat
		left  int
		end   time.Duration // the run ends within a minute after it
	}{
		"all of it comes": {[]simnet.Beat{beat(simnet.Settled(), simnet.Send{Command: "configure"}),
			beat(simnet.Ended("configure"), simnet.Nothing{})}, 0, 0},
		"its second moment does not come": {[]simnet.Beat{beat(simnet.Settled(), simnet.Send{Command: "configure"}),
			beat(simnet.Begun("activate", "/slam"), simnet.Kill{Node: "/slam"}), beat(simnet.Then(), simnet.Nothing{})},
			2, time.Hour},
		"its first moment does not come": {[]simnet.Beat{beat(simnet.Died("/slam"), simnet.Nothing{})}, 1, time.Hour},
		"it lasts longer than that": {[]simnet.Beat{beat(simnet.At(5*time.Hour), simnet.Nothing{})}, 0,
			5 * time.Hour},
		"it counts from the beat before": {[]simnet.Beat{beat(simnet.At(5*time.Hour), simnet.Nothing{}),
			beat(simnet.Died("/slam"), simnet.Nothing{})}, 1, 6 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			w := simnet.New(parse(t, demo), simnet.Options{Seed: 1, Limit: 10 * time.Hour})
			w.Aside(simnet.Beat{When: simnet.Exited(), Do: simnet.Restart{}})
			trace := w.Await(time.Hour, c.beats...).Run()
			whole(t, trace)
			if got := w.Untold(); len(got) != c.left || !slices.Equal(got, c.beats[len(c.beats)-c.left:]) {
				t.Errorf("left of it: %v, want the last %d", got, c.left)
			}
			if trace.End < c.end || trace.End > c.end+time.Minute {
				t.Errorf("the run ended at %v, want %v", trace.End, c.end)
			}
		})
	}
}

// A run that gives up its stories of Await ends, and their beats are left. Other stories go on.
func TestARunGivesUpItsStoriesAtOnce(t *testing.T) {
	w := simnet.New(parse(t, demo), simnet.Options{Seed: 1, Limit: 10 * time.Hour})
	w.Tell(simnet.Beat{When: simnet.At(time.Minute), Do: simnet.Send{Command: "activate"}})
	w.Await(time.Hour,
		simnet.Beat{When: simnet.Settled(), Do: simnet.Send{Command: "configure"}},
		simnet.Beat{When: simnet.Holds(func(now *simnet.Trace) bool {
			if now.Last.State == "inactive" {
				w.GiveUp()
			}
			return now.Last.State == "active"
		}), Do: simnet.Send{Command: "cleanup"}},
		simnet.Beat{When: simnet.Then(), Do: simnet.Nothing{}},
	)
	trace := w.Run()
	whole(t, trace)
	if left := w.Untold(); len(left) != 2 || trace.Last.State != "active" || trace.End > 2*time.Minute {
		t.Errorf("left: %v; the network is %s at %v", left, trace.Last.State, trace.End)
	}
}

// Over comes also where its goal ended before the beat before: Ended does not.
func TestAGoalMayBeOverBeforeTheBeatBefore(t *testing.T) {
	for name, c := range map[string]struct {
		moment simnet.Moment
		left   int
	}{"Over": {simnet.Over("configure"), 0}, "Ended": {simnet.Ended("configure"), 1}} {
		w := simnet.New(parse(t, demo), simnet.Options{Seed: 1, Limit: 10 * time.Hour})
		w.Await(time.Hour,
			simnet.Beat{When: simnet.Settled(), Do: simnet.Send{Command: "configure"}},
			simnet.Beat{When: simnet.Then().Later(time.Minute), Do: simnet.Send{Command: "activate"}},
			simnet.Beat{When: simnet.Begun("activate", "/slam"), Do: simnet.Nothing{}},
			simnet.Beat{When: c.moment, Do: simnet.Nothing{}},
		)
		whole(t, w.Run())
		if got := w.Untold(); len(got) != c.left {
			t.Errorf("%s: %v are left, want %d", name, got, c.left)
		}
	}
}

// Over does not come before its goal ends.
func TestAGoalIsNotOverWhileItIsOpen(t *testing.T) {
	w := simnet.New(parse(t, demo), simnet.Options{Seed: 1,
		Scripts: map[string]simnet.Script{"/slam": {On: []simnet.On{{Do: "configure", Takes: 2 * time.Second}}}}})
	w.Await(time.Hour,
		simnet.Beat{When: simnet.Settled(), Do: simnet.Send{Command: "configure"}},
		simnet.Beat{When: simnet.Over("configure"), Do: simnet.Send{Command: "activate"}},
	)
	trace := w.Run()
	whole(t, trace)
	if ended, next := trace.Goal("configure").Ended,
		trace.Goal("activate").Asked; next < ended || next > ended+time.Millisecond {
		t.Errorf("configure ended at %v, and activate was sent at %v", ended, next)
	}
}

// A node begins a call that arms or disarms it as it begins a callback.
func TestACallThatArmsHasABeginning(t *testing.T) {
	w := simnet.New(parse(t, demo), simnet.Options{Seed: 1})
	w.Await(time.Hour,
		simnet.Beat{When: simnet.Settled(), Do: simnet.Send{Command: "armed"}},
		simnet.Beat{When: simnet.Begun("arm", "/arm_driver"), Do: simnet.Nothing{}},
		simnet.Beat{When: simnet.Over("armed"), Do: simnet.Send{Command: "disarm"}},
		simnet.Beat{When: simnet.Begun("disarm", "/arm_driver"), Do: simnet.Nothing{}},
	)
	whole(t, w.Run())
	if left := w.Untold(); len(left) > 0 {
		t.Errorf("not told: %v", left)
	}
}

// A condition does not hold while the coordinator is killed: what it showed last says nothing.
func TestNothingHoldsWhileTheCoordinatorIsDown(t *testing.T) {
	for _, down := range []time.Duration{10 * time.Second, 2 * time.Hour} {
		var met time.Duration
		w := simnet.New(parse(t, demo), simnet.Options{Seed: 1, Limit: 10 * time.Hour})
		w.Await(time.Hour,
			simnet.Beat{When: simnet.Settled(), Do: simnet.Send{Command: "configure"}},
			simnet.Beat{When: simnet.Over("configure"), Do: simnet.Crash{DownFor: down}},
			simnet.Beat{When: simnet.Holds(func(now *simnet.Trace) bool {
				met = now.End
				return now.Last.State == "inactive" && now.Last.Intact
			}), Do: simnet.Nothing{}},
		)
		trace := w.Run()
		whole(t, trace)
		if left := w.Untold(); len(left) > 0 || met < trace.Died+down {
			t.Errorf("down for %v from %v: held at %v, left %v", down, trace.Died, met, left)
		}
	}
}
