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
)

// Command is a child to be started.
type Command struct {
	Args []string
	Env  []string // NAME=value, on top of the bed's
	Dir  string
	On   Place // nil: here

	Namespaces uintptr // flags of clone(2), of namespaces that the child has to itself
}

// Place runs what starts a process where that is to be, such as the Do of a host on a wire.
type Place func(start func() error) error

// Process is a child of a test, in a process group of its own. It is killed, and waited for, when the test ends.
type Process struct {
	Name string
	cmd  *exec.Cmd
	log  log
	done chan struct{}

	graph func() string // what it has discovered, if it can be asked
}

// log keeps what a child says, whichever of its threads and pipes says it.
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

// children has the processes of each test that runs, for the report of a condition that did not come about.
var children struct {
	sync.Mutex
	of map[string][]*Process
}

// Start runs a program until the test ends, or it does.
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

// adopt makes a process the test's: its log is shown if the test fails, and it ends when the test does.
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

// launch starts a process. Stdout goes to the log too, unless it is wanted elsewhere. Where both are one terminal, all
// that it says goes there, and its keys are signals.
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
		p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true} // it leads a group of its own, too
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
	go func() {
		_ = p.cmd.Wait() // how it ended is in ProcessState
		guard("-", p.Pid())
		close(p.done)
	}()
	return p, nil
}

// Pid is also the number of its process group.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Log is all that it has said so far, on stdout and stderr.
func (p *Process) Log() string { return p.log.String() }

// Done is closed when it has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Signal sends to the process alone, as a person or a service manager does. One that has ended is past hearing it.
func (p *Process) Signal(s syscall.Signal) {
	select {
	case <-p.done:
	default:
		_ = syscall.Kill(p.Pid(), s) // it may end at this moment
	}
}

// Freeze stops it where it stands, as a debugger or a suspended machine does, and Thaw lets it go on.
func (p *Process) Freeze() { p.Signal(syscall.SIGSTOP) }

// Thaw ends a Freeze.
func (p *Process) Thaw() { p.Signal(syscall.SIGCONT) }

// Kill ends it and all that it has started, and returns when it is gone.
func (p *Process) Kill() {
	_ = syscall.Kill(-p.Pid(), syscall.SIGKILL) // the group may be gone already
	<-p.done
}

// Wait returns its exit code, which is -1 after a signal. One that does not end within the deadline fails the test.
func (p *Process) Wait(t testing.TB) int {
	t.Helper()
	select {
	case <-p.done:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(Deadline):
		t.Fatalf("%s has not ended within %s; it said:\n%s", p.Name, Deadline, p.Log())
		return 0
	}
}

// The guard is a small process that outlives this one if it is killed, or ended by go test's own deadline, when no
// clean-up runs: it kills the groups that are left. Its end of the pipe tells it.
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
			return // it only helps where everything else has failed
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
