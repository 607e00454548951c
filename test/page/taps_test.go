package page

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"rstate/internal/httpapi"
)

// bringUp is a network of slow nodes on a page whose time stands (standing). Its state changes as orders and chance ask for.
type bringUp struct {
	*tab
	w      *world
	random *rand.Rand
	state  string // where it rests, or began
	to     string // where it goes; empty: it rests
	left   float64
	banner bool
}

// ways are the commands of the row: where each begins, what is shown meanwhile, and where it leads.
var ways = map[string][3]string{"configure": {"unconfigured", "configuring", "inactive"}, "activate": {"inactive", "activating", "active"},
	"deactivate": {"active", "deactivating", "inactive"}, "cleanup": {"inactive", "cleaningup", "unconfigured"}}

// spots is a script that draws places, by what is in the row and at the button that ends the network, and notes at each
// picture, and before time goes on, since when each place shows what it shows.
const spots = `window.spots = [];
	window.noted = () => { for (const p of window.spots) {
		const e = document.elementFromPoint(p.X, p.Y)?.closest("button");
		const what = e ? e.textContent + "|" + e.getAttribute("aria-disabled") : "nothing";
		if (p.what !== what) [p.before, p.what, p.since] = [p.what, what, window.t];
	} };
	{ const frame = () => { window.noted(); requestAnimationFrame(frame); }; frame(); }
	addEventListener("pointerdown", () => { window.noted(); window.tapped = {...window.spots[window.aim], stood: window.t - window.spots[window.aim].since}; }, {capture: true});`

// tapped is what stood at a place when it was pressed, and for how many milliseconds.
type tapped struct {
	What   string  `json:"what"`
	Before string  `json:"before"`
	Stood  float64 `json:"stood"`
}

// hits taps a drawn place, and fails if that sends what had not stood there for a second, or ends the network. It returns what
// was sent, and whether nothing was because what stands there was new.
func (b *tab) hits(aim int) (order string, early bool) {
	b.Helper()
	b.script(fmt.Sprintf(`window.aim = %d`, aim))
	b.tap(eval[place](b, `window.spots[window.aim]`))
	is, order := eval[tapped](b, `window.tapped`), b.orders()
	command, can, _ := strings.Cut(is.What, "|")
	switch {
	case order == "":
		return "", can == "false" && is.Stood < 1000
	case order == "disarm" && strings.HasPrefix(command, "Disarm"): // which counts at once
	case can != "false" || !strings.HasPrefix(command, order+" →") || is.Stood < 1000 || ways[order] == [3]string{}:
		b.Fatalf("a tap on %q, which had stood for %v ms after %q, sent %s", is.What, is.Stood, is.Before, order)
	}
	return order, false
}

// draw chooses n places of the row and at the button that ends the network.
func (b *tab) draw(random *rand.Rand, n int) (list []place) {
	b.Helper()
	box := eval[[4]float64](b, `(() => { const r = document.querySelector(".buttons").getBoundingClientRect(); return [r.x, r.y, r.width, r.height] })()`)
	for range n {
		list = append(list, place{box[0] + random.Float64()*box[2], box[1] - 6 + random.Float64()*(box[3]+12)})
	}
	return append(list, b.spot("End the network…"))
}

// now shows the network as it is.
func (u *bringUp) now() {
	u.Helper()
	s := robot(u.state)
	if u.to != "" {
		s.Settled, s.Target, s.Readiness, s.Obstacles = false, u.to, "", nil
		for _, way := range ways {
			if way[0] == u.state && way[2] == u.to {
				s.State = way[1]
			}
		}
		s.Progress = &httpapi.Progress{Command: "bring-up", From: u.state, Via: s.State, Total: 4}
		allows(&s, "disarm", "shutdown")
	}
	if u.banner {
		s.Warnings = []string{"the clock of this host is not synchronised", "/lidar is slow"}
	}
	u.turns(u.w, s)
}

// begins starts a command, which takes its time.
func (u *bringUp) begins(command string) {
	u.Helper()
	if way := ways[command]; u.to == "" && way[0] == u.state {
		u.to, u.left = way[2], 200+u.random.Float64()*4000
		u.now()
	}
}

