package page

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// reaches presses Tab until the focus is on an element.
func (b *tab) reaches(selector string) {
	b.Helper()
	const most = 100 // more than the page has places
	for range most {
		b.do(chromedp.KeyEvent("\t"))
		if eval[bool](b, `document.activeElement.matches(`+quoted(selector)+`)`) {
			return
		}
	}
	b.Fatalf("Tab never reaches %s", selector)
}

// TestKeyboardAlone: all that a person does with the mouse.
func TestKeyboardAlone(t *testing.T) {
	w := serve(t, stopped())
	w.entries, w.why = story()
	b := browse(t, w.address)
	b.shows(".link", "Live")
	b.reaches(".skip")
	b.do(chromedp.KeyEvent("\r"))
	b.until(`document.activeElement.id === "nodes-title"`)
	b.reaches(ackButton)
	b.canAcknowledge()
	b.do(chromedp.KeyEvent("\r"))
	b.shows(ackButton, "acknowledge the stop")
	b.canAcknowledge()
	b.do(chromedp.KeyEvent("\r"))
	b.shows(".outcome", "is acknowledged")
	w.put(robot("active"))
	b.until(`document.querySelector(".ready-word.good")`)
	b.reaches(".disarm-button")
	b.do(chromedp.KeyEvent("\r"))
	b.shows(".disarm-report", "the network is as asked")
	b.reaches(commandButton)
	b.calm(commandButton)
	b.do(chromedp.KeyEvent("\r"))
	b.shows(".outcome", "the network is as asked")
	b.reaches(armButton)
	b.reaches(".grounds summary")
	b.do(chromedp.KeyEvent("\r"))
	b.until(`document.querySelector(".grounds").open`)
	b.reaches(".reason input")
	b.reaches(`[role="tab"]`)
	for _, list := range []string{"timeline", "history"} {
		b.do(chromedp.KeyEvent(kb.ArrowRight))
		b.until(`document.activeElement.id === "tab-` + list + `" && document.activeElement.getAttribute("aria-selected") === "true"`)
	}
	b.reaches("#list select")
	b.reaches("#list input")
	w.put(drifted())
	b.shows(".diagnosis", "/lidar is lost")
	b.reaches(".diagnosis button")
	b.do(chromedp.KeyEvent("\r"))
	b.until(`document.activeElement.id === "node:/lidar"`)
	b.clean()
}

// TestNothingMovesWhereThatIsAskedFor: nothing that moves by itself, and no change that glides.
func TestNothingMovesWhereThatIsAskedFor(t *testing.T) {
	const moving = `[document.documentElement, ...document.querySelectorAll("*")].flatMap((e) => ["", "::before", "::after"].map((part) =>
		[e.tagName + "." + e.className, getComputedStyle(e, part)])).filter(([, s]) => s.animationName !== "none" && s.animationDuration !== "0s" ||
		s.transitionDuration.split(", ").some((d) => d !== "0s") || s.scrollBehavior === "smooth").map(([name]) => name).join(" ")`
	b := browse(t, serve(t, robot("active")).address)
	b.again(func() bool {
		at := b.middle(armButton)
		b.mouse(input.DispatchMouseEventTypeMousePressed, at)
		if b.held() && eval[string](b, moving) != "" {
			return true
		}
		t.Log("nothing moves")
		b.mouse(input.DispatchMouseEventTypeMouseReleased, at)
		return false
	})
	send(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}})
	if found := eval[string](b, moving); found != "" {
		t.Errorf("this moves: %s", found)
	}
}
