package sdnotify

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"
)

const (
	// perWatchdog is how often the manager hears of the loop in the time after which it gives the
	// service up.
	perWatchdog = 4
	// extendEvery is the least time between two requests for more time to stop.
	extendEvery = time.Second
	// longestStatus is how many bytes of a status are sent.
	longestStatus = 250
)

// variables are those with which the manager starts a service. No child inherits them.
var variables = []string{socketVariable, "WATCHDOG_USEC", "WATCHDOG_PID"}

const socketVariable = "NOTIFY_SOCKET"

// Service is this process as its manager sees it. A nil *Service has no manager, and its methods do
// nothing. The methods never block, and are safe for concurrent use.
type Service struct {
	to    syscall.SockaddrUnix
	every time.Duration // between two signs of life; 0: the manager wants none
	warn  func(error)
	now   func() time.Time

	mu       sync.Mutex
	fd       int
	warned   bool
	ready    progress
	stopping progress
	status   string
	untold   bool // status has not been sent
	turned   time.Time
	extended time.Time
}

// progress is how far a message that is sent once has come.
type progress int

const (
	unwanted progress = iota
	wanted
	sent
)

// FromEnv returns the service that the environment describes, and removes the description from the
// environment, so that no child speaks for this process. It returns nil if there is no manager. The
// first message that cannot be sent is a call of warn.
func FromEnv(warn func(error)) (*Service, error) {
	address := os.Getenv(socketVariable)
	usec, pid := os.Getenv("WATCHDOG_USEC"), os.Getenv("WATCHDOG_PID")
	for _, name := range variables {
		if err := os.Unsetenv(name); err != nil {
			return nil, fmt.Errorf("cannot remove %s from the environment: %w", name, err)
		}
	}
	if address == "" {
		return nil, nil
	}
	if problem := badAddress(address); problem != "" {
		return nil, fmt.Errorf("cannot tell the service manager anything: %s is %q, which %s", socketVariable, address,
			problem)
	}
	fd, err := open()
	if err != nil {
		return nil, fmt.Errorf("cannot tell the service manager anything: %w", err)
	}
	return &Service{to: syscall.SockaddrUnix{Name: address}, every: period(usec, pid), warn: warn, now: time.Now,
		fd: fd}, nil
}

// badAddress says what is wrong with an address; empty: nothing. A name that begins with @ is in
// the abstract namespace.
func badAddress(address string) string {
	const most = len(syscall.RawSockaddrUnix{}.Path) - 1
	switch {
	case !strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "@") || len(address) == 1:
		return "is neither a path nor an abstract socket"
	case len(address) > most:
		return fmt.Sprintf("is longer than %d bytes", most)
	}
	return ""
}

// period returns how often the manager wants a sign of life; 0: never, or not of this process.
func period(usec, pid string) time.Duration {
	if pid != "" && pid != strconv.Itoa(os.Getpid()) {
		return 0
	}
	n, err := strconv.ParseInt(usec, 10, 64)
	if err != nil || n <= 0 {
		return 0
	}
	return time.Duration(n) * time.Microsecond / perWatchdog
}

// open returns a socket that no child inherits.
func open() (int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_DGRAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	return fd, err
}

// Ready says that the service does what it is for. A service that stops says it no more.
func (s *Service) Ready() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready == unwanted && s.stopping == unwanted {
		s.ready = wanted
	}
	s.tell("")
}

// Status says in one line what the service does. The same line is not sent again.
func (s *Service) Status(line string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.say(line) {
		s.tell("")
	}
}

// say notes a status, and reports whether it is another one. The lock is held.
func (s *Service) say(line string) bool {
	if line = oneLine(line); line == s.status {
		return false
	}
	s.status, s.untold = line, true
	return true
}

// Turns says that the loop of the service turns. The loop itself calls it, at each turn or often:
// Turns sends a message only when the manager expects one.
func (s *Service) Turns() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if s.every == 0 || !s.turned.IsZero() && now.Sub(s.turned) < s.every {
		s.tell("") // what could not be sent before
		return
	}
	if s.tell("WATCHDOG=1\n") {
		s.turned = now
	}
}

// Stops says that the service ends, and why.
func (s *Service) Stops(why string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping == unwanted {
		s.stopping = wanted
		s.say("stopping: " + why)
	}
	s.tell("")
}

// Extend asks the manager for so much more time to stop, from now on. It has no effect while the
// service is not stopping. It may be called often.
func (s *Service) Extend(by time.Duration) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if !s.extended.IsZero() && now.Sub(s.extended) < extendEvery {
		return
	}
	if s.tell(fmt.Sprintf("EXTEND_TIMEOUT_USEC=%d\n", by.Microseconds())) {
		s.extended = now
	}
}

// tell sends lines, and before them what was not sent yet. It reports whether it did. The lock is
// held.
func (s *Service) tell(lines string) bool {
	text := s.waiting() + lines
	if text == "" {
		return false
	}
	err := syscall.Sendto(s.fd, []byte(text), syscall.MSG_DONTWAIT, &s.to)
	if err != nil {
		s.failed(err)
		return false
	}
	if s.ready == wanted {
		s.ready = sent
	}
	if s.stopping == wanted {
		s.stopping = sent
	}
	s.untold = false
	return true
}

// waiting returns the lines that were not sent yet.
func (s *Service) waiting() (lines string) {
	if s.ready == wanted {
		lines += "READY=1\n"
	}
	if s.stopping == wanted {
		lines += "STOPPING=1\n"
	}
	if s.untold {
		lines += "STATUS=" + s.status + "\n"
	}
	return lines
}

// failed warns of the first message that cannot be sent. A manager that is busy for a moment gets
// it later.
func (s *Service) failed(err error) {
	if s.warned || s.warn == nil || errors.Is(err, syscall.EAGAIN) {
		return
	}
	s.warned = true
	s.warn(fmt.Errorf("cannot reach the service manager at %q: %w", s.to.Name, err))
}

// oneLine makes a status of a text: one line of UTF-8 that is not too long.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if len(text) <= longestStatus {
		return text
	}
	cut := longestStatus
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
