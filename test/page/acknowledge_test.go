package page

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"rstate/internal/httpapi"
)

const ackButton = ".readiness button"

// canAcknowledge waits until a click on the button counts.
func (b *tab) canAcknowledge() {
	b.Helper()
	b.until(`document.querySelector("` + ackButton + `")?.getAttribute("aria-disabled") === "false"`)
}

// acknowledges clicks when that counts.
func (b *tab) acknowledges() {
	b.Helper()
	b.do(chromedp.Click(ackButton + usable))
}

// clicksAsSoonAs has a script click on an element once it shows a text, in the next task of the page. So the click is
// before any timer that the page starts then, however late the page and the test are.
func (b *tab) clicksAsSoonAs(selector, text string) {
	b.Helper()
	b.script(`new MutationObserver((_, observer) => {
		if (!document.querySelector(` + quoted(selector) + `)?.innerText.includes(` + quoted(text) + `)) return;
		observer.disconnect();
		setTimeout(() => { document.querySelector(` + quoted(selector) + `).click(); window.clicked = true; });
	}).observe(document, {subtree: true, childList: true, characterData: true})`)
}

// TestH10AStopIsAcknowledgedByTwoClicks: and by none if another stop comes between them.
func TestH10AStopIsAcknowledgedByTwoClicks(t *testing.T) {
	w := serve(t, stopped())
	b := browse(t, w.address)
	b.shows(".diagnosis", "Stopped by /rstate")
	b.acknowledges()
	b.shows(".outcome", "Look at the robot")
	b.shows(ackButton, "acknowledge the stop")
	again := stopped()
	again.Stops.Open = append(again.Stops.Open, httpapi.Stop{Origin: "/other", Why: "/estop is silent", Stamp: time.Now()})
	w.put(again)
	b.shows(ackButton, "Acknowledge…")
	b.acknowledges()
	b.shows(ackButton, "acknowledge 2 stops")
	if n := w.acknowledgements(); n != 0 {
		t.Errorf("%d stops were acknowledged by the first click", n)
	}
	b.acknowledges()
	b.shows(".outcome", "the stop by /rstate is acknowledged")
	if n := w.acknowledgements(); n != 1 {
		t.Errorf("%d acknowledgements", n)
	}
	b.clean()
}

// TestH10ADoubleClickAcknowledgesNothing: its second click counts neither at once nor late, nor does a first one at once,
// which may have been meant for what was there before.
func TestH10ADoubleClickAcknowledgesNothing(t *testing.T) {
	w := serve(t, stopped())
	b := browse(t, w.address)
	b.clicksAsSoonAs(ackButton, "acknowledge the stop")
	b.acknowledges()
	b.until(`window.clicked`)
	b.canAcknowledge()
	at := b.middle(ackButton)
	for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		send(b, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: at.X, Y: at.Y,
			Button: input.MouseButtonLeft, ClickCount: 2})
	}
	b.clicks(commandButton)
	b.shows(".outcome", "the network is as asked")
	if text, n := b.text(ackButton), w.acknowledgements(); !strings.Contains(text, "acknowledge the stop") || n != 0 {
		t.Errorf("%d acknowledgements, and the button says %s", n, text)
	}
	b.acknowledges()
	b.shows(".outcome", "the stop by /rstate is acknowledged")
	b.clean()
}
