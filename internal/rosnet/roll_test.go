//go:build ros

package rosnet

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
)

// rollScript plays the events on a shared topic. Writers are letters; in the graph the writer a is
// of node a, unless the name follows: a=x, or a= if the graph does not name it.
type rollScript struct {
	roll roll
	now  time.Time
	told []string
}

func gidOf(letter string) (gid rclgo.GID) {
	gid[0] = letter[0]
	return gid
}

// do plays one line: "100 a b" means that 100 ms later a and b are received, and !a that a message of a is
// refused; "graph a b=", "dead 1" and "look" are calls.
func (s *rollScript) do(line string) {
	words := strings.Fields(line)
	note := func(what string, list []*writer) {
		for _, w := range list {
			s.told = append(s.told, what+" "+w.name)
		}
	}
	switch words[0] {
	case "graph":
		nodes := map[rclgo.GID]string{}
		for _, w := range words[1:] {
			letter, node, given := strings.Cut(w, "=")
			if !given {
				node = letter
			}
			nodes[gidOf(letter)] = node
		}
		left, waits := s.roll.look(s.now, nodes)
		note("left", left)
		if waits {
			s.told = append(s.told, "waits")
		}
	case "dead":
		s.roll.count(int(words[1][0]-'0'), s.now)
		fallthrough
	case "look":
		lost, doubt := s.roll.missing(s.now)
		note("lost", lost)
		if doubt {
			s.told = append(s.told, "doubt")
		}
	default:
		d, err := time.ParseDuration(words[0] + "ms")
		if err != nil {
			panic(err)
		}
		s.now = s.now.Add(d)
		for _, w := range words[1:] {
			if bad, is := strings.CutPrefix(w, "!"); is {
				s.roll.of(gidOf(bad), s.now)
				continue
			}
			one := s.roll.of(gidOf(w), s.now)
			one.name = w
			if !one.speaks(w, s.now, func() { s.told = append(s.told, "takes "+w) }) {
				s.told = append(s.told, "refuses "+w)
			}
		}
	}
}

func TestWhoSpeaks(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"known by the graph, it is taken at once": {"0 a|graph a|100 a", "takes a|takes a"},
		"not known yet, the newest waits":         {"0 a|10 a|graph|graph a=|graph a", "waits|waits|takes a"},
		"never known, it is taken after a while": {"0 a|graph a=|1990|graph a=|10|graph a=|10 a",
			"waits|waits|takes a|takes a"},
		"of another node, it is refused, now or then": {"0 a|graph a=x|100 a", "refuses a"},
		"a writer that is not in the graph yet":       {"0 a|graph|100 a|graph|graph a", "waits|waits|takes a"},
		"its first is bad, and no look comes":         {"0 !a|2000 a", ""},
		"its first is bad, and it is shown late":      {"0 !a|2000 a|graph a=", "takes a"},
		"its first is bad, and it is of another node": {"0 !a|2000 a|graph a=x|10 a", "refuses a"},
		"it leaves the graph":                         {"0 a|graph a|graph", "takes a|left a"},
		"it was never in the graph":                   {"0 a|graph|2000|graph", "waits|left a"},
		"one dies": {"0 a b|graph a b|400 b|100 |dead 1",
			"takes a|takes b|takes b|lost a"},
		"it is heard again": {"0 a|graph a|500|dead 1|1000 a|dead 0|500|dead 1",
			"takes a|lost a|takes a|lost a"},
		"all die": {"0 a b|graph a b|500|dead 2", "takes a|takes b|lost a|lost b"},
		"two are silent, and one of them is late": {"0 a b|graph a b|490|dead 1|20 b|look",
			"takes a|takes b|doubt|takes b|lost a"},
		"the middleware is faster than we": {"0 a b|graph a b|200 b|250|dead 1|40|look",
			"takes a|takes b|takes b|doubt|lost a"},
		"no writer can be found":        {"0 a|graph a|100|dead 1|1000 a|look", "takes a|doubt|takes a"},
		"one that never spoke has died": {"0 a|graph a x|500|dead 1", "takes a"},
		"it died, and leaves": {"0 a b|graph a b|400 b|100|dead 1|400 b|graph b|500|look|dead 0|dead 1",
			"takes a|takes b|takes b|lost a|takes b|left a|lost b"},
		"it died, and leaves, which is counted first": {"0 a b|graph a b|400 b|100|dead 1|400 b|dead 0|graph b|500|dead 1",
			"takes a|takes b|takes b|lost a|takes b|left a|lost b"},
	} {
		t.Run(name, func(t *testing.T) {
			s := rollScript{now: time.Unix(1000, 0)}
			for _, line := range strings.Split(c.script, "|") {
				s.do(line)
			}
			if got := strings.Join(s.told, "|"); got != c.want {
				t.Errorf("got\n  %s\nwant\n  %s", got, c.want)
			}
		})
	}
}

// TestWhoSpeaksIsTakenInTheOrderOfTheFirst: the order of reports must not depend on the order of a
// map.
func TestWhoSpeaksIsTakenInTheOrderOfTheFirst(t *testing.T) {
	s := rollScript{now: time.Unix(1000, 0)}
	letters := strings.Split("hgfedcba", "")
	for _, l := range letters {
		s.do("1 " + l)
	}
	s.do("graph " + strings.Join(slices.Sorted(maps.Keys(map[string]bool{"a": true, "b": true, "c": true, "d": true,
		"e": true, "f": true, "g": true, "h": true})), " "))
	if got, want := strings.Join(s.told, " "), "takes "+strings.Join(letters, " takes "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
