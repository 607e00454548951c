//go:build ros

package rosnet

import (
	"testing"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/internal/network"
)

// TestWritersWithoutAName: the graph may never say whose a writer is, and the node is there all the same.
func TestWritersWithoutAName(t *testing.T) {
	const seen = time.Second
	var gid, other rclgo.GID
	gid[0], other[0] = 1, 2
	arm := rclgo.TopicEndpointInfo{NodeName: "arm", NodeNamespace: "/", EndpointGID: gid}
	unnamed := rclgo.TopicEndpointInfo{NodeName: nameless, NodeNamespace: "_NODE_NAMESPACE_UNKNOWN_", EndpointGID: gid}
	named := unnamed
	named.EndpointGID = other
	stranger := rclgo.TopicEndpointInfo{NodeName: "tool", NodeNamespace: "/", EndpointGID: gid}
	for name, c := range map[string]struct {
		looks [][]rclgo.TopicEndpointInfo // one a second
		count int
		whole bool // there is nothing to wait for
	}{
		"the node's own":                 {[][]rclgo.TopicEndpointInfo{{arm}}, 1, true},
		"somebody else's":                {[][]rclgo.TopicEndpointInfo{{stranger}, {stranger}, {stranger}, {stranger}}, 0, true},
		"without a name":                 {[][]rclgo.TopicEndpointInfo{{unnamed}}, 0, false},
		"without a name for a while":     {[][]rclgo.TopicEndpointInfo{{unnamed}, {unnamed}, {unnamed}}, 1, true},
		"named in the end":               {[][]rclgo.TopicEndpointInfo{{unnamed}, {arm}}, 1, true},
		"left behind":                    {[][]rclgo.TopicEndpointInfo{{arm}, {unnamed}, {unnamed}, {unnamed}, {unnamed}}, 0, true},
		"never named, and gone":          {[][]rclgo.TopicEndpointInfo{{unnamed}, {unnamed}, {unnamed}, {}}, 0, true},
		"one named and one not yet":      {[][]rclgo.TopicEndpointInfo{{arm, named}}, 1, false},
		"one named and one never":        {[][]rclgo.TopicEndpointInfo{{arm, named}, {arm, named}, {arm, named}}, 2, true},
		"gone, and another without name": {[][]rclgo.TopicEndpointInfo{{arm}, {named}, {named}, {named}}, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := &remote{spec: &network.Node{Name: "/arm"}, epochs: map[rclgo.GID]uint64{}}
			var count int
			now := time.Unix(0, 0)
			for _, infos := range c.looks {
				now = now.Add(seen)
				_, count = r.living(now, infos)
			}
			if count != c.count || r.named(now) != c.whole {
				t.Errorf("%d are counted, want %d; nothing to wait for: %v, want %v", count, c.count, r.named(now), c.whole)
			}
		})
	}
}

// TestWriterKeepsItsEpochWhenItsNameComes: it is the same process.
func TestWriterKeepsItsEpochWhenItsNameComes(t *testing.T) {
	r := &remote{spec: &network.Node{Name: "/arm"}, epochs: map[rclgo.GID]uint64{}}
	var gid rclgo.GID
	gid[0] = 1
	now := time.Unix(0, 0)
	before := []rclgo.TopicEndpointInfo{{NodeName: nameless, EndpointGID: gid}}
	r.living(now, before)
	first, _ := r.living(now.Add(namelessIn), before)
	later, count := r.living(now.Add(2*namelessIn), []rclgo.TopicEndpointInfo{{NodeName: "arm", NodeNamespace: "/", EndpointGID: gid}})
	if first == 0 || later != first || count != 1 {
		t.Errorf("epoch %d became %d, %d are counted", first, later, count)
	}
}
