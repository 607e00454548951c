package secret

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestH4SecretsAreSmallRegularFiles: a pipe, a device and a large file are refused at once, and none of their content
// is quoted.
func TestH4SecretsAreSmallRegularFiles(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := syscall.Mkfifo(in("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"good": "abc\n", "full": strings.Repeat("x", Most),
		"large": strings.Repeat("x", Most+1)} {
		if err := os.WriteFile(in(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("good", in("link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(in("large"), 1<<40); err != nil { // sparse
		t.Fatal(err)
	}
	for path, says := range map[string]string{
		in("pipe"): "no regular file", dir: "no regular file", "/dev/zero": "no regular file", "/dev/stdin": "",
		in("none"): "no such file", in("large"): "4096 bytes",
	} {
		text, _, err := Read(path)
		if path == "/dev/stdin" { // whatever that is here, it does not hang
			continue
		}
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "xxx") {
			t.Errorf("%s: %.20q, %v", path, text, err)
		}
	}
	for name, want := range map[string]string{"good": "abc\n", "link": "abc\n", "full": strings.Repeat("x", Most)} {
		if text, open, err := Read(in(name)); text != want || open || err != nil {
			t.Errorf("%s: %.20q, %v, %v", name, text, open, err)
		}
	}
	if err := os.Chmod(in("good"), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, open, err := Read(in("good")); !open || err != nil {
		t.Errorf("others can use it: %v, %v", open, err)
	}
}

// TestH4ASecretIsReadWithADeadline: a file system that does not answer ends the start, and not the process's ears.
func TestH4ASecretIsReadWithADeadline(t *testing.T) {
	hangs := make(chan struct{})
	defer close(hangs)
	_, _, err := readWithin("/net/token", time.Millisecond, func(string) content { <-hangs; return content{} })
	if err == nil || !strings.Contains(err.Error(), "does not answer") || !strings.Contains(err.Error(), "/net/token") {
		t.Error(err)
	}
}
