package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long a test waits for an event.
const patience = 30 * time.Second

// TestMain fails the suite if a writer is left behind.
func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 && !eventually(func() bool { return !strings.Contains(stacks(), "journal.(*writer).run") }) {
		fmt.Fprintln(os.Stderr, "a writer was left behind:\n"+stacks())
		code = 1
	}
	os.Exit(code)
}

func stacks() string {
	buf := make([]byte, 1<<20)
	return string(buf[:runtime.Stack(buf, true)])
}

// eventually polls until a condition holds or patience ends.
func eventually(holds func() bool) bool {
	until := time.Now().Add(patience)
	for !holds() {
		if time.Now().After(until) {
			return false
		}
		runtime.Gosched()
	}
	return true
}

// opened returns a journal that the test closes.
func opened(t testing.TB, dir string, opt Options, fs disk) *Journal {
	t.Helper()
	opt.Retry = or(opt.Retry, time.Millisecond)
	opt.Instance = or(opt.Instance, "9f2c")
	j := open(dir, opt, fs)
	t.Cleanup(func() { j.Close(patience) })
	return j
}

func closed(t testing.TB, j *Journal) {
	t.Helper()
	if err := j.Close(patience); err != nil {
		t.Fatal(err)
	}
}

// sync waits for the answer of Sync.
func synced(t testing.TB, j *Journal) error {
	t.Helper()
	answer := make(chan error, 1)
	j.Sync(func(err error) { answer <- err })
	select {
	case err := <-answer:
		return err
	case <-time.After(patience):
		t.Fatal("Sync is never answered")
		return nil
	}
}

func safe(t testing.TB, j *Journal) {
	t.Helper()
	if err := synced(t, j); err != nil {
		t.Fatal(err)
	}
}

// said returns a line with a unique number.
func said(n int) Line {
	return Line{Kind: KindGoal, Sentence: fmt.Sprint(n), At: time.Unix(int64(n), 0).UTC()}
}

// whole reads a journal that must be without faults.
func whole(t testing.TB, dir string) []Line {
	t.Helper()
	lines, report := Read(dir)
	if report.String() != "" {
		t.Fatal(report)
	}
	return lines
}

// sentences joins the sentences of lines.
func sentences(lines []Line) string {
	var words []string
	for _, l := range lines {
		words = append(words, l.Sentence)
	}
	return strings.Join(words, " ")
}

// numbers returns the sentences of said(from) to said(to).
func numbers(from, to int) string {
	var words []string
	for n := from; n <= to; n++ {
		words = append(words, fmt.Sprint(n))
	}
	return strings.Join(words, " ")
}

func files(t testing.TB, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "journal-*"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

var errDead = errors.New("the process is dead")

// badDisk is a real disk with faults: before is called ahead of each operation, takes returns how
// much of a write succeeds. It does not really sync, which is slow, but knows what would remain
// after a power failure.
type badDisk struct {
	osDisk
	before func(op string) error
	takes  func(n int) (int, error) // nil: all of it

	mu    sync.Mutex
	ops   []string
	safe  map[string]int64 // the synced part of files whose name is synced
	fresh []string         // files whose name is not synced
}

// powerless leaves of dir what certainly remains after a power failure.
func (d *badDisk) powerless(t *testing.T, dir string) {
	t.Helper()
	for _, path := range files(t, dir) {
		err := os.Truncate(path, d.safe[path])
		if _, named := d.safe[path]; !named {
			err = os.Remove(path)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (d *badDisk) do(op string) error {
	d.mu.Lock()
	d.ops = append(d.ops, op)
	d.mu.Unlock()
	if d.before == nil {
		return nil
	}
	return d.before(op)
}

func (d *badDisk) did(op string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, o := range d.ops {
		if o == op {
			n++
		}
	}
	return n
}

func (d *badDisk) mkdir(dir string) error {
	if err := d.do("mkdir"); err != nil {
		return err
	}
	return d.osDisk.mkdir(dir)
}

func (d *badDisk) list(dir string) ([]string, error) {
	if err := d.do("list"); err != nil {
		return nil, err
	}
	return d.osDisk.list(dir)
}

func (d *badDisk) create(path string) (file, error) {
	d.fresh = append(d.fresh, path)
	return d.opened(path, "create", d.osDisk.create)
}

func (d *badDisk) extend(path string) (file, error) { return d.opened(path, "extend", d.osDisk.extend) }

func (d *badDisk) opened(path, op string, open func(string) (file, error)) (file, error) {
	if err := d.do(op); err != nil {
		return nil, err
	}
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	return &badFile{f, path, d}, nil
}

func (d *badDisk) remove(path string) error {
	if err := d.do("remove"); err != nil {
		return err
	}
	return d.osDisk.remove(path)
}

func (d *badDisk) syncDir(string) error {
	if err := d.do("sync directory"); err != nil {
		return err
	}
	for _, path := range d.fresh {
		d.keep(path, d.safe[path])
	}
	d.fresh = nil
	return nil
}

func (d *badDisk) keep(path string, size int64) {
	if d.safe == nil {
		d.safe = map[string]int64{}
	}
	d.safe[path] = size
}

func (d *badDisk) holds(path string, f file) bool { return d.osDisk.holds(path, f.(*badFile).file) }

type badFile struct {
	file
	path string
	d    *badDisk
}

func (f *badFile) Write(text []byte) (int, error) {
	if err := f.d.do("write"); err != nil {
		return 0, err
	}
	if f.d.takes == nil {
		return f.file.Write(text)
	}
	n, err := f.d.takes(len(text))
	if n > 0 {
		if n, werr := f.file.Write(text[:n]); werr != nil {
			return n, werr
		}
	}
	return n, err
}

func (f *badFile) Sync() error {
	if err := f.d.do("sync"); err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil {
		f.d.keep(f.path, info.Size())
	}
	return err
}

func (f *badFile) Truncate(to int64) error {
	if err := f.d.do("truncate"); err != nil {
		return err
	}
	return f.file.Truncate(to)
}
