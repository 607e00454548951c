package journal

import (
	"bytes"
	"context"
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
)

func TestALineComesBackAsItWas(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	at := time.Date(2026, 3, 2, 5, 58, 3, 123456789, time.FixedZone("", 3600))
	want := Line{
		At: at, Steady: 3 * time.Second, Instance: "9f2c", Kind: KindStep, Event: EventSent, State: "activating", Settled: true,
		Command: "activate", Goal: "g", By: "/boss", Reason: "a <b> & \"c\" → d\nand \xff more", Outcome: "succeeded done",
		From: "inactive", To: "active", Node: "/slam", Step: "activate", Verdict: "late", Optional: true, Count: 2, Seen: "inactive",
		SeenAgo: time.Second, Took: 2 * time.Second, Sentence: "s", Cause: "c",
	}
	j := opened(t, dir, Options{Instance: "other"}, osDisk{})
	j.Append(want)
	j.Append(Line{Kind: KindEnd})
	closed(t, j)
	got := whole(t, dir)
	if len(got) != 2 || !got[0].At.Equal(at) || got[0].N != 1 || got[1].Instance != "other" || got[1].At.IsZero() {
		t.Fatalf("read %+v", got)
	}
	want.Reason = "a <b> & \"c\" → d\nand \uFFFD more" // JSON takes valid UTF-8 only
	want.N, want.At = 1, got[0].At
	if got[0] != want {
		t.Errorf("read  %+v\nwrote %+v", got[0], want)
	}
}

func TestWhatIsTooLongIsCut(t *testing.T) {
	dir := t.TempDir()
	j := opened(t, dir, Options{}, osDisk{})
	j.Append(Line{Kind: KindNode, Cause: strings.Repeat("é", 1<<20), At: time.Unix(1<<50, 0)})
	j.Append(Line{Kind: KindNode, Cause: strings.Repeat("\x01", maxText), Sentence: strings.Repeat("\xff", maxText+1)})
	closed(t, j)
	for _, l := range whole(t, dir) {
		if n := len(l.Cause); n < maxText || n > maxText+10 {
			t.Errorf("%d bytes are left", n)
		}
	}
}

func TestNumbersAndOrderGoOnOverRestartsAndFiles(t *testing.T) {
	dir := t.TempDir()
	n := 0
	for range 7 {
		j := opened(t, dir, Options{FileSize: 1000, Files: 50}, osDisk{})
		for range 13 {
			j.Append(said(n))
			n++
		}
		closed(t, j)
	}
	lines := whole(t, dir)
	counting(t, lines, 1)
	for i, l := range lines {
		if l.Sentence != fmt.Sprint(i) {
			t.Fatalf("line %d says %q", i, l.Sentence)
		}
	}
	if len(lines) != n || len(files(t, dir)) < 5 {
		t.Errorf("%d lines of %d in %d files", len(lines), n, len(files(t, dir)))
	}
}

func TestSizeIsBounded(t *testing.T) {
	dir := t.TempDir()
	j := opened(t, dir, Options{FileSize: 2000, Files: 3}, osDisk{})
	for n := range 500 {
		j.Append(said(n))
	}
	j.Append(Line{Kind: KindEnd, Sentence: strings.Repeat("x", 3000)}) // more than a file may hold has one of its own
	j.Append(said(500))
	closed(t, j)
	list := files(t, dir)
	if len(list) != 3 {
		t.Errorf("%d files are kept", len(list))
	}
	for i, path := range list {
		if n := size(t, path); n > 2000 && i != 1 {
			t.Errorf("%s has %d bytes", path, n)
		}
	}
	lines := whole(t, dir) // that the oldest are gone is no hole
	counting(t, lines, 502-uint64(len(lines))+1)
}

func TestAppendNeverWaits(t *testing.T) {
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
	short, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if err := j.Sync(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Sync on a disk that stands still: %v", err)
	}
	if err := j.Close(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Close on a disk that stands still: %v", err)
	}
	close(gate)
	closed(t, j)
	if n := len(whole(t, dir)); n != 1000 {
		t.Errorf("%d lines are there", n)
	}
}

