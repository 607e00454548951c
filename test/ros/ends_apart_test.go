//go:build ros

package ros

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// inContainer starts a node in a container that shares the host's network. Its process id there is
// `last` plus one, so that nodes in two containers can have equal ids.
func (s *stand) inContainer(name string, last int, env []string) *bed.Process {
	s.t.Helper()
	if os.Getuid() != 0 {
		s.t.Skip("left out: only root may give a process process ids of its own")
	}
	first := fmt.Sprintf(`echo %d >/proc/sys/kernel/ns_last_pid; "$@" & wait`, last)
	return bed.StartCommand(s.t, name, bed.Command{Args: append([]string{"sh", "-c", first, "container"}, s.node(name)...), Env: env, Namespaces: syscall.CLONE_NEWPID})
}

// anyID returns a process id for inContainer. The daemon knows only the low 16 bits of an id, so no process has those
// of the one that inContainer gives, nor will a process of this test.
func anyID(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("/proc/sys/kernel/ns_last_pid")
	if err != nil {
		t.Fatal(err)
	}
	newest, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	taken := map[int]bool{}
	for _, e := range entries {
		if id, err := strconv.Atoi(e.Name()); err == nil {
			taken[id&0xffff] = true
		}
	}
	for {
		last := 1000 + rand.IntN(30000)
		given := last + 1
		if soon := (given-newest)&0xffff < 10000; !soon && !taken[given] {
			return last
		}
	}
}

// node returns the command of a node of rstate's test suite.
func (s *stand) node(name string) []string {
	return []string{binary, "node", "--log-level", "error", s.full(name)}
}

// process starts such a node in a process of its own, which leaves the graph soon after it is
// killed.
func (s *stand) process(name string) *bed.Process {
	s.t.Helper()
	return bed.StartCommand(s.t, name, bed.Command{Args: s.node(name), Env: bed.ShortLease(s.t)})
}

// notMissed waits until the daemon no longer misses a node. The remains of a killed process in the
// graph count until the middleware has detected its end.
func (s *stand) notMissed(name string) {
	s.t.Helper()
	s.Await(name+" is not missed", func(v daemon.View) bool {
		why := v.Deviation(s.full(name))
		return !strings.Contains(why, "lost") && !strings.Contains(why, "missing")
	})
}

// TestS4EqualProcessIDsInContainers: if two nodes have equal process ids, the daemon cannot tell
// which one has ended and relies on the middleware; neither is lost because the other has ended.
// The end of a node with a unique id is detected at once.
func TestS4EqualProcessIDsInContainers(t *testing.T) {
	t.Parallel()
	t.Run("two", func(t *testing.T) {
		s := newStand(t, setup{network: "nodes:\n  ~/front: {}\n  ~/other: {}\n", away: []string{"front", "other"}, ready: "-"})
		id := anyID(t)
		front := s.inContainer("front", id, bed.ShortLease(t))
		s.inContainer("other", id, bed.ShortLease(t))
		s.Intact("unconfigured")
		s.bring("active")
		front.Kill()
		s.Await("front is lost", func(v daemon.View) bool { return strings.Contains(v.Deviation(s.full("front")), "lost") })
		for _, name := range []string{"front", "other"} {
			if strings.Contains(s.Process.Log(), s.full(name)+" is lost: its process has ended") {
				t.Errorf("the daemon claims to know which process has ended: that of %s", name)
			}
		}
		if why := s.View().Deviation(s.full("other")); strings.Contains(why, "lost") {
			t.Errorf("the other node counts as lost: %s", why)
		}
	})
	t.Run("one", func(t *testing.T) {
		s := newStand(t, setup{network: "nodes:\n  ~/front: {}\n", away: []string{"front"}, ready: "-"})
		front := s.inContainer("front", anyID(t), bed.LongLease(t))
		s.Intact("unconfigured")
		front.Kill()
		s.ended("front")
	})
}

