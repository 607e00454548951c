package page

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"rstate/internal/httpapi"
)

// place is where an element is in the window.
type place struct{ X, Y float64 }

// middle brings an element into view and returns its middle.
func (b *tab) middle(selector string) place {
	b.Helper()
	return eval[place](b, `(() => { const e = document.querySelector(`+quoted(selector)+`); e.scrollIntoView({block: "center"});
		const r = e.getBoundingClientRect(); return {X: r.x + r.width / 2, Y: r.y + r.height / 2}; })()`)
}

func (b *tab) mouse(kind input.DispatchMouseEventType, at place) {
	b.Helper()
	buttons := int64(1) // the left one is down
	if kind == input.DispatchMouseEventTypeMouseReleased {
		buttons = 0
	}
	send(b, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: at.X, Y: at.Y,
		Button: input.MouseButtonLeft, Buttons: buttons, ClickCount: 1})
}

// finger puts a finger on a place, or takes it away.
func (b *tab) finger(kind input.DispatchTouchEventType, at ...*input.TouchPoint) {
	b.Helper()
	send(b, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: at})
}

func (b *tab) key(kind input.DispatchKeyEventType, repeat bool) {
	b.Helper()
	send(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: " ", Code: "Space",
		WindowsVirtualKeyCode: 32, AutoRepeat: &repeat})
}

const armButton = ".arm-button"

// late has the reasons for which a press is void if the server, the page or the test is late.
var late = regexp.MustCompile("the news stopped|stood still|held too long")

// notes has the page note from now on that it saw a press, that it took one, and for which reasons presses are void.
const notes = `window.noting?.disconnect(); window.pressed = window.taken = false; window.voids = [];
	window.onpointerdown = window.onkeydown = () => { window.pressed = true; };
	{
		const read = () => document.querySelector("#arm-hint")?.textContent ?? "";
		let hint = read();
		window.noting = new MutationObserver(() => {
			const before = hint;
			hint = read();
			if (document.querySelector(".arm-button.held")) window.taken = true;
			if (hint !== before && hint.startsWith("Not armed")) window.voids.push(hint);
		});
	}
	window.noting.observe(document, {subtree: true, attributes: true, childList: true, characterData: true})`

// again has a person do something at the button that arms. The act returns whether it went as it should. If not, the
// person does it again, but only if the page took no press, or one is void because something was late.
func (b *tab) again(act func() bool) {
	b.Helper()
	for end := time.Now().Add(patience); ; {
		b.until(`document.querySelector(".arm-button")?.getAttribute("aria-disabled") === "false"`)
		b.shows(".ready-word", "Ready to arm") // the reasons why not are gone, which would move the button
		b.script(notes)
		if act() {
			return
		}
		voids := eval[[]string](b, `window.voids ?? []`) // there are none after a reload
		if eval[bool](b, `!!window.taken`) && !slices.ContainsFunc(voids, late.MatchString) {
			b.Fatalf("the page took the press, nothing was late, and it says: %q", voids)
		}
		if time.Now().After(end) {
			b.Fatalf("no press went as it should in %v, and the page says: %q", patience, voids)
		}
	}
}

// looksPressed waits until a press makes the button look so, and returns whether it does. It does not if the page takes
// no press, or if the press is void before.
func (b *tab) looksPressed(look string) bool {
	b.Helper()
	is := `document.querySelector(".arm-button.` + look + `")`
	b.until(is + ` || window.pressed && !document.querySelector(".arm-button.held")`)
	return eval[bool](b, is+` !== null`)
}

// held waits until the button is held, and full until the bar is full too.
func (b *tab) held() bool { b.Helper(); return b.looksPressed("held") }
func (b *tab) full() bool { b.Helper(); return b.looksPressed("full") }

// void waits until the button is held no more, and returns whether a press is void for a reason.
func (b *tab) void(why string) bool {
	b.Helper()
	b.until(`window.pressed && !document.querySelector(".arm-button.held")`)
	return eval[bool](b, `window.voids.some((hint) => hint.includes(`+quoted(why)+`))`)
}

// holds holds the button with the mouse until the bar is full, and returns whether that arms.
func (b *tab) holds() bool {
	b.Helper()
	at := b.middle(armButton)
	b.mouse(input.DispatchMouseEventTypeMousePressed, at)
	full := b.full()
	b.mouse(input.DispatchMouseEventTypeMouseReleased, at)
	return full && !b.void("Not armed")
}

// arms holds the button that arms, until it is full.
func (b *tab) arms() { b.Helper(); b.again(b.holds) }

