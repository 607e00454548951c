package journal

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Options are the bounds of a journal. Zero fields take the defaults.
type Options struct {
	Instance string        // put into every line
	FileSize int64         // bytes after which the next file is begun; 2 MiB
	Files    int           // how many files are kept; 8
	Lines    int           // how many lines wait for a disk that cannot be written; 4096
	Retry    time.Duration // between two tries of such a disk; 1 s
	// called by the writer when the disk cannot be written, and with nil when it can again; it must not block
	Changed func(error)
}

func or[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

// Journal takes lines. All its methods may be called by anybody.
type Journal struct {
	dir  string
	opt  Options
	wake chan struct{} // holds a token while the writer may have something to do
	done chan struct{} // closed when the writer has ended

	mu     sync.Mutex
	queue  []Line // not on the disk yet, the oldest first
	n      uint64 // of the newest line
	armed  []Line // the nodes that may be armed, by the newest line of each
	syncs  []func(error)
	touch  bool // the file is to show that the run lives
	closed bool
	err    error
}

// ErrClosed is what Sync answers after Close.
var ErrClosed = errors.New("the journal is closed")

// Open returns a journal in dir, which need not be there yet. It does not wait for the disk: whether that can be
// written is what Options.Changed hears. The caller closes it.
func Open(dir string, opt Options) *Journal { return open(dir, opt, osDisk{}) }

func open(dir string, opt Options, fs disk) *Journal {
	opt.FileSize = or(opt.FileSize, 2<<20)
	opt.Files = or(opt.Files, 8)
	opt.Lines = or(opt.Lines, 4096)
	opt.Retry = or(opt.Retry, time.Second)
	j := &Journal{dir: dir, opt: opt, wake: make(chan struct{}, 1), done: make(chan struct{})}
	j.rouse() // that the directory can be written is found out at once
	go (&writer{j: j, fs: fs}).run()
	return j
}

// Append hands a line to the writer. It never waits for the disk. If the queue is full, it drops
// the oldest line: after a long outage a reader needs the newest ones. After Close it does nothing.
func (j *Journal) Append(l Line) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return
	}
	j.add(l)
	j.keepArmed(l)
	j.bound()
	j.rouse()
}

// add numbers a line; j.mu is held.
func (j *Journal) add(l Line) {
	j.n++
	l.N, l.Instance = j.n, j.opt.Instance
	j.queue = append(j.queue, l.clipped())
}

// againAfter is how many lines come between two that say the same of a node that stays armed.
const againAfter = 1000

// keepArmed writes again from time to time which nodes may be armed, and which stops are not acknowledged: a start
// reads only the newest files; j.mu is held.
func (j *Journal) keepArmed(l Line) {
	if l.Kind == KindStop {
		j.armed = slices.DeleteFunc(j.armed, func(o Line) bool { return o.Kind == KindStop && o.StopRun == l.StopRun })
		if l.Latched > l.Acknowledged {
			j.armed = append(j.armed, l)
		}
	}
	if l.Kind == KindNode && (l.Event == EventMayBeArmed || l.Event == EventDisarmed) {
		j.armed = slices.DeleteFunc(j.armed,
			func(o Line) bool { return o.Kind == KindNode && o.Node == l.Node && l.disarms(o.Service) })
		if l.Event == EventMayBeArmed {
			j.armed = append(j.armed, l)
		}
	}
	if len(j.armed) == 0 || j.n%againAfter != 0 {
		return
	}
	for _, l := range j.armed {
		j.add(l)
	}
}

// bound drops what is too much; j.mu is held.
func (j *Journal) bound() {
	if more := len(j.queue) - j.opt.Lines; more > 0 {
		j.queue = j.queue[more:]
	}
}

// Sync calls done when every line that was appended before is on the disk for good, or with the reason why it is not.
// On a disk that stands still it does so when that goes on, if ever. It is called by the writer and must not block.
func (j *Journal) Sync(done func(error)) {
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		done(ErrClosed)
		return
	}
	j.syncs = append(j.syncs, done)
	j.rouse()
	j.mu.Unlock()
}

