package httpapi

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestHostileBodies: nothing that is not exactly one order is carried out.
func TestHostileBodies(t *testing.T) {
	b := start(t)
	for name, c := range map[string]struct {
		body   string
		status int
		says   string
	}{
		"empty":               {"", 400, "ends too early"},
		"blank":               {" \n", 400, "ends too early"},
		"null":                {"null", 400, "null stands"},
		"a list":              {`[{"state":"failed"}]`, 400, "expected object"},
		"a text":              {`"failed"`, 400, "expected object"},
		"no JSON":             {"state=failed", 400, "invalid character"},
		"cut off":             {`{"state":"failed"`, 400, "ends too early"},
		"two values":          {`{"state":"failed"}{"state":"started"}`, 400, "more after"},
		"rubbish behind":      {`{"state":"failed"} x`, 400, "more after"},
		"the same key twice":  {`{"state":"paused","state":"failed"}`, 400, `\"state\" occurs twice`},
		"twice, once escaped": {`{"state":"paused","st\u0061te":"failed"}`, 400, "occurs twice"},
		"a key in capitals":   {`{"State":"failed"}`, 400, "body"},
		"both letters":        {`{"state":"paused","STATE":"failed"}`, 400, "STATE"},
		"an unknown key":      {`{"state":"failed","force":true}`, 400, "force"},
		"a number":            {`{"state":7}`, 400, "body.state"},
		"null as state":       {`{"state":null}`, 400, "null stands"},
		"null for nothing":    {`{"state":"failed","reason":null}`, 400, "null stands"},
		"an empty state":      {`{"state":""}`, 400, "body.state"},
		"a long state":        {`{"state":"` + strings.Repeat("x", 201) + `"}`, 400, "body.state"},
		"no state":            {`{}`, 400, "state"},
		"not UTF-8":           {"{\"state\":\"\xff\"}", 400, "UTF-8"},
		"deep lists": {`{"state":` + strings.Repeat("[", 30000) + strings.Repeat("]", 30000) + `}`, 400,
			"deeper than"},
		"deep objects":         {strings.Repeat(`{"a":`, 10000) + "1" + strings.Repeat("}", 10000), 400, "deeper than"},
		"deep and never ended": {strings.Repeat("[", 60000), 400, "deeper than"},
		"huge": {`{"state":"failed","reason":"` + strings.Repeat("x", 70000) + `"}`, 413,
			"larger than 65536"},
		"much larger":       {`{"state":"failed","reason":"` + strings.Repeat("x", 8<<20) + `"}`, 413, ""},
		"a huge number":     {`{"state":1e999999999}`, 400, "body"},
		"a byte order mark": {"\ufeff{\"state\":\"failed\"}", 400, "invalid character"},
	} {
		t.Run(name, func(t *testing.T) {
			b := &bench{t, b.fake, b.server, b.addr}
			a := b.post("PUT", "/simulation/0/state", c.body, "application/json")
			b.want(a, c.status, c.says)
			if len(a.text) > 10000 {
				t.Errorf("the answer has %d bytes", len(a.text))
			}
		})
	}
	if len(b.fake.orders) > 0 {
		t.Errorf("carried out: %+v", b.fake.orders)
	}
	// A lowering is not refused for the size of what comes with it, as long as the body is not too large.
	b.want(b.send("PUT", "/simulation/0/state",
		`{"state":"failed","reason":"`+strings.Repeat("x", 60000)+`","id":"`+strings.Repeat("y", 3000)+`"}`), 200)
}

// post sends a body in chunks, so that a server which closes early is no error of the client.
func (b *bench) post(method, path, body, kind string) reply {
	b.Helper()
	if body == "" {
		return b.send(method, path, "")
	}
	c := b.raw(fmt.Sprintf("%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
		method, path, kind, len(body)))
	go io.WriteString(c, body)
	request, _ := http.NewRequest(method, path, nil)
	w, err := http.ReadResponse(bufio.NewReader(c), request)
	if err != nil {
		b.Fatal(err)
	}
	return b.read(w)
}

