package page

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// TestH9AMachineThatSlept: an hour in which the clock of the page stood still has passed. What was known before is old, also
// while a new connection has not told all.
func TestH9AMachineThatSlept(t *testing.T) {
	w := serve(t, robot("active"))
	b := browse(t, w.address)
	b.witnessed()
	open := w.hold(t)
	b.script(`{ const real = Date.now; Date.now = () => real() + 3600e3; }`)
	b.shows(".stale-note", "60 min ago")
	b.until(`window.streams > 1 && window.alives > 1`)
	if text := b.text(".stale-note"); !strings.Contains(text, "60 min ago") {
		t.Errorf("a server that lives again has told no state: %s", text)
	}
	b.until(`document.querySelector(".buttons button").getAttribute("aria-disabled") === "true"`)
	open()
	b.rests("active", "as commanded", "intact")
	b.clean()
}

// TestH9AClockOfTheServerThatIsSet: back by an hour, as on a robot that hears of the time late. The page finds out, and is
// live again.
func TestH9AClockOfTheServerThatIsSet(t *testing.T) {
	b := browse(t, serve(t, robot("active")).address)
	b.shows(".link", "Live")
	b.script(`{ const real = Date.parse; Date.parse = (stamp) => real(stamp) - 3600e3; }`)
	b.shows(".link", "No news")
	b.rests("active", "as commanded", "intact")
	b.clean()
}

// queue leads connections on to an address. What comes back waits.
type queue struct {
	waits atomic.Int64 // how long, in nanoseconds
	mu    sync.Mutex
	open  []net.Conn
}

// start returns where the queue is.
func (q *queue) start(t *testing.T, address string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close(); q.cut() })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return // the test has ended
			}
			far, err := net.Dial("tcp", address)
			if err != nil {
				near.Close()
				continue
			}
			q.mu.Lock()
			q.open = append(q.open, near, far)
			q.mu.Unlock()
			go func() { _, _ = io.Copy(far, near) }()
			go q.lead(near, far)
		}
	}()
	return l.Addr().String()
}

// lead hands on what comes, in its order, each part when its time has come.
func (q *queue) lead(near, far net.Conn) {
	type part struct {
		text []byte
		due  time.Time
	}
	parts := make(chan part, 1000)
	go func() {
		for p := range parts {
			time.Sleep(time.Until(p.due))
			_, _ = near.Write(p.text)
		}
		near.Close()
	}()
	defer close(parts)
	for {
		text := make([]byte, 4096)
		n, err := far.Read(text)
		if err != nil {
			return
		}
		parts <- part{text[:n], time.Now().Add(time.Duration(q.waits.Load()))}
	}
}

// cut ends all connections.
func (q *queue) cut() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, c := range q.open {
		c.Close()
	}
	q.open = nil
}

// TestH9ALongQueueOnTheLink: all that comes on the new connection is seconds old, and the page does not take it for new.
func TestH9ALongQueueOnTheLink(t *testing.T) {
	w := serve(t, robot("active"))
	var q queue
	b := browse(t, q.start(t, w.address))
	b.witnessed()
	q.waits.Store(int64(3 * time.Second))
	q.cut()
	b.shows(".link", "No news")
	b.script(`window.alives = 0; window.seen = []`)
	b.until(`window.alives > 1`)
	if seen := b.seen(); strings.Contains(seen, "live") {
		t.Errorf("what waited for seconds is shown as new: %s", seen)
	}
	q.waits.Store(0)
	q.cut()
	b.rests("active", "as commanded", "intact")
	b.clean()
}

// TestH8BelowAPath: a proxy serves the page below a path of its own, with all that it asks for.
func TestH8BelowAPath(t *testing.T) {
	w := serve(t, robot("active"))
	w.entries, w.why = risen()
	mux := http.NewServeMux()
	mux.Handle("/robots/7/", http.StripPrefix("/robots/7", httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: w.address})))
	proxy := httptest.NewServer(mux)
	t.Cleanup(proxy.CloseClientConnections)
	b := browse(t, w.address)
	b.do(chromedp.Navigate(proxy.URL + "/robots/7/"))
	b.rests("active", "as commanded", "intact")
	b.shows("#list", "The network is as it was commanded")
	b.do(chromedp.Click(".disarm-button"))
	b.shows(".disarm-report", "token") // a proxy may speak for anybody
	b.clean()
}

