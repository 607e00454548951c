package explore

import (
	"encoding/binary"
	"hash/maphash"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"

	"rstate/internal/machine"
)

// Two worlds are equal if the same follows in both. So the digest of a world has its times relative to now,
// and its numbers of requests by their order. Times that are long past are all the same: nothing of the
// engine looks back for longer than oldAge except what happened then at all.
const oldAge = 30 * time.Second

// sum is the digest of a world. Its seed is another one in each run: of a hundred million worlds two that are
// not equal have the same digest in one run of 3000.
type sum uint64

// How a field is digested: by its type and name, or by its name alone.
var (
	// Fields on which nothing depends: what is fixed, words for people, and counters that only grow.
	skipped = strings.Fields(`
		engine.State.net engine.State.machine engine.State.fixed engine.State.now engine.node.spec engine.checkup.spec
		engine.report.results engine.report.refusal engine.report.failure engine.report.cause
		engine.goals.recent engine.goals.workedAt engine.goals.era engine.then.era engine.then.made engine.goal.blame engine.goal.since
		engine.turn.looks engine.look.looked engine.turn.out engine.turn.number engine.turn.queue
		engine.partResult.evidence engine.parts.results engine.reading.unread
		engine.startup.started engine.startup.foundAt engine.startup.startBy
		lease.Sender.term lease.Sender.seq lease.Sender.heard arming.Node.before grant.Register.why
		mirror.Book.conf mirror.Status.Cause mirror.Status.ProofAge machine.Judge.machine
		explore.world.setup explore.world.story explore.world.verdict explore.world.seq explore.world.turns
		explore.world.same explore.world.dull explore.world.chose explore.world.last explore.world.goals explore.world.now explore.event.seq explore.event.turn explore.event.tick explore.parcel.n explore.link.got
		explore.side.file explore.side.shown explore.side.spins explore.node.spec
		explore.truth.lines explore.truth.line explore.truth.stop explore.truth.same explore.truth.repeats explore.judge.second explore.judge.spins explore.judge.orders explore.judge.stopAt`)
	// Numbers of requests and the like, of which only the order counts.
	numbered = strings.Fields("ticket call Call Ticket id number Number arm void newest answered Latest order era ended born clear")
	// Of these, those that are compared with each other only.
	eras, orders = []string{"era", "ended"}, []string{"order"}
	// Moments until which something holds: those that are past are all the same.
	untils = strings.Fields(`leaseAt leaseEnds othersEnd goneBy until by next lateBy drainedAt holdUntil checkBy peersBy
		writeBy doubtBy peerWake ends arming`)
	// Moments after which something is due soon: those that are long past are all the same.
	brief = strings.Fields(`ledger.at ledger.armAt request.at Node.roused Node.vouched Node.since Node.lowered part.since fresh.readSince
		reading.polled probing.last probing.heard Book.madeAt goals.settledAt node.armSent node.disarmSent node.readSent
		node.proved node.armedSince side.since side.awake truth.started calls.sent deadline.at link.heard leaseSaid.proved
		leaseSaid.before leaseSaid.at part.at`)
)

const briefly = 2500 * time.Millisecond

// hasher collects what is digested.
type hasher struct {
	now    time.Duration
	near   time.Duration // times that are further away than this are all the same; 0: none is
	b      []byte
	walked int // instances that were digested
	scope  int // of numbers: of which instance they are; 0: of none
	ids    []id
	sorted []id
}

// id is a number of which only its order among those of its sort counts: the sort, and in the lower bits the number.
type id uint64

const idBits = 56

func newID(sort int, n uint64) id { return id(sort)<<idBits | id(n&(1<<idBits-1)) }

func (i id) n() uint64 { return uint64(i) & (1<<idBits - 1) }

// The sorts of numbers are four for what belongs to no instance, four for each instance, and then those of messages.
const (
	sortsEach   = 4
	sortMessage = 3 * sortsEach
)

