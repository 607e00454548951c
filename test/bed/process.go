package bed

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"rstate/internal/runnable"
)

// Command is a child process to start.
type Command struct {
	Args []string
	Env  []string // NAME=value, added to the bed's environment
	Dir  string
	On   Place // nil: this machine

	Namespaces uintptr // flags of clone(2) for private namespaces of the child
}

// Place runs a function that starts a process at that place, such as the Do of a host on a wire.
type Place func(start func() error) error

// Process is a child of a test, in a process group of its own. The end of the test kills it and
// waits for it.
type Process struct {
	Name string
	cmd  *exec.Cmd
	log  log
	done chan struct{}

	graph func() string // the discovered nodes, if the process can report them
}

// log keeps the output of a child, from all its threads and pipes.
type log struct {
	sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(text []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return l.text.Write(text)
}

func (l *log) String() string {
	l.Lock()
	defer l.Unlock()
	return l.text.String()
}

// children holds the processes of each running test, for the report of a condition that never held.
var children struct {
	sync.Mutex
	of map[string][]*Process
}

// Start runs a program until the end of the test or its own.
func Start(t testing.TB, name string, args ...string) *Process {
	t.Helper()
	return StartCommand(t, name, Command{Args: args})
}

// StartCommand is Start with an environment and a folder.
func StartCommand(t testing.TB, name string, command Command) *Process {
	t.Helper()
	needMain(t)
	p, err := launch(name, command, nil, nil)
	if err != nil {
		t.Fatalf("cannot start %s: %v", name, err)
	}
	adopt(t, p)
	return p
}

// adopt assigns a process to the test: its log is shown if the test fails, and it ends with the
// test.
func adopt(t testing.TB, p *Process) {
	children.Lock()
	defer children.Unlock()
	if children.of == nil {
		children.of = map[string][]*Process{}
	}
	children.of[t.Name()] = append(children.of[t.Name()], p)
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			t.Logf("%s said:\n%s", p.Name, p.Log())
		}
		children.Lock()
		defer children.Unlock()
		delete(children.of, t.Name())
	})
}

// launch starts a process. Stdout also goes to the log, unless a writer is given. If both are one
// terminal, all output goes there, and its keys are signals.
func launch(name string, command Command, stdin io.Reader, stdout io.Writer) (*Process, error) {
	p := &Process{Name: name, cmd: exec.Command(command.Args[0], command.Args[1:]...), done: make(chan struct{})}
	p.cmd.Env, p.cmd.Dir = append(os.Environ(), command.Env...), command.Dir
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = stdin, &p.log, &p.log
	if stdout != nil {
		p.cmd.Stdout = stdout
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if terminal, ok := stdin.(*os.File); ok && stdout == io.Writer(terminal) {
		p.cmd.Stderr = terminal
		// this also gives it a process group of its own
		p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	}
	p.cmd.SysProcAttr.Cloneflags = command.Namespaces
	p.cmd.WaitDelay = 5 * time.Second
	start := p.cmd.Start
	if command.On != nil {
		start = func() error { return command.On(p.cmd.Start) }
	}
	if err := start(); err != nil {
		return nil, err
	}
	guard("+", p.Pid())
	stallable("+", p.Pid())
	go func() {
		_ = p.cmd.Wait() // ProcessState has the result
		guard("-", p.Pid())
		stallable("-", p.Pid())
		close(p.done)
	}()
	return p, nil
}

// Pid returns the process id, which is also the number of its process group.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Log returns the output so far, stdout and stderr.
func (p *Process) Log() string { return p.log.String() }

// Done returns a channel that is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Signal signals only this process, as a user or a service manager does. It has no effect after the
// process has ended.
func (p *Process) Signal(s syscall.Signal) {
	select {
	case <-p.done:
	default:
		_ = syscall.Kill(p.Pid(), s) // the process may end at this moment
	}
}

// Freeze suspends the process, as a debugger or a suspended machine does, and Thaw continues it.
func (p *Process) Freeze() {
	stallable("-", p.Pid())
	p.Signal(syscall.SIGSTOP)
}

// Thaw ends a Freeze.
func (p *Process) Thaw() {
	p.Signal(syscall.SIGCONT)
	stallable("+", p.Pid())
}

// Kill kills the process and all that it has started, and returns when they have ended.
func (p *Process) Kill() {
	_ = syscall.Kill(-p.Pid(), syscall.SIGKILL) // the group may have ended already
	<-p.done
}

// Wait returns the exit code, which is -1 after a signal. If the process does not end within the
// deadline, the test fails.
func (p *Process) Wait(t testing.TB) int {
	t.Helper()
	limit := runnable.Within(Deadline)
	defer limit.Stop()
	select {
	case <-p.done:
		return p.cmd.ProcessState.ExitCode()
	case <-limit.Over():
		t.Fatalf("%s has not ended within %s; it said:\n%s", p.Name, Deadline, p.Log())
		return 0
	}
}

// The guard is a small process that outlives this one if this one is killed, or ended by go test's
// own deadline, when no clean-up runs: it kills the remaining groups. The end of the pipe triggers
// it.
var theGuard struct {
	sync.Mutex
	cmd  *exec.Cmd
	pipe io.WriteCloser
}

const guardScript = `groups=" "
while read -r what group; do
	case $what in
	+) groups="$groups$group " ;;
	-) groups="${groups%% $group *} ${groups#* $group }" ;;
	esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
`

func guard(what string, group int) {
	theGuard.Lock()
	defer theGuard.Unlock()
	if theGuard.cmd == nil {
		cmd := exec.Command("sh", "-c", guardScript)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		pipe, err := cmd.StdinPipe()
		if err != nil || cmd.Start() != nil {
			return // it is only needed if everything else has failed
		}
		theGuard.cmd, theGuard.pipe = cmd, pipe
	}
	fmt.Fprintf(theGuard.pipe, "%s %d\n", what, group)
}

func endGuard() {
	theGuard.Lock()
	defer theGuard.Unlock()
	if theGuard.cmd != nil {
		theGuard.pipe.Close()
		_ = theGuard.cmd.Wait()
		theGuard.cmd = nil
	}
}