// TestH10AWrongTokenHoldsUpNoDisarm: nor does the dialog that asks for another one.
func TestH10AWrongTokenHoldsUpNoDisarm(t *testing.T) {
	w := guarded(t)
	b := browse(t, w.address)
	b.shows(".link", "Live")
	b.script(`sessionStorage.setItem("rstate-token", "one_of_another_server")`)
	b.do(chromedp.Reload())
	b.shows(".link", "Live")
	b.do(chromedp.Click(".disarm-button"))
	b.shows(".disarm-report", "the network is as asked")
	b.shows("dialog[open]", "refused this token")
	b.do(chromedp.Click(".disarm-button"))
	b.until(`document.querySelector(".disarm-report").innerText.includes("the network is as asked")`)
	b.do(chromedp.SendKeys("dialog input", w.token), chromedp.Click("dialog button[type=submit]"))
	b.clicks(commandButton)
	b.shows(".outcome", "the network is as asked")
	if words := w.sent(); len(words) < 3 || words[len(words)-1] != "deactivate" {
		t.Errorf("sent: %v", words)
	}
	b.clean()
}

// TestH10OfManyPagesEachDisarms: six pages that are seen have all connections of a browser to a server. The page that
// disarms gives its own up.
func TestH10OfManyPagesEachDisarms(t *testing.T) {
	w := serve(t, robot("active"))
	b := browse(t, w.address)
	b.shows(".link", "Live")
	for range 5 {
		second := b.another(w.address)
		second.shows(".link", "Live")
	}
	b.do(chromedp.Click(".disarm-button"))
	b.shows(".disarm-report", "the network is as asked")
	if words := w.sent(); !slices.Contains(words, "disarm") {
		t.Errorf("sent: %v", words)
	}
	b.clean()
}

// cutOff is a script for a page whose streams end at once when it is cut off.
const cutOff = `window.EventSource = class extends EventSource {
	constructor(...rest) { super(...rest); window.stream = this; if (window.cut) this.close(); } }`

// TestH10APageWithoutAConnectionDisarms: six other pages have them all, and give theirs up.
func TestH10APageWithoutAConnectionDisarms(t *testing.T) {
	w := serve(t, robot("active"))
	b := browse(t, w.address)
	send(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: cutOff})
	b.do(chromedp.Reload())
	b.shows(".link", "Live")
	b.script(`window.cut = true; window.stream.close()`)
	b.shows(".link", "No news")
	for range 6 {
		other := b.another(w.address)
		other.shows(".link", "Live")
	}
	b.do(chromedp.Click(".disarm-button"))
	b.shows(".disarm-report", "the network is as asked")
	b.clean()
}

// TestASimulationThatIsGone: no other one takes its place under the finger of a person.
func TestASimulationThatIsGone(t *testing.T) {
	other := robot("active")
	other.ID, other.Name = "other", "/other/rstate"
	w := serve(t, robot("active"))
	b := browse(t, w.address)
	b.rests("active", "as commanded", "intact")
	w.stop() // another network is started at the same address
	w.becomes(other)
	w.start(t, w.address)
	b.shows(".loading", "This server has no simulation demo now")
	if eval[bool](b, `document.querySelector(".disarm-button, .buttons button") !== null`) {
		t.Error("there are commands for another simulation")
	}
	b.do(chromedp.Click(".others a"))
	b.shows(".bar-name", "/other/rstate")
	for _, hash := range []string{"#nobody/why", "#%", "#%E0%A4%A/history"} {
		b.script(fmt.Sprintf(`location.hash = %q`, hash))
		b.shows(".loading", "This server has no simulation")
	}
	b.clean()
}

// TestABrowserWithoutStorage: the page works, and keeps the token until it is loaded again.
func TestABrowserWithoutStorage(t *testing.T) {
	w := guarded(t)
	b := browse(t, w.address)
	send(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: `Object.defineProperty(window, "sessionStorage", {get() { throw new DOMException("forbidden", "SecurityError"); }})`})
	b.do(chromedp.Reload())
	b.shows(".link", "Live")
	b.clicks(commandButton)
	b.gives(w.token)
	b.clicks(commandButton)
	b.shows(".outcome", "the network is as asked")
	b.clean()
}
