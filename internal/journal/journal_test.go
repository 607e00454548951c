package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"rstate/internal/clean"
)

func TestALineComesBackAsItWas(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	at := time.Date(2026, 3, 2, 5, 58, 3, 123456789, time.FixedZone("", 3600))
	want := Line{
		At: at, Kind: KindStep, Event: EventSent, State: "activating", Command: "activate", Goal: "g",
		Reason: "a <b> & \"c\" → d\nand \xff more", Client: "anna@cell4", Outcome: "succeeded done", From: "inactive",
		To: "active", Node: "/slam",
		Step: "activate", Verdict: "late", Optional: true, Count: 2, Seen: "inactive", SeenAgo: time.Second,
		Took:     2 * time.Second,
		Sentence: "s", Cause: "c",
	}
	j := opened(t, dir, Options{Instance: "9f2c"}, osDisk{})
	j.Append(want)
	j.Append(Line{Kind: KindEnd, At: time.Date(99999, 1, 1, 0, 0, 0, 0, time.UTC)}) // a wrong clock costs no line
	closed(t, j)
	got := whole(t, dir)
	if len(got) != 2 || !got[0].At.Equal(at) || !got[1].At.IsZero() {
		t.Fatalf("read %+v", got)
	}
	want.Reason = "a <b> & \"c\" → d and \uFFFD more" // see package clean
	want.N, want.Instance, want.At = 1, "9f2c", got[0].At
	if got[0] != want {
		t.Errorf("read  %+v\nwrote %+v", got[0], want)
	}
}

func TestWhatIsTooLongIsCut(t *testing.T) {
	dir := t.TempDir()
	j := opened(t, dir, Options{}, osDisk{})
	j.Append(Line{Kind: KindNode, Cause: strings.Repeat("é", 1<<20)})
	j.Append(Line{Kind: KindNode, Cause: strings.Repeat("\x01", clean.Max),
		Sentence: strings.Repeat("\xff", clean.Max+1)})
	closed(t, j)
	for _, l := range whole(t, dir) {
		if n := len(l.Cause); n < clean.Max-10 || n > clean.Max {
			t.Errorf("%d bytes are left", n)
		}
	}
}

// TestC9OldLinesAreCleanedWhenTheyAreRead: an earlier version wrote texts without cleaning.
func TestC9OldLinesAreCleanedWhenTheyAreRead(t *testing.T) {
	text := "\x1b[2J\u009b31m\u202egro\nne\u0000"
	old := Line{N: 1, Kind: KindGoal}
	for _, s := range old.texts() {
		*s = text
	}
	l, err := decode(encode(&old))
	if err != nil {
		t.Fatal(err)
	}
	want := clean.Text(text)
	for _, s := range l.texts() {
		if *s != want {
			t.Fatalf("read %+v", l)
		}
	}
	if l.Text() != want {
		t.Errorf("told: %q", l.Text())
	}
}

func TestOrderGoesOnOverRestartsAndFiles(t *testing.T) {
	dir := t.TempDir()
	n := 0
	for run := range 7 {
		j := opened(t, dir, Options{FileSize: 1000, Files: 50, Instance: fmt.Sprint(run)}, osDisk{})
		for range 13 {
			j.Append(said(n))
			if n++; n%5 == 0 {
				safe(t, j)
			}
		}
		closed(t, j)
	}
	if got := sentences(whole(t, dir)); got != numbers(0, n-1) || len(files(t, dir)) < 5 {
		t.Errorf("%d files: %s", len(files(t, dir)), got)
	}
}

