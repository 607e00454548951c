package factory

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rstate/internal/network"
)

// TestS8IDsSurviveARestart: the next id is on disk before an id is used.
func TestS8IDsSurviveARestart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "deep", "next_id")
	n := &ids{file: file}
	for want := range uint64(3) {
		got, err := n.next()
		if err != nil || got != want {
			t.Fatalf("the next id is %d, %v; want %d", got, err, want)
		}
		if err := n.use(got); err != nil {
			t.Fatal(err)
		}
		n = &ids{file: file}
	}
	if entries, err := os.ReadDir(filepath.Dir(file)); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v are left in the folder", entries, err)
	}
	for first, want := range map[uint64]uint64{0: 3, 2: 3, 70: 70} {
		if got, err := (&ids{file: file, first: first}).next(); got != want || err != nil {
			t.Errorf("the next id from %d on is %d, want %d: %v", first, got, want, err)
		}
	}
	blocked := &ids{file: filepath.Join(file, "next_id")}
	if err := blocked.use(1); err == nil || !strings.Contains(err.Error(), "nothing was created") {
		t.Errorf("an id that cannot be noted: %v", err)
	}
}

// TestS8AFarIDIsRefused: one request does not use up the ids of all others.
func TestS8AFarIDIsRefused(t *testing.T) {
	for _, c := range []struct {
		given string
		next  uint64
		says  string
	}{
		{"0", 0, ""}, {"9", 3, ""}, {"20261125", 3, ""}, {"1764096000", 3, ""}, {"4294967299", 3, ""},
		{"4294967300", 3, "too far"}, {"999999999999999", 0, "up to 4294967296"}, {"2", 3, "used before"},
		{"007", 0, "is no id"},
		{"1000000000000000", 999999999999999, "is no id"}, {"", 0, "is no id"},
		{strings.Repeat("9", 5000), 0, "is no id"},
	} {
		n, err := wanted(c.given, c.next)
		if (err == nil) != (c.says == "") ||
			err != nil && (!strings.Contains(err.Error(), c.says) || len(err.Error()) > 300) {
			t.Errorf("%.20s after %d: %d, %v; want %q", c.given, c.next, n, err, c.says)
		}
	}
}

// TestH5AFactoryQuotesNoFile: an experiment that is a link to another file shows nothing of that file to the client.
func TestH5AFactoryQuotesNoFile(t *testing.T) {
	dir := t.TempDir()
	for k, text := range []string{"root:x:0:0:root:/root:/bin/bash\n", "secret-word\n", "a: b: c\nsecret-word: 1\n",
		"nodes: {secret-word: {}}\n", "\x00secret-word",
		"- secret-word\n", "machine: secret-word\nnodes: {/a: {}}\n", "machine: secret-word.yaml\nnodes: {/a: {}}\n"} {
		other := filepath.Join(dir, "other")
		if err := os.WriteFile(other, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(dir, fmt.Sprintf("demo%d.yaml", k))
		if err := os.Symlink(other, link); err != nil {
			t.Fatal(err)
		}
		file, err := find(dir, fmt.Sprintf("demo%d", k))
		if err != nil {
			t.Fatal(err)
		}
		_, err = network.LoadAs(file, "0")
		if err == nil {
			t.Fatalf("%q has no faults", text)
		}
		told := unquoted("demo", fmt.Errorf("cannot run it: %w", err)).Error()
		for _, word := range []string{"secret", "root:", "x:0", "bin"} {
			if strings.Contains(told, word) {
				t.Errorf("%q becomes: %s", text, told)
			}
		}
		if !strings.Contains(told, "demo") || !strings.Contains(told, "rstate check") {
			t.Errorf("%q becomes: %s", text, told)
		}
	}
	other := errors.New("the disk is full")
	if unquoted("demo", other) != other {
		t.Error("another error is not told")
	}
}

// TestS8IDsSurviveTheLossOfTheirFile: the journals tell which ids were used, if the file is lost, damaged or older.
func TestS8IDsSurviveTheLossOfTheirFile(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"lab.sim_3.rstate", "lab.sim_12.rstate", "lab.sim_007.rstate", "lab.sim_x.rstate",
		"lab.sim_99.other", "other.sim_50.rstate",
		"lab.rstate_factory", "lab.sim_99999999999999999999.rstate"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	used := journaledIDs(folder, "lab.sim_", ".rstate")
	file := filepath.Join(folder, "lab.rstate_factory", "next_id")
	for _, c := range []struct {
		text, why string
		first     uint64
		want      uint64
	}{
		{"", "is damaged", 0, 13}, {"many", "is damaged", 0, 13}, {"-1", "is damaged", 0, 13},
		{"1 2", "is damaged", 70, 70},
		{"5", "is older than a journal", 0, 13}, {"12", "is older than a journal", 0, 13}, {"13", "", 0, 13},
		{"20", "", 0, 20}, {"lost", "is lost", 0, 13},
	} {
		os.Remove(file)
		if c.text != "lost" {
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		n := &ids{file: file, first: c.first, used: used}
		if got, err := n.next(); got != c.want || err != nil {
			t.Errorf("%q: the next id is %d, want %d: %v", c.text, got, c.want, err)
		}
		if why := n.mended(); !strings.HasSuffix(why, c.why) || (why == "") != (c.why == "") {
			t.Errorf("%q: it says %q, want %q", c.text, why, c.why)
		}
	}
	if used := journaledIDs(filepath.Join(folder, "none"), "lab.sim_", ".rstate"); len(used) > 0 {
		t.Errorf("no folder has %v", used)
	}
}
