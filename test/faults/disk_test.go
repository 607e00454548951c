//go:build ros

package faults

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// line holds the fields of a journal line that these tests read.
type line struct {
	N        uint64
	Instance string
	Kind     string
	Sentence string
}

// journal reads the journal in a folder as any program would: each line is complete JSON. It also
// returns the number of torn pieces.
func journal(t *testing.T, folder string) (lines []line, torn int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "journal-*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, piece := range bytes.Split(text, []byte("\n")) {
			var l line
			switch {
			case len(piece) == 0:
			case json.Unmarshal(piece, &l) != nil:
				torn++
			default:
				lines = append(lines, l)
			}
		}
	}
	return lines, torn
}

// whole checks that the lines of a run are complete from the first on, each once.
func whole(t *testing.T, lines []line) {
	t.Helper()
	for i, l := range lines {
		if l.N != uint64(i+1) || l.Instance != lines[0].Instance {
			t.Fatalf("line %d has the number %d: %+v", i+1, l.N, l)
		}
	}
	if len(lines) == 0 {
		t.Error("there are no lines")
	}
}

// warns waits until ~/state warns of the journal with these words, and ok until it does not.
func warns(d *daemon.Daemon, words ...string) {
	d.Await("the daemon warns of its journal", func(v daemon.View) bool {
		return len(v.Warnings) == 1 && daemon.HasAll(v.Warnings[0], words...)
	})
}

func noWarning(d *daemon.Daemon) {
	d.Await("it warns of nothing", func(v daemon.View) bool { return len(v.Warnings) == 0 })
}

// complaints counts the log's reports that the journal cannot be written.
func complaints(d *daemon.Daemon) int {
	count := 0
	for _, l := range said(d.Process) {
		if strings.Contains(l, `"level":"error"`) && strings.Contains(l, "cannot write journal") {
			count++
		}
	}
	return count
}

// A journal that cannot be written stops nothing. The log reports it once, and the state until it
// is writable; then the pending lines are written.
func TestAReadOnlyJournal(t *testing.T) {
	disk := bed.NewDisk(t, 1<<20)
	disk.Lock()
	folder := filepath.Join(disk.Path, "journal")
	d := newNetwork(t, "").start(t, daemon.Config{Journal: folder})
	warns(d, "cannot write journal", "read-only", folder)
	d.Do("armed", "succeeded done armed")
	d.Do("inactive", "succeeded done inactive")
	if got := complaints(d); got != 1 {
		t.Errorf("the log reports it %d times", got)
	}
	disk.Unlock()
	noWarning(d)
	d.Do("activate", "succeeded done active")
	d.Do("shutdown", "succeeded done finalized")
	if code := d.Process.Wait(t); code != 0 {
		t.Errorf("the daemon ended with %d", code)
	}
	lines, torn := journal(t, folder)
	whole(t, lines)
	if last := lines[len(lines)-1]; torn != 0 || last.Kind != "end" {
		t.Errorf("%d pieces are torn; the last line is %+v", torn, last)
	}
}

// If the file requires a journal, only arming is refused without one.
func TestARequiredJournal(t *testing.T) {
	disk := bed.NewDisk(t, 1<<20)
	disk.Lock()
	d := newNetwork(t, "journal: required\n").start(t, daemon.Config{Journal: filepath.Join(disk.Path, "journal")})
	warns(d, "cannot write journal")
	d.Do("active", "succeeded done active")
	d.Rejected("arm", "journal: required", "cannot write journal")
	disk.Unlock()
	noWarning(d)
	d.Do("arm", "succeeded done armed")
	d.Do("unconfigured", "succeeded done unconfigured")
}

// A full disk keeps the journal in whole lines; the rest is written when there is space again.
func TestAFullDisk(t *testing.T) {
	const pages = 4 * 4096
	disk := bed.NewDisk(t, pages)
	d := newNetwork(t, "").start(t, daemon.Config{Journal: disk.Path})
	noWarning(d)
	full := func() bool {
		var free bool
		d.Await("the state is shown", func(v daemon.View) bool { free = len(v.Warnings) == 0; return true })
		return !free
	}
	rounds := 0
	for ; !full(); rounds++ {
		if rounds > 100 {
			t.Fatal("the disk does not get full")
		}
		d.Do("active", "succeeded done active")
		d.Do("unconfigured", "succeeded done unconfigured")
	}
	warns(d, "cannot write journal", "no space left", "make room")
	kept, torn := journal(t, disk.Path)
	whole(t, kept)
	if torn != 0 {
		t.Errorf("%d pieces are torn", torn)
	}
	d.Do("armed", "succeeded done armed") // without a journal, since the file does not require one
	d.Do("unconfigured", "succeeded done unconfigured")
	if got := complaints(d); got != 1 {
		t.Errorf("the log reports it %d times", got)
	}
	disk.Resize(1 << 20)
	noWarning(d)
	d.Do("shutdown", "succeeded done finalized")
	if code := d.Process.Wait(t); code != 0 {
		t.Errorf("the daemon ended with %d", code)
	}
	lines, torn := journal(t, disk.Path)
	whole(t, lines)
	if torn != 0 || len(lines) <= len(kept) || lines[len(lines)-1].Kind != "end" {
		t.Errorf("%d pieces are torn; %d lines were kept, then %d: %+v", torn, len(kept), len(lines),
			lines[len(lines)-1])
	}
}

// A daemon that ends with a full disk reports how many lines it has lost.
func TestAFullDiskAtTheEnd(t *testing.T) {
	disk := bed.NewDisk(t, 4096)
	d := newNetwork(t, "").start(t, daemon.Config{Journal: disk.Path})
	d.Do("active", "succeeded done active")
	warns(d, "no space left")
	d.Do("shutdown", "succeeded done finalized")
	if code := d.Process.Wait(t); code != 0 {
		t.Errorf("the daemon ended with %d", code)
	}
	lines, torn := journal(t, disk.Path)
	if len(lines) > 0 {
		whole(t, lines)
	}
	if torn != 0 || !strings.Contains(d.Process.Log(), "of its lines are lost") {
		t.Errorf("%d pieces are torn; the log:\n%s", torn, d.Process.Log())
	}
}
