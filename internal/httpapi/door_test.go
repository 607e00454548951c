package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// oddBlanks are what a person does not see in a word, and what the engine takes for a blank.
var oddBlanks = []string{"\n", "\r", "\f", "\v", "\t", " ", "\u0085", "\u00a0", "\u2003", "\u2028", "\u2029", "\u3000",
	"\r\n"}

// TestH1TheWordIsReadOnce: whatever is in a word, the service and the simulation understand it alike, so that none arms
// without a challenge.
func TestH1TheWordIsReadOnce(t *testing.T) {
	b := start(t)
	for _, blank := range oddBlanks {
		for _, word := range []string{"arm" + blank, blank + "arm", blank + "ARM" + blank + blank} {
			b.fake.set(func() { b.fake.all["0"].State = "started" })
			b.want(b.send("PUT", "/simulation/0/state", fmt.Sprintf(`{"state":%s}`, quoted(word))), 403,
				"needs a challenge")
		}
		b.want(b.send("PUT", "/simulation/0/state", fmt.Sprintf(`{"state":%s}`, quoted("paused"+blank))), 200)
	}
	for _, o := range b.fake.orders {
		if o.Word != "paused" {
			t.Errorf("the simulation got %q", o.Word)
		}
	}
}

// quoted is a text in JSON, with all that is not ASCII escaped.
func quoted(s string) string {
	var text strings.Builder
	for _, r := range s {
		fmt.Fprintf(&text, `\u%04x`, r)
	}
	return `"` + text.String() + `"`
}

const writeToken = "s3cret-token-of-20-letters"

// writes are all requests that write.
var writes = [][3]string{
	{"PUT", "/simulation/0/state", `{"state":"failed"}`}, {"POST", "/simulation", `{"experiment":"demo"}`},
	{"POST", "/simulation/0/challenge", ""}, {"POST", "/simulation/0/acknowledge", `{}`},
	{"DELETE", "/simulation/0", ""},
}

// TestH2WithATokenEveryWriterNeedsIt: this host too. Only a disarm from loopback does not.
func TestH2WithATokenEveryWriterNeedsIt(t *testing.T) {
	b := start(t, func(c *Config) { c.Token = writeToken })
	for _, w := range writes {
		b.want(b.send(w[0], w[1], w[2]), 401, "needs the token")
		b.want(b.remote(w[0], w[1], w[2]), 401, "needs the token")
	}
	b.want(b.send("GET", "/simulation", ""), 200)
	b.want(b.remote("GET", "/simulation", ""), 200)
	if len(b.fake.orders) > 0 || len(b.fake.all) != 1 {
		t.Fatalf("carried out: %+v", b.fake.orders)
	}
	armed := func() { b.fake.set(func() { b.fake.all["0"].State = "armed" }) }
	const disarm = `{"state":"disarm"}`
	armed()
	b.want(b.remote("PUT", "/simulation/0/state", disarm), 401)
	b.want(b.send("PUT", "/simulation/0/state", disarm, "Via: 1.1 proxy"), 401)
	b.want(b.send("PUT", "/simulation/0/state", disarm, "Authorization: Bearer wrong"), 401)
	b.want(b.send("PUT", "/simulation/0/state", disarm, "Origin: http://evil.com"), 403)
	b.want(b.send("PUT", "/simulation/0/state", `{"state":"paused"}`), 401)
	b.want(b.send("PUT", "/simulation/0/state", disarm), 200)
	armed()
	b.want(b.send("PUT", "/simulation/0/state", `{"state":"disarm\n"}`), 200)
	armed()
	b.want(b.remote("PUT", "/simulation/0/state", disarm, "Authorization: Bearer "+writeToken), 200)
	for _, w := range writes {
		if a := b.send(w[0], w[1], w[2], "Authorization: Bearer "+writeToken); a.StatusCode >= 300 &&
			a.StatusCode != http.StatusConflict { // which gets a challenge
			t.Errorf("%v with the token: %d, %s", w, a.StatusCode, a.text)
		}
	}
}

// TestH2AProxyIsNotLocal: any line of any header of a proxy, wherever it stands and whatever it says.
func TestH2AProxyIsNotLocal(t *testing.T) {
	with := start(t, func(c *Config) { c.Token = writeToken })
	without := start(t)
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "x-forwarded-for", "X-Real-IP", "Via",
		"X-Forwarded-Host", "X-Forwarded-Proto",
		"X-Forwarded-Port", "X-Client-IP", "True-Client-IP", "CF-Connecting-IP", "X-Cluster-Client-IP",
		"X-Original-Forwarded-For", "X-ProxyUser-IP", "Fastly-Client-IP", "X-Envoy-External-Address"} {
		for _, lines := range [][]string{{"10.0.0.1"}, {""}, {"", "10.0.0.1"}, {"127.0.0.1", ""}, {"", "", ""}} {
			for _, w := range writes {
				status := map[*bench]int{with: 401, without: 403}
				for b, want := range status {
					r := b.request(w[0], w[1], w[2])
					r.Header[http.CanonicalHeaderKey(name)] = lines
					answer, err := http.DefaultTransport.RoundTrip(r)
					if err != nil {
						t.Fatal(err)
					}
					if a := b.read(answer); a.StatusCode != want {
						t.Errorf("%s %s with %s %q: %d, want %d", w[0], w[1], name, lines, a.StatusCode, want)
					}
				}
			}
		}
	}
	for _, b := range []*bench{with, without} {
		if len(b.fake.orders) > 0 || len(b.fake.all) != 1 {
			t.Errorf("carried out: %+v", b.fake.orders)
		}
	}
}

// TestH2AuthorizationIsOneLine: a second line does not replace a wrong one.
func TestH2AuthorizationIsOneLine(t *testing.T) {
	b := start(t, func(c *Config) { c.Token = writeToken })
	for _, lines := range [][]string{{"", "Bearer " + writeToken}, {"Bearer x", "Bearer " + writeToken},
		{"Bearer " + writeToken, ""}, {""}} {
		r := b.request("DELETE", "/simulation/0", "")
		r.Header["Authorization"] = lines
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		b.want(b.read(answer), 401)
	}
}

// TestH3DataHaveALimit: data that are larger than an answer may be are not copied.
func TestH3DataHaveALimit(t *testing.T) {
	b := start(t)
	b.want(b.send("GET", "/simulation/0/data/large", ""), 413, "1048576 bytes")
	b.want(b.send("GET", "/simulation/0/data/now", ""), 200)
}
