package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestA12AnAcknowledgementNeedsAChallenge on loopback too: the first request gets one and acknowledges nothing. It is
// valid once, for this run, and for nothing else; and a challenge to arm is none.
func TestA12AnAcknowledgementNeedsAChallenge(t *testing.T) {
	b := start(t)
	b.fake.set(func() { b.fake.stopped = true })
	send := func(challenge string) reply {
		return b.send("POST", "/simulation/0/acknowledge", fmt.Sprintf(`{"who":"ann","authority":"key","challenge":%q}`,
			challenge))
	}
	next := func(r reply) string {
		var p Problem
		if err := json.Unmarshal([]byte(r.text), &p); err != nil || p.Challenge == "" {
			t.Fatalf("no challenge in %s: %v", r.text, err)
		}
		return p.Challenge
	}
	first := next(b.want(b.send("POST", "/simulation/0/acknowledge", `{}`), 409, "send the request again"))
	b.want(send(""), 409)
	b.want(send("AAAAAAAAAAAAAAAAAAAAAAAAAA"), 409)
	b.want(send(b.challenge("0")), 409)
	if len(b.fake.acks) != 0 {
		t.Fatalf("acknowledged without a challenge: %+v", b.fake.acks)
	}
	b.fake.set(func() { b.fake.all["0"].State = "started" })
	toArm := next(send(""))
	b.want(b.send("PUT", "/simulation/0/state", fmt.Sprintf(`{"state":"arm","challenge":%q}`, toArm)), 403)
	old := next(send(""))
	b.fake.set(func() { b.fake.all["0"].Run = "later" })
	b.want(send(old), 409)
	b.want(send(first), 409)
	stops := &Stops{Open: List[Stop]{{Origin: "/rstate", Why: "/estop says stop", Run: "a", Count: 3}}}
	b.fake.set(func() { b.fake.all["0"].Stops = stops })
	before := next(send(""))
	other := Stop{Origin: "/other", Why: "/estop is silent", Run: "b", Count: 1}
	b.fake.set(func() { stops.Open = append(stops.Open, other) })
	b.want(send(before), 409) // another stop has come, which its person has not seen
	again := next(send(""))
	b.fake.set(func() { stops.Open[0].Count++ })
	b.want(send(again), 409) // the same one again, within the same moment
	restarted := next(send(""))
	b.fake.set(func() { stops.Open[1].Run = "c" })
	b.want(send(restarted), 409) // the first one of a later run of that instance
	newest := next(send(""))
	b.want(send(newest), 200, `"message":"acknowledged"`)
	if len(b.fake.acks) != 1 || b.fake.acks[0].Who != "ann" || b.fake.acks[0].Authority != "key" ||
		!slices.Equal(b.fake.acks[0].Shown, stops.Open) { // else the engine would take later ones
		t.Errorf("acknowledged: %+v", b.fake.acks)
	}
	if name := b.fake.clients[len(b.fake.clients)-1]; !strings.HasPrefix(name, "127.0.0.1 (HTTP, ") {
		t.Errorf("acknowledged by %q, whatever name the person gives", name)
	}
	b.want(send(newest), 409)
	b.want(send(next(send(""))), 400, "nothing is stopped")
	b.fake.set(func() { b.fake.all["0"].Stops, b.fake.stopped = nil, true }) // a stop that is not shown yet
	b.want(send(next(send(""))), 200)
	if shown := b.fake.acks[1].Shown; len(shown) > 0 {
		t.Errorf("what is not shown is acknowledged: %v", shown)
	}
	b.want(b.send("POST", "/simulation/9/acknowledge", `{}`), 404)
}

// TestA12WhatComesWithTheAcknowledgementIsNotAcknowledged: a stop that comes when the challenge was found valid was not
// shown to the person.
func TestA12WhatComesWithTheAcknowledgementIsNotAcknowledged(t *testing.T) {
	b := start(t)
	first := Stop{Origin: "/rstate", Why: "/estop says stop", Run: "a", Count: 3}
	stops := func(all ...Stop) func() {
		return func() { b.fake.stopped, b.fake.all["0"].Stops = true, &Stops{Open: all} }
	}
	b.fake.set(stops(first))
	send := func(challenge string) reply {
		return b.send("POST", "/simulation/0/acknowledge", fmt.Sprintf(`{"challenge":%q}`, challenge))
	}
	var p Problem
	if err := json.Unmarshal([]byte(b.want(send(""), 409).text), &p); err != nil {
		t.Fatal(err)
	}
	b.fake.set(func() {
		b.fake.got = func() { stops(first, Stop{Origin: "/other", Why: "/estop is silent", Run: "b", Count: 1})() }
	})
	b.want(send(p.Challenge), 200)
	if len(b.fake.acks) != 1 || !slices.Equal(b.fake.acks[0].Shown, List[Stop]{first}) {
		t.Errorf("acknowledged: %+v", b.fake.acks)
	}
}

// TestH2AnAcknowledgementNeedsTheToken: at the door, and where it is carried out.
func TestH2AnAcknowledgementNeedsTheToken(t *testing.T) {
	b := start(t, func(c *Config) { c.Token = writeToken })
	b.fake.set(func() { b.fake.stopped = true })
	b.want(b.send("POST", "/simulation/0/acknowledge", `{}`), 401, "needs the token")
	for may := range commands {
		ctx := context.WithValue(t.Context(), callerKey{}, caller{local: true, may: may})
		_, err := b.server.acknowledge(ctx, &acknowledgeInput{ByID: ByID{"0"}})
		if p, ok := err.(*Problem); !ok || p.Status != 401 {
			t.Errorf("with access %d: %v", may, err)
		}
	}
	if len(b.fake.acks) != 0 || len(b.server.challenges.all) != 0 {
		t.Errorf("acknowledged %+v; challenges %+v", b.fake.acks, b.server.challenges.all)
	}
}
