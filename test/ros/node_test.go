//go:build ros

package ros

import (
	"strings"
	"testing"
	"time"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// then makes a script: these behaviours first, success after that.
func then(first ...bed.Behaviour) []bed.Behaviour { return append(first, bed.Behaviour{}) }

// The faults of one node in the middle of the network, each with the commands for which it makes a
// difference. Nodes are single-threaded: a node in its callback does not answer.
func TestNodeFaults(t *testing.T) {
	t.Parallel()
	refuses, errs := bed.Behaviour{Result: bed.Failure}, bed.Behaviour{Result: bed.Fault}
	hollow, denied := bed.Behaviour{Answer: bed.Hollow}, bed.Behaviour{Answer: bed.Denied}
	lost, deaf := bed.Behaviour{Answer: bed.Lost}, bed.Behaviour{Answer: bed.Deaf}
	s := newStand(t, setup{threads: 1})
	for _, c := range []struct {
		what, from, command string
		script              []bed.Behaviour   // of the middle node, for the command
		ended               string            // how the goal ended, and the state of the network
		nodes               map[string]string // the result of each node
		asked               string            // the calls that the middle node received
	}{
		{"refuses", "unconfigured", "configure", then(refuses), "aborted restored unconfigured", map[string]string{
			"front": "cleanup undone, unconfigured", "middle": "configure refused, it is still unconfigured",
			"rear": "undone, was already unconfigured",
		}, "configure"},
		{"refuses", "inactive", "activate", then(refuses), "aborted restored inactive", map[string]string{
			"front": "deactivate undone, inactive", "middle": "activate refused, it is still inactive",
			"rear": "undone, was already inactive",
		}, "activate"},
		{"refuses", "active", "deactivate", then(refuses), "aborted restored active", map[string]string{
			"rear": "activate undone, active", "middle": "deactivate refused, it is still active",
			"front": "undone, was already active",
		}, "deactivate"},
		{"refuses", "inactive", "cleanup", then(refuses), "aborted restored inactive", map[string]string{
			"rear": "configure undone, inactive", "middle": "cleanup refused, it is still inactive",
			"front": "undone, was already inactive",
		}, "cleanup"},

		{"fails with an error", "unconfigured", "configure", then(errs), "aborted restored unconfigured",
			map[string]string{
				"middle": "configure errored, now unconfigured",
			}, "configure error"},
		{"fails with an error", "inactive", "activate", then(errs), "aborted restored inactive", map[string]string{
			"middle": "activate errored, now unconfigured", "front": "deactivate undone",
		}, "activate error configure"},
		{"fails with an error", "active", "deactivate", then(errs), "aborted restored active", map[string]string{
			"middle": "deactivate errored, now unconfigured", "rear": "activate undone",
		}, "deactivate error configure activate"},
		{"fails with an error into the target state", "inactive", "cleanup", then(errs), "succeeded done unconfigured",
			map[string]string{
				"middle": "cleanup done, unconfigured",
			}, "cleanup error"},

		{"reports success and stays", "unconfigured", "configure", []bed.Behaviour{hollow},
			"aborted restored unconfigured", map[string]string{
				"middle": "configure errored, is unconfigured",
			}, "configure configure"},
		{"reports success and stays, once", "inactive", "activate", then(hollow), "succeeded done active",
			map[string]string{
				"middle": "activate done, active",
			}, "activate activate"},
		{"reports failure and moves", "inactive", "activate", then(denied), "succeeded done active",
			map[string]string{"middle": "activate done"}, "activate"},
		{"reports failure and moves", "active", "deactivate", then(denied), "succeeded done inactive",
			map[string]string{"middle": "deactivate done"}, "deactivate"},

		{"loses its answer", "unconfigured", "configure", then(lost), "succeeded done inactive",
			map[string]string{"middle": "configure done"}, "configure"},
		{"loses its answer", "active", "deactivate", then(lost), "succeeded done inactive",
			map[string]string{"middle": "deactivate done"}, "deactivate"},
		{"never gets the request", "inactive", "activate", then(deaf), "succeeded done active",
			map[string]string{"middle": "activate done"}, "activate activate"},
		{"is slow", "inactive", "activate", then(bed.Behaviour{Delay: 1500 * time.Millisecond}),
			"succeeded done active", map[string]string{
				"middle": "activate done",
			}, "activate"},
	} {
		t.Run(c.what+", "+c.command, func(t *testing.T) {
			s := s.in(t)
			s.honest()
			if s.origin() != c.from {
				s.bring(c.from)
			}
			before := len(s.nodes["middle"].Truth().Calls)
			s.script("middle", c.command, c.script...)
			r := s.Do(c.command, c.ended)
			s.wantNodes(r, c.nodes)
			s.Intact(r.State.Label)
			s.wantWhere(s.all(r.State.Label))
			if got := strings.Join(s.nodes["middle"].Truth().Words()[before:], " "); got != c.asked {
				t.Errorf("the middle node was asked to %s, want %s", got, c.asked)
			}
			if !r.Success && !strings.Contains(r.Message, s.full("middle")) {
				t.Errorf("the message does not name it: %s", r.Message)
			}
		})
	}
}

// Shutting down cannot fail: each row needs a network of its own.
func TestNodeFaultsWhileShuttingDown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what   string
		script []bed.Behaviour
		ended  string
		middle string
		where  string
		code   int
	}{
		{"refuses", then(bed.Behaviour{Result: bed.Failure}), "succeeded done finalized", "shutdown done, finalized",
			"finalized finalized finalized", 0},
		{"fails with an error, and is asked once more", then(bed.Behaviour{Result: bed.Fault}),
			"succeeded done finalized", "shutdown done, finalized", "finalized finalized finalized", 0},
		{"reports success and stays", []bed.Behaviour{{Answer: bed.Hollow}}, "aborted finalized finalized",
			"shutdown errored, is inactive", "finalized inactive finalized", 5},
		{"loses its answer", then(bed.Behaviour{Answer: bed.Lost}), "succeeded done finalized", "shutdown done",
			"finalized finalized finalized", 0},
		{"does not answer", []bed.Behaviour{{Result: bed.Frozen}}, "aborted finalized finalized",
			"shutdown late, no answer to shutdown", "finalized shuttingdown finalized", 5},
	} {
		t.Run(c.what, func(t *testing.T) {
			network := strings.Replace(trio, "~/middle: {", "~/middle: {deadline: {shutdown: 2s}, ", 1)
			s := newStand(t, setup{network: network,
				scripts: map[string]map[string][]bed.Behaviour{"middle": {"shutdown": c.script}}})
			s.Do("configure", "succeeded done inactive")
			r := s.Do("shutdown", c.ended)
			s.wantNodes(r, map[string]string{"middle": c.middle})
			s.wantWhere(c.where)
			if code := s.Process.Wait(t); code != c.code {
				t.Errorf("the daemon ended with %d, want %d", code, c.code)
			}
		})
	}
}

