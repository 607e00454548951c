package rclgo

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
)

// fakeResponses is a middleware that discovers clients when the test says so.
type fakeResponses struct {
	mu       sync.Mutex
	found    map[int8]bool
	sent     []int64
	lost     []int64
	released int
	shut     bool
}

func (f *fakeResponses) writer(patience time.Duration) *serviceWriter {
	f.found = map[int8]bool{}
	return &serviceWriter{
		send: func(h rcl.Header, _ unsafe.Pointer) error {
			f.mu.Lock()
			defer f.mu.Unlock()
			switch {
			case f.shut:
				return &ServiceInvalid{}
			case !f.found[h.GUID[0]]:
				return &Timeout{}
			}
			f.sent = append(f.sent, h.Sequence)
			return nil
		},
		release: func(unsafe.Pointer) { f.mu.Lock(); f.released++; f.mu.Unlock() },
		lost: func(id RequestID, err error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			if errors.Is(err, &Timeout{}) {
				f.lost = append(f.lost, id.SequenceNumber)
			}
		},
		patience: patience, pause: time.Millisecond,
		clients: map[[16]int8]int{}, closed: make(chan struct{}),
	}
}

func (f *fakeResponses) find(client int8) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.found[client] = true
}

// reaches waits until that many responses were released, and checks which were sent and lost.
func (f *fakeResponses) reaches(t *testing.T, released int, sent, lost []int64) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		f.mu.Lock()
		saw := fmt.Sprintf("%d released, sent %v, lost %v", f.released, f.sent, f.lost)
		done := f.released == released && slices.Equal(f.sent, sent) && slices.Equal(f.lost, lost)
		f.mu.Unlock()
		if done {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("%s; want %d, %v, %v", saw, released, sent, lost)
			return
		}
	}
}

func mustPut(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func headerOf(client int8, seq int64) rcl.Header {
	return rcl.Header{GUID: [16]int8{client}, Sequence: seq}
}

// TestResponsesToOneClientKeepTheirOrder: responses wait behind earlier ones to a client that
// is not discovered yet. Other clients are answered at once.
func TestResponsesToOneClientKeepTheirOrder(t *testing.T) {
	var f fakeResponses
	w := f.writer(time.Hour)
	f.find(2)
	for seq := range int64(3) {
		mustPut(t, w.put(headerOf(1, seq), nil))
		mustPut(t, w.put(headerOf(2, 10+seq), nil))
	}
	f.reaches(t, 3, []int64{10, 11, 12}, nil)
	f.find(1)
	mustPut(t, w.put(headerOf(1, 3), nil))
	f.reaches(t, 7, []int64{10, 11, 12, 0, 1, 2, 3}, nil)
}

func TestAResponseThatReachesNobodyIsReported(t *testing.T) {
	var f fakeResponses
	w := f.writer(20 * time.Millisecond)
	mustPut(t, w.put(headerOf(1, 7), nil))
	f.reaches(t, 1, nil, []int64{7})
	t.Run("one try", func(t *testing.T) {
		var f fakeResponses
		if err := f.writer(-1).put(headerOf(1, 7), nil); !errors.Is(err, &Timeout{}) {
			t.Error(err)
		}
		f.reaches(t, 1, nil, nil)
	})
}

func TestResponsesThatWaitAreBoundedAndDroppedAtClose(t *testing.T) {
	var f fakeResponses
	w := f.writer(time.Hour)
	for seq := range int64(responsesHeld) {
		mustPut(t, w.put(headerOf(1, seq), nil))
	}
	if err := w.put(headerOf(1, 0), nil); !errors.Is(err, &Timeout{}) {
		t.Errorf("more wait than are allowed (%v)", err)
	}
	f.mu.Lock()
	f.shut = true
	f.mu.Unlock()
	w.close()
	f.reaches(t, responsesHeld+1, nil, nil)
}

// TestAnInlineHandlerWaitsForNoClient: a response to a client that is not discovered yet leaves the loop at once. Later
// ones to a client that one has reached are sent where they are made.
func TestAnInlineHandlerWaitsForNoClient(t *testing.T) {
	var f fakeResponses
	w := f.writer(time.Hour)
	w.inline, w.met = true, map[[16]int8]struct{}{}
	f.find(1)
	free, sent := make(chan struct{}), make(chan string, 10)
	send := w.send
	w.send = func(h rcl.Header, msg unsafe.Pointer) error {
		if h.Sequence == 1 {
			<-free // as long as the middleware looks for the client
		}
		stack := make([]byte, 1<<12)
		sent <- string(stack[:runtime.Stack(stack, false)])
		return send(h, msg)
	}
	put := make(chan error, 1)
	go func() { put <- w.put(headerOf(1, 1), nil) }()
	select {
	case err := <-put:
		mustPut(t, err)
	case <-time.After(30 * time.Second):
		close(free)
		t.Fatal("in 30 s, put has not returned: it waits for the middleware")
	}
	mustPut(t, w.put(headerOf(1, 2), nil))
	close(free)
	f.reaches(t, 2, []int64{1, 2}, nil)
	<-sent
	<-sent
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		w.mu.Lock()
		held := w.held
		w.mu.Unlock()
		if held == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("in 30 s, %d responses are still held", held)
		}
	}
	mustPut(t, w.put(headerOf(1, 3), nil))
	if stack := <-sent; !strings.Contains(stack, "TestAnInlineHandlerWaitsForNoClient") {
		t.Errorf("the response to a client that was reached is sent by another goroutine:\n%s", stack)
	}
	for client := range maxMet + 1 {
		w.meet([16]int8{0: int8(client), 1: int8(client >> 8), 2: 1}, nil)
	}
	if len(w.met) > maxMet {
		t.Errorf("%d clients are remembered", len(w.met))
	}
}