func TestSyncIsSafe(t *testing.T) {
	d := &badDisk{}
	dir := t.TempDir()
	j := opened(t, dir, Options{}, d)
	j.Append(said(1))
	synced(t, j)
	if d.did("sync") != 1 || d.did("sync directory") != 1 {
		t.Errorf("done: %v", d.ops)
	}
	synced(t, j)
	if d.did("sync") != 1 {
		t.Errorf("synced again with nothing new: %v", d.ops)
	}
	var all sync.WaitGroup
	for n := range 50 {
		all.Add(1)
		go func() {
			defer all.Done()
			j.Append(said(n))
			if err := j.Sync(context.Background()); err != nil {
				t.Error(err)
			}
			lines, _ := Read(dir, Filter{})
			if !slices.ContainsFunc(lines, func(l Line) bool { return l.Sentence == fmt.Sprint(n) }) {
				t.Errorf("line %d is not there after Sync", n)
			}
		}()
	}
	all.Wait()
	closed(t, j)
	closed(t, j) // again
	j.Append(said(99))
	if err := j.Sync(within(t)); !errors.Is(err, ErrClosed) {
		t.Errorf("Sync after Close: %v", err)
	}
	if n := len(whole(t, dir)); n != 51 {
		t.Errorf("%d lines", n)
	}
}

// However much of a write gets through, no line is lost, none comes twice, and no other is spoilt.
func TestPartOfAWriteGetsThrough(t *testing.T) {
	var one bytes.Buffer
	l := said(0)
	l.N = 1
	if err := encoder(&one).Encode(&l); err != nil {
		t.Fatal(err)
	}
	for _, cuts := range []bool{true, false} {
		for part := range 2*one.Len() + 1 {
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
			if !eventually(func() bool { return d.did("write") > 1 && j.Err() == nil }) {
				t.Fatalf("it does not recover: %v", j.Err())
			}
			closed(t, j)
			lines, report := Read(dir, Filter{})
			counting(t, lines, 1)
			got := sentences(slices.DeleteFunc(lines, func(l Line) bool { return l.Kind == KindJournal }))
			if got != "0 1 2" || report.Skipped > 1 || (cuts && report.Skipped > 0) {
				t.Fatalf("%d bytes got through: read %q; %v", part, got, report)
			}
		}
	}
}

// Each row is an outage: what is wrong with the disk, and what is said of it.
func TestOutages(t *testing.T) {
	fail := func(op string, err error) func(*atomic.Bool, *badDisk) {
		return func(bad *atomic.Bool, d *badDisk) {
			d.before = func(o string) error {
				if bad.Load() && o == op {
					return err
				}
				return nil
			}
		}
	}
	for _, c := range []struct {
		name string
		make func(*atomic.Bool, *badDisk)
		says string
	}{
		{"no permission", fail("mkdir", os.ErrPermission), "permission denied"},
		{"cannot be listed", fail("list", syscall.EIO), "input/output error; see to that disk"},
		{"read-only", fail("extend", syscall.EROFS), "read-only file system; let this user write there"},
		{"cannot be created", fail("create", syscall.EACCES), "permission denied; let this user write there"},
		{"cannot be written", fail("write", syscall.ENOSPC), "no space left on device; make room on that disk"},
		{"cannot be synced", fail("sync", syscall.EIO), "input/output error"},
		{"takes half a line", func(bad *atomic.Bool, d *badDisk) {
			d.takes = func(n int) (int, error) {
				if bad.Load() {
					return n / 2, syscall.ENOSPC
				}
				return n, nil
			}
		}, "no space left"},
		{"takes half a line and cannot cut it off", func(bad *atomic.Bool, d *badDisk) {
			fail("truncate", syscall.EIO)(bad, d)
			d.takes = func(n int) (int, error) {
				if bad.Load() {
					return n / 2, nil
				}
				return n, nil
			}
		}, "the disk took part of a line only"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var bad atomic.Bool
			d := &badDisk{}
			c.make(&bad, d)
			dir := t.TempDir()
			var told []string
			j := opened(t, dir, Options{FileSize: 5000, Files: 50, Changed: func(err error) { told = append(told, text(err)) }}, d)
			j.Append(said(0))
			synced(t, j)
			bad.Store(true)
			if c.name == "no permission" || c.name == "cannot be listed" || c.name == "read-only" || c.name == "cannot be created" {
				// What fails only on opening shows when the file is gone.
				if c.name != "read-only" {
					os.Remove(filepath.Join(dir, nameOf(1)))
				} else {
					os.Rename(filepath.Join(dir, nameOf(1)), filepath.Join(dir, nameOf(2)))
				}
			}
			for n := 1; n < 20; n++ {
				j.Append(said(n))
			}
			if err := j.Sync(within(t)); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Sync says %v", err)
			}
			if err := j.Err(); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Err says %v", err)
			}
			bad.Store(false)
			if !eventually(func() bool { return j.Err() == nil }) {
				t.Fatalf("it does not recover: %v", j.Err())
			}
			j.Append(said(20))
			closed(t, j)
			if len(told) < 2 || told[len(told)-1] != "" || !strings.Contains(told[0]+told[1], c.says) {
				t.Errorf("told: %q", told)
			}
			lines, report := Read(dir, Filter{})
			var words []string
			notes := 0
			for _, l := range lines {
				if l.Kind == KindJournal {
					notes++
					continue
				}
				words = append(words, l.Sentence)
			}
			got, want := strings.Join(words, " "), "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20"
			if !strings.HasSuffix(got, want) || notes < 1 || report.Lost > 0 || j.Lost() > 0 {
				t.Errorf("read %q and %d notes; %v", got, notes, report)
			}
		})
	}
}

