package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"rstate/internal/runnable"
)

// step is one external program. Its output is kept in a file.
type step struct {
	what  string // completes "cannot …"
	log   string
	limit time.Duration
	env   []string
	args  []string
}

func (s step) run() error {
	out, err := os.OpenFile(s.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("cannot %s: %w", s.what, err)
	}
	defer out.Close()
	begin, err := out.Seek(0, 2)
	if err != nil {
		return fmt.Errorf("cannot %s: %w", s.what, err)
	}
	ctx, cancel := runnable.Context(context.Background(), s.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.args[0], s.args[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = s.env, out, out, 5*time.Second
	err = cmd.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("it was still at work after %s", s.limit)
	}
	if err == nil {
		return nil
	}
	text, _ := os.ReadFile(s.log)
	return errors.New(failure(s.what, err, string(text[min(int(begin), len(text)):]), s.log))
}

// failure formats the one message for a failed step: what, why, and the end of its output.
func failure(what string, err error, output, log string) string {
	const lines = 8
	all := strings.Split(strings.TrimSpace(output), "\n")
	last := all[max(0, len(all)-lines):]
	for i, line := range last {
		if runes := []rune(line); len(runes) > 300 { // pip lists all versions on one line
			last[i] = string(runes[:300]) + " …"
		}
	}
	return fmt.Sprintf("cannot %s: %v; it said (all of it is in %s):\n  %s", what, err, log, strings.Join(last, "\n  "))
}
