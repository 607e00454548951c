package page

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"rstate/internal/httpapi"
)

func quoted(text string) string {
	out, _ := json.Marshal(text) // a string
	return string(out)
}

// TestThePageShowsTheState, what it waits for, and each change without a reload.
func TestThePageShowsTheState(t *testing.T) {
	w := serve(t, robot("inactive"))
	b := browse(t, w.address)
	b.shows(".state", "inactive")
	b.shows(".chip", "as commanded")
	b.shows(".link", "Live")
	w.put(activating())
	b.shows(".state", "activating")
	b.shows(".chip", "going to active")
	b.shows("tr", "waits for /lidar")
	w.put(drifted())
	b.shows(".chip", "not intact: 1 node")
	b.shows(".chip", "lowered by rstate: disarm")
	b.shows(".diagnosis", "/lidar is lost: its process has ended.")
	b.do(chromedp.Click(".diagnosis button"))
	b.until(`document.activeElement.innerText.includes("/lidar")`)
	b.clean()
}

// stoppedClocks is a script that stops the clocks of the page at the time t, until thaw.
const stoppedClocks = `{ const now = performance.now.bind(performance), lag = Date.now() - now();
	window.t = now(); performance.now = () => window.t; Date.now = () => performance.now() + lag;
	window.thaw = () => { const gone = now() - window.t; performance.now = () => now() - gone; }; }`

// module makes a module of the page known to scripts.
func (b *tab) module(name string) {
	b.Helper()
	eval[bool](b, `import(document.body.dataset.base + "app/`+name+`.js").then((m) => { window.`+name+` = m; return true })`,
		chromedp.EvalAwaitPromise)
}

// TestH9APageWithoutDaemonSaysSo after 1.75 s, no earlier and no later; it greys out, and recovers by itself.
func TestH9APageWithoutDaemonSaysSo(t *testing.T) {
	w := serve(t, robot("active"))
	b := browse(t, w.address)
	b.witnessed()
	b.module("clock")
	b.module("link")
	b.script(stoppedClocks)
	w.stop()
	b.until(`window.lost`)
	for _, c := range []struct {
		age  int
		link string
	}{{1749, "live"}, {1751, "stale"}} {
		b.script(fmt.Sprintf(`window.t += link.lastNews("demo") + %d - clock.ms()`, c.age))
		b.until(`clock.now.value === clock.ms()`)
		if is := eval[string](b, `link.link.value`); is != c.link {
			t.Errorf("%d ms after the last news the page is %s", c.age, is)
		}
	}
	b.script(`thaw()`)
	b.shows(".link", "No news")
	b.shows(".stale-note", "cannot be heard")
	b.until(`getComputedStyle(document.querySelector(".hero")).filter.includes("grayscale")`)
	b.until(`[...document.querySelectorAll(".buttons button")].every((e) => e.getAttribute("aria-disabled") === "true")`)
	w.start(t, w.address)
	w.put(robot("inactive"))
	b.shows(".link", "Live")
	b.shows(".state", "inactive")
	b.until(`!document.querySelector("main.stale")`)
	b.clean()
}

// witness notes each pair of what the page says of its connection and of the state, and how often it was told that the
// server lives, on which connection, and that one was lost.
const witness = `window.seen = []; window.streams = 0;
	window.EventSource = class extends EventSource {
		constructor(...rest) { super(...rest); window.alives = 0; window.streams++;
			this.addEventListener("error", () => { window.lost = true; }); this.addEventListener("alive", () => { window.alives++; }); }
	};
	new MutationObserver(() => {
		const link = document.querySelector(".link"), state = document.querySelector(".state");
		const pair = link && state ? (link.classList.contains("live") ? "live " : "old ") + state.innerText : "nothing";
		if (window.seen.at(-1) !== pair) window.seen.push(pair);
	}).observe(document, {subtree: true, attributes: true, childList: true, characterData: true})`

// witnessed opens the page anew with the witness.
func (b *tab) witnessed() {
	b.Helper()
	send(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: witness})
	b.do(chromedp.Reload())
	b.shows(".link", "Live")
}

// seen returns what the witness noted, joined with commas.
func (b *tab) seen() string { b.Helper(); return eval[string](b, `window.seen.join(", ")`) }

