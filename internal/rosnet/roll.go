//go:build ros

package rosnet

import (
	"crypto/sha256"
	"maps"
	"slices"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/internal/middleware"
)

const (
	// quietFor is the minimum silence of a writer before the middleware reports that it does not
	// renew its liveliness. A live writer publishes more often; see tellEvery.
	quietFor = livelinessLease - 20*time.Millisecond
	// doubtFor limits the search for the writer that the middleware has found dead.
	doubtFor = time.Second
)

// roll lists the writers of a topic that all instances of a simulation share. The middleware
// reports how many writers are dead, but not which: roll derives that from the silent ones. A
// message does not name the node of its writer: the graph does, perhaps later. A roll is not safe
// for concurrent use.
type roll struct {
	writers map[rclgo.GID]*writer
	mute    int // writers in the graph that were never heard
	dead    int // as the middleware has counted
	gone    int // how many of the dead have left the graph
	counted time.Time
}

// writer is one writer of a roll.
type writer struct {
	claim string              // the node that its messages name
	node  string              // the node of the writer; empty: the graph has not named it yet
	found bool                // the graph has it
	first time.Time           // time of the first message
	heard time.Time           // time of the last message
	lost  bool                // it does not renew its liveliness
	quiet int                 // looks of grow since the last message
	held  func(now time.Time) // takes the last message once the node is known
	odd   bool                // a fault in its messages was logged
	burst int                 // messages in the present second
	tick  time.Time           // when that began

	name, instance string // of the posted peer; empty: none was posted
}

// of returns the writer with that id, which has just been heard.
func (r *roll) of(gid rclgo.GID, now time.Time) *writer {
	w := r.writers[gid]
	if w == nil {
		if r.writers == nil {
			r.writers = map[rclgo.GID]*writer{}
		}
		w = &writer{first: now}
		r.writers[gid] = w
		r.mute = max(0, r.mute-1)
	}
	w.heard, w.lost, w.quiet = now, false, 0
	return w
}

// mostClaims is how many writers a roll has that only their messages tell apart. Anyone may make up more.
const mostClaims = 256

// ofInstance returns the writer of an instance, where messages do not carry the id that the graph shows
// for their writer. If there are too many, it forgets the oldest one that the graph does not show. It
// returns nil if the graph shows all of them.
func (r *roll) ofInstance(name, instance string, now time.Time) *writer {
	sum := sha256.Sum256([]byte(name + "\x00" + instance))
	gid := rclgo.GID(sum[:rclgo.GIDSize])
	if r.writers[gid] == nil && len(r.writers) >= mostClaims && !r.forget() {
		return nil
	}
	w := r.of(gid, now)
	w.claim = name
	return w
}

// forget drops the oldest writer that the graph does not show. It reports whether there was one.
func (r *roll) forget() bool {
	for _, gid := range r.order() {
		if !r.writers[gid].found {
			delete(r.writers, gid)
			return true
		}
	}
	return false
}

// byName translates what the graph shows for look, where ids do not match: each node is taken to be the
// writers that name it, those that were heard last if there are more of them than the graph shows. What
// no writer claims stays a writer that was never heard.
func (r *roll) byName(graph map[rclgo.GID]string) map[rclgo.GID]string {
	free := map[string]int{}
	for _, node := range graph {
		free[node]++
	}
	known := map[rclgo.GID]string{}
	gids := slices.Collect(maps.Keys(r.writers))
	slices.SortFunc(gids, func(a, b rclgo.GID) int {
		if c := r.writers[b].heard.Compare(r.writers[a].heard); c != 0 {
			return c
		}
		return slices.Compare(a[:], b[:])
	})
	for _, node := range []func(*writer) string{
		func(w *writer) string { return w.claim },
		func(*writer) string { return "" }, // the graph has not named it yet
	} {
		for _, gid := range gids {
			name := node(r.writers[gid])
			if _, is := known[gid]; !is && free[name] > 0 {
				known[gid] = name
				free[name]--
			}
		}
	}
	for gid, node := range graph {
		if free[node] > 0 {
			known[gid] = node
			free[node]--
		}
	}
	return known
}

