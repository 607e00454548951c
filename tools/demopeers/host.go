package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"rstate/internal/narrate"
	"rstate/test/bed/wire"
)

// stage holds the hosts and the wire of the demo.
type stage struct {
	narrate.Teller
	ctx       context.Context // done by Ctrl-C, or when it takes too long
	wire      *wire.Wire
	program   string
	folder    string
	exit      func(code int, format string, args ...any) int
	hosts     []*host
	base, arm *host
}

// host is one of the two hosts.
type host struct {
	stage    *stage
	at       *wire.Host
	env      []string
	file     string // of its network
	nodes    []*child
	daemon   *child
	daemonAs string // the full name of its daemon
}

// child is a process on a host.
type child struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
}

// furnish creates the home folder and the network file of a host.
func (s *stage) furnish(at *wire.Host) (*host, error) {
	h := &host{stage: s, at: at, daemonAs: "/" + at.Name + "/rstate"}
	home := filepath.Join(s.folder, at.Name)
	h.file = filepath.Join(home, at.Name+".yaml")
	err := os.Mkdir(home, 0o700)
	if err == nil {
		err = os.WriteFile(h.file, []byte(files[at.Name]), 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot furnish the host %s: %w", at.Name, err)
	}
	// These hosts run nothing else, so discovery may cover their whole network. They must not use shared memory, which
	// both hosts share on this machine.
	h.env = append(os.Environ(), "ROS_HOME="+home, "ROS_LOG_DIR="+home, "XDG_RUNTIME_DIR="+home,
		"ROS_AUTOMATIC_DISCOVERY_RANGE=SUBNET", "FASTDDS_BUILTIN_TRANSPORTS=UDPv4")
	return h, nil
}

// command returns a command of rstate on this host. The kernel ends it if this process dies.
func (h *host) command(args ...string) *exec.Cmd {
	cmd := exec.Command(h.stage.program, args...)
	cmd.Env, cmd.Dir = h.env, filepath.Dir(h.file)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = time.Second
	return cmd
}

// start starts a long-running process, whose output goes to the logs.
func (h *host) start(args ...string) (*child, error) {
	c := &child{cmd: h.command(args...), done: make(chan struct{})}
	says := &prefixed{out: h.stage.Logs, prefix: h.at.Name + " | "}
	c.cmd.Stdout, c.cmd.Stderr = says, says
	if err := h.at.Do(c.cmd.Start); err != nil {
		return nil, fmt.Errorf("cannot start rstate on %s: %w", h.at.Name, err)
	}
	go func() {
		_ = c.cmd.Wait() // ProcessState has the result
		close(c.done)
	}()
	return c, nil
}

// ask runs a verb on the host, and returns its output and exit status.
func (h *host) ask(args ...string) (said string, code int, err error) {
	var text bytes.Buffer
	cmd := h.command(args...)
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := h.at.Do(cmd.Start); err != nil {
		return "", 0, fmt.Errorf("cannot start rstate on %s: %w", h.at.Name, err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return text.String(), cmd.ProcessState.ExitCode(), nil
	case <-h.stage.ctx.Done():
		_ = cmd.Process.Kill() // fails if it has just ended
		<-ended
		return "", 0, h.stage.ctx.Err()
	}
}

// shows runs a verb, and prints the command line and the output.
func (h *host) shows(args ...string) (string, error) {
	out := h.stage.Shown()
	fmt.Fprintf(out, "%s$ rstate %s\n", h.at.Name, strings.Join(args, " "))
	said, code, err := h.ask(append(args, "--node", h.daemonAs)...)
	if err != nil {
		return "", err
	}
	fmt.Fprint(out, strings.TrimRight(said, "\n")+"\n")
	if code != exitDone {
		return said, fmt.Errorf("rstate %s on %s ended with %d", args[0], h.at.Name, code)
	}
	return said, nil
}

// sceneIn is the time limit of a change of state that no command of the demo asks for.
const sceneIn = "20s"

// rests waits until the network of this host rests in a state, intact.
func (h *host) rests(state string) error {
	said, code, err := h.ask("watch", "--wait", "--until", state, "--for", sceneIn, "--node", h.daemonAs)
	if err == nil && code != exitDone {
		err = fmt.Errorf("%s was not %s within %s; it said:\n%s", h.at.Name, state, sceneIn, said)
	}
	return err
}

// end stops a process with SIGTERM, and kills it after the limit.
func (c *child) end(limit time.Duration) {
	_ = c.cmd.Process.Signal(syscall.SIGTERM) // fails if it has ended
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-c.done:
		return
	case <-timer.C:
	}
	_ = c.cmd.Process.Kill()
	<-c.done
}

const (
	// daemonIn is how long the demo waits for the end of a daemon, which takes at most 5 s.
	daemonIn = 6 * time.Second
	// nodesIn is how long the demo waits for the end of nodes.
	nodesIn = 3 * time.Second
)

// end ends every process, the daemons first: they disarm. It may be called again.
func (s *stage) end() {
	var all sync.WaitGroup
	for _, h := range s.hosts {
		all.Go(func() {
			if h.daemon != nil {
				h.daemon.end(daemonIn)
			}
			var nodes sync.WaitGroup
			for _, n := range h.nodes {
				nodes.Go(func() { n.end(nodesIn) })
			}
			nodes.Wait()
		})
	}
	all.Wait()
}

// prefixed puts the name of a host before each line.
type prefixed struct {
	mu     sync.Mutex
	out    *narrate.Tail
	prefix string
	begun  bool
}

func (p *prefixed) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var lines bytes.Buffer
	for _, c := range text {
		if !p.begun {
			lines.WriteString(p.prefix)
		}
		lines.WriteByte(c)
		p.begun = c != '\n'
	}
	_, err := p.out.Write(lines.Bytes())
	return len(text), err
}

// ended waits until a daemon has ended by itself.
func (h *host) ended() error {
	select {
	case <-h.daemon.done:
	case <-h.stage.ctx.Done():
		return h.stage.ctx.Err()
	}
	if code := h.daemon.cmd.ProcessState.ExitCode(); code != exitDone {
		return errors.New(h.daemonAs + " ended: " + h.daemon.cmd.ProcessState.String())
	}
	return nil
}
