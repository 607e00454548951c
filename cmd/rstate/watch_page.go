//go:build ros

package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"rstate/internal/machine"
	"rstate/internal/term"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

const (
	// freshFor is how long a change stands out.
	freshFor = 3 * time.Second
	// newsKept is how much of what has happened is kept to be shown below.
	newsKept = 100
	// newsShown is how many lines of it are wanted where nodes could fill the page.
	newsShown = 5
)

// page is the live view of a network on a terminal.
type page struct {
	screen  *term.Screen
	doing   runs
	changed map[string]time.Time // by node; the network itself by no name
	silent  time.Time            // since when
	news    []string
}

func newPage(out io.Writer) *page {
	return &page{screen: term.NewScreen(out, true), doing: runs{}, changed: map[string]time.Time{}}
}

// note stores a change for the view.
func (p *page) note(before, now *rstate_msgs_msg.InstanceState, news []string, at time.Time) {
	for _, line := range news {
		p.news = append(p.news, at.Format(time.TimeOnly)+"  "+line)
	}
	p.news = p.news[max(0, len(p.news)-newsKept):]
	if now == nil {
		p.silent = at
		return
	}
	p.doing.note(now, at)
	old := map[string]string{}
	if before == nil || now.State.Label == machine.Unknown {
		return // the first state is no change, and neither is an unknown one
	}
	for _, n := range before.Nodes {
		old[n.Name] = atRest(n)
	}
	for _, n := range now.Nodes {
		if old[n.Name] != atRest(n) {
			p.changed[n.Name] = at
		}
	}
	if standing(before) != standing(now) {
		p.changed[""] = at
	}
}

func (p *page) fresh(name string, now time.Time) bool {
	at, ok := p.changed[name]
	return ok && now.Sub(at) < freshFor
}

func (p *page) draw(s *rstate_msgs_msg.InstanceState, alive bool, now time.Time) {
	width, height := p.screen.Room()
	p.screen.Show(p.lines(s, alive, now, width, height))
}

// lines returns the lines of the page: the network, its nodes, notes, and news. If the window is
// too low, healthy nodes are left out first.
func (p *page) lines(s *rstate_msgs_msg.InstanceState, alive bool, now time.Time, width, height int) []term.Line {
	top := p.top(s, alive, now)
	notes := notesOf(s)
	room := height - len(top) - len(notes)
	if below := min(len(p.news), newsShown) + 1; len(s.Nodes) > room && room > 2*below {
		room -= below
	}
	all := append(top, p.table(s, now, max(1, room))...)
	all = append(all, notes...)
	if left := height - len(all) - 1; left > 0 && len(p.news) > 0 {
		all = append(all, nil)
		for _, text := range p.news[max(0, len(p.news)-left):] {
			all = append(all, term.Text(text, term.Dim))
		}
	}
	return all
}

func (p *page) top(s *rstate_msgs_msg.InstanceState, alive bool, now time.Time) []term.Line {
	mark := "  "
	if p.fresh("", now) {
		mark = "▸ "
	}
	where := term.Line{{Text: mark, Style: term.Bold}, {Text: standing(s), Style: styleOfNetwork(s)}}
	if s.Progress.Total > 0 {
		where = append(where, term.Piece{Text: fmt.Sprintf("  %d of %d", s.Progress.Done, s.Progress.Total)})
	}
	lines := []term.Line{
		{{Text: s.Name, Style: term.Bold},
			{Text: "  simulation " + s.Simulation + "  machine " + s.Machine, Style: term.Dim}},
		where,
	}
	if s.Cause != "" && !strings.HasPrefix(s.Cause, "the network is ") {
		lines = append(lines, term.Text("  "+s.Cause, term.Dim))
	}
	if line := loopLine(s); line != "" {
		lines = append(lines, term.Text("  "+line, term.Plain))
	}
	if !alive {
		text := fmt.Sprintf("  silent since %s: this is the last known state; the view continues when the daemon is back", p.silent.Format(time.TimeOnly))
		lines = append(lines, term.Text(text, term.Red))
	}
	return append(lines, nil)
}

// table returns a line for each node. If there is no room for all, the last line shows how many are
// left out.
func (p *page) table(s *rstate_msgs_msg.InstanceState, now time.Time, room int) []term.Line {
	shown := s.Nodes
	if len(shown) > room {
		shown = p.pick(s.Nodes, now, room-1)
	}
	name, word := 0, 0
	for _, n := range shown {
		name, word = max(name, term.Width(n.Name)), max(word, term.Width(nodeWord(n)))
	}
	var lines []term.Line
	for _, n := range shown {
		mark, style := "  ", styleOf(n)
		if p.fresh(n.Name, now) {
			mark = "▸ "
		}
		text := fmt.Sprintf("%-*s  %-*s", name, n.Name, word, nodeWord(n))
		if n.Running != "" {
			text += "  " + seconds(now.Sub(p.doing[n.Name].since))
		}
		if cause := causeOf(n); cause != "" {
			text += "  " + cause
		}
		lines = append(lines, term.Line{{Text: mark, Style: term.Bold},
			{Text: strings.TrimRight(text, " "), Style: style}})
	}
	if left := len(s.Nodes) - len(shown); left > 0 {
		lines = append(lines, term.Text(fmt.Sprintf("  … and %d more", left), term.Dim))
	}
	return lines
}

// pick chooses as many nodes as fit, in their order. It prefers nodes that run a call, have a cause
// or have just changed.
func (p *page) pick(nodes []rstate_msgs_msg.NodeState, now time.Time, room int) []rstate_msgs_msg.NodeState {
	weighty := func(n rstate_msgs_msg.NodeState) bool {
		return n.Cause != "" || n.Running != "" || n.Instances > 1 || p.fresh(n.Name, now)
	}
	quiet := room
	for _, n := range nodes {
		if weighty(n) {
			quiet--
		}
	}
	var chosen []rstate_msgs_msg.NodeState
	for _, n := range nodes {
		switch {
		case len(chosen) >= room:
		case weighty(n):
			chosen = append(chosen, n)
		case quiet > 0:
			quiet--
			chosen = append(chosen, n)
		}
	}
	return chosen
}

// notesOf returns the lines below the table: peers, guards, warnings, the lease, failures and the legal
// commands.
func notesOf(s *rstate_msgs_msg.InstanceState) []term.Line {
	lines := []term.Line{nil}
	for _, p := range s.Peers {
		lines = append(lines, term.Text("peer "+p.Name+"  "+peerLine(p), styleOfPeer(p)))
	}
	for i := range s.Guards {
		g := &s.Guards[i]
		word, cause := guardWords(g)
		lines = append(lines, term.Text(strings.TrimSuffix("guard "+g.Id+"  "+word+": "+cause, ": "), styleOfGuard(g)))
	}
	lines = append(lines, stopLines(s)...)
	lines = append(lines, readinessLines(s)...)
	for _, w := range s.Progress.WaitingFor {
		lines = append(lines, term.Text("waiting: "+w, term.Yellow))
	}
	for _, w := range s.Warnings {
		lines = append(lines, term.Text("warning: "+w, term.Yellow))
	}
	if line := leaseLine(s); line != "" {
		lines = append(lines, term.Text(line, term.Plain))
	}
	if line := failureLine(s); line != "" {
		lines = append(lines, term.Text("last failure: "+line, term.Red))
	}
	if line := refusalLine(s); line != "" {
		lines = append(lines, term.Text("last refused: "+line, term.Plain))
	}
	return append(lines, term.Text(legalLine(s), term.Plain))
}