func TestALongOutageLosesTheOldestAndSaysHowMany(t *testing.T) {
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
			j := opened(t, dir, Options{Memory: 50_000, Retry: time.Hour}, d)
			j.Append(said(0))
			if err := j.Sync(within(t)); err == nil {
				t.Fatal("it can be written")
			}
			for n := 1; n < 1000; n++ {
				j.Append(said(n))
			}
			lost := j.Lost()
			if lost < 500 || lost > 950 {
				t.Fatalf("%d are lost", lost)
			}
			bad.Store(false)
			synced(t, j)
			closed(t, j)
			lines, report := Read(dir, Filter{})
			if report.Lost != lost || report.Missing != 0 || report.Skipped != 0 {
				t.Errorf("%d are lost, reading says %v", lost, report)
			}
			last := lines[len(lines)-1]
			if last.Sentence != "999" || last.N != 1001 {
				t.Errorf("it ends in %+v", last)
			}
			k := slices.IndexFunc(lines, func(l Line) bool { return l.Lost > 0 })
			if k < 0 || lines[k].Lost != lost || !strings.HasSuffix(lines[k].Sentence, fmt.Sprintf("; %d lines were lost", lost)) {
				t.Errorf("no line says so: %+v", lines[:2])
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
	if err := j.Close(within(t)); err == nil || !strings.Contains(err.Error(), "no space") || !strings.HasSuffix(err.Error(), "2 lines are lost") {
		t.Errorf("Close says %v", err)
	}
	if j.Lost() != 2 {
		t.Errorf("%d are lost", j.Lost())
	}
}

func TestRemovedOrReplacedUnderIt(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(dir string) error
		keep bool // the first line outlives it
	}{
		{"the directory", os.RemoveAll, false},
		{"the file", func(dir string) error { return os.Remove(filepath.Join(dir, nameOf(1))) }, false},
		{"the file, by an empty one", func(dir string) error {
			os.Remove(filepath.Join(dir, nameOf(1)))
			return os.WriteFile(filepath.Join(dir, nameOf(1)), nil, 0o644)
		}, false},
		{"the file, by a directory", func(dir string) error {
			os.Remove(filepath.Join(dir, nameOf(1)))
			return os.Mkdir(filepath.Join(dir, nameOf(1)), 0o755)
		}, false},
		{"the file, by a pipe", func(dir string) error {
			os.Remove(filepath.Join(dir, nameOf(1)))
			return syscall.Mkfifo(filepath.Join(dir, nameOf(1)), 0o644)
		}, false},
		{"the file, moved along", func(dir string) error {
			return os.Rename(filepath.Join(dir, nameOf(1)), filepath.Join(dir, nameOf(8)))
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "journal")
			j := opened(t, dir, Options{Retry: time.Hour}, osDisk{}) // it must not need a second try
			j.Append(said(1))
			synced(t, j)
			if err := c.do(dir); err != nil {
				t.Fatal(err)
			}
			j.Append(said(2))
			synced(t, j)
			j.Append(said(3))
			closed(t, j)
			lines, report := Read(dir, Filter{})
			want := "the journal's file was removed or replaced, and what was in it is gone; no line was dropped 2 3"
			first := uint64(2)
			if c.keep {
				want, first = "1 "+want, 1
			}
			if got := sentences(lines); got != want {
				t.Errorf("read %q; %v", got, report)
			}
			counting(t, lines, first)
		})
	}
}

