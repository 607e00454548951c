//go:build ros

package ros

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// contained starts a process whose end the kernel does not report to the daemon, as on another
// host: the process has a PID namespace of its own. In a second such namespace a process has the
// same id.
func (s *stand) contained(env ...string) *bed.Host {
	s.t.Helper()
	try := exec.Command("true")
	try.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
	if err := try.Run(); err != nil {
		s.t.Skipf("namespaces cannot be made here: %v", err)
	}
	start := func(env []string) *bed.Host {
		return bed.NewHostAs(s.t, bed.Command{Env: env, Namespaces: syscall.CLONE_NEWPID,
			Args: []string{"sh", "-c", "\"$@\"; exit $?", "sh"}})
	}
	start(bed.LongLease(s.t)).Node(bed.NodeSpec{Name: "/" + bed.Unique(s.t, "twin")})
	return start(env)
}

// TestF2CrashThatOnlyTheMiddlewareNotices: a node crashes in its callback, and its deadline passes
// before the middleware detects the crash. The other nodes are rolled back and keep running, and so
// does the daemon.
func TestF2CrashThatOnlyTheMiddlewareNotices(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ from, command, ended, where string }{
		{"unconfigured", "configure", "aborted restored unconfigured", "unconfigured - unconfigured"},
		{"inactive", "activate", "aborted unconfigured unconfigured", "unconfigured - unconfigured"},
		{"active", "unconfigured", "aborted unconfigured unconfigured", "unconfigured - unconfigured"},
	} {
		t.Run(c.command, func(t *testing.T) {
			step := c.command
			if step == "unconfigured" {
				step = "deactivate"
			}
			// Only the step in which the victim crashes is short: a busy machine can be late in any other.
			network := strings.Replace(strings.TrimPrefix(trio, "proof: 10s\n"), "[~/front]",
				"[~/front], deadline: {"+step+": 700ms}", 1)
			s := newStand(t, setup{network: network, away: []string{"middle"}, ready: "-"})
			victim := s.contained(bed.ShortLease(t)...)
			s.appear(victim, "middle", bed.NodeSpec{Threads: 1})
			s.Intact("unconfigured")
			s.bring(c.from)
			s.script("middle", step, frozen()...)
			g := s.Goal(c.command)
			s.busy("middle", step)
			victim.Process().Kill()
			delete(s.nodes, "middle")
			r := s.End(g)
			if got := r.String(); got != c.ended {
				t.Errorf("the goal ended %s, want %s: %s", got, c.ended, r.Message)
			}
			s.wantWhere(c.where)
			s.Settled("unconfigured")
			if n := s.nodes["front"]; c.from == "active" {
				words := n.Truth().Words()
				if raised := words[len(words)-1]; raised != "cleanup" ||
					strings.Count(strings.Join(words, " "), " activate") > 1 {
					t.Errorf("front was asked to %v", words)
				}
			}
		})
	}
}

// TestC7KilledAndStartedAgain: a goal that arrives while the next process of a killed node starts
// waits for that process.
func TestC7KilledAndStartedAgain(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{network: "nodes:\n  ~/front: {}\n  ~/other: {after: [~/front]}\n", away: []string{"front"},
		ready: "-"})
	first := bed.NewHost(t, bed.LongLease(t)...)
	s.appear(first, "front", bed.NodeSpec{})
	s.Intact("unconfigured")
	s.bring("active")
	first.Process().Kill()
	s.ended("front")
	g := s.Goal("active")
	s.Await("the goal waits for the next process", func(v daemon.View) bool { return v.State.Label == "activating" })
	back := s.back("front")
	if r := s.End(g); r.String() != "succeeded done active" {
		t.Errorf("the goal ended %s: %s", r.String(), r.Message)
	}
	if where := back.Truth().State; where != "active" {
		t.Errorf("the nodes are %s", where)
	}
	s.Intact("active")
}