// TestUnexpectedBodies: a body that nothing reads is refused, with a length and in chunks.
func TestUnexpectedBodies(t *testing.T) {
	b := start(t)
	for _, c := range [][2]string{{"GET", "/simulation"}, {"DELETE", "/simulation/0"},
		{"GET", "/events"}} {
		b.want(b.send(c[0], c[1], "{}"), 400, "takes no body")
	}
	w := b.raw("GET /simulation HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n")
	if line, _ := bufio.NewReader(w).ReadString('\n'); !strings.Contains(line, "400") {
		t.Errorf("a body in chunks: %q", line)
	}
}

func TestContentTypes(t *testing.T) {
	b := start(t)
	for kind, status := range map[string]int{
		"application/json": 200, "application/json; charset=utf-8": 200, "Application/JSON": 200,
		"": 415, "text/plain": 415, "application/x-www-form-urlencoded": 415, "multipart/form-data; boundary=x": 415,
		"application/json; charset=utf-16": 415, "application/jsonp": 415, "application/problem+json": 415, "json": 415,
		";":                            415,
		"text/plain, application/json": 415,
	} {
		b.fake.set(func() { b.fake.all["0"].State = "created" })
		b.want(b.send("PUT", "/simulation/0/state", `{"state":"initialized"}`, "Content-Type: "+kind), status)
	}
	b.want(b.send("PUT", "/simulation/0/state", `{"state":"paused"}`, "Content-Encoding: gzip"), 415)
	if a := b.send("GET", "/simulation/0", "", "Accept: json"); a.Header.Get("Content-Type") != "application/json" {
		t.Errorf("a client chose the type %q", a.Header.Get("Content-Type"))
	}
}

// TestHost: a name that this server was not started with may have been rebound to its address.
func TestHost(t *testing.T) {
	b := start(t, func(c *Config) { c.Hosts = []string{"Robot1.lab"} })
	for host, status := range map[string]int{
		"localhost": 200, "LOCALHOST:8080": 200, "127.0.0.1": 200, "127.0.0.1:80": 200, "[::1]:8080": 200, "[::1]": 200,
		"192.168.7.1:8080": 200,
		"robot1.lab":       200, "robot1.lab:8080": 200,
		"evil.com": 421, "evil.com:80": 421, "localhost.evil.com": 421, "127.0.0.1.evil.com": 421,
		"127.0.0.1.nip.io": 421, "2130706433": 421,
		"0x7f.1": 421, "robot1.lab.": 421, "robot2.lab": 421,
	} {
		b.want(b.send("GET", "/simulation/0/state", "", "Host: "+host), status)
	}
	b.want(b.send("GET", "/events", "", "Host: evil.com"), 421)
	c := b.raw("GET /simulation HTTP/1.0\r\n\r\n")
	if line, _ := bufio.NewReader(c).ReadString('\n'); !strings.Contains(line, "421") {
		t.Errorf("without a host: %q", line)
	}
}

// TestOrigin: pages of other origins neither write nor read.
func TestOrigin(t *testing.T) {
	b := start(t)
	own := "Origin: http://" + b.addr
	b.want(b.send("PUT", "/simulation/0/state", `{"state":"initialized"}`, own, "Sec-Fetch-Site: same-origin"), 200)
	b.want(b.send("PUT", "/simulation/0/state", `{"state":"paused"}`, own), 200)
	for _, origin := range []string{"null", "http://evil.com", "https://evil.com", "http://localhost.evil.com",
		"http://127.0.0.1:1", "file://", "", "http://", "http://" + b.addr + ".evil.com",
		"http://" + b.addr + "@evil.com", "chrome-extension://" + b.addr, b.addr} {
		for _, method := range []string{"GET", "PUT", "DELETE", "POST", "HEAD"} {
			path := map[string]string{"PUT": "/simulation/0/state", "POST": "/simulation/0/challenge"}[method]
			if path == "" {
				path = "/simulation/0"
			}
			b.want(b.send(method, path, map[string]string{"PUT": `{"state":"failed"}`}[method], "Origin: "+origin), 403)
		}
		b.want(b.send("GET", "/events", "", "Origin: "+origin), 403)
	}
	for _, site := range []string{"cross-site", "same-site"} {
		b.want(b.send("PUT", "/simulation/0/state", `{"state":"failed"}`, "Sec-Fetch-Site: "+site), 403)
	}
	b.want(b.send("GET", "/simulation/0", "", "Sec-Fetch-Site: cross-site"), 200) // a link that a person follows
	if b.fake.all["0"].State != "paused" {
		t.Errorf("a page of another origin brought it to %s", b.fake.all["0"].State)
	}
}

