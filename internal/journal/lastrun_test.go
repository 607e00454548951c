package journal

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestA12WhatTheNewestRunSays: since when nothing listens, which a start has to know.
func TestA12WhatTheNewestRunSays(t *testing.T) {
	at := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	line := func(run string, kind Kind, event Event) Line {
		return Line{Instance: run, Kind: kind, Event: event, At: at, Boot: "b"}
	}
	start := line("1", KindStart, "")
	start.Listens = "/estop"
	ends := line("1", KindEnd, EventEnded)
	ends.Listens, ends.Up = "/estop", time.Hour
	for _, c := range []struct {
		name  string
		lines []Line
		want  LastRun
	}{
		{"no line", nil, LastRun{}},
		{"it was killed", []Line{start, line("1", KindState, EventSettled)}, LastRun{"1", "b", "/estop", false, at, time.Time{}, 0}},
		{"it was killed while it ended", []Line{start, line("1", KindEnd, "")},
			LastRun{"1", "b", "/estop", false, at, time.Time{}, 0}},
		{"it ended", []Line{start, ends}, LastRun{"1", "b", "/estop", true, at, time.Time{}, time.Hour}},
		{"its first lines are gone", []Line{ends}, LastRun{"1", "b", "/estop", true, at, time.Time{}, time.Hour}},
		{"the next one has no stop input", []Line{start, ends, {Instance: "2", Kind: KindStart, At: at}},
			LastRun{"2", "", "", false, at, time.Time{}, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := lastRun(c.lines); got != c.want {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

// TestA12ARunShowsThatItLives: a touch changes the time of the newest file and no line of it.
func TestA12ARunShowsThatItLives(t *testing.T) {
	dir := t.TempDir()
	j := Open(dir, Options{Instance: "1"})
	defer j.Close(time.Second)
	j.Append(Line{Kind: KindStart, Sentence: "starts"})
	synced := make(chan error)
	j.Sync(func(err error) { synced <- err })
	if err := <-synced; err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(dir, nameOf(1)), old, old); err != nil {
		t.Fatal(err)
	}
	if _, r := ReadEnd(dir); r.Touched.After(old.Add(time.Minute)) {
		t.Fatalf("it is of %v before", r.Touched)
	}
	j.Touch()
	j.Sync(func(err error) { synced <- err })
	<-synced
	lines, r := ReadEnd(dir)
	if len(lines) != 1 || r.Touched.Before(old.Add(time.Minute)) || r.Torn {
		t.Errorf("%d lines, touched %v, torn %v", len(lines), r.Touched, r.Torn)
	}
}

// TestA12ATornEndMayHideARun: what cannot be read behind the last line may be the first line of a later run. Before the
// last line it hides none.
func TestA12ATornEndMayHideARun(t *testing.T) {
	good := string(encode(&Line{N: 1, Instance: "1", Kind: KindStart}))
	for _, c := range []struct {
		name, first, second string
		torn                bool
	}{
		{"whole", good, "", false},
		{"the last line has no end", good + `{"n":2,"inst`, "", true},
		{"the last line is none", good + "\x00\x00\n", "", true},
		{"a line before is none", "\x00\x00\n" + good, "", false},
		{"the file before is torn", `{"n":2,"inst`, good, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for k, text := range []string{c.first, c.second} {
				if text == "" {
					continue
				}
				if err := os.WriteFile(filepath.Join(dir, nameOf(uint64(k+1))), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if _, r := ReadEnd(dir); r.Torn != c.torn {
				t.Errorf("torn: %v (%v)", r.Torn, r)
			}
		})
	}
}