var hashers = sync.Pool{New: func() any { return &hasher{} }}

func (h *hasher) word(v uint64) { h.b = binary.LittleEndian.AppendUint64(h.b, v) }

func (h *hasher) time(d, old time.Duration) {
	if h.near > 0 {
		old = min(old, h.near)
	}
	switch {
	case d <= 0:
		h.word(uint64(d))
	case h.near > 0 && d-h.now > h.near:
		h.word(1 << 60)
	case h.now-d > old:
		h.word(1 << 62)
	default:
		h.word(1<<61 ^ uint64(d-h.now))
	}
}

func (h *hasher) text(s string) {
	h.word(uint64(len(s)))
	h.b = append(h.b, s...)
}

var seed = maphash.MakeSeed()

func (h *hasher) sum() sum {
	h.sorted = h.sorted[:0]
	for _, one := range h.ids {
		if one.n() != 0 {
			h.sorted = append(h.sorted, one)
		}
	}
	slices.Sort(h.sorted)
	sorted := slices.Compact(h.sorted)
	for _, one := range h.ids {
		rank := 0 // of 0, which is no number
		if one.n() != 0 {
			rank, _ = slices.BinarySearch(sorted, one)
			rank++
		}
		h.word(uint64(one)>>idBits<<idBits | uint64(rank))
	}
	return sum(maphash.Bytes(seed, h.b))
}

// walker digests a value of one type.
type walker func(h *hasher, p unsafe.Pointer)

var (
	walkers  = map[reflect.Type]walker{}
	compiles sync.Mutex
)

var (
	durationType = reflect.TypeFor[time.Duration]()
	timeType     = reflect.TypeFor[time.Time]()
)

// digest returns the digest of a world. Which messages were just sent counts only if they may still deviate.
func (w *world) digest(deviates bool) sum { return w.digestNear(deviates, 0) }

// digestNear is digest without a difference between times that are further away than near.
func (w *world) digestNear(deviates bool, near time.Duration) sum {
	h := hashers.Get().(*hasher)
	defer hashers.Put(h)
	h.now, h.near, h.scope, h.walked, h.b, h.ids = w.now, near, 0, 0, h.b[:0], h.ids[:0]
	worldWalker()(h, unsafe.Pointer(w))
	for k := range w.goals {
		if g := &w.goals[k]; g.open() {
			h.text(g.handle)
			h.word(uint64(g.side)<<8 | uint64(g.answers))
		}
	}
	for from := range w.sides {
		for topic := range w.sides[from].said {
			h.messages(w, from, topic)
		}
	}
	for k := range w.queue {
		if deviates && w.queue[k].turn == w.turns {
			h.word(uint64(k))
		}
	}
	return h.sum()
}

// messages digests the order of the messages of one topic: those that are under way, the newest that arrived, and the
// newest that was sent.
func (h *hasher) messages(w *world, from, topic int) {
	sort := sortMessage + 2*from + topic
	h.ids = append(h.ids, newID(sort, w.links[other(from)].got[topic]), newID(sort, w.sides[from].said[topic].n))
	for k := range w.queue {
		if e := &w.queue[k]; e.kind == evMessage && e.side == from && e.topic == topic {
			h.ids = append(h.ids, newID(sort, e.tick))
		}
	}
}

var worldWalker = sync.OnceValue(func() walker { return lockedWalkerOf(reflect.TypeFor[world]()) })

// lockedWalkerOf is walkerOf for those who do not compile.
func lockedWalkerOf(t reflect.Type) walker {
	compiles.Lock()
	defer compiles.Unlock()
	return walkerOf(t)
}

// walkerOf compiles the walker of a type, once. What is compiled may contain itself.
func walkerOf(t reflect.Type) walker {
	if w, ok := walkers[t]; ok {
		return w
	}
	var real walker
	walkers[t] = func(h *hasher, p unsafe.Pointer) { real(h, p) }
	real = compile(t)
	walkers[t] = real
	return real
}

