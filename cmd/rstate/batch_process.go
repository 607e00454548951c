//go:build ros

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"rstate/internal/clean"
)

// underShell runs a command such that SIGTERM reaches all that it starts. The shell ends after them, with the exit code
// of the command. The kernel sends SIGTERM to the shell if the batch is killed.
const underShell = "trap 'trap \"\" TERM; kill 0; wait' TERM; { %s\n} & wait $!"

const (
	// processIn is how long a process of a scenario has to end after SIGTERM.
	processIn = 5 * time.Second
	// pipeIn is how long the output of a process is read that has left its pipe to another one.
	pipeIn = time.Second
	// toldLast is how many lines of its output are kept of a process.
	toldLast = 10
)

// processes starts and ends the processes of scenarios.
type processes struct {
	starts chan func() // for the main thread: a process ends with the thread that starts it

	mu   sync.Mutex
	live []*process
}

// process is one process of a scenario, and leads a group of its own.
type process struct {
	node   string
	cmd    *exec.Cmd
	tail   *tail
	done   chan struct{} // closed when it has ended; then cmd.ProcessState is set
	ending atomic.Bool   // it was asked to end
}

// start runs a shell command in a folder. Its output goes to the file log, too, unless that is empty.
func (ps *processes) start(node, command, dir, log string) (*process, error) {
	p := &process{node: node, cmd: exec.Command("/bin/sh", "-c", fmt.Sprintf(underShell, command)), tail: &tail{},
		done: make(chan struct{})}
	p.cmd.Dir, p.cmd.WaitDelay = dir, pipeIn
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	var out io.Writer = p.tail
	closeLog := func() error { return nil }
	if log != "" {
		file, err := os.Create(log)
		if err != nil {
			return nil, fmt.Errorf("cannot keep the output of %s: %w", node, err)
		}
		out, closeLog = io.MultiWriter(p.tail, file), file.Close
	}
	p.cmd.Stdout, p.cmd.Stderr = out, out
	started := make(chan error)
	ps.starts <- func() { started <- p.cmd.Start() }
	if err := <-started; err != nil {
		_ = closeLog()
		return nil, fmt.Errorf("cannot start the process of %s: %w", node, err)
	}
	ps.mu.Lock()
	ps.live = append(ps.live, p)
	ps.mu.Unlock()
	go func() {
		_ = p.cmd.Wait() // ProcessState has the result
		p.kill()
		ps.mu.Lock()
		ps.live = slices.DeleteFunc(ps.live, func(o *process) bool { return o == p })
		ps.mu.Unlock()
		_ = closeLog()
		close(p.done)
	}()
	return p, nil
}

// kill ends the process and what it has started. It fails if all have ended.
func (p *process) kill() { _ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }

// end ends processes side by side.
func (ps *processes) end(list []*process) {
	var all sync.WaitGroup
	for _, p := range list {
		all.Go(func() {
			p.ending.Store(true)
			_ = p.cmd.Process.Signal(syscall.SIGTERM)
			timer := time.NewTimer(processIn)
			defer timer.Stop()
			select {
			case <-p.done:
				return
			case <-timer.C:
			}
			p.kill()
			<-p.done
		})
	}
	all.Wait()
}

// kill ends all processes at once.
func (ps *processes) kill() {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	for _, p := range ps.live {
		p.kill()
	}
}

// lastOf returns the last lines of processes, each after the name of its node.
func lastOf(list []*process) (lines []string) {
	for _, p := range list {
		for _, line := range p.tail.lines() {
			lines = append(lines, p.node+": "+line)
		}
	}
	return lines
}

// tail keeps the last lines that are written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// tailSize is how much of the output is kept.
const tailSize = 8192

func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, text...)
	if over := len(t.text) - tailSize; over > 0 {
		t.text = slices.Delete(t.text, 0, over)
	}
	return len(text), nil
}

func (t *tail) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []string
	for line := range strings.Lines(string(t.text)) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, clean.Text(line))
		}
	}
	return all[max(0, len(all)-toldLast):]
}

// because returns the last line, for the end of a sentence.
func (t *tail) because() string {
	if all := t.lines(); len(all) > 0 {
		return ": " + all[len(all)-1]
	}
	return ""
}
