package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// serveSignals makes this test's process one that only waits for signals.
const serveSignals = "RSTATE_TEST_SERVE_SIGNALS"

// TestF7SignalsOfAService: SIGHUP stops a process as SIGTERM does, unless it was ignored from the beginning; a pipe that is
// closed does not end it.
func TestF7SignalsOfAService(t *testing.T) {
	if os.Getenv(serveSignals) != "" {
		serve()
	}
	for name, c := range map[string]struct {
		ignores, closes bool
		signals         []syscall.Signal
		want            string
	}{
		"SIGTERM":                        {signals: []syscall.Signal{syscall.SIGTERM}, want: "terminated"},
		"SIGHUP":                         {signals: []syscall.Signal{syscall.SIGHUP}, want: "hangup"},
		"SIGHUP that is ignored":         {ignores: true, signals: []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM}, want: "terminated"},
		"its reader has gone":            {closes: true, signals: []syscall.Signal{syscall.SIGTERM}, want: "terminated"},
		"its reader has gone, and hangs": {closes: true, signals: []syscall.Signal{syscall.SIGHUP}, want: "hangup"},
	} {
		t.Run(name, func(t *testing.T) {
			result, err := os.CreateTemp(t.TempDir(), "")
			if err != nil {
				t.Fatal(err)
			}
			if !c.ignores && signal.Ignored(syscall.SIGHUP) {
				t.Skip("SIGHUP is ignored here, and so it is in every child")
			}
			args := []string{os.Args[0], "-test.run=^TestF7SignalsOfAService$"}
			if c.ignores {
				args = append([]string{"sh", "-c", `trap "" HUP; exec "$@"`, "sh"}, args...)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			cmd := exec.CommandContext(ctx, args[0], args[1:]...)
			cmd.Env, cmd.ExtraFiles = append(os.Environ(), serveSignals+"=1"), []*os.File{result}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = cmd.Process.Kill() }()
			if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
				t.Fatalf("%q, %v", line, err)
			}
			if c.closes {
				out.Close()
				time.Sleep(100 * time.Millisecond) // it writes every 10 ms
			}
			for _, s := range c.signals {
				if err := cmd.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
				time.Sleep(100 * time.Millisecond)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("it ended: %v", err)
			}
			if got, err := os.ReadFile(result.Name()); strings.TrimSpace(string(got)) != c.want || err != nil {
				t.Errorf("it was stopped by %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

// serve says something again and again until a signal stops it, and then which.
func serve() {
	stop, _ := serviceSignals()
	for {
		fmt.Println("ready")
		select {
		case s := <-stop:
			fmt.Fprintln(os.NewFile(3, "result"), s)
			os.Exit(0)
		case <-time.After(10 * time.Millisecond):
		}
	}
}
