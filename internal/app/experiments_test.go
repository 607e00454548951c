package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	for _, text := range []string{"", "many", "-1", "1 2"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := n.next(); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%q: %v", text, err)
		}
	}
	blocked := &ids{file: filepath.Join(file, "next_id")}
	if err := blocked.use(1); err == nil || !strings.Contains(err.Error(), "nothing was created") {
		t.Errorf("an id that cannot be noted: %v", err)
	}
}
