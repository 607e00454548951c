package main

import (
	"context"
	"fmt"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"rstate/internal/clean"
	"rstate/internal/journal"
	"rstate/internal/term"
)

const (
	// longestPause is how long replay waits between two lines by default: most of a day nothing happens.
	longestPause = 2 * time.Second
	// replayNews is how many of the newest lines stand below the nodes.
	replayNews = 8
)

// replay plays a journal again, or shows the moment that is asked for.
type replay struct {
	env     *env
	speed   int // 0: without waiting
	longest time.Duration
	since   time.Time
	at      time.Time // zero: it plays
	form    string
	screen  *term.Screen // nil: lines are printed
	last    time.Time    // of the line before
	news    []string
	shown   int
	first   time.Time     // of what is shown
	took    time.Duration // from there to the line before, without times by which the clock was set back
}

func replayVerb(e *env, f *options) action {
	open := bookFlags(e, f, true)
	r := &replay{env: e}
	f.IntVar(&r.speed, "speed", 1, "how many `times` as fast as it was; 0 waits for nothing, and is the default without a terminal")
	f.DurationVar(&r.longest, "longest", longestPause, "the longest `pause` between two lines")
	moment := func(to *time.Time) func(string) error {
		return func(text string) (err error) {
			*to, err = parseSince(text, time.Now())
			return err
		}
	}
	f.Func("since", "begin at a `time` like 10m, 05:58, 2026-03-02 or 2026-03-02T05:58:00", moment(&r.since))
	f.Func("at", "show that `time`, and play nothing", moment(&r.at))
	output := f.output("how to print it; json is an object a line, with the whole network at that line")
	return func(words []string) int {
		r.form = *output
		switch {
		case r.speed < 0:
			return e.fail(exitBadInput, "cannot play %d times as fast: write --speed with a number above 0, or 0 to wait for nothing", r.speed)
		case r.longest < 0:
			return e.fail(exitBadInput, "cannot pause for %v: write --longest with a time above 0, like 2s", r.longest)
		case !r.since.IsZero() && !r.at.IsZero():
			return e.fail(exitBadInput, "cannot begin at one time and show another: leave out --since or --at")
		}
		if !term.Is(e.out) && !f.Changed("speed") {
			r.speed = 0
		}
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		lines, _, code, ok := readOnce(ctx, e, open, mostLines)
		if !ok {
			return code
		}
		return r.plays(ctx, lines)
	}
}

// plays shows the lines one after another, or only the moment that is asked for, and then where they end.
func (r *replay) plays(ctx context.Context, lines []journal.Line) int {
	var p journal.Picture
	if !r.at.IsZero() {
		return r.moment(&p, lines)
	}
	if r.form == asTable && r.speed > 0 && term.Is(r.env.out) {
		r.screen = term.NewScreen(r.env.out, true)
	}
	for i := range lines {
		l := &lines[i]
		if l.At.Before(r.since) {
			p.Take(l)
			continue
		}
		if inTime := r.waits(ctx, l.At); !inTime {
			break
		}
		p.Take(l)
		r.show(&p)
	}
	if r.screen != nil {
		r.screen.Close()
	}
	switch {
	case p.Line.N == 0:
		return r.env.fail(exitFailed, "cannot play a journal without lines: nothing has happened yet")
	case r.shown == 0:
		return r.env.fail(exitFailed, "cannot play what came after %s: the journal ends at %s",
			r.since.Local().Format(time.DateTime), p.At.Local().Format(time.DateTime))
	case r.form != asTable:
		return exitDone
	case r.screen == nil:
		fmt.Fprintln(r.env.out)
	}
	r.print(&p)
	fmt.Fprintf(r.env.out, "%s, of %v from %s\n", clean.Count(r.shown, "line"), r.took.Round(time.Millisecond),
		r.first.Local().Format(time.DateTime))
	return exitDone
}

