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
// asked this server about this run of this simulation: a request that was recorded, repeated or
// meant for another run does not arm.
type challenges struct {
	now func() time.Time
	mu  sync.Mutex
	all []challenge // oldest first
}

type challenge struct {
	text, id, run string
	expires       time.Time
}

func (c *challenges) issue(id, run string) Challenge {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	c.all = slices.DeleteFunc(c.all, func(k challenge) bool { return !now.Before(k.expires) })
	if len(c.all) == maxChallenges {
		c.all = c.all[1:]
	}
	k := challenge{rand.Text(), id, run, now.Add(challengeLife)}
	c.all = append(c.all, k)
	return Challenge{Challenge: k.text, ValidFor: challengeLife.Seconds()}
}

// redeem reports whether a challenge is valid for a run. It is not valid afterwards.
func (c *challenges) redeem(text, id, run string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := slices.IndexFunc(c.all, func(k challenge) bool { return k.text == text })
	if k < 0 {
		return false
	}
	found := c.all[k]
	c.all = slices.Delete(c.all, k, k+1)
	return found.id == id && found.run == run && c.now().Before(found.expires)
}
