package httpapi

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap/zaptest"

	"rstate/internal/runnable"
)

// bench is a server on a real connection, with a fake behind it.
type bench struct {
	*testing.T
	fake   *fake
	server *Server
	addr   string
}

func start(t *testing.T, change ...func(*Config)) *bench {
	t.Helper()
	f := newFake()
	c := Config{Simulations: f, Factory: f, Log: zaptest.NewLogger(t), Version: "test", Limits: DefaultLimits()}
	for _, edit := range change {
		edit(&c)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t, f, New(c), l.Addr().String()}
	failed := b.server.Start(l)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		b.server.Stop(ctx)
		select {
		case err := <-failed:
			t.Error(err)
		default:
		}
	})
	f.until(t, "the server watches", func() bool { return len(f.watchers) == 1 })
	return b
}

// reply is an answer that was read to its end.
type reply struct {
	*http.Response
	text    string
	problem Problem
}

// send sends one request. Headers are given as "Name: value".
func (b *bench) send(method, path, body string, headers ...string) reply {
	b.Helper()
	r, err := http.NewRequest(method, "http://"+b.addr+path, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if r.Header.Set(name, value); name == "Host" {
			r.Host = value
		}
	}
	w, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		b.Fatal(err)
	}
	return b.read(w)
}

func (b *bench) read(w *http.Response) reply {
	b.Helper()
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	if err != nil {
		b.Fatal(err)
	}
	a := reply{Response: w, text: string(text)}
	if w.StatusCode >= 400 && w.Request.Method != http.MethodHead {
		if kind := w.Header.Get("Content-Type"); kind != "application/problem+json" {
			b.Errorf("status %d has %q: %s", w.StatusCode, kind, text)
		} else if json.Unmarshal(text, &a.problem) != nil || a.problem.Status != w.StatusCode || a.problem.Detail == "" || a.problem.Title == "" {
			b.Errorf("not a problem of status %d: %s", w.StatusCode, text)
		}
	}
	return a
}

func (b *bench) want(a reply, status int, parts ...string) reply {
	b.Helper()
	if a.StatusCode != status {
		b.Errorf("%s %s: status %d, want %d: %s", a.Request.Method, a.Request.URL.Path, a.StatusCode, status, a.text)
	}
	for _, p := range parts {
		if !strings.Contains(a.text, p) {
			b.Errorf("%s %s: %q is missing in %s", a.Request.Method, a.Request.URL.Path, p, a.text)
		}
	}
	return a
}

// remote sends a request as if it came from another host.
func (b *bench) remote(method, path, body string, headers ...string) reply {
	b.Helper()
	r := httptest.NewRequest(method, "http://192.168.7.1:8080"+path, strings.NewReader(body))
	r.RemoteAddr = "192.168.7.9:40000"
	r.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
		if name == "From-Address" {
			r.RemoteAddr = value
		}
	}
	w := httptest.NewRecorder()
	b.server.ServeHTTP(w, r)
	result := w.Result()
	result.Request = r
	return b.read(result)
}

// raw writes bytes to a connection of its own and returns it.
func (b *bench) raw(text string) net.Conn {
	b.Helper()
	c, err := net.Dial("tcp", b.addr)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(2 * time.Minute)) // a stall of the machine must not end it
	io.WriteString(c, text)
	return c
}

