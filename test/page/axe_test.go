//go:build npm

package page

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/chromedp/chromedp"
)

// axe is where make page puts axe-core.
const axe = "../../.npm/node_modules/axe-core/axe.min.js"

// TestAxeFindsNothing: each moment, light and dark, on a desktop and on a phone. make page runs it.
func TestAxeFindsNothing(t *testing.T) {
	text, err := os.ReadFile(axe)
	if err != nil {
		t.Fatalf("there is no axe-core; `make page` brings it: %v", err)
	}
	w := serve(t)
	w.entries, w.why = story()
	w.put(moments[0].sim)
	b := browse(t, w.address)
	for _, m := range moments {
		w.put(m.sim)
		b.script(`location.hash = "#demo/` + m.list + `"`)
		b.shows(".state", m.sim.State)
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int64{1440, 390} {
				b.looks(scheme, width, 900)
				b.script(string(text) + ";0")
				found := eval[string](b, `axe.run(document, {resultTypes: ["violations"]}).then((r) => JSON.stringify(r.violations.map(
					(v) => [v.id, v.help, v.nodes.map((n) => n.html)])))`, chromedp.EvalAwaitPromise)
				if found != "[]" {
					var pretty any
					json.Unmarshal([]byte(found), &pretty)
					t.Errorf("%s, %s, %d wide: %v", m.name, scheme, width, pretty)
				}
			}
		}
	}
}
