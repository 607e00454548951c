package stepper

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// judge watches a loop from outside: it knows the inputs and the effects only.
type judge struct {
	t      *testing.T
	seed   uint64
	conf   Config
	open   map[uint64]Call
	due    map[uint64]time.Duration // the deadlines of open calls
	wake   time.Duration            // the newest Tick that was asked for and has not come
	set    []Trigger                // pending; Cycles is of all cycles that have ever ended
	ever   uint64                   // cycles that have ever ended
	runs   bool
	dt     time.Duration
	limit  uint64
	phase  Phase
	call   uint64 // the newest
	ended  uint64 // cycles of the run
	total  uint64 // cycles since the last reset
	now    time.Duration
	asked  []Want // in this cycle, by participants and the caller
	inner  []Want // in the cycle that began last, by participants and triggers
	keeps  bool   // the caller has ended the loop at once, or was overtaken
	whole  bool   // the cycle that began last has ended
	kept   Want   // of an earlier run, until a cycle has begun
	began  bool   // a cycle, since the last reset
	untold bool   // of a reset
	starts int
	ends   map[Want]int
}

func (j *judge) fault(format string, args ...any) {
	j.t.Helper()
	j.t.Fatalf("seed %d: "+format, append([]any{j.seed}, args...)...)
}

// sent notes an input before the loop has it, and returns whether the loop must end by it.
func (j *judge) sent(at time.Duration, in Input) (ends bool) {
	switch in := in.(type) {
	case Tick:
		if at >= j.wake {
			j.wake = 0
		}
		return j.runs && at >= j.earliest()
	case TriggerSet:
		j.set = slices.DeleteFunc(j.set, func(t Trigger) bool { return t.ID == in.Trigger.ID })
		in.Trigger.Cycles += j.ever
		j.set = append(j.set, in.Trigger)
	case Wanted:
		if j.runs {
			j.asked = append(j.asked, in.Want)
			j.keeps = j.keeps || in.Want == Abort
			return in.Want == Abort
		}
	case Overtaken:
		j.keeps = j.keeps || !j.runs
	case Lost, Respawned, Broken:
		return j.runs
	case Answered:
		if _, open := j.open[in.Call]; open {
			delete(j.open, in.Call)
			delete(j.due, in.Call)
			j.asked = append(j.asked, in.Want)
			if in.OK || in.Want == Abort {
				j.inner = append(j.inner, in.Want)
			}
			return in.Want == Abort || !in.OK
		}
	}
	return false
}

// earliest returns the earliest deadline of the open calls.
func (j *judge) earliest() time.Duration {
	first := time.Duration(1<<63 - 1)
	for _, at := range j.due {
		first = min(first, at)
	}
	return first
}

// fire notes what the triggers want that are due at the end of a cycle.
func (j *judge) fire() {
	j.set = slices.DeleteFunc(j.set, func(t Trigger) bool {
		if j.ever < t.Cycles || j.now < t.At {
			return false
		}
		j.asked, j.inner = append(j.asked, t.Want), append(j.inner, t.Want)
		return true
	})
}

// strongest returns the want that counts.
func strongest(list []Want) Want {
	most := None
	for _, w := range list {
		if slices.Index(every, w) > slices.Index(every, most) {
			most = w
		}
	}
	return most
}

// resumes notes what a start takes over, and returns whether the loop must end by it.
func (j *judge) resumes() bool {
	j.kept = None
	if w := strongest(j.inner); j.keeps && w != Pause {
		j.kept = w
	}
	j.keeps, j.inner = false, []Want{j.kept}
	j.asked = slices.Clone(j.inner)
	return j.kept == Abort || j.kept != None && j.whole
}

