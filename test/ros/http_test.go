//go:build ros

package ros

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// told is an answer over HTTP: of a result, of a problem or of a state.
type told struct {
	status  int
	retry   string
	State   string
	Settled bool
	Outcome string
	Detail  string
	Legal   []string
	Nodes   []struct{ Name, Step, Verdict string }
}

func (a told) String() string { return fmt.Sprint(a.status, " ", a.Outcome, " ", a.State) }

// web calls one simulation of a daemon.
type web struct {
	t       *testing.T
	address string
	id      string
}

// calls sends a request. Its client is a new one each time: the tests kill daemons.
func (w *web) calls(method, path, body string, headers ...string) (told, []byte) {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.address+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	client := http.Client{Timeout: bed.Deadline, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(r)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	a := told{status: resp.StatusCode, retry: resp.Header.Get("Retry-After")}
	if bytes.HasPrefix(text, []byte("{")) {
		if err := json.Unmarshal(text, &a); err != nil {
			w.t.Fatalf("%s %s: %v in %s", method, path, err, text)
		}
	}
	return a, text
}

func (w *web) puts(command string) told {
	w.t.Helper()
	a, _ := w.calls(http.MethodPut, "/simulation/"+w.id+"/state",
		fmt.Sprintf(`{"state": %q, "reason": "a test"}`, command))
	return a
}

func (w *web) wants(command, want string) told {
	w.t.Helper()
	a := w.puts(command)
	if got := a.String(); got != want {
		w.t.Errorf("%s: %s, want %s: %+v", command, got, want, a)
	}
	return a
}

// onTheWeb is a simulation of the NRP that serves HTTP.
func onTheWeb(t *testing.T) (*fellow, *web) {
	t.Helper()
	m := newNRP(t)
	f := m.simulates(member{http: true})
	return f, &web{t, f.Address(), m.simulation}
}

// TestN3AnInvalidTriggerIs400: over HTTP, with the triggers that are legal.
func TestN3AnInvalidTriggerIs400(t *testing.T) {
	f, w := onTheWeb(t)
	if a := w.wants("started", "400  "); !slices.Equal(a.Legal, []string{"initialized", "stopped", "failed"}) {
		t.Errorf("the problem is %+v", a)
	}
	w.wants("initialized", "200 done paused")
	w.wants("initialized", "200 already paused") // N2
	f.wantNodes(t, "inactive inactive")
	w.wants("started", "200 done started")
	w.wants("initialized", "400  ")
	w.wants("nonsense", "400  ")
	w.wants("shutdown", "400  ") // hidden
	f.Intact("started")
	if a, _ := w.calls(http.MethodPut, "/simulation/x"+w.id+"/state",
		`{"state": "paused"}`); a.status != http.StatusNotFound {
		t.Errorf("a simulation that is not there: %+v", a)
	}
	w.wants("stopped", "200 done stopped")
	if code := f.Process.Wait(t); code != 0 {
		t.Errorf("the daemon ended with %d", code)
	}
}

// TestN1AFailingHookIs500: over HTTP, with the state in which the simulation has ended up, and with the node.
func TestN1AFailingHookIs500(t *testing.T) {
	f, w := onTheWeb(t)
	w.wants("initialized", "200 done paused")
	f.driver.Script("activate", bed.Behaviour{Result: bed.Failure})
	a := w.wants("started", "500 restored halted")
	if len(a.Nodes) == 0 || a.Nodes[0].Name != f.driver.Name || a.Nodes[0].Step != "activate" ||
		a.Nodes[0].Verdict != "refused" {
		t.Errorf("the problem names %+v", a.Nodes)
	}
	w.wants("stopped", "200 done failed")
}

// TestHTTPWhileATransitionRuns: a second trigger hears when to come again, failed interrupts, and a client that goes
// away cancels nothing.
func TestHTTPWhileATransitionRuns(t *testing.T) {
	f, w := onTheWeb(t)
	busy := func(word string) {
		t.Helper()
		bed.Eventually(t, "the node is in its "+word, func() (string, bool) {
			truth := f.sensor.Truth()
			return fmt.Sprintf("%+v", truth), running(truth, word)
		})
	}
	f.sensor.Script("configure", bed.Behaviour{Result: bed.Frozen}, bed.Behaviour{})
	ctx, goesAway := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, w.address+"/simulation/"+w.id+"/state",
		strings.NewReader(`{"state": "initialized"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	gone := make(chan error, 1)
	go func() {
		resp, err := http.DefaultClient.Do(r)
		if err == nil {
			resp.Body.Close()
		}
		gone <- err
	}()
	busy("configure")
	goesAway()
	if err := <-gone; err == nil {
		t.Fatal("it was answered while the node was in its configure")
	}
	if a := w.wants("started", "409  "); a.retry == "" {
		t.Errorf("it does not say when to come again: %+v", a)
	}
	if a, _ := w.calls(http.MethodGet, "/simulation/"+w.id+"/state", ""); a.State != "created" || a.Settled {
		t.Errorf("meanwhile the state is %+v", a)
	}
	f.sensor.Thaw()
	f.Intact("paused")

	f.sensor.Script("activate", bed.Behaviour{Result: bed.Frozen}, bed.Behaviour{})
	first := make(chan told)
	go func() { first <- w.puts("started") }()
	busy("activate")
	second := make(chan told)
	go func() { second <- w.puts("failed") }()
	if a := <-first; a.status != http.StatusConflict || a.retry != "" {
		t.Errorf("the interrupted trigger's answer is %+v", a)
	}
	f.sensor.Thaw()
	if a := <-second; a.String() != "200 done halted" {
		t.Errorf("the answer to failed is %+v", a)
	}
}

// TestHTTPArming: a challenge of the server and the authority of the file.
func TestHTTPArming(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("open sesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newStand(t, setup{network: trio + "arming: {secret_file: " + secret + "}\n",
		config: daemon.Config{HTTP: true}})
	w := &web{t, s.Address(), s.Simulation}
	w.wants("active", "200 done active")
	w.wants("arm", "403  ")
	w.wants("armed", "403  ")
	challenge := func() string {
		var c struct{ Challenge string }
		if _, text := w.calls(http.MethodPost, "/simulation/"+w.id+"/challenge", ""); json.Unmarshal(text, &c) != nil ||
			c.Challenge == "" {
			t.Fatalf("no challenge: %s", text)
		}
		return c.Challenge
	}
	arm := func(challenge, authority string) told {
		a, _ := w.calls(http.MethodPut, "/simulation/"+w.id+"/state",
			fmt.Sprintf(`{"state": "arm", "challenge": %q, "authority": %q}`, challenge, authority))
		return a
	}
	if a := arm(challenge(), "guess"); a.status != http.StatusBadRequest || !strings.Contains(a.Detail, "authority") {
		t.Errorf("without the authority: %+v", a)
	}
	s.wantWhere("active active active")
	once := challenge()
	if a := arm(once, "open sesame"); a.String() != "200 done armed" {
		t.Errorf("with both: %+v", a)
	}
	s.wantWhere("active active active+armed")
	w.wants("disarm", "200 done active")
	s.wantWhere("active active active")
	if a := arm(once, "open sesame"); a.status != http.StatusForbidden {
		t.Errorf("a challenge counts twice: %+v", a)
	}
}

var (
	curlLine = regexp.MustCompile(`(?m)^\$ curl (.*)$`)
	curlWord = regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`)
)

// curls runs the curl lines of a page of the docs, and returns how many there are. The page writes the address of a
// daemon as localhost:8080 and its first simulation as 0. want is the status that the page promises for a request.
func (w *web) curls(page string, want func(method, body string) int) (ran int) {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, block := range strings.Split(string(text), "```console\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		for _, line := range curlLine.FindAllStringSubmatch(block, -1) {
			method, url, body, ends := readCurl(line[1])
			path := strings.Replace(strings.TrimPrefix(url, "localhost:8080"), "/simulation/0", "/simulation/"+w.id, 1)
			if !strings.HasPrefix(path, "/") {
				w.t.Fatalf("the page calls %s", url)
			}
			ran++
			if !ends {
				continue // a stream, which package httpapi tests
			}
			wanted := want(method, body)
			if a, said := w.calls(method, path, body); a.status != wanted ||
				len(said) == 0 && wanted != http.StatusNoContent {
				w.t.Errorf("%s is answered with %d, want %d: %s", line[0], a.status, wanted, said)
			}
		}
	}
	return ran
}

// readCurl reads the words after curl. A stream does not end.
func readCurl(line string) (method, url, body string, ends bool) {
	method, ends = http.MethodGet, true
	words := curlWord.FindAllString(line, -1)
	for i := 0; i < len(words); i++ {
		next := func() string { i++; return strings.Trim(words[i], `'"`) }
		switch words[i] {
		case "-s":
		case "-N":
			ends = false
		case "--max-time", "-H":
			next()
		case "-X":
			method = next()
		case "-d":
			body = next()
		default:
			url = strings.Trim(words[i], `'"`)
		}
	}
	return method, url, body, ends
}

// TestHTTPAsDocumented: each line of docs/http.md that is for config/nrp.yaml works as the page says.
func TestHTTPAsDocumented(t *testing.T) {
	f, w := onTheWeb(t)
	f.Intact("created")
	ran := w.curls("http.md", func(_, body string) int {
		if now, _ := w.calls(http.MethodGet, "/simulation/"+w.id+"/state", ""); strings.Contains(body, "initialized") &&
			now.State == "started" {
			return http.StatusBadRequest
		}
		return http.StatusOK
	})
	if f.Intact("started"); ran < 10 {
		t.Errorf("the page has only %d lines of curl", ran)
	}
}
