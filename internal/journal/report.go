package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Report says what a reading met. Its String is for a person; it is empty when there is nothing to say.
type Report struct {
	Dir     string
	Err     error  // the journal cannot be read at all; fs.ErrNotExist: there is none yet
	Files   int    // that were read
	Lines   int    // whole lines that were read, before any filter
	Skips   []Skip // what was passed over, the first of them
	Skipped int    // how often something was passed over
	Missing uint64 // lines that the numbers show to be missing, beside those that the journal itself says are lost
	Lost    uint64 // those
}

// Skip is something that was passed over.
type Skip struct {
	File string
	Line int // 0: the whole file
	Why  string
}

// maxSkips is how many of them a report holds: a file of garbage is no reason to fill a screen.
const maxSkips = 20

func (s Skip) String() string {
	if s.Line == 0 {
		return s.File + " " + s.Why
	}
	return fmt.Sprintf("%s:%d %s", s.File, s.Line, s.Why)
}

func (r *Report) skip(file string, line int, why string) {
	r.Skipped++
	if len(r.Skips) < maxSkips {
		r.Skips = append(r.Skips, Skip{file, line, why})
	}
}

// Whole says whether all that was ever written and kept was read.
func (r Report) Whole() bool { return r.Err == nil && r.Skipped == 0 && r.Missing == 0 && r.Lost == 0 }

func (r Report) String() string {
	switch {
	case errors.Is(r.Err, fs.ErrNotExist):
		return fmt.Sprintf("there is no journal in %q yet", r.Dir)
	case r.Err != nil:
		return fmt.Sprintf("cannot read journal %q: %v", r.Dir, r.Err)
	case r.Whole():
		return ""
	}
	var parts []string
	if r.Lost > 0 {
		parts = append(parts, count(r.Lost, "line was", "lines were")+" lost while the disk could not be written")
	}
	if r.Missing > 0 {
		parts = append(parts, count(r.Missing, "line is", "lines are")+" missing")
	}
	for _, s := range r.Skips {
		parts = append(parts, s.String())
	}
	if more := r.Skipped - len(r.Skips); more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("journal %q is not whole: %s", r.Dir, strings.Join(parts, "; "))
}

func count(n uint64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
