package journal

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestOnlyTheOwnerReadsAJournal: files of a former version that every user can read are restricted;
// other files are not touched.
func TestOnlyTheOwnerReadsAJournal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "rstate", "demo")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	old, other := filepath.Join(dir, nameOf(1)), filepath.Join(dir, "notes.txt")
	for _, file := range []string{old, other} {
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	j := Open(dir, Options{Instance: "a"})
	j.Append(Line{Kind: KindStart, Sentence: "it starts"})
	if err := j.Close(10 * time.Second); err != nil {
		t.Fatal(err)
	}
	names, err := osDisk{}.list(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, ".") {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		want := os.FileMode(0o600)
		switch name {
		case ".":
			want = 0o700
		case "notes.txt":
			want = 0o644
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s is %v, want %v", name, info.Mode().Perm(), want)
		}
	}
}
