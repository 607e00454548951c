package journal

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Only the torn line is skipped, whatever the position of the tear, and the next process continues
// after it.
func TestTornLastLine(t *testing.T) {
	dir := t.TempDir()
	j := opened(t, dir, Options{}, osDisk{})
	for n := range 3 {
		j.Append(said(n))
	}
	closed(t, j)
	text, err := os.ReadFile(filepath.Join(dir, nameOf(1)))
	if err != nil {
		t.Fatal(err)
	}
	start := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
	for cut := start; cut <= len(text); cut++ {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, nameOf(1)), text[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		before, after, torn := "0 1", "0 1 3", cut > start
		if cut == len(text) {
			before, torn = "0 1 2", false
		}
		if cut >= len(text)-1 { // only its newline is missing
			after = "0 1 2 3"
		}
		lines, report := Read(dir)
		if got := sentences(lines); got != before || (len(report.Skipped) == 1) != torn {
			t.Fatalf("cut at %d: read %q, %v", cut, got, report)
		}
		j := opened(t, dir, Options{Instance: "b771"}, &badDisk{})
		j.Append(said(3))
		closed(t, j)
		lines, report = Read(dir)
		if got := sentences(lines); got != after || (len(report.Skipped) == 1) != (torn && after == "0 1 3") ||
			report.Missing > 0 {
			t.Fatalf("cut at %d, then written on: read %q, %v", cut, got, report)
		}
	}
}

// killed runs a journal on a disk that fails at its step'th operation; of a write, a share
// succeeds. It returns the disk, how many lines were confirmed as safe, and whether the disk failed
// at all.
func killed(t *testing.T, dir string, opt Options, step int, share float64) (d *badDisk, kept int, dead bool) {
	t.Helper()
	done, write := 0, false
	d = &badDisk{}
	d.before = func(op string) error {
		done++
		write = op == "write"
		if done > step || (done == step && !write) {
			return errDead
		}
		return nil
	}
	d.takes = func(n int) (int, error) {
		if done == step {
			return int(share * float64(n)), errDead
		}
		return n, nil
	}
	j := opened(t, dir, opt, d)
	for n := range 12 {
		j.Append(said(n))
		if synced(t, j) != nil {
			break
		}
		kept++
	}
	j.Close(patience)
	return d, kept, done >= step
}

func TestKilledAtAnyStep(t *testing.T) {
	for _, c := range []struct {
		name  string
		files int
		share float64
		power bool // fails too
	}{
		{"nothing of a write gets through", 100, 0, false},
		{"half of a write gets through", 100, 0.5, false},
		{"all of a write gets through, unsaid", 100, 1, false},
		{"few files are kept", 3, 0.5, false},
		{"the power goes", 100, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			opt := Options{FileSize: 400, Files: c.files}
			for step := 1; ; step++ {
				dir := filepath.Join(t.TempDir(), "journal")
				disk, kept, dead := killed(t, dir, opt, step, c.share)
				if !dead {
					if step < 30 {
						t.Fatalf("a run has only %d steps", step)
					}
					return
				}
				if c.power {
					disk.powerless(t, dir)
				}
				next := opt
				next.Instance = "b771"
				j := opened(t, dir, next, &badDisk{})
				j.Append(Line{Kind: KindEnd, Sentence: "after"})
				closed(t, j)
				survived(t, dir, fmt.Sprintf("killed at step %d", step), kept, c.files)
			}
		})
	}
}

// survived checks that a journal holds, in order and without a gap, the lines that were safe,
// possibly more, and then the line that came after.
func survived(t *testing.T, dir, when string, kept, most int) {
	t.Helper()
	lines, report := Read(dir)
	if report.Err != nil || report.Missing > 0 || len(report.Skipped) > 1 {
		t.Fatalf("%s: %v", when, report)
	}
	got := sentences(lines)
	first := 0
	if most < 100 {
		first, _ = strconv.Atoi(lines[0].Sentence) // the oldest were removed with their files
	}
	last := first + len(lines) - 2
	if want := strings.TrimSpace(numbers(first, last) + " after"); got != want || last+1 < kept {
		t.Fatalf("%s: %d lines were safe, read %q", when, kept, got)
	}
	if n := len(files(t, dir)); n > most {
		t.Fatalf("%s: %d files are left", when, n)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(""), []byte("\n\n"))
	f.Add([]byte(`{"n":1,"kind":"goal"}`+"\n"), []byte(`{"n":2,"kind":"state","event":"settled","state":"active"}`))
	f.Add([]byte(`{"n":18446744073709551615,"kind":"goal"}`+"\n"), []byte("\x00\x00\x00"))
	f.Add([]byte(`[1]`+"\n"+`{"n":3,"kind":"step","node":"/a"}`+"\n"), []byte(`{"n":1,"ki`))
	f.Fuzz(func(t *testing.T, one, two []byte) {
		dir := t.TempDir()
		for seq, text := range [][]byte{one, two} {
			if err := os.WriteFile(filepath.Join(dir, nameOf(uint64(seq+1))), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		before, _ := Read(dir)
		if text := Why(before, true, time.Unix(0, 0)).String(); text == "" {
			t.Error("there is no report")
		}
		LastSettled(before)
		j := opened(t, dir, Options{Instance: "of its own"}, &badDisk{})
		j.Append(said(7))
		closed(t, j)
		after, _ := Read(dir)
		if len(after) < len(before)+1 || after[len(after)-1].Sentence != "7" {
			t.Fatalf("%d lines, then %d", len(before), len(after))
		}
	})
}
