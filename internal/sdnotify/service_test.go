package sdnotify

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"rstate/test/bed/manager"
)

// service returns one whose manager wants a sign of life within the time, on a clock of the test.
func service(t *testing.T, m *manager.Manager, watchdog time.Duration, now *time.Time) *Service {
	t.Helper()
	t.Setenv("NOTIFY_SOCKET", m.Address)
	if watchdog > 0 {
		t.Setenv("WATCHDOG_USEC", strconv.FormatInt(watchdog.Microseconds(), 10))
		t.Setenv("WATCHDOG_PID", strconv.Itoa(os.Getpid()))
	}
	s, err := FromEnv(func(err error) { t.Errorf("it warned: %v", err) })
	if err != nil || s == nil {
		t.Fatalf("got %v, %v", s, err)
	}
	t.Cleanup(func() { syscall.Close(s.fd) })
	s.now = func() time.Time { return *now }
	return s
}

func expect(t *testing.T, m *manager.Manager, want ...string) {
	t.Helper()
	if got := m.Lines(t); !slices.Equal(got, want) {
		t.Errorf("the manager got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// TestS11AServiceFromItsStartToItsEnd: each fact is sent once, with a path and with an abstract
// socket.
func TestS11AServiceFromItsStartToItsEnd(t *testing.T) {
	for name, m := range map[string]*manager.Manager{
		"path":     manager.New(t),
		"abstract": manager.At(t, fmt.Sprintf("@rstate-test-%d", os.Getpid())),
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Now()
			s := service(t, m, 0, &now)
			s.Status("unknown")
			s.Status("unknown")
			s.Ready()
			s.Ready()
			s.Turns() // the manager wants no sign of life
			s.Status("active, not intact:\n /slam \xff is not there")
			s.Stops("it got terminated")
			s.Stops("again")
			s.Ready()
			s.Extend(15 * time.Second)
			s.Extend(15 * time.Second)
			now = now.Add(extendEvery)
			s.Extend(2 * time.Second)
			expect(t, m, "STATUS=unknown", "READY=1", "STATUS=active, not intact: /slam ? is not there", "STOPPING=1",
				"STATUS=stopping: it got terminated", "EXTEND_TIMEOUT_USEC=15000000", "EXTEND_TIMEOUT_USEC=2000000")
		})
	}
}

// TestS11ASignOfLifeForEachTurnThatIsDue: four in the time of the watchdog, and none that a turn
// does not cause.
func TestS11ASignOfLifeForEachTurnThatIsDue(t *testing.T) {
	m, now := manager.New(t), time.Now()
	s := service(t, m, 2*time.Second, &now)
	for range 100 { // ten seconds
		s.Turns()
		m.Lines(t) // the queue of the socket may be short
		now = now.Add(100 * time.Millisecond)
	}
	if n := m.Count(t, "WATCHDOG=1"); n != 20 {
		t.Errorf("%d signs of life in 10 s, want one each half second", n)
	}
}

// TestS11AStoppedServiceIsNotReady: a service that stops before it was ready never says that it is.
func TestS11AStoppedServiceIsNotReady(t *testing.T) {
	m, now := manager.New(t), time.Now()
	s := service(t, m, 0, &now)
	s.Stops("it got terminated")
	s.Ready()
	expect(t, m, "STOPPING=1", "STATUS=stopping: it got terminated")
}

// TestS11NothingOfTheManagerIsLeftForChildren, and without a manager nothing is done.
func TestS11NothingOfTheManagerIsLeftForChildren(t *testing.T) {
	m, now := manager.New(t), time.Now()
	s := service(t, m, time.Second, &now)
	for _, name := range variables {
		if value, has := os.LookupEnv(name); has {
			t.Errorf("%s is still %q", name, value)
		}
	}
	child := exec.Command("sh", "-c", fmt.Sprintf("readlink /proc/self/fd/%d || true", s.fd))
	if out, err := child.CombinedOutput(); err != nil || strings.Contains(string(out), "socket") {
		t.Errorf("a child has the socket: %s, %v", out, err)
	}
	none, err := FromEnv(nil)
	if none != nil || err != nil {
		t.Fatalf("without a manager: %v, %v", none, err)
	}
	none.Ready()
	none.Status("x")
	none.Turns()
	none.Extend(time.Second)
	none.Stops("x")
	expect(t, m)
}

// TestS11AddressesThatAreNone are errors that say what is wrong; nothing is sent anywhere.
func TestS11AddressesThatAreNone(t *testing.T) {
	for address, why := range map[string]string{
		"relative/socket":              "is neither a path nor an abstract socket",
		"@":                            "is neither a path nor an abstract socket",
		"vsock:2:1234":                 "is neither a path nor an abstract socket",
		"/" + strings.Repeat("x", 200): "is longer than 107 bytes",
	} {
		t.Setenv("NOTIFY_SOCKET", address)
		if s, err := FromEnv(nil); s != nil || err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, %v", address, s, err)
		}
		t.Setenv("NOTIFY_SOCKET", address)
		if r, err := NewRelay(); r != nil || err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, %v", address, r, err)
		}
	}
}

