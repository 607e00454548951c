package stepper

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

const ms = time.Millisecond

// all has a command for every want.
var all = WantsOf(Stop, Reset, Abort, Pause, Fail, Succeed)

// two is one simulator and one controller. A row of a table names them by these indexes.
const (
	sim = 0
	ctl = 1
)

func two() Config {
	return Config{Has: all, Participants: []Participant{{"/sim", Simulator, 100 * ms}, {"/ctl", Controller, 200 * ms}}}
}

// world plays a story and keeps what the loop asked for.
type world struct {
	*Loop
	t    testing.TB
	conf Config
	at   time.Duration // the time
	open []Call        // without an answer, in their order
	last []Call        // the newest of each participant
	log  []string      // effects except wake-ups
	wake []time.Duration
	end  *Ended // the last
}

func play(t testing.TB, conf Config, story ...func(*world)) *world {
	w := &world{Loop: New(conf), t: t, conf: conf, last: make([]Call, len(conf.Participants))}
	for _, act := range story {
		act(w)
	}
	return w
}

// send gives one input to the loop and notes the effects.
func (w *world) send(in Input) Effects {
	out := w.Step(w.at, in)
	if out.Refused != "" {
		w.log = append(w.log, "refused: "+out.Refused)
	}
	if out.Ticked {
		w.log = append(w.log, fmt.Sprintf("clock %v", out.Now))
	}
	for k, p := range out.Phases {
		line := p.String()
		if k == len(out.Phases)-1 && len(out.Calls) > 0 {
			line += fmt.Sprintf(" %d @%v:", out.Calls[0].Cycle, out.Calls[0].Now)
			for _, c := range out.Calls {
				line += " " + w.conf.Participants[c.Participant].Name
			}
		}
		w.log = append(w.log, line)
	}
	for _, c := range out.Calls {
		w.open = append(w.open, c)
		w.last[c.Participant] = c
	}
	if out.Wake {
		w.wake = append(w.wake, out.WakeAt)
	}
	if e := out.Ended; e != nil {
		w.end, w.open = e, nil
		if names := strings.HasPrefix(e.Why, "/"); names != (e.Participant >= 0) ||
			names && !strings.HasPrefix(e.Why, w.conf.Participants[e.Participant].Name) {
			w.t.Errorf("participant %d is named for %q", e.Participant, e.Why)
		}
		if strings.HasPrefix(e.Why, "trigger") != (e.Trigger > 0) {
			w.t.Errorf("trigger %d is named for %q", e.Trigger, e.Why)
		}
		w.log = append(w.log, e.String())
	}
	return out
}

// answer answers the open call of a participant.
func (w *world) answer(i int, in Answered) {
	w.t.Helper()
	k := slices.IndexFunc(w.open, func(c Call) bool { return c.Participant == i })
	if k < 0 {
		w.t.Fatalf("participant %d has no open call; the log is\n%s", i, strings.Join(w.log, "\n"))
	}
	in.Participant, in.Call = i, w.open[k].ID
	w.open = slices.Delete(w.open, k, k+1)
	w.send(in)
}

func start(dt time.Duration, cycles uint64) func(*world) {
	return func(w *world) { w.send(Start{DT: dt, Cycles: cycles}) }
}

func input(in Input) func(*world) { return func(w *world) { w.send(in) } }

func demand(want Want) func(*world) { return input(Wanted{Want: want}) }

// ok lets participants answer well.
func ok(list ...int) func(*world) {
	return func(w *world) {
		for _, i := range list {
			w.answer(i, Answered{OK: true})
		}
	}
}

// says lets a participant answer well, with a want.
func says(i int, want Want) func(*world) {
	return func(w *world) { w.answer(i, Answered{OK: true, Want: want}) }
}

// errs lets a participant answer badly.
func errs(i int, words string) func(*world) {
	return func(w *world) { w.answer(i, Answered{Message: words}) }
}

// again sends an answer to the newest call of a participant, whether it is open or not.
func again(i int) func(*world) {
	return func(w *world) {
		w.send(Answered{Participant: i, Call: w.last[i].ID, OK: true, Want: Abort, Message: "late"})
	}
}

// after lets time pass, without an input.
func after(d time.Duration) func(*world) { return func(w *world) { w.at += d } }

// step lets all participants answer the present phase.
func step(w *world) {
	for _, c := range slices.Clone(w.open) {
		if w.Running() {
			w.answer(c.Participant, Answered{OK: true})
		}
	}
}

// to lets all participants answer until a phase has begun.
func to(p Phase) func(*world) {
	return func(w *world) {
		for w.Running() && w.Phase() != p {
			step(w)
		}
	}
}

// rest lets all participants answer until the cycle or the loop has ended.
func rest(w *world) {
	for n := w.Cycles(); w.Running() && w.Cycles() == n; {
		step(w)
	}
}

// check compares the log with the expected lines.
func (w *world) check(want ...string) {
	w.t.Helper()
	got := strings.Join(w.log, "\n")
	if expected := strings.Join(want, "\n"); got != expected {
		w.t.Errorf("got\n%s\nwant\n%s", got, expected)
	}
}