// TestH10OnlyAButtonThatIsHeldArms: a click does not, nor a hold that ends elsewhere or during which another client disarms.
func TestH10OnlyAButtonThatIsHeldArms(t *testing.T) {
	gestures{
		"held with the mouse": {func(b *tab, _ *world) bool { return b.holds() }, true},
		"one click": {func(b *tab, _ *world) bool {
			b.do(chromedp.Click(armButton))
			return b.void("let go too early")
		}, false},
		"let go beside the button": {func(b *tab, _ *world) bool {
			at := b.middle(armButton)
			b.mouse(input.DispatchMouseEventTypeMousePressed, at)
			b.full()
			b.mouse(input.DispatchMouseEventTypeMouseMoved, place{at.X, at.Y + 200})
			b.mouse(input.DispatchMouseEventTypeMouseReleased, place{at.X, at.Y + 200})
			return b.void("has left the button")
		}, false},
		"arm and disarm by another client": {func(b *tab, w *world) bool {
			s := robot("active")
			w.put(s)
			b.rests("active", "as commanded", "intact")
			at := b.middle(armButton)
			b.mouse(input.DispatchMouseEventTypeMousePressed, at)
			b.held()
			s.Seen += "1"
			w.put(s)
			void := b.void("the network has changed")
			b.mouse(input.DispatchMouseEventTypeMouseReleased, at)
			return void
		}, false},
	}.play(t)
}

// TestH10OnlyTheWholeGestureArms: with a key, as with the mouse. All that can happen by accident does not.
func TestH10OnlyTheWholeGestureArms(t *testing.T) {
	gestures{
		"held with a key": {func(b *tab, _ *world) bool {
			b.do(chromedp.Focus(armButton))
			b.key(input.DispatchKeyEventTypeKeyDown, false)
			b.key(input.DispatchKeyEventTypeKeyDown, true)
			full := b.full()
			b.key(input.DispatchKeyEventTypeKeyUp, false)
			return full && !b.void("Not armed")
		}, true},
		"many clicks": {func(b *tab, _ *world) bool {
			for range 20 {
				b.do(chromedp.Click(armButton))
			}
			return b.void("let go too early")
		}, false},
		"a click of a script": {func(b *tab, _ *world) bool {
			b.script(`for (const type of ["pointerdown", "pointerup", "click"]) document.querySelector(".arm-button")
				.dispatchEvent(new PointerEvent(type, {bubbles: true, isPrimary: true}))`)
			return true
		}, false},
		"a key that is stuck": {func(b *tab, _ *world) bool {
			b.do(chromedp.Focus(armButton))
			b.key(input.DispatchKeyEventTypeKeyDown, false)
			void := b.full() && b.void("held too long")
			b.key(input.DispatchKeyEventTypeKeyDown, true)
			b.key(input.DispatchKeyEventTypeKeyUp, false)
			return void
		}, false},
		"a key that was down before": {func(b *tab, _ *world) bool {
			b.do(chromedp.Focus(armButton))
			b.key(input.DispatchKeyEventTypeKeyDown, true)
			b.key(input.DispatchKeyEventTypeKeyUp, false)
			return true
		}, false},
		"a change of the network": {func(b *tab, w *world) bool {
			w.put(robot("active")) // as it was before an earlier try
			b.rests("active", "as commanded", "intact")
			at := b.middle(armButton)
			b.mouse(input.DispatchMouseEventTypeMousePressed, at)
			b.held()
			s := robot("active")
			s.Intact = false
			w.put(s)
			void := b.void("the network has changed")
			b.mouse(input.DispatchMouseEventTypeMouseReleased, at)
			return void
		}, false},
		"a reload": {func(b *tab, _ *world) bool {
			b.mouse(input.DispatchMouseEventTypeMousePressed, b.middle(armButton))
			full := b.full()
			b.do(chromedp.Reload())
			b.shows(".link", "Live")
			b.mouse(input.DispatchMouseEventTypeMouseReleased, b.middle(armButton))
			return full
		}, false},
		"a second tab": {func(b *tab, w *world) bool {
			at := b.middle(armButton)
			b.mouse(input.DispatchMouseEventTypeMousePressed, at)
			if !b.held() {
				b.mouse(input.DispatchMouseEventTypeMouseReleased, at)
				return false
			}
			second := b.another(w.address)
			second.shows(".link", "Live")
			second.mouse(input.DispatchMouseEventTypeMouseReleased, second.middle(armButton))
			// The button of the mouse is still down in the first tab, where nothing else can be clicked before it is up.
			b.mouse(input.DispatchMouseEventTypeMouseReleased, place{at.X, at.Y + 200})
			return true
		}, false},
	}.play(t)
}

