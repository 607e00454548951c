//go:build ros

package ros

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// with names the variants of a restart.
func with(journal bool) string {
	if journal {
		return ", with its journal"
	}
	return ", without a journal"
}

// A daemon that is killed while its network is settled is restarted: it adopts the network, and
// asks the nodes for nothing but a disarm.
func TestKilledAtRest(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{config: daemon.Config{Env: bed.ShortLease(t)}})
	for _, c := range []struct{ state, found string }{
		{"unconfigured", "unconfigured"}, {"inactive", "inactive"}, {"active", "active"}, {"armed", "active"},
	} {
		for _, journal := range []bool{true, false} {
			t.Run(c.state+with(journal), func(t *testing.T) {
				s := s.in(t)
				if s.origin() != c.state {
					s.Alone()
					s.bring(c.state)
				}
				before := map[string]int{}
				for name, n := range s.nodes {
					before[name] = len(n.Truth().Calls)
				}
				began := time.Now()
				s.restart(journal)
				s.Intact(c.found)
				t.Logf("it knew its network %v after it was killed", time.Since(began).Round(time.Millisecond))
				s.wantWhere(s.all(c.found))
				for name, n := range s.nodes {
					for _, word := range n.Truth().Words()[before[name]:] {
						if word != "disarm" {
							t.Errorf("%s was asked to %s", name, word)
						}
					}
				}
			})
		}
	}
}

// A node that moves while there is no daemon has drifted, if the journal holds the earlier state.
// Without a journal the others are lowered to its state.
func TestKilledAndTheNetworkStraysMeanwhile(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{config: daemon.Config{Env: bed.ShortLease(t)}})
	s.bring("active")
	s.Process.Kill()
	s.tool("middle", "deactivate")
	s.restart(true)
	s.Await("the state names the node that drifted", func(v daemon.View) bool {
		return v.State.Label == "active" && v.Settled && strings.Contains(v.Deviation(s.full("middle")), "inactive")
	})
	s.wantWhere("active inactive active")
	s.restart(false)
	s.Intact("inactive")
	s.wantWhere(s.all("inactive"))
}

// A daemon that is killed during a transition leaves a mixed network. The next daemon waits for the
// node that is still busy and lowers the others to a state that all can have; it never arms.
func TestKilledInMidTransition(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, command string
		node, word    string
		journal       bool
		found         string
		where         string
	}{
		{"unconfigured", "configure", "middle", "configure", true, "unconfigured",
			"unconfigured unconfigured unconfigured"},
		{"inactive", "activate", "middle", "activate", true, "inactive", "inactive inactive inactive"},
		{"inactive", "activate", "middle", "activate", false, "inactive", "inactive inactive inactive"},
		{"active", "deactivate", "middle", "deactivate", false, "inactive", "inactive inactive inactive"},
		{"inactive", "cleanup", "middle", "cleanup", true, "unconfigured", "unconfigured unconfigured unconfigured"},
		{"active", "arm", "rear", "arm", true, "active", "active active active"},
		{"armed", "disarm", "rear", "disarm", false, "active", "active active active"},
	} {
		t.Run(c.word+with(c.journal), func(t *testing.T) {
			t.Parallel()
			s := newStand(t, setup{network: unhurried, config: daemon.Config{Env: bed.ShortLease(t)}})
			if c.from != "unconfigured" {
				s.bring(c.from)
			}
			s.script(c.node, c.word, frozen()...)
			s.Goal(c.command)
			s.busy(c.node, c.word)
			began := time.Now()
			s.restart(c.journal)
			s.Await("the new daemon inspects the nodes", func(v daemon.View) bool { return v.State.Label == "unknown" })
			s.nodes[c.node].Thaw()
			s.Intact(c.found)
			t.Logf("it knew its network %v after it was killed", time.Since(began).Round(time.Millisecond))
			s.wantWhere(c.where)
		})
	}
}

// A daemon that is killed during a shutdown leaves finalized nodes. The next daemon reports them,
// and shuts down the rest on command.
func TestKilledWhileShuttingDown(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{config: daemon.Config{Env: bed.ShortLease(t)}})
	s.bring("inactive")
	s.script("middle", "shutdown", frozen()...)
	s.Goal("shutdown")
	s.busy("middle", "shutdown")
	s.restart(true)
	s.Await("the new daemon inspects the nodes", func(v daemon.View) bool { return v.State.Label == "unknown" })
	s.nodes["middle"].Thaw()
	s.Await("the state names the finalized nodes", func(v daemon.View) bool {
		return v.Settled && !v.Intact && strings.Contains(v.Deviation(s.full("middle")), "finalized") &&
			strings.Contains(v.Deviation(s.full("rear")), "finalized")
	})
	s.wantWhere("inactive finalized finalized")
	s.Alone()
	s.Do("shutdown", "succeeded done finalized")
	s.wantWhere(s.all("finalized"))
}

// A stop ends every goal with a reason, leaves nothing armed, and lowers the nodes as on_exit says.
func TestStop(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, keys, from string
		command          string // running at the stop, held up by the node in its callback
		node, word       string
		code             int
		where            string
		after            string // after the node that is held up was thawed
	}{
		{name: "at rest", from: "active", where: "active active active"},
		{name: "armed, on_exit leave", keys: "on_exit: leave\n", from: "armed", where: "active active active"},
		{name: "armed, on_exit shutdown", keys: "on_exit: shutdown\n", from: "armed",
			where: "finalized finalized finalized"},
		{
			name: "configuring", from: "unconfigured", command: "configure", node: "middle", word: "configure",
			where: "inactive configuring unconfigured", after: "inactive inactive unconfigured",
		},
		{
			name: "on the way to armed", from: "inactive", command: "armed", node: "middle", word: "activate",
			where: "active activating inactive", after: "active active inactive",
		},
		{
			name: "arming, and the node does not confirm", from: "active", command: "arm", node: "rear", word: "arm",
			code:  5,
			where: "active active active", after: "active active active",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStand(t, setup{network: c.keys + trio})
			if c.from != "unconfigured" {
				s.bring(c.from)
			}
			var goal *bed.Goal
			if c.command != "" {
				s.script(c.node, c.word, frozen()...)
				goal = s.Goal(c.command)
				s.busy(c.node, c.word)
			}
			began := time.Now()
			s.Process.Signal(syscall.SIGTERM)
			code := s.Process.Wait(t)
			t.Logf("out %v after SIGTERM", time.Since(began).Round(time.Millisecond))
			if code != c.code {
				t.Errorf("the daemon ended with %d, want %d", code, c.code)
			}
			s.wantWhere(c.where)
			if goal == nil {
				return
			}
			if r := s.End(goal); !strings.HasPrefix(r.String(), "aborted preempted") ||
				!strings.Contains(r.Message, "rstate stops") {
				t.Errorf("%s ended %s: %s", c.command, r, r.Message)
			}
			s.nodes[c.node].Thaw()
			s.awaitWhere(c.after)
		})
	}
}
