package journal

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// step is how much of a file is read at once, from its end.
const step = 64 << 10

// Newest returns the newest lines that are wanted, at most as many as the filter says, the oldest first. It reads from
// the end, and no further than it must: the newest lines of a long journal cost what they cost themselves. A filter
// that few lines pass reads more, but never keeps more than it returns.
func Newest(dir string, wanted func(*Line) bool, most int) ([]Line, Report) {
	b := backward{dir: dir, wanted: wanted, most: most, report: Report{Dir: dir}}
	seqs, err := listed(func() ([]string, error) { return osDisk{}.list(dir) })
	if err == nil && len(seqs) == 0 {
		err = fs.ErrNotExist
	}
	if err != nil {
		b.report.Err = err
		return nil, b.report
	}
	for k := len(seqs) - 1; k >= 0 && len(b.lines) < most; k-- {
		err := b.file(seqs[k], k == len(seqs)-1)
		if errors.Is(err, fs.ErrNotExist) {
			break // removed meanwhile, and so are all before it
		}
		if err != nil {
			b.skip(nameOf(seqs[k]) + " cannot be read: " + bare(err))
		}
	}
	slices.Reverse(b.lines)
	return b.lines, b.report
}

// backward reads a journal from its end.
type backward struct {
	dir    string
	wanted func(*Line) bool
	most   int
	lines  []Line // the newest first
	next   *Line  // the line behind the one that is read
	report Report
}

func (b *backward) skip(what string) { b.report.Skipped = append(b.report.Skipped, what) }

// file reads one file, until there are enough lines.
func (b *backward) file(seq uint64, newest bool) error {
	f, err := openFile(filepath.Join(b.dir, nameOf(seq)), os.O_RDONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	var text []byte // of the file from at on, up to the last line that was taken
	aligned := false
	for at := info.Size(); at > 0 && len(b.lines) < b.most; {
		from := max(0, at-step)
		part := make([]byte, at-from, at-from+int64(len(text)))
		if _, err := f.ReadAt(part, from); err != nil {
			return err
		}
		if at == info.Size() && part[len(part)-1] != '\n' {
			b.torn(seq, newest)
		}
		text, at = append(part, text...), from
		if !aligned {
			text = text[:bytes.LastIndexByte(text, '\n')+1]
			aligned = len(text) > 0 // else the beginning of that line stands further ahead
		}
		if text = b.take(text, at == 0, seq); len(text) > maxLine {
			b.skip(nameOf(seq) + " has a line that cannot be read")
			text, aligned = nil, false
		}
	}
	return nil
}

// torn notes that a file ends in the middle of a line.
func (b *backward) torn(seq uint64, newest bool) {
	if newest {
		b.skip(nameOf(seq) + " ends in the middle of a line: it is just being written, or was torn")
		return
	}
	b.skip(nameOf(seq) + " ends in the middle of a line: it was torn")
}

// take takes whole lines from the end of a text that ends with one, and returns what is left: the end of a line
// whose beginning was not read. With whole, the text begins with a line.
func (b *backward) take(text []byte, whole bool, seq uint64) []byte {
	for len(text) > 0 && len(b.lines) < b.most {
		begin := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
		if begin == 0 && !whole {
			return text
		}
		b.add(text[begin:len(text)-1], seq)
		text = text[:begin]
	}
	return text
}

// add adds one line, unless it is none, is not wanted, or was written again further behind.
func (b *backward) add(text []byte, seq uint64) {
	l, err := decode(text)
	if err != nil || len(text) > maxLine {
		b.skip(nameOf(seq) + " has a line that cannot be read")
		return
	}
	if b.next != nil {
		if l.Instance == b.next.Instance && l.N >= b.next.N {
			return
		}
		b.report.Missing += missing(&l, b.next)
	}
	b.next = &l
	if b.wanted(&l) {
		b.lines = append(b.lines, l)
	}
}
