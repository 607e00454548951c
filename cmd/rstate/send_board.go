//go:build ros

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"rstate/internal/term"
	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// board shows the progress of a goal on a terminal: a line for each finished transition, and a
// table of nodes for the running one. Results of nodes come from the feedback, running calls from
// the state topic. The two may arrive in any order.
type board struct {
	screen *term.Screen
	resume func() // ends the care for Ctrl-Z
	stop   chan struct{}
	still  chan struct{} // closed when nothing is drawn by itself any more

	mu       sync.Mutex
	phases   []*phase
	nodes    []string // in file order
	optional map[string]bool
	failed   map[string]rstate_msgs_msg.NodeResult // the last failure of each node
	waits    []string
	doing    runs
	came     string // the label of the newest feedback
	names    phaseNames
	goal     ownGoal
	last     *rstate_msgs_msg.InstanceState // the newest state
	ended    bool
}

// phase is one transition of the goal.
type phase struct {
	label       string
	since       time.Time     // it was seen first
	took        time.Duration // till the last node was done, which may have begun before that
	done, total uint32
	results     map[string]rstate_msgs_msg.NodeResult
	failed      bool // because of a required node
}

func newBoard(out io.Writer) *board {
	b := makeBoard(out)
	b.resume = pausable(b.screen)
	go b.run()
	return b
}

// makeBoard returns a board that does not draw by itself.
func makeBoard(out io.Writer) *board {
	return &board{
		screen: term.NewScreen(out, false), stop: make(chan struct{}), still: make(chan struct{}), doing: runs{},
		optional: map[string]bool{}, failed: map[string]rstate_msgs_msg.NodeResult{},
	}
}

// run redraws periodically, because the view shows running times.
func (b *board) run() {
	defer close(b.still)
	tick := time.NewTicker(redrawEvery)
	defer tick.Stop()
	for {
		select {
		case <-b.stop:
			return
		case <-tick.C:
			b.change(func(time.Time) {})
		}
	}
}

// change applies a change, and redraws.
func (b *board) change(what func(now time.Time)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	what(now)
	if len(b.phases) > 0 && !b.ended {
		width, height := b.screen.Room()
		b.screen.Show(b.lines(now, width, height))
	}
}

// phase returns the phase with that label, and adds it if it is new.
func (b *board) phase(label string, now time.Time) *phase {
	if i := slices.IndexFunc(b.phases, func(p *phase) bool { return p.label == label }); i >= 0 {
		return b.phases[i]
	}
	p := &phase{label: label, since: now, results: map[string]rstate_msgs_msg.NodeResult{}}
	b.phases = append(b.phases, p)
	return p
}

// told returns the phase of a feedback. If it is new, it comes before those that only a state has named so far: the
// state of a phase may overtake the feedback of the phase before.
func (b *board) told(label string, now time.Time) *phase {
	n := len(b.phases)
	p := b.phase(label, now)
	if len(b.phases) > n {
		k := slices.IndexFunc(b.phases, func(p *phase) bool { return len(p.results) == 0 })
		b.phases = slices.Insert(b.phases[:n], k, p)
	}
	return p
}

func (b *board) progress(f *rstate_msgs_action.Transition_Feedback) {
	b.change(func(now time.Time) {
		p := b.told(b.names.of(f), now)
		b.came = p.label
		p.done, p.total = f.Done, f.Total
		p.took = max(p.took, now.Sub(p.since), durationOf(f.Last.Elapsed))
		b.note(p, f.Last)
		if !slices.Contains(b.nodes, f.Last.Name) {
			b.nodes = append(b.nodes, f.Last.Name)
		}
	})
}

// note keeps the result of a node's part.
func (b *board) note(p *phase, r rstate_msgs_msg.NodeResult) {
	p.results[r.Name] = r
	if !slices.Contains(fine, r.Verdict) {
		b.failed[r.Name] = r
		p.failed = p.failed || !b.optional[r.Name]
	}
}

// taken also shows what the newest state says of this goal: a state may overtake the answer that the goal is accepted.
func (b *board) taken(id string) {
	b.change(func(now time.Time) {
		b.goal = ownGoal{id, now}
		if b.last != nil {
			b.running(b.last, now)
		}
	})
}

// state shows the running calls of this goal. Before the goal is accepted, and if it is rejected, what runs is
// the command of another client, which is not drawn.
func (b *board) state(s *rstate_msgs_msg.InstanceState) {
	b.change(func(now time.Time) {
		b.nodes = b.nodes[:0]
		for _, n := range s.Nodes {
			b.nodes = append(b.nodes, n.Name)
			b.optional[n.Name] = n.Optional
		}
		b.doing.note(s, now)
		b.last = s
		b.running(s, now)
	})
}

// running notes the phase and the waits of this goal in a state.
func (b *board) running(s *rstate_msgs_msg.InstanceState, now time.Time) {
	if b.waits = nil; !b.goal.runs(s, now) {
		return
	}
	b.waits = s.Progress.WaitingFor
	if s.Progress.Total > 0 && !s.Settled {
		if strings.HasPrefix(b.came, s.State.Label+wayBack) { // a state shows no rollback
			return
		}
		p := b.phase(s.State.Label, now)
		p.total = max(p.total, s.Progress.Total)
	}
}

