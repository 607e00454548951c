//go:build ros

package page

import (
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"

	"rstate/test/bed"
)

// TestRealLife: the day of a robot, all of it done and seen on one page.
func TestRealLife(t *testing.T) {
	mustRehearse(t)
	p := newPlant(t)
	lidar := bed.NewHost(t, bed.ShortLease(t)...) // a process of its own, which dies
	p.node(lidar, "lidar", bed.NodeSpec{})
	p.node(p.host, "slam", bed.NodeSpec{})
	p.node(p.host, "camera", bed.NodeSpec{})
	p.node(p.host, "driver", bed.NodeSpec{Arm: p.space + "/driver/arm"})
	p.runs(`proof: 10s
stop: {after_gap: clear, inputs: [{topic: ~/estop, silent: 10s}]}
nodes:
  ~/lidar: {}
  ~/slam: {after: [~/lidar]}
  ~/camera: {optional: true}
  ~/driver: {after: [~/slam], arm: {}}
`)
	button := p.startButton()
	all := []string{"lidar", "slam", "camera", "driver"}
	steps := []struct {
		name string
		do   func(p *plant)
	}{
		{"configure", func(p *plant) {
			p.rests("unconfigured", "as commanded", "intact")
			p.presses("configure")
			p.rests("inactive", "as commanded", "intact")
			p.wants("inactive inactive inactive inactive", all...)
		}},
		{"a node that fails, and why", func(p *plant) {
			p.nodes["slam"].Script("activate", bed.Behaviour{Result: bed.Failure}, bed.Behaviour{})
			p.presses("activate")
			p.rests("inactive", "activate failed", "intact")
			p.shows(".diagnosis", p.spell("activate failed: ~/slam"))
			p.list("why")
			p.shows("#list .tree", p.spell("~/slam"))
			p.shows("tr.blamed", p.spell("~/slam"))
			p.list("timeline")
			p.until(`[...document.querySelectorAll("#list tr")].some((e) => e.querySelector(".span.bad") && e.innerText.includes(` +
				quoted(p.spell("~/slam")) + `))`)
			p.wants("inactive inactive inactive inactive", all...)
		}},
		{"recovery", func(p *plant) {
			p.presses("activate")
			p.rests("active", "as commanded", "intact")
			p.until(`document.querySelector(".diagnosis") === null`)
			p.wants("active active active active", all...)
		}},
		{"arming by holding", func(p *plant) {
			p.shows(".ready-word", "Ready to arm")
			p.again(func() bool {
				p.do(chromedp.Click(armButton)) // too short
				return p.void("let go too early")
			})
			p.arms()
			p.armed()
			p.shows(".chip.armed", p.spell("armed: ~/driver"))
			p.wants("active active active active+armed", all...)
		}},
		{"a stop button, and its acknowledgement", func(p *plant) {
			button.press(true)
			p.shows(".diagnosis", p.spell("Stopped by ~/rstate"))
			p.shows(".ready-word", "Not ready to arm")
			p.shows(".obstacles", "says stop")
			p.rests("active", "lowered by rstate: disarm", "intact")
			p.wants("active active active active", all...)
			button.press(false)
			p.until(`!document.querySelector(".obstacles").innerText.includes("stop input")`)
			p.shows(ackButton, "Acknowledge…")
			p.acknowledges()
			p.shows(ackButton, "acknowledge the stop")
			p.acknowledges()
			p.shows(".ready-word", "Ready to arm")
			p.arms()
			p.armed()
			p.wants("active active active active+armed", all...)
		}},
		{"what if the lidar dies while armed, and then it dies", func(p *plant) {
			p.armed()
			p.list("what-if")
			p.until(`document.querySelector(".what-if select").value === ` + quoted(p.spell("~/lidar")))
			p.do(chromedp.Click(".what-if button"))
			p.shows(".outlook", "The network ends up")
			foretold := p.text(".outlook strong")
			story := p.spell(strings.Join(p.sentences(".what-if .history li"), "\n"))
			p.armed()
			p.list("history")
			p.shows("#list", "the network is armed")
			before := len(p.sentences("#list .history li"))
			lidar.Process().Signal(syscall.SIGKILL)
			p.shows(".diagnosis", p.spell("~/lidar is lost"))
			p.rests("active", "lowered by rstate: disarm", "not intact: 1 node")
			p.until(`document.querySelector(".chip.armed") === null`)
			if foretold != "active, not intact" {
				p.Errorf("the page foretold: %s", foretold)
			}
			p.shows("#list", "the network is active (disarm: "+p.spell("~/lidar"))
			all := p.sentences("#list .history li")
			all = all[:len(all)-before]
			slices.Reverse(all) // the newest is first on the page
			if happened := strings.Join(all, "\n"); happened != story {
				p.Errorf("the page foretold:\n%s\nand then came:\n%s", story, happened)
			}
			p.wants("active active active", "slam", "camera", "driver")
		}},
		{"a new process of the lidar, which drifts until it is raised", func(p *plant) {
			p.node(p.host, "lidar", bed.NodeSpec{})
			p.shows(".diagnosis", p.spell("~/lidar is unconfigured, not active"))
			p.presses("activate")
			p.rests("active", "as commanded", "intact")
			p.wants("active active active active", all...)
		}},
		{"a killed daemon, and its return", func(p *plant) {
			state := p.text(".state")
			p.daemon.Process.Kill()
			p.shows(".link", "No news")
			p.shows(".stale-note", "cannot be heard")
			p.until(`document.title.startsWith("(stale)")`)
			p.daemon.AgainThere()
			p.shows(".link", "Live")
			p.rests(state, "as commanded", "intact")
		}},
	}
	for _, s := range steps {
		if !t.Run(s.name, func(t *testing.T) { s.do(p.in(t)) }) {
			break // each stands on the one before
		}
	}
	p.clean()
}

// cause is why something happened, after it. The rehearsal sees a process end by its absence alone, and a robot's host also
// by its exit.
var cause = regexp.MustCompile(`( \(|: (left the graph|its process)).*`)

// when is what a list writes before a sentence: the time, and the kind of the entry.
var when = regexp.MustCompile(`^(\+[0-9.]+ s |[0-9:]+ (command|step|state|drift|stop))`)

// sentences returns what happened, of the items of a list, without times and causes.
func (b *tab) sentences(selector string) (list []string) {
	b.Helper()
	items := eval[[]string](b, `[...document.querySelectorAll(`+quoted(selector)+`)].map((e) => e.innerText)`)
	for _, item := range items {
		list = append(list, cause.ReplaceAllString(strings.TrimSpace(when.ReplaceAllString(item, "")), ""))
	}
	return list
}
