package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// serveSignals makes a process of this test binary one that only waits for signals.
const serveSignals = "RSTATE_TEST_SERVE_SIGNALS"

// It does so before TestMain, which may start a child of its own to run the tests: the signals are for this process.
func init() {
	if os.Getenv(serveSignals) != "" {
		serve()
	}
}

// TestF7SignalsOfAService: SIGHUP stops a process as SIGTERM does, unless it was ignored from the beginning; a pipe
// that is closed does not end it.
func TestF7SignalsOfAService(t *testing.T) {
	for name, c := range map[string]struct {
		ignores, closes bool
		signals         []syscall.Signal
		want            string
	}{
		"SIGTERM": {signals: []syscall.Signal{syscall.SIGTERM}, want: "terminated"},
		"SIGHUP":  {signals: []syscall.Signal{syscall.SIGHUP}, want: "hangup"},
		"SIGHUP that is ignored": {ignores: true, signals: []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM},
			want: "terminated"},
		"its reader has gone": {closes: true, signals: []syscall.Signal{syscall.SIGTERM},
			want: "terminated"},
		"its reader has gone, and hangs": {closes: true, signals: []syscall.Signal{syscall.SIGHUP}, want: "hangup"},
	} {
		t.Run(name, func(t *testing.T) {
			hangsUp()
			args := []string{os.Args[0]}
			if c.ignores {
				args = append([]string{"sh", "-c", `trap "" HUP; exec "$@"`, "sh"}, args...)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			cmd := exec.CommandContext(ctx, args[0], args[1:]...)
			report, reports, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer report.Close()
			cmd.Env, cmd.ExtraFiles = append(os.Environ(), serveSignals+"=1"), []*os.File{reports}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			err = cmd.Start()
			reports.Close() // the child has the only other one
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = cmd.Process.Kill() }()
			if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
				t.Fatalf("%q, %v", line, err)
			}
			lines := bufio.NewReader(report)
			if c.closes {
				out.Close()
				if line, err := lines.ReadString('\n'); line != "broken pipe\n" {
					t.Fatalf("after its reader had gone: %q, %v", line, err)
				}
			}
			for _, s := range c.signals {
				if err := cmd.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
			}
			got, err := io.ReadAll(lines)
			if strings.TrimSpace(string(got)) != c.want || err != nil {
				t.Errorf("it was stopped by %q, %v; want %q", got, err, c.want)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("it ended: %v", err)
			}
		})
	}
}

// serve says that it is ready, again and again, until a signal stops it. It reports a pipe that is broken, and the
// signal.
func serve() {
	stop, _ := serviceSignals()
	report, broken := os.NewFile(3, "report"), false
	for {
		if _, err := fmt.Println("ready"); errors.Is(err, syscall.EPIPE) && !broken {
			broken = true
			fmt.Fprintln(report, syscall.EPIPE)
		}
		select {
		case s := <-stop:
			fmt.Fprintln(report, s)
			os.Exit(0)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// hangsUp sees that children of this process begin with the default action for SIGHUP, also where the tests themselves
// run under nohup: a child inherits a signal that is ignored, and not one that is caught.
var hangsUp = sync.OnceFunc(func() {
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
})