// TestS11TheWatchdogIsThatOfThisProcess: not of another one, and a time that cannot be read is
// none.
func TestS11TheWatchdogIsThatOfThisProcess(t *testing.T) {
	own := strconv.Itoa(os.Getpid())
	for _, c := range []struct {
		usec, pid string
		want      time.Duration
	}{
		{"8000000", own, 2 * time.Second},
		{"8000000", "", 2 * time.Second},
		{"8000000", "1", 0},
		{"", own, 0},
		{"0", own, 0},
		{"-5", own, 0},
		{"soon", own, 0},
	} {
		if got := period(c.usec, c.pid); got != c.want {
			t.Errorf("WATCHDOG_USEC=%s WATCHDOG_PID=%s: every %v, want %v", c.usec, c.pid, got, c.want)
		}
	}
}

// TestS11AManagerThatIsGoneHarmsNothing: it is warned of once, and a manager that comes back hears
// what it has missed.
func TestS11AManagerThatIsGoneHarmsNothing(t *testing.T) {
	folder, err := os.MkdirTemp("", "m")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	address, now := filepath.Join(folder, "socket"), time.Now()
	var warnings []string
	t.Setenv("NOTIFY_SOCKET", address)
	t.Setenv("WATCHDOG_USEC", "1000000")
	s, err := FromEnv(func(err error) { warnings = append(warnings, err.Error()) })
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(s.fd)
	s.now = func() time.Time { return now }
	s.Status("unknown")
	s.Ready()
	s.Status("active")
	s.Turns()
	if len(warnings) != 1 || !strings.Contains(warnings[0], "cannot reach the service manager") {
		t.Errorf("it warned: %q", warnings)
	}
	m := manager.At(t, address)
	s.Turns()
	expect(t, m, "READY=1", "STATUS=active", "WATCHDOG=1")
}

// TestS11AManagerThatIsBusyBlocksNothing: the queue of its socket is full, and what matters is sent
// when there is room.
func TestS11AManagerThatIsBusyBlocksNothing(t *testing.T) {
	m, now := manager.New(t), time.Now()
	s := service(t, m, time.Second, &now)
	taken, full := 0, make(chan bool)
	go func() {
		for taken < 10000 && s.fill() {
			taken++
		}
		close(full)
	}()
	select {
	case <-full:
	case <-time.After(30 * time.Second):
		t.Fatal("it waits for the manager")
	}
	s.Ready()
	s.Stops("it got terminated")
	if lines := m.Lines(t); len(lines) != taken {
		t.Fatalf("%d lines were taken, and %d came", taken, len(lines))
	}
	s.Turns()
	if got, want := m.Lines(t)[taken:], []string{"READY=1", "STOPPING=1", "STATUS=stopping: it got terminated",
		"WATCHDOG=1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// fill sends one more line, and reports whether it was taken.
func (s *Service) fill() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tell("STATUS=busy\n")
}

// TestS11AStatusIsOneShortLine that ends between two characters.
func TestS11AStatusIsOneShortLine(t *testing.T) {
	for _, text := range []string{strings.Repeat("ä", longestStatus), strings.Repeat("a", longestStatus-1) + "ää",
		strings.Repeat("a", longestStatus)} {
		got := oneLine(text)
		if !utf8.ValidString(got) || len(got) > longestStatus+len("…") ||
			!strings.HasPrefix(text, strings.TrimSuffix(got, "…")) {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// TestS11AChildSpeaksThroughTheRelay: what it sends reaches the manager, and the relay leaves
// nothing behind.
func TestS11AChildSpeaksThroughTheRelay(t *testing.T) {
	m := manager.New(t)
	scratch := t.TempDir()
	t.Setenv("TMPDIR", scratch)
	t.Setenv("NOTIFY_SOCKET", m.Address)
	t.Setenv("WATCHDOG_USEC", "1000000")
	t.Setenv("WATCHDOG_PID", strconv.Itoa(os.Getpid()))
	r, err := NewRelay()
	if err != nil {
		t.Fatal(err)
	}
	for _, variable := range r.Env() {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	if os.Getenv("NOTIFY_SOCKET") == m.Address || os.Getenv("WATCHDOG_USEC") != "1000000" {
		t.Errorf("the child gets %q", r.Env())
	}
	child, err := FromEnv(func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(child.fd)
	child.Ready()
	child.Turns()
	awaitLines(t, m, "READY=1", "WATCHDOG=1")
	r.Close()
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	none, err := NewRelay()
	if none != nil || err != nil || none.Env() != nil {
		t.Errorf("without a manager: %v, %v", none, err)
	}
	none.Close()
}

// awaitLines waits until the manager has got the lines, and no other ones.
func awaitLines(t *testing.T, m *manager.Manager, want ...string) {
	t.Helper()
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	limit := time.NewTimer(30 * time.Second)
	defer limit.Stop()
	for len(m.Lines(t)) < len(want) {
		select {
		case <-look.C:
		case <-limit.C:
			expect(t, m, want...)
			return
		}
	}
	expect(t, m, want...)
}
