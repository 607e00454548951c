//go:build ros

package page

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"rstate/test/bed"
)

// TestRealLoop: a stepped loop that runs, its slowest participant, and its end.
func TestRealLoop(t *testing.T) {
	p := newPlant(t)
	p.node(p.host, "physics", bed.NodeSpec{Steps: true})
	p.node(p.host, "pilot", bed.NodeSpec{Steps: true,
		Script: map[string][]bed.Behaviour{"step_controller": {{Delay: 20 * time.Millisecond}}}})
	p.runs(`machine: cle
nodes:
  ~/physics: {}
  ~/pilot: {after: [~/physics]}
loop:
  dt: 20ms
  participants: {~/physics: {as: simulator, deadline: 10s}, ~/pilot: {deadline: 10s}}
`)
	p.presses("initialize")
	p.rests("stopped", "as commanded", "intact")
	p.list("loop")
	p.shows("#list", "stands")
	p.presses("start")
	p.shows(".state", "running")
	const step = `+document.querySelector("#list dd:nth-of-type(2)").innerText`
	p.until(step + ` > 20`)
	p.until(`+document.querySelector("#list dd:nth-of-type(4)").innerText.split(" ")[0] > 0`)
	p.shows("#list .slowest tbody tr:first-child", p.spell("~/pilot"))
	p.shows("#list .slowest tbody tr:first-child", "controller")
	p.do(chromedp.Click("#tab-why")) // the loop goes on while another list is shown
	p.presses("stop")
	p.shows(".state", "stopped")
	p.list("loop")
	p.shows("#list", "stands")
	steps := p.nodes["pilot"].Truth().Steps
	if shown, last := eval[int64](p.tab, step), steps[len(steps)-1][0]; shown != last {
		t.Errorf("the page shows step %d; the last one of the pilot is %d", shown, last)
	}
	p.clean()
}