// TestH9AConnectionIsNewsWhenAllHasCome: until then a server that lives again has told no state.
func TestH9AConnectionIsNewsWhenAllHasCome(t *testing.T) {
	w := serve(t, robot("active"))
	b := browse(t, w.address)
	b.witnessed()
	w.stop()
	b.shows(".link", "No news")
	open := w.hold(t)
	b.script(`window.alives = 0; window.seen = []`)
	w.put(robot("inactive"))
	w.start(t, w.address)
	b.until(`window.alives > 1`)
	open()
	b.rests("inactive", "as commanded", "intact")
	if seen := b.seen(); strings.Contains(seen, "live active") {
		t.Errorf("an old state is shown as new: %s", seen)
	}
	b.clean()
}

// TestH8MarkupIsText: names, reasons and messages of nodes and clients never become elements.
func TestH8MarkupIsText(t *testing.T) {
	const evil = `<img src=x onerror="window.hit=1"><script>window.hit=1</script>`
	s := drifted()
	s.Cause, s.Name, s.Nodes[0].Cause, s.Nodes[1].Name, s.Nodes[1].Failing = evil, evil, evil, "/"+evil, []string{evil}
	s.Deviations[0].Cause, s.Warnings = evil, []string{evil, evil}
	s.Refusal = &httpapi.Refusal{Command: evil, Why: evil, Client: evil}
	s.Failure = &httpapi.Failure{Command: evil, Cause: evil, Outcome: evil}
	s.Peers = []httpapi.Peer{{Name: evil, State: evil, Cause: evil}}
	w := serve(t, s)
	w.entries = []httpapi.Entry{{Run: "1", N: 1, Kind: "command", Text: evil, Client: evil}}
	w.why = httpapi.Why{Text: evil, Try: []string{evil}}
	b := browse(t, w.address)
	for _, list := range []string{"why", "timeline", "history", "peers"} {
		b.do(chromedp.Click("#tab-" + list))
		b.until(fmt.Sprintf(`document.querySelector("#tab-%s").getAttribute("aria-selected") === "true"`, list))
		if list == "why" || list == "history" {
			b.shows("#list", evil)
		}
	}
	b.shows(".diagnosis", evil)
	if eval[bool](b, `!!window.hit || document.querySelector("#app img, #app script") !== null`) {
		t.Error("a text has become an element")
	}
	b.clean()
}

// TestH8NothingInlineRuns: the policy is in force in the browser, which refuses each of these.
func TestH8NothingInlineRuns(t *testing.T) {
	b := browse(t, serve(t, robot("active")).address)
	b.shows(".link", "Live")
	b.script(`document.addEventListener("securitypolicyviolation", () => { window.refused++; })`)
	for _, script := range []string{
		`const s = document.createElement("script"); s.text = "window.hit = 1"; document.body.append(s)`,
		`document.body.setAttribute("onclick", "window.hit = 2"); document.body.click()`,
		`eval("window.hit = 3")`,
		`document.body.innerHTML = "<img src=x onerror='window.hit = 4'>"`,
		`fetch("http://127.0.0.2:1/").catch(() => {})`,
	} {
		b.script(`window.refused = 0`)
		// An expression of the protocol is not bound by the policy, so the page itself tries, in a task of its own.
		b.script(`setTimeout(() => { try { ` + script + ` } catch {} }, 0); 0`)
		b.until(`window.refused > 0`)
	}
	if hit := eval[string](b, `String(window.hit)`); hit != "undefined" {
		t.Errorf("inline code ran: %s", hit)
	}
}

// TestH10DisarmIsOneClick, also while another request hangs.
func TestH10DisarmIsOneClick(t *testing.T) {
	w := serve(t, robot("active"))
	held := make(chan struct{})
	t.Cleanup(func() { close(held) })
	w.answer = func(a httpapi.Asked) (httpapi.Result, error) {
		if !a.Disarms {
			<-held
		}
		return httpapi.Result{Success: true, Message: "nothing is armed"}, nil
	}
	b := browse(t, w.address)
	b.shows(".link", "Live")
	b.module("commands")
	// More than a browser has connections for a server.
	b.script(`for (let k = 0; k < 8; k++) commands.send("demo", "deactivate"); 0`)
	b.do(chromedp.Click(".disarm-button"))
	b.shows(".disarm-report", "nothing is armed")
	if words := w.sent(); !slices.Contains(words, "disarm") { // what waited for a connection may come after it
		t.Errorf("sent: %v", words)
	}
	b.clean()
}