func TestOneWriterPerDirectory(t *testing.T) {
	dir := t.TempDir()
	one := opened(t, dir, Options{}, osDisk{})
	one.Append(said(1))
	synced(t, one)
	two := opened(t, dir, Options{}, osDisk{})
	two.Append(said(2))
	if err := two.Sync(within(t)); !errors.Is(err, errLocked) || !strings.Contains(err.Error(), "another name or another ROS_HOME") {
		t.Errorf("the second writer: %v", err)
	}
	closed(t, one)
	if !eventually(func() bool { return two.Err() == nil }) {
		t.Fatalf("it does not take over: %v", two.Err())
	}
	closed(t, two)
	lines := whole(t, dir)
	counting(t, lines, 1)
	if len(lines) != 3 || lines[1].Kind != KindJournal || lines[2].Sentence != "2" {
		t.Errorf("read %+v", lines)
	}
}

func TestAnotherUsersFileIsNotTouched(t *testing.T) {
	dir := t.TempDir()
	j := opened(t, dir, Options{}, osDisk{})
	j.Append(said(1))
	closed(t, j)
	d := &badDisk{before: func(op string) error {
		if op == "extend" {
			return os.ErrPermission
		}
		return nil
	}}
	j = opened(t, dir, Options{}, d)
	j.Append(said(2))
	closed(t, j)
	lines := whole(t, dir)
	counting(t, lines, 1)
	if sentences(lines) != "1 2" || len(files(t, dir)) != 2 {
		t.Errorf("read %q in %d files", sentences(lines), len(files(t, dir)))
	}
}

func TestOldFilesThatCannotBeRemovedAreReported(t *testing.T) {
	var bad atomic.Bool
	bad.Store(true)
	d := &badDisk{before: func(op string) error {
		if op == "remove" && bad.Load() {
			return syscall.EPERM
		}
		return nil
	}}
	dir := t.TempDir()
	j := opened(t, dir, Options{FileSize: 1000, Files: 2}, d)
	for n := range 100 {
		j.Append(said(n))
	}
	synced(t, j)
	if !eventually(func() bool { return j.Err() != nil }) {
		t.Fatal("it is not reported")
	}
	if err := j.Err(); !strings.HasPrefix(err.Error(), "cannot remove old files") {
		t.Errorf("%v", err)
	}
	bad.Store(false)
	for n := 100; n < 200; n++ {
		j.Append(said(n))
	}
	closed(t, j)
	if n := len(files(t, dir)); n != 2 {
		t.Errorf("%d files are left", n)
	}
}

// A small disk that is really full, where a test may mount one.
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
	n := 0
	for ; j.Sync(within(t)) == nil && n < 10_000; n++ {
		j.Append(said(n))
	}
	if err := j.Err(); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("after %d lines: %v", n, err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if !eventually(func() bool { return j.Err() == nil }) {
		t.Fatalf("it does not recover: %v", j.Err())
	}
	closed(t, j)
	lines := whole(t, filepath.Join(dir, "journal"))
	counting(t, lines, 1)
	if len(lines) != n+1 {
		t.Errorf("%d lines of %d, and one about the outage", len(lines), n)
	}
}

func TestReadingWhileItIsWritten(t *testing.T) {
	dir := t.TempDir()
	j := opened(t, dir, Options{FileSize: 8 << 10, Files: 4}, osDisk{})
	j.Append(said(0))
	synced(t, j)
	stop := make(chan struct{})
	var all sync.WaitGroup
	var reads atomic.Int64
	for range 2 {
		all.Add(1)
		go func() {
			defer all.Done()
			for {
				select {
				case <-stop:
					return
				default:
				}
				lines, report := Read(dir, Filter{})
				reads.Add(1)
				for i := 1; i < len(lines); i++ {
					if lines[i].N != lines[i-1].N+1 {
						t.Errorf("%d follows %d; %v", lines[i].N, lines[i-1].N, report)
						return
					}
				}
				for _, s := range report.Skips {
					if !strings.Contains(s.Why, "while the journal was read") && !strings.Contains(s.Why, "just being written") {
						t.Errorf("%v", report)
						return
					}
				}
			}
		}()
	}
	for n := 1; n < 5000 || reads.Load() < 20; n++ {
		j.Append(said(n))
		if n%100 == 0 {
			synced(t, j)
		}
	}
	close(stop)
	all.Wait()
}

