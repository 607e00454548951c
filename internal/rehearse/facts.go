package rehearse

import (
	"fmt"
	"slices"
	"strings"
)

// Facts are what an expectation is compared with: a moment of a simulated network, or of a real one.
type Facts struct {
	State      string
	Rests      bool // in that state; else a transition runs
	Intact     bool
	Deviations []string
	Where      func(node string) string // its state, "gone" or "armed"
	Legal      []string
	Loops      bool // the stepped loop runs
	Step       int  // of the stepped loop
	Cause      string
	Verdict    func(goal string) string // how it ended: "succeeded done", "rejected", "open", "never asked"
	Says       string                   // what the last goal was told; empty: it has not ended
	Exit       *int                     // nil: the daemon has not ended
	ExitWhy    string
	Asked      func() []string // steps that nodes were asked for since the case or the scene began
	Journal    func() []string // sentences of states of the network since the case began, with their causes
}

// misses collects what does not hold.
type misses struct {
	words []string
	lasts bool // waiting does not help
}

func (m *misses) add(format string, args ...any) {
	m.words = append(m.words, fmt.Sprintf(format, args...))
}

// Missed returns in words what does not hold. lasts reports that waiting does not help: a goal or the daemon has ended
// in another way, or a node was asked for what it must not be asked for.
func (e *Expect) Missed(f *Facts) (missed []string, lasts bool) {
	m := &misses{}
	e.missesState(f, m)
	e.missesLoop(f, m)
	e.missesEnds(f, m)
	e.missesSteps(f, m)
	return m.words, m.lasts
}

// missesState compares the state of the network and of its nodes.
func (e *Expect) missesState(f *Facts, m *misses) {
	switch {
	case e.State == "":
	case e.State != f.State:
		m.add("the network is %s, not %s", f.State, e.State)
	case !f.Rests:
		m.add("the network does not rest in %s yet", f.State)
	}
	if e.Intact != nil && *e.Intact != f.Intact {
		m.add("%s", map[bool]string{true: "the network is intact, but must not be",
			false: "the network is not intact: " + strings.Join(f.Deviations, "; ")}[f.Intact])
	}
	for _, n := range e.Nodes {
		if is := f.Where(n.Name); is != n.Is {
			m.add("%s is %s, not %s", n.Name, is, n.Is)
		}
	}
	if e.Legal != nil && !slices.Equal(slices.Sorted(slices.Values(e.Legal)), slices.Sorted(slices.Values(f.Legal))) {
		m.add("legal is %s, not %s", strings.Join(f.Legal, ", "), strings.Join(e.Legal, ", "))
	}
	if !strings.Contains(f.Cause, e.Cause) {
		m.add("the cause is %q, without %q", f.Cause, e.Cause)
	}
}

// missesLoop compares the step of the stepped loop.
func (e *Expect) missesLoop(f *Facts, m *misses) {
	switch {
	case e.Step == nil:
	case f.Loops && f.Step <= *e.Step:
		m.add("the loop runs in step %d, which is not later than %d", f.Step, *e.Step)
	case !f.Loops && f.Step != *e.Step:
		m.add("the loop rests after step %d, not %d", f.Step, *e.Step)
	}
}

// missesEnds compares how the daemon and goals ended.
func (e *Expect) missesEnds(f *Facts, m *misses) {
	switch {
	case e.Exit == nil:
	case f.Exit == nil:
		m.add("the daemon has not ended, with code %d or any other", *e.Exit)
	case *f.Exit != *e.Exit:
		m.add("the daemon ended with code %d, not %d: %s", *f.Exit, *e.Exit, f.ExitWhy)
		m.lasts = true
	}
	for _, g := range e.Goals {
		if is := f.Verdict(g.Name); is != g.Is && !strings.HasPrefix(is, g.Is+" ") {
			m.add("%s ended as %q, not %q", g.Name, is, g.Is)
			m.lasts = m.lasts || is != Open && is != NeverAsked
		}
	}
	if e.Says != "" && !strings.Contains(f.Says, e.Says) {
		m.add("the last goal was told %q, without %q", f.Says, e.Says)
		m.lasts = m.lasts || f.Says != ""
	}
}

// missesSteps compares what nodes were asked for, and what the journal says.
func (e *Expect) missesSteps(f *Facts, m *misses) {
	if e.Asked != nil || e.NotAsked != nil {
		asked := f.Asked()
		for _, step := range e.NotAsked {
			if slices.Contains(asked, step) {
				m.add("a node was asked to %s", step)
				m.lasts = true
			}
		}
		if k := inOrder(e.Asked, asked, func(is, want string) bool { return is == want }); k < len(e.Asked) {
			m.add("%s was not asked, or not in this order", e.Asked[k])
		}
	}
	if e.Journal != nil {
		if k := inOrder(e.Journal, f.Journal(), strings.Contains); k < len(e.Journal) {
			m.add("the journal does not say %q, or not in this order", e.Journal[k])
		}
	}
}

// inOrder returns how many of the wanted texts occur, each behind the one before it.
func inOrder(wanted, list []string, is func(text, wanted string) bool) (found int) {
	for _, text := range list {
		if found < len(wanted) && is(text, wanted[found]) {
			found++
		}
	}
	return found
}