// goesOn lets time pass, in which transitions end.
func (u *bringUp) goesOn(milliseconds float64) {
	u.Helper()
	if u.to != "" && u.left <= milliseconds {
		u.passes(u.left)
		milliseconds -= u.left
		if u.random.IntN(5) > 0 { // else it fails, and the nodes go back
			u.state = u.to
		}
		u.to, u.banner = "", u.random.IntN(2) == 0
		u.now()
	}
	if u.to != "" {
		u.left -= milliseconds
	}
	// No time passes without a picture.
	eval[bool](u.tab, fmt.Sprintf(`new Promise((done) => requestAnimationFrame(() => { window.noted(); window.t += %v; done(true); }))`,
		milliseconds), chromedp.EvalAwaitPromise)
}

// TestH11NoHastyTapsCommand: at 200 moments of a bring-up with slow nodes, two to five taps within 3 s, on drawn places of the
// row and of the button that ends the network. No tap sends what had not stood there for a second, and none ends the network.
func TestH11NoHastyTapsCommand(t *testing.T) {
	const moments, seed = 200, 22
	b, w := opened(t, robot("unconfigured"))
	u := &bringUp{tab: b, w: w, random: rand.New(rand.NewPCG(seed, seed)), state: "unconfigured"}
	b.script(spots)
	b.script(`document.documentElement.style.overflowAnchor = "none"`) // a banner moves the row
	var taps, sent, early int
	for k := range moments {
		if k%(moments/4) == 0 { // in turn on a desktop and on a phone, where banners move the row
			b.looks("light", []int64{1440, 390}[k/(moments/4)%2], 844)
			b.script(`document.querySelector(".ending").scrollIntoView({block: "center"})`)
			b.painted()
			b.script(`window.spots = ` + marshal(b.draw(u.random, 40)))
			b.painted()
			u.goesOn(5000)
		}
		if u.random.IntN(3) > 0 { // another client goes on with the bring-up
			u.begins([]string{"configure", "activate", "activate", "deactivate", "cleanup"}[u.random.IntN(5)])
		}
		u.goesOn(u.random.Float64() * 4000)
		n := 2 + u.random.IntN(4)
		for range n {
			taps++
			switch order, soon := u.hits(u.random.IntN(41)); {
			case ways[order] != [3]string{}:
				sent++
				u.begins(order)
			case soon:
				early++
			}
			u.goesOn(u.random.Float64() * 3000 / float64(n))
		}
	}
	t.Logf("%d taps: %d sent a command, and %d came too early for one", taps, sent, early)
	if sent < 10 || early < 10 {
		t.Errorf("of %d taps %d sent a command and %d came too early, which shows little", taps, sent, early)
	}
	b.clean()
}

// TestH11WhoWaitsASecondCanSendEachCommand: the whole life, on a desktop and on a phone.
func TestH11WhoWaitsASecondCanSendEachCommand(t *testing.T) {
	b, w := opened(t, robot("unconfigured"))
	b.script(`window.noted = () => {}`)
	u := &bringUp{tab: b, w: w, random: rand.New(rand.NewPCG(1, 1)), state: "unconfigured"}
	for _, width := range []int64{1440, 390} {
		b.looks("light", width, 844)
		for _, command := range []string{"configure", "activate", "deactivate", "cleanup"} {
			u.state, u.to = ways[command][0], ""
			u.now()
			b.script(named(command) + `.scrollIntoView({block: "center"})`)
			b.passes(1000)
			b.tap(b.spot(command))
			if got := b.orders(); got != command {
				t.Errorf("%d wide: %s sent %q", width, command, got)
			}
		}
		b.script(`document.querySelector(".ending").scrollIntoView({block: "center"})`)
		b.passes(1000)
		b.tap(b.spot("End the network…"))
		b.painted()
		b.script(`document.querySelector(".ending-step").scrollIntoView({block: "center"})`)
		b.passes(1000)
		b.tap(b.spot("shutdown"))
		if got := b.orders(); got != "shutdown" {
			t.Errorf("%d wide: shutdown sent %q", width, got)
		}
	}
	b.clean()
}

func marshal(places []place) string {
	var list []string
	for _, p := range places {
		list = append(list, fmt.Sprintf(`{X: %v, Y: %v}`, p.X, p.Y))
	}
	return "[" + strings.Join(list, ", ") + "]"
}