// TestH2OthersWriteWithTheToken: other hosts can read, and write with the token only.
func TestH2OthersWriteWithTheToken(t *testing.T) {
	const token = "s3cret-token-of-20-letters"
	with := start(t, func(c *Config) { c.Token = token })
	without := start(t)
	put := func(b *bench, headers ...string) reply {
		b.fake.set(func() { b.fake.all["0"].State = "created" })
		return b.remote("PUT", "/simulation/0/state", `{"state":"initialized"}`, headers...)
	}
	without.want(put(without), 403, "--token-file")
	without.want(put(without, "Authorization: Bearer "), 403)
	without.want(put(without, "Authorization: Bearer x"), 403)
	without.want(without.remote("POST", "/simulation/0/challenge", ""), 403)
	without.want(without.remote("GET", "/simulation/0/state", ""), 200)
	if a := with.want(put(with), 401, "needs the token"); !strings.HasPrefix(a.Header.Get("WWW-Authenticate"),
		"Bearer") {
		t.Error("WWW-Authenticate is missing")
	}
	with.want(put(with, "Authorization: Bearer "+token), 200)
	with.want(put(with, "Authorization: bearer  "+token), 200)
	for _, wrong := range []string{"Bearer", "Bearer x", "Basic " + token, token, "Bearer " + token + "x",
		"Bearer " + token[1:], "Bearer " + strings.ToUpper(token)} {
		with.want(put(with, "Authorization: "+wrong), 401)
	}
	with.want(with.send("GET", "/simulation", "", "Authorization: Bearer wrong"), 401)
	without.want(put(without, "From-Address: [::1]:9"), 200)
	without.want(put(without, "From-Address: [::ffff:127.0.0.1]:9"), 200)
	without.want(put(without, "From-Address: [::ffff:10.0.0.1]:9"), 403)
	without.want(put(without, "From-Address: @"), 403)
}

// TestSlowRequests: a client that sends a byte now and then is cut off, and others are served.
func TestSlowRequests(t *testing.T) {
	b := start(t, func(c *Config) {
		c.Limits.Head, c.Limits.Read = 200*time.Millisecond, 200*time.Millisecond
		c.Limits.Idle = 200 * time.Millisecond
	})
	slow := []net.Conn{
		b.raw(""),
		b.raw("GET /simulation HTTP/1.1\r\nHost: localhost\r\nX-Slow: "),
		b.raw("PUT /simulation/0/state HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 23\r\n\r\n{\"state\":"),
		b.raw("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"),
	}
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
				for _, c := range slow[:3] {
					io.WriteString(c, " ")
				}
			}
		}
	}()
	b.want(b.send("GET", "/simulation", ""), 200)
	for k, want := range []string{"", "", "HTTP/1.1 408", "HTTP/1.1 200"} {
		text, _ := io.ReadAll(slow[k])
		if !strings.HasPrefix(string(text), want) {
			t.Errorf("connection %d got %q", k, text)
		}
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	wait(t, "all connections are closed", func() bool { return b.server.connections.inUse() == 0 })
	if len(b.fake.orders) > 0 {
		t.Error("half an order was carried out")
	}
}

