package bed

import (
	"bufio"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"rstate/internal/runnable"
)

//go:embed host.py nodes.py bonds.py clients.py parameters.py convert.py
var scripts embed.FS

// Host is a test's view of an rclpy process. The end of the test removes what the test made in it.
type Host struct {
	t testing.TB
	p *hostProcess

	mu   sync.Mutex
	used map[string]bool // names of services and actions that were called
}

// hostProcess is the process, and its pending requests.
type hostProcess struct {
	process *Process
	stdin   io.WriteCloser

	lock    sync.Mutex // guards the following fields, and the writing of requests
	waiting map[int]chan reply
	last    int
	ended   bool
	users   map[string]int // how many tests use the clients of a name
}

type reply struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  string          `json:"error"`
}

// StartHost returns the host that the tests of a package share; the first call starts it.
func StartHost(t testing.TB) *Host {
	t.Helper()
	needMain(t)
	shared.Lock()
	defer shared.Unlock()
	if shared.host == nil {
		p, err := launchHost(Command{})
		if err != nil {
			t.Fatal(err)
		}
		shared.host = p
	}
	return &Host{t: t, p: shared.host}
}

// NewHost starts a host process for one test, which the test may kill or freeze: to its nodes it is
// like another machine. It may be given more environment, such as ShortLease.
func NewHost(t testing.TB, env ...string) *Host {
	t.Helper()
	return NewHostAs(t, Command{Env: env})
}

// NewHostAs is NewHost with more than an environment: the place where the process runs. Its
// arguments, if there are any, are a command that runs another command.
func NewHostAs(t testing.TB, like Command) *Host {
	t.Helper()
	needMain(t)
	p, err := launchHost(like)
	if err != nil {
		t.Fatal(err)
	}
	adopt(t, p.process)
	return &Host{t: t, p: p}
}

// In returns the host for a subtest.
func (h *Host) In(t testing.TB) *Host { return &Host{t: t, p: h.p} }

// Process returns the process of the host's nodes.
func (h *Host) Process() *Process { return h.p.process }

func launchHost(like Command) (*hostProcess, error) {
	folder := filepath.Join(shared.folder, "host")
	if err := os.CopyFS(folder, scripts); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("cannot write the host's scripts: %w", err)
	}
	in, stdin, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("cannot start the host: %w", err)
	}
	stdout, out, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("cannot start the host: %w", err)
	}
	like.Args = append(slices.Clone(like.Args), "python3", filepath.Join(folder, "host.py"))
	process, err := launch("host", like, in, out)
	in.Close()
	out.Close()
	if err != nil {
		return nil, fmt.Errorf("cannot start the host: %w", err)
	}
	p := &hostProcess{process: process, stdin: stdin, waiting: map[int]chan reply{}, users: map[string]int{}}
	process.graph = p.graph
	hello := make(chan reply, 1)
	p.waiting[0] = hello
	go p.read(stdout)
	limit := runnable.Within(Deadline)
	defer limit.Stop()
	select {
	case r := <-hello:
		if r.Error == "" {
			return p, nil
		}
	case <-limit.Over():
	}
	process.Kill()
	return nil, fmt.Errorf("cannot start the host: it did not get ready; it said:\n%s", process.Log())
}

// read passes each answer to its request. When the process has ended, all pending requests fail.
func (p *hostProcess) read(stdout io.ReadCloser) {
	defer stdout.Close()
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var r reply
		if err := json.Unmarshal(line, &r); err != nil {
			r.Error = fmt.Sprintf("cannot read the host's answer %q: %v", line, err)
		}
		p.lock.Lock()
		if waiting := p.waiting[r.ID]; waiting != nil {
			waiting <- r
			delete(p.waiting, r.ID)
		}
		p.lock.Unlock()
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	p.ended = true
	for id, waiting := range p.waiting {
		waiting <- reply{ID: id, Error: "the host has ended"}
		delete(p.waiting, id)
	}
}

// call sends one request and waits for its answer. The host has its own deadlines; the one here is
// for a host that hangs.
func (p *hostProcess) call(op string, arguments map[string]any, result any) error {
	return p.callWithin(Deadline+5*time.Second, op, arguments, result)
}

// graph returns the nodes that the process has discovered.
func (p *hostProcess) graph() string {
	var nodes []string
	if err := p.callWithin(2*time.Second, "graph", nil, &nodes); err != nil {
		return err.Error()
	}
	return strings.Join(nodes, " ")
}

func (p *hostProcess) callWithin(limit time.Duration, op string, arguments map[string]any, result any) error {
	request := map[string]any{"op": op}
	for name, value := range arguments {
		request[name] = value
	}
	answer := make(chan reply, 1)
	p.lock.Lock()
	if p.ended {
		p.lock.Unlock()
		return errors.New("the host has ended")
	}
	p.last++
	request["id"] = p.last
	line, err := json.Marshal(request)
	if err == nil {
		p.waiting[p.last] = answer
		_, err = p.stdin.Write(append(line, '\n'))
	}
	p.lock.Unlock()
	switch {
	case errors.Is(err, syscall.EPIPE): // the process has ended, but the end of its output was not read yet
		return errors.New("the host has ended")
	case err != nil:
		return fmt.Errorf("cannot ask the host: %w", err)
	}
	over := runnable.Within(limit)
	defer over.Stop()
	select {
	case r := <-answer:
		if r.Error != "" {
			return errors.New(r.Error)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(r.Result, result)
	case <-over.Over():
		return fmt.Errorf("cannot do %s: the host does not answer", op)
	}
}

// end lets the process clean up, and kills it if that hangs.
func (p *hostProcess) end() {
	p.stdin.Close()
	limit := runnable.Within(10 * time.Second)
	defer limit.Stop()
	select {
	case <-p.process.Done():
	case <-limit.Over():
		p.process.Kill()
	}
}

// must is for requests that fail only if the test or the host is broken.
func (h *Host) must(op string, arguments map[string]any, result any) {
	h.t.Helper()
	if err := h.p.call(op, arguments, result); err != nil {
		h.t.Fatalf("%v%s", err, logs(h.t))
	}
}

// cleanup removes an object of the test from a host that may have been killed meanwhile.
func (h *Host) cleanup(op, handle string) {
	h.t.Cleanup(func() { _ = h.p.call(op, map[string]any{"handle": handle}, nil) })
}

// uses keeps the host's clients of a name until the tests that use them have ended.
func (h *Host) uses(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.used[name] {
		return
	}
	if h.used == nil {
		h.used = map[string]bool{}
	}
	h.used[name] = true
	h.p.counts(name, 1)
	h.t.Cleanup(func() {
		if h.p.counts(name, -1) == 0 {
			// A host that the test has killed answers with an error.
			_ = h.p.call("release", map[string]any{"name": name}, nil)
		}
	})
}

// counts counts the tests that use the clients of a name.
func (p *hostProcess) counts(name string, more int) (users int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.users[name] += more; p.users[name] == 0 {
		delete(p.users, name)
		return 0
	}
	return p.users[name]
}
