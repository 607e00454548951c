//go:build ros

package ros

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// held is the way to a server that is cut. What a client sends waits in it until opens, and is delivered then.
type held struct {
	address string
	waits   chan struct{} // closed when the first byte of a client waits
	opens   func()
}

func holds(t *testing.T, server string) *held {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	open := make(chan struct{})
	h := &held{address: "http://" + l.Addr().String(), waits: make(chan struct{}), opens: sync.OnceFunc(func() { close(open) })}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		client, err := l.Accept()
		if err != nil {
			return // the test has ended
		}
		defer client.Close()
		sent := bufio.NewReader(client)
		_, _ = sent.Peek(1)
		close(h.waits)
		<-open
		if to, err := net.Dial("tcp", strings.TrimPrefix(server, "http://")); err == nil {
			defer to.Close()
			go func() { _, _ = io.Copy(to, sent) }()
			_, _ = io.Copy(client, to)
		}
	}()
	t.Cleanup(func() {
		h.opens()
		l.Close()
		<-ended
	})
	return h
}

// armable is a daemon over HTTP, active.
type armable struct {
	*stand
	*web
}

func (a *armable) seen() string {
	a.web.t.Helper()
	var s struct{ Seen string }
	if _, text := a.calls(http.MethodGet, "/simulation/"+a.id, ""); json.Unmarshal(text, &s) != nil || s.Seen == "" {
		a.web.t.Fatalf("no seen in %s", text)
	}
	return s.Seen
}

// shows waits until the server shows that seen has changed. Before that the engine is the judge of what comes.
func (a *armable) shows(before string) {
	a.web.t.Helper()
	bed.Eventually(a.web.t, "the server shows another seen than "+before, func() (string, bool) {
		now := a.seen()
		return now, now != before
	})
}

func (a *armable) challenge() string {
	a.web.t.Helper()
	var c struct{ Challenge string }
	if _, text := a.calls(http.MethodPost, "/simulation/"+a.id+"/challenge", ""); json.Unmarshal(text, &c) != nil ||
		c.Challenge == "" {
		a.web.t.Fatalf("no challenge in %s", text)
	}
	return c.Challenge
}

func (a *armable) arm(challenge string) told {
	a.web.t.Helper()
	answer, _ := a.calls(http.MethodPut, "/simulation/"+a.id+"/state", armsWith(challenge))
	return answer
}

func armsWith(challenge string) string {
	return fmt.Sprintf(`{"state": "arm", "challenge": %q}`, challenge)
}

// later sends a request whose connection is cut, and returns when it waits there. What it returns heals the connection,
// and has the answer.
func (a *armable) later(method, path, body string) (heal func() told) {
	a.web.t.Helper()
	h := holds(a.web.t, a.address)
	cut, answer := *a.web, make(chan told, 1)
	cut.address = h.address
	go func() {
		defer close(answer)
		said, _ := cut.calls(method, "/simulation/"+a.id+path, body)
		answer <- said
	}()
	<-h.waits
	return func() told {
		h.opens()
		return <-answer
	}
}

// TestH7WhatWaitedArmsNothing: a request over HTTP waits in a connection that is cut, or a challenge in its client, and
// another client disarms over ROS meanwhile. The state is the same again, and nothing is armed.
func TestH7WhatWaitedArmsNothing(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{network: trio, config: daemon.Config{HTTP: true}})
	s.bring("active")
	disarm := func(s *stand) { s.Do("disarm", "succeeded already active") }
	for _, row := range []struct {
		name  string
		sends func(a *armable) (arrives func() told)
		while func(s *stand)
		shown bool // the server shows what happened before the request arrives; else the engine may be the judge
		want  string
	}{
		{"an arm", func(a *armable) func() told {
			return a.later(http.MethodPut, "/state", armsWith(a.challenge()))
		}, disarm, true, "403"},
		{"an arm, right after the disarm", func(a *armable) func() told {
			return a.later(http.MethodPut, "/state", armsWith(a.challenge()))
		}, disarm, false, "40"},
		{"an arm, while others arm and disarm", func(a *armable) func() told {
			return a.later(http.MethodPut, "/state", armsWith(a.challenge()))
		}, func(s *stand) {
			s.Do("arm", "succeeded done armed")
			s.Do("disarm", "succeeded done active")
		}, true, "403"},
		{"a request for a challenge", func(a *armable) func() told {
			return a.later(http.MethodPost, "/challenge", fmt.Sprintf(`{"seen": %q}`, a.seen()))
		}, disarm, true, "409"},
		{"a challenge", func(a *armable) func() told {
			c := a.challenge()
			return func() told { return a.arm(c) }
		}, func(s *stand) {
			s.Do("arm", "succeeded done armed")
			s.Do("disarm", "succeeded done active")
		}, true, "403"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := s.in(t)
			a := &armable{s, &web{t, s.Address(), s.Simulation}}
			seen, arrives := a.seen(), row.sends(a)
			row.while(s)
			if row.shown {
				a.shows(seen)
			}
			before := s.nodes["rear"].Truth().Count("arm")
			if said := arrives(); !strings.HasPrefix(said.String(), row.want) {
				t.Errorf("it is answered with %v, want %s: %+v", said, row.want, said)
			}
			if truth := s.nodes["rear"].Truth(); truth.Armed || truth.Count("arm") != before {
				t.Errorf("the node was asked to arm: %+v", truth)
			}
		})
	}
}

// TestH7AStopEndsChallenges: the stop button is pressed and released, and a person acknowledges. Only then does a client
// send the arm that was prepared before.
func TestH7AStopEndsChallenges(t *testing.T) {
	t.Parallel()
	s := newStops(t)
	s.bring("active")
	b := s.button()
	a := &armable{s.stand, &web{t, s.Address(), s.Simulation}}
	c := a.challenge()
	b.press(true)
	s.stopped("says stop")
	while := a.challenge()
	b.press(false)
	s.is("clear")
	s.acknowledges("")
	bed.Eventually(t, "the server shows that it is acknowledged", func() (string, bool) {
		_, text := a.calls(http.MethodGet, "/simulation/"+a.id, "")
		return string(text), strings.Contains(string(text), `"open":[]`)
	})
	for _, challenge := range []string{c, while} {
		if said := a.arm(challenge); said.status != http.StatusForbidden {
			t.Errorf("an arm of before the acknowledgement is answered with %+v", said)
		}
	}
	s.wantWhere(s.all("active"))
	if said := a.arm(a.challenge()); said.String() != "200 done armed" {
		t.Errorf("an arm of now is answered with %+v", said)
	}
}
