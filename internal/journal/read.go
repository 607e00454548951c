package journal

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"time"
)

// Filter says which lines are wanted. Zero fields want all.
type Filter struct {
	Since time.Time // not older
	Node  string
	Kind  Kind
	Last  int // at most so many, the newest
}

func (f Filter) wants(l *Line) bool {
	return (f.Since.IsZero() || !l.At.Before(f.Since)) && (f.Node == "" || l.Node == f.Node) && (f.Kind == "" || l.Kind == f.Kind)
}

// Of returns those of lines that are wanted.
func (f Filter) Of(lines []Line) []Line {
	var wanted []Line
	for i := range lines {
		if f.wants(&lines[i]) {
			wanted = append(wanted, lines[i])
		}
	}
	if f.Last > 0 && len(wanted) > f.Last {
		wanted = wanted[len(wanted)-f.Last:]
	}
	return wanted
}

// Read returns the wanted lines of the journal in dir, the oldest first, and says what it could not make out. It takes
// no lock: a journal that is being written is read as far as it goes. Where only the last lines are wanted, files that
// they cannot be in are not opened, and the report is about the others.
func Read(dir string, filter Filter) ([]Line, Report) {
	r := &reader{filter: filter, report: Report{Dir: dir}, fs: osDisk{}}
	names, err := r.fs.list(dir)
	if err != nil {
		r.report.Err = err
		return nil, r.report
	}
	seqs := sequence(names)
	if len(seqs) == 0 {
		r.report.Err = fs.ErrNotExist
		return nil, r.report
	}
	var parts [][]Line // the newest file first
	total := 0
	for k := len(seqs) - 1; k >= 0 && (filter.Last == 0 || total < filter.Last); k-- {
		if k+1 < len(seqs) && seqs[k]+1 != seqs[k+1] {
			r.report.skip(nameOf(seqs[k]+1), 0, "is missing")
		}
		lines := r.file(seqs[k], k == len(seqs)-1)
		parts = append(parts, lines)
		total += len(lines)
	}
	if r.after != nil {
		r.report.Lost += r.after.lost // before the oldest line that there is
	}
	slices.Reverse(r.report.Skips)
	lines := make([]Line, 0, total)
	for _, part := range slices.Backward(parts) {
		lines = append(lines, part...)
	}
	if filter.Last > 0 && total > filter.Last {
		lines = lines[total-filter.Last:]
	}
	return lines, r.report
}

// reader reads files from the newest to the oldest.
type reader struct {
	filter Filter
	report Report
	fs     disk
	after  *span // the numbers in the file that follows; nil: there is none
}

// span is the first line of a file, by which it hangs on the one before.
type span struct{ first, lost uint64 }

// file reads one file; newest says that it may be written meanwhile.
func (r *reader) file(seq uint64, newest bool) []Line {
	name := nameOf(seq)
	f, err := r.fs.view(filepath.Join(r.report.Dir, name))
	if err != nil {
		why := "cannot be read: " + bare(err)
		if errors.Is(err, fs.ErrNotExist) {
			why = "was removed while the journal was read"
		}
		r.report.skip(name, 0, why)
		return nil
	}
	defer f.Close()
	r.report.Files++
	s := scan{name: name, reader: r, newest: newest}
	if err := s.all(io.NewSectionReader(f, 0, 1<<62)); err != nil {
		s.skip("cannot be read on: " + bare(err))
	}
	slices.Reverse(s.skips) // Read reverses them all
	for _, skip := range s.skips {
		r.report.skip(skip.File, skip.Line, skip.Why)
	}
	r.report.Skipped += s.unsaid
	if s.last > 0 {
		if r.after != nil {
			r.gap(s.last, *r.after)
		}
		r.after = &s.head
	}
	return s.lines
}

// bare is an error without the path that the reader of a report has before him already.
func bare(err error) string {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// gap counts what is missing between two lines that follow each other.
func (r *reader) gap(last uint64, next span) {
	if next.first > last+1 {
		missing := next.first - last - 1
		lost := min(missing, next.lost)
		r.report.Lost += lost
		r.report.Missing += missing - lost
	}
}

// scan is the reading of one file.
type scan struct {
	*reader
	name   string
	newest bool
	line   int
	head   span
	last   uint64
	lines  []Line
	skips  []Skip
	unsaid int
}

func (s *scan) skip(why string) {
	if len(s.skips) < maxSkips {
		s.skips = append(s.skips, Skip{s.name, s.line, why})
		return
	}
	s.unsaid++
}

func (s *scan) all(from io.Reader) error {
	in := bufio.NewReaderSize(from, 64<<10)
	var long []byte // the beginning of a line that is longer than the buffer
	tooLong := false
	for {
		text, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			if tooLong = tooLong || len(long)+len(text) > maxLine; !tooLong {
				long = append(long, text...)
			}
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(long) > 0 {
			text = append(long, text...)
		}
		s.line++
		switch whole := bytes.HasSuffix(text, []byte("\n")); {
		case tooLong || len(text) > maxLine:
			s.skip("is too long for a line of a journal")
		case len(text) > 0:
			s.take(bytes.TrimSuffix(text, []byte("\n")), whole)
		}
		if err != nil {
			return nil
		}
		long, tooLong = long[:0], false
	}
}

func (s *scan) take(text []byte, whole bool) {
	l, err := decode(text)
	switch {
	case err == nil:
	case !whole && s.newest:
		s.skip("ends in the middle: it is just being written, or was torn")
		return
	case !whole:
		s.skip("ends in the middle: it was torn")
		return
	default:
		s.skip(err.Error())
		return
	}
	s.report.Lines++
	if s.last == 0 {
		s.head = span{l.N, l.Lost}
	} else {
		s.gap(s.last, span{l.N, l.Lost})
	}
	s.last = max(s.last, l.N)
	if s.filter.wants(&l) {
		s.lines = append(s.lines, l)
	}
}
