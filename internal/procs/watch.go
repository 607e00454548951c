package procs

import (
	"errors"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"
)

// triesMost is how often the process of a participant is looked for: what is not there at first rarely comes.
const triesMost = 3

// dying is how long a process that has lost what a participant has may take to end: first it loses its memory and
// sockets.
const dying = 500 * time.Millisecond

// Options is what a Watch is made of.
type Options struct {
	Root   string // "" is /proc
	Domain uint
	Host   Participant // any participant of this host
	// Ended reports the end of the process of a participant, from a goroutine of the Watch. It may be another process.
	Ended func(Participant)
}

// Watch holds the processes of participants and tells when one ends. Its methods may be called from any goroutine.
type Watch struct {
	host   host
	here   Participant
	ended  func(Participant)
	open   func(pid int) (*os.File, error)
	scans  int // of the list of processes
	looked sync.WaitGroup

	mu     sync.Mutex
	closed bool
	known  map[Participant]*held
	asked  *question // the newest that was not looked at yet
	busy   bool      // a goroutine looks
}

// question is a graph, and those of it to look for.
type question struct{ graph, wanted []Participant }

// held is a participant of this host.
type held struct {
	tries int
	file  *os.File // nil: no process of it is known
}

// New returns a Watch that holds nothing yet.
func New(o Options) *Watch {
	if o.Root == "" {
		o.Root = "/proc"
	}
	return &Watch{host: host{o.Root, o.Domain}, here: o.Host, ended: o.Ended, open: holdProcess,
		known: map[Participant]*held{}}
}

// Look looks for the processes of those participants of the graph that are wanted, on a goroutine of its own. Processes
// of those that have left the graph are let go. It never blocks.
func (w *Watch) Look(graph, wanted []Participant) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	w.asked = &question{slices.Clone(graph), slices.Clone(wanted)}
	if !w.busy {
		w.busy = true
		w.looked.Go(w.run)
	}
}

// Searching reports whether a later Look may find the process of a participant: it is of this host, and it was not
// looked for often enough yet.
func (w *Watch) Searching(p Participant) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	h := w.known[p]
	return p.on(w.here) && (h == nil || h.file == nil && h.tries < triesMost)
}

// Here reports whether the process of a participant was found on this host. It looks for it at once, which takes some
// milliseconds.
func (w *Watch) Here(p Participant, graph []Participant) bool {
	if !p.on(w.here) || !Alone(p, graph) {
		return false
	}
	w.mu.Lock()
	h := w.known[p]
	held := h != nil && h.file != nil
	w.mu.Unlock()
	if held {
		return true
	}
	_, found := w.host.find(p, w.host.candidates(map[uint16]bool{p.pid(): true})[p.pid()])
	return found
}

// Close lets all processes go. Ended is not called after it.
func (w *Watch) Close() {
	w.mu.Lock()
	w.closed = true
	for _, h := range w.known {
		h.letGo()
	}
	w.mu.Unlock()
	w.looked.Wait()
}

func (h *held) letGo() {
	if h.file != nil {
		_ = h.file.Close() // nothing is written to it
	}
}

// run looks until no newer graph was asked for.
func (w *Watch) run() {
	for {
		w.mu.Lock()
		q := w.asked
		w.asked = nil
		if q == nil || w.closed {
			w.busy = false
			w.mu.Unlock()
			return
		}
		search := w.compare(q)
		w.mu.Unlock()
		w.search(search)
	}
}

// compare lets those go that have left the graph or are not certain any more, and returns those to look for. w.mu is
// held.
func (w *Watch) compare(q *question) (search []Participant) {
	for p, h := range w.known {
		if !slices.Contains(q.graph, p) || h.file != nil && !Alone(p, q.graph) {
			h.letGo()
			delete(w.known, p)
		}
	}
	for _, p := range q.wanted {
		if !slices.Contains(q.graph, p) || !p.on(w.here) || !Alone(p, q.graph) {
			continue
		}
		h := w.known[p]
		if h == nil {
			h = &held{}
			w.known[p] = h
		}
		if h.file == nil && h.tries < triesMost {
			h.tries++
			search = append(search, p)
		}
	}
	return search
}

// search goes through the processes of this host once, for all that are looked for.
func (w *Watch) search(list []Participant) {
	if len(list) == 0 {
		return
	}
	wanted := map[uint16]bool{}
	for _, p := range list {
		wanted[p.pid()] = true
	}
	w.scans++
	candidates := w.host.candidates(wanted)
	for _, p := range list {
		id, ok := w.host.find(p, candidates[p.pid()])
		if !ok {
			continue
		}
		switch f, err := w.open(id.pid); {
		case err == nil:
			w.hold(p, id, f)
		case errors.Is(err, syscall.ESRCH): // it was there a moment ago
			w.tell(p)
		}
	}
}

// hold holds a process, if it is still the one that was found. If it has ended since then, its end is reported.
func (w *Watch) hold(p Participant, id identity, f *os.File) {
	again, v := w.host.look(id.pid, p.pid())
	if v != matches || again != id {
		w.looked.Go(func() {
			defer f.Close()
			if (again.started == "" || again.started == id.started) &&
				f.SetReadDeadline(time.Now().Add(dying)) == nil && awaitEnd(f) {
				w.tell(p)
			}
		})
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	h := w.known[p]
	if w.closed || h == nil {
		_ = f.Close() // nothing is written to it
		return
	}
	h.file = f
	w.looked.Go(func() {
		if awaitEnd(f) && w.holds(p, f) {
			w.ended(p)
		}
	})
}

// tell reports that a process has ended before it could be held. It is not looked for again.
func (w *Watch) tell(p Participant) {
	w.mu.Lock()
	h := w.known[p]
	known := !w.closed && h != nil
	if known {
		h.tries = triesMost
	}
	w.mu.Unlock()
	if known {
		w.ended(p)
	}
}

// holds reports whether the process of a participant is still that one.
func (w *Watch) holds(p Participant, f *os.File) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	h := w.known[p]
	return !w.closed && h != nil && h.file == f
}