// TestCreateListGetRemove is the life of a simulation as a client sees it.
func TestCreateListGetRemove(t *testing.T) {
	b := start(t)
	a := b.want(b.send("POST", "/simulation", `{"experiment":"demo","owner":"anna"}`), 201, `"state":"created"`)
	if l := a.Header.Get("Location"); l != "/simulation/1" {
		t.Errorf("Location is %q", l)
	}
	b.want(b.send("GET", a.Header.Get("Location"), ""), 200, `"owner":"anna"`, `"nodes":[]`, `"peers":[]`)
	b.want(b.send("GET", "/simulation", ""), 200, `"id":"0"`, `"id":"1"`)
	b.want(b.send("GET", "/simulation/1/state", ""), 200, `"state":"created"`, `"commands":["failed","initialized","stopped"]`)
	b.want(b.send("DELETE", "/simulation/1?on_exit=disarm&reason=done", ""), 204)
	b.want(b.send("DELETE", "/simulation/1", ""), 404)
	b.want(b.send("GET", "/simulation/1/state", ""), 404)
	b.want(b.send("PUT", "/simulation/1/state", `{"state":"initialized"}`), 404)
	b.want(b.send("GET", "/simulation/1/history", ""), 404)
	a = b.want(b.send("POST", "/simulation", `{"experiment":"demo"}`), 201)
	if l := a.Header.Get("Location"); l != "/simulation/2" {
		t.Errorf("the id of a removed simulation is used again: %q", l)
	}
}

func TestCreateRefused(t *testing.T) {
	b := start(t)
	b.want(b.send("POST", "/simulation", `{"experiment":"../../etc/passwd"}`), 400, "there is no experiment")
	b.fake.set(func() { b.fake.most = 1 })
	a := b.want(b.send("POST", "/simulation", `{"experiment":"demo"}`), 409, "remove one")
	if a.Header.Get("Retry-After") != "" {
		t.Error("waiting alone does not help, and Retry-After says that it does")
	}
}

// TestOneSimulation: a daemon that is no factory does not offer creating and removing.
func TestOneSimulation(t *testing.T) {
	b := start(t, func(c *Config) { c.Factory = nil })
	if a := b.want(b.send("POST", "/simulation", `{"experiment":"demo"}`), 405); a.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("Allow is %q", a.Header.Get("Allow"))
	}
	b.want(b.send("DELETE", "/simulation/0", ""), 405)
	if strings.Contains(b.send("GET", "/openapi.json", "").text, `"operationId":"create"`) {
		t.Error("the document offers to create simulations")
	}
}

// TestN3AnInvalidTriggerGets400 names the legal triggers, and an empty list where there are none.
func TestN3AnInvalidTriggerGets400(t *testing.T) {
	b := start(t)
	a := b.want(b.send("PUT", "/simulation/0/state", `{"state":"started"}`), 400, "started is not legal in created")
	if got := fmt.Sprint(*a.problem.Legal); got != "[failed initialized stopped]" {
		t.Errorf("legal: %s", got)
	}
	b.want(b.send("PUT", "/simulation/0/state", `{"state":"stopped"}`), 200, `"state":"stopped"`)
	b.want(b.send("PUT", "/simulation/0/state", `{"state":"started"}`), 400, `"legal":[]`)
	b.want(b.send("PUT", "/simulation/0/state", `{"state":"no such"}`), 400, `"legal":[]`)
}

// TestPutAnswersWhenSettled: a repeat gets 200 as well, and the history learns who asked and why.
func TestPutAnswersWhenSettled(t *testing.T) {
	b := start(t)
	b.fake.set(func() { b.fake.hold = make(chan struct{}) })
	answered := make(chan reply, 1)
	go func() {
		answered <- b.send("PUT", "/simulation/0/state", `{"state":"initialized","reason":"shift starts","id":"a1"}`, "User-Agent: curl/8.5.0 (x)")
	}()
	b.fake.until(t, "the command runs", func() bool { return len(b.fake.orders) == 1 })
	b.want(b.send("GET", "/simulation/0/state", ""), 200, `"settled":false`, `"target":"paused"`)
	select {
	case a := <-answered:
		t.Fatalf("answered before it has settled: %s", a.text)
	default:
	}
	close(b.fake.hold)
	b.want(<-answered, 200, `"success":true`, `"state":"paused"`, `"elapsed_s":0.5`)
	b.want(b.send("PUT", "/simulation/0/state", `{"state":"paused"}`), 200, `"outcome":"already"`)
	if o := b.fake.orders[0]; o.Reason != "shift starts" || o.ID != "a1" {
		t.Errorf("the order came as %+v", o)
	}
	if c := b.fake.clients[0]; c != "127.0.0.1 (HTTP, curl/8.5.0)" {
		t.Errorf("the client came as %q", c)
	}
}