func TestSizeIsBounded(t *testing.T) {
	dir := t.TempDir()
	j := opened(t, dir, Options{FileSize: 2000, Files: 3}, osDisk{})
	for n := range 500 {
		j.Append(said(n))
		if n%10 == 0 {
			safe(t, j)
		}
	}
	closed(t, j)
	list := files(t, dir)
	for _, path := range list {
		if info, err := os.Stat(path); err != nil || info.Size() > 2000+10*200 {
			t.Errorf("%s: %v, %v", path, info.Size(), err)
		}
	}
	lines := whole(t, dir) // removed oldest lines are not a gap
	if got := sentences(lines); len(list) != 3 || got != numbers(500-len(lines), 499) {
		t.Errorf("%d files: %s", len(list), got)
	}
}

func TestNothingWaitsForADiskThatStandsStill(t *testing.T) {
	gate := make(chan struct{})
	d := &badDisk{before: func(op string) error {
		if op == "write" {
			<-gate
		}
		return nil
	}}
	dir := t.TempDir()
	j := opened(t, dir, Options{}, d)
	for n := range 1000 {
		j.Append(said(n))
	}
	answered := make(chan error, 1)
	j.Sync(func(err error) { answered <- err })
	if err := j.Close(time.Millisecond); err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("Close says %v", err)
	}
	select {
	case err := <-answered:
		t.Errorf("Sync is answered: %v", err)
	default:
	}
	close(gate)
	closed(t, j)
	if err := <-answered; err != nil {
		t.Error(err)
	}
	if got := sentences(whole(t, dir)); got != numbers(0, 999) {
		t.Errorf("read %s", got)
	}
}

// TestJ1LinesDoNotWaitForASync: a process that is killed during the fsync of an earlier line has
// written the later ones.
func TestJ1LinesDoNotWaitForASync(t *testing.T) {
	gate, begun := make(chan struct{}), make(chan struct{}, 2)
	d := &badDisk{before: func(op string) error {
		if op == "sync" {
			begun <- struct{}{}
			<-gate
		}
		return nil
	}}
	dir := t.TempDir()
	j := opened(t, dir, Options{}, d)
	answered := make(chan error, 2)
	j.Append(said(0))
	j.Sync(func(err error) { answered <- err })
	<-begun
	for n := 1; n < 100; n++ {
		j.Append(said(n))
	}
	j.Sync(func(err error) { answered <- err })
	lines, _ := Read(dir)
	for deadline := time.Now().Add(10 * time.Second); sentences(lines) != numbers(0, 99) &&
		time.Now().Before(deadline); lines, _ = Read(dir) {
		time.Sleep(time.Millisecond)
	}
	if got := sentences(lines); got != numbers(0, 99) {
		t.Errorf("read %s while the disk is busy", got)
	}
	if len(answered) > 0 {
		t.Error("a sync is answered before the disk is done")
	}
	close(gate)
	for range 2 {
		if err := <-answered; err != nil {
			t.Error(err)
		}
	}
	closed(t, j)
}

// TestJ1CloseWritesFirst: the last lines are in the file although the disk blocks the fsync of
// earlier ones.
func TestJ1CloseWritesFirst(t *testing.T) {
	gate, begun := make(chan struct{}), make(chan struct{}, 2)
	d := &badDisk{before: func(op string) error {
		if op == "sync" {
			begun <- struct{}{}
			<-gate
		}
		return nil
	}}
	dir := t.TempDir()
	j := opened(t, dir, Options{}, d)
	answered := make(chan error, 2)
	j.Append(said(0))
	j.Sync(func(err error) { answered <- err })
	<-begun
	j.Append(said(1))
	j.Sync(func(err error) { answered <- err })
	if err := j.Close(time.Millisecond); err == nil {
		t.Error("closed although the disk stands still")
	}
	lines, _ := Read(dir)
	for deadline := time.Now().Add(10 * time.Second); sentences(lines) != numbers(0, 1) &&
		time.Now().Before(deadline); lines, _ = Read(dir) {
		time.Sleep(time.Millisecond)
	}
	if got := sentences(lines); got != numbers(0, 1) {
		t.Errorf("read %s while the disk is busy", got)
	}
	close(gate)
	for range 2 {
		if err := <-answered; err != nil {
			t.Error(err)
		}
	}
	closed(t, j)
}