func compile(t reflect.Type) walker {
	switch {
	case t == durationType:
		return func(h *hasher, p unsafe.Pointer) { h.time(*(*time.Duration)(p), oldAge) }
	case t == timeType:
		return func(*hasher, unsafe.Pointer) {}
	case t.String() == "machine.Judge":
		return func(h *hasher, p unsafe.Pointer) { h.text((*machine.Judge)(p).State()) }
	case t.String() == "engine.wakes":
		return compileWakes(t)
	case t.String() == "engine.phase":
		return func(h *hasher, p unsafe.Pointer) { h.word(uint64(uintptr(p))) }
	}
	switch t.Kind() {
	case reflect.Struct:
		return compileStruct(t)
	case reflect.Pointer:
		return compilePointer(t)
	case reflect.Slice:
		return compileSlice(t)
	case reflect.Array:
		return compileArray(t)
	case reflect.String:
		return func(h *hasher, p unsafe.Pointer) { h.text(*(*string)(p)) }
	case reflect.Interface:
		return compileInterface(t)
	case reflect.Map, reflect.Func, reflect.Chan:
		panic("explore: nothing is known of " + t.String())
	}
	return compilePlain(t)
}

func compilePlain(t reflect.Type) walker {
	switch t.Size() {
	case 1:
		return func(h *hasher, p unsafe.Pointer) { h.b = append(h.b, *(*byte)(p)) }
	case 2:
		return func(h *hasher, p unsafe.Pointer) { h.word(uint64(*(*uint16)(p))) }
	case 4:
		return func(h *hasher, p unsafe.Pointer) { h.word(uint64(*(*uint32)(p))) }
	}
	return func(h *hasher, p unsafe.Pointer) { h.word(*(*uint64)(p)) }
}

func compileStruct(t reflect.Type) walker {
	var parts []part
	for i := range t.NumField() {
		f := t.Field(i)
		if slices.Contains(skipped, t.String()+"."+f.Name) {
			continue
		}
		one := compileField(t, f)
		if k := len(parts) - 1; k >= 0 && one.plain > 0 && parts[k].plain > 0 && parts[k].at+parts[k].plain == one.at {
			parts[k].plain += one.plain
			continue
		}
		parts = append(parts, one)
	}
	walk := func(h *hasher, p unsafe.Pointer) {
		for k := range parts {
			if part := &parts[k]; part.plain > 0 {
				h.b = append(h.b, unsafe.Slice((*byte)(unsafe.Add(p, part.at)), part.plain)...)
			} else {
				part.walk(h, unsafe.Add(p, part.at))
			}
		}
	}
	scope := scopeOf(t)
	if scope == nil {
		return walk
	}
	return func(h *hasher, p unsafe.Pointer) {
		was := h.scope
		h.scope = scope(h, p)
		walk(h, p)
		h.scope = was
	}
}

// part is how a field is digested, or several plain ones side by side.
type part struct {
	at    uintptr
	plain uintptr // how many bytes are digested as they are; 0: walk does it
	walk  walker
}

func compileField(t reflect.Type, f reflect.StructField) part {
	one := part{at: f.Offset}
	old, known := ageOf(t, f)
	switch kind := f.Type.Kind(); {
	case kind == reflect.Uint64 && slices.Contains(numbered, f.Name) && !strings.HasPrefix(t.String(), "mirror."):
		sort := sortOf(f.Name)
		one.walk = func(h *hasher, p unsafe.Pointer) {
			h.ids = append(h.ids, newID(h.scope*sortsEach+sort, *(*uint64)(p)))
		}
	case known && f.Type == durationType:
		one.walk = func(h *hasher, p unsafe.Pointer) { h.time(*(*time.Duration)(p), old) }
	case t.String()+"."+f.Name == "mirror.Peer.clock":
		exact := walkerOf(f.Type)
		one.walk = func(h *hasher, p unsafe.Pointer) {
			if h.near == 0 { // it collects how long messages took
				exact(h, p)
			}
		}
	case f.Type != durationType && kind >= reflect.Bool && kind <= reflect.Float64:
		one.plain = f.Type.Size()
	default:
		one.walk = walkerOf(f.Type)
	}
	return one
}

