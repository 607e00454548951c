package httpapi

import (
	"crypto/rand"
	"slices"
	"sync"
	"time"
)

const (
	challengeLife = 30 * time.Second
	maxChallenges = 64 // that are valid; a further one replaces the oldest
)

// challenges are what commands that arm have to bring. A challenge shows that a client has just
// asked this server about this simulation: a request that was recorded, repeated or meant for another
// run, or for another state of it, does not arm. Whatever ends a permission to arm changes Simulation.Seen, and so ends
// all challenges, whichever client disarmed. The view of the server may be older than such an end. So a disarm over HTTP
// voids all challenges of the simulation when it is handed over, which is under the lock for both. And the engine gets
// the Seen of the challenge with the order, and judges.
type challenges struct {
	now func() time.Time
	mu  sync.Mutex  // also held while an order is handed over
	all []challenge // oldest first
}

type challenge struct {
	text    string
	of      situation
	expires time.Time
}

// situation is what a client that asks for a challenge looks at. Stops are in it because an acknowledgement, which ends
// no permission to arm, makes Arm legal.
type situation struct{ id, run, state, target, seen, stops string }

func situationOf(s *Simulation) situation {
	return situation{s.ID, s.Run, s.State, s.Target, s.Seen, s.Stops.shown()}
}

func (c *challenges) issue(of situation) Challenge {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	c.all = slices.DeleteFunc(c.all, func(k challenge) bool { return !now.Before(k.expires) })
	if len(c.all) == maxChallenges {
		c.all = c.all[1:]
	}
	k := challenge{rand.Text(), of, now.Add(challengeLife)}
	c.all = append(c.all, k)
	return Challenge{Challenge: k.text, ValidFor: challengeLife.Seconds()}
}

// void ends all challenges of a simulation, and hands over the disarm for which it does.
func (c *challenges) void(id string, handOver func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = slices.DeleteFunc(c.all, func(k challenge) bool { return k.of.id == id })
	handOver()
}

// redeem reports whether a challenge is valid in a situation, and hands over what it is for. A seen that the order
// brings must be that of the challenge. The challenge is not valid afterwards.
func (c *challenges) redeem(text string, in situation, seen string, handOver func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := slices.IndexFunc(c.all, func(k challenge) bool { return k.text == text })
	if k < 0 {
		return false
	}
	found := c.all[k]
	c.all = slices.Delete(c.all, k, k+1)
	valid := found.of == in && (seen == "" || seen == found.of.seen) && c.now().Before(found.expires)
	if valid {
		handOver()
	}
	return valid
}
