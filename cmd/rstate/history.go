package main

import (
	"context"
	"fmt"
	"io"
	"os/signal"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"rstate/internal/journal"
)

// lookEvery is how often --follow reads new lines.
const lookEvery = 200 * time.Millisecond

// mostLines is how many lines of a journal a daemon is asked for.
const mostLines = 10000

// lastLines is the number of lines that history shows by default.
const lastLines = 50

// history is one reading of a journal, with its filters.
type history struct {
	filter journal.Filter
	all    bool // show requests of steps too
	form   string
	out    io.Writer
}

func historyVerb(e *env, f *options) action {
	open := bookFlags(e, f, false)
	h := &history{out: e.out}
	f.IntVar(&h.filter.Last, "last", lastLines, "the last `n` lines, or 0 for all; with --since, all is the default")
	f.Func("since", "not older than a `time` like 10m, 05:58, 2026-03-02 or 2026-03-02T05:58:00",
		func(text string) (err error) {
			h.filter.Since, err = parseSince(text, time.Now())
			return err
		})
	f.Func("about", "only lines about that `node` of the network", func(name string) error {
		h.filter.Node = path.Join("/", name)
		return nil
	})
	kind := &choice{words: kinds()}
	f.Var(kind, "kind", "only lines of that `kind`: "+strings.Join(kind.words, ", "))
	f.BoolVar(&h.all, "all", false, "show also the requests of steps, not only their ends")
	following := f.Bool("follow", false, "show new lines until Ctrl-C")
	output := f.output("how to print it; json is an object a line, yaml a document each")
	return func(words []string) int {
		h.form, h.filter.Kind = *output, journal.Kind(kind.value)
		if h.filter.Last < 0 {
			return e.fail(exitBadInput, "cannot show the last %d lines: write --last with a number above 0, or 0 for all", h.filter.Last)
		}
		if !h.filter.Since.IsZero() && !f.Changed("last") {
			h.filter.Last = 0
		}
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		b, code, ok := open(ctx)
		if !ok {
			return code
		}
		defer b.close()
		lines, report := b.next(ctx, h.asked())
		if code, ok := tellReport(e, report); !ok {
			return code
		}
		h.print(lines)
		if *following {
			h.follow(ctx, b)
		}
		return exitDone
	}
}

// asked is the filter for a daemon. It counts lines that are not shown too.
func (h *history) asked() journal.Filter {
	f := h.filter
	switch {
	case f.Last == 0 || f.Kind != "":
		f.Last = mostLines
	case !h.all:
		f.Last = min(3*f.Last+lastLines, mostLines)
	}
	return f
}

// follow prints new lines until the context ends.
func (h *history) follow(ctx context.Context, b book) {
	h.filter.Last = 0
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			lines, _ := b.next(ctx, h.asked()) // a torn line is skipped; later lines are complete
			h.print(lines)
		}
	}
}

func (h *history) print(lines []journal.Line) {
	if h.form == asTable && !h.all {
		lines = slices.DeleteFunc(lines, func(l journal.Line) bool { return l.Event == journal.EventSent })
	}
	for _, l := range h.filter.Of(lines) {
		if h.form != asTable {
			_ = printNext(h.out, h.form, l) // a closed pipe ends this process by SIGPIPE
			continue
		}
		fmt.Fprintf(h.out, "%s  %-7s  %s\n", l.At.Local().Format("2006-01-02 15:04:05.000"), l.Kind, l.Text())
	}
}

func kinds() []string {
	var words []string
	for _, k := range journal.Kinds {
		words = append(words, string(k))
	}
	return words
}

// parseSince parses a duration before now, or a point in time. A time of day is today's, or
// yesterday's if that is in the future.
func parseSince(text string, now time.Time) (time.Time, error) {
	if ago, err := time.ParseDuration(text); err == nil {
		return now.Add(-ago.Abs()), nil
	}
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime, "2006-01-02 15:04",
		time.DateOnly} {
		if at, err := time.ParseInLocation(form, text, now.Location()); err == nil {
			return at, nil
		}
	}
	for _, form := range []string{time.TimeOnly, "15:04"} {
		clock, err := time.ParseInLocation(form, text, now.Location())
		if err != nil {
			continue
		}
		at := time.Date(now.Year(), now.Month(), now.Day(), clock.Hour(), clock.Minute(), clock.Second(), 0,
			now.Location())
		if at.After(now) {
			at = at.AddDate(0, 0, -1)
		}
		return at, nil
	}
	return time.Time{}, fmt.Errorf("write how long ago, like 10m, or when, like 05:58 or 2026-03-02T05:58:00")
}
