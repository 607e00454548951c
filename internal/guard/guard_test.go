//go:build ros

package guard

import (
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo"
)

// TestA7WhoseWordCountsForAGuard: where publishers of one process have nothing in common, the graph decides.
func TestA7WhoseWordCountsForAGuard(t *testing.T) {
	own, other := rclgo.GID{1}, rclgo.GID{2}
	graph := func(node string) []rclgo.TopicEndpointInfo {
		return []rclgo.TopicEndpointInfo{{NodeNamespace: "/base", NodeName: "rstate", EndpointGID: own},
			{NodeNamespace: "/base", NodeName: node, EndpointGID: other}}
	}
	for name, c := range map[string]struct {
		infos      []rclgo.TopicEndpointInfo
		publisher  rclgo.GID
		own, known bool
	}{
		"the daemon's":      {graph("tool"), own, true, true},
		"another node's":    {graph("tool"), other, false, true},
		"without a name":    {graph(nameless), other, false, false},
		"not in the graph":  {graph("tool"), rclgo.GID{3}, false, false},
		"nothing is there":  {nil, own, false, false},
		"of the same name":  {graph("rstate"), other, true, true},
		"of a similar name": {graph("rstate2"), other, false, true},
	} {
		if own, known := publishes(c.infos, c.publisher, "/base/rstate"); own != c.own || known != c.known {
			t.Errorf("%s: own %v, known %v", name, own, known)
		}
	}
}
