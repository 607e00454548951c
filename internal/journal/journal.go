package journal

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Options are the bounds of a journal. Zero fields take the defaults.
type Options struct {
	Instance string           // put into lines that have none
	FileSize int64            // bytes after which the next file is begun; 4 MiB
	Files    int              // how many files are kept; 8
	Memory   int              // bytes of lines that wait for a disk; 8 MiB
	Retry    time.Duration    // between two tries of a disk that cannot be written; 1 s
	Changed  func(error)      // called by the writer when Err changes; it must neither block nor close the journal
	Now      func() time.Time // the wall clock, for lines without a time
}

func (o *Options) fill() error {
	if o.FileSize < 0 || o.Files < 0 || o.Memory < 0 || o.Retry < 0 || o.Files == 1 {
		return errors.New("a bound is too small; leave it zero, or keep two files at least")
	}
	o.FileSize = or(o.FileSize, 4<<20)
	o.Files = or(o.Files, 8)
	o.Memory = or(o.Memory, 8<<20)
	o.Retry = or(o.Retry, time.Second)
	if o.Now == nil {
		o.Now = time.Now
	}
	return nil
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

	mu      sync.Mutex
	queue   []waiting // the oldest first
	bytes   int       // of queue
	taken   uint64    // lines that ever came in, those that were dropped too
	dropped uint64    // lines dropped since the writer took the last ones
	lost    uint64    // lines that were ever dropped
	syncs   []syncing
	closed  bool
	err     error
}

// waiting is a line on its way to the writer, and what it weighs.
type waiting struct {
	line Line
	size int
}

// syncing is a caller of Sync, who waits for everything up to a line.
type syncing struct {
	upTo   uint64
	answer chan error
}

// ErrClosed is what Sync returns after Close.
var ErrClosed = errors.New("the journal is closed")

// Open returns a journal in dir, which need not be there yet. It does not wait for the disk: whether that can be
// written is what Err says, from the first try on. The caller closes it.
func Open(dir string, opt Options) (*Journal, error) { return open(dir, opt, osDisk{}) }

func open(dir string, opt Options, fs disk) (*Journal, error) {
	if dir == "" {
		return nil, errors.New("cannot open a journal: no directory is given; Dir names the usual one")
	}
	if err := opt.fill(); err != nil {
		return nil, fmt.Errorf("cannot open journal %q: %w", dir, err)
	}
	j := &Journal{dir: dir, opt: opt, wake: make(chan struct{}, 1), done: make(chan struct{})}
	w := &writer{j: j, fs: fs}
	j.rouse()
	go w.run()
	return j, nil
}

// Append hands a line to the writer. It never waits for the disk. When too much waits already, the oldest is dropped:
// who reads after a long outage needs the newest. After Close it does nothing.
func (j *Journal) Append(l Line) {
	if l.Instance == "" {
		l.Instance = j.opt.Instance
	}
	if l.At.IsZero() {
		l.At = j.opt.Now()
	}
	size := l.bound()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return
	}
	j.queue = append(j.queue, waiting{l, size})
	j.taken++
	j.bytes += size
	for j.bytes > j.opt.Memory && len(j.queue) > 1 {
		j.bytes -= j.queue[0].size
		j.queue[0] = waiting{}
		j.queue = j.queue[1:]
		j.dropped++
		j.lost++
	}
	j.rouse()
}

// Sync returns when every line that was appended before is on the disk for good, or with the reason why it is not. On
// a disk that cannot be written it returns after one more try; one that stands still is waited for until ctx ends.
func (j *Journal) Sync(ctx context.Context) error {
	answer := make(chan error, 1)
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return ErrClosed
	}
	j.syncs = append(j.syncs, syncing{j.taken, answer})
	j.mu.Unlock()
	j.rouse()
	select {
	case err := <-answer:
		return err
	case <-j.done:
		select {
		case err := <-answer:
			return err
		default:
			return ErrClosed
		}
	case <-ctx.Done():
		return fmt.Errorf("cannot make journal %q safe in time: %w", j.dir, context.Cause(ctx))
	}
}

// Err says why the journal cannot be written; nil: it can, as far as is known.
func (j *Journal) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// Lost is how many lines were dropped since Open.
func (j *Journal) Lost() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.lost
}

// Close writes what waits, makes it safe, and ends the writer. It may be called again. If ctx ends first, on a disk that
// stands still, the writer is left to end when the disk lets go of it.
func (j *Journal) Close(ctx context.Context) error {
	j.mu.Lock()
	j.closed = true
	j.mu.Unlock()
	j.rouse()
	select {
	case <-j.done:
		return j.Err()
	case <-ctx.Done():
		return fmt.Errorf("cannot close journal %q in time: %w", j.dir, context.Cause(ctx))
	}
}

func (j *Journal) rouse() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// set changes what Err says, and tells it.
func (j *Journal) set(err error) {
	j.mu.Lock()
	same := text(j.err) == text(err)
	j.err = err
	j.mu.Unlock()
	if !same && j.opt.Changed != nil {
		j.opt.Changed(err)
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