// Touch lets the newest file show that the run lives now, without a line. A file that cannot be touched stays as it is: a
// later run then believes that this one has ended before.
func (j *Journal) Touch() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.touch = !j.closed
	j.rouse()
}

// Close writes what waits, makes it safe, and ends the writer. It may be called again. If that takes longer than
// patience, on a disk that stands still, the writer is left to end when the disk lets go of it.
func (j *Journal) Close(patience time.Duration) error {
	j.mu.Lock()
	j.closed = true
	j.mu.Unlock()
	j.rouse()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-j.done:
		j.mu.Lock()
		defer j.mu.Unlock()
		return j.err
	case <-timer.C:
		return fmt.Errorf("cannot close journal %q: its disk does not answer in %v; see to that disk", j.dir, patience)
	}
}

func (j *Journal) rouse() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// set changes whether the disk can be written, and tells it.
func (j *Journal) set(err error) {
	j.mu.Lock()
	same := (j.err == nil) == (err == nil) && (err == nil || j.err.Error() == err.Error())
	j.err = err
	j.mu.Unlock()
	if !same && j.opt.Changed != nil {
		j.opt.Changed(err)
	}
}

// run is the writer's goroutine.
func (w *writer) run() {
	defer close(w.j.done)
	retry := time.NewTimer(time.Hour)
	defer retry.Stop()
	var next time.Time // when a disk that failed is tried again
	for {
		ended, end := false, error(nil)
		select {
		case <-w.j.wake:
		case <-retry.C:
		case end = <-w.synced:
			ended = true
		}
		runtime.Gosched() // lines that are about to come are written with those that are there
		lines, syncs, touch, closing := w.j.take()
		w.touch(touch)
		w.asked = append(w.asked, syncs...)
		if w.down && !ended && !closing && len(w.asked) == 0 && time.Now().Before(next) {
			w.j.giveBack(lines)
			continue
		}
		answer, written, err := w.round(lines, ended, end, closing)
		if err != nil {
			err = w.fail(err, lines[written:], closing)
			next = time.Now().Add(w.j.opt.Retry)
			retry.Reset(w.j.opt.Retry)
		}
		w.down = err != nil
		w.j.set(err)
		if err != nil || closing {
			answer, w.asked = append(answer, w.asked...), nil
		}
		for _, done := range answer {
			done(err)
		}
		if closing {
			w.detach()
			return
		}
		w.begins()
	}
}

// touch notes that the daemon lives. A file that cannot be touched only makes the words of a later start less exact.
func (w *writer) touch(asked bool) {
	if asked && w.file != nil {
		_ = w.fs.touch(w.file)
	}
}

// round writes lines and takes the end of a sync. It returns the syncs that have ended, and how many lines were
// written.
func (w *writer) round(lines []Line, ended bool, end error, closing bool) (answer []func(error), written int,
	err error) {
	if ended {
		answer, err = w.settle(end)
	}
	if err == nil || closing {
		var failed error
		written, failed = w.write(lines)
		err = cmp.Or(err, failed)
	}
	if closing { // the lines are in the file before the writer waits for a disk that stands still
		if w.synced != nil {
			more, failed := w.settle(<-w.synced)
			answer, err = append(answer, more...), cmp.Or(err, failed)
		}
		err = cmp.Or(err, w.sync())
	}
	return answer, written, err
}

// fail leaves the file after an error, keeps the lines that are left, and returns what to tell the user.
func (w *writer) fail(err error, left []Line, closing bool) error {
	err = fmt.Errorf("cannot write journal %q: %w; %s", w.j.dir, err, remedy(err))
	w.detach()
	if closing && len(left) > 0 {
		err = fmt.Errorf("%w; %d of its lines are lost", err, len(left))
	}
	w.j.giveBack(left)
	return err
}

// take empties the queue for the writer.
func (j *Journal) take() (lines []Line, syncs []func(error), touch, closing bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	lines, syncs, touch, closing = j.queue, j.syncs, j.touch, j.closed
	j.queue, j.syncs, j.touch = nil, nil, false
	return lines, syncs, touch, closing
}

// giveBack puts lines that could not be written in front of those that came meanwhile.
func (j *Journal) giveBack(lines []Line) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.queue = append(lines, j.queue...)
	j.bound()
}