// saw judges the effects.
func (j *judge) saw(at time.Duration, in Input, out Effects, mustEnd bool) {
	s, isStart := in.(Start)
	if isStart = isStart && out.Refused == ""; isStart {
		j.runs, j.dt, j.limit, j.ended, j.phase = true, s.DT, s.Cycles, 0, StepEnd
		mustEnd = j.resumes()
		j.starts++
	}
	if out.Wake {
		j.wake = out.WakeAt
	}
	finished := j.advances(at, out, isStart || mustEnd)
	switch {
	case (out.Ended != nil) != mustEnd && !finished:
		j.fault("%#v must end the loop: %v; it has ended: %v", in, mustEnd, out.Ended != nil)
	case out.Ended != nil:
		j.atEnd(in, out, finished)
	}
	if out.Ticked && !finished && out.Now != 0 {
		j.fault("simulated time became %v outside step_end", out.Now)
	}
	if out.Ticked && out.Now == 0 {
		j.now, j.total, j.untold, j.began, j.inner = 0, 0, j.untold || j.began, false, nil
	}
	if j.runs != (len(j.open) > 0) {
		j.fault("the loop runs: %v, with %d open calls", j.runs, len(j.open))
	}
	if j.runs && (j.wake == 0 || j.wake > j.earliest()) {
		j.fault("the deadline %v would pass unseen: a Tick comes at %v", j.earliest(), j.wake)
	}
}

// advances checks phases and calls, and reports whether a cycle has ended.
func (j *judge) advances(at time.Duration, out Effects, other bool) (finished bool) {
	before := len(j.open)
	finished = j.runs && before == 0 && j.phase == StepEnd && !other
	if finished {
		j.ended++
		j.total++
		j.ever++
		j.now += j.dt
		j.whole = true
		j.fire()
		if !out.Ticked || out.Now != j.now && out.Now != 0 {
			j.fault("simulated time became %v, want %v", out.Now, j.now)
		}
		if out.Ended == nil && (len(slices.DeleteFunc(j.asked, func(w Want) bool { return w == None })) > 0 ||
			j.ended == j.limit) {
			j.fault("after %d cycles the loop goes on, although %v is wanted", j.ended, j.asked)
		}
	}
	for k, p := range out.Phases {
		if before > 0 {
			j.fault("%v began with %d open calls", p, before)
		}
		if p != j.next() {
			j.fault("%v began after %v", p, j.phase)
		}
		if j.phase = p; k < len(out.Phases)-1 &&
			slices.ContainsFunc(j.conf.Participants, func(q Participant) bool { return p.calls(q.Role) }) {
			j.fault("%v was passed over", p)
		}
	}
	if len(out.Phases) > 0 && (j.phase == Resetting || j.phase == StepBegin) {
		if j.phase == Resetting || !j.untold {
			j.asked = []Want{j.kept}
			j.inner = []Want{j.kept}
			j.kept, j.whole = None, false
		}
		j.began, j.untold = true, j.phase == Resetting
	}
	j.calls(at, out)
	return finished
}

// next returns the phase that must follow.
func (j *judge) next() Phase {
	switch {
	case j.phase == StepEnd && j.untold:
		return Resetting
	case j.phase == StepEnd || j.phase == Resetting:
		return StepBegin
	}
	return j.phase + 1
}

func (j *judge) calls(at time.Duration, out Effects) {
	last := -1
	for _, c := range out.Calls {
		role := j.conf.Participants[c.Participant].Role
		misplaced := c.Phase == StepSimulator && role != Simulator || c.Phase == StepController && role != Controller
		if c.ID <= j.call || c.Phase != j.phase || c.Now != j.now || c.DT != j.dt || c.Cycle != j.total+1 ||
			misplaced || c.Participant <= last {
			j.fault("a call in %v at %v of cycle %d: %+v", j.phase, j.now, j.total+1, c)
		}
		j.call, last = c.ID, c.Participant
		j.open[c.ID], j.due[c.ID] = c, at+j.conf.Participants[c.Participant].Deadline
	}
	if len(out.Calls) == 0 {
		return
	}
	for i, p := range j.conf.Participants {
		if j.phase.calls(p.Role) && !slices.ContainsFunc(out.Calls, func(c Call) bool { return c.Participant == i }) {
			j.fault("%s is not called in %v", p.Name, j.phase)
		}
	}
}

