package journal

import (
	"bytes"
	"errors"
	"io/fs"
	"syscall"
)

// attach makes the journal writable: the directory is there, ours alone, and its last file is open at its end. It
// begins from what is on the disk, whoever left it there, and however.
func (w *writer) attach() error {
	if err := w.fs.mkdir(w.j.dir); err != nil {
		return err
	}
	unlock, err := w.fs.lock(w.j.dir)
	if err != nil {
		return err
	}
	w.unlock = unlock
	names, err := w.fs.list(w.j.dir)
	if err != nil {
		return err
	}
	seqs := sequence(names)
	if len(seqs) == 0 {
		w.seq = 0
		return w.begin()
	}
	w.seq = seqs[len(seqs)-1]
	for k := len(seqs) - 1; k >= 0; k-- {
		n, err := w.numberIn(seqs[k])
		if err != nil {
			continue // what cannot be read cannot be asked; the number goes on from an older file
		}
		if n > 0 {
			w.last = max(w.last, n)
			break
		}
	}
	f, err := w.fs.extend(w.pathOf(w.seq))
	if notOurs(err) {
		return w.begin() // whatever it is, the next one is ours
	}
	if err != nil {
		return err
	}
	return w.resume(f)
}

// notOurs says whether a file cannot be gone on with, however often that is tried: it is another user's, or none.
func notOurs(err error) bool {
	for _, one := range []error{fs.ErrPermission, fs.ErrNotExist, errNoFile, syscall.EISDIR, syscall.ENXIO, syscall.ELOOP} {
		if errors.Is(err, one) {
			return true
		}
	}
	return false
}

// numberIn returns the newest number in a file, 0 if there is none.
func (w *writer) numberIn(seq uint64) (uint64, error) {
	f, err := w.fs.view(w.pathOf(seq))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return newest(f, info.Size())
}

// newest looks for the newest number from the end of a file, in windows that grow: the last line nearly always is in
// the first.
func newest(f file, size int64) (uint64, error) {
	for window := int64(64 << 10); ; window *= 4 {
		from := max(0, size-window)
		text := make([]byte, size-from)
		if n, err := f.ReadAt(text, from); n < len(text) {
			return 0, err
		}
		for len(text) > 0 {
			start := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
			if l, err := decode(bytes.TrimSuffix(text[start:], []byte("\n"))); err == nil && (start > 0 || from == 0) {
				return l.N, nil
			}
			text = text[:start]
		}
		if from == 0 {
			return 0, nil
		}
	}
}

// resume goes on at the end of a file. A line that is torn there stays: it is ended, so that readers skip it alone.
func (w *writer) resume(f file) error {
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return err
	}
	w.file, w.path, w.size = f, w.pathOf(w.seq), info.Size()
	w.torn, w.dirty = false, true // what a former process wrote may not be safe yet
	if w.size > 0 {
		end := make([]byte, 1)
		if _, err := f.ReadAt(end, w.size-1); err != nil {
			return err
		}
		w.torn = end[0] != '\n'
	}
	w.prune()
	return nil
}

// rotate goes on in the next file. The full one is made safe first, so that what Sync promises is about one file.
func (w *writer) rotate() error {
	if err := w.sync(); err != nil {
		return err
	}
	w.file.Close()
	w.file = nil
	return w.begin()
}

// begin creates the next file. Killed before, the old one is the last; killed after, the new one, which may be empty.
func (w *writer) begin() error {
	seq := w.seq + 1
	f, err := w.fs.create(w.pathOf(seq))
	if err != nil {
		return err
	}
	if err := w.fs.syncDir(w.j.dir); err != nil {
		f.Close()
		return err
	}
	w.seq = seq
	w.file, w.path, w.size, w.torn, w.dirty = f, w.pathOf(seq), 0, false, false
	w.prune()
	return nil
}

// prune removes the oldest files beyond the bound. That it cannot stops nothing, and is tried again with the next file.
func (w *writer) prune() {
	w.pruning = nil
	names, err := w.fs.list(w.j.dir)
	if err != nil {
		w.pruning = err
		return
	}
	seqs := sequence(names)
	for len(seqs) > w.j.opt.Files {
		if err := w.fs.remove(w.pathOf(seqs[0])); err != nil && !errors.Is(err, fs.ErrNotExist) {
			w.pruning = err
			return
		}
		seqs = seqs[1:]
	}
}