// stranger writes a command that runs rstate in a user namespace of its own. The kernel shows it
// the processes outside of that namespace, but not their open files, as with processes of another
// user.
func stranger(t *testing.T) string {
	t.Helper()
	if out, err := exec.Command("unshare", "--user", "--map-root-user", "cat", "/proc/self/status").CombinedOutput(); err != nil {
		t.Skipf("left out: no user namespace can be made here: %v: %s", err, out)
	}
	command := filepath.Join(t.TempDir(), "rstate")
	text := fmt.Sprintf("#!/bin/sh\nexec unshare --user --map-root-user '%s' \"$@\"\n", binary)
	if err := os.WriteFile(command, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return command
}

// TestS4ProcessesOfAnotherUser: a daemon that may not inspect the processes of its nodes relies on
// the middleware to detect the end of one.
func TestS4ProcessesOfAnotherUser(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{
		network: "nodes:\n  ~/front: {}\n  ~/other: {}\n", away: []string{"front", "other"}, ready: "-",
		config: daemon.Config{Binary: stranger(t)},
	})
	front := s.process("front")
	s.process("other")
	s.Intact("unconfigured")
	s.bring("active")
	front.Kill()
	s.Await("front is lost", func(v daemon.View) bool { return strings.Contains(v.Deviation(s.full("front")), "lost") })
	if strings.Contains(s.Process.Log(), "its process has ended") {
		t.Error("the daemon claims to know the end of a process that it may not inspect")
	}
	if why := s.View().Deviation(s.full("other")); strings.Contains(why, "lost") {
		t.Errorf("the other node counts as lost: %s", why)
	}
}

// TestS4NobodyIsLostInVain: nodes that are suspended, or hardly get processor time, are not lost
// while others are killed and restarted, one of them with its former process id. RSTATE_LOSSES is
// the number of rounds.
func TestS4NobodyIsLostInVain(t *testing.T) {
	t.Parallel()
	rounds := 4
	if text := os.Getenv("RSTATE_LOSSES"); text != "" {
		var err error
		if rounds, err = strconv.Atoi(text); err != nil {
			t.Fatalf("RSTATE_LOSSES must be a number: %v", err)
		}
	}
	all := []string{"still", "slow", "killed", "reused"}
	s := newStand(t, setup{network: "nodes:\n  ~/still: {}\n  ~/slow: {}\n  ~/killed: {}\n  ~/reused: {}\n", away: all, ready: "-"})
	still, slow := s.process("still"), s.process("slow")
	id := anyID(t)
	killed, reused := s.process("killed"), s.inContainer("reused", id, bed.ShortLease(t))
	s.Intact("unconfigured")
	for range rounds {
		still.Freeze()
		woken := time.AfterFunc(time.Duration(rand.IntN(900))*time.Millisecond, still.Thaw)
		jerked := make(chan struct{})
		go func() {
			defer close(jerked)
			for range 20 {
				slow.Freeze()
				time.Sleep(20 * time.Millisecond)
				slow.Thaw()
				time.Sleep(2 * time.Millisecond)
			}
		}()
		time.Sleep(time.Duration(rand.IntN(1500)) * time.Millisecond) // the restarted nodes may or may not be discovered by then
		killed.Kill()
		reused.Kill()
		time.Sleep(time.Duration(rand.IntN(300)) * time.Millisecond)
		killed, reused = s.process("killed"), s.inContainer("reused", id, bed.ShortLease(t))
		<-jerked
		if woken.Stop() {
			still.Thaw()
		}
		for _, name := range all {
			s.notMissed(name)
		}
	}
	s.Settled("unconfigured")
	log := s.Process.Log()
	for _, name := range []string{"still", "slow"} {
		if n := strings.Count(log, s.full(name)+" is lost"); n > 0 {
			t.Errorf("%s, which is alive, was lost %d times in %d rounds", name, n, rounds)
		}
	}
	for _, name := range []string{"killed", "reused"} {
		n := strings.Count(log, s.full(name)+" is lost")
		t.Logf("%s was killed %d times, and lost %d times", name, rounds, n)
		if n > rounds {
			t.Errorf("%s was lost %d times, but killed %d times", name, n, rounds)
		}
	}
}
