//go:build ros

package rosnet

import (
	"strings"
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo"
)

// TestS10AStrangersMessageIsNotRecorded: where messages do not carry the GIDs of the graph, a second publisher of a
// topic ends the recording, which names the topic.
func TestS10AStrangersMessageIsNotRecorded(t *testing.T) {
	own, other := rclgo.GID{1}, rclgo.GID{2}
	for name, c := range map[string]struct {
		nodes   map[rclgo.GID]string
		writer  rclgo.GID
		carried bool
		matched int
		want    string
		fails   bool
	}{
		"ids match":                          {map[rclgo.GID]string{own: "/a", other: "/b"}, other, true, 3, "/b", false},
		"ids match, of a stranger":           {map[rclgo.GID]string{own: "/a"}, other, true, 2, "", false},
		"ids do not match":                   {map[rclgo.GID]string{own: "/a"}, other, false, 1, "/a", false},
		"ids do not match, and it has ended": {map[rclgo.GID]string{own: "/a"}, other, false, 0, "/a", false},
		"ids do not match, and another came": {map[rclgo.GID]string{own: "/a"}, other, false, 2, "", true},
	} {
		r := &reader{topic: "/data", nodes: c.nodes}
		got, err := r.node(c.writer, c.carried, func() (int, error) { return c.matched, nil })
		if got != c.want || (err != nil) != c.fails || err != nil && !strings.Contains(err.Error(), "/data") {
			t.Errorf("%s: got %q and %v", name, got, err)
		}
	}
}
