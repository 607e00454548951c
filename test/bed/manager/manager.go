// Package manager stands for systemd in tests: the socket to which a service sends what
// sd_notify(3) says. It imports the standard library only.
package manager

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// Manager takes the messages of one service.
type Manager struct {
	Address string // for NOTIFY_SOCKET
	fd      int

	mu  sync.Mutex
	all []string
}

// New opens a socket in a folder of the test.
func New(t testing.TB) *Manager {
	t.Helper()
	folder, err := os.MkdirTemp("", "m") // that of the test may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	return At(t, filepath.Join(folder, "socket"))
}

// At opens a socket. A name that begins with @ is in the abstract namespace.
func At(t testing.TB, address string) *Manager {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: address}); err != nil {
		t.Fatal(err)
	}
	return &Manager{Address: address, fd: fd}
}

// Lines returns all lines that have come so far, in their order. It does not wait.
func (m *Manager) Lines(t testing.TB) []string {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	message := make([]byte, 1<<12)
	for {
		n, _, err := syscall.Recvfrom(m.fd, message, syscall.MSG_DONTWAIT)
		if errors.Is(err, syscall.EAGAIN) {
			return append([]string{}, m.all...)
		}
		if err != nil {
			t.Fatal(err)
		}
		m.all = append(m.all, strings.Split(strings.TrimSuffix(string(message[:n]), "\n"), "\n")...)
	}
}

// Count returns how many lines begin with a text.
func (m *Manager) Count(t testing.TB, begin string) (n int) {
	t.Helper()
	for _, line := range m.Lines(t) {
		if strings.HasPrefix(line, begin) {
			n++
		}
	}
	return n
}
