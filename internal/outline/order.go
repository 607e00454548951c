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
	links := uses(nodes)
	// The strongest first. Where two are as strong, names decide, so that the same robot gives the same file.
	slices.SortFunc(links, func(a, b Link) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), strings.Compare(a.After, b.After),
			strings.Compare(a.Node, b.Node))
	})
	r := newReach(len(nodes))
	for i := range links {
		l := &links[i]
		mine, its := nodes[l.node].State, nodes[l.after].State
		switch {
		case rank(mine) > 0 && rank(its) > 0 && rank(mine) > rank(its):
			l.Left = fmt.Sprintf("it is %s while %s is %s", mine, l.After, its)
		case r.below[l.after].has(l.node):
			l.Left = l.After + " comes after it"
			if chain := r.between(l.after, l.node); len(chain) > 0 {
				l.Left += ", by way of " + andMore(namesOf(nodes, chain))
			}
		default:
			r.add(l.node, l.after)
		}
	}
	implied := make([]set, len(nodes))
	for i := range nodes {
		implied[i] = r.implied(i)
	}
	for i := range links {
		l := &links[i]
		l.Implied = l.Left == "" && implied[l.node].has(l.after)
	}
	slices.SortFunc(links, func(a, b Link) int {
		return cmp.Or(strings.Compare(a.Node, b.Node), strings.Compare(a.After, b.After))
	})
	return links
}

// namesOf returns the names of nodes by their numbers.
func namesOf(nodes []Node, numbers []int) (names []string) {
	for _, k := range numbers {
		names = append(names, nodes[k].Name)
	}
	return names
}

// uses says what each node uses of each other one.
func uses(nodes []Node) (links []Link) {
	publishers, servers := map[string][]int{}, map[string][]int{}
	for k := range nodes {
		note(publishers, nodes[k].Publishes, k)
		note(servers, nodes[k].Serves, k)
	}
	for i := range nodes {
		links = append(links, usesOf(nodes, i, publishers, servers)...)
	}
	return links
}

// note adds a node to those that have these ends, once for each name.
func note(by map[string][]int, ends []Endpoint, node int) {
	for _, e := range ends {
		if !slices.Contains(by[e.Name], node) {
			by[e.Name] = append(by[e.Name], node)
		}
	}
}

// usesOf says what a node uses of each other one.
func usesOf(nodes []Node, i int, publishers, servers map[string][]int) (links []Link) {
	at := map[int]int{} // where the link to a node is
	use := func(of []int, because string, weight int) {
		for _, k := range of {
			if k == i {
				continue
			}
			if _, known := at[k]; !known {
				at[k] = len(links)
				links = append(links, Link{Node: nodes[i].Name, After: nodes[k].Name, node: i, after: k})
			}
			l := &links[at[k]]
			l.Because, l.weight = append(l.Because, because), l.weight+weight
		}
	}
	for _, e := range nodes[i].Reads {
		if _, part := cutAction(e.Name); !part && e.telling() {
			use(publishers[e.Name], "reads "+e.Name, weightTopic)
		}
	}
	for _, e := range nodes[i].Calls {
		_, part := cutAction(e.Name)
		switch action, begins := e.action(); {
		case !e.telling():
		case begins:
			use(servers[e.Name], "calls the action "+action, weightCall)
		case !part:
			use(servers[e.Name], "calls "+e.Name, weightCall)
		}
	}
	for k := range links {
		slices.Sort(links[k].Because)
		links[k].Because = slices.Compact(links[k].Because)
	}
	return links
}

// cutAction returns the action of a name that is a part of one.
func cutAction(name string) (action string, part bool) {
	action, _, part = strings.Cut(name, "/_action/")
	return action, part
}

func names(list []Endpoint, name string) bool {
	return slices.ContainsFunc(list, func(e Endpoint) bool { return e.Name == name })
}
