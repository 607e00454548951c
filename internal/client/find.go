//go:build ros

package client

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"rstate/internal/host"
	"rstate/internal/patient"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// How a client deals with a daemon that is absent or unresponsive.

const (
	// findIn is how long a client looks for a daemon of which the graph knows nothing.
	findIn = 5 * time.Second
	// findStep is how often it looks.
	findStep = 20 * time.Millisecond
	// trust is how long a daemon may be silent before it does not count as alive; it renews its
	// life far more often.
	trust = time.Second * patient.Factor
	// silentFor is how long a daemon is unresponsive before the client reports that.
	silentFor = 2 * time.Second
	// Patience is the default time to wait for an unresponsive daemon. A healthy daemon can be that
	// slow on an overloaded machine.
	Patience = 10 * time.Second
	// lastWord is how long the answer of a daemon that has ended may still be in transit.
	// lastWordHere is the same for a daemon on this host.
	lastWord, lastWordHere = time.Second, 200 * time.Millisecond
	// deathStep is how often a client looks whether the process of a daemon on its host still
	// lives.
	deathStep = 100 * time.Millisecond
)

// State returns the newest state that the daemon has published, waiting for the first one.
func (c *Client) State(ctx context.Context) (*rstate_msgs_msg.InstanceState, error) {
	known := func() *rstate_msgs_msg.InstanceState {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.state
	}
	err := c.expect(ctx, "publishes its state", func() bool { return known() != nil })
	return known(), err
}

// find waits until the daemon's action can be used.
func (c *Client) find(ctx context.Context) error {
	return c.expect(ctx, "takes goals", func() bool {
		ok, err := c.action.Available()
		return err == nil && ok
	})
}

// expect waits for something that a running daemon does by itself. An unknown daemon has findIn to
// appear. A daemon that is in the graph or runs on this host may be busy, so it has Patience.
func (c *Client) expect(ctx context.Context, what string, holds func() bool) error {
	tick := time.NewTicker(findStep)
	defer tick.Stop()
	said, began := false, cmp.Or(c.began, time.Now())
	c.began = time.Time{}
	for {
		c.mu.Lock()
		change := c.change
		c.mu.Unlock()
		if holds() {
			return nil
		}
		waited, there := time.Since(began), c.there()
		switch {
		case ctx.Err() == nil && c.misled(waited):
			return c.Widen(began)
		case there == "" && waited >= min(findIn, c.Patience):
			return c.notFound(what)
		case waited >= c.Patience:
			return c.unanswered(there)
		case there != "" && waited >= silentFor && !said:
			said = true
			c.waits("%s %s, but has not answered for %v; waiting for it, %v at the most", c.daemon, there, silentFor,
				c.Patience)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("stopped before %q was found: %w", c.daemon, ctx.Err())
		case <-change:
		case <-tick.C:
		}
	}
}

// waits reports to Client.Waits, if set, what the client waits for.
func (c *Client) waits(format string, words ...any) {
	if c.Waits != nil {
		c.Waits(fmt.Sprintf(format, words...))
	}
}

// unanswered returns the error for a daemon that exists but is unresponsive.
func (c *Client) unanswered(there string) error {
	return &NoDaemon{fmt.Sprintf("cannot reach %q: it %s, but has not answered for %v (%s); it is busy, or stopped, or was killed a moment ago and still counts as there; "+
		"look at its process, or wait longer with --timeout", c.daemon, there, c.Patience, c.session.Where())}
}

// notFound returns an error that names what the client looked for, where, and what exists instead.
func (c *Client) notFound(what string) error {
	text := fmt.Sprintf("cannot find %q: no daemon of that name %s within %v (%s); ", c.daemon, what,
		min(findIn, c.Patience), c.session.Where())
	if others := c.others(); len(others) > 0 {
		return &NoDaemon{text + "there is " + strings.Join(others, ", ") + ": name it with --node, or in RSTATE_NODE"}
	}
	return &NoDaemon{text + "start one with rstate run FILE, in the same domain"}
}

