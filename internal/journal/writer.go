package journal

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"
	"time"
)

// batch is how many bytes of lines the writer takes at a time. It bounds what it holds beyond Options.Memory.
const batch = 256 << 10

// writer owns the files. Only its goroutine touches it.
type writer struct {
	j  *Journal
	fs disk

	unlock func()
	file   file // nil: not attached, the next try attaches anew
	path   string
	seq    uint64
	size   int64  // of file, up to the end of its last whole line
	torn   bool   // file does not end with a newline
	dirty  bool   // file holds what is not synced
	last   uint64 // the newest number on the disk

	hand    []Line // taken and not on the disk yet, the oldest first
	settled uint64 // lines taken that are on the disk or lost: what Sync waits for
	inHand  uint64 // lines of the last take that were appended, not made here

	outage  *outage
	next    time.Time // when a disk that failed is tried again
	pruning error     // why old files could not be removed
}

// outage is a time in which the journal could not be written.
type outage struct {
	since time.Time
	why   error
	told  bool // a line about it is in hand or written
}

func (w *writer) run() {
	defer close(w.j.done)
	retry := time.NewTimer(time.Hour)
	defer retry.Stop()
	for {
		select {
		case <-w.j.wake:
		case <-retry.C:
		}
		closing := w.turn()
		if closing {
			return
		}
		if wait := time.Until(w.next); w.file == nil {
			retry.Reset(max(wait, time.Millisecond))
		}
	}
}

// turn does all that there is to do now, and says whether it was the last one.
func (w *writer) turn() (closing bool) {
	w.j.mu.Lock()
	closing = w.j.closed
	pressed := len(w.j.syncs) > 0
	w.j.mu.Unlock()
	if w.file == nil && !closing && !pressed && time.Now().Before(w.next) {
		return false
	}
	err := w.write(closing)
	if errors.Is(err, errRemoved) {
		w.failed(err)
		w.hand = append([]Line{w.note(0)}, w.hand...)
		err = w.write(closing) // nothing is wrong with the disk: at once again
	}
	if err != nil {
		w.answer(w.failed(err), true)
	}
	if closing {
		w.abandon(err)
		w.detach()
	}
	return closing
}

// write puts everything that waits on the disk, and makes it safe where somebody asks for that.
func (w *writer) write(closing bool) error {
	if w.file == nil {
		if err := w.attach(); err != nil {
			return err
		}
	}
	for w.take() {
		if err := w.put(); err != nil {
			return err
		}
		if err := w.safe(closing); err != nil {
			return err
		}
	}
	return w.safe(closing)
}

// safe syncs what is written where somebody waits for that, and tells them. Who comes while it does so is answered
// too: all that is counted as settled was written before. An outage is over only when a sync went well.
func (w *writer) safe(always bool) error {
	if always || w.outage != nil || w.wanted() {
		if err := w.sync(); err != nil {
			return err
		}
		w.answer(nil, false)
	}
	w.recovered()
	return nil
}

// take fills the hand, unless something is still in it, and says whether it holds anything. Before lines that follow a
// loss or an outage goes one that says so.
func (w *writer) take() bool {
	if len(w.hand) > 0 {
		return true
	}
	j := w.j
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.dropped > 0 || (w.outage != nil && !w.outage.told) {
		w.hand = append(w.hand, w.note(j.dropped))
		w.settled += j.dropped
		j.dropped = 0
	}
	size, k := 0, 0
	for ; k < len(j.queue) && size < batch; k++ {
		size += j.queue[k].size
		w.hand = append(w.hand, j.queue[k].line)
		j.queue[k] = waiting{}
	}
	j.bytes -= size
	w.inHand = uint64(k)
	if j.queue = j.queue[k:]; len(j.queue) == 0 {
		j.queue = nil
	}
	return len(w.hand) > 0
}

// note is the line about an outage or a loss.
func (w *writer) note(dropped uint64) Line {
	l := Line{
		Kind: KindJournal, At: w.j.opt.Now(), Instance: w.j.opt.Instance, Lost: dropped,
		Sentence: "lines came faster than they could be written",
	}
	if o := w.outage; o != nil {
		o.told = true
		l.Sentence = "the journal could not be written since " + o.since.Format(time.RFC3339)
		l.Cause = o.why.Error()
		if errors.Is(o.why, errRemoved) {
			l.Sentence, l.Cause = "the journal's file was removed or replaced, and what was in it is gone", ""
		}
	}
	switch dropped {
	case 0:
		l.Sentence += "; no line was dropped"
	case 1:
		l.Sentence += "; 1 line was lost"
	default:
		l.Sentence += fmt.Sprintf("; %d lines were lost", dropped)
	}
	l.bound()
	return l
}