// TestBusyGets409 with Retry-After, in whole seconds; failed preempts and never gets it.
func TestBusyGets409(t *testing.T) {
	b := start(t)
	b.fake.set(func() { b.fake.hold = make(chan struct{}) })
	defer close(b.fake.hold)
	go http.DefaultTransport.RoundTrip(b.request("PUT", "/simulation/0/state", `{"state":"initialized"}`))
	b.fake.until(t, "the command runs", func() bool { return len(b.fake.orders) == 1 })
	a := b.want(b.send("PUT", "/simulation/0/state", `{"state":"stopped"}`), 409, "a transition to paused runs")
	if got := a.Header.Get("Retry-After"); got != "3" {
		t.Errorf("Retry-After is %q, want 3", got)
	}
	b.want(b.send("PUT", "/simulation/0/state", `{"state":"failed"}`), 200, `"state":"failed"`)
}

func (b *bench) request(method, path, body string) *http.Request {
	b.Helper()
	r, err := http.NewRequest(method, "http://"+b.addr+path, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	return r
}

// TestOutcomes: what became of an accepted command decides the status.
func TestOutcomes(t *testing.T) {
	for outcome, status := range map[string]int{
		"restored": 500, "unconfigured": 500, "finalized": 500, "held": 500, "from a later version": 500,
		"canceled": 409, "preempted": 409, "superseded": 409,
	} {
		t.Run(outcome, func(t *testing.T) {
			b := start(t)
			b.fake.set(func() {
				b.fake.fail = Result{Outcome: outcome, Message: "/brain refused to configure", State: "created",
					Nodes: List[NodeResult]{{Name: "/brain", Step: "configure", Verdict: "refused"}}}
			})
			a := b.want(b.send("PUT", "/simulation/0/state", `{"state":"initialized"}`), status, `"state":"created"`, "/brain refused to configure")
			if len(a.problem.Nodes) != 1 || a.problem.Nodes[0].Verdict != "refused" || a.problem.Outcome != outcome {
				t.Errorf("the nodes are missing: %s", a.text)
			}
			if a.Header.Get("Retry-After") != "" {
				t.Error("Retry-After is there although nothing runs")
			}
		})
	}
}

// TestH3OrdersWithoutClientsCount: a command goes on when its client goes away, and keeps its place: clients that
// come and go cannot pile up orders. A disarm has places of its own.
func TestH3OrdersWithoutClientsCount(t *testing.T) {
	b := start(t, func(c *Config) { c.Limits.Orders = 2 }) // 1 for this host
	b.fake.set(func() { b.fake.hold = make(chan struct{}) })
	ctx, cancel := context.WithCancel(context.Background())
	gone := make(chan error, 1)
	go func() {
		_, err := http.DefaultTransport.RoundTrip(b.request("PUT", "/simulation/0/state", `{"state":"initialized"}`).WithContext(ctx))
		gone <- err
	}()
	b.fake.until(t, "the command runs", func() bool { return len(b.fake.orders) == 1 })
	cancel()
	if <-gone == nil {
		t.Fatal("the client has not gone away")
	}
	b.want(b.send("GET", "/simulation/0/state", ""), 200, `"settled":false`)
	for range 3 {
		a := b.want(b.send("PUT", "/simulation/0/state", `{"state":"stopped"}`), 503, "too many commands")
		if a.Header.Get("Retry-After") == "" {
			t.Error("Retry-After is missing")
		}
	}
	b.want(b.send("PUT", "/simulation/0/state", `{"state":"disarm"}`), 400, "not legal in created") // it got through
	close(b.fake.hold)
	b.fake.until(t, "the command has ended", func() bool { return b.fake.all["0"].State == "paused" })
	wait(t, "its place is free", func() bool { return b.server.orders.inUse() == 0 })
}

// TestALongCommandOutlivesTheReadDeadline: the limit of time for a request ends with its body.
func TestALongCommandOutlivesTheReadDeadline(t *testing.T) {
	b := start(t, func(c *Config) { c.Limits.Read = 50 * time.Millisecond; c.Limits.Write = 50 * time.Millisecond })
	b.fake.set(func() { b.fake.hold = make(chan struct{}) })
	time.AfterFunc(300*time.Millisecond, func() { close(b.fake.hold) })
	b.want(b.send("PUT", "/simulation/0/state", `{"state":"initialized"}`), 200, `"state":"paused"`)
	b.fake.set(func() { b.fake.hold = make(chan struct{}) })
	time.AfterFunc(300*time.Millisecond, func() { close(b.fake.hold) })
	b.want(b.send("DELETE", "/simulation/0", ""), 204)
}

// TestConcurrentPuts: one runs and the others get 409; nothing runs twice.
func TestConcurrentPuts(t *testing.T) {
	b := start(t)
	b.fake.set(func() { b.fake.hold = make(chan struct{}) })
	const n = 50
	replies := make(chan reply, n)
	for range n {
		go func() { replies <- b.send("PUT", "/simulation/0/state", `{"state":"initialized"}`) }()
	}
	for range n - 1 {
		b.want(<-replies, 409)
	}
	close(b.fake.hold)
	b.want(<-replies, 200)
	if len(b.fake.orders) != 1 {
		t.Errorf("%d commands ran", len(b.fake.orders))
	}
}

func TestTooManyOrders(t *testing.T) {
	b := start(t, func(c *Config) { c.Limits.Orders = 2 })
	b.fake.set(func() { b.fake.hold = make(chan struct{}) })
	go http.DefaultTransport.RoundTrip(b.request("PUT", "/simulation/0/state", `{"state":"initialized"}`))
	b.fake.until(t, "the command runs", func() bool { return len(b.fake.orders) == 1 })
	a := b.want(b.send("PUT", "/simulation/0/state", `{"state":"failed"}`), 503, "too many commands")
	if a.Header.Get("Retry-After") != "1" {
		t.Error("Retry-After is missing")
	}
	b.want(b.remote("GET", "/simulation/0/state", ""), 200)
	close(b.fake.hold)
}

// TestData: what is there, with numbers that JSON does not have, what is not there yet, and what never is.
func TestData(t *testing.T) {
	b := start(t)
	b.want(b.send("GET", "/simulation/0/data/now", ""), 200, `"data":7`, `"std_msgs/msg/Int32"`)
	b.want(b.send("GET", "/simulation/0/data/scan", ""), 200, `"least":"-Infinity"`, `"ranges":[1.5,"Infinity"]`, `"pair":["NaN",0.1]`,
		`"empty":[]`, `"parts":[{"x":"Infinity","y":"NaN"}]`, `"bytes":"AQ=="`, `"on":true`)
	if a := b.want(b.send("GET", "/simulation/0/data/later", ""), 503, "nothing was published"); a.Header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After is %q", a.Header.Get("Retry-After"))
	}
	for _, path := range []string{"/simulation/0/data/never", "/simulation/9/data/now", "/simulation/0/data/", "/simulation/0/data"} {
		b.want(b.send("GET", path, ""), 404)
	}
}