// grow is called every middleware.Look where no event tells of liveliness, and returns the writers that
// have been silent for middleware.Believed. Looks are counted, so that the time in which this process was
// suspended is no age.
func (r *roll) grow() (lost []*writer) {
	for _, gid := range r.order() {
		w := r.writers[gid]
		if w.quiet++; !w.lost && w.quiet >= int(middleware.Believed/middleware.Look) {
			w.lost = true
			lost = append(lost, w)
		}
	}
	return lost
}

// mostMessages is how many messages of a writer are read in a second. An instance sends a few. What is dropped beyond
// that is in its next status.
const mostMessages = 100

// room counts a message, and reports whether it is to be read.
func (w *writer) room(now time.Time) bool {
	if now.Sub(w.tick) >= time.Second {
		w.tick, w.burst = now, 0
	}
	w.burst++
	return w.burst <= mostMessages
}

// speaks takes a message in the name of a node at once if the writer belongs to that node. If the
// writer's node is unknown yet, speaks keeps the newest message for later. It returns false if the
// writer belongs to another node, for example the player of a recording.
func (w *writer) speaks(name string, now time.Time, take func()) (own bool) {
	w.held = nil
	switch {
	case w.node == name, w.node == "" && w.found && now.Sub(w.first) >= namelessIn:
		take()
	case w.node != "":
		return false
	default:
		w.held = func(now time.Time) {
			if !w.speaks(name, now, take) {
				w.odd = true
			}
		}
	}
	return true
}

// look compares the roll with the graph, which names the node of each writer. It returns the
// writers that have left, and whether the node of any writer is still unknown.
func (r *roll) look(now time.Time, graph map[rclgo.GID]string) (departed []*writer, waits bool) {
	r.mute = len(graph)
	for _, gid := range r.order() {
		w := r.writers[gid]
		node, there := graph[gid]
		switch {
		case there:
			r.mute--
			w.found, w.node = true, node
		case w.found || now.Sub(w.first) >= namelessIn:
			delete(r.writers, gid)
			if w.lost && r.dead > r.lost() {
				r.gone++
			}
			departed = append(departed, w)
			continue
		}
		if w.held == nil {
			continue
		}
		if w.node == "" && now.Sub(w.first) < namelessIn {
			waits = true
			continue
		}
		w.held(now)
	}
	return departed, waits
}

// order lists the writers in the order of their first message.
func (r *roll) order() []rclgo.GID {
	var gids []rclgo.GID
	for gid := range r.writers {
		gids = append(gids, gid)
	}
	slices.SortFunc(gids, func(a, b rclgo.GID) int {
		if c := r.writers[a].first.Compare(r.writers[b].first); c != 0 {
			return c
		}
		return slices.Compare(a[:], b[:])
	})
	return gids
}

// count takes the number of dead writers.
func (r *roll) count(dead int, now time.Time) {
	r.gone = max(0, r.gone-max(0, r.dead-dead))
	r.dead, r.counted = dead, now
}

func (r *roll) lost() (n int) {
	for _, w := range r.writers {
		if w.lost {
			n++
		}
	}
	return n
}

// missing returns the dead writers: as many as the middleware has counted, among those silent for
// quietFor. If more are silent, a live one will speak within moments; doubt then asks for another
// look.
func (r *roll) missing(now time.Time) (lost []*writer, doubt bool) {
	dead := r.dead - r.lost() - r.mute - r.gone
	if dead <= 0 {
		return nil, false
	}
	doubt = now.Sub(r.counted) < doubtFor
	for _, gid := range r.order() {
		if w := r.writers[gid]; !w.lost && now.Sub(w.heard) >= quietFor {
			lost = append(lost, w)
		}
	}
	if len(lost) > dead {
		return nil, doubt
	}
	for _, w := range lost {
		w.lost = true
	}
	return lost, doubt && len(lost) < dead
}
