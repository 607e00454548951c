package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"rstate/internal/host"
	"rstate/internal/journal"
)

// book is the journal that why and history tell from: that of a daemon that answers, or files.
type book interface {
	// next returns lines that the filter wants, or more: all of them, or the newest if the filter says
	// how many. From the second call on it returns only new lines.
	next(ctx context.Context, f journal.Filter) ([]journal.Line, journal.Report)
	// runs reports whether a daemon writes it.
	runs() bool
	close()
}

// bookFlags adds the options that name a journal. The returned function opens it, to be read once or to be followed.
func bookFlags(e *env, f *options, once bool) func(ctx context.Context) (b book, code int, ok bool) {
	node := f.daemon("full `name` of the daemon")
	dir := f.String("dir", "", "read the journal in that `folder`, and ask no daemon")
	return func(ctx context.Context) (book, int, bool) {
		if *dir != "" {
			return &files{e: e, dir: *dir, once: once, tail: journal.NewTail(*dir)}, exitDone, true
		}
		name := path.Join("/", *node)
		dir, lives, err := host.LastJournal(name)
		b, told := askDaemon(ctx, e, name, lives)
		switch {
		case b != nil:
			return b, exitDone, true
		case err != nil:
			return nil, e.fail(exitFailed, "%v", err), false
		}
		return &files{e: e, dir: dir, once: once, tail: journal.NewTail(dir), daemon: name, why: told}, exitDone, true
	}
}

// readOnce opens a journal and reads its newest lines. running reports whether its daemon ran when that began: one that
// begins meanwhile has written nothing that is read here.
func readOnce(ctx context.Context, e *env, open func(context.Context) (book, int, bool), last int) (
	lines []journal.Line, running bool, code int, ok bool) {
	b, code, ok := open(ctx)
	if !ok {
		return nil, false, code, false
	}
	defer b.close()
	running = b.runs()
	lines, report := b.next(ctx, journal.Filter{Last: last})
	code, ok = tellReport(e, report)
	return lines, running, code, ok
}

// files is a journal as its files have it. They may be of another robot than the one that the user
// means: of another ROS domain, or of an earlier day.
type files struct {
	e      *env
	dir    string
	once   bool // it is read once, so a line that has not ended is a fault
	tail   *journal.Tail
	daemon string // whose journal it is to be; empty: the user has named the folder
	why    string // no daemon answers
	begun  bool
}

func (b *files) runs() bool { return journal.Running(b.dir) }

func (b *files) close() {}

func (b *files) next(context.Context, journal.Filter) ([]journal.Line, journal.Report) {
	read := b.tail.Next
	if b.once {
		read = func() ([]journal.Line, journal.Report) { return journal.Read(b.dir) }
	}
	lines, report := read()
	domain, known := host.Domain()
	of := journal.About(lines)
	if b.daemon != "" && known {
		lines = journal.OfDomain(lines, fmt.Sprint(domain))
	}
	switch {
	case b.begun || report.Err != nil:
		return lines, report
	case len(lines) == 0 && of != "":
		report.Err = &another{b.why, b.dir, of}
		return nil, report
	}
	b.begun = true
	if of = journal.About(lines); of != "" {
		of = " of " + of
	}
	switch {
	case b.daemon != "":
		b.e.fail(exitDone, "%s; this is from journal %q%s", b.why, b.dir, of)
	case of != "":
		b.e.fail(exitDone, "this is from journal %q%s", b.dir, of)
	}
	return lines, report
}

// another is the error of a journal that is of another robot.
type another struct{ why, dir, of string }

func (a *another) Error() string {
	return fmt.Sprintf("%s, and journal %q is of %s: read that with --dir %s", a.why, a.dir, a.of, a.dir)
}

// tellReport prints what went wrong while a journal was read. It returns false if there is nothing
// to show.
func tellReport(e *env, r journal.Report) (code int, ok bool) {
	var other *another
	switch {
	case errors.As(r.Err, &other):
		return e.fail(exitNoROS, "%v", other), false
	case r.Err != nil && r.Dir == "": // of a daemon
		return e.fail(exitFailed, "%v", r.Err), false
	case errors.Is(r.Err, fs.ErrNotExist):
		return e.fail(exitNoROS, "%v; %s%s", r, howItBegins(), otherJournals(r.Dir)), false
	case r.Err != nil:
		return e.fail(exitFailed, "%v; let this user read it, or name another with --dir", r), false
	case r.String() != "":
		e.fail(exitDone, "warning: %v", r)
	}
	return exitDone, true
}

// howItBegins says how a journal comes to be.
func howItBegins() string {
	if home, err := os.UserHomeDir(); err == nil && os.Getenv("ROS_HOME") == "" {
		if info, err := os.Stat(home); err != nil || !info.IsDir() {
			return fmt.Sprintf("the home folder %q is not there: set HOME, or ROS_HOME to the folder that the daemon uses", home)
		}
	}
	return "rstate run FILE begins one"
}

// otherJournals names the other daemons that have a journal beside this one.
func otherJournals(dir string) string {
	names := journalsIn(filepath.Dir(dir))
	if len(names) == 0 {
		return ""
	}
	return ", and there is --node " + strings.Join(names, ", --node ")
}

// journalsIn returns the names of the daemons whose journals are in a folder.
func journalsIn(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if files, _ := filepath.Glob(filepath.Join(dir, e.Name(), "journal-*.jsonl")); len(files) > 0 {
			names = append(names, "/"+strings.ReplaceAll(e.Name(), ".", "/"))
		}
	}
	return slices.Clip(names)
}