// TestHistory: its limits hold, and its filters arrive.
func TestHistory(t *testing.T) {
	b := start(t)
	b.fake.set(func() {
		for i := range 150 {
			b.fake.entries = append(b.fake.entries, Entry{N: uint64(i), Kind: []string{"step", "command"}[i%2], Text: "x"})
		}
	})
	count := func(query string) int {
		var entries []Entry
		json.Unmarshal([]byte(b.want(b.send("GET", "/simulation/0/history"+query, ""), 200).text), &entries)
		return len(entries)
	}
	for query, want := range map[string]int{"": 100, "?last=3": 3, "?last=1000&kind=command": 75, "?since=2026-01-02T03:04:05Z": 100} {
		if got := count(query); got != want {
			t.Errorf("%q: %d entries, want %d", query, got, want)
		}
	}
	for _, query := range []string{"?last=0", "?last=1001", "?last=-1", "?last=99999999999999999999", "?last=x", "?kind=lies", "?since=yesterday", "?lest=3", "?since=", "?node=", "?last", "?last=3&last=4", "?=3"} {
		b.want(b.send("GET", "/simulation/0/history"+query, ""), 400, "query.")
	}
	b.want(b.send("GET", "/simulation/0/history?last=3;kind=step", ""), 400, "semicolon")
	b.want(b.send("GET", "/simulation/0/history?last=%zz", ""), 400, "escape")
}

