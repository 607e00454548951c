package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// gestures are what people do, by name, and whether that arms.
type gestures map[string]struct {
	act  func(b *tab, w *world) bool // whether it went as it should
	arms bool
}

// play tries each one on a page of its own.
func (g gestures) play(t *testing.T) {
	t.Helper()
	for name, c := range g {
		if !t.Run(name, func(t *testing.T) {
			w := serve(t, robot("active"))
			b := browse(t, w.address)
			b.again(func() bool { return c.act(b, w) })
			if c.arms {
				b.shows(".outcome", "the network is as asked")
			} else {
				// An order that was sent before this one came before it.
				b.do(chromedp.Click(".disarm-button"))
				b.shows(".disarm-report", "the network is as asked")
			}
			if got := slices.Contains(w.sent(), "arm"); got != c.arms {
				t.Errorf("sent: %v", w.sent())
			}
			b.clean()
		}) {
			return // each failure costs the patience of a condition
		}
	}
}

// meanwhile runs a script once, before the page handles an event of a person.
func (b *tab) meanwhile(event, script string) {
	b.Helper()
	b.script(`addEventListener(` + quoted(event) + `, (event) => { ` + script + ` }, {capture: true, once: true})`)
}

// stands is a script during which nothing else happens in the page.
func stands(milliseconds int) string {
	return fmt.Sprintf(`for (const end = performance.now() + %d; performance.now() < end;);`, milliseconds)
}

// TestH10OnlyWhatThePageSeesIsHeld: no clock that is set, and no time in which the page stood still.
func TestH10OnlyWhatThePageSeesIsHeld(t *testing.T) {
	gestures{
		"a click while the clock is set ahead": {func(b *tab, _ *world) bool {
			b.meanwhile("pointerup", `{ const real = Date.now; Date.now = () => real() + 3000; }`)
			b.do(chromedp.Click(armButton))
			return b.void("Not armed")
		}, false},
		"a click while the page stands still": {func(b *tab, _ *world) bool {
			b.meanwhile("pointerup", stands(2200))
			b.do(chromedp.Click(armButton))
			return b.void("Not armed")
		}, false},
		"held while the page stands still": {func(b *tab, _ *world) bool {
			at := b.middle(armButton)
			b.mouse(input.DispatchMouseEventTypeMousePressed, at)
			full := b.full()
			b.meanwhile("pointerup", stands(1200))
			b.mouse(input.DispatchMouseEventTypeMouseReleased, at)
			return full && b.void("stood still")
		}, false},
		"pressed while the page stands still": {func(b *tab, _ *world) bool {
			at := b.middle(armButton)
			b.meanwhile("pointerdown", stands(1200))
			b.mouse(input.DispatchMouseEventTypeMousePressed, at)
			b.mouse(input.DispatchMouseEventTypeMouseReleased, at)
			b.do(chromedp.Click(".disarm-button"))
			b.shows(".disarm-report", "the network is as asked")
			if hint := b.text("#arm-hint"); !strings.Contains(hint, "Hold for two seconds") {
				b.Errorf("it counted as a press: %s", hint)
			}
			return true
		}, false},
	}.play(t)
}

// TestH10OneOwnerHoldsTheButton: one key, or one pointer, which stays on it.
func TestH10OneOwnerHoldsTheButton(t *testing.T) {
	gestures{
		"leaves the button and comes back": {func(b *tab, _ *world) bool {
			at := b.middle(armButton)
			b.mouse(input.DispatchMouseEventTypeMousePressed, at)
			b.mouse(input.DispatchMouseEventTypeMouseMoved, place{at.X, at.Y + 200})
			b.mouse(input.DispatchMouseEventTypeMouseMoved, at)
			void := b.void("has left the button")
			b.mouse(input.DispatchMouseEventTypeMouseReleased, at)
			return void
		}, false},
		"held with a finger": {func(b *tab, _ *world) bool {
			at := b.middle(armButton)
			b.finger(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: at.X, Y: at.Y})
			full := b.full()
			b.finger(input.DispatchTouchEventTypeTouchEnd)
			return full && !b.void("Not armed")
		}, true},
		"let go by another pointer": {func(b *tab, _ *world) bool {
			at := b.middle(armButton)
			b.finger(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: at.X, Y: at.Y})
			full := b.full()
			if full { // else the button would be that of the mouse
				b.mouse(input.DispatchMouseEventTypeMousePressed, at)
				b.mouse(input.DispatchMouseEventTypeMouseReleased, at)
			}
			b.finger(input.DispatchTouchEventTypeTouchCancel)
			return full && b.void("the pointer was lost")
		}, false},
		"the page loses the pointer": {func(b *tab, _ *world) bool {
			at := b.middle(armButton)
			b.mouse(input.DispatchMouseEventTypeMousePressed, at)
			b.held()
			b.meanwhile("pointermove", `document.querySelector(".arm-button").releasePointerCapture(event.pointerId)`)
			b.mouse(input.DispatchMouseEventTypeMouseMoved, at)
			void := b.void("the pointer was lost")
			b.mouse(input.DispatchMouseEventTypeMouseReleased, at)
			return void
		}, false},
		"another key lets go": {func(b *tab, _ *world) bool {
			b.do(chromedp.Focus(armButton))
			b.key(input.DispatchKeyEventTypeKeyDown, false)
			b.full()
			send(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: "Enter",
				Code: "Enter", WindowsVirtualKeyCode: 13})
			void := b.void("held too long")
			b.key(input.DispatchKeyEventTypeKeyUp, false)
			return void
		}, false},
	}.play(t)
}
