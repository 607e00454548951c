package httpapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"
)

func (b *bench) challenge(id string) string {
	b.Helper()
	var c Challenge
	json.Unmarshal([]byte(b.want(b.send("POST", "/simulation/"+id+"/challenge", ""), 201, `"valid_for_s":30`).text), &c)
	return c.Challenge
}

// TestArmingNeedsAChallenge on loopback too: of this server, for this run, once, and only for a
// while.
func TestArmingNeedsAChallenge(t *testing.T) {
	b := start(t)
	arm := func(command, challenge string) reply {
		b.fake.set(func() { b.fake.all["0"].State = "started" })
		return b.send("PUT", "/simulation/0/state",
			fmt.Sprintf(`{"state":%q,"challenge":%q,"authority":"key"}`, command, challenge))
	}
	b.want(arm("arm", ""), 403, "needs a challenge: POST /simulation/0/challenge")
	b.want(arm("arm", "AAAAAAAAAAAAAAAAAAAAAAAAAA"), 403, "change has come since you looked")
	b.want(b.send("PUT", "/simulation/0/state", `{"state":"arm"}`), 403)
	for _, other := range []string{" ARM ", "Armed"} { // the machine decides what a command means
		b.want(arm(other, ""), 403)
	}
	once := b.challenge("0")
	b.want(arm("arm", once), 200, `"state":"armed"`)
	if b.fake.orders[0].Authority != "key" {
		t.Error("the authority of the file is not asked for any more")
	}
	b.want(arm("arm", once), 403)

	ofAnother := b.want(b.send("POST", "/simulation", `{"experiment":"demo"}`),
		201).Header.Get("Location")[len("/simulation/"):]
	foreign := b.challenge(ofAnother)
	b.want(arm("arm", foreign), 403)

	old := b.challenge("0")
	b.fake.set(func() { b.fake.all["0"].Run = "later" })
	b.want(arm("arm", old), 403)
	b.want(b.send("PUT", "/simulation/0/state", `{"state":"paused"}`), 200) // lowering needs none
	if len(b.fake.orders) != 2 {
		t.Errorf("carried out: %+v", b.fake.orders)
	}
}

// TestAChallengeIsBurntByAFailure: it cannot be tried with several simulations or commands.
func TestAChallengeIsBurntByAFailure(t *testing.T) {
	b := start(t)
	c := b.challenge("0")
	b.want(b.send("PUT", "/simulation/0/state", fmt.Sprintf(`{"state":"arm","challenge":%q}`, c)), 400,
		"not legal in created")
	b.fake.set(func() { b.fake.all["0"].State = "started" })
	b.want(b.send("PUT", "/simulation/0/state", fmt.Sprintf(`{"state":"arm","challenge":%q}`, c)), 403)
}

// TestH7AChallengeIsForWhatTheClientSaw: all that changes what the client looked at ends it, also what other clients do.
func TestH7AChallengeIsForWhatTheClientSaw(t *testing.T) {
	open := &Stops{Open: List[Stop]{{Origin: "/rstate", Why: "/estop says stop", Run: "a", Count: 1}}}
	change := func(edit func(*Simulation)) func(*bench) {
		return func(b *bench) { b.fake.set(func() { edit(b.fake.all["0"]) }) }
	}
	for name, row := range map[string]struct{ before, after func(*bench) }{
		"another run":    {nil, change(func(s *Simulation) { s.Run = "later" })},
		"another state":  {nil, change(func(s *Simulation) { s.State = "paused" })},
		"another target": {nil, change(func(s *Simulation) { s.Target = "paused" })},
		// Over ROS the state may be the same again when the server looks.
		"arm and disarm over ROS": {nil, change(func(s *Simulation) { s.Seen = "run0/1" })},
		"press, release and acknowledge": {nil, change(func(s *Simulation) {
			s.Stops = &Stops{}
			s.Seen = "run0/1"
		})},
		"an acknowledgement": {change(func(s *Simulation) { s.Stops = open }),
			change(func(s *Simulation) { s.Stops = &Stops{} })},
		// It is not legal here, and voids the challenge all the same.
		"a disarm": {nil, func(b *bench) { b.send("PUT", "/simulation/0/state", `{"state":"disarm"}`) }},
	} {
		t.Run(name, func(t *testing.T) {
			b := start(t)
			b.fake.set(func() { b.fake.all["0"].State = "started" })
			if row.before != nil {
				row.before(b)
			}
			c := b.challenge("0")
			row.after(b)
			b.want(b.send("PUT", "/simulation/0/state", fmt.Sprintf(`{"state":"arm","challenge":%q}`, c)), 403)
			if len(b.fake.orders) > 0 {
				t.Errorf("carried out: %+v", b.fake.orders)
			}
		})
	}
}

// TestH7AChallengeIsForOneSituation: none that was made in another one is valid, whatever they differ in, and it cannot
// be tried again.
func TestH7AChallengeIsForOneSituation(t *testing.T) {
	here := situation{"0", "run", "started", "started", "run/7", "[]"}
	others := []situation{
		{"1", "run", "started", "started", "run/7", "[]"},
		{"0", "later", "started", "started", "run/7", "[]"},
		{"0", "run", "paused", "started", "run/7", "[]"},
		{"0", "run", "started", "armed", "run/7", "[]"},
		{"0", "run", "started", "started", "run/8", "[]"},
		{"0", "run", "started", "started", "run/7", "[/estop]"},
	}
	if n := reflect.TypeFor[situation]().NumField(); n != len(others) {
		t.Fatalf("a situation has %d fields, and %d were tried", n, len(others))
	}
	c := &challenges{now: time.Now}
	for _, other := range others {
		text := c.issue(other).Challenge
		never := func() { t.Errorf("a challenge of %v is for %v", other, here) }
		if c.redeem(text, here, "", never) || c.redeem(text, other, "", never) {
			t.Errorf("a challenge of %v is valid in %v, or after that was tried", other, here)
		}
	}
	if handed := false; !c.redeem(c.issue(here).Challenge, here, "", func() { handed = true }) || !handed {
		t.Error("no challenge is valid")
	}
}