func TestHealth(t *testing.T) {
	b := start(t)
	b.want(b.send("GET", "/healthz", ""), 200, `"status":"ok"`)
	b.fake.sick = fmt.Errorf("the loop stands still")
	b.want(b.send("GET", "/healthz", ""), 503, "the loop stands still")
}

// TestPanicsAreIsolated: a panic in the code of simulations is answered with 500, and the server
// goes on.
func TestPanicsAreIsolated(t *testing.T) {
	b := start(t)
	b.fake.set(func() { b.fake.panics = true })
	for _, path := range []string{"/simulation/0", "/simulation/0/state"} {
		if a := b.want(b.send("GET", path, ""), 500); strings.Contains(a.text, "panic") || strings.Contains(a.text, ".go") {
			t.Errorf("the answer tells of the inside: %s", a.text)
		}
	}
	if _, err := b.server.simulations.Command("0", "test", Asked{Word: "initialized"})(t.Context()); err != errPanic {
		t.Errorf("a panic in a command: %v", err)
	}
	b.want(b.send("GET", "/metrics", ""), 200)
	b.fake.set(func() { b.fake.panics = false })
	b.want(b.send("GET", "/metrics", ""), 200, "rstate_http_panics_total 4")
	b.want(b.send("GET", "/simulation/0", ""), 200)
}

// TestMetrics: routes are patterns and methods are known words, whatever clients send.
func TestMetrics(t *testing.T) {
	b := start(t)
	b.send("GET", "/simulation/0/state", "")
	for i := range 20 {
		b.send("GET", fmt.Sprintf("/hostile%d", i), "")
		b.send(fmt.Sprintf("HOSTILE%d", i), "/simulation", "")
		b.send("GET", fmt.Sprintf("/simulation/hostile%d", i), "")
	}
	a := b.want(b.send("GET", "/metrics", ""), 200,
		`rstate_http_request_seconds_count{method="GET",route="GET /simulation/{id}/state",status="200"} 1`,
		`rstate_http_request_seconds_count{method="other",route="other",status="405"} 20`,
		`rstate_simulation_info{machine="nrp",simulation="0",state="created"} 1`,
		`rstate_simulation_settled{simulation="0"} 1`, "rstate_http_connections ", "process_resident_memory_bytes ", "go_goroutines ")
	if strings.Contains(a.text, "hostile") || strings.Contains(a.text, "HOSTILE") {
		t.Error("a client can make series of its own")
	}
}

// TestTooManyScrapes: the limit and a fault of the metrics are answered as everywhere.
func TestTooManyScrapes(t *testing.T) {
	b := start(t, func(c *Config) { c.Limits.Scrapes = 2 })
	giveBack, _ := b.server.scrapes.take(true)
	if a := b.want(b.send("GET", "/metrics", ""), 503, "too many readers of the metrics"); a.Header.Get("Retry-After") != "1" {
		t.Error("Retry-After is missing")
	}
	giveBack()
	b.want(b.send("GET", "/metrics", ""), 200)
	b.fake.set(func() { b.fake.all["0"].State = "\xff" })
	b.want(b.send("GET", "/metrics", ""), 500, "internal error")
}

