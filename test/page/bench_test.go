package page

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

const (
	manyNodes   = 200
	updates     = 40
	updateLimit = 0.016 // seconds of script for an update: a frame of the screen
	viewLimit   = 1.0   // seconds until the nodes are seen
	ofBound     = "of-bound"
)

// scripted returns the seconds of a processor that a page has spent in scripts.
func (b *tab) scripted() float64 {
	b.Helper()
	got := result(b, func() (performance.GetMetricsResult, error) {
		return chromedp.Call(b.ctx, performance.GetMetrics, chromedp.Void{})
	})
	for _, m := range got.Metrics {
		if m.Name == "ScriptDuration" {
			return m.Value
		}
	}
	b.Fatalf("the browser does not say how long scripts take: %v", got)
	return 0
}

// BenchmarkPageUpdate measures what an update costs that changes each of many nodes.
func BenchmarkPageUpdate(b *testing.B) {
	s := many(manyNodes)
	w := serve(b, s)
	p := browse(b, w.address)
	p.shows("tbody", "/robot/part_199")
	send(p, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
	update := func(k int) {
		for i := range s.Nodes {
			s.Nodes[i].Report = fmt.Sprintf("update %d", k)
		}
		s.Cause = fmt.Sprintf("this is update %d.", k)
		w.put(s)
		p.shows(".cause", s.Cause)
	}
	update(0)
	before := p.scripted()
	for k := range updates {
		update(k + 1)
	}
	spent := (p.scripted() - before) / updates
	for b.Loop() { // all of it is measured already
	}
	b.ReportMetric(spent/updateLimit, ofBound)
}

// BenchmarkPageFirstView measures the time from the address to many nodes that are seen.
func BenchmarkPageFirstView(b *testing.B) {
	w := serve(b, many(manyNodes))
	p := browse(b, w.address)
	send(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `
		new MutationObserver(() => {
			if (document.querySelectorAll(".nodes tbody tr").length === 200) {
				requestAnimationFrame(() => requestAnimationFrame(() => { window.viewed ??= performance.now() / 1000; }));
			}
		}).observe(document, {subtree: true, childList: true})`})
	least := viewLimit * 100
	const views = 5
	for range views {
		p.do(chromedp.Reload())
		p.until(`window.viewed`)
		least = min(least, eval[float64](p, `window.viewed`))
	}
	for b.Loop() { // all of it is measured already
	}
	b.ReportMetric(least/viewLimit, ofBound)
}
