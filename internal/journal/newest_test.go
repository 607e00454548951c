package journal

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func all(*Line) bool { return true }

// TestH3NewestIsTheEndOfRead: whatever stands in the files, the newest lines are those at the end of what Read returns.
func TestH3NewestIsTheEndOfRead(t *testing.T) {
	long := strings.Repeat("x", 100<<10)
	pieces := func(n int) []string {
		return []string{
			lined("a", n), lined("a", n, n+1), lined("b", n), lined("a", n, n, n+1), "what\n", "\n", `{"n":7,` + "\n",
			strings.Repeat("y", maxLine+5) + "\n", strings.Repeat("z", 1<<20) + "\n",
			fmt.Sprintf(`{"n":%d,"instance":"a","kind":"goal","sentence":"%s"}`+"\n", n, long),
		}
	}
	for seed := range uint64(30) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var files []string
		n := 0
		for range 1 + rnd.IntN(4) {
			var text strings.Builder
			for range 1 + rnd.IntN(8) {
				n += 2
				p := pieces(n)
				text.WriteString(p[rnd.IntN(len(p))])
			}
			if rnd.IntN(3) == 0 {
				text.WriteString(`{"n":9,"inst`)
			}
			files = append(files, text.String())
		}
		dir := written(t, files...)
		want, _ := Read(dir)
		for _, most := range []int{1, 2, 3, 1000} {
			got, report := Newest(dir, all, most)
			if tail := tail(want, most); report.Err != nil || len(got) != len(tail) ||
				len(tail) > 0 && !sameLines(got, tail) {
				t.Fatalf("seed %d: the newest %d are %.200q, want %.200q; %v", seed, most, sentences(got),
					sentences(tail), report)
			}
		}
		one := func(l *Line) bool { return l.Instance == "b" }
		var ofB []Line
		for k := range want {
			if one(&want[k]) {
				ofB = append(ofB, want[k])
			}
		}
		if got, _ := Newest(dir, one, 1000); !sameLines(got, ofB) {
			t.Fatalf("seed %d: of run b %q, want %q", seed, sentences(got), sentences(ofB))
		}
	}
}

func sameLines(a, b []Line) bool { return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b) }

// TestH3NewestLinesCostThemselves: one line of a journal of 16 MB costs neither the memory nor the reading of it.
func TestH3NewestLinesCostThemselves(t *testing.T) {
	const lines, files = 10000, 8
	var texts []string
	for k := range files {
		var text strings.Builder
		for n := range lines {
			fmt.Fprintf(&text, `{"n":%d,"instance":"a","kind":"goal","sentence":"%0160d"}`+"\n", k*lines+n+1, n)
		}
		texts = append(texts, text.String())
	}
	dir := written(t, texts...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, report := Newest(dir, all, 1)
	runtime.ReadMemStats(&after)
	if len(got) != 1 || got[0].N != files*lines || report.String() != "" {
		t.Fatalf("read %v, %v", got, report)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("one line of %d MB took %d kB of memory", files*len(texts[0])>>20, used>>10)
	}
	// A filter that no line passes reads all and keeps nothing.
	runtime.ReadMemStats(&before)
	if got, _ := Newest(dir, func(*Line) bool { return false }, 1); len(got) != 0 {
		t.Errorf("read %v", got)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if after.HeapAlloc > before.HeapAlloc+(4<<20) {
		t.Errorf("%d kB are kept", (after.HeapAlloc-before.HeapAlloc)>>10)
	}
}

// TestH3NewestOfWhatIsNotThere says the same as Read.
func TestH3NewestOfWhatIsNotThere(t *testing.T) {
	for _, dir := range []string{filepath.Join(t.TempDir(), "none"), t.TempDir()} {
		lines, report := Newest(dir, all, 5)
		if _, want := Read(dir); len(lines) > 0 || report.String() != want.String() {
			t.Errorf("it says %q, want %q", report, want)
		}
	}
}

// keeps writes one line into a journal, and returns why that failed.
func keeps(dir string) error {
	j := Open(dir, Options{})
	defer j.Close(patience)
	j.Append(Line{Kind: KindGoal, Sentence: "one"})
	done := make(chan error, 1)
	j.Sync(func(err error) { done <- err })
	return <-done
}

// TestJ6AJournalFollowsNoLink: neither its folder nor a file of it may be a link to something else, and what a link
// leads to stays as it is.
func TestJ6AJournalFollowsNoLink(t *testing.T) {
	target, base := t.TempDir(), t.TempDir()
	if err := os.Chmod(target, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(base, "link")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	err := keeps(link)
	for _, part := range []string{"symbolic link", "--journal"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("through a link: %v", err)
		}
	}
	if names, _ := os.ReadDir(target); len(names) > 0 || mode(t, target) != 0o755 {
		t.Errorf("behind the link there is %v, mode %o", names, mode(t, target))
	}

	victim, dir := filepath.Join(base, "victim"), filepath.Join(base, "journal")
	if err := os.WriteFile(victim, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, filepath.Join(dir, nameOf(1))); err != nil {
		t.Fatal(err)
	}
	j := Open(dir, Options{})
	j.Append(Line{Kind: KindGoal, Sentence: "later"})
	if err := j.Close(patience); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(victim); string(text) != "precious" || mode(t, victim) != 0o644 {
		t.Errorf("the link's target is %q, mode %o", text, mode(t, victim))
	}
	if lines, _ := Read(dir); sentences(lines) != "later" {
		t.Errorf("read %q", sentences(lines))
	}
}

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

// TestJ6AFolderOfAnotherUserIsLeftAlone: it is not written, and its mode does not change.
func TestJ6AFolderOfAnotherUserIsLeftAlone(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	dir := filepath.Join(t.TempDir(), "journal")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	err := keeps(dir)
	if err == nil || !strings.Contains(err.Error(), "another user") || !strings.Contains(err.Error(), "--journal") {
		t.Errorf("it says %v", err)
	}
	if names, _ := os.ReadDir(dir); len(names) > 0 || mode(t, dir) != 0o777 {
		t.Errorf("there is %v, mode %o", names, mode(t, dir))
	}
}

// TestJ6APipeIsNoJournal: a reader does not hang at it.
func TestJ6APipeIsNoJournal(t *testing.T) {
	dir := written(t, lined("a", 1))
	if err := syscall.Mkfifo(filepath.Join(dir, nameOf(2)), 0o600); err != nil {
		t.Fatal(err)
	}
	lines, report := Newest(dir, all, 5)
	if sentences(lines) != "a1" || !strings.Contains(report.String(), "no regular file") {
		t.Errorf("read %q, %v", sentences(lines), report)
	}
}