// TestH10ADisarmIsSentUntilItIsAnswered, with one id, so that it is carried out once.
func TestH10ADisarmIsSentUntilItIsAnswered(t *testing.T) {
	w := serve(t, robot("active"))
	var tries atomic.Int32
	held := make(chan struct{})
	t.Cleanup(func() { close(held) })
	w.answer = func(httpapi.Asked) (httpapi.Result, error) {
		if tries.Add(1) < 3 {
			<-held // the answer is lost
		}
		return httpapi.Result{Success: true, Message: "nothing is armed"}, nil
	}
	b := browse(t, w.address)
	b.shows(".link", "Live")
	b.do(chromedp.Click(".disarm-button"))
	b.shows(".disarm-report", "nothing is armed")
	all := w.asked()
	for _, o := range all {
		if o.ID == "" || o.ID != all[0].ID {
			t.Errorf("sent with the ids %q and %q", all[0].ID, o.ID)
		}
	}
	b.clean()
}

// TestThePureModules: what they compute, with the scripts that a browser loads.
func TestThePureModules(t *testing.T) {
	b := browse(t, serve(t, robot("active")).address)
	b.shows(".link", "Live")
	for expression, want := range map[string]string{
		// The shortest way so far is 100 ms; the second message took 400 ms longer.
		`(() => { const o = new Offset(); o.observe("1970-01-01T00:00:10Z", 10100);
			o.observe("1970-01-01T00:00:11Z", 11500); return [o.local("1970-01-01T00:00:11Z", 11500), o.local("1970-01-01T00:01:00Z", 11500)] })()`: "[11100,11500]",
		// The first message came 4 s after it was asked for, so it may be as old.
		`(() => { const o = new Offset(0); o.observe("1970-01-01T00:00:10Z", 4000); return [o.local("1970-01-01T00:00:10Z", 4000),
			o.local("1970-01-01T00:00:11Z", 5000)] })()`: "[0,1000]",
		`[[], [0.012, 0.3], [1, 0.3, 0.01]].map((ends) => { let at = 0; const bars = ends.map((took, k) => ({node: k, begin: at, end: at += took}));
			return [...deciding(bars, at)].map((b) => b.node).sort() })`: "[[],[],[0,1]]",
		`(() => { const first = look(undefined, "a", "x", 0), same = look(first, "a", "x", 5000), moved = look(same, "a", "y", 6000);
			return [same === first, moved.since, press(same, 999) === null, press(same, 1000) === first, look(moved, "b", "y", 9000).since] })()`: "[true,6000,true,true,9000]",
		`layers([{name: "c", after: ["b", "x"]}, {name: "a", after: []}, {name: "b", after: ["a"]}]).map((l) => l.map((n) => n.name))`:                                     `[["a"],["b"],["c"]]`,
		`[...critical([{node: "a", begin: 0, end: 2}, {node: "b", begin: 0, end: 1}, {node: "c", begin: 2, end: 3}, {node: "d", begin: 1, end: 1.5}])].map((s) => s.node)`: `["c","a"]`,
		`transitions([{kind: "step", node: "/a", step: "activate", verdict: "done", took_s: 1, stamp: "1970-01-01T00:00:05Z"},
			{kind: "command", command: "activate", verdict: "succeeded", took_s: 2, stamp: "1970-01-01T00:00:05.01Z"},
			{kind: "step", node: "/a", step: "cleanup", verdict: "done", took_s: 1, stamp: "1970-01-01T00:01:00Z"}]).map((t) => [t.title, t.bars.length])`: `[["activate",1],["rstate by itself",1]]`,
		`[span(0.0001), span(0.004), span(0.25), span(4.26), span(59.6), span(300), age(0.9), age(61.9)]`: `["0 s","0.004 s","0.25 s","4.3 s","60 s","5 min","under 1 s","61 s"]`,
	} {
		script := `(async () => { const m = (name) => import(document.body.dataset.base + "app/" + name + ".js");
			const { Offset } = await m("offset"), { layers, critical, deciding } = await m("order"), { transitions } = await m("transitions"),
				{ span, age } = await m("clock"), { look, press } = await m("stand"); return JSON.stringify((` + expression + `)) })()`
		if got := eval[string](b, script, chromedp.EvalAwaitPromise); got != want {
			t.Errorf("%s\nis %s\nwant %s", expression, got, want)
		}
	}
}

// TestTwoHundredNodes: an update costs little.
func TestTwoHundredNodes(t *testing.T) {
	s := many(200)
	w := serve(t, s)
	b := browse(t, w.address)
	b.shows("tbody", "/robot/part_199")
	if n := eval[int](b, `document.querySelectorAll(".nodes tbody tr").length`); n != 200 {
		t.Errorf("%d rows", n)
	}
	b.do(chromedp.SendKeys(".nodes input", "part_042"))
	b.until(`document.querySelectorAll(".nodes tbody tr").length === 1`)
	if text := b.text(".nodes tbody"); !strings.Contains(text, "/robot/part_042") {
		t.Errorf("found %q", text)
	}
	b.clean()
}
