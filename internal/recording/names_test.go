package recording

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rstate/internal/tally"
)

// TestL13WhatIsThereIsKept: files of an earlier daemon, and those of one that still writes.
func TestL13WhatIsThereIsKept(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "run.mcap")
	for _, name := range []string{"run-2.mcap", "run.mcap", "run.1.mcap", "run-x.mcap", "rerun.mcap", "run.2-3.mcap"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in(t, file, nil, func(w *world) {
		w.opens()
		for name, want := range map[string]string{"run.3.mcap": "run.mcap", "run.3-2.mcap": "run-2.mcap",
			"run.1.mcap": "run.1.mcap", "run-x.mcap": "run-x.mcap", "rerun.mcap": "rerun.mcap"} {
			if text, _ := os.ReadFile(filepath.Join(folder, name)); string(text) != want {
				t.Errorf("%s has %q, want %q", name, text, want)
			}
		}
		other := newWorld(t, file, nil)
		defer other.r.Close()
		if err := other.r.Open(context.Background(), topics); err != nil {
			t.Fatal(err)
		}
		if err := other.r.Begin(context.Background(), true, true); err == nil ||
			!strings.Contains(err.Error(), "another rstate writes it") {
			t.Errorf("another recorder begins with %v", err)
		}
	})
	for range 2 {
		in(t, file, nil, func(w *world) { w.opens() })
	}
	if names, _ := filepath.Glob(filepath.Join(folder, "run.[45].mcap")); len(names) != 2 {
		t.Errorf("of two more recordings %q are kept", names)
	}
}

// TestL13WhatCannotBeRecorded: each is an error before the run that says what to do.
func TestL13WhatCannotBeRecorded(t *testing.T) {
	folder := t.TempDir()
	for name, c := range map[string]struct {
		file   string
		named  []string
		topics []tally.Topic
		why    string
	}{
		"nothing": {"a.mcap", nil, nil, "nothing can be recorded, because no participant counts its messages"},
		"no topic": {"a.mcap", []string{"/log", "/angel"}, topics,
			"cannot record /angel: no participant with SteppedNode publishes it; there are /angle, /log"},
		"no folder":  {"b/a.mcap", nil, topics, "b/a.mcap: no such file or directory"},
		"not a file": {"a.mcap/b.mcap", nil, topics, "a.mcap/b.mcap: not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.file == "a.mcap/b.mcap" {
				if err := os.WriteFile(filepath.Join(folder, "a.mcap"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			in(t, filepath.Join(folder, c.file), c.named, func(w *world) {
				err := w.r.Open(context.Background(), c.topics)
				if err == nil {
					err = w.r.Begin(context.Background(), true, true)
				}
				if err == nil || !strings.Contains(err.Error(), c.why) {
					t.Errorf("the error is %v, want %q", err, c.why)
				}
				if len(w.r.Files()) > 0 || len(w.faults) > 0 {
					t.Errorf("there are the files %q and the faults %q", w.r.Files(), w.faults)
				}
			})
		})
	}
}
