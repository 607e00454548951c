package stepper

import "fmt"

// wish is a want and its origin.
type wish struct {
	want        Want
	participant int
	trigger     uint64
	why         string
	err         bool // it was not asked for
}

// take keeps the strongest wish of the cycle, and of equal ones the first. What the caller wants is never due later:
// the caller knows what has become of it.
func (l *Loop) take(w wish) {
	if w.want.Stronger(l.wish.want) {
		l.wish = w
	}
	if !w.err && (w.participant >= 0 || w.trigger > 0) && w.want.Stronger(l.due.want) {
		l.due = w
	}
}

func (l *Loop) start(in Start) {
	if l.out.Refused = l.refusal(in); l.out.Refused != "" {
		return
	}
	l.clock.change(in.DT)
	l.running, l.run = true, run{limit: in.Cycles}
	if l.resume(); l.running {
		l.next()
	}
}

// resume takes over what is due from an earlier run, if nothing has come of it. It ends the loop if the cycle has ended
// in which that was wanted, or if a participant wants to abort. Otherwise the cycle runs again first.
func (l *Loop) resume() {
	was, keeps := l.due, l.keeps
	l.due, l.keeps = wish{}, false
	if !keeps || was.want == None || was.want == Pause { // a pause has come about
		return
	}
	if l.take(was); was.want == Abort || l.done == l.cycle {
		l.end(was)
	}
}

// next begins a cycle, or asks whether it may begin.
func (l *Loop) next() {
	l.between = l.conf.Asks
	if l.out.Between = l.between; !l.between {
		l.beginCycle()
	}
}

// proceed begins the cycle that next asked for.
func (l *Loop) proceed() {
	if l.between {
		l.between = false
		l.beginCycle()
	}
}

// beginCycle begins a cycle with its first phase.
func (l *Loop) beginCycle() {
	l.cycle = l.done + 1
	l.resetStats()
	if l.untold {
		l.begin(Resetting)
		return
	}
	l.begin(StepBegin)
}

// refusal returns why the loop cannot start; empty: it can.
func (l *Loop) refusal(in Start) string {
	switch {
	case l.running:
		return "the loop runs already"
	case len(l.parts) == 0:
		return "the loop has no participants"
	case in.DT <= 0:
		return fmt.Sprintf("dt must be above 0, and is %v", in.DT)
	case !l.clock.reaches(in.DT):
		return fmt.Sprintf("simulated time ends at %v, and is %v", Latest, l.Now())
	}
	for i := range l.parts {
		if l.parts[i].lost {
			return l.name(i) + " is lost"
		}
	}
	return ""
}

func (l *Loop) wanted(in Wanted) {
	w := wish{want: in.Want, participant: -1, why: in.Why}
	switch {
	case !in.Want.known():
	case l.running && in.Want == Abort:
		l.keeps = true
		l.end(w)
	case l.running && l.between && in.Want != None:
		l.take(w)
		l.end(l.wish)
	case l.running:
		l.take(w)
	case in.Want == Reset:
		l.rewind()
	}
}

func (l *Loop) answered(in Answered) {
	p := &l.parts[in.Participant]
	if !p.open || in.Call != p.call {
		p.ignore(in.Call)
		return
	}
	p.open = false
	l.open--
	l.judge(in)
	if l.running { // else the participant has not done its part
		p.stats[l.phase].add(l.now - p.called)
	}
	l.advance()
}

// judge takes what a participant answered, and ends the loop if it cannot wait for step_end.
func (l *Loop) judge(in Answered) {
	if in.OK && in.Want == None {
		return // most answers; they format no text
	}
	where := fmt.Sprintf("%v of cycle %d", l.phase, l.cycle)
	w := wish{want: in.Want, participant: in.Participant}
	w.why = because(fmt.Sprintf("%s wants %v in %s", l.name(in.Participant), in.Want, where), in.Message)
	switch {
	case !in.Want.known():
		l.fail(in.Participant, fmt.Sprintf("%s answered %s with the unknown want %d", l.name(in.Participant), where,
			in.Want))
	case in.Want == Abort:
		l.take(w)
		l.end(w)
	case !in.OK:
		l.fail(in.Participant, because(fmt.Sprintf("%s failed in %s", l.name(in.Participant), where), in.Message))
	default:
		l.take(w)
	}
}

// advance begins the next phase as often as the present one has ended.
func (l *Loop) advance() {
	for l.running && !l.between && l.open == 0 {
		switch {
		case l.phase == Resetting:
			l.untold = false
			l.begin(StepBegin)
		case l.phase < StepEnd:
			l.begin(l.phase + 1)
		default:
			if l.finish(); l.running {
				l.next()
			}
		}
	}
}

// begin begins a phase.
func (l *Loop) begin(p Phase) {
	l.phase = p
	l.out.Phases = append(l.out.Phases, p)
	for i := range l.parts {
		if p.calls(l.conf.Participants[i].Role) {
			l.call(i)
		}
	}
}

func (l *Loop) call(i int) {
	l.calls++
	l.open++
	p := &l.parts[i]
	p.open, p.call, p.called = true, l.calls, l.now
	l.out.Calls = append(l.out.Calls, Call{ID: l.calls, Participant: i, Phase: l.phase, Cycle: l.cycle, Now: l.Now(),
		DT: l.clock.dt})
	l.wake(l.now + l.conf.Participants[i].Deadline)
}

// finish ends a cycle, and the loop if that is wanted.
func (l *Loop) finish() {
	l.clock.cycles++
	l.done++
	l.total++
	l.run.cycles++
	l.run.stat.add(l.now - l.run.began)
	l.out.Ticked, l.out.Now = true, l.Now()
	l.fire()
	switch {
	case l.wish.want != None:
		l.end(l.wish)
	case l.run.cycles == l.run.limit:
		l.end(wish{participant: -1})
	case !l.clock.reaches(l.clock.dt):
		l.end(wish{want: Fail, err: true, participant: -1, why: fmt.Sprintf("simulated time ends at %v", Latest)})
	}
}

// end ends the loop. Open calls no longer count.
func (l *Loop) end(w wish) {
	e := &Ended{Want: w.want, Error: w.err, As: l.conf.Has.Nearest(w.want), Participant: w.participant,
		Trigger: w.trigger, Why: w.why}
	e.Cycle, e.Cycles, e.Now = l.cycle, l.run.cycles, l.Now()
	l.out.Ended = e
	for i := range l.parts {
		l.parts[i].abandon()
	}
	l.running, l.between, l.open, l.wish = false, false, 0, wish{}
	if e.As == Reset {
		l.rewind()
	}
}

// rewind sets simulated time and the number of the cycle to zero. The participants hear of it if a cycle has begun
// since they went back.
func (l *Loop) rewind() {
	l.untold = l.untold || l.cycle > 0
	l.clock, l.cycle, l.done, l.due = clock{dt: l.clock.dt}, 0, 0, wish{}
	l.out.Ticked, l.out.Now = true, 0
	l.rearm()
}
