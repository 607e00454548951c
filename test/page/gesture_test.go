package page

import (
	"fmt"
	"slices"
	"strings"
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

// full waits until the bar of the gesture is full.
func (b *tab) full() { b.Helper(); b.until(`document.querySelector(".arm-button.full")`) }

// void waits until the gesture is void, for a reason.
func (b *tab) void(why string) { b.Helper(); b.shows("#arm-hint", why) }

// TestH10OnlyTheWholeGestureArms: with the mouse or a key. All that can happen by accident does not.
func TestH10OnlyTheWholeGestureArms(t *testing.T) {
	gestures{
		"held with the mouse": {func(b *tab, _ *world) {
			at := b.middle(armButton)
			b.mouse(input.DispatchMouseEventTypeMousePressed, at)
			b.full()
			b.mouse(input.DispatchMouseEventTypeMouseReleased, at)
		}, true},
		"held with a key": {func(b *tab, _ *world) {
			b.do(chromedp.Focus(armButton))
			b.key(input.DispatchKeyEventTypeKeyDown, false)
			b.key(input.DispatchKeyEventTypeKeyDown, true)
			b.full()
			b.key(input.DispatchKeyEventTypeKeyUp, false)
		}, true},
		"one click": {func(b *tab, _ *world) {
			b.do(chromedp.Click(armButton))
			b.void("let go too early")
		}, false},
		"many clicks": {func(b *tab, _ *world) {
			for range 20 {
				b.do(chromedp.Click(armButton))
			}
			b.void("let go too early")
		}, false},
		"a click of a script": {func(b *tab, _ *world) {
			b.script(`for (const type of ["pointerdown", "pointerup", "click"]) document.querySelector(".arm-button")
				.dispatchEvent(new PointerEvent(type, {bubbles: true, isPrimary: true}))`)
		}, false},
		"a key that is stuck": {func(b *tab, _ *world) {
			b.do(chromedp.Focus(armButton))
			b.key(input.DispatchKeyEventTypeKeyDown, false)
			b.full()
			b.void("held too long")
			b.key(input.DispatchKeyEventTypeKeyDown, true)
			b.key(input.DispatchKeyEventTypeKeyUp, false)
		}, false},
		"a key that was down before": {func(b *tab, _ *world) {
			b.do(chromedp.Focus(armButton))
			b.key(input.DispatchKeyEventTypeKeyDown, true)
			b.key(input.DispatchKeyEventTypeKeyUp, false)
		}, false},
		"let go beside the button": {func(b *tab, _ *world) {
			at := b.middle(armButton)
			b.mouse(input.DispatchMouseEventTypeMousePressed, at)
			b.full()
			b.mouse(input.DispatchMouseEventTypeMouseMoved, place{at.X, at.Y + 200})
			b.mouse(input.DispatchMouseEventTypeMouseReleased, place{at.X, at.Y + 200})
			b.void("has left the button")
		}, false},
		"a change of the network": {func(b *tab, w *world) {
			at := b.middle(armButton)
			b.mouse(input.DispatchMouseEventTypeMousePressed, at)
			b.until(`document.querySelector(".arm-button.held")`)
			s := robot("active")
			s.Intact = false
			w.put(s)
			b.void("the network has changed")
			b.mouse(input.DispatchMouseEventTypeMouseReleased, at)
		}, false},
		"a reload": {func(b *tab, _ *world) {
			b.mouse(input.DispatchMouseEventTypeMousePressed, b.middle(armButton))
			b.full()
			b.do(chromedp.Reload())
			b.shows(".link", "Live")
			b.mouse(input.DispatchMouseEventTypeMouseReleased, b.middle(armButton))
		}, false},
		"a second tab": {func(b *tab, w *world) {
			at := b.middle(armButton)
			b.mouse(input.DispatchMouseEventTypeMousePressed, at)
			b.until(`document.querySelector(".arm-button.held")`)
			second := b.another(w.address)
			second.shows(".link", "Live")
			second.mouse(input.DispatchMouseEventTypeMouseReleased, second.middle(armButton))
			// The button of the mouse is still down in the first tab, where nothing else can be clicked before it is up.
			b.mouse(input.DispatchMouseEventTypeMouseReleased, place{at.X, at.Y + 200})
		}, false},
	}.play(t)
}

// TestH10AnArmComesAtOnceOrNotAtAll: a challenge that comes long after the button was let go arms nothing.
func TestH10AnArmComesAtOnceOrNotAtAll(t *testing.T) {
	w := serve(t, robot("active"))
	b := browse(t, w.address)
	b.until(`document.querySelector(".arm-button")?.getAttribute("aria-disabled") === "false"`)
	answer := w.hold(t)
	at := b.middle(armButton)
	b.mouse(input.DispatchMouseEventTypeMousePressed, at)
	b.full()
	b.mouse(input.DispatchMouseEventTypeMouseReleased, at)
	b.shows(".outcome", "arm: not sent, because the server gave no challenge within 2 s")
	answer()
	b.do(chromedp.Click(".buttons button"))
	b.shows(".outcome", "the network is as asked")
	if words := w.sent(); !slices.Equal(words, []string{"deactivate"}) {
		t.Errorf("sent: %v", words)
	}
	b.clean()
}

// TestH10TheAuthorityIsAskedFor, sent once, and not kept.
func TestH10TheAuthorityIsAskedFor(t *testing.T) {
	s := robot("active")
	s.Authority = true
	w := serve(t, s)
	b := browse(t, w.address)
	b.shows("#arm-hint", "Needs the authority")
	b.do(chromedp.SendKeys(".arming input", "s3cret"))
	at := b.middle(armButton)
	b.mouse(input.DispatchMouseEventTypeMousePressed, at)
	b.full()
	b.mouse(input.DispatchMouseEventTypeMouseReleased, at)
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
	s.Stamp = time.Now().Add(-90 * time.Second)
	s.Progress = &httpapi.Progress{Command: "arm", Elapsed: 1, Total: 1}
	s.State, s.Settled = "arming", false
	b := browse(t, serve(t, s).address)
	b.shows(".progress", "for 9") // 91 s and more
	if text := b.text(".progress"); !slices.ContainsFunc([]int{91, 92, 93, 94, 95, 96, 97, 98, 99}, func(n int) bool {
		return strings.Contains(text, fmt.Sprintf("for %d s", n))
	}) {
		t.Errorf("shown: %s", text)
	}
}