// put writes the hand. What is on the disk leaves it, also when the rest fails.
func (w *writer) put() error {
	var buf bytes.Buffer
	enc := encoder(&buf)
	var ends []int // of each line in buf
	for len(w.hand) > 0 {
		buf.Reset()
		ends = ends[:0]
		if w.torn {
			buf.WriteByte('\n')
		}
		n := w.last
		for k := range w.hand {
			l := &w.hand[k]
			n += 1 + l.Lost
			l.N = n
			before := buf.Len()
			if err := enc.Encode(l); err != nil {
				return err
			}
			if w.size+int64(buf.Len()) > w.j.opt.FileSize && w.size+int64(before) > 0 {
				buf.Truncate(before)
				break
			}
			ends = append(ends, buf.Len())
		}
		if len(ends) == 0 {
			if err := w.rotate(); err != nil {
				return err
			}
			continue
		}
		if err := w.out(buf.Bytes(), ends); err != nil {
			return err
		}
	}
	w.settled += w.inHand
	w.inHand = 0
	return nil
}

// out writes lines to the file and takes those that got there from the hand. The rest of a line that did not is cut
// off again, or, if not even that is possible, ended by the newline of the next.
func (w *writer) out(text []byte, ends []int) error {
	if !w.fs.holds(w.path, w.file) {
		return errRemoved
	}
	n, err := w.file.Write(text)
	w.dirty = w.dirty || n > 0
	whole, at := 0, 0 // lines that got there, and where the last of them ends
	for whole < len(ends) && ends[whole]-1 <= n {
		at = min(ends[whole], n) // without its newline it is a line all the same
		whole++
	}
	if whole > 0 {
		w.last = w.hand[whole-1].N
		w.torn = at < ends[whole-1]
		w.hand = w.hand[whole:]
	}
	if err == nil && n < len(text) {
		err = errors.New("the disk took part of a line only")
	}
	if n > at && w.file.Truncate(w.size+int64(at)) != nil {
		w.torn, at = true, n
	}
	w.size += int64(at)
	return err
}

// wanted says whether somebody waits for what is written by now to be safe.
func (w *writer) wanted() bool {
	w.j.mu.Lock()
	defer w.j.mu.Unlock()
	for _, s := range w.j.syncs {
		if s.upTo <= w.settled {
			return true
		}
	}
	return false
}

// answer tells those who wait for what is written by now; all, if nothing more will be written for them.
func (w *writer) answer(err error, all bool) {
	w.j.mu.Lock()
	defer w.j.mu.Unlock()
	left := w.j.syncs[:0]
	for _, s := range w.j.syncs {
		if s.upTo <= w.settled || (all && err != nil) {
			s.answer <- err
			continue
		}
		left = append(left, s)
	}
	w.j.syncs = left
	if len(left) > 0 {
		w.j.rouse()
	}
}

func (w *writer) sync() error {
	if !w.dirty {
		return nil
	}
	if !w.fs.holds(w.path, w.file) {
		return errRemoved
	}
	if err := w.file.Sync(); err != nil {
		return err
	}
	w.dirty = false
	return nil
}

// failed lets go of the files, so that the next try begins from what is really there.
func (w *writer) failed(cause error) error {
	err := fmt.Errorf("cannot write journal %q: %w; %s", w.j.dir, cause, remedy(cause))
	if w.outage == nil {
		w.outage = &outage{since: w.j.opt.Now(), why: cause}
	}
	w.detach()
	w.next = time.Now().Add(w.j.opt.Retry)
	w.j.set(err)
	return err
}

// recovered notes that the disk takes what it is given, whatever was in the way before.
func (w *writer) recovered() {
	if w.outage != nil && w.outage.told {
		w.outage = nil
	}
	if w.pruning != nil {
		w.j.set(fmt.Errorf("cannot remove old files of journal %q: %w; %s", w.j.dir, w.pruning, remedy(w.pruning)))
		return
	}
	w.j.set(nil)
}

// abandon counts what is not on the disk when the writer ends.
func (w *writer) abandon(err error) {
	w.j.mu.Lock()
	waits := uint64(len(w.j.queue) + len(w.hand))
	left := waits + w.j.dropped
	w.j.lost += waits
	w.j.mu.Unlock()
	if err != nil && left > 0 {
		w.j.set(fmt.Errorf("%w; %d lines are lost", w.j.Err(), left))
	}
}

func (w *writer) detach() {
	if w.file != nil {
		w.file.Close()
		w.file = nil
	}
	if w.unlock != nil {
		w.unlock()
		w.unlock = nil
	}
}

// remedy says what to do about a disk that cannot be written.
func remedy(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "make room on that disk"
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM), errors.Is(err, syscall.EROFS):
		return "let this user write there, or set ROS_HOME to where it can"
	case errors.Is(err, errLocked):
		return "give one of the two another name or another ROS_HOME"
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EISDIR), errors.Is(err, errNoFile):
		return "move away what stands in its place"
	case errors.Is(err, errRemoved):
		return "a new one is begun"
	}
	return "see to that disk, or set ROS_HOME to another"
}

func (w *writer) pathOf(seq uint64) string { return filepath.Join(w.j.dir, nameOf(seq)) }
