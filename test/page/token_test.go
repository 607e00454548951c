package page

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"rstate/internal/httpapi"
)

// guarded serves the robot with a token.
func guarded(t *testing.T) *world {
	t.Helper()
	w := &world{all: map[string]httpapi.Simulation{}, token: "the_token_of_this_server"}
	w.put(robot("active"))
	w.start(t, "127.0.0.1:0")
	t.Cleanup(w.stop)
	return w
}

// gives writes a token into the dialog that asks for it.
func (b *tab) gives(token string) {
	b.Helper()
	b.until(`document.querySelector("dialog[open]")`)
	b.do(chromedp.SendKeys("dialog input", token), chromedp.Click("dialog button[type=submit]"))
	b.until(`!document.querySelector("dialog[open]")`)
}

// TestH10ARefusedTokenIsAskedForAgain: with the reason, and what a person wrote for the history is not lost.
func TestH10ARefusedTokenIsAskedForAgain(t *testing.T) {
	w := guarded(t)
	b := browse(t, w.address)
	b.shows(".link", "Live")
	b.do(chromedp.SendKeys(".reason input", "the pick test"))
	b.clicks(commandButton)
	b.shows(".outcome", "needs the token")
	for k := range 2 {
		b.gives(fmt.Sprint("a_token_of_another_server_", k))
		b.clicks(commandButton)
		b.shows("dialog[open]", "refused this token")
	}
	b.gives(w.token)
	b.clicks(commandButton)
	b.shows(".outcome", "the network is as asked")
	if all := w.asked(); len(all) != 1 || all[0].Reason != "the pick test" {
		t.Errorf("sent: %+v", all)
	}
	b.clean()
}

// TestH10ADisarmSaysThatItsTokenIsWrong: where the second try, without a token, is refused too.
func TestH10ADisarmSaysThatItsTokenIsWrong(t *testing.T) {
	w := guarded(t)
	b := browse(t, front(t, w, func(_ http.ResponseWriter, r *http.Request) bool {
		r.Header.Set("Forwarded", "for=10.0.0.7")
		return false
	}))
	b.shows(".link", "Live")
	b.script(`sessionStorage.setItem("rstate-token", "one_of_another_server")`)
	b.do(chromedp.Reload())
	b.shows(".link", "Live")
	b.do(chromedp.Click(".disarm-button"))
	b.shows(".disarm-report.failed", "the token is wrong")
	b.shows("dialog[open]", "refused this token")
	b.gives(w.token)
	b.do(chromedp.Click(".disarm-button"))
	b.shows(".disarm-report", "the network is as asked")
	if words := w.sent(); !slices.Equal(words, []string{"disarm"}) {
		t.Errorf("sent: %v", words)
	}
	b.clean()
}

// TestH10TheDialogCoversNoDisarm, however small the window and large its text.
func TestH10TheDialogCoversNoDisarm(t *testing.T) {
	b := browse(t, guarded(t).address)
	b.shows(".link", "Live")
	b.clicks(commandButton)
	b.until(`document.querySelector("dialog[open]")`)
	b.script(`document.documentElement.style.fontSize = "200%"`)
	for _, size := range [][2]int64{{1440, 900}, {800, 500}, {390, 844}, {390, 500}, {844, 390}} {
		b.looks("light", size[0], size[1])
		if !eval[bool](b, `(() => { const r = document.querySelector(".disarm-button").getBoundingClientRect();
			return [0.1, 0.5, 0.9].every((k) => document.elementFromPoint(r.x + k * r.width, r.y + k * r.height)?.matches(".disarm-button")) })()`) {
			t.Errorf("in a window of %v something covers Disarm", size)
		}
	}
	b.clean()
}