// TestH3HalfRequestsKeepNobodyAway: 260 clients that send half a request, or nothing, or half a body, do not shut out
// another one. The oldest of them make room.
func TestH3HalfRequestsKeepNobodyAway(t *testing.T) {
	b := start(t, func(c *Config) { c.Limits.Head, c.Limits.Read = time.Hour, time.Hour })
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	halves := []string{"GET /simulation HTTP/1.1\r\nHost:", "",
		"PUT /simulation/0/state HTTP/1.1\r\nHost: localhost\r\n" +
			"Content-Type: application/json\r\nContent-Length: 23\r\n\r\n{\"state\":"}
	for k := range 260 {
		b.raw(halves[k%len(halves)])
	}
	wait(t, "the places are taken", func() bool { return b.server.connections.inUse() == 256 })
	for range 10 {
		b.want(b.send("GET", "/simulation", "", "Connection: close"), 200)
		b.want(b.send("PUT", "/simulation/0/state", `{"state":"disarm"}`), 400, "not legal")
	}
	if _, ok := b.server.connections.take(false); !ok {
		t.Error("other hosts suffer from a flood from this one")
	}
}

// TestH3ClientsThatAreServedKeepTheirPlace: beyond the limit a connection is closed at once if all others work.
func TestH3ClientsThatAreServedKeepTheirPlace(t *testing.T) {
	b := start(t, func(c *Config) { c.Limits.Connections = 20 })
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	var served []*bufio.Reader
	for range 10 {
		one := bufio.NewReader(b.raw("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"))
		if line, err := one.ReadString('\n'); err != nil || !strings.Contains(line, "200") {
			t.Fatalf("a stream is answered with %q, %v", line, err)
		}
		served = append(served, one)
	}
	more := b.raw("")
	if n, err := more.Read(make([]byte, 1)); n > 0 || err == nil {
		t.Error("a connection beyond the limit is served")
	}
	b.fake.set(func() { b.fake.all["0"].State = "halted"; b.fake.changed("0") })
	for k, one := range served {
		for line := ""; !strings.Contains(line, `"halted"`); {
			var err error
			if line, err = one.ReadString('\n'); err != nil {
				t.Fatalf("stream %d was cut: %v", k, err)
			}
		}
	}
	if _, ok := b.server.connections.take(false); !ok {
		t.Error("other hosts suffer from this one")
	}
}

// TestLargeHeaders are refused before anything is decided.
func TestLargeHeaders(t *testing.T) {
	b := start(t)
	c := b.raw("GET /simulation HTTP/1.1\r\nHost: localhost\r\nX: ")
	go io.WriteString(c, strings.Repeat("x", 100000))
	if line, _ := bufio.NewReader(c).ReadString('\n'); !strings.Contains(line, "431") {
		t.Errorf("answered %q", line)
	}
}

// TestBrokenRequests: what is no HTTP gets 400 and ends the connection.
func TestBrokenRequests(t *testing.T) {
	b := start(t)
	for _, text := range []string{"\r\n\r\n\r\n", "GET\r\n\r\n", "\x16\x03\x01\x02\x00\x01",
		"GET /simulation HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
		"GET /simulation HTTP/1.1\r\n\r\n",
		"PUT /simulation/0/state HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
		"PUT /simulation/0/state HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
		"GET /simulation HTTP/9.9\r\nHost: localhost\r\n\r\n"} {
		c := b.raw(text)
		c.(*net.TCPConn).CloseWrite()
		answer, err := io.ReadAll(c)
		if err != nil || len(answer) > 0 && !strings.HasPrefix(string(answer), "HTTP/1.1 4") &&
			!strings.HasPrefix(string(answer), "HTTP/1.1 505") {
			t.Errorf("%q: %v, %q", text, err, answer)
		}
	}
	b.want(b.send("GET", "/healthz", ""), 200)
}