// moment shows the network as it was at one time.
func (r *replay) moment(p *journal.Picture, lines []journal.Line) int {
	for i := range lines {
		if lines[i].At.After(r.at) {
			break // lines of a clock that was set back later are of another moment
		}
		p.Take(&lines[i])
	}
	switch {
	case p.Line.N == 0:
		return r.env.fail(exitFailed, "cannot show %s: the journal begins later", r.at.Local().Format(time.DateTime))
	case r.form != asTable:
		return r.env.print(r.form, p)
	}
	r.print(p)
	return exitDone
}

func (r *replay) print(p *journal.Picture) {
	for _, l := range pictureLines(p) {
		term.Print(r.env.out, l)
	}
}

// show shows the newest line.
func (r *replay) show(p *journal.Picture) {
	if r.shown++; r.shown == 1 {
		r.first = p.At
	}
	if r.form != asTable {
		_ = printNext(r.env.out, r.form, p) // a closed pipe ends this process by SIGPIPE
		return
	}
	text := fmt.Sprintf("%s  %-7s  %s", p.At.Local().Format("15:04:05.000"), p.Line.Kind, p.Line.Text())
	if r.screen == nil {
		fmt.Fprintln(r.env.out, text)
		return
	}
	r.news = append(r.news, text)
	r.news = r.news[max(0, len(r.news)-replayNews):]
	page := append(pictureLines(p), nil)
	for _, line := range r.news {
		page = append(page, term.Text(line, term.Dim))
	}
	r.screen.Show(page)
}

// waits waits as long as there was between two lines, at the speed that is asked for. It returns false if the replay was
// ended meanwhile.
func (r *replay) waits(ctx context.Context, at time.Time) bool {
	var gap time.Duration
	if !r.last.IsZero() {
		gap = max(0, at.Sub(r.last))
	}
	var pause time.Duration
	if r.speed > 0 {
		pause = min(gap/time.Duration(r.speed), r.longest)
	}
	over := time.NewTimer(pause)
	defer over.Stop()
	select {
	case <-over.C:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return false
	}
	r.last = at
	r.took += gap
	return true
}

// pictureLines are the network and its nodes at one moment.
func pictureLines(p *journal.Picture) []term.Line {
	where := p.State
	if p.To != "" {
		where += ", on the way to " + p.To
	}
	head := fmt.Sprintf("%s  the network is %s", p.At.Local().Format("2006-01-02 15:04:05.000"), where)
	lines := []term.Line{term.Text(head, term.Bold)}
	if p.Ended {
		lines = append(lines, term.Text("  rstate has ended", term.Yellow))
	}
	if p.Missing > 0 {
		lines = append(lines, term.Text(fmt.Sprintf("  missing before: %s", clean.Count(int(p.Missing), "line")), term.Yellow))
	}
	wide := 0
	for _, n := range p.Nodes {
		wide = max(wide, term.Width(n.Name))
	}
	for i := range p.Nodes {
		word, style := pictureWord(&p.Nodes[i])
		name := p.Nodes[i].Name
		lines = append(lines, term.Text("  "+name+strings.Repeat(" ", wide-term.Width(name))+"  "+word, style))
	}
	return lines
}

// pictureWord says how a node is.
func pictureWord(n *journal.NodePicture) (word string, style term.Style) {
	word = n.Seen
	if word == "" {
		word = "not seen yet"
	}
	switch {
	case n.Gone:
		word, style = "gone", term.Red
	case n.Silent:
		word, style = "unresponsive", term.Red
	case n.Strayed:
		word, style = word+", not as it should be", term.Red
	case n.Verdict != "" && n.Verdict != "done":
		word, style = word+", "+n.LastStep+": "+n.Verdict, term.Yellow
	}
	switch {
	case n.Armed:
		word += ", armed"
	case n.MayBeArmed:
		word += ", may be armed"
	}
	if n.Asked != "" {
		word += ", is asked to " + n.Asked
	}
	return word, style
}