// TestH10AnArmComesAtOnceOrNotAtAll: a challenge that comes long after the button was let go arms nothing.
func TestH10AnArmComesAtOnceOrNotAtAll(t *testing.T) {
	w := serve(t, robot("active"))
	b := browse(t, w.address)
	b.until(`document.querySelector(".arm-button")?.getAttribute("aria-disabled") === "false"`)
	answer := w.hold(t)
	b.arms()
	b.shows(".outcome", "arm: not sent, because the server gave no challenge within 2 s")
	answer()
	b.clicks(commandButton)
	b.shows(".outcome", "the network is as asked")
	if words := w.sent(); !slices.Equal(words, []string{"deactivate"}) {
		t.Errorf("sent: %v", words)
	}
	b.clean()
}

// TestH10AnArmBringsWhatItsPersonSaw: with the order, and with the request for the challenge, which may have waited on its
// way too. A disarm that the page has not heard of yet ends the gesture.
func TestH10AnArmBringsWhatItsPersonSaw(t *testing.T) {
	s := robot("active")
	w := serve(t, s)
	b := browse(t, w.address)
	b.arms()
	b.shows(".outcome", "the network is as asked")
	if all := w.asked(); len(all) != 1 || all[0].Seen != s.Seen {
		t.Errorf("sent %+v", all)
	}
	shown := s.Seen
	s.Seen += "1"
	w.hides(s)
	b.again(func() bool {
		at := b.middle(armButton)
		b.mouse(input.DispatchMouseEventTypeMousePressed, at)
		void := b.void("another change has come since you looked")
		b.mouse(input.DispatchMouseEventTypeMouseReleased, at)
		return void
	})
	if all := w.asked(); len(all) != 1 {
		t.Errorf("what the page showed was %s, and it sent %+v", shown, all)
	}
}

// TestH10TheAuthorityIsAskedFor, sent once, and not kept.
func TestH10TheAuthorityIsAskedFor(t *testing.T) {
	s := robot("active")
	s.Authority = true
	w := serve(t, s)
	b := browse(t, w.address)
	b.shows("#arm-hint", "Needs the authority")
	b.do(chromedp.SendKeys(".arming input", "s3cret"))
	b.arms()
	b.shows(".outcome", "the network is as asked")
	if all := w.asked(); all[0].Authority != "s3cret" || eval[string](b, `document.querySelector(".arming input").value`) != "" {
		t.Errorf("sent %+v", all)
	}
}

// TestH9ALoopThatHangsIsShown, though its server lives.
func TestH9ALoopThatHangsIsShown(t *testing.T) {
	s := robot("active")
	w := serve(t, s)
	b := browse(t, w.address)
	b.shows(".link", "Live")
	s.Stalled = true
	w.put(s)
	b.shows(".link", "unresponsive")
	b.until(`document.querySelector("main.stale")`)
	s.Stalled = false
	w.put(s)
	b.shows(".link", "Live")
}

// TestH9ALoopThatHangsSaysSinceWhen: a page that is opened then counts from what the loop said last.
func TestH9ALoopThatHangsSaysSinceWhen(t *testing.T) {
	s := robot("active")
	s.Stalled, s.Stamp = true, time.Now().Add(-time.Hour)
	b := browse(t, serve(t, s).address)
	b.shows(".link", "unresponsive, last heard 60 min ago")
	b.shows(".stale-note", "60 min ago")
	b.clean()
}

// TestH9AnOldMessageIsNotNew: its age counts from when it was sent, however late it came.
func TestH9AnOldMessageIsNotNew(t *testing.T) {
	s := armed()
	w := serve(t, s)
	began := time.Now()
	b := browse(t, w.address)
	b.shows(".link", "Live")
	s.Stamp = time.Now().Add(-90 * time.Second)
	s.Progress = &httpapi.Progress{Command: "arm", Elapsed: 1, Total: 1}
	s.State, s.Settled = "arming", false
	w.put(s)
	const shown = `Number(/for (\d+) s/.exec(document.querySelector(".progress")?.innerText)?.[1])`
	b.until(shown + ` >= 91`)
	// The page takes the time that its connection took for that of the way, so the message may be older by as much.
	if is, most := eval[float64](b, shown), 91.5+time.Since(began).Seconds(); is > most {
		t.Errorf("shown: %v s, which should be %v s at most", is, most)
	}
}
