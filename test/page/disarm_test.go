package page

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"rstate/internal/httpapi"
)

// front serves a world through a server that names no client, and may answer in its place.
func front(t *testing.T, w *world, answers func(http.ResponseWriter, *http.Request) bool) (address string) {
	t.Helper()
	behind := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: w.address})
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		r.Header["X-Forwarded-For"] = nil // none is sent
		if !answers(out, r) {
			behind.ServeHTTP(out, r)
		}
	}))
	t.Cleanup(server.CloseClientConnections)
	return server.Listener.Addr().String()
}

// TestH10ADisarmOutlastsADaemonThatStarts: for longer than 5 s there is nothing at the address.
func TestH10ADisarmOutlastsADaemonThatStarts(t *testing.T) {
	w := serve(t, robot("active"))
	b := browse(t, w.address)
	b.shows(".link", "Live")
	w.stop()
	b.do(chromedp.Click(".disarm-button"))
	b.until(`/sent (\d+) times/.exec(document.querySelector(".disarm-report").innerText)?.[1] >= 24`)
	w.start(t, w.address)
	b.shows(".disarm-report", "the network is as asked")
	b.clean()
}

// TestH10AProxyWithoutADaemonIsAskedAgain: its answer is not that of the daemon.
func TestH10AProxyWithoutADaemonIsAskedAgain(t *testing.T) {
	w := serve(t, robot("active"))
	var n atomic.Int32
	b := browse(t, front(t, w, func(out http.ResponseWriter, r *http.Request) bool {
		if k := n.Load(); r.Method != http.MethodPut || k == 3 {
			return false
		}
		http.Error(out, "no daemon", []int{502, 503, 504}[n.Add(1)-1])
		return true
	}))
	b.shows(".link", "Live")
	b.do(chromedp.Click(".disarm-button"))
	b.shows(".disarm-report", "the network is as asked")
	b.clean()
}

// TestH10ADisarmThatFailedStays: until a person closes it, or another one succeeds.
func TestH10ADisarmThatFailedStays(t *testing.T) {
	const why = "/arm_driver has not confirmed"
	w := serve(t, robot("active"))
	w.answer = func(httpapi.Asked) (httpapi.Result, error) { return httpapi.Result{Message: why}, nil }
	b := browse(t, w.address)
	b.witnessed()
	fails := func() {
		b.do(chromedp.Click(".disarm-button"))
		b.shows(".disarm-report.failed", why)
	}
	fails()
	// An hour goes by. The page says so only until it is connected anew, which is at once.
	b.script(`window.seen = []; { const real = Date.now; Date.now = () => real() + 3600e3; }`)
	b.until(`window.seen.includes("old active")`)
	b.rests("active", "as commanded", "intact")
	b.shows(".disarm-report.failed", why)
	b.do(chromedp.Click(".disarm button.small"))
	b.until(`document.querySelector(".disarm-report").innerText === ""`)
	fails()
	w.mu.Lock()
	w.answer = nil
	w.mu.Unlock()
	b.do(chromedp.Click(".disarm-button"))
	b.shows(".disarm-report.done", "the network is as asked")
	b.until(`!document.querySelector(".disarm button.small")`)
	b.clean()
}

// TestH10DisarmIsThereForPeers: at an instance whose own nodes cannot be armed too.
func TestH10DisarmIsThereForPeers(t *testing.T) {
	s := robot("active")
	s.Nodes[3].Armable = false
	w := serve(t, s)
	b := browse(t, w.address)
	b.shows(".link", "Live")
	if eval[bool](b, `document.querySelector(".disarm-button") !== null`) {
		t.Error("there is a Disarm where nothing can be armed")
	}
	s.Peers = []httpapi.Peer{{Name: "/arm/rstate", State: "armed", Alive: true, Intact: true}}
	w.put(s)
	b.do(chromedp.Click(".disarm-button"))
	b.shows(".disarm-report", "the network is as asked")
	b.clean()
}

// TestAListIsReadAgainAfterADisarm, which gave the wait for it up.
func TestAListIsReadAgainAfterADisarm(t *testing.T) {
	w := serve(t, robot("active"))
	w.entries = []httpapi.Entry{{Run: "1", N: 1, Kind: "command", Text: "what happened"}}
	came := make(chan struct{}, 1)
	held := make(chan struct{})
	t.Cleanup(func() { close(held) })
	var n atomic.Int32
	b := browse(t, front(t, w, func(_ http.ResponseWriter, r *http.Request) bool {
		if path.Base(r.URL.Path) == "history" && n.Add(1) == 1 {
			came <- struct{}{}
			<-held
		}
		return false
	}))
	b.shows(".link", "Live")
	b.do(chromedp.Click("#tab-history"))
	select {
	case <-came:
	case <-time.After(patience):
		t.Fatal("the page does not ask for the history")
	}
	b.do(chromedp.Click(".disarm-button"))
	b.shows(".disarm-report", "the network is as asked")
	b.shows("#list", "what happened")
	b.clean()
}