func TestSyncIsSafe(t *testing.T) {
	d := &badDisk{}
	dir := t.TempDir()
	j := opened(t, dir, Options{}, d)
	j.Append(said(0))
	safe(t, j)
	before := d.did("sync")
	if before == 0 || d.did("sync directory") != 1 {
		t.Errorf("done: %v", d.ops)
	}
	safe(t, j)
	if d.did("sync") != before {
		t.Errorf("synced again with nothing new: %v", d.ops)
	}
	var all sync.WaitGroup
	for n := 1; n < 50; n++ {
		all.Go(func() {
			j.Append(said(n))
			safe(t, j)
			lines, _ := Read(dir)
			if !slices.ContainsFunc(lines, func(l Line) bool { return l.Sentence == fmt.Sprint(n) }) {
				t.Errorf("line %d is not there after Sync", n)
			}
		})
	}
	all.Wait()
	closed(t, j)
	closed(t, j) // again
	j.Append(said(99))
	if err := synced(t, j); !errors.Is(err, ErrClosed) {
		t.Errorf("Sync after Close: %v", err)
	}
	if n := len(whole(t, dir)); n != 50 {
		t.Errorf("%d lines", n)
	}
}

// Whatever part of a write succeeds, no line is lost, duplicated or damaged.
func TestPartOfAWriteGetsThrough(t *testing.T) {
	one := said(0)
	one.N = 1
	length := len(encode(&one))
	for _, cuts := range []bool{true, false} {
		for _, part := range []int{0, 1, length / 2, length - 1, length, length + 1, 2*length - 1, 2 * length} {
			first := true
			d := &badDisk{takes: func(n int) (int, error) {
				if first {
					first = false
					return min(part, n), syscall.ENOSPC
				}
				return n, nil
			}}
			d.before = func(op string) error {
				if op == "truncate" && !cuts {
					return syscall.EIO
				}
				return nil
			}
			dir := t.TempDir()
			j := opened(t, dir, Options{}, d)
			for n := range 3 {
				j.Append(said(n))
			}
			if !eventually(func() bool { return d.did("write") > 1 && synced(t, j) == nil }) {
				t.Fatal("it does not recover")
			}
			closed(t, j)
			lines, report := Read(dir)
			if got := sentences(lines); got != "0 1 2" || len(report.Skipped) > 1 ||
				(cuts && len(report.Skipped) > 0) || report.Missing > 0 {
				t.Fatalf("%d bytes got through: read %q; %v", part, got, report)
			}
		}
	}
}

// Each row is an outage: the fault of the disk, and the report about it.
func TestOutages(t *testing.T) {
	// so that a failure to open shows
	gone := func(dir string) error { return os.Remove(filepath.Join(dir, nameOf(1))) }
	for _, c := range []struct {
		name string
		op   string
		err  error
		do   func(dir string) error
		says string
	}{
		{"no permission", "mkdir", os.ErrPermission, gone, "permission denied"},
		{"cannot be listed", "list", syscall.EIO, gone, "input/output error; see to that disk"},
		{"cannot be created", "create", syscall.EACCES, gone, "permission denied; let this user write there"},
		{"read-only", "extend", syscall.EROFS, func(dir string) error {
			return os.Rename(filepath.Join(dir, nameOf(1)), filepath.Join(dir, nameOf(2)))
		}, "read-only file system; let this user write there"},
		{"full", "write", syscall.ENOSPC, nil, "no space left on device; make room on that disk"},
		{"cannot be synced", "sync", syscall.EIO, nil, "input/output error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var bad atomic.Bool
			d := &badDisk{before: func(op string) error {
				if bad.Load() && op == c.op {
					return c.err
				}
				return nil
			}}
			dir := t.TempDir()
			told := make(chan error, 100)
			j := opened(t, dir, Options{FileSize: 5000, Files: 50, Changed: func(err error) { told <- err }}, d)
			j.Append(said(0))
			safe(t, j)
			bad.Store(true)
			if c.do != nil {
				if err := c.do(dir); err != nil {
					t.Fatal(err)
				}
			}
			for n := 1; n < 20; n++ {
				j.Append(said(n))
			}
			if err := synced(t, j); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Sync says %v", err)
			}
			if err := <-told; err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("told %v", err)
			}
			bad.Store(false)
			if err := <-told; err != nil { // by itself
				t.Fatalf("it does not recover: %v", err)
			}
			j.Append(said(20))
			closed(t, j)
			if len(told) > 0 {
				t.Errorf("told more than once: %v", <-told)
			}
			if got := sentences(whole(t, dir)); !strings.HasSuffix(got, numbers(1, 20)) {
				t.Errorf("read %q", got)
			}
		})
	}
}