// result adds the nodes of the last phase whose feedback has not arrived, and what was rolled back
// since: the result may overtake it.
func (b *board) result(r *rstate_msgs_action.Transition_Result) {
	b.change(func(time.Time) {
		if len(b.phases) == 0 {
			return
		}
		p := b.phases[len(b.phases)-1]
		for _, n := range r.Nodes {
			last, told := p.results[n.Name]
			switch undone := rstate_msgs_msg.NodeResult_UNDONE; {
			case !told && slices.Contains(b.nodes, n.Name) && p.done < p.total:
				b.note(p, n)
				p.done++
			case told && n.Verdict == undone && last.Verdict != undone:
				p.results[n.Name] = n
			}
		}
	})
}

func (b *board) say(text string) {
	b.screen.Say(term.Text(text, term.Bold))
	b.change(func(time.Time) {})
}

// end draws for the last time. The lines stay on the terminal.
func (b *board) end() {
	close(b.stop)
	<-b.still
	b.change(func(time.Time) { b.waits = nil })
	b.mu.Lock()
	b.ended = true
	b.mu.Unlock()
	b.screen.Close()
	b.resume()
}

func (b *board) lines(now time.Time, width, height int) []term.Line {
	var all []term.Line
	var below []term.Line
	for _, wait := range b.waits {
		below = append(below, term.Text("  waiting: "+wait, term.Yellow))
	}
	for i, p := range b.phases {
		running, style, time := i == len(b.phases)-1, term.Green, took(p.took)
		if running && (p.total == 0 || p.done < p.total) {
			time, style = seconds(now.Sub(p.since)), term.Yellow
		}
		if p.failed {
			style = term.Red
		}
		all = append(all, term.Line{{Text: fmt.Sprintf("%-15s ", phaseLabel(p.label)), Style: style},
			{Text: fmt.Sprintf("%d of %d  %s", p.done, p.total, time)}})
		if running {
			all = append(all, b.table(p, now, max(1, height-len(all)-len(below)))...)
		}
	}
	return append(all, below...)
}

// row is the line of a node, with its importance.
type row struct {
	line   term.Line
	weight int
}

// The weights of rows. If the window is too low, fit drops the rows of the least weight.
const (
	waits = iota
	isDone
	isRunning
	wentWrong
)

func (b *board) table(p *phase, now time.Time, room int) []term.Line {
	name := 0
	for _, n := range b.nodes {
		name = max(name, term.Width(n))
	}
	var rows []row
	for _, n := range b.nodes {
		rows = append(rows, b.row(p, n, name, now))
	}
	return fit(rows, room)
}

func (b *board) row(p *phase, name string, width int, now time.Time) row {
	r, done := p.results[name]
	failed, undone := b.failed[name], done && r.Verdict == rstate_msgs_msg.NodeResult_UNDONE
	what, time, style, weight := "waits", "", term.Dim, waits
	doing := b.doing[name]
	switch {
	case undone && failed.Name != "":
		what, time, style, weight = afterFailure(failed, r), took(durationOf(failed.Elapsed)), term.Red, wentWrong
	case done && !slices.Contains(fine, r.Verdict):
		what, time, style, weight = outcome(r), took(durationOf(r.Elapsed)), term.Red, wentWrong
	case done:
		what, time, style, weight = outcome(r), took(durationOf(r.Elapsed)), term.Plain, isDone
	case doing.what != "":
		what, time, style, weight = doing.what+" …", seconds(now.Sub(doing.since)), term.Yellow, isRunning
	}
	if done && r.Step == "" && (!undone || failed.Name == "") {
		time = "" // nothing was asked of it
	}
	text := fmt.Sprintf("  %-*s  %8s  %s", width, name, time, what)
	return row{term.Text(strings.TrimRight(text, " "), style), weight}
}

// afterFailure describes a node that has failed, and where the rollback has left it.
func afterFailure(failed, now rstate_msgs_msg.NodeResult) string {
	if now.Step == "" {
		return outcome(failed)
	}
	return outcome(failed) + "; " + outcome(now)
}

// fine holds the verdicts that are no faults.
var fine = []string{rstate_msgs_msg.NodeResult_DONE, rstate_msgs_msg.NodeResult_UNDONE,
	rstate_msgs_msg.NodeResult_SKIPPED}

// fit drops rows until the rest fits the room. A last line shows how many were dropped.
func fit(rows []row, room int) []term.Line {
	left, keep := 0, len(rows)
	if len(rows) > room {
		keep = max(0, room-1) // the last line is for those left out
	}
	for weight := waits; weight <= wentWrong; weight++ {
		for i := len(rows) - 1; i >= 0 && len(rows) > keep; i-- {
			if rows[i].weight == weight {
				rows = slices.Delete(rows, i, i+1)
				left++
			}
		}
	}
	var lines []term.Line
	for _, r := range rows {
		lines = append(lines, r.line)
	}
	if left > 0 {
		lines = append(lines, term.Text(fmt.Sprintf("  … and %d more", left), term.Dim))
	}
	return lines
}
