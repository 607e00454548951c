package httpapi

import (
	"net"
	"sync"
	"time"
)

// Limits bounds what clients can use. Half of each number is for this host and half for all other
// hosts together, so that a flood from outside does not keep the operator at the robot away.
type Limits struct {
	Connections int           // beyond them a connection is closed at once
	Streams     int           // of events
	Orders      int           // commands, creations and removals whose clients wait
	Histories   int           // readers of the journal
	Scrapes     int           // readers of the metrics
	Body        int64         // bytes
	Header      int           // bytes; net/http allows 4096 more
	Read        time.Duration // for a whole request
	Write       time.Duration // for an answer, and for each event
	Idle        time.Duration // between two requests of a connection
}

// DefaultLimits returns the limits of a daemon.
func DefaultLimits() Limits {
	return Limits{
		Connections: 512, Streams: 128, Orders: 256, Histories: 8, Scrapes: 8,
		Body: 64 << 10, Header: 16 << 10,
		Read: 10 * time.Second, Write: 10 * time.Second, Idle: time.Minute,
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
	k := 0
	if local {
		k = 1
	}
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

// listener closes connections beyond the limit at once. A client that waited in the kernel's queue
// instead would not learn why.
type listener struct {
	net.Listener
	pool    *pool
	refused func()
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if giveBack, ok := l.pool.take(loopback(c.RemoteAddr().String())); ok {
			return &connection{c, giveBack}, nil
		}
		l.refused()
		c.Close()
	}
}

type connection struct {
	net.Conn
	giveBack func()
}

func (c *connection) Close() error {
	defer c.giveBack()
	return c.Conn.Close()
}