func TestALongOutageLosesTheOldest(t *testing.T) {
	for _, op := range []string{"mkdir", "write"} {
		t.Run(op, func(t *testing.T) {
			var bad atomic.Bool
			bad.Store(true)
			d := &badDisk{before: func(o string) error {
				if o == op && bad.Load() {
					return syscall.ENOSPC
				}
				return nil
			}}
			dir := t.TempDir()
			j := opened(t, dir, Options{Lines: 100, Retry: time.Hour}, d)
			for n := range 1000 {
				j.Append(said(n))
				if n%100 == 0 && synced(t, j) == nil {
					t.Fatal("it can be written")
				}
			}
			bad.Store(false)
			safe(t, j)
			closed(t, j)
			lines, report := Read(dir)
			if got := sentences(lines); got != numbers(900, 999) || len(report.Skipped) > 0 {
				t.Errorf("read %q; %v", got, report)
			}
		})
	}
}

func TestClosingOnABadDiskSaysWhatIsLost(t *testing.T) {
	d := &badDisk{before: func(op string) error {
		if op == "write" {
			return syscall.ENOSPC
		}
		return nil
	}}
	j := opened(t, t.TempDir(), Options{}, d)
	j.Append(said(1))
	j.Append(said(2))
	if err := j.Close(patience); err == nil || !strings.Contains(err.Error(), "no space") ||
		!strings.HasSuffix(err.Error(), "2 of its lines are lost") {
		t.Errorf("Close says %v", err)
	}
}

func TestRemovedOrReplacedUnderIt(t *testing.T) {
	file := func(dir string) string { return filepath.Join(dir, nameOf(1)) }
	for name, do := range map[string]func(dir string) error{
		"the directory": os.RemoveAll,
		"the file":      func(dir string) error { return os.Remove(file(dir)) },
		"the file, by a directory": func(dir string) error {
			os.Remove(file(dir))
			return os.Mkdir(file(dir), 0o755)
		},
		"the file, by a pipe": func(dir string) error {
			os.Remove(file(dir))
			return syscall.Mkfifo(file(dir), 0o644)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "journal")
			j := opened(t, dir, Options{Retry: time.Hour}, osDisk{}) // the first try must succeed
			j.Append(said(1))
			safe(t, j)
			if err := do(dir); err != nil {
				t.Fatal(err)
			}
			j.Append(said(2))
			safe(t, j)
			j.Append(said(3))
			closed(t, j)
			if lines, report := Read(dir); sentences(lines) != "2 3" {
				t.Errorf("read %q; %v", sentences(lines), report)
			}
		})
	}
}

