//go:build ros

package rosnet

import (
	"path"
	"strings"
	"time"

	"rstate/internal/engine"
	"rstate/internal/network"
	"rstate/internal/strict"
)

const (
	// missAhead is how long before the start timeout the engine gets the similar names, so that it
	// can include them in the failure at once.
	missAhead = 200 * time.Millisecond
	// mostAlike limits the similar names for one missing name: more are no hint.
	mostAlike = 3
)

// discovery is how long a start waits for nodes.
func (w *World) discovery() (longest time.Duration) {
	for i := range w.net.Nodes {
		longest = max(longest, w.net.Nodes[i].Deadline.Discover)
	}
	return longest
}

// tellMissing posts similar names for each configured name that no node has ever had. Watcher only.
func (w *World) tellMissing() {
	var strays []string
	for _, r := range w.remotes {
		if r.presence.last > 0 {
			continue
		}
		if strays == nil {
			strays = straysOf(w.net, w.name, w.graphNames())
		}
		if alike := strict.Alike(r.spec.Name, strays, mostAlike); len(alike) > 0 {
			w.post(engine.NodeMissed{Node: r.i, Alike: alike})
		}
	}
}

// straysOf are the nodes that no line of the network means, and that a person would name: not our
// own, not what tools hide, and none that the middleware has not told the name of.
func straysOf(net *network.Network, own string, names []string) []string {
	strays := []string{}
	for _, n := range names {
		if base := path.Base(n); net.Index(n) < 0 && n != own && !strings.HasPrefix(base, "_") {
			strays = append(strays, n)
		}
	}
	return strays
}
