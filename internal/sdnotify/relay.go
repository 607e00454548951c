package sdnotify

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// Relay lets one child speak for this process: systemd takes messages of a service's main process
// only.
type Relay struct {
	folder string
	socket *net.UnixConn
	to     *net.UnixAddr
	env    []string
	done   chan struct{}
}

// NewRelay returns a relay to the manager that the environment names, and removes that from the
// environment. It returns nil if there is none.
func NewRelay() (*Relay, error) {
	to, usec := os.Getenv(socketVariable), os.Getenv("WATCHDOG_USEC")
	if period(usec, os.Getenv("WATCHDOG_PID")) == 0 {
		usec = ""
	}
	for _, name := range variables {
		if err := os.Unsetenv(name); err != nil {
			return nil, fmt.Errorf("cannot remove %s from the environment: %w", name, err)
		}
	}
	if to == "" {
		return nil, nil
	}
	if problem := badAddress(to); problem != "" {
		return nil, fmt.Errorf("cannot tell the service manager anything: %s is %q, which %s", socketVariable, to, problem)
	}
	folder, err := os.MkdirTemp("", "rstate-notify-") // no other user can speak for the child
	if err != nil {
		return nil, fmt.Errorf("cannot pass on what the daemon tells the service manager: %w", err)
	}
	r := &Relay{folder: folder, to: &net.UnixAddr{Name: to, Net: "unixgram"}, done: make(chan struct{})}
	own := filepath.Join(folder, "socket")
	if r.socket, err = net.ListenUnixgram("unixgram", &net.UnixAddr{Name: own, Net: "unixgram"}); err != nil {
		os.RemoveAll(folder)
		return nil, fmt.Errorf("cannot pass on what the daemon tells the service manager: %w", err)
	}
	r.env = []string{socketVariable + "=" + own}
	if usec != "" {
		r.env = append(r.env, "WATCHDOG_USEC="+usec)
	}
	go r.pass()
	return r, nil
}

// Env is what the child needs in its environment. That of a nil *Relay is empty.
func (r *Relay) Env() []string {
	if r == nil {
		return nil
	}
	return r.env
}

// pass passes messages on until the relay is closed. One that the manager does not take is lost.
func (r *Relay) pass() {
	defer close(r.done)
	message := make([]byte, 1<<12)
	for {
		n, err := r.socket.Read(message)
		if err != nil {
			return
		}
		_, _ = r.socket.WriteToUnix(message[:n], r.to)
	}
}

// Close ends the relay.
func (r *Relay) Close() {
	if r == nil {
		return
	}
	r.socket.Close()
	<-r.done
	os.RemoveAll(r.folder)
}
