package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"rstate/internal/httpapi"
)

// named is a selector-like expression of the button of a command.
func named(command string) string {
	return `[...document.querySelectorAll(".buttons button, .ending button")].find((e) => e.firstChild.data === ` + quoted(command) + `)`
}

// spot returns the middle of a command in the window, as it is.
func (b *tab) spot(command string) place {
	b.Helper()
	return eval[place](b, `(() => { const r = `+named(command)+`.getBoundingClientRect(); return {X: r.x + r.width / 2, Y: r.y + r.height / 2} })()`)
}

// tap clicks a place with the mouse.
func (b *tab) tap(at place) {
	b.Helper()
	b.mouse(input.DispatchMouseEventTypeMousePressed, at)
	b.mouse(input.DispatchMouseEventTypeMouseReleased, at)
}

// ordering notes the commands that the page sends, which go out by window.sends.
const ordering = `window.orders = []; window.sends = window.fetch;
	window.fetch = (path, how) => {
		if (how?.method === "PUT") window.orders.push(JSON.parse(how.body).state);
		return window.sends(path, how); };`

// standing has the time of places and events stand still at window.t.
const standing = ordering + `window.t = performance.now() + 1e6; places.clock.now = () => window.t;
	Object.defineProperty(Event.prototype, "timeStamp", {get: () => window.t, configurable: true}); 0`

// opened returns a page of a world on which time stands, as tests of places need it.
func opened(t *testing.T, s httpapi.Simulation) (*tab, *world) {
	t.Helper()
	w := serve(t, s)
	b := browse(t, w.address)
	b.stands(w, s)
	return b, w
}

// stands opens the page anew. Time stands on it, and all that is on it is new.
func (b *tab) stands(w *world, s httpapi.Simulation) {
	b.Helper()
	w.becomes(s)
	b.looks("light", 1440, 900)
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate("http://"+w.address+"/"))
	b.shows(".link", "Live")
	b.module("places")
	b.script(standing)
	b.script(`for (const e of document.querySelectorAll("[data-of]")) places.renew(e)`)
}

// hasty is what a person does at a page on which time stands, and the commands that it sends.
type hasty map[string]struct {
	do   func(b *tab, w *world)
	want string
}

// play tries each one on a page that was opened anew.
func (h hasty) play(t *testing.T, s httpapi.Simulation) {
	t.Helper()
	b, w := opened(t, s)
	for name, c := range h {
		if !t.Run(name, func(t *testing.T) {
			part := *b
			part.TB = t
			part.stands(w, s)
			c.do(&part, w)
			if got := part.orders(); got != c.want {
				t.Errorf("the page sent %q, want %q", got, c.want)
			}
			part.clean()
		}) {
			return // each failure costs the patience of a condition
		}
	}
}

// passes lets time pass, and returns when all that has changed is seen.
func (b *tab) passes(milliseconds float64) {
	b.Helper()
	b.painted()
	b.script(fmt.Sprintf(`window.t += %v`, milliseconds))
}

