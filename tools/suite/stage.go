package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"
)

// run runs the stage, counts its tests, and returns what it cost. The stage has a process group of its own, so that none
// of its processes is left after its time limit.
func (s stage) run(ctx context.Context, t *tally, out io.Writer) cost {
	begin, failedBefore := time.Now(), t.failed
	limited, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	args := s.command()
	cmd := exec.CommandContext(limited, args[0], args[1:]...)
	cmd.Dir, cmd.Env = s.folder, append(os.Environ(), s.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second

	var err error
	if s.counts {
		cmd.Stderr = os.Stderr
		err = s.runCounted(cmd, t)
	} else {
		var output bytes.Buffer
		cmd.Stdout, cmd.Stderr = &output, &output
		if err = cmd.Run(); err != nil || s.shows {
			_, _ = out.Write(output.Bytes())
		}
	}
	switch {
	case ctx.Err() != nil:
		t.fail(s.name + " (interrupted)")
	case limited.Err() != nil:
		t.fail(fmt.Sprintf("%s (still at work after %s)", s.name, s.limit))
	case err != nil && (t.failed == failedBefore || !s.counts):
		t.fail(fmt.Sprintf("%s (%v)", s.name, err))
	case err == nil && !s.counts:
		t.passed++
	}
	c := cost{name: s.name, took: time.Since(begin)}
	if p := cmd.ProcessState; p != nil { // nil: it did not begin
		c.processors = p.UserTime() + p.SystemTime()
	}
	fmt.Fprintf(out, "== %s took %s, %s of processors\n", s.name, c.took.Round(100*time.Millisecond),
		c.processors.Round(100*time.Millisecond))
	return c
}

// command returns the arguments with which the stage runs. go test runs each binary through this program, which measures it.
// What only computes gives way to what others wait for.
func (s stage) command() []string {
	args := slices.Clone(s.args)
	if at := slices.Index(args, "-json"); s.meter != "" && at >= 0 {
		args = slices.Insert(args, at+1, "-exec", s.meter+" "+measuredWord)
	}
	if s.lane == computes {
		args = append([]string{"nice", "-n", "5"}, args...)
	}
	return args
}

func (s stage) runCounted(cmd *exec.Cmd, t *tally) error {
	reader, writer, err := os.Pipe()
	if err != nil {
		return err
	}
	defer reader.Close()
	cmd.Stdout = writer
	if err := cmd.Start(); err != nil {
		writer.Close()
		return err
	}
	writer.Close()
	read := make(chan struct{})
	go func() {
		defer close(read)
		lines := bufio.NewReader(reader)
		for {
			line, err := lines.ReadBytes('\n')
			if len(line) > 0 {
				t.line(line)
			}
			if err != nil {
				return
			}
		}
	}()
	err = cmd.Wait()
	select {
	case <-read:
	case <-time.After(5 * time.Second): // a process outside the group has inherited the pipe and still runs
		_ = reader.SetReadDeadline(time.Now())
		<-read
	}
	t.endOfStream()
	return err
}
