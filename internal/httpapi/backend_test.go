package httpapi

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestH6ARequestOfTheNRP: a creation as clients of the NRP send it makes a simulation. Keys that rstate does not know
// are ignored and named; other faults stay faults.
func TestH6ARequestOfTheNRP(t *testing.T) {
	b := start(t)
	many := ""
	for i := range 100 {
		many += fmt.Sprintf(`,"key%d":%d`, i, i)
	}
	for name, c := range map[string]struct {
		body   string
		status int
		says   string
	}{
		"as the web page sends it": {`{"gzserverHost":"local","private":true,"experimentID":"demo","brainProcesses":1,"reservation":null,"creationUniqueID":"1.5","profiler":"disabled"}`,
			201, `\"brainProcesses\", \"creationUniqueID\", \"gzserverHost\", \"private\", \"profiler\", \"reservation\"`},
		"ours, with a key of theirs": {`{"experiment":"demo","ctxId":{"a":[null]}}`, 201, `ignored: \"ctxId\"`},
		"both names":                 {`{"experiment":"demo","experimentID":"demo"}`, 201, `"warnings":[]`},
		"two experiments":            {`{"experiment":"demo","experimentID":"other"}`, 400, "leave one out"},
		"none":                       {`{"gzserverHost":"local"}`, 400, "names no experiment"},
		"in other letters":           {`{"Experiment":"demo"}`, 400, "names no experiment"},
		"another one, in other letters": {`{"experiment":"demo","Experiment":"other"}`, 201,
			`ignored: \"Experiment\"`},
		"one that is not there":    {`{"experimentID":"other"}`, 400, "no experiment other"},
		"null as experiment":       {`{"experimentID":null}`, 400, "null stands"},
		"a number as experiment":   {`{"experimentID":7}`, 400, "body.experimentID"},
		"an owner that is no text": {`{"experimentID":"demo","owner":1}`, 400, "body.owner"},
		"an unknown key twice":     {`{"experimentID":"demo","ctxId":1,"ctxId":2}`, 400, "occurs twice"},
		"deep in an unknown key": {`{"experimentID":"demo","x":` +
			strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, 400, "deeper than"},
		"more keys than a warning names": {`{"experimentID":"demo"` + many + `}`, 201, `, and 84 more`},
		"a list":                         {`[{"experimentID":"demo"}]`, 400, "expected object"},
		"a key that is no text to print": {`{"experimentID":"demo","\u001b[2J":1}`, 201, "ignored: "},
	} {
		t.Run(name, func(t *testing.T) {
			b := &bench{t, b.fake, b.server, b.addr}
			if a := b.want(b.untyped("POST", "/simulation", c.body), c.status, c.says); strings.Contains(a.text,
				`\u001b`) {
				t.Errorf("it repeats control characters: %s", a.text)
			}
		})
	}
}

// TestH6NoContentType: where clients of the NRP send none, a body without a type is JSON. A page of a browser has to
// name one.
func TestH6NoContentType(t *testing.T) {
	b := start(t)
	b.want(b.untyped("PUT", "/simulation/0/state", `{"state":"initialized"}`), 200, `"state":"paused"`)
	// only a creation has other keys
	b.want(b.untyped("PUT", "/simulation/0/state", `{"state":"paused","force":true}`), 400, "force")
	b.want(b.untyped("PUT", "/simulation/0/state", "state=paused"), 400, "as JSON")
	b.want(b.untyped("POST", "/simulation/0/acknowledge", `{}`), 415) // no client of the NRP sends it
	twice := b.request("POST", "/simulation/0/acknowledge", `{}`)
	twice.Header["Content-Type"] = []string{"application/json", "text/plain"}
	answer, err := http.DefaultTransport.RoundTrip(twice)
	if err != nil {
		t.Fatal(err)
	}
	b.want(b.read(answer), 415)
	for _, header := range []string{"Origin: http://" + b.addr, "Sec-Fetch-Site: same-origin"} {
		b.want(b.untyped("POST", "/simulation", `{"experiment":"demo"}`, header), 415)
	}
}

// untyped sends a request that does not say what its body is.
func (b *bench) untyped(method, path, body string, headers ...string) reply {
	b.Helper()
	r, err := http.NewRequest(method, "http://"+b.addr+path, bytes.NewBufferString(body))
	if err != nil {
		b.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	w, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		b.Fatal(err)
	}
	return b.read(w)
}
