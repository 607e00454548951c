package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Filter says which lines are wanted. Zero fields want all.
type Filter struct {
	Since time.Time // not older
	Node  string
	Kind  Kind
	Last  int // at most so many, the newest
}

// Wants reports whether a line passes the filter, whatever its number.
func (f Filter) Wants(l *Line) bool {
	return !l.At.Before(f.Since) && (f.Node == "" || l.Node == f.Node) && (f.Kind == "" || l.Kind == f.Kind)
}

// Of returns those of lines that are wanted.
func (f Filter) Of(lines []Line) []Line {
	var wanted []Line
	for i := range lines {
		if f.Wants(&lines[i]) {
			wanted = append(wanted, lines[i])
		}
	}
	return wanted[max(0, len(wanted)-or(f.Last, len(wanted))):]
}

// Report says what a reading met. Its String is for a person; it is empty when there is nothing to say.
type Report struct {
	Dir     string
	Err     error    // the journal cannot be read at all; fs.ErrNotExist: there is none yet
	Skipped []string // what could not be made out
	Missing uint64   // lines that the numbers show to be missing
	// What stands behind the last line cannot be read: a later run may have begun to write there.
	Torn bool
	// When the newest file was changed last. A run that listens to stop inputs touches it now and then.
	Touched time.Time
}

func (r Report) String() string {
	switch {
	case errors.Is(r.Err, fs.ErrNotExist):
		return fmt.Sprintf("there is no journal in %q yet", r.Dir)
	case r.Err != nil:
		return fmt.Sprintf("cannot read journal %q: %v", r.Dir, r.Err)
	}
	const most = 5
	parts := counted(r.Skipped)
	if more := len(parts) - most; more > 0 {
		parts = append(parts[:most:most], fmt.Sprintf("and %d more", more))
	}
	switch {
	case r.Missing == 1:
		parts = append(parts, "1 line is missing")
	case r.Missing > 1:
		parts = append(parts, fmt.Sprintf("%d lines are missing", r.Missing))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("journal %q is not whole: %s", r.Dir, strings.Join(parts, "; "))
}

// counted returns each text once, with the number of times that it occurs.
func counted(texts []string) []string {
	var once []string
	times := map[string]int{}
	for _, text := range texts {
		if times[text]++; times[text] == 1 {
			once = append(once, text)
		}
	}
	for i, text := range once {
		if n := times[text]; n > 1 {
			once[i] = fmt.Sprintf("%s (%d times)", text, n)
		}
	}
	return once
}

// Read returns every line of the journal in dir, the oldest first, and says what it could not make out. It takes no
// lock: a journal that is being written is read as far as it goes.
func Read(dir string) ([]Line, Report) { return readAll(NewTail(dir)) }

// ReadEnd is Read of the newest lines, as many as are in two files: a start has no time for a journal of years.
func ReadEnd(dir string) ([]Line, Report) { return readAll(&Tail{dir: dir, most: 2}) }

func readAll(t *Tail) ([]Line, Report) {
	lines, report := t.Next()
	report.Torn = t.torn || len(t.rest) > 0
	if info, err := os.Lstat(filepath.Join(t.dir, nameOf(t.seq))); err == nil {
		report.Touched = info.ModTime()
	}
	if n := len(t.rest); n > 0 {
		report.Skipped = append(report.Skipped,
			fmt.Sprintf("%s ends in the middle of a line: it is just being written, or was torn", nameOf(t.seq)))
	}
	return lines, report
}

// Tail reads a journal while it is written. It is for one goroutine.
type Tail struct {
	dir  string
	most int    // of the newest files to begin with; 0: all
	seq  uint64 // of the file that it is in
	at   int64  // how far it is
	rest []byte // behind that: a line that has not ended
	last *Line
	torn bool // what stands behind the last line cannot be read
}

// NewTail returns a tail that begins with the oldest line.
func NewTail(dir string) *Tail { return &Tail{dir: dir} }

// Next returns the lines that are new.
func (t *Tail) Next() ([]Line, Report) {
	report := Report{Dir: t.dir}
	seqs, err := listed(func() ([]string, error) { return osDisk{}.list(t.dir) })
	if err != nil {
		report.Err = err
		return nil, report
	}
	if len(seqs) == 0 {
		report.Err = fs.ErrNotExist
	}
	if t.seq == 0 && t.most > 0 {
		seqs = tail(seqs, t.most)
	}
	var lines []Line
	for _, seq := range seqs {
		if seq < t.seq {
			continue
		}
		if seq > t.seq {
			if len(t.rest) > 0 {
				report.Skipped = append(report.Skipped, nameOf(t.seq)+" ends in the middle of a line: it was torn")
				t.torn = true
			}
			t.seq, t.at, t.rest = seq, 0, nil
		}
		more, err := t.file(&report)
		if errors.Is(err, fs.ErrNotExist) { // removed while we read, and so are all before it
			t.last = nil
			return t.Next()
		}
		if err != nil {
			report.Skipped = append(report.Skipped, nameOf(t.seq)+" cannot be read: "+bare(err))
			t.torn = true
		}
		lines = append(lines, more...)
	}
	return lines, report
}

// listed returns the numbers of the files, the oldest first. Listing a directory is not one step: any signal interrupts
// it, and the runtime sends many. Where the writer goes on to its next files meanwhile, one may be in the list and
// those made before it not. What is there throughout a listing is always in it, so a second one shows what the first
// has missed.
func listed(list func() ([]string, error)) ([]uint64, error) {
	names, err := list()
	for err == nil {
		seqs := sequence(names)
		if names, err = list(); err == nil && !misses(seqs, sequence(names)) {
			return seqs, nil
		}
	}
	return nil, err
}

// misses says whether a later listing has what ought to be in an earlier one: a file older than its newest.
func misses(earlier, later []uint64) bool {
	if len(earlier) == 0 {
		return len(later) > 0
	}
	newest := earlier[len(earlier)-1]
	return slices.ContainsFunc(later, func(seq uint64) bool { return seq < newest && !slices.Contains(earlier, seq) })
}

// file reads on in one file.
func (t *Tail) file(report *Report) ([]Line, error) {
	text, err := t.read()
	if err != nil {
		return nil, err
	}
	var lines []Line
	for {
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			break
		}
		lines = t.take(lines, text[:end], report)
		t.at += int64(end) + 1
		text = text[end+1:]
	}
	if len(text) > maxLine {
		report.Skipped = append(report.Skipped, nameOf(t.seq)+" has a line that is too long")
		t.torn = true
		t.at, text = t.at+int64(len(text)), nil
	}
	t.rest = bytes.Clone(text)
	return lines, nil
}

func (t *Tail) read() ([]byte, error) {
	f, err := openFile(filepath.Join(t.dir, nameOf(t.seq)), os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.NewSectionReader(f, t.at, 1<<62))
}

// bare returns the text of an error without the path, which the report already shows.
func bare(err error) string {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// take adds one line, unless it is none, or one that was written twice.
func (t *Tail) take(lines []Line, text []byte, report *Report) []Line {
	l, err := decode(text)
	if err != nil || len(text) > maxLine {
		report.Skipped = append(report.Skipped, nameOf(t.seq)+" has a line that cannot be read")
		t.torn = true
		return lines
	}
	if t.last != nil {
		if l.Instance == t.last.Instance && l.N <= t.last.N {
			return lines
		}
		report.Missing += missing(t.last, &l)
	}
	t.last, t.torn = &l, false
	return append(lines, l)
}
