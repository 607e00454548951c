package httpapi

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// follower reads the events of one stream.
type follower struct {
	*bench
	conn  net.Conn
	lines *bufio.Scanner
}

func (b *bench) follow(query string) *follower {
	b.Helper()
	c := b.raw("GET /events" + query + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
	r := bufio.NewReader(c)
	w, err := http.ReadResponse(r, nil)
	if err != nil || w.StatusCode != 200 || w.Header.Get("Content-Type") != "text/event-stream" ||
		w.Header.Get("Cache-Control") != "no-store" {
		b.Fatalf("no stream: %v, %+v", err, w)
	}
	lines := bufio.NewScanner(w.Body)
	lines.Buffer(nil, 1<<20)
	return &follower{b, c, lines}
}

// next returns the next event that is not alive.
func (f *follower) next() (name, data string) {
	f.Helper()
	for f.lines.Scan() {
		if v, ok := strings.CutPrefix(f.lines.Text(), "event: "); ok {
			name = v
		}
		if v, ok := strings.CutPrefix(f.lines.Text(), "data: "); ok && name != "alive" {
			return name, v
		}
	}
	f.Fatalf("the stream ends: %v", f.lines.Err())
	return
}

func (f *follower) want(name string, parts ...string) {
	f.Helper()
	got, data := f.next()
	if got != name {
		f.Fatalf("event %s %s, want %s", got, data, name)
	}
	for _, p := range parts {
		if !strings.Contains(data, p) {
			f.Errorf("%q is missing in %s", p, data)
		}
	}
}

// until skips events, because a passing state may or may not be seen.
func (f *follower) until(name, part string) {
	f.Helper()
	for {
		if got, data := f.next(); got == name && strings.Contains(data, part) {
			return
		}
	}
}

// TestEvents: a stream begins with everything, and goes on with what changes.
func TestEvents(t *testing.T) {
	b := start(t)
	b.send("POST", "/simulation", `{"experiment":"demo"}`)
	f := b.follow("")
	f.want("simulation", `"id":"0"`, `"state":"created"`)
	f.want("simulation", `"id":"1"`)
	f.want("ready")
	b.send("PUT", "/simulation/1/state", `{"state":"initialized"}`)
	f.until("simulation", `"state":"paused"`)
	b.send("POST", "/simulation", `{"experiment":"demo"}`)
	f.until("simulation", `"id":"2"`)
	b.send("DELETE", "/simulation/1", "")
	f.until("removed", `{"id":"1"}`)
}

func TestEventsOfOneSimulation(t *testing.T) {
	b := start(t)
	b.send("POST", "/simulation", `{"experiment":"demo"}`)
	f := b.follow("?simulation=1")
	f.want("simulation", `"id":"1"`)
	f.want("ready")
	b.send("PUT", "/simulation/0/state", `{"state":"initialized"}`)
	b.send("PUT", "/simulation/1/state", `{"state":"initialized"}`)
	f.want("simulation", `"id":"1"`)
}

// TestEventsAlive: a client hears of the server every second, even if nothing changes. The limits of
// time are for each event, not for the stream.
func TestEventsAlive(t *testing.T) {
	b := start(t, func(c *Config) { c.Limits.Read = 200 * time.Millisecond; c.Limits.Write = 200 * time.Millisecond })
	f := b.follow("")
	b.fake.set(func() { b.fake.all["0"].Stalled = true })
	var stamps []time.Time
	for len(stamps) < 3 && f.lines.Scan() {
		if f.lines.Text() != "event: alive" {
			continue
		}
		var a Alive
		f.lines.Scan()
		if err := json.Unmarshal([]byte(strings.TrimPrefix(f.lines.Text(), "data: ")), &a); err != nil {
			t.Fatal(err)
		}
		if stamps = append(stamps, a.Stamp); len(stamps) == 3 && !slices.Equal(a.Stalled, []string{"0"}) {
			t.Errorf("stalled are %v", a.Stalled)
		}
	}
	// The first one comes at once, so that a client knows the clock of the server before it hears of states. The second
	// one may be late, and the third one is not late for that.
	if len(stamps) != 3 || stamps[2].Sub(stamps[0]) < aliveEvery/2 {
		t.Errorf("alive at %v, %v", stamps, f.lines.Err())
	}
}

// TestASlowStreamIsMerged: what a client has not read is at most one event of each simulation, and one alive.
func TestASlowStreamIsMerged(t *testing.T) {
	h := newHub(newFake())
	s := h.join("")
	h.spread()
	for range 1000 {
		h.mark("0")
		h.spread()
	}
	s.beat(aliveOf(nil, ""))
	s.beat(aliveOf(nil, ""))
	if events, alive, ready := s.take(); len(events) != 1 || alive == nil || !ready {
		t.Errorf("%d events wait, and %q", len(events), alive)
	}
	if events, alive, _ := s.take(); len(events) != 0 || alive != nil {
		t.Errorf("%d events are given twice, and %q", len(events), alive)
	}
	h.leave(s)
	h.mark("0")
	if len(h.changed) != 0 || len(h.streams) != 0 {
		t.Error("a hub without streams collects changes")
	}
}

// TestManyStreams: 2000 clients ask, as many as are allowed get a stream, and the rest and all
// other requests are answered.
func TestManyStreams(t *testing.T) {
	b := start(t, func(c *Config) { c.Limits.Streams = 40 })
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	wait(t, "no stream is open", func() bool { return b.server.streams.inUse() == 0 })
	var followers []*follower
	for range 20 {
		followers = append(followers, b.follow(""))
	}
	for range 2000 - 20 {
		a := b.want(b.send("GET", "/events", ""), 503, "too many streams")
		if a.Header.Get("Retry-After") != "1" {
			t.Fatal("Retry-After is missing")
		}
	}
	b.want(b.send("PUT", "/simulation/0/state", `{"state":"initialized"}`), 200)
	for _, f := range followers {
		f.until("simulation", `"state":"paused"`)
		f.conn.Close()
	}
	wait(t, "the places are free again", func() bool { return b.server.streams.inUse() == 0 })
	if strings.Contains(b.send("GET", "/metrics", "").text, `route="GET /events",status="200"`) {
		t.Error("the length of a stream counts as the time of an answer")
	}
	b.follow("").until("ready", "")
}

// TestAStreamThatIsNotRead is cut off, and does not hold up the others.
func TestAStreamThatIsNotRead(t *testing.T) {
	b := start(t, func(c *Config) { c.Limits.Write = 100 * time.Millisecond })
	b.fake.set(func() {
		// more than the buffers of a connection hold soon
		b.fake.all["0"].Warnings = List[string]{strings.Repeat("x", 500<<10)}
	})
	deaf := b.raw("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
	deaf.(*net.TCPConn).SetReadBuffer(4096)
	begin := make([]byte, len("HTTP/1.1 200")) // the stream is open, or was
	if _, err := io.ReadFull(deaf, begin); err != nil || string(begin) != "HTTP/1.1 200" {
		t.Fatalf("the stream begins with %q, %v", begin, err)
	}
	wait(t, "the stream is cut off", func() bool {
		b.fake.set(func() { b.fake.changed("0") })
		return b.server.streams.inUse() == 0
	})
	b.want(b.send("GET", "/healthz", ""), 200)
}

// TestEventsAreOneLine: a text with line ends cannot forge an event.
func TestEventsAreOneLine(t *testing.T) {
	b := start(t)
	b.fake.set(func() { b.fake.all["0"].Cause = "a\n\nevent: removed\ndata: {\"id\":\"0\"}\r\n\u2028" })
	f := b.follow("")
	name, data := f.next()
	var s Simulation
	if err := json.Unmarshal([]byte(data), &s); err != nil || name != "simulation" || s.Cause != b.fake.all["0"].Cause {
		t.Errorf("%s: %v, %q", name, err, s.Cause)
	}
}

// TestAFaultIsAnEvent: a simulation whose state cannot be had is an event too.
func TestAFaultIsAnEvent(t *testing.T) {
	b := start(t)
	f := b.follow("")
	f.until("ready", "")
	b.fake.set(func() { b.fake.panics = true; b.fake.changed("0") })
	f.until("fault", `"id":"0"`)
}

func BenchmarkGetState(b *testing.B) {
	f := newFake()
	s := New(Config{Simulations: f, Factory: f, Limits: DefaultLimits()})
	l, _ := net.Listen("tcp", "127.0.0.1:0")
	s.Start(l)
	defer s.http.Close()
	url := fmt.Sprintf("http://%s/simulation/0/state", l.Addr())
	for b.Loop() {
		w, err := http.Get(url)
		if err != nil {
			b.Fatal(err)
		}
		io.Copy(io.Discard, w.Body)
		w.Body.Close()
	}
}
