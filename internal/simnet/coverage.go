package simnet

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"rstate/internal/engine"
	"rstate/internal/machine"
)

// Cell is one thing that can happen in a run: an entry of a table, by up to three axes.
type Cell struct{ Table, A, B, C string }

// Coverage counts what has happened in runs. Words are looked for in the journal; one that was found is not looked for
// again.
type Coverage struct {
	Count map[Cell]int
	Words []string
}

func (w *World) covers(table, a, b, c string) {
	if w.opt.Cover != nil {
		w.opt.Cover.Count[Cell{table, a, b, c}]++
	}
}

func (w *World) coversEntry(e engine.Entry) {
	if w.opt.Cover == nil {
		return
	}
	if e.Kind == engine.EntryStep && e.Event == engine.EventDone {
		w.covers("step", e.Step, string(e.Verdict), "")
	}
	for _, words := range w.opt.Cover.Words {
		if strings.Contains(e.Sentence, words) {
			w.covers("words", words, "", "")
		}
	}
}

// coversAct counts what is done from outside. What differs in another network file counts by what the coordinator does.
func (w *World) coversAct(a Act) {
	switch a := a.(type) {
	case In:
		w.end.peers.worlds[a.World].coversAct(a.Do)
	case Swap:
		for _, how := range strings.Split(a.How, ", ") {
			what, _, _ := strings.Cut(how, " (")
			w.covers("file", what, w.brain.aim, "")
		}
	default:
		w.covers("act", reflect.TypeOf(a).Name(), "", "")
	}
}

// coversID counts the answer to a goal whose id an earlier one had: what had become of that, whether it had the same
// command, and whether the network has changed its state since.
func (c *checker) coversID(a *Goal) {
	if c.world.opt.Cover == nil || a.ID == "" {
		return
	}
	for _, o := range slices.Backward(c.world.trace.Goals) {
		if o == a || o.ID != a.ID || o.Orphaned {
			continue
		}
		was := "while it is open"
		switch {
		case o.Rejected:
			was = "after it was rejected"
		case o.Finished && o.Ended < c.since:
			was = "after another transition"
		case o.Finished:
			was = "after its end"
		}
		command := map[bool]string{true: "same command",
			false: "another command"}[strings.TrimSpace(o.Command) == strings.TrimSpace(a.Command)]
		c.world.covers("id", was, command, map[bool]string{true: "accepted", false: "rejected"}[a.Accepted])
		return
	}
}

func (b *brain) coversInput(in engine.Input) {
	if w := b.world; w.opt.Cover != nil {
		w.covers("input", b.kind(in), b.aim, b.settled)
	}
}

func (b *brain) kind(in engine.Input) string {
	name := reflect.TypeOf(in).Name()
	answer := map[bool]string{true: " yes", false: " no"}
	switch in := in.(type) {
	case engine.GoalAsked:
		to, _ := b.world.check.leadsTo(in.Command.String())
		if m := b.world.net.Machine; m.Level(to) < m.Level(b.settled) {
			return name + " lowering"
		}
		return name + " raising"
	case engine.CallAnswered:
		return name + answer[in.Success]
	case engine.ArmAnswered:
		return name + map[bool]string{true: " arm", false: " disarm"}[in.Arm] + answer[in.Success]
	}
	return name
}

// aims notes what the coordinator does now, as it is shown, and where it settled last.
func (b *brain) aims(effects []engine.Effect) {
	has := func(is func(engine.Effect) bool) bool { return slices.ContainsFunc(effects, is) }
	if !has(func(e engine.Effect) bool { _, ok := e.(engine.Show); return ok }) {
		if !has(func(e engine.Effect) bool { _, ok := e.(engine.Exit); return ok }) {
			b.staysShown()
		}
		return
	}
	snap := b.state.Snapshot()
	b.published = &snap
	aim, settled := b.aimOf(&snap), b.standard(snap.Settled)
	if aim != b.aim || settled != b.settled {
		b.aim, b.settled = aim, settled
		b.world.happens(occurrence{kind: 'a', state: aim, step: settled})
	}
}

// lookEvery is how many steps that show nothing pass until staysShown looks, since it takes longer than most of them.
const lookEvery = 16

// staysShown looks whether what was shown last of arming is still so: readiness (A10), what may be armed, and the goals that
// wait.
func (b *brain) staysShown() {
	if b.unshown++; b.published == nil || b.unshown%lookEvery != 0 {
		return
	}
	now := b.state.Snapshot()
	if was, is := shownOf(b.published), shownOf(&now); was != is {
		b.world.check.fault("~/state shows for long: %s, and it is: %s", was, is)
	}
}

// shownOf is what must not wait until something else changes.
func shownOf(s *engine.Snapshot) string {
	text := fmt.Sprintf("%s for %d reasons, %d goals wait, %d deviations, %d warnings, legal %v", s.Readiness.Word,
		len(s.Readiness.Against), len(s.OpenGoals), len(s.Deviations), len(s.Warnings), s.Legal)
	for _, in := range s.Stops.Inputs {
		text += fmt.Sprintf(", %s is %v of %v", in.Topic, in.Kind, in.Writers)
	}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		text += fmt.Sprintf(", %s is %v, %v, %v", n.Name, n.State, n.Armed, n.Doing)
	}
	return text
}

// atRest is the aim of a coordinator that runs no command.
const atRest = "at rest"

func (b *brain) aimOf(snap *engine.Snapshot) string {
	m := b.world.net.Machine
	to, _ := m.State(snap.Work.Target)
	from, _ := m.State(snap.Settled)
	switch {
	case snap.State == machine.Unknown:
		return "starting"
	case snap.Work.Recovery != "":
		return "recovery: " + snap.Work.Recovery
	case snap.Work.Target == "":
		return atRest
	case to.Final:
		return "ending"
	case snap.Work.Target == snap.Settled:
		return "back or repair"
	case to.Armed.Any():
		return "arming"
	case from.Armed.Any():
		return "disarming"
	case m.Lowers(snap.Settled, snap.Work.Target):
		return "lowering"
	}
	return "raising"
}

// standard is a state of the machine that all have: one of a team's own counts as the next lower one.
func (b *brain) standard(state string) string {
	m, nearest := b.world.net.Machine, ""
	for _, name := range []string{"finalized", "unconfigured", "inactive", "active", "armed"} {
		if state == name || state != "" && m.Level(name) <= m.Level(state) && !b.world.check.stateOf(name).Armed.Any() {
			nearest = name
		}
		if state == name {
			break
		}
	}
	return nearest
}