func TestManyLines(t *testing.T) {
	const many = 100_000
	dir := t.TempDir()
	j := opened(t, dir, Options{FileSize: 4 << 20, Files: 50}, osDisk{})
	began := time.Now()
	for n := range many {
		j.Append(said(n))
		if n%5000 == 0 {
			synced(t, j)
		}
	}
	closed(t, j)
	written := time.Since(began)
	lines := whole(t, dir)
	counting(t, lines, 1)
	if len(lines) != many {
		t.Fatalf("%d lines", len(lines))
	}
	took := time.Since(began)
	t.Logf("%d lines written in %v, read in %v", many, written, took-written)
	if took > patience {
		t.Errorf("it took %v", took)
	}
}

func TestLineForAPerson(t *testing.T) {
	at := time.Date(2026, 3, 2, 5, 58, 3, 4e6, time.UTC)
	for want, l := range map[string]Line{
		"2026-03-02 05:58:03.004 step    /slam activate: refused: answered no": {Kind: KindStep, Sentence: "/slam activate: refused", Cause: "answered no"},
		"2026-03-02 05:58:03.004 state   activate failed":                      {Kind: KindState, Sentence: "activate failed", Cause: "activate failed"},
		"2026-03-02 05:58:03.004 node    gone /slam active":                    {Kind: KindNode, Event: EventGone, Node: "/slam", State: "active"},
	} {
		l.At = at
		if got := l.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// What a line without an event is taken for.
func TestEventOf(t *testing.T) {
	for _, c := range []struct {
		line Line
		want Event
	}{
		{Line{Kind: KindState, Settled: true, Command: "x"}, EventSettled},
		{Line{Kind: KindState, Command: "activate"}, EventBegan},
		{Line{Kind: KindState}, EventTurned},
		{Line{Kind: KindState, Event: EventFailed, Command: "activate"}, EventFailed},
		{Line{Kind: KindGoal}, EventAsked},
		{Line{Kind: KindGoal, Outcome: "aborted held"}, EventFinished},
		{Line{Kind: KindStep}, EventSent},
		{Line{Kind: KindStep, Verdict: "done"}, ""},
		{Line{Kind: KindNode}, ""},
	} {
		if got := eventOf(&c.line); got != c.want {
			t.Errorf("%+v: %q, want %q", c.line, got, c.want)
		}
	}
}

func TestOpenRefusesNonsense(t *testing.T) {
	for name, opt := range map[string]Options{"a negative size": {FileSize: -1}, "a single file": {Files: 1}, "no memory": {Memory: -1}} {
		if _, err := Open(t.TempDir(), opt); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if _, err := Open("", Options{}); err == nil {
		t.Error("no directory is taken")
	}
}

func BenchmarkAppend(b *testing.B) {
	j := opened(b, b.TempDir(), Options{Files: 3}, osDisk{})
	l := Line{
		At: time.Now(), Instance: "9f2c", Kind: KindStep, State: "activating", Node: "/perception/slam", Step: "activate",
		Verdict: "done", Seen: "active", Sentence: "/perception/slam activate: done", Cause: "active in 12ms",
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		j.Append(l)
		if n++; n%1000 == 0 { // a burst as long as a large network makes
			b.StopTimer()
			synced(b, j)
			b.StartTimer()
		}
	}
	if j.Lost() > 0 {
		b.Fatalf("%d lines are lost", j.Lost())
	}
}

func BenchmarkAppendAndSync(b *testing.B) {
	j := opened(b, b.TempDir(), Options{Files: 3}, osDisk{})
	for b.Loop() {
		j.Append(said(1))
		synced(b, j)
	}
}

func BenchmarkRead(b *testing.B) {
	dir := b.TempDir()
	j := opened(b, dir, Options{}, osDisk{})
	for n := range 10_000 {
		j.Append(said(n))
	}
	closed(b, j)
	for b.Loop() {
		whole(b, dir)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/line")
}
