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

	"github.com/tiiuae/rclgo/pkg/rclgo"
)

// lifecycleDriver is an rclpy process that talks to lifecycle nodes.
type lifecycleDriver struct {
	stdin io.WriteCloser

	mu      sync.Mutex
	nextID  int
	waiting map[int]chan driverAnswer
	events  map[string][]driverEdge // by node, in the order heard
	heard   chan struct{}           // closed and replaced at each event
}

type driverRequest struct {
	ID         int    `json:"id"`
	Node       string `json:"node"`
	Op         string `json:"op"`
	Transition uint8  `json:"transition,omitempty"`
	Label      string `json:"label,omitempty"`
}

type driverEdge struct {
	ID                 uint8
	Label, Start, Goal string
}

type driverAnswer struct {
	ID      int
	Error   string
	Success bool
	States  []rclgo.LifecycleState
	Edges   []driverEdge
	Node    string
	Event   *driverEdge
}

func startLifecycleDriver(t *testing.T) *lifecycleDriver {
	t.Helper()
	cmd := exec.Command("python3", "testdata/lifecycle_driver.py")
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("cannot start the rclpy driver: %v", err)
	}
	d := &lifecycleDriver{
		stdin:   stdin,
		waiting: map[int]chan driverAnswer{}, events: map[string][]driverEdge{}, heard: make(chan struct{}),
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		d.read(stdout)
	}()
	t.Cleanup(func() {
		_ = stdin.Close()
		kill := time.AfterFunc(patience, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
		defer kill.Stop()
		<-read
		if err := cmd.Wait(); err != nil {
			t.Errorf("the rclpy driver ended with %v", err)
		}
	})
	return d
}

func (d *lifecycleDriver) read(r io.Reader) {
	for lines := bufio.NewScanner(r); lines.Scan(); {
		var a driverAnswer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			continue // a line of rcl's own
		}
		d.mu.Lock()
		if a.Event != nil {
			d.events[a.Node] = append(d.events[a.Node], *a.Event)
			close(d.heard)
			d.heard = make(chan struct{})
		} else {
			d.waiting[a.ID] <- a
			delete(d.waiting, a.ID)
		}
		d.mu.Unlock()
	}
}

// send makes the driver call a service; the answer arrives on the channel. Only the
// test's own goroutine may call it.
func (d *lifecycleDriver) send(t *testing.T, r driverRequest) <-chan driverAnswer {
	t.Helper()
	d.mu.Lock()
	d.nextID++
	r.ID = d.nextID
	answer := make(chan driverAnswer, 1)
	d.waiting[r.ID] = answer
	d.mu.Unlock()
	if err := json.NewEncoder(d.stdin).Encode(r); err != nil {
		t.Fatal(err)
	}
	return answer
}

func (d *lifecycleDriver) wait(t *testing.T, answer <-chan driverAnswer) driverAnswer {
	t.Helper()
	a := await(t, "the rclpy driver gets an answer", answer)
	if a.Error != "" {
		t.Fatal(a.Error)
	}
	return a
}

func (d *lifecycleDriver) call(t *testing.T, r driverRequest) driverAnswer {
	t.Helper()
	return d.wait(t, d.send(t, r))
}

// change requests a transition by label and reports whether it succeeded.
func (d *lifecycleDriver) change(t *testing.T, l *rclgo.Lifecycle, label string) bool {
	t.Helper()
	return d.call(t, driverRequest{Node: l.Node().FullyQualifiedName(), Op: "change_state", Label: label}).Success
}

func (d *lifecycleDriver) state(t *testing.T, l *rclgo.Lifecycle) rclgo.LifecycleState {
	t.Helper()
	return d.call(t, driverRequest{Node: l.Node().FullyQualifiedName(), Op: "get_state"}).States[0]
}

// meet waits until the driver reaches l's services and receives its events.
func (d *lifecycleDriver) meet(t *testing.T, l *rclgo.Lifecycle) {
	t.Helper()
	for _, op := range []string{"get_state", "change_state"} { // the node refuses the unknown label
		d.call(t, driverRequest{Node: l.Node().FullyQualifiedName(), Op: op, Label: "nothing"})
	}
	eventually(t, "transition_event has a subscription", func() bool {
		n, err := l.EventSubscribers()
		check(t, err)
		return n > 0
	})
}

// eventsOf waits for n events of l and returns them.
func (d *lifecycleDriver) eventsOf(t *testing.T, l *rclgo.Lifecycle, n int) []driverEdge {
	t.Helper()
	deadline := time.After(patience)
	for {
		d.mu.Lock()
		events, heard := d.events[l.Node().FullyQualifiedName()], d.heard
		d.mu.Unlock()
		if len(events) >= n {
			return events
		}
		select {
		case <-heard:
		case <-deadline:
			t.Fatalf("heard %d events instead of %d: %v", len(events), n, events)
		}
	}
}

// startLifecycleContext makes a context that is spun until the test ends.
func startLifecycleContext(t *testing.T) *rclgo.Context {
	t.Helper()
	rctx := newContext(t)
	spin(t, rctx.Spin)
	return rctx
}

// startLifecycle makes a lifecycle on a node of a new name.
func startLifecycle(
	t *testing.T, rctx *rclgo.Context, cb rclgo.LifecycleCallbacks, opts *rclgo.LifecycleOptions,
) *rclgo.Lifecycle {
	t.Helper()
	node, err := rctx.NewNode(unique("lifecycle"), "/test")
	if err != nil {
		t.Fatal(err)
	}
	l, err := node.NewLifecycle(cb, opts)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
