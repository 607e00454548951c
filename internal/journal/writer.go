package journal

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"
)

// batch is how many lines are written at once.
const batch = 128

// writer owns the files. Only its goroutine touches it.
type writer struct {
	j      *Journal
	fs     disk
	down   bool   // the last try failed
	unlock func() // nil: the directory is not ours
	file   file   // nil: the next try attaches anew
	path   string
	seq    uint64
	size   int64
	dirty  bool // file holds what is not synced

	asked   []func(error) // syncs that have not begun
	waiting []func(error) // those that the running one answers
	synced  chan error    // its end; nil: none runs
}

// write puts lines on the disk and says how many got there.
func (w *writer) write(lines []Line) (written int, err error) {
	if w.file != nil && !w.fs.holds(w.path, w.file) {
		w.detach() // the file was removed or replaced: new lines go into a new one
	}
	if w.file == nil {
		if err := w.attach(); err != nil {
			return 0, err
		}
	}
	for part := range slices.Chunk(lines, batch) {
		if w.size >= w.j.opt.FileSize {
			if err := w.rotate(); err != nil {
				return written, err
			}
		}
		var text []byte
		for k := range part {
			text = append(text, encode(&part[k])...)
		}
		if err := w.put(text); err != nil {
			return written, err
		}
		written += len(part)
	}
	return written, nil
}

// begins makes safe what is written so far, if that was asked for and the disk can be written. Lines that come
// meanwhile do not wait for it: a disk may take long, and what is not written yet is lost with the process.
func (w *writer) begins() {
	if len(w.asked) == 0 || w.synced != nil {
		return
	}
	w.waiting, w.asked, w.synced = w.asked, nil, make(chan error, 1)
	if !w.dirty {
		w.synced <- nil
		return
	}
	w.dirty = false
	f, ended := w.file, w.synced
	go func() { ended <- f.Sync() }()
}

// settle notes how the running sync has ended. It returns the callers that it answers.
func (w *writer) settle(end error) (answer []func(error), err error) {
	answer, w.waiting, w.synced = w.waiting, nil, nil
	w.dirty = w.dirty || end != nil
	return answer, end
}

// await waits until no sync uses the file, so that it can be closed. The end of the sync stays to be settled.
func (w *writer) await() {
	if w.synced != nil {
		w.synced <- <-w.synced
	}
}

// put appends to the file. What of it got there when the disk failed is taken back; if even that fails, readers find
// lines twice, which the numbers tell.
func (w *writer) put(text []byte) error {
	n, err := w.file.Write(text)
	if err == nil && n < len(text) {
		err = errors.New("the disk took a part only")
	}
	if err != nil {
		_ = w.file.Truncate(w.size)
		return err
	}
	w.size += int64(n)
	w.dirty = true
	return nil
}

func (w *writer) sync() error {
	if w.file == nil || !w.dirty {
		return nil
	}
	if err := w.file.Sync(); err != nil {
		return err
	}
	w.dirty = false
	return nil
}

// attach makes the journal writable: the directory exists, only this process writes it, and its
// last file is open at its end. It accepts any files that earlier processes left on the disk.
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
	return slices.ContainsFunc([]error{fs.ErrPermission, errNoFile, syscall.EISDIR},
		func(one error) bool { return errors.Is(err, one) })
}

// resume goes on at the end of a file. A line that is torn there stays: it is ended, so that readers skip it alone.
func (w *writer) resume(f file) error {
	w.file, w.path = f, w.pathOf(w.seq)
	info, err := f.Stat()
	if err != nil {
		return err
	}
	w.size, w.dirty = info.Size(), true // what a former process wrote may not be safe yet
	end := []byte{'\n'}
	if w.size > 0 {
		if _, err := f.ReadAt(end, w.size-1); err != nil {
			return err
		}
	}
	if end[0] != '\n' {
		return w.put([]byte("\n"))
	}
	return nil
}

// rotate goes on in the next file. The full one is made safe first, so that what Sync promises is about one file.
func (w *writer) rotate() error {
	if err := w.sync(); err != nil {
		return err
	}
	w.await()
	w.file.Close()
	w.file = nil
	return w.begin()
}

// begin removes what is too old and creates the next file.
func (w *writer) begin() error {
	names, err := w.fs.list(w.j.dir)
	if err != nil {
		return err
	}
	for seqs := sequence(names); len(seqs) > 0 && len(seqs) >= w.j.opt.Files; seqs = seqs[1:] {
		if err := w.fs.remove(w.pathOf(seqs[0])); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	f, err := w.fs.create(w.pathOf(w.seq + 1))
	if err != nil {
		return err
	}
	w.seq++
	w.file, w.path, w.size, w.dirty = f, w.pathOf(w.seq), 0, true
	return w.fs.syncDir(w.j.dir)
}

func (w *writer) detach() {
	if w.file != nil {
		w.await()
		w.file.Close()
		w.file = nil
	}
	if w.unlock != nil {
		w.unlock()
		w.unlock = nil
	}
}

func (w *writer) pathOf(seq uint64) string { return filepath.Join(w.j.dir, nameOf(seq)) }

// remedy says what to do about a disk that cannot be written.
func remedy(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "make room on that disk"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return "let this user write there, or set ROS_HOME to where it can"
	case errors.Is(err, errLink):
		return "name the folder to which the link leads, with --journal or ROS_HOME"
	case errors.Is(err, errOwner):
		return "remove it, or name another folder with --journal or ROS_HOME"
	case errors.Is(err, errLocked):
		return "give one of the two another name or another ROS_HOME"
	case errors.Is(err, syscall.ENOTDIR):
		return "move away what stands in its place"
	}
	return "see to that disk, or set ROS_HOME to another"
}
