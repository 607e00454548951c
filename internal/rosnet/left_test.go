//go:build ros

package rosnet

import (
	"fmt"
	"strings"
	"testing"

	"rstate/internal/engine"
	"rstate/test/bed"
)

// TestS2SeveralServersOfOneDisarmService: an answer proves nothing if a second process offered the service when the
// request was sent, or when the answer came: it may be the other one that has disarmed.
func TestS2SeveralServersOfOneDisarmService(t *testing.T) {
	waits := map[string][]bed.Behaviour{"disarm": {{Result: bed.Frozen}}}
	for name, c := range map[string]struct {
		first, second map[string][]bed.Behaviour // nil: it answers at once
		before, after bool                       // the second one is there at the request, and at the answer
		several       bool
	}{
		"one":                               {several: false},
		"two":                               {before: true, after: true, several: true},
		"the second comes before an answer": {first: waits, after: true, several: true},
		"the second goes before an answer":  {first: waits, second: waits, before: true, several: true},
	} {
		t.Run(name, func(t *testing.T) {
			const call = 7
			service := "/" + bed.Unique(t, "arm")
			w, e := newInstance(t, "this",
				fmt.Sprintf("simulation: %s\nnodes:\n  /%s: {}\n", bed.Unique(t, "sim"), bed.Unique(t, "lidar")),
				engine.Leftover{Node: "/arm", Service: service, Type: setBool})
			server := func(script map[string][]bed.Behaviour) *bed.Node {
				host := bed.NewHost(t)
				defer matched(t, w, host)
				return host.Node(bed.NodeSpec{Name: "/" + bed.Unique(t, "arm"), Plain: true, Arm: service,
					Script: script})
			}
			counts := func(want int) {
				t.Helper()
				bed.Eventually(t, fmt.Sprintf("%d servers are seen", want), func() (string, bool) {
					count, err := w.node.CountServices(service)
					return fmt.Sprint(count, err), err == nil && count == want && available(w.leftovers[0].client.Client)
				})
			}
			asked := func(n *bed.Node) {
				t.Helper()
				bed.Eventually(t, n.Name+" is asked to disarm", func() (string, bool) {
					words := n.Truth().Words()
					return strings.Join(words, " "), len(words) == 1 && words[0] == "disarm"
				})
			}
			w.Carry(engine.DisarmLeftover{Leftover: 0, Call: 1})
			if answer := hears[engine.LeftoverAnswered](t, e, 1); answer != (engine.LeftoverAnswered{Call: 1, Absent: true}) {
				t.Fatalf("without a server: %v", answer)
			}
			first := server(c.first)
			counts(1)
			var second *bed.Node
			if c.before {
				second = server(c.second)
				counts(2)
			}
			w.Carry(engine.DisarmLeftover{Leftover: 0, Call: call})
			asked(first)
			switch {
			case c.before && !c.after:
				asked(second)
				second.Destroy()
				counts(1)
			case c.after && !c.before:
				server(nil)
				counts(2)
			}
			first.Thaw()
			answer := hears[engine.LeftoverAnswered](t, e, 2)
			if answer.Call != call || !answer.Success || answer.Absent || answer.Several != c.several {
				t.Errorf("answered %+v, want several %v", answer, c.several)
			}
		})
	}
}
