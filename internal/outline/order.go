package outline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// everyNode are topics that connect nodes without one of them needing the other.
var everyNode = []string{"/rosout", "/parameter_events", "/clock", "/tf", "/tf_static", "/diagnostics",
	"/diagnostics_agg", "/bond"}

// standard are the packages whose topics and services every node has, or only coordinators use.
var standard = []string{"rcl_interfaces/", "lifecycle_msgs/", "type_description_interfaces/", "rstate_msgs/",
	"composition_interfaces/"}

// telling reports whether a topic or service shows that one node needs another.
func (e Endpoint) telling() bool {
	return !slices.Contains(everyNode, e.Name) &&
		!slices.ContainsFunc(standard, func(p string) bool { return strings.HasPrefix(e.Type, p) })
}

// action returns the action of a service that is a part of one.
func (e Endpoint) action() (name string, ok bool) {
	return strings.CutSuffix(e.Name, "/_action/send_goal")
}

// The weights of a use: a node that calls a service cannot do without it; one that reads a topic may.
const (
	weightTopic = 1
	weightCall  = 2
)

// order guesses which node comes after which: a reader after the publisher, and a caller after the server. The states
// that the nodes have now can contradict a guess. Of a cycle, the weakest links are left.
func order(nodes []Node) []Link {
	var links []Link
	for i := range nodes {
		for k := range nodes {
			if l := uses(&nodes[i], &nodes[k]); i != k && l.weight > 0 {
				links = append(links, l)
			}
		}
	}
	// The strongest first. Where two are as strong, names decide, so that the same robot gives the same file.
	slices.SortStableFunc(links, func(a, b Link) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), strings.Compare(a.After, b.After),
			strings.Compare(a.Node, b.Node))
	})
	states := map[string]string{}
	for _, n := range nodes {
		states[n.Name] = n.State
	}
	after := map[string][]string{}
	for i := range links {
		l := &links[i]
		mine, its := states[l.Node], states[l.After]
		switch way := wayTo(after, l.After, l.Node); {
		case rank(mine) > 0 && rank(its) > 0 && rank(mine) > rank(its):
			l.Left = fmt.Sprintf("it is %s while %s is %s", mine, l.After, its)
		case len(way) == 2:
			l.Left = l.After + " comes after it"
		case way != nil:
			l.Left = fmt.Sprintf("%s comes after it, by way of %s", l.After,
				strings.Join(way[1:len(way)-1], ", "))
		default:
			after[l.Node] = append(after[l.Node], l.After)
		}
	}
	for i := range links {
		l := &links[i]
		l.Implied = l.Left == "" && slices.ContainsFunc(after[l.Node],
			func(other string) bool { return other != l.After && wayTo(after, other, l.After) != nil })
	}
	slices.SortStableFunc(links, func(a, b Link) int {
		return cmp.Or(strings.Compare(a.Node, b.Node), strings.Compare(a.After, b.After))
	})
	return links
}

// uses says what a node uses of another.
func uses(n, other *Node) Link {
	l := Link{Node: n.Name, After: other.Name, Because: []string{}}
	for _, e := range n.Reads {
		if _, part := cutAction(e.Name); !part && e.telling() && names(other.Publishes, e.Name) {
			l.Because, l.weight = append(l.Because, "reads "+e.Name), l.weight+weightTopic
		}
	}
	for _, e := range n.Calls {
		if !e.telling() || !names(other.Serves, e.Name) {
			continue
		}
		if action, ok := e.action(); ok {
			l.Because, l.weight = append(l.Because, "calls the action "+action), l.weight+weightCall
		} else if _, part := cutAction(e.Name); !part {
			l.Because, l.weight = append(l.Because, "calls "+e.Name), l.weight+weightCall
		}
	}
	slices.Sort(l.Because)
	l.Because = slices.Compact(l.Because)
	return l
}

// cutAction returns the action of a name that is a part of one.
func cutAction(name string) (action string, part bool) {
	action, _, part = strings.Cut(name, "/_action/")
	return action, part
}

func names(list []Endpoint, name string) bool {
	return slices.ContainsFunc(list, func(e Endpoint) bool { return e.Name == name })
}

// wayTo returns the nodes over which one leads down to another, both included; nil: it does not.
func wayTo(after map[string][]string, from, to string) []string {
	met := map[string]bool{}
	var walk func(at string) []string
	walk = func(at string) []string {
		if at == to {
			return []string{at}
		}
		met[at] = true
		for _, next := range after[at] {
			if met[next] {
				continue
			}
			if way := walk(next); way != nil {
				return append([]string{at}, way...)
			}
		}
		return nil
	}
	return walk(from)
}
