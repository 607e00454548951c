package page

import (
	"net/http"
	"os"
	"path"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
)

// mustRehearse leaves a test out where the page has no rehearsal.
func mustRehearse(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("../../internal/page/built/rehearse.wasm.gz"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("the rehearsal is not built: run `make rehearsal`")
		}
		t.Skip("left out: the rehearsal is not built; `make rehearsal` builds it")
	}
}

// TestWhatIf: the page plays a fault with the engine of the daemon, compiled to WebAssembly, and stays live meanwhile.
func TestWhatIf(t *testing.T) {
	mustRehearse(t)
	yaml, err := os.ReadFile("../../config/demo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	w := serve(t, armed())
	w.yaml = string(yaml)
	b := browse(t, w.address)
	b.do(chromedp.Click("#tab-what-if"))
	if n := eval[int](b, `performance.getEntriesByType("resource").filter((r) => r.name.includes("wasm")).length`); n > 0 {
		t.Error("the rehearsal is loaded before it is asked for")
	}
	b.do(chromedp.Click(".what-if button"))
	b.shows(".outlook", "The network ends up active, not intact")
	b.shows(".what-if .history", "/lidar")
	b.do(chromedp.Click(".what-if button.plain"))
	b.until(`document.querySelectorAll(".what-if tbody tr").length === 4`)
	b.shows(".what-if tbody", "active, not intact")
	b.shows(".link", "Live")
	// A question that cannot be played has an answer too.
	w.yaml = "nodes: 7"
	s := armed()
	s.Run = "another"
	w.put(s)
	b.do(chromedp.Click(".what-if button"))
	b.shows(".what-if", "Cannot play it")
	b.clean()
}

// TestWhatIfIsLoadedAgain: after its worker, or the rehearsal itself, could not be loaded.
func TestWhatIfIsLoadedAgain(t *testing.T) {
	mustRehearse(t)
	w := serve(t, robot("active"))
	w.yaml = demo(t)
	var ill atomic.Value
	ill.Store("rehearse-worker.js")
	b := browse(t, front(t, w, func(out http.ResponseWriter, r *http.Request) bool {
		if path.Base(r.URL.Path) != ill.Load() {
			return false
		}
		http.Error(out, "not now", http.StatusServiceUnavailable)
		return true
	}))
	b.do(chromedp.Click("#tab-what-if"))
	b.do(chromedp.Click(".what-if button"))
	b.shows(".what-if .bad", "cannot be loaded")
	ill.Store("rehearse.wasm")
	b.do(chromedp.Click(".what-if button"))
	b.shows(".what-if .bad", "TypeError")
	ill.Store("nothing")
	b.do(chromedp.Click(".what-if button"))
	b.shows(".outlook", "The network ends up")
}
