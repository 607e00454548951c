package page

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"rstate/internal/httpapi"
)

var shots = flag.String("shots", "", "a folder for screenshots of each moment, light and dark, on a desktop and on a phone")

// moments are what screenshots are made of: a list that is open, and a simulation.
var moments = []struct {
	name, list string
	sim        httpapi.Simulation
}{
	{"inactive", "timeline", robot("inactive")},
	{"activating", "why", activating()},
	{"failed", "why", failed()},
	{"failed-timeline", "timeline", failed()},
	{"armed", "history", armed()},
	{"active", "history", robot("active")},
	{"drifted", "why", drifted()},
	{"stopped", "why", stopped()},
	{"many", "why", many(200)},
}

// TestScreenshots: each moment is drawn without a fault. make screenshots keeps what is seen then.
func TestScreenshots(t *testing.T) {
	if *shots != "" {
		if err := os.MkdirAll(*shots, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w := serve(t)
	w.entries, w.why = story()
	w.put(moments[0].sim)
	b := browse(t, w.address)
	for _, m := range moments {
		m.sim.Stamp = m.sim.Stamp.Truncate(0)
		w.put(m.sim)
		b.script(`location.hash = "#demo/` + m.list + `"`)
		b.shows(".state", m.sim.State)
		b.until(`!document.querySelector("#list").innerText.includes("Loading")`)
		if *shots == "" {
			continue
		}
		for _, scheme := range []string{"light", "dark"} {
			for device, width := range map[string]int64{"desktop": 1440, "phone": 390} {
				b.looks(scheme, width, map[string]int64{"desktop": 900, "phone": 844}[device])
				b.script(`scrollTo(0, 0)`)
				picture := result(b, func() ([]byte, error) { return chromedp.Run(b.ctx, chromedp.CaptureScreenshot()) })
				name := filepath.Join(*shots, m.name+"-"+device+"-"+scheme+".png")
				if err := os.WriteFile(name, picture, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	b.clean()
}