// TestH7AChallengeIsItsWholeText: no part of one is valid, nor one with more after it.
func TestH7AChallengeIsItsWholeText(t *testing.T) {
	c := &challenges{now: time.Now}
	var here situation
	text := c.issue(here).Challenge
	for _, part := range []string{"", text[:1], text[:len(text)-1], text[1:], text + "A", text + " ", "A" + text} {
		if c.redeem(part, here, "", func() { t.Errorf("%q stands for %q", part, text) }) {
			t.Errorf("%q is valid as %q", part, text)
		}
	}
	if !c.redeem(text, here, "", func() {}) {
		t.Error("the whole text is not valid")
	}
}

// TestH7ARefusedArmTakesNoPlace: a client that arms without a valid challenge again and again does not keep others
// from commands.
func TestH7ARefusedArmTakesNoPlace(t *testing.T) {
	b := start(t, func(c *Config) { c.Limits.Orders = 2 })
	for range 5 {
		b.want(b.send("PUT", "/simulation/0/state", `{"state":"arm"}`), 403)
	}
	b.want(b.send("PUT", "/simulation/0/state", `{"state":"initialized"}`), 200)
}

// TestH7AnOrderBringsWhatItsChallengeSaw: the engine gets it, because the view of the server may be old. A client that
// says what it saw gets no challenge, and arms nothing, after that has changed.
func TestH7AnOrderBringsWhatItsChallengeSaw(t *testing.T) {
	b := start(t)
	arm := func(more string) reply {
		b.fake.set(func() { b.fake.all["0"].State = "started" })
		return b.send("PUT", "/simulation/0/state", fmt.Sprintf(`{"state":"arm","challenge":%q%s}`, b.challenge("0"), more))
	}
	b.want(arm(""), 200)
	b.want(arm(`,"seen":"run0/0"`), 200)
	if o := b.fake.orders; len(o) != 2 || o[0].Seen != "run0/0" || o[1].Seen != "run0/0" {
		t.Errorf("the engine gets %+v", o)
	}
	b.want(arm(`,"seen":"run0/1"`), 409, "change has come since you looked (look at the robot")
	ask := func(body string) reply { return b.send("POST", "/simulation/0/challenge", body) }
	b.want(ask(`{}`), 201)
	b.want(ask(`{"seen":""}`), 201)
	b.want(ask(`{"seen":"run0/0"}`), 201)
	b.fake.set(func() { b.fake.all["0"].Seen = "run0/1" }) // while the request is on its way
	b.want(ask(`{"seen":"run0/0"}`), 409, "change has come since you looked (look at the robot")
	b.want(ask(`{"saw":"run0/1"}`), 400)
	b.want(ask(`[]`), 400)
	if len(b.fake.orders) != 2 || len(b.server.challenges.all) != 3 {
		t.Errorf("carried out: %+v; challenges: %+v", b.fake.orders, b.server.challenges.all)
	}
}

// TestH7AnArmIsHandedOverWithItsChallenge: the server hands it on before it knows of a disarm that comes after the
// challenge was redeemed. A disarm that ends challenges is handed on before an arm gets a new one.
func TestH7AnArmIsHandedOverWithItsChallenge(t *testing.T) {
	b := start(t)
	var seen []string
	b.fake.set(func() {
		b.fake.all["0"].State = "started"
		b.fake.handed = func(_ string, a Asked) Wait {
			if b.server.challenges.mu.TryLock() {
				b.server.challenges.mu.Unlock()
				t.Errorf("challenges can end and begin while %s is handed over", a.Word)
			}
			seen = append(seen, a.Word.String())
			return nil
		}
	})
	b.want(b.send("PUT", "/simulation/0/state", fmt.Sprintf(`{"state":"arm","challenge":%q}`, b.challenge("0"))), 200)
	b.want(b.send("PUT", "/simulation/0/state", `{"state":"disarm"}`), 200)
	if !slices.Equal(seen, []string{"arm", "disarm"}) {
		t.Errorf("handed over: %q", seen)
	}
}

func TestChallengesExpire(t *testing.T) {
	now := time.Unix(1000, 0)
	c := &challenges{now: func() time.Time { return now }}
	for age, valid := range map[time.Duration]bool{0: true, challengeLife - 1: true, challengeLife: false,
		time.Hour: false} {
		text := c.issue(situation{id: "0"}).Challenge
		now = now.Add(age)
		if c.redeem(text, situation{id: "0"}, "", func() {}) != valid {
			t.Errorf("after %v: valid is %v", age, !valid)
		}
	}
}

// TestChallengesAreBounded: the oldest gives way, and the newest is valid.
func TestChallengesAreBounded(t *testing.T) {
	c := &challenges{now: time.Now}
	first := c.issue(situation{id: "0"}).Challenge
	var last string
	for range maxChallenges {
		last = c.issue(situation{id: "0"}).Challenge
	}
	valid := func(text string) bool { return c.redeem(text, situation{id: "0"}, "", func() {}) }
	if len(c.all) != maxChallenges || valid(first) || !valid(last) {
		t.Errorf("%d challenges are kept", len(c.all))
	}
	if valid("") {
		t.Error("no challenge is valid")
	}
}
