//go:build ros

package rosnet

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
)

// TestA1ServersOfAnArm: the processes of which the world tells the engine, look by look. A process is a letter, with its node.
func TestA1ServersOfAnArm(t *testing.T) {
	type look struct {
		at    string // since the first look
		found string // like "a:/arm b:/other"; a process without a name has none
		dead  string
		want  string
	}
	for _, c := range []struct {
		name, meant string
		itself      bool
		looks       []look
	}{
		{name: "it comes and goes", meant: "/arm", itself: true, looks: []look{
			{"0s", "", "", "[] []"}, {"1s", "a:/arm", "", "[1] []"}, {"2s", "", "", "[] [] it left the graph"},
		}},
		{name: "another one beside it", meant: "/arm", itself: true, looks: []look{
			{"0s", "a:/arm b:/other", "", "[1] [/other]"}, {"1s", "a:/arm b:/other", "b", "[1] []"},
		}},
		{name: "a killed one of the same name", meant: "/arm", itself: true, looks: []look{
			{"0s", "a:/arm", "", "[1] []"}, {"1s", "a:/arm b:/arm", "a", "[2] []"},
		}},
		{name: "the end of the node itself: the engine asks it", meant: "/arm", itself: true, looks: []look{
			{"0s", "a:/arm", "", "[1] []"}, {"1s", "a:/arm", "a", "[1] []"},
		}},
		{name: "the one that is meant is killed", meant: "/hw", looks: []look{
			{"0s", "a:/hw", "", "[1] []"}, {"1s", "a:/hw", "a", "[] [] its process has ended"},
			{"2s", "a:/hw b:/hw", "a", "[2] []"}, {"3s", "b:/hw", "", "[2] []"},
		}},
		{name: "it has not ended: it stays in the graph", meant: "/hw", looks: []look{
			{"0s", "a:/hw", "", "[1] []"}, {"1s", "a:/hw", "a", "[] [] its process has ended"}, {"2m", "a:/hw", "a", "[2] []"},
		}},
		{name: "two endpoints of one process", meant: "/hw", looks: []look{{"0s", "a:/hw a:/hw", "", "[1] []"}}},
		{name: "two nodes of one process", meant: "/hw", looks: []look{{"0s", "a:/hw a:/arm", "", "[1] [/arm]"}}},
		{name: "its name comes late", meant: "/hw", looks: []look{
			{"0s", "a:", "", "waits [] []"}, {"1s", "a:/hw", "", "[1] []"},
		}},
		{name: "its name is lost", meant: "/hw", looks: []look{{"0s", "a:/hw", "", "[1] []"}, {"1s", "a:", "", "[1] []"}}},
		{name: "a name never comes", meant: "/hw", looks: []look{
			{"0s", "a:/hw b:", "", "waits [1] []"}, {"2s", "a:/hw b:", "", "[1] [a process whose node the middleware does not name]"},
		}},
		{name: "a process of the node whose name is not told", meant: "/arm", itself: true, looks: []look{
			{"0s", "n:", "", "[1] []"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s servers
			start := time.Unix(1000, 0)
			for k, l := range c.looks {
				after, _ := time.ParseDuration(l.at)
				var found []server
				for _, word := range strings.Fields(l.found) {
					letter, node, _ := strings.Cut(word, ":")
					if node == "" {
						node = "/" + nameless
					}
					found = append(found, server{node, rclgo.GID{letter[0]}})
				}
				in, whole := s.look(serverLook{
					now: start.Add(after), found: found, meant: c.meant, itself: c.itself, stays: time.Minute,
					body: func(g rclgo.GID) bool { return g[0] == 'n' },
					dead: func(g rclgo.GID) bool { return slices.Contains([]byte(l.dead), g[0]) },
					same: func(a, b rclgo.GID) bool { return a == b },
				})
				got := strings.TrimSpace(fmt.Sprintf("%v %v %s", in.Meant, in.Others, in.Why))
				if !whole {
					got = "waits " + got
				}
				if want := l.want; got != want && (len(in.Meant) > 0 || !strings.HasPrefix(got, want)) {
					t.Fatalf("look %d: %s, want %s", k+1, got, want)
				}
			}
		})
	}
}
