package journal

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Past is what lines say of the runs before, for the next one.
type Past struct {
	State   string     // the settled state in which the lines end; see LastSettled
	Network string     // the fingerprint of the network that settled there; empty: a former version of rstate wrote it
	Start   Line       // of that run, where it is among the lines: it names the simulation and the machine
	Armed   []MayArmed // the nodes that may be armed, by name
	Stops   []Stop     // the stops that are known, by the runs that have latched them
	Run     LastRun    // the newest run
	Torn    bool       // a later run may have begun to write behind the last line; PastOf cannot know
	Ordered []Ordered  // the newest runs of which it is known how many orders to disarm each has given, the oldest first
	// There are lines, and all of them, so that a node that Armed does not list is disarmed. PastOf cannot know of gaps.
	Whole bool
}

// MayArmed is a node that may be armed, and the call that disarms it.
type MayArmed struct {
	Node, Service, Type string
	Lease               bool
	Proof               time.Duration // how long its lease is good for; 0: a former version did not write it down
	Open                bool          // a request to arm may have had no answer
	Guessed             bool          // a former version of rstate did not write down the call: it is the usual one
}

// Ordered is how many orders to disarm a run has given.
type Ordered struct {
	Instance string
	N        uint64
}

// Stop is what is known of the stops of one run.
type Stop struct {
	Origin, Run           string
	Latched, Acknowledged uint64
	Why                   string
	At, Since             time.Time
}

// stopsOf takes the greatest numbers of each run. If lines are missing, a stop may seem open that is acknowledged.
func stopsOf(lines []Line) (list []Stop) {
	for k := range lines {
		l := &lines[k]
		if l.Kind != KindStop || l.StopRun == "" {
			continue
		}
		i := slices.IndexFunc(list, func(s Stop) bool { return s.Run == l.StopRun })
		if i < 0 {
			i = len(list)
			list = append(list, Stop{Run: l.StopRun})
		}
		s := &list[i]
		if l.Latched >= s.Latched {
			s.Origin, s.Latched, s.Why, s.At, s.Since = l.Node, l.Latched, l.StopWhy, l.StopAt, l.StopSince
		}
		s.Acknowledged = max(s.Acknowledged, min(l.Acknowledged, s.Latched))
	}
	slices.SortFunc(list, func(a, b Stop) int { return strings.Compare(a.Run, b.Run) })
	return list
}

// keepOrdered is how many runs are listed.
const keepOrdered = 32

// ordered lists the newest runs, also those that have ordered nothing: a peer that knows a run which is not
// listed takes it for one that may have ordered. A run is listed if its orders are known: from its first line on, or
// from one that has their count, no line of it is missing.
func ordered(lines []Line) (list []Ordered) {
	for k := range lines {
		l := &lines[k]
		last := len(list) - 1
		same := last >= 0 && list[last].Instance == l.Instance
		if same && missing(&lines[k-1], l) > 0 {
			list, same = list[:last], false
		}
		switch {
		case l.Instance == "":
		case same:
			list[last].N = max(list[last].N, l.Orders)
		case l.N == 1 || l.Orders > 0:
			list = append(list, Ordered{l.Instance, l.Orders})
		}
	}
	return list[max(0, len(list)-keepOrdered):]
}

// PastOf reads what lines say of the runs in a ROS domain, the oldest first; an empty domain is any. The nodes of
// another domain are others, but a stop belongs to the name of the daemon, and so does what a person says of it. PastOf
// may reuse the memory of lines.
func PastOf(lines []Line, domain string) Past {
	stops := stopsOf(lines)
	if domain != "" {
		lines = OfDomain(lines, domain)
	}
	p := Past{State: LastSettled(lines), Armed: armed(lines), Ordered: ordered(lines), Run: lastRun(lines), Stops: stops,
		Whole: len(lines) > 0}
	k := len(lines) - 1
	for ; k >= 0; k-- {
		if l := &lines[k]; l.Kind == KindState && l.Event == EventSettled {
			p.Network = l.Network
			break
		}
	}
	for ; k >= 0; k-- {
		if l := &lines[k]; l.Kind == KindStart && l.Network != "" && l.Network == p.Network {
			p.Start = *l
			break
		}
	}
	return p
}

// armed lists the nodes that may be armed. A run of a former version says only what was asked of each.
func armed(lines []Line) []MayArmed {
	says := map[string]bool{} // the runs that write down what may be armed
	for k := range lines {
		says[lines[k].Instance] = says[lines[k].Instance] || lines[k].Network != "" || lines[k].Event == EventMayBeArmed
	}
	list := []MayArmed{}
	drop := func(gone func(MayArmed) bool) { list = slices.DeleteFunc(list, gone) }
	put := func(m MayArmed) {
		drop(func(o MayArmed) bool { return o.Node == m.Node && o.Service == m.Service })
		list = append(list, m)
	}
	for k := range lines {
		switch l := &lines[k]; {
		case l.Kind == KindNode && l.Event == EventMayBeArmed:
			put(MayArmed{Node: l.Node, Service: l.Service, Type: l.Type, Lease: l.Lease, Proof: l.Proof, Open: !l.Armed})
		case l.Kind == KindNode && l.Event == EventDisarmed:
			drop(l.ends)
		case says[l.Instance] || l.Kind != KindStep:
		case l.Step == "arm":
			put(MayArmed{Node: l.Node, Service: l.Node + "/arm", Type: "std_srvs/srv/SetBool", Guessed: true,
				Open: true})
		case l.Step == "disarm" && l.Verdict == "done":
			drop(func(o MayArmed) bool { return o.Node == l.Node })
		}
	}
	slices.SortFunc(list, func(a, b MayArmed) int {
		return cmp.Or(strings.Compare(a.Node, b.Node), strings.Compare(a.Service, b.Service))
	})
	return list
}

// disarms reports whether a line that says that its node is disarmed speaks of what a service has armed. A former
// version did not write down the service. A node that is armed by another call now may be armed by the former one.
func (l *Line) disarms(service string) bool { return l.Service == "" || l.Service == service }

// ends reports whether a line that says that its node is disarmed ends what may be armed.
func (l *Line) ends(m MayArmed) bool { return m.Node == l.Node && (m.Guessed || l.disarms(m.Service)) }
