package wire

import (
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"syscall"
)

// Host is one machine on the wire: a network namespace with lo and one device. The namespace has no
// name in the system, so a killed run leaves nothing behind.
type Host struct {
	Name    string
	Address netip.Addr
	do      chan func()
	ended   chan struct{}
	tap     *os.File
}

// newHost makes a thread in a namespace of its own, and the host's end of the wire.
func newHost(name string, address netip.Prefix) (*Host, error) {
	h := &Host{Name: name, Address: address.Addr(), do: make(chan func()), ended: make(chan struct{})}
	made := make(chan error)
	go h.live(address, made)
	if err := <-made; err != nil {
		return nil, fmt.Errorf("cannot make the host %s: %w", name, err)
	}
	return h, nil
}

// live is the host's thread. It is never unlocked: a thread in another namespace is of no use to
// the rest of the process, and ends with this function.
func (h *Host) live(address netip.Prefix, made chan<- error) {
	defer close(h.ended)
	runtime.LockOSThread()
	err := syscall.Unshare(syscall.CLONE_NEWNET)
	if err == nil {
		if h.tap, err = openTap(); err == nil {
			if err = setUp(address); err != nil {
				h.tap.Close()
			}
		}
	}
	made <- err
	if err != nil {
		return
	}
	for f := range h.do {
		f()
	}
}

// Do runs f on the host: sockets that f opens and processes that f starts belong to the host. f
// must not wait for another Do of the same host.
func (h *Host) Do(f func() error) error {
	answer := make(chan error, 1)
	h.do <- func() { answer <- f() }
	return <-answer
}

// end closes the host. Processes that run on it keep their namespace, with a device that is
// disconnected.
func (h *Host) end() {
	close(h.do)
	<-h.ended
	h.tap.Close()
}
