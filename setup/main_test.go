package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"rstate/internal/runnable"
)

// notesWriter signals each write.
type notesWriter struct {
	once    sync.Once
	written chan struct{}
}

func (w *notesWriter) Write(text []byte) (int, error) {
	w.once.Do(func() { close(w.written) })
	return len(text), nil
}

func TestSecondRunWaitsForTheFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".ros", "lock")
	release, err := lock(path, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	notes := &notesWriter{written: make(chan struct{})}
	done := make(chan error)
	go func() {
		second, err := lock(path, notes)
		if err == nil {
			second()
		}
		done <- err
	}()
	limit := runnable.Within(30 * time.Second)
	defer limit.Stop()
	select {
	case <-notes.written: // the note that setup waits
	case err := <-done:
		t.Fatalf("did not wait: %v", err)
	case <-limit.Over():
		t.Fatal("neither waits nor goes on")
	}
	release()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-limit.Over():
		t.Fatal("still waits, although the lock is free")
	}
}

func TestPrepareDoesNothingWhereAllIsReady(t *testing.T) {
	p := completed(t)
	t.Setenv("PATH", t.TempDir()) // no program can be started
	var notes bytes.Buffer
	if err := prepare(p, true, &notes); err != nil || notes.Len() != 0 {
		t.Errorf("got %q, %v", notes.String(), err)
	}
	if err := prepare(p, false, &notes); err != nil ||
		!strings.Contains(notes.String(), "ROS 2 jazzy in "+p.prefix()+" is ready") ||
		!strings.Contains(notes.String(), "; its support ends on 20") {
		t.Errorf("got %q, %v", notes.String(), err)
	}
}

func TestFailedInstallationLeavesNothingThatLooksComplete(t *testing.T) {
	p := completed(t)
	writeFile(t, p.requirements(), "ros-rcl==2\n") // so setup must install it again
	bin := t.TempDir()
	for _, name := range []string{"cc", "c++"} {
		writeFile(t, filepath.Join(bin, name), "")
	}
	writeFile(t, filepath.Join(bin, "python3"), `#!/bin/sh
case "$1 $2" in
"-c "*) echo 3 12 1 1 ;;
"-m venv") mkdir -p "$3/bin"; cp "$0" "$3/bin/python" ;;
"-m pip") echo "Collecting ros-rcl"; echo "ERROR: no route to the index" >&2; exit 1 ;;
esac
`)
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	err := prepare(p, true, io.Discard)
	if err == nil {
		t.Fatal("succeeded")
	}
	for _, want := range []string{"with pip (is the network there?)", "exit status 1", "ERROR: no route to the index",
		p.log("install")} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the message has no %q: %v", want, err)
		}
	}
	if p.missing() == "" {
		t.Error("counts as ready")
	}
}

// TestAnInstallationIsNotMadeWithItself: in a terminal that uses it, its own Python comes first.
func TestAnInstallationIsNotMadeWithItself(t *testing.T) {
	own, other := filepath.Join(t.TempDir(), ".ros", "jazzy", "bin"), t.TempDir()
	for _, dir := range []string{own, other} {
		writeFile(t, filepath.Join(dir, "python3"), "#!/bin/sh\necho 3 12 1 1\n")
	}
	t.Setenv("PATH", own+":"+other)
	if p, ok := probePython("python3"); !ok || p.path != filepath.Join(other, "python3") {
		t.Errorf("found %+v, %v", p, ok)
	}
	t.Setenv("PATH", own)
	if p, ok := probePython("python3"); ok {
		t.Errorf("found %+v", p)
	}
}

func TestStepOverItsTimeIsEnded(t *testing.T) {
	s := step{what: "wait", log: filepath.Join(t.TempDir(), "log"), limit: time.Millisecond, env: os.Environ(),
		args: []string{"sleep", "60"}}
	if err := s.run(); err == nil || !strings.Contains(err.Error(), "still at work after 1ms") {
		t.Errorf("got %v", err)
	}
}

func TestFailureShowsTheEnd(t *testing.T) {
	output := strings.Repeat("line\n", 50) + "the cause " + strings.Repeat("v", 1000) + "\n"
	got := failure("do it", io.ErrUnexpectedEOF, output, "/log")
	if !strings.HasPrefix(got, "cannot do it: unexpected EOF; it said (all of it is in /log):\n") ||
		!strings.Contains(got, "the cause") {
		t.Errorf("got %s", got)
	}
	if lines := strings.Count(got, "\n"); lines != 8 || len(got) > 1000 {
		t.Errorf("%d lines, %d bytes:\n%s", lines, len(got), got)
	}
}

func TestWordsOnTheCommandLine(t *testing.T) {
	p := completed(t)
	writeFile(t, filepath.Join(p.root, "go.mod"), "")
	t.Chdir(p.root)
	t.Setenv("ROS_DISTRO", "")
	t.Setenv("AMENT_PREFIX_PATH", "")
	if err := run([]string{"evn"}, io.Discard, io.Discard); err == nil ||
		!strings.Contains(err.Error(), `cannot do "evn"`) {
		t.Errorf("got %v", err)
	}
	var out bytes.Buffer
	if err := run([]string{"env"}, &out, io.Discard); err != nil ||
		!strings.Contains(out.String(), "export ROS_DISTRO='jazzy'\n") {
		t.Errorf("got %q, %v", out.String(), err)
	}
	remove(t, p.overlay(), stampName)
	if err := run([]string{"env"}, &out, io.Discard); err == nil ||
		!strings.Contains(err.Error(), "run `make setup` first") {
		t.Errorf("got %v", err)
	}
}

// TestPathThatTheBuildCannotUse: the build of the interfaces fails in such a path. setup says so before anything is
// downloaded.
func TestPathThatTheBuildCannotUse(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // no program can be started
	root := filepath.Join(t.TempDir(), "Übung")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	err := prepare(place{root: root, distro: "jazzy"}, true, io.Discard)
	if err == nil || !strings.Contains(err.Error(), `cannot build in "`+root+`": `) ||
		!strings.Contains(err.Error(), `a path with 'Ü'; move the checkout`) {
		t.Errorf("got %v", err)
	}
}
