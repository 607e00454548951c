package page

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

var shots = flag.String("shots", "", "a folder for screenshots of each moment, light and dark, on a desktop and on a phone")

// axe is where setup puts axe-core, and axeAbsent why it is not there.
const (
	axe       = "../../.ros/axe/axe.min.js"
	axeAbsent = "../../.ros/axe/absent"
)

// TestMoments: each moment is drawn without a fault, axe-core finds nothing in it, and text of twice its size fits. With
// -shots it keeps what is seen.
func TestMoments(t *testing.T) {
	if *shots != "" {
		if err := os.MkdirAll(*shots, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w := serve(t, moments[0].sims...)
	w.yaml = demo(t)
	b := browse(t, w.address)
	checker := readAxe(t)
	for _, m := range moments {
		m.opens(t, b, w)
		if *shots != "" {
			m.shoot(b)
		}
		if checker != "" {
			m.isAccessible(t, b, checker)
		}
		m.grows(t, b)
		m.closes(t, w)
	}
	b.clean()
	t.Run("axe-core", func(t *testing.T) {
		if checker == "" {
			why, _ := os.ReadFile(axeAbsent)
			t.Skipf("left out: accessibility; there is no axe-core; `go run ./setup chromium` fetches it with npm; %s", why)
		}
	})
}

// readAxe returns the script of axe-core; empty if it cannot be had here.
func readAxe(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(axe)
	if err == nil {
		return string(text)
	}
	_, npm := exec.LookPath("npm")
	if _, noted := os.Stat(axeAbsent); npm == nil && noted != nil && os.Getenv("CI") == "true" {
		t.Fatal("there is no axe-core: run `go run ./setup chromium`, which fetches it")
	}
	return ""
}

// demo is the network file of the demo, which has the nodes of the robot.
func demo(t testing.TB) string {
	t.Helper()
	yaml, err := os.ReadFile("../../config/demo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(yaml)
}

// isAccessible lets axe-core look at it: light on a phone, and dark on a desktop.
func (m moment) isAccessible(t *testing.T, b *tab, checker string) {
	t.Helper()
	b.script(checker + ";0")
	for _, look := range []struct {
		scheme string
		width  int64
	}{{"light", 390}, {"dark", 1440}} {
		b.looks(look.scheme, look.width, 900)
		found := eval[string](b, `axe.run(document, {resultTypes: ["violations"]}).then((r) => JSON.stringify(r.violations.map(
			(v) => [v.id, v.help, v.nodes.map((n) => n.html)])))`, chromedp.EvalAwaitPromise)
		var list [][]any
		if err := json.Unmarshal([]byte(found), &list); err != nil {
			t.Fatal(err)
		}
		for _, one := range list {
			t.Errorf("%s, %s, %d wide: %v", m.name, look.scheme, look.width, one)
		}
	}
}

// grows lets text grow to twice its size: the page is not wider than the window, and no text is cut off.
func (m moment) grows(t *testing.T, b *tab) {
	t.Helper()
	b.script(`document.documentElement.style.fontSize = "200%"`)
	for _, width := range []int64{1440, 390} {
		b.looks("light", width, 900)
		if found := eval[string](b, `document.scrollingElement.scrollWidth > innerWidth ? [...document.querySelectorAll("body *")].filter(
			(e) => !e.closest(".graph, .sr") && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.tagName + "." + e.className).join(" ") || "?" : ""`); found != "" {
			t.Errorf("%s, %d wide, is wider than its window: %s", m.name, width, found)
		}
		if found := eval[string](b, `[...document.querySelectorAll("body *")].filter((e) => getComputedStyle(e).overflowX === "hidden" &&
			!e.closest(".sr") && (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1)).map((e) => e.tagName + "." + e.className).join(" ")`); found != "" {
			t.Errorf("%s, %d wide, cuts off: %s", m.name, width, found)
		}
		// A panel may be narrower than what is in it, though the page is not wider.
		if found := eval[string](b, `[...document.querySelectorAll(".panel, .hero, .diagnosis, .bar")].filter((e) => e.scrollWidth > e.clientWidth + 1)
			.map((e) => e.className).join(", ")`); found != "" {
			t.Errorf("%s, %d wide, does not fit: %s", m.name, width, found)
		}
	}
}

// highest is the height of a picture of a phone, which shows the whole page if that is lower.
const highest = 2600

// shoot keeps what is seen.
func (m moment) shoot(b *tab) {
	b.Helper()
	for _, scheme := range []string{"light", "dark"} {
		for device, width := range map[string]int64{"desktop": 1440, "phone": 390} {
			b.looks(scheme, width, 900)
			b.script(`scrollTo(0, 0)`)
			if device == "phone" {
				b.looks(scheme, width, min(highest, max(844, eval[int64](b, `document.documentElement.scrollHeight`))))
			}
			picture := result(b, func() ([]byte, error) { return chromedp.Run(b.ctx, chromedp.CaptureScreenshot()) })
			name := filepath.Join(*shots, m.name+"-"+device+"-"+scheme+".png")
			if err := os.WriteFile(name, picture, 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
}
