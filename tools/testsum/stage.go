package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
	"unsafe"
)

// begin announces the stage and runs it, unless the whole run was interrupted.
func (s stage) begin(ctx context.Context, show bool, t *tally) {
	if ctx.Err() != nil {
		t.fail(s.name + " (interrupted before it began)")
		return
	}
	fmt.Fprintf(t.out, "== %s\n", s.name)
	s.show = show
	s.run(ctx, t, t.out)
}

// run runs the stage and counts its tests. The stage has a process group of its own, so that none
// of its processes is left after its time limit.
func (s stage) run(ctx context.Context, t *tally, out io.Writer) {
	begin, failedBefore := time.Now(), t.failed
	limited, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	cmd := exec.CommandContext(limited, s.args[0], s.args[1:]...)
	cmd.Dir = s.folder
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second

	var err error
	if s.countsTests() {
		cmd.Stderr = os.Stderr
		err = s.runCounted(cmd, t)
	} else {
		var output bytes.Buffer
		cmd.Stdout, cmd.Stderr = &output, &output
		if err = cmd.Run(); err != nil || s.show {
			_, _ = out.Write(output.Bytes())
		}
	}
	switch {
	case ctx.Err() != nil:
		t.fail(s.name + " (interrupted)")
	case limited.Err() != nil:
		t.fail(fmt.Sprintf("%s (still at work after %s)", s.name, s.limit))
	case err != nil && (t.failed == failedBefore || !s.countsTests()):
		t.fail(fmt.Sprintf("%s (%v)", s.name, err))
	case err == nil && !s.countsTests():
		t.passed++
	}
	fmt.Fprintf(out, "== %s took %s%s\n", s.name, time.Since(begin).Round(100*time.Millisecond), used(cmd.ProcessState))
}

// used says how much time of processors a command took, with those of its children for which it has waited.
func used(p *os.ProcessState) string {
	if p == nil { // it did not begin
		return ""
	}
	return fmt.Sprintf(", %s of processors", (p.UserTime() + p.SystemTime()).Round(100*time.Millisecond))
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

// schedIdle is the policy of Linux for what runs when no other wants the processor.
const schedIdle = 5

// becomeIdle gives the calling thread this policy, and thereby every process that it starts. Where a machine does not let
// it, they get the least share, or else an equal one: the run only takes longer.
func becomeIdle() {
	var priority int32 // of this policy there is one only
	_, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_SETSCHEDULER, 0, schedIdle, uintptr(unsafe.Pointer(&priority)))
	if errno != 0 {
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 19)
	}
}
