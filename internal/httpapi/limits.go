package httpapi

import (
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Limits bounds what clients can use. Half of each number is for this host and half for all other
// hosts together, so that a flood from outside does not keep the operator at the robot away.
type Limits struct {
	Connections int           // beyond them a connection is closed at once
	Streams     int           // of events
	Orders      int           // commands, creations and removals that run, whether or not their clients wait
	Disarms     int           // of one simulation that run at a time; those beyond share one that follows
	Histories   int           // readers of the journal; so many read data
	Data        int64         // bytes of simulation data in an answer
	Scrapes     int           // readers of the metrics
	Body        int64         // bytes
	Header      int           // bytes; net/http allows 4096 more
	Head        time.Duration // for the header of a request
	Read        time.Duration // for a whole request
	Write       time.Duration // for an answer, and for each event
	Idle        time.Duration // between two requests of a connection
}

// DefaultLimits returns the limits of a daemon.
func DefaultLimits() Limits {
	return Limits{
		Connections: 512, Streams: 128, Orders: 256, Disarms: 32, Histories: 8, Scrapes: 8,
		Body: 64 << 10, Header: 16 << 10, Data: 1 << 20,
		Head: 5 * time.Second, Read: 10 * time.Second, Write: 10 * time.Second, Idle: time.Minute,
	}
}

// pool counts what is in use, apart for this host and for others.
type pool struct {
	mu    sync.Mutex
	limit int
	used  [2]int
}

func newPool(limit int) *pool { return &pool{limit: max(1, limit/2)} }

// take reserves one place. The caller gives it back once.
func (p *pool) take(local bool) (giveBack func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := side(local)
	if p.used[k] == p.limit {
		return nil, false
	}
	p.used[k]++
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.used[k]--
	}), true
}

func (p *pool) inUse() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return float64(p.used[0] + p.used[1])
}

// listener takes connections up to the limit. Beyond it, the oldest connection whose request has not
// come yet makes room: clients that send half a request keep no other client away. If all of them
// work, the new one is closed at once, because a client in the kernel's queue would not learn why.
type listener struct {
	net.Listener
	pool    *pool
	refused func()

	mu      sync.Mutex
	waiting [2][]*connection // apart for other hosts and for this one; the oldest first
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		here := loopback(c.RemoteAddr().String())
		giveBack, ok := l.pool.take(here)
		if !ok && l.evict(here) {
			giveBack, ok = l.pool.take(here)
		}
		if ok {
			one := &connection{Conn: c, giveBack: giveBack, l: l, here: here}
			l.waits(one)
			return one, nil
		}
		l.refused()
		c.Close()
	}
}

// evict closes the oldest connection that waits for a request, and reports whether there was one.
func (l *listener) evict(here bool) bool {
	l.mu.Lock()
	list := l.waiting[side(here)]
	l.mu.Unlock()
	if len(list) == 0 {
		return false
	}
	l.refused()
	list[0].Close()
	return true
}

// waits notes that a connection waits for a request, as the newest one.
func (l *listener) waits(c *connection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !c.closed {
		k := side(c.here)
		l.waiting[k] = append(slices.Clip(l.waiting[k]), c)
	}
}

// works notes that the request of a connection has come.
func (l *listener) works(c *connection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := side(c.here)
	l.waiting[k] = slices.DeleteFunc(slices.Clone(l.waiting[k]), func(o *connection) bool { return o == c })
}

func side(here bool) int {
	if here {
		return 1
	}
	return 0
}

type connection struct {
	net.Conn
	giveBack func()
	l        *listener
	here     bool
	closed   bool // guarded by l.mu
}

func (c *connection) Close() error {
	c.l.mu.Lock()
	c.closed = true
	c.l.mu.Unlock()
	c.l.works(c)
	defer c.giveBack()
	return c.Conn.Close()
}

type connectionKey struct{}

// connected lets a handler find the connection of its request.
func connected(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, c)
}

// working notes that the whole request has come, until the function that it returns is called.
func working(r *http.Request) (done func()) {
	c, ok := r.Context().Value(connectionKey{}).(*connection)
	if !ok {
		return func() {}
	}
	c.l.works(c)
	return func() { c.l.waits(c) }
}
