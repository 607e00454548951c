//go:build ros

package main

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"

	"rstate/internal/client"
	"rstate/internal/journal"
)

// lookFor is how long why and history look for a daemon of which nothing is known on this host.
var lookFor = time.Second

// pollEvery is how often --follow asks a daemon for new lines.
const pollEvery = time.Second

// asked is the journal of a daemon, over its service.
type asked struct {
	*env
	conn   *client.Client
	last   journal.Line // that was returned
	polled time.Time
}

// askDaemon returns the journal of a daemon that answers. If none does, it returns nil and says so.
// lives is whether a daemon has the name on this host.
func askDaemon(ctx context.Context, e *env, name string, lives bool) (b book, told string) {
	conn, err := connect(e, func() (*client.Client, error) { return client.NewBrief(name, nil, zap.NewNop()) })
	if err != nil {
		return nil, fmt.Sprintf("no daemon %s can be asked (%v)", name, err)
	}
	conn.Patience = lookFor
	if lives {
		conn.Patience = client.Patience
	}
	conn.Waits = func(text string) { e.fail(exitDone, "%s", text) }
	if _, err = conn.State(ctx); err == nil {
		return &asked{env: e, conn: conn}, ""
	}
	conn.Close()
	if lives {
		return nil, fmt.Sprintf("%s runs on this host, and does not answer", name)
	}
	return nil, fmt.Sprintf("no daemon %s answers", name)
}

func (b *asked) runs() bool { return true }

func (b *asked) close() { b.conn.Close() }

func (b *asked) next(ctx context.Context, f journal.Filter) ([]journal.Line, journal.Report) {
	if since := time.Since(b.polled); since < pollEvery {
		return nil, journal.Report{}
	}
	if !b.last.At.IsZero() {
		f.Since, f.Last = b.last.At, mostLines
	}
	lines, said, err := b.conn.History(ctx, f)
	b.polled = time.Now()
	if said != "" && b.last.N == 0 {
		b.fail(exitDone, "warning: %s", said)
	}
	return b.fresh(lines), journal.Report{Err: err}
}

// fresh returns those of lines that come after the last one that was returned.
func (b *asked) fresh(lines []journal.Line) []journal.Line {
	for k := range lines {
		if lines[k].N == b.last.N && lines[k].Instance == b.last.Instance {
			lines = lines[k+1:]
			break
		}
	}
	if len(lines) > 0 {
		b.last = lines[len(lines)-1]
	}
	return lines
}
