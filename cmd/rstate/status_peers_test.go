//go:build ros

package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	builtin_interfaces_msg "rstate/msgs/gen/builtin_interfaces/msg"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

func peerOf(change func(*rstate_msgs_msg.Peer)) rstate_msgs_msg.Peer {
	p := rstate_msgs_msg.Peer{Name: "/base/rstate", InstanceId: "1", Alive: true, SameMachine: true, Intact: true,
		State: rstate_msgs_msg.State{Label: "active"}}
	change(&p)
	return p
}

func TestPeerInAFewWords(t *testing.T) {
	for want, change := range map[string]func(*rstate_msgs_msg.Peer){
		"active":           func(*rstate_msgs_msg.Peer) {},
		"active, required": func(p *rstate_msgs_msg.Peer) { p.Required = true },
		"not there":        func(p *rstate_msgs_msg.Peer) { p.Alive = false },
		"not there, required": func(p *rstate_msgs_msg.Peer) {
			p.Alive, p.Required, p.InstanceId, p.Age = false, true, "", builtin_interfaces_msg.Duration{Sec: -1}
		},
		"active, behind":             func(p *rstate_msgs_msg.Peer) { p.Behind = true },
		"active, of another machine": func(p *rstate_msgs_msg.Peer) { p.SameMachine = false },
		"active, not intact, ends":   func(p *rstate_msgs_msg.Peer) { p.Intact, p.Leaving = false, true },
		"last reported active":       func(p *rstate_msgs_msg.Peer) { p.Alive, p.InstanceId = false, "" },
	} {
		if got := peerWord(peerOf(change)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestPeersInTheStatusAndTheWatch(t *testing.T) {
	s := rstate_msgs_msg.NewInstanceState()
	s.Name, s.InstanceId, s.Intact = "/arm/rstate", "2", true
	s.Peers = []rstate_msgs_msg.Peer{peerOf(func(*rstate_msgs_msg.Peer) {})}
	s.OpenGoals = []string{"morning"}
	var out bytes.Buffer
	printState(&out, s)
	for _, part := range []string{"  peer /base/rstate  active\n",
		"goal morning is open, and waits for peers or for the end of the loop\n"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%q is not in\n%s", part, out.String())
		}
	}
	later := *s
	later.Peers = []rstate_msgs_msg.Peer{
		peerOf(func(p *rstate_msgs_msg.Peer) { p.Alive, p.Cause = false, "is lost: it has ended" }),
		peerOf(func(p *rstate_msgs_msg.Peer) { p.Name = "/new" }),
	}
	want := []string{"peer /base/rstate: not there: is lost: it has ended (was active)", "peer /new: active"}
	if got := changes(s, s, &later); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := changes(&later, &later, &later); len(got) > 0 {
		t.Errorf("nothing has changed, and it says %q", got)
	}
}