// atEnd checks the end of a loop.
func (j *judge) atEnd(in Input, out Effects, finished bool) {
	e := out.Ended
	if !j.runs {
		j.fault("a loop that does not run ended: %v", e)
	}
	if e.Cycles != j.ended || e.Now != j.now {
		j.fault("%d cycles have run until %v; it says %+v", j.ended, j.now, *e)
	}
	atOnce := e.Want == Abort || e.Want == Fail
	if _, resumed := in.(Start); resumed && e.Want != strongest(j.inner) || !resumed && !finished && !atOnce {
		j.fault("%v in the midst of %v, by %#v", e, j.phase, in)
	}
	if finished {
		if e.Want != strongest(j.asked) || e.Want == None && j.ended != j.limit {
			j.fault("ended by %v after %d of %d cycles; wanted were %v", e.Want, j.ended, j.limit, j.asked)
		}
	}
	if (e.As == Reset) != (out.Ticked && out.Now == 0) {
		j.fault("%v, and simulated time is %v", e, out.Now)
	}
	j.ends[e.Want]++
	j.runs = false
	clear(j.open)
	clear(j.due)
}

// draw returns a random input. Most of them are answers that let the loop go on.
func (j *judge) draw(r *rand.Rand) Input {
	i := r.IntN(len(j.conf.Participants))
	wanted := Want(r.IntN(int(wants)))
	switch n := r.IntN(200); {
	case !j.runs && n < 120:
		return Start{DT: time.Duration(1 + r.IntN(3)*1e6), Cycles: uint64(r.IntN(4))}
	case n < 2:
		return Wanted{Want: wanted}
	case n < 3:
		return Lost{Participant: i}
	case n < 6:
		return Respawned{i}
	case n < 7:
		return Broken{}
	case n < 12:
		return Tick{}
	case n < 14:
		return Start{DT: 1}
	case !j.runs && n < 140:
		return Overtaken{}
	case n < 15:
		when := time.Duration(r.IntN(10)) * ms
		return TriggerSet{Trigger{ID: uint64(1 + r.IntN(3)), Cycles: uint64(r.IntN(4)), At: when,
			Want: 1 + Want(r.IntN(int(wants)-1))}}
	case n < 30:
		return Answered{Participant: i, Call: uint64(r.IntN(int(j.call) + 2)), OK: true} // old, or of another
	}
	ids := make([]uint64, 0, len(j.open))
	for id := range j.open {
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return Tick{}
	}
	slices.Sort(ids)
	in := Answered{Call: ids[r.IntN(len(ids))], OK: r.IntN(200) > 0}
	in.Participant = j.open[in.Call].Participant
	if r.IntN(60) == 0 {
		in.Want = wanted
	}
	return in
}

// TestRandomSchedules draws participants, answers and faults, and checks after each input that
//   - a phase begins only when all calls of the phase before are answered, in the order of the phases;
//   - each call has an answer or ends with the loop, and a loop that runs waits for an answer;
//   - simulated time is the sum of dt of all ended cycles, and changes at their ends only;
//   - a loop that was asked to end ends with the cycle, by the strongest want, or at once, and no other
//     loop ends;
//   - a Tick is asked for before any deadline passes.
func TestRandomSchedules(t *testing.T) {
	ends, starts := map[Want]int{}, 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 21))
		conf := Config{Has: Wants(r.IntN(128))}
		for range 1 + r.IntN(5) {
			conf.Participants = append(conf.Participants,
				Participant{"/p", Role(r.IntN(2)), time.Duration(1+r.IntN(50)) * ms})
		}
		j := &judge{t: t, seed: seed, conf: conf, open: map[uint64]Call{}, due: map[uint64]time.Duration{}, ends: ends}
		l, at := New(conf), time.Duration(0)
		for range 300 {
			at += time.Duration(r.IntN(3)) * ms
			in := j.draw(r)
			if a, is := in.(Answered); is && a.Call > 0 {
				if c, open := j.open[a.Call]; open && c.Participant != a.Participant {
					continue // no node answers the call of another
				}
			}
			mustEnd := j.sent(at, in)
			j.saw(at, in, l.Step(at, in), mustEnd)
			if l.Running() != j.runs || l.Now() != j.now || j.runs && l.Phase() != j.phase {
				j.fault("the loop runs: %v, at %v in %v; want %v, %v, %v", l.Running(), l.Now(), l.Phase(), j.runs,
					j.now, j.phase)
			}
		}
		starts += j.starts
	}
	if starts < 10000 {
		t.Errorf("the loop was started only %d times", starts)
	}
	for w := range wants {
		if ends[w] < 100 {
			t.Errorf("the loop ended only %d times by %v", ends[w], w)
		}
	}
}