func (b *tab) painted() {
	b.Helper()
	eval[bool](b, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`, chromedp.EvalAwaitPromise)
}

// turns shows a simulation and returns when a person has seen it.
func (b *tab) turns(w *world, s httpapi.Simulation) {
	b.Helper()
	turn++
	s.Version = fmt.Sprint("turn ", turn)
	w.put(s)
	b.shows("footer", s.Version+",")
	b.painted()
}

var turn int // makes each simulation of turns another one

// orders returns the commands that the page has sent since the last call.
func (b *tab) orders() string {
	b.Helper()
	return strings.Join(eval[[]string](b, `window.orders.splice(0)`), " ")
}

// TestH11AClickCountsForWhatHasStood for a second, the same and at the same place. Each case is what happens before a click of
// deactivate, and whether the click counts.
func TestH11AClickCountsForWhatHasStood(t *testing.T) {
	const deactivate, cleanup = "deactivate", "cleanup"
	hasty{
		"it is new":                 {func(b *tab, _ *world) { b.passes(999); b.tap(b.spot(deactivate)) }, ""},
		"it has stood for a second": {func(b *tab, _ *world) { b.passes(1000); b.tap(b.spot(deactivate)) }, deactivate},
		"it is enabled just now": {func(b *tab, w *world) {
			b.turns(w, activating())
			b.passes(5000)
			b.turns(w, robot("active"))
			b.passes(999)
			b.tap(b.spot(deactivate))
		}, ""},
		"it was enabled a second ago": {func(b *tab, w *world) {
			b.turns(w, activating())
			b.passes(5000)
			b.turns(w, robot("active"))
			b.passes(1000)
			b.tap(b.spot(deactivate))
		}, deactivate},
		"it is greyed": {func(b *tab, _ *world) { b.passes(5000); b.tap(b.spot(cleanup)) }, ""},
		"a double click": {func(b *tab, _ *world) {
			b.passes(5000)
			b.tap(b.spot(deactivate))
			b.passes(400)
			b.tap(b.spot(deactivate))
		}, deactivate},
		"a banner has moved it": {func(b *tab, w *world) {
			b.looks("light", 390, 844)
			b.passes(5000)
			b.turns(w, drifted())
			b.passes(999)
			b.tap(b.spot(deactivate))
		}, ""},
		"a banner moved it a second ago": {func(b *tab, w *world) {
			b.looks("light", 390, 844)
			b.passes(5000)
			b.turns(w, drifted())
			b.passes(1000)
			b.tap(b.spot(deactivate))
		}, deactivate},
		"the window was scrolled": {func(b *tab, _ *world) {
			b.looks("light", 1440, 500)
			b.passes(5000)
			b.script(`scrollBy(0, 50)`)
			b.passes(999)
			b.tap(b.spot(deactivate))
		}, ""},
		"something covered it": {func(b *tab, _ *world) {
			const cover = `position: fixed; inset: 0; z-index: 99`
			b.script(`{ const e = document.body.appendChild(document.createElement("div")); e.id = "cover"; e.style = ` + quoted(cover) + ` }`)
			b.passes(5000)
			b.script(`document.getElementById("cover").remove()`)
			b.passes(999)
			b.tap(b.spot(deactivate))
		}, ""},
		"it changes under the finger": {func(b *tab, w *world) {
			b.passes(5000)
			at := b.spot(deactivate)
			b.mouse(input.DispatchMouseEventTypeMousePressed, at)
			b.turns(w, activating())
			b.turns(w, robot("active"))
			b.passes(5000)
			b.mouse(input.DispatchMouseEventTypeMouseReleased, at)
		}, ""},
		"it comes under the finger": {func(b *tab, w *world) {
			b.turns(w, activating())
			at := b.spot(deactivate)
			b.mouse(input.DispatchMouseEventTypeMousePressed, at)
			b.turns(w, robot("active"))
			b.passes(5000)
			b.mouse(input.DispatchMouseEventTypeMouseReleased, at)
		}, ""},
		"a finger": {func(b *tab, _ *world) {
			b.passes(1000)
			at := b.spot(deactivate)
			b.finger(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: at.X, Y: at.Y})
			b.finger(input.DispatchTouchEventTypeTouchEnd)
			b.until(`window.orders.length > 0`)
		}, deactivate},
		"a second finger": {func(b *tab, _ *world) {
			b.passes(1000)
			at, one, two := b.spot(deactivate), 1.0, 2.0
			a, z := &input.TouchPoint{X: at.X, Y: at.Y, ID: &one}, &input.TouchPoint{X: at.X + 9, Y: at.Y, ID: &two}
			b.finger(input.DispatchTouchEventTypeTouchStart, a)
			b.finger(input.DispatchTouchEventTypeTouchStart, a, z)
			b.finger(input.DispatchTouchEventTypeTouchEnd, a)
			b.finger(input.DispatchTouchEventTypeTouchEnd)
			b.painted()
		}, ""},
		"a key":                      {func(b *tab, _ *world) { b.passes(1000); b.enters(deactivate, false) }, deactivate},
		"a key, too early":           {func(b *tab, _ *world) { b.passes(999); b.enters(deactivate, false) }, ""},
		"a key that was down before": {func(b *tab, _ *world) { b.passes(5000); b.enters(deactivate, true) }, ""},
		"a click of a script":        {func(b *tab, _ *world) { b.passes(5000); b.script(named(deactivate) + `.click()`) }, ""},
	}.play(t, robot("active"))
}

// enters presses Enter at a command; repeat says that the key was down before.
func (b *tab) enters(command string, repeat bool) {
	b.Helper()
	b.script(named(command) + `.focus()`)
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
		send(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: "Enter", Code: "Enter", Text: "\r",
			WindowsVirtualKeyCode: 13, AutoRepeat: &repeat})
	}
}

// TestH11CommandsHaveFixedPlaces in the order of a life, whatever is legal. Those that are not say why.
func TestH11CommandsHaveFixedPlaces(t *testing.T) {
	w := serve(t, robot("active"))
	b := browse(t, w.address)
	const row = `(() => { const at = document.querySelector(".buttons").getBoundingClientRect();
		return [...document.querySelectorAll(".buttons button")].map((e) => { const r = e.getBoundingClientRect();
			return [e.innerText.replace(/\s+/g, " "), r.x - at.x, r.y - at.y, r.width, r.height].join() }).join("; ") })()`
	for _, width := range []int64{1440, 390} {
		b.looks("light", width, 844)
		want := ""
		for _, s := range []httpapi.Simulation{robot("active"), robot("unconfigured"), robot("inactive"), activating(), armed(), drifted(), stopped()} {
			b.turns(w, s)
			is := eval[string](b, row)
			if want == "" {
				want = is
			}
			if is != want {
				t.Errorf("%d wide, %s: the commands are %s\nnot %s", width, s.State, is, want)
			}
		}
	}
	if is := eval[string](b, `[...document.querySelectorAll(".buttons button")].map((e) => e.firstChild.data).join()`); is != "configure,activate,deactivate,cleanup" {
		t.Errorf("the order of the commands is %s", is)
	}
	b.script(named("cleanup") + `.focus()`)
	b.shows(".why-not", "legal in: inactive")
	b.clean()
}

// TestH11DisarmHasOnePlace from the first picture of a network on, whatever comes above or beside it.
func TestH11DisarmHasOnePlace(t *testing.T) {
	w := serve(t, robot("active"))
	w.yaml = demo(t)
	b := browse(t, w.address)
	const where = `(() => { const r = document.querySelector(".disarm-button").getBoundingClientRect(); return [r.x, r.y, r.width, r.height].join() })()`
	for _, width := range []int64{1440, 390} {
		want := ""
		for _, m := range moments {
			if !slices.Contains([]string{"activating", "stopped", "gone", needsToken, "long-names"}, m.name) {
				continue
			}
			b.looks("light", width, 844)
			m.opens(t, b, w)
			for range 2 {
				if is := eval[string](b, where); want == "" {
					want = is
				} else if is != want {
					t.Errorf("%d wide, %s: Disarm is at %s, not at %s", width, m.name, is, want)
				}
				b.script(`document.querySelector(".disarm-button").click()`) // its report comes, and may ask for a token
				b.until(`document.querySelector(".disarm-report").innerText !== ""`)
			}
			m.closes(t, w)
		}
	}
	b.clean()
}

// TestH11TheEndNeedsTwoSteps, the second one at another place and a second later, in the state in which the first was taken.
func TestH11TheEndNeedsTwoSteps(t *testing.T) {
	const first, last = "End the network…", "shutdown"
	hasty{
		"one click":      {func(b *tab, _ *world) { b.passes(5000); b.tap(b.spot(first)) }, ""},
		"a double click": {func(b *tab, _ *world) { b.passes(5000); b.tap(b.spot(first)); b.passes(100); b.tap(b.spot(first)) }, ""},
		"ten clicks at one place": {func(b *tab, _ *world) {
			b.passes(5000)
			at := b.spot(first)
			for range 10 {
				b.tap(at)
				b.passes(1500)
			}
		}, ""},
		"the second step at once": {func(b *tab, _ *world) {
			b.passes(5000)
			b.tap(b.spot(first))
			b.passes(900)
			b.tap(b.spot(last))
		}, ""},
		"two steps": {func(b *tab, _ *world) {
			b.passes(5000)
			b.tap(b.spot(first))
			b.passes(1000)
			b.tap(b.spot(last))
		}, last},
		"two steps by keys, the first of which repeats": {func(b *tab, _ *world) {
			b.passes(5000)
			b.enters(first, false)
			b.enters(first, true)
			b.passes(1000)
			b.enters(last, false)
		}, last},
		"the state changes between them": {func(b *tab, w *world) {
			b.passes(5000)
			b.tap(b.spot(first))
			b.painted()
			b.turns(w, activating())
			if eval[bool](b, `document.querySelector(".ending-step") !== null`) {
				b.Error("the second step is still there")
			}
		}, ""},
		"a press elsewhere between them": {func(b *tab, _ *world) {
			b.passes(5000)
			b.tap(b.spot(first))
			b.painted()
			b.tap(b.spot("configure"))
			b.until(`!document.querySelector(".ending-step")`)
		}, ""},
	}.play(t, robot("inactive"))
}
