package rclgo_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"
)

// host is the rclpy process, one for all tests; testdata/host.py describes its commands.
type host struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	gone chan struct{}

	mu      sync.Mutex
	writeMu sync.Mutex
	waiting map[string]chan hostEvent
}

type hostEvent struct {
	Event, ID, Op, Error string
	Msg                  map[string]any
}

var (
	hostMu  sync.Mutex
	theHost *host
)

// pyhost starts the peer when the first test asks for it.
func pyhost(t *testing.T) *host {
	t.Helper()
	hostMu.Lock()
	defer hostMu.Unlock()
	if theHost != nil {
		return theHost
	}
	cmd := exec.Command("python3", "testdata/host.py")
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in := must[io.WriteCloser](t)(cmd.StdinPipe())
	out := must[io.ReadCloser](t)(cmd.StdoutPipe())
	check(t, cmd.Start())
	h := &host{cmd: cmd, in: in, gone: make(chan struct{}), waiting: map[string]chan hostEvent{}}
	theHost = h
	ready := h.events("")
	go h.read(out)
	await(t, "the rclpy peer starts", ready)
	return h
}

func stopHost() {
	hostMu.Lock()
	defer hostMu.Unlock()
	if theHost == nil {
		return
	}
	theHost.in.Close()
	select {
	case <-theHost.gone:
	case <-time.After(10 * time.Second):
		_ = syscall.Kill(-theHost.cmd.Process.Pid, syscall.SIGKILL)
		<-theHost.gone
	}
	_ = theHost.cmd.Wait()
	theHost = nil
}

func (h *host) read(out io.Reader) {
	defer close(h.gone)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var e hostEvent
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			continue // rcl's own console lines
		}
		keep(h.events(e.ID), e)
	}
}

// keep puts an event into its channel, and drops the oldest if the channel is full. A test
// that has ended does not read the events of its subscription, and the events of other
// tests arrive through the same pipe.
func keep(events chan hostEvent, e hostEvent) {
	for {
		select {
		case events <- e:
			return
		default:
		}
		select {
		case <-events:
		default: // another goroutine has read it meanwhile
		}
	}
}

// events returns what comes for an id.
func (h *host) events(id string) chan hostEvent {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiting[id] == nil {
		h.waiting[id] = make(chan hostEvent, 1000)
	}
	return h.waiting[id]
}

// do sends a command; the events of its id come through the channel, "done" among them.
func (h *host) do(t *testing.T, op, id string, args map[string]any) <-chan hostEvent {
	t.Helper()
	cmd := map[string]any{"op": op, "id": id}
	for k, v := range args {
		cmd[k] = v
	}
	line := must[[]byte](t)(json.Marshal(cmd))
	h.writeMu.Lock()
	defer h.writeMu.Unlock()
	_, err := h.in.Write(append(line, '\n'))
	check(t, err)
	return h.events(id)
}

// until returns the first event of a kind.
func until(t *testing.T, events <-chan hostEvent, kind string) hostEvent {
	t.Helper()
	for {
		e := await(t, "rclpy says "+kind, events)
		if e.Error != "" {
			t.Fatalf("rclpy: %s", e.Error)
		}
		if e.Event == kind {
			return e
		}
	}
}
