package doctor

import (
	"fmt"
	"slices"
	"strings"

	"rstate/internal/lifecycle"
)

// daemon judges the daemon that was asked for.
func (j *judge) daemon() {
	const about = "daemon"
	at := slices.IndexFunc(j.Daemons, func(d Daemon) bool { return d.Name == j.Asked })
	if at < 0 {
		j.noDaemon(about)
		return
	}
	d := j.Daemons[at]
	if d.Writers > 1 {
		j.fault(about, fmt.Sprintf("%d daemons are called %s", d.Writers, d.Name), "so many publish "+d.Name+"/state",
			j.ghost())
	}
	switch {
	case !d.Alive:
		j.fault(about, d.Name+" is silent", "it is in the graph, and does not renew its life",
			"its process hangs, is stopped, or was killed a moment ago: look for it, end it, and start it again; the nodes are adopted")
		return
	case d.State == "":
		j.fault(about, d.Name+" says nothing", "it lives, and nothing was heard on "+d.Name+"/state",
			"it may be of another version: start it again with this one")
		return
	case d.Settled && !d.Intact:
		j.warn(about, fmt.Sprintf("the network is %s, not intact", lifecycle.Words(d.State)), d.Cause, "ask rstate why")
	case !d.Settled:
		j.fine(about, fmt.Sprintf("%s (simulation %s) is at work: %s", d.Name, d.Simulation, lifecycle.Words(d.State)))
	default:
		j.fine(about, fmt.Sprintf("%s (simulation %s): %s", d.Name, d.Simulation, lifecycle.Words(d.State)))
	}
	for _, w := range d.Warnings {
		what, do, advised := strings.Cut(w, "; ")
		if !advised {
			do = "ask rstate why"
		}
		j.warn(about, what, d.Name+" says so", do)
	}
	j.sameNetwork(d)
}

// noDaemon says what there is instead of the daemon that was asked for.
func (j *judge) noDaemon(about string) {
	var names []string
	for _, d := range j.Daemons {
		names = append(names, d.Name)
	}
	if len(names) > 0 {
		j.warn(about, "there is no daemon "+j.Asked, "there is "+strings.Join(names, ", "),
			"name the one that you mean with --node")
		return
	}
	j.warn(about, "there is no daemon "+j.Asked,
		fmt.Sprintf("%s/state has no publisher; %s seen in domain %d", j.Asked, many(len(j.Nodes), "other node"),
			j.Stack.Domain),
		"start it with rstate run FILE, in the same domain")
}

// sameNetwork compares a daemon with the file.
func (j *judge) sameNetwork(d Daemon) {
	if j.File == "" {
		return
	}
	var names []string
	for _, n := range j.Network.Nodes {
		names = append(names, n.Name)
	}
	if d.Simulation == j.Network.Simulation && slices.Equal(names, d.Nodes) {
		return
	}
	j.warn("daemon", d.Name+" runs another network than "+j.File, fmt.Sprintf("simulation %s with %s, not %s with %s",
		d.Simulation, strings.Join(d.Nodes, " "), j.Network.Simulation, strings.Join(names, " ")),
		"start the daemon again after a change of its file, or name the other daemon with --node")
}