// TestRangeIsIgnored: an answer is always whole.
func TestRangeIsIgnored(t *testing.T) {
	b := start(t)
	whole := b.send("GET", "/openapi.json", "")
	for _, path := range []string{"/openapi.json", "/simulation", "/metrics"} {
		for _, r := range []string{"bytes=0-9", "bytes=0-1,5-6", "bytes=999999999-", "bytes=9-0", "pages=1"} {
			a := b.want(b.send("GET", path, "", "Range: "+r, "If-Range: x"), 200)
			if path == "/openapi.json" && (a.text != whole.text || a.Header.Get("Accept-Ranges") != "") {
				t.Errorf("Range %s changes the document, or Accept-Ranges is offered", r)
			}
		}
	}
}

// TestOpenAPI: the document has every route that the server offers, and describes each error.
func TestOpenAPI(t *testing.T) {
	b := start(t)
	a := b.want(b.send("GET", "/openapi.json", ""), 200)
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			Responses map[string]struct{ Content map[string]any }
		}
		Components struct {
			Schemas map[string]struct {
				Properties           map[string]struct{ Type any }
				AdditionalProperties any
			}
		}
	}
	if err := json.Unmarshal([]byte(a.text), &doc); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.1") || a.Header.Get("Content-Type") != "application/openapi+json" {
		t.Errorf("version %q as %q", doc.OpenAPI, a.Header.Get("Content-Type"))
	}
	for _, route := range []string{"get /simulation", "post /simulation", "get /simulation/{id}", "delete /simulation/{id}",
		"get /simulation/{id}/state", "put /simulation/{id}/state", "post /simulation/{id}/challenge", "get /simulation/{id}/history",
		"get /events", "get /openapi.json", "get /healthz", "get /metrics"} {
		method, path, _ := strings.Cut(route, " ")
		o, ok := doc.Paths[path][method]
		if !ok {
			t.Errorf("%s is missing", route)
		}
		if _, ok := o.Responses["default"].Content["application/problem+json"]; !ok {
			t.Errorf("%s does not describe its problems", route)
		}
	}
	for _, status := range []string{"200", "400", "403", "404", "409", "500"} {
		if _, ok := doc.Paths["/simulation/{id}/state"]["put"].Responses[status]; !ok {
			t.Errorf("PUT state does not describe status %s", status)
		}
	}
	if kind := doc.Components.Schemas["Simulation"].Properties["nodes"].Type; kind != "array" {
		t.Errorf("nodes is of type %v: a list is never null", kind)
	}
	if doc.Components.Schemas["Order"].AdditionalProperties != false {
		t.Error("an order may have keys that nothing reads")
	}
}

// TestMethodsAndPaths: what is not offered gets 404 or 405 with Allow, in a problem document.
func TestMethodsAndPaths(t *testing.T) {
	b := start(t)
	for _, c := range []struct{ method, path, allow string }{
		{"PUT", "/simulation", "GET, HEAD, POST"},
		{"PATCH", "/simulation/0/state", "GET, HEAD, PUT"},
		{"POST", "/simulation/0/state", "GET, HEAD, PUT"},
		{"POST", "/simulation/0", "DELETE, GET, HEAD"},
		{"TRACE", "/simulation/0", "DELETE, GET, HEAD"},
		{"OPTIONS", "/simulation/0/state", "GET, HEAD, PUT"},
		{"GET", "/simulation/0/challenge", "POST"},
		{"DELETE", "/events", "GET, HEAD"},
		{"BREW", "/metrics", "GET, HEAD"},
	} {
		a := b.want(b.send(c.method, c.path, ""), 405)
		if got := a.Header.Get("Allow"); got != c.allow {
			t.Errorf("%s %s: Allow is %q, want %q", c.method, c.path, got, c.allow)
		}
		for name := range a.Header {
			if strings.HasPrefix(name, "Access-Control") {
				t.Errorf("%s %s gives other origins a permission: %s", c.method, c.path, name)
			}
		}
	}
	for _, path := range []string{"/", "/simulation/", "/simulation/0/", "/simulation/0/state/", "//simulation", "/simulation//state", "/./simulation",
		"/simulation/../simulation", "/simulation/..", "/Simulation", "/simulation/0/nodes", "/openapi.yaml", "/docs", "/schemas/Order.json", "/debug/pprof/"} {
		if a := b.want(b.send("GET", path, ""), 404); a.Header.Get("Location") != "" {
			t.Errorf("%s redirects", path)
		}
	}
}

