package guards

import (
	"slices"
	"strings"
	"time"

	"rstate/internal/patient"
)

// A guard that ends in order tells the instance first, by a word without calls. It leaves its nodes armed only if the
// instance shows then that it knows, and that others that count cover these nodes. A guard that disarms says so of each
// service, whatever the reason: the instance then shows nothing as armed that the guard disarms.

const (
	// Ended is why a guard does not count that ends, and has said so.
	Ended = "has ended"
	// Disarms is the fault of a service by which a guard disarms: the node of it is not armed meanwhile.
	Disarms = "the guard disarms it"
	// DisarmsLast is that of a guard that ends.
	DisarmsLast = "the guard ends, and disarms it"
	// AnswerIn is how long a guard that ends waits for the instance to show that it knows.
	AnswerIn = time.Second * patient.Factor
	// ToldFor is how long a guard says at least that it disarms. It speaks five times meanwhile.
	ToldFor = 500 * time.Millisecond
)

// Listed is a guard as an instance lists it.
type Listed struct {
	ID    string
	Nodes []string // those that it covers
	Lives bool     // it counts
	Fault string   // why it does not
}

// Leaving is a guard that is to end while a lease holds.
type Leaving struct {
	id    string
	nodes []string // those that it covered until then
}

// Leave begins the end of a guard. list is what the instance shows, and calls is how many services the guard can call.
// It reports whether the guard is to wait for the instance: others cover each node of it, and each service has a node.
func Leave(id string, list []Listed, calls int) (l Leaving, waits bool) {
	l.id = id
	if k := slices.IndexFunc(list, func(g Listed) bool { return g.ID == id && g.Lives }); k >= 0 {
		l.nodes = list[k].Nodes
	}
	return l, len(l.nodes) > 0 && len(l.nodes) >= calls && l.covered(list)
}

// Relieved reports whether the guard may leave its nodes armed by what the instance shows now.
func (l Leaving) Relieved(list []Listed) bool {
	known := func(g Listed) bool { return g.ID == l.id && !g.Lives && g.Fault == Ended }
	return len(l.nodes) > 0 && slices.ContainsFunc(list, known) && l.covered(list)
}

// covered reports whether others cover each node of the guard.
func (l Leaving) covered(list []Listed) bool {
	return !slices.ContainsFunc(l.nodes, func(node string) bool {
		return !slices.ContainsFunc(list, func(g Listed) bool {
			return g.ID != l.id && g.Lives && slices.Contains(g.Nodes, node)
		})
	})
}

// Disarms names the living guards that disarm by a service; empty: none does.
func (b *Book) Disarms(now time.Duration, service string) string {
	var who []string
	for k := range b.list {
		g := &b.list[k]
		switch c := g.call(service); {
		case c == nil || !g.lives(now):
		case c.Fault == Disarms:
			who = append(who, "guard "+g.word.ID)
		case c.Fault == DisarmsLast:
			who = append(who, "guard "+g.word.ID+", which ends")
		}
	}
	return strings.Join(who, " and ")
}
