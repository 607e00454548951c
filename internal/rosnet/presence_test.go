//go:build ros

package rosnet

import (
	"fmt"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/internal/network"
	"rstate/internal/procs"
)

// TestWritersWithoutAName: the graph may never name the node of a writer, and the node is still
// present.
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
		whole bool // nothing is missing
	}{
		"the node's own": {[][]rclgo.TopicEndpointInfo{{arm}}, 1, true},
		"another node's": {[][]rclgo.TopicEndpointInfo{{stranger}, {stranger}, {stranger}, {stranger}},
			0, true},
		"without a name":                {[][]rclgo.TopicEndpointInfo{{unnamed}}, 0, false},
		"without a name for a while":    {[][]rclgo.TopicEndpointInfo{{unnamed}, {unnamed}, {unnamed}}, 1, true},
		"named in the end":              {[][]rclgo.TopicEndpointInfo{{unnamed}, {arm}}, 1, true},
		"left behind, and gone":         {[][]rclgo.TopicEndpointInfo{{arm}, {unnamed}, {}}, 0, true},
		"its name is gone for now":      {[][]rclgo.TopicEndpointInfo{{arm}, {unnamed}, {unnamed}}, 0, false},
		"its name is gone for ever":     {[][]rclgo.TopicEndpointInfo{{arm}, {unnamed}, {unnamed}, {unnamed}}, 1, true},
		"its name is gone, and another": {[][]rclgo.TopicEndpointInfo{{arm}, {unnamed}, {stranger}}, 0, true},
		"never named, and gone":         {[][]rclgo.TopicEndpointInfo{{unnamed}, {unnamed}, {unnamed}, {}}, 0, true},
		"one named and one not yet":     {[][]rclgo.TopicEndpointInfo{{arm, named}}, 1, false},
		"one named and one never": {[][]rclgo.TopicEndpointInfo{{arm, named}, {arm, named}, {arm, named}}, 2,
			true},
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
				t.Errorf("%d are counted, want %d; nothing to wait for: %v, want %v", count, c.count, r.named(now),
					c.whole)
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
	later, count := r.living(now.Add(2*namelessIn),
		[]rclgo.TopicEndpointInfo{{NodeName: "arm", NodeNamespace: "/", EndpointGID: gid}})
	if first == 0 || later != first || count != 1 {
		t.Errorf("epoch %d became %d, %d are counted", first, later, count)
	}
}

// TestProcessesOfAPlainNode: the writers of their log distinguish the processes, if the graph shows
// those.
func TestProcessesOfAPlainNode(t *testing.T) {
	type look struct {
		count   int
		writers string // one letter each
		newest  uint64
		epochs  string
	}
	for name, looks := range map[string][]look{
		"it comes and goes": {{0, "", 0, "[]"}, {1, "a", 1, "[1]"}, {1, "a", 1, "[1]"},
			{0, "", 0, "[]"}, {1, "b", 2, "[2]"}},
		"without a log":           {{1, "", 1, "[1]"}, {2, "", 2, "[1 2]"}, {1, "", 2, "[2]"}},
		"its log is seen later":   {{1, "", 1, "[1]"}, {1, "a", 1, "[1]"}},
		"another takes its place": {{1, "a", 1, "[1]"}, {1, "b", 2, "[2]"}},
		"another comes beside it": {{1, "a", 1, "[1]"}, {2, "a", 2, "[1 2]"}, {2, "ab", 2, "[1 2]"},
			{1, "b", 2, "[2]"}},
		"its log goes first":                {{1, "a", 1, "[1]"}, {1, "", 1, "[1]"}, {0, "", 0, "[]"}},
		"its log is there before its name":  {{0, "a", 1, "[1]"}, {1, "a", 1, "[1]"}},
		"two leave, and the older is first": {{2, "ab", 2, "[1 2]"}, {1, "a", 1, "[1]"}, {0, "", 0, "[]"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := &remote{w: &World{tested: gives}, spec: &network.Node{Name: "/arm"}, epochs: map[rclgo.GID]uint64{}}
			for k, l := range looks {
				var gids []rclgo.GID
				for _, c := range []byte(l.writers) {
					gids = append(gids, rclgo.GID{c})
				}
				newest, count := r.bodies(time.Unix(int64(k), 0), l.count, gids)
				if got := fmt.Sprint(r.epochsNow()); got != l.epochs || newest != l.newest ||
					count != len(r.epochsNow()) {
					t.Fatalf("look %d: epochs %s, newest %d, %d are counted; want %s, %d", k+1, got, newest, count,
						l.epochs, l.newest)
				}
			}
		})
	}
}

// TestPlainNodeOutlivesItsEnd: a plain node that stays in the graph long after its reported end is
// alive.
func TestPlainNodeOutlivesItsEnd(t *testing.T) {
	gid := rclgo.GID{1}
	r := &remote{w: &World{tested: gives}, spec: &network.Node{Name: "/arm"}, epochs: map[rclgo.GID]uint64{}}
	told := time.Unix(0, 0)
	first, _ := r.bodies(told, 1, []rclgo.GID{gid})
	r.w.ends.dead = []procs.Participant{participantOf(gid)}
	r.presence.ended, r.presence.endedAt = []uint64{first}, told
	if epoch, _ := r.bodies(told.Add(outlived-time.Second), 1, []rclgo.GID{gid}); epoch != first {
		t.Errorf("epoch %d became %d too early", first, epoch)
	}
	if epoch, count := r.bodies(told.Add(outlived), 1, []rclgo.GID{gid}); epoch == first || count != 1 ||
		len(r.w.ends.dead) > 0 {
		t.Errorf("epoch %d stayed %d, %d are counted, dead: %v", first, epoch, count, r.w.ends.dead)
	}
}
