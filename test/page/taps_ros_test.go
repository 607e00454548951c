//go:build ros

package page

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"rstate/test/bed"
)

// TestRealHastyTaps: as TestH11NoHastyTapsCommand, at a daemon whose nodes take their time, in real time.
func TestRealHastyTaps(t *testing.T) {
	const moments = 12
	random := rand.New(rand.NewPCG(22, 22))
	p := newPlant(t)
	names := []string{"lidar", "slam", "camera"}
	for i, name := range names {
		p.node(p.host, name, bed.NodeSpec{})
		for _, word := range []string{"configure", "activate", "deactivate", "cleanup"} {
			p.nodes[name].Script(word, bed.Behaviour{Delay: time.Duration(300+200*i) * time.Millisecond})
		}
	}
	p.runs("nodes: {~/lidar: {}, ~/slam: {after: [~/lidar]}, ~/camera: {optional: true}}\n")
	p.rests("unconfigured", "as commanded", "intact")
	p.module("link")
	p.script(ordering + `Object.defineProperty(window, "t", {get: () => performance.now()}); 0`)
	p.script(spots)
	p.script(`window.spots = ` + marshal(p.draw(random, 40)))
	passes := func(most float64) {
		p.script(fmt.Sprintf(`window.due = performance.now() + %v`, random.Float64()*most))
		p.until(`performance.now() > window.due`)
	}
	sent := 0
	for range moments {
		// Another client goes on with the bring-up; what is illegal is refused.
		p.script(`void window.sends("simulation/" + [...link.simulations.value.keys()][0] + "/state", {method: "PUT",
			headers: {"Content-Type": "application/json"}, body: JSON.stringify({state: ` +
			quoted([]string{"configure", "activate", "activate", "deactivate"}[random.IntN(4)]) + `})})`)
		passes(2500)
		n := 2 + random.IntN(4)
		for range n {
			if order, _ := p.hits(random.IntN(41)); order != "" {
				sent++
			}
			passes(3000 / float64(n))
		}
	}
	t.Logf("%d taps sent a command", sent)
	if where := p.where(names...); strings.Contains(where, "finalized") {
		t.Errorf("the nodes are %s", where)
	}
	p.until(`document.querySelector(".chip.moving") === null`)
	p.clean()
}
