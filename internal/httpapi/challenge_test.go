package httpapi

import (
	"encoding/json"
	"fmt"
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
	b.want(arm("arm", ""), 403, "needs a valid challenge")
	b.want(arm("arm", "AAAAAAAAAAAAAAAAAAAAAAAAAA"), 403)
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

func TestChallengesExpire(t *testing.T) {
	now := time.Unix(1000, 0)
	c := &challenges{now: func() time.Time { return now }}
	for age, valid := range map[time.Duration]bool{0: true, challengeLife - 1: true, challengeLife: false,
		time.Hour: false} {
		text := c.issue("0", "run").Challenge
		now = now.Add(age)
		if c.redeem(text, "0", "run") != valid {
			t.Errorf("after %v: valid is %v", age, !valid)
		}
	}
}

// TestChallengesAreBounded: the oldest gives way, and the newest is valid.
func TestChallengesAreBounded(t *testing.T) {
	c := &challenges{now: time.Now}
	first := c.issue("0", "run").Challenge
	var last string
	for range maxChallenges {
		last = c.issue("0", "run").Challenge
	}
	if len(c.all) != maxChallenges || c.redeem(first, "0", "run") || !c.redeem(last, "0", "run") {
		t.Errorf("%d challenges are kept", len(c.all))
	}
	if c.redeem("", "0", "run") {
		t.Error("no challenge is valid")
	}
}
