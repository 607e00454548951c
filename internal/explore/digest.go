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
		engine.standing.facts engine.holding.facts engine.peering.facts engine.looping.facts engine.agenda.now engine.node.spec engine.checkup.spec engine.checkup.passes engine.checkup.known engine.checkup.value engine.roster.valuesAt
		stopinput.Input.Silent
		engine.work.entered
		engine.report.results engine.report.refusal engine.report.failure engine.report.cause
		engine.goals.recent engine.goals.workedAt engine.goals.era engine.then.era engine.then.made engine.goal.blame engine.goal.since
		engine.roster.looks engine.look.looked engine.agenda.out engine.agenda.number engine.roster.queue
		engine.partResult.evidence engine.parts.results engine.reading.unread
		engine.startup.started engine.startup.foundAt engine.startup.startBy
		lease.Sender.term lease.Sender.seq lease.Sender.heard arming.Node.before grant.Register.why grant.Register.at grant.Register.clocks
		mirror.Book.conf mirror.Status.Cause mirror.Status.ProofAge
		explore.world.setup explore.side.saw explore.event.told explore.parcel.told explore.truth.told explore.truth.left explore.truth.shown
		lease.Receiver.lapses explore.proc.lapses explore.world.story explore.world.verdict explore.world.seq explore.world.turns
		explore.world.same explore.world.newest explore.world.dull explore.world.chose explore.world.last explore.world.goals explore.world.now explore.event.seq explore.event.turn explore.event.tick explore.parcel.n explore.link.got
		explore.side.file explore.side.shown explore.side.spins explore.node.spec
		explore.truth.lines explore.truth.line explore.truth.stop explore.truth.same explore.truth.repeats explore.judge.second explore.judge.spins explore.judge.orders explore.judge.stopAt`)
	// Numbers of requests and the like, of which only the order counts.
	numbered = strings.Fields("ticket call Call Ticket id number Number arm void newest answered Latest order era ended born clear term seq Term Seq")
	// Of these, those that are compared with each other only.
	eras, orders, terms, seqs = []string{"era", "ended"}, []string{"order"}, []string{"term", "Term"}, []string{"seq", "Seq"}
	// Lengths of time: they are no moments.
	lengths = strings.Fields("Message.Valid way.took")
	// Moments until which something holds: those that are past are all the same.
	untils = strings.Fields(`leaseAt leaseEnds othersEnd goneBy until by next lateBy drainedAt stayBy holdUntil checkBy peersBy readBy wake
		writeBy doubtBy peerWake ends arming leaseTill`)
	// Moments after which something is due soon: those that are long past are all the same.
	brief = strings.Fields(`ledger.at ledger.armAt request.at Node.roused Node.vouched Node.since Node.lowered part.since fresh.readSince
		reading.polled probing.last probing.heard Book.madeAt peering.made goals.settledAt node.armSent node.disarmSent node.readSent
		node.proved node.armedSince side.since side.news side.awake truth.started calls.sent deadline.at link.heard leaseSaid.proved
		leaseSaid.before leaseSaid.at part.at guarding.leaseFrom sent.at`)
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
	ends   []uint64 // digests of the wakes of an agenda
}

// id is a number of which only its order among those of its sort counts: the sort, and in the lower bits the number.
type id uint64

const idBits = 56

func newID(sort int, n uint64) id { return id(sort)<<idBits | id(n&(1<<idBits-1)) }

func (i id) n() uint64 { return uint64(i) & (1<<idBits - 1) }

// The sorts of numbers are five for what belongs to no instance, five for each instance, and then those of messages.
const (
	sortsEach   = 5
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
			h.waiting(w, g)
		}
	}
	for i := range w.sides {
		h.word(flags(w.sides[i].saw == w.sides[i].shown.Seen))
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

// waiting digests what becomes of a goal whose request has not arrived.
func (h *hasher) waiting(w *world, g *goal) {
	if g.arrived {
		return
	}
	h.word(flags(g.seen == w.sides[g.side].shown.Seen, w.judge.sides[g.side].outdated(g)))
	if len(w.sides) == 2 {
		from := other(g.side)
		said := &w.sides[from].said
		h.word(flags(g.number < w.judge.sides[from].told, g.number < said[changes].told, g.number < said[statuses].told))
	}
	h.time(g.decided, oldAge)
}

func flags(list ...bool) (v uint64) {
	for k, yes := range list {
		if yes {
			v |= 1 << k
		}
	}
	return v
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