// sortOf is the sort of a field with a number.
func sortOf(name string) int {
	switch {
	case slices.Contains(eras, name):
		return 1
	case slices.Contains(orders, name):
		return 2
	}
	return 0
}

// scopeOf says to which instance the numbers in a value belong; nil: to that of the value around it.
func scopeOf(t reflect.Type) func(h *hasher, p unsafe.Pointer) int {
	switch t {
	case reflect.TypeFor[event]():
		return func(_ *hasher, p unsafe.Pointer) int { return (*event)(p).side + 1 }
	case reflect.TypeFor[side]():
		return func(h *hasher, _ unsafe.Pointer) int { h.walked++; return h.walked }
	}
	return nil
}

// ageOf is the age beyond which moments in a field are all the same.
func ageOf(t reflect.Type, f reflect.StructField) (time.Duration, bool) {
	switch {
	case slices.Contains(untils, f.Name):
		return -1, true
	case slices.Contains(brief, t.Name()+"."+f.Name):
		return briefly, true
	}
	return 0, false
}

func compilePointer(t reflect.Type) walker {
	walk := walkerOf(t.Elem())
	return func(h *hasher, p unsafe.Pointer) {
		to := *(*unsafe.Pointer)(p)
		if to == nil {
			h.b = append(h.b, 0)
			return
		}
		h.b = append(h.b, 1)
		walk(h, to)
	}
}

type header struct {
	data unsafe.Pointer
	len  int
	cap  int
}

func compileSlice(t reflect.Type) walker {
	walk, size := walkerOf(t.Elem()), t.Elem().Size()
	return func(h *hasher, p unsafe.Pointer) {
		s := (*header)(p)
		h.word(uint64(s.len))
		for i := range s.len {
			walk(h, unsafe.Add(s.data, uintptr(i)*size))
		}
	}
}

func compileArray(t reflect.Type) walker {
	walk, size := walkerOf(t.Elem()), t.Elem().Size()
	return func(h *hasher, p unsafe.Pointer) {
		for i := range t.Len() {
			walk(h, unsafe.Add(p, uintptr(i)*size))
		}
	}
}

// compileWakes digests a heap, whose order says nothing, and in which what is past comes next.
func compileWakes(t reflect.Type) walker {
	walk, size := walkerOf(t.Elem()), t.Elem().Size()
	return func(h *hasher, p unsafe.Pointer) {
		s, begin := (*header)(p), len(h.b)
		var ends []string
		for i := range s.len {
			from := len(h.b)
			walk(h, unsafe.Add(s.data, uintptr(i)*size))
			ends = append(ends, string(h.b[from:]))
		}
		slices.Sort(ends)
		h.b = h.b[:begin]
		for _, e := range slices.Compact(ends) {
			h.b = append(h.b, e...)
		}
	}
}

var insides sync.Map // the walkers of what is in interfaces

func insideOf(t reflect.Type) walker {
	if w, ok := insides.Load(t); ok {
		return w.(walker)
	}
	w, _ := insides.LoadOrStore(t, lockedWalkerOf(t))
	return w.(walker)
}

// compileInterface digests the value in an interface: inputs and effects, which are plain values.
func compileInterface(t reflect.Type) walker {
	return func(h *hasher, p unsafe.Pointer) {
		v := reflect.NewAt(t, p).Elem()
		if v.IsNil() {
			h.b = append(h.b, 0)
			return
		}
		v = v.Elem()
		h.text(v.Type().String())
		c := reflect.New(v.Type())
		c.Elem().Set(v)
		insideOf(v.Type())(h, c.UnsafePointer())
	}
}
