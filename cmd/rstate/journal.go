package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"rstate/internal/app"
	"rstate/internal/journal"
)

// journalFlags adds the options that name a journal, and returns a function that returns its
// folder. Verbs read the files directly, so they work without a daemon.
func journalFlags(f *options) func() (dir string, err error) {
	node := f.String("node", "/"+app.NodeName, "full `name` of the daemon")
	dir := f.String("dir", "", "read the journal in that `folder`")
	return func() (string, error) {
		if *dir != "" {
			return *dir, nil
		}
		return app.JournalDir(*node)
	}
}

// tellReport prints what went wrong while a journal was read. It returns false if there is nothing
// to show.
func tellReport(e *env, r journal.Report) (code int, ok bool) {
	switch {
	case errors.Is(r.Err, fs.ErrNotExist):
		return e.fail(exitNoROS, "%v; rstate run FILE begins one%s", r, otherJournals(r.Dir)), false
	case r.Err != nil:
		return e.fail(exitFailed, "%v; let this user read it, or name another with --dir", r), false
	case r.String() != "":
		e.fail(exitDone, "warning: %v", r)
	}
	return exitDone, true
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
	return names
}