// others lists the daemons that are there.
func (c *Client) others() []string {
	topics, err := c.node.GetTopicNamesAndTypes(true)
	if err != nil {
		return nil
	}
	var names []string
	for topic, kinds := range topics {
		name, ok := strings.CutSuffix(topic, "/state")
		if ok && name != c.daemon && slices.Contains(kinds, "rstate_msgs/msg/InstanceState") && c.published(topic) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (c *Client) published(topic string) bool {
	n, err := c.node.CountPublishers(topic)
	return err == nil && n > 0
}

// watch calls gone when the daemon, or the known run of it, has ended. From then on lost returns
// the reason; before, it returns nil. An unresponsive daemon has Patience before it counts as
// ended.
func (c *Client) watch(ctx context.Context, command string, gone func()) (lost func() error) {
	var mu sync.Mutex
	var how error
	c.mu.Lock()
	run := c.state.InstanceId
	c.mu.Unlock()
	go func() {
		if err := c.outlives(ctx, run, command); err != nil {
			mu.Lock()
			how = err
			mu.Unlock()
			gone()
		}
	}()
	return func() error {
		mu.Lock()
		defer mu.Unlock()
		return how
	}
}

// outlives returns nil when ctx ends, and an error if the run of the daemon ends before that. On
// the daemon's own host the client sees the end at once. On other hosts, and if the daemon is
// suspended, the client relies on the daemon's liveliness, or on the age of its messages.
func (c *Client) outlives(ctx context.Context, run, command string) error {
	w := deathWatch{client: c, run: run, command: command}
	for {
		c.mu.Lock()
		now, alive, change := c.state.InstanceId, c.pulse.Alive, c.change
		c.mu.Unlock()
		if now != run {
			return c.silent(command, "another run of it has taken its place")
		}
		pause, err := w.look(alive)
		if err != nil {
			return err
		}
		again := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			again.Stop()
			return nil
		case <-change:
			again.Stop()
		case <-again.C:
		}
	}
}

// deathWatch is what a client knows of the end of a run of its daemon.
type deathWatch struct {
	client       *Client
	run, command string
	since        time.Time // it gives no sign of life; zero: it does
	said         bool      // the user was told that it gives none
	held         bool      // it was seen to hold its name on this host
}

// look returns an error if the run has ended, and else when to look again. alive is whether the
// daemon gives signs of life.
func (w *deathWatch) look(alive bool) (pause time.Duration, err error) {
	c := w.client
	holds, over := c.holds(w.run)
	w.held = w.held || holds
	died := w.held && over // a lock that was never seen may be hidden: from another container, say
	if alive && !died {
		w.answers()
		return deathStep, nil
	}
	if w.since.IsZero() {
		w.since = time.Now()
	}
	quiet, there := time.Since(w.since), c.there()
	switch {
	case died && quiet >= lastWordHere, over && quiet >= lastWord:
		return 0, c.silent(w.command, "its process has died")
	case died:
	case quiet >= lastWord && there == "":
		return 0, c.silent(w.command, "it has left the graph")
	case quiet+trust >= c.Patience:
		return 0, c.silent(w.command, fmt.Sprintf("it %s, but has given no sign of life for %v", there, c.Patience))
	case quiet+trust >= silentFor && !w.said:
		w.said = true
		c.waits("%s %s, but has given no sign of life for %v; waiting for it, %v at the most", c.daemon, there,
			silentFor, c.Patience)
	}
	return findStep, nil
}

// answers notes that the daemon gives signs of life.
func (w *deathWatch) answers() {
	if w.said {
		w.client.waits("%s answers again", w.client.daemon)
	}
	w.since, w.said = time.Time{}, false
}

// holds reports whether a run of the daemon holds its name on this host (now), or held it and has
// released it (over). Both are false for a daemon on another host or of another user.
func (c *Client) holds(run string) (now, over bool) {
	by, has, err := c.holder()
	ours := err == nil && by.Run == run
	return ours && has, ours && !has
}

// there returns where the daemon was seen, as part of a sentence. It is empty if it was not seen.
func (c *Client) there() string {
	if c.published(c.daemon + "/state") {
		return "is in the graph"
	}
	if by, has, err := c.holder(); err == nil && has {
		return fmt.Sprintf("runs on this host as process %d", by.PID)
	}
	return ""
}

func (c *Client) holder() (by host.Holder, has bool, err error) {
	domain, err := c.session.Domain()
	if err != nil {
		return host.Holder{}, false, err
	}
	return host.WhoHolds(c.daemon, domain)
}

func (c *Client) silent(command, how string) error {
	return &NoDaemon{fmt.Sprintf("cannot follow %s: %s has fallen silent, %s; what became of %s is not known: look with rstate status; if it has ended, start it again with rstate run",
		command, c.daemon, how, command)}
}