func TestOneWriterPerDirectory(t *testing.T) {
	dir := t.TempDir()
	one := opened(t, dir, Options{}, osDisk{})
	one.Append(said(1))
	safe(t, one)
	two := opened(t, dir, Options{Instance: "b771"}, osDisk{})
	two.Append(said(2))
	if !Running(dir) {
		t.Error("the report says that no process writes it")
	}
	if err := synced(t, two); !errors.Is(err, errLocked) ||
		!strings.Contains(err.Error(), "another name or another ROS_HOME") {
		t.Errorf("the second writer: %v", err)
	}
	closed(t, one)
	if !eventually(func() bool { return synced(t, two) == nil }) {
		t.Fatal("it does not take over")
	}
	closed(t, two)
	if Running(dir) {
		t.Error("the report says that a process still writes it")
	}
	if got := sentences(whole(t, dir)); got != "1 2" {
		t.Errorf("read %s", got)
	}
}

// A small disk that is really full, if a test may mount one.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("no small disk can be mounted here: %v", err)
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 48<<10), 0o644); err != nil {
		t.Fatal(err)
	}
	j := opened(t, filepath.Join(dir, "journal"), Options{}, osDisk{})
	n, err := 0, error(nil)
	for ; err == nil && n < 10_000; n++ {
		j.Append(said(n))
		err = synced(t, j)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("after %d lines: %v", n, err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if !eventually(func() bool { return synced(t, j) == nil }) {
		t.Fatal("it does not recover")
	}
	closed(t, j)
	if got := sentences(whole(t, filepath.Join(dir, "journal"))); got != numbers(0, n-1) {
		t.Errorf("read %s", got)
	}
}

func TestTwoReadersWhileItIsWritten(t *testing.T) {
	dir := t.TempDir()
	j := opened(t, dir, Options{FileSize: 8 << 10, Files: 4}, &badDisk{})
	j.Append(said(0))
	safe(t, j)
	stop := make(chan struct{})
	var all sync.WaitGroup
	defer all.Wait()
	defer close(stop)
	var reads atomic.Int64
	for range 2 {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				lines, report := Read(dir)
				reads.Add(1)
				if len(lines) == 0 {
					t.Errorf("nothing was read: %v (%v); there is %q", report, report.Err, files(t, dir))
					return
				}
				if first := int(lines[0].N) - 1; sentences(lines) != numbers(first, first+len(lines)-1) ||
					report.Missing > 0 {
					t.Errorf("read %s; %v", sentences(lines), report)
					return
				}
			}
		})
	}
	for n := 1; (n < 2000 || reads.Load() < 20) && !t.Failed(); n++ {
		j.Append(said(n))
		if n%50 == 0 {
			safe(t, j)
		}
	}
}

func TestTextOfALine(t *testing.T) {
	for want, l := range map[string]Line{
		"/slam activate: refused (answered no)": {Sentence: "/slam activate: refused", Cause: "answered no"},
		"activate failed":                       {Sentence: "activate failed", Cause: "activate failed"},
		"/slam is gone":                         {Sentence: "/slam is gone"},
	} {
		if got := l.Text(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	j := opened(b, b.TempDir(), Options{}, osDisk{})
	n := 0
	for b.Loop() {
		j.Append(said(n))
		if n++; n%1000 == 0 { // a burst as long as that of a large network
			b.StopTimer()
			safe(b, j)
			b.StartTimer()
		}
	}
}

func BenchmarkAppendAndSync(b *testing.B) {
	j := opened(b, b.TempDir(), Options{}, osDisk{})
	for b.Loop() {
		j.Append(said(1))
		safe(b, j)
	}
}

// BenchmarkReadAFullJournal measures the longest read, which a start and every command that reads a
// journal wait for.
func BenchmarkReadAFullJournal(b *testing.B) {
	dir := b.TempDir()
	j := opened(b, dir, Options{Lines: 1 << 20}, osDisk{})
	for range 60_000 {
		j.Append(Line{
			At: time.Now(), Kind: KindStep, Event: EventDone, State: "activating", Node: "/perception/slam",
			Step:    "activate",
			Verdict: "done", Seen: "active", Took: 12e6, Sentence: "/perception/slam activate: done",
			Cause: "active in 12ms",
		})
	}
	closed(b, j)
	for b.Loop() {
		whole(b, dir)
	}
}