// TestIDs: an id that cannot be one never reaches the simulations.
func TestIDs(t *testing.T) {
	b := start(t)
	for _, id := range []string{"..%2f..%2fetc%2fpasswd", "%2e%2e", "-1", "99999999999999999999", "1e3", "0x0", "%00", "0%20", "%F0%9F%A4%96",
		"0%0d%0aX:%20y", strings.Repeat("9", 5000), "00", "*", "$%7Bjndi%7D"} {
		for _, c := range []struct{ method, tail, body string }{{"GET", "", ""}, {"GET", "/state", ""}, {"GET", "/history", ""},
			{"PUT", "/state", `{"state":"failed"}`}, {"POST", "/challenge", ""}, {"DELETE", "", ""}} {
			b.want(b.send(c.method, "/simulation/"+id+c.tail, c.body), 404)
		}
	}
	b.want(b.send("GET", "/events?simulation=-1", ""), 404)
	if len(b.fake.orders) > 0 || len(b.fake.all) != 1 {
		t.Error("something was carried out")
	}
	for _, id := range b.fake.asked {
		if len(id) > 100 || strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyz") != "" {
			t.Errorf("%.200q has reached the simulations", id)
		}
	}
}

// TestHead: each path that can be read answers HEAD without a body, and events end at once.
func TestHead(t *testing.T) {
	b := start(t)
	for _, path := range []string{"/simulation", "/simulation/0", "/simulation/0/state", "/simulation/0/history", "/events", "/openapi.json", "/healthz", "/metrics"} {
		if a := b.want(b.send("HEAD", path, ""), 200); a.text != "" {
			t.Errorf("%s has a body", path)
		}
	}
	b.want(b.send("HEAD", "/simulation/7", ""), 404)
}

// TestPage: a page answers where the API does not, and never for other methods.
func TestPage(t *testing.T) {
	b := start(t, func(c *Config) {
		c.Page = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "page of "+r.URL.Path) })
	})
	b.want(b.send("GET", "/", ""), 200, "page of /")
	b.want(b.send("GET", "/app.js", ""), 200, "page of /app.js")
	b.want(b.send("GET", "/simulation", ""), 200, `"id":"0"`)
	b.want(b.send("DELETE", "/app.js", ""), 404)
	b.want(b.send("PATCH", "/simulation", ""), 405)
	b.want(b.send("GET", "/", "", "Host: evil.com"), 421)
}

// TestStopLetsRequestsEnd: streams end at once, and a running request has until the context ends.
func TestStopLetsRequestsEnd(t *testing.T) {
	b := start(t)
	b.fake.set(func() { b.fake.hold = make(chan struct{}) })
	answered := make(chan reply, 1)
	go func() { answered <- b.send("PUT", "/simulation/0/state", `{"state":"initialized"}`) }()
	b.fake.until(t, "the command runs", func() bool { return len(b.fake.orders) == 1 })
	stream := b.raw("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
	bufio.NewReader(stream).ReadString('\n')
	stopped := make(chan struct{})
	go func() {
		ctx, cancel := runnable.Context(context.Background(), 20*time.Second)
		defer cancel()
		b.server.Stop(ctx)
		close(stopped)
	}()
	if _, err := io.Copy(io.Discard, stream); err != nil {
		t.Errorf("the stream does not end: %v", err)
	}
	close(b.fake.hold)
	b.want(<-answered, 200, `"state":"paused"`)
	<-stopped
}
