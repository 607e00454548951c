package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rstate/internal/checking"
	"rstate/internal/machine"
	"rstate/internal/network"
)

// Readiness (A10): whether Arm would arm the network now, and every reason why not.

// Readiness is that, for people and for programs.
type Readiness struct {
	Word    ReadyWord
	Command string     // the command that arms
	Against []Obstacle // why not, or what is still measured
}

// ReadyWord is readiness in a word.
type ReadyWord string

// The words. A network in which nothing can be armed has none.
const (
	NothingToArm ReadyWord = ""
	Ready        ReadyWord = "ready"     // Arm would arm the network
	NotReady     ReadyWord = "not ready" // Arm would be refused, or fail
	Measuring    ReadyWord = "measuring" // Arm would wait for a check that is not decided yet
	ArmedAlready ReadyWord = "armed"
)

// String is the word with every reason.
func (r Readiness) String() string {
	if len(r.Against) == 0 {
		return string(r.Word)
	}
	words := make([]string, len(r.Against))
	for k, o := range r.Against {
		words[k] = o.String()
	}
	return string(r.Word) + ": " + strings.Join(words, "; ")
}

// Readiness says whether the command that arms would arm the network now.
func (s *State) Readiness() Readiness {
	t, ok := s.armCommand()
	if !ok || len(s.armable) == 0 && len(s.peers.book.Living()) == 0 {
		return Readiness{}
	}
	r := Readiness{Word: ArmedAlready, Command: t.Name}
	if s.armedHere() && !s.busy() {
		return r
	}
	r.Word, r.Against = Ready, s.against(t)
	slices.SortStableFunc(r.Against, func(a, b Obstacle) int { return cmp.Compare(a.Kind, b.Kind) })
	for _, o := range r.Against {
		switch {
		case o.Kind != Measured:
			r.Word = NotReady
		case r.Word == Ready:
			r.Word = Measuring
		}
	}
	return r
}

// armCommand is the command that arms: the one that is legal now, else the first of the machine.
func (s *State) armCommand() (arm machine.Transition, ok bool) {
	for _, t := range s.machine.Transitions {
		t = s.command(t.Name, s.origin())
		to, _ := s.machine.State(t.To)
		if t.Hidden || !to.Armed.Any() || s.isDisarm(t.Name) {
			continue
		}
		if s.judge.Can(t.Name) {
			return t, true
		}
		if !ok {
			arm, ok = t, true
		}
	}
	return arm, ok
}

// against lists what stands against a command that arms. The door asks the same, in the same order.
func (s *State) against(t machine.Transition) []Obstacle {
	bar := func(why, do string) []Obstacle { return []Obstacle{{Why: why, Do: do}} }
	in := s.dated(GoalAsked{})
	switch {
	case s.yields():
		return bar(s.closing.stop.why, "")
	case s.closing.stop != nil:
		return bar("rstate is stopping", startAgain)
	case s.closing.ended != nil:
		return bar("the network is "+s.settled, "start rstate again")
	case !s.startup.named:
		return bar(notOurs, waitForThat)
	case s.busy():
		return bar(s.underWay(), waitForEnd)
	case s.settled == "":
		return bar(s.unread(), waitForRead)
	case s.tooOld(in, t.To) != "":
		return bar(s.tooOld(in, t.To), "")
	case !s.judge.Can(t.Name):
		return []Obstacle{s.againstIllegal(t)}
	}
	if why := s.noLoop(t); why != "" {
		return bar(why, "")
	}
	to, _ := s.machine.State(t.To)
	return append(s.againstArming(s.settled, to), s.lacksOthers(t)...)
}

// againstIllegal says why a command that arms is not legal here, and which command comes before it.
func (s *State) againstIllegal(t machine.Transition) Obstacle {
	o := Obstacle{Why: t.Name + " is not legal in " + s.settled, Do: "send a command that is legal now"}
	if path, ok := s.machine.Path(s.settled, t.To); ok && len(path) > 1 {
		o.Do = "first: " + strings.Join(path[:len(path)-1], ", ")
	}
	return o
}

// illegalWords is that as the reason of a rejection.
func (s *State) illegalWords(t machine.Transition) string {
	o := s.againstIllegal(t)
	return s.armWords(t, o.Why, o.Do)
}

// CheckView is one check in a snapshot.
type CheckView struct {
	Node, Subject string
	Kind          string
	Value         string         // what was measured; empty: nothing was
	Number        network.Scalar // the same as a number; see checking.Verdict
	Known         bool           // false: it is not decided yet, or not looked at now
	Fault         string         // why it does not pass; empty: it passes, or is not looked at
	Do            string         // what a person can do about it
	When          string         // enter or stay; empty: both
	Warn          bool           // it is shown, and forbids nothing
}

// Passes reports whether the check is known to pass.
func (c *CheckView) Passes() bool { return c.Known && c.Fault == "" }

// checkViews lists all checks, in the order of the file.
func (ro *roster) checkViews() []CheckView {
	var list []CheckView
	for _, i := range ro.checked {
		for k := range ro.nodes[i].checks {
			spec := ro.nodes[i].checks[k].spec
			v := CheckView{Node: ro.nodes[i].spec.Name, Subject: spec.Subject(), Kind: string(spec.Kind()),
				When: string(spec.When), Warn: spec.Warn}
			if ro.checkable(i) {
				says := ro.judgeCheck(i, k)
				v.Value, v.Number, v.Known, v.Fault = says.Value, says.Number, says.Known, says.Fault
			}
			if v.Known && v.Fault != "" {
				v.Do = checking.Advice(spec, v.Node)
			}
			list = append(list, v)
		}
	}
	return list
}

// checkWarnings lists the checks with warn that do not pass. The words hold no value: a warning that changes with each
// look would be news each time. The values are among the checks.
func (ro *roster) checkWarnings() []string {
	var list []string
	for _, i := range ro.checked {
		for k := range ro.nodes[i].checks {
			spec := ro.nodes[i].checks[k].spec
			if !spec.Warn || !ro.checkable(i) {
				continue
			}
			if v := ro.judgeCheck(i, k); v.Known && v.Fault != "" {
				list = append(list, fmt.Sprintf("%s does not pass its check of %s, which forbids nothing",
					ro.nodes[i].spec.Name, spec.Subject()))
			}
		}
	}
	return list
}
