package testmsgs_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestProgramsForTheOriginal generates bindings for programs that use only the documented
// API of tiiuae/rclgo, and builds and runs them.
func TestProgramsForTheOriginal(t *testing.T) {
	bin := buildOriginals(t)

	t.Run("publisher and subscriber", func(t *testing.T) {
		subscriber := start(t, bin, "subscriber", "--ros-args", "-r", "__node:=ear")
		start(t, bin, "publisher", "--ros-args", "-r", "__node:=mouth")
		last := -1
		for range 3 {
			var number int
			var rest string
			line := subscriber.line(t)
			if _, err := fmt.Sscanf(line, "heard number %d from %s", &number, &rest); err != nil ||
				rest != "/original/mouth" || !strings.HasSuffix(line, " true") || number <= last {
				t.Fatalf("it printed %q after number %d: %v", line, last, err)
			}
			last = number
		}
	})
	t.Run("action client and server", func(t *testing.T) {
		start(t, bin, "actionserver")
		client := start(t, bin, "actionclient")
		for _, want := range []string{"got Succeeded [0 1 1 2 3 5]", "again 6", "cancel true", "accepted false"} {
			if got := client.line(t); got != want {
				t.Errorf("it printed %q, want %q", got, want)
			}
		}
		client.end(t)
	})
}

// buildOriginals makes a module of the programs with bindings of their own and returns
// the folder of the binaries.
func buildOriginals(t *testing.T) string {
	t.Helper()
	dir, here := t.TempDir(), must(t)(filepath.Abs("../.."))
	if err := os.CopyFS(dir, os.DirFS("testdata/original")); err != nil {
		t.Fatal(err)
	}
	mod := fmt.Sprintf("module robot\n\ngo 1.25\n\nrequire github.com/tiiuae/rclgo v0.0.0\n\nreplace github.com/tiiuae/rclgo => %s\n", here)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o600); err != nil {
		t.Fatal(err)
	}
	tool := filepath.Join(dir, "rclgo-gen")
	command(t, here, "go", "build", "-o", tool, "./cmd/rclgo-gen")
	command(t, dir, tool, "generate", "-d", "msgs", "--include-go-package-deps", "./...")
	command(t, dir, "go", "vet", "./...")
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	command(t, dir, "go", "build", "-o", bin, "./publisher", "./subscriber", "./actionserver", "./actionclient")
	return bin
}

func must(t *testing.T) func(string, error) string {
	return func(s string, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

func command(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

// program is a running program.
type program struct{ lines chan string }

// start runs a program, which must exit with code 0 when the end of the test interrupts it.
func start(t *testing.T, bin, name string, args ...string) *program {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, name), args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &program{make(chan string, 1000)}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(io.Reader(out)); lines.Scan(); {
			p.lines <- lines.Text()
		}
		close(p.lines)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		kill := time.AfterFunc(patience, func() { _ = cmd.Process.Signal(syscall.SIGKILL) })
		defer kill.Stop()
		<-read
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	})
	return p
}

// line returns the next line that the program prints.
func (p *program) line(t *testing.T) string {
	t.Helper()
	select {
	case s, ok := <-p.lines:
		if !ok {
			t.Fatal("the program has ended")
		}
		return s
	case <-time.After(patience):
		t.Fatalf("it printed nothing for %v", patience)
	}
	return ""
}

// end waits until the program has exited.
func (p *program) end(t *testing.T) {
	t.Helper()
	select {
	case s, ok := <-p.lines:
		if ok {
			t.Fatalf("it printed %q too", s)
		}
	case <-time.After(patience):
		t.Fatalf("it did not end within %v", patience)
	}
}