// A node that is killed while a transition runs is missed, and the state that it had reached no
// longer counts.
func TestANodeDiesInMidTransition(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{away: []string{"middle"}, ready: "-"})
	for _, c := range []struct {
		from, command, ended string
		nodes                map[string]string
		where                string
	}{
		{"unconfigured", "configure", "aborted restored unconfigured", map[string]string{"front": "cleanup undone"},
			"unconfigured - unconfigured"},
		{"inactive", "activate", "aborted unconfigured unconfigured", map[string]string{"front": "cleanup undone"},
			"unconfigured - unconfigured"},
		{"active", "deactivate", "aborted unconfigured unconfigured", map[string]string{"rear": "cleanup undone"},
			"unconfigured - unconfigured"},
		{"inactive", "shutdown", "succeeded done finalized", nil, "finalized - finalized"},
	} {
		t.Run(c.command, func(t *testing.T) {
			s := s.in(t)
			victim := bed.NewHost(t, bed.ShortLease(t)...)
			s.appear(victim, "middle", bed.NodeSpec{})
			s.Intact("unconfigured")
			if c.from != "unconfigured" {
				s.bring(c.from)
			}
			s.script("middle", c.command, frozen()...)
			g := s.Goal(c.command)
			s.busy("middle", c.command)
			victim.Process().Kill()
			delete(s.nodes, "middle")
			r := s.End(g)
			if r.String() != c.ended {
				t.Errorf("the goal ended %s, want %s: %+v", r, c.ended, r)
			}
			s.wantNodes(r, c.nodes)
			if n := r.Node(s.full("middle")); n.Verdict != "gone" {
				t.Errorf("the result of the killed node is %+v", n)
			}
			s.wantWhere(c.where)
			if r.Success {
				return
			}
			s.Await("the state names the lost node",
				func(v daemon.View) bool { return !v.Intact && strings.Contains(v.Deviation(s.full("middle")), "lost") })
		})
	}
	if code := s.Process.Wait(t); code != 0 {
		t.Errorf("the daemon ended with %d", code)
	}
}
