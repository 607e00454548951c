package rehearse

import (
	"fmt"
	"slices"
	"strings"

	"rstate/internal/engine"
	"rstate/internal/machine"
	"rstate/internal/simnet"
)

// judge compares what happened with what the case expects.
func (l *life) judge(c Case, trace *simnet.Trace) Result {
	r := Result{Case: c, State: trace.Last.State, Intact: trace.Last.Intact, Broken: trace.Faults, Life: trace,
		Told: told(trace)}
	if n := len(l.handles); n > 0 {
		if g := trace.Goal(l.handles[n-1]); g != nil {
			r.Goal, r.Says = strings.TrimSpace(g.Verdict()), g.Why+g.Result.Message
			if r.Ended = g.Finished || g.Rejected; r.Ended {
				r.Took = g.Ended - g.Asked
			}
		}
	}
	miss := func(format string, args ...any) { r.Missed = append(r.Missed, fmt.Sprintf(format, args...)) }
	if c.Given != "" {
		for k, word := range wayTo(l.net.Machine, c.Given) {
			if g := trace.Goal(givenHandle(k)); g.Verdict() != "succeeded done" && g.Verdict() != "succeeded already" &&
				!StaysOpen(l.net.Machine, word) {
				miss("the network did not reach %s, where the case begins: %s", c.Given, g.Why+g.Result.Message)
				return r
			}
		}
	}
	if l.untold > 0 && !(l.untold == 1 && l.mayStay && r.Goal == Open) {
		if words := l.missed(); words != "" {
			miss("%s", words)
		}
	}
	r.Scenes = l.ends
	r.Missed = append(r.Missed, l.expects(c, trace)...)
	return r
}

// expects returns what does not hold at the end of a case, or of the first scene that has not ended.
func (l *life) expects(c Case, trace *simnet.Trace) []string {
	parts := c.parts()
	if len(l.ends) == len(parts) {
		return nil
	}
	missed := l.lost
	if missed == nil {
		f := l.facts(trace, trace.Calls[l.asked:])
		f.Rests = f.Rests || len(c.Scenes) == 0 // a case ends when nothing is left to wait for
		missed, _ = parts[len(l.ends)].Expect.Missed(f)
	}
	if len(c.Scenes) > 0 {
		for k, m := range missed {
			missed[k] = fmt.Sprintf("scene %d: %s", len(l.ends)+1, m)
		}
	}
	return missed
}

// missed names the step whose moment did not come. The steps after it are not done either. It is empty if a scene did
// not end as it expects.
func (l *life) missed() string {
	first := &l.beats[len(l.beats)-l.untold]
	steps := len(l.places)
	if steps == 0 || first.step == steps || first.waits == "" {
		return first.waits
	}
	k := max(first.step, 0)
	what, after := l.places[k]+" is not done", ""
	if k < steps-1 {
		what = l.places[k] + " and the steps after it are not done"
	}
	if k > 0 {
		after = " after " + l.places[k-1]
	}
	return fmt.Sprintf("%s: %s%s", what, first.waits, after)
}

// facts is what an expectation is compared with. asked are the calls since the case or the scene began.
func (l *life) facts(trace *simnet.Trace, asked []*simnet.Call) *Facts {
	now := &trace.Last
	f := &Facts{State: now.State, Rests: now.Rests(), Intact: now.Intact, Deviations: now.Deviations, Legal: now.Legal,
		Loops: now.Loop.Runs, Step: int(now.Loop.Step), Cause: now.Cause,
		Where:   func(node string) string { return where(node, trace) },
		Verdict: func(goal string) string { return strings.TrimSpace(trace.Goal(goal).Verdict()) }}
	for _, handle := range slices.Backward(l.handles) {
		if g := trace.Goal(handle); g != nil { // the newest that was sent
			f.Says = g.Why + g.Result.Message
			break
		}
	}
	if trace.Exit != nil {
		f.Exit, f.ExitWhy = &trace.Exit.Code, trace.Exit.Why
	}
	f.Asked = func() (steps []string) {
		for _, c := range asked {
			if c.At >= trace.Marked {
				steps = append(steps, c.Do+" "+c.Node)
			}
		}
		return steps
	}
	f.Journal = func() (lines []string) {
		for _, e := range trace.Entries {
			if e.Kind == engine.EntryState {
				lines = append(lines, fmt.Sprintf("%s (%s)", e.Sentence, e.Cause))
			}
		}
		return lines
	}
	return f
}

// where is the true state of a node, in a word.
func where(name string, trace *simnet.Trace) string {
	for _, n := range trace.Last.Nodes {
		switch {
		case n.Name != name:
		case n.Armed == engine.IsArmed:
			return "armed"
		case !n.Present:
			return "gone"
		default:
			return trace.Where(name).String()
		}
	}
	return "unknown"
}

// StaysOpen reports whether the goal of a word may stay open until a stepped loop ends.
func StaysOpen(m *machine.Machine, word string) bool {
	if t, command := m.Transition(word); command {
		return t.Open
	}
	to, _ := m.State(word)
	return to.Loop != machine.NoLoop
}
