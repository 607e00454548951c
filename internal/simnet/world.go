package simnet

import (
	"fmt"
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/latch"
	"rstate/internal/network"
	"rstate/internal/plan"
)

// Range is a time that is drawn anew each time, Min and Max included.
type Range struct{ Min, Max time.Duration }

// Noise is what goes wrong by chance, each a share of 1.
type Noise struct {
	Request, Answer, Event, Double float64 // lost, lost, lost, answered twice
	Slow                           float64 // a message takes up to a hundred times as long
	End                            float64 // a callback does not succeed
	Report                         float64 // a callback reports an error that the node declares
	Arm                            float64 // a request to arm or disarm is refused or not answered
	Lease                          float64 // a message of the lease comes seconds late, or twice, the second time late
}

// Options shape a world beyond its network. The zero value is a quiet one.
type Options struct {
	Seed      uint64
	Name      string            // of the coordinator's node; empty: /rstate
	Scripts   map[string]Script // by the node's name
	Latency   Range             // of one message; zero: 100 µs to 1 ms
	Discovery Range             // from a birth until the graph shows it; zero: 1 to 10 ms
	Notice    time.Duration     // from a death until the graph shows it; zero: 400 ms
	Silent    time.Duration     // what its options say of that; zero: 20 s
	Work      Range             // a callback whose script does not say; zero: none
	Noise     Noise
	Ends      Ends
	Last      string        // the settled state in which the journal ends
	Unsure    bool          // there is no journal at the first start, or it is not whole
	Unheard   latch.Gap     // before the first start; zero: the machine has just booted, and the journal is whole
	Leftovers []Leftover    // nodes that are not of the network, and that the journal says may be armed
	Servers   []string      // nodes of whose arms other processes serve the service
	Listen    engine.Listen // of each start
	Disk      Disk          // of the journal
	Simulated bool          // use_sim_time is true
	NoClock   bool          // nothing is heard of the simulated clock before StartClock
	KillAt    int           // the coordinator dies right after its effect of that number; 0: it does not
	DownFor   time.Duration // after KillAt; zero: 100 ms
	StallAt   int           // the coordinator stands still right after its effect of that number; 0: it does not
	StallArm  int           // or right before so manieth request to arm, or message of the lease
	StallFor  time.Duration // after StallAt, at StallArm
	StallLate bool          // only its loop stands still then, and the process runs
	// how far apart steady clocks may be, the coordinator's anew at each start; zero: not at all
	Apart  time.Duration
	Rest   time.Duration // how long a run goes on after its stories; zero: 3 s
	Limit  time.Duration // when a run ends that does not come to rest; zero: 30 minutes
	Guards int           // so many guards live from the beginning
	Cover  *Coverage     // that counts what happens; nil: nothing is counted
}

// World is one coordinator and its nodes: a run of its own, or one of several in Peers. Nothing of it is safe for
// concurrent use.
type World struct {
	*timeline
	dice
	net           *network.Network
	order         plan.Order
	opt           Options
	nodes         []*node
	former        []*node          // of files before this one
	file          *network.Network // that the next start reads; nil: the same
	files         int              // so many other files were read
	brain         brain
	clock         clock
	disk          disk
	stops         stopTruth
	heldUp        heldUp
	check         checker
	loop          *loop // of the newest life that had one
	stories       []*story
	log           []occurrence
	news          bool // something has happened since stories were told last
	holds         bool // a story has a moment that is a condition, so that time alone may take it further
	trace         *Trace
	leftoverAsked map[string]time.Duration // when nodes that the file does not arm were last asked to disarm
	posted        uint64                   // messages of nodes so far
	// what was said of leases lately, the newest last: a process that comes late may be given it
	latched   []said
	counting  int // so many times counting was begun, paced or ended
	guards    []*guard
	guardless time.Duration // since when none of them lives that hears the coordinator; negative: one does
	shows     int           // so often a snapshot was shown
	peered    bool          // it has heard of a change of a peer
	quiet     time.Duration // since when nothing is to be waited for; negative: something is
	chances   dice          // of the ends of processes: a source of its own
	watching  dice          // of what becomes of the reads of the watch: they change no story by being there
	counters  dice          // of when the counting of topics begins
	firsts    dice          // of what is heard first after a gap
	servings  dice          // of servers of arms
	end       *end          // where it is joined to other worlds; nil: it is alone
}

// New returns a world whose coordinator starts at time zero.
func New(net *network.Network, opt Options) *World { return newWorld(net, opt, &timeline{}) }

func newWorld(net *network.Network, opt Options, line *timeline) *World {
	if opt.Name == "" {
		opt.Name = "/rstate"
	}
	opt.Latency = opt.Latency.or(100*time.Microsecond, time.Millisecond)
	opt.Discovery = opt.Discovery.or(time.Millisecond, 10*time.Millisecond)
	opt.Notice = or(opt.Notice, 400*time.Millisecond)
	opt.DownFor = or(opt.DownFor, 100*time.Millisecond)
	opt.Rest = or(opt.Rest, 3*time.Second)
	opt.Limit = or(opt.Limit, 30*time.Minute)
	w := &World{timeline: line, net: net, order: plan.OrderOf(net), opt: opt, dice: diceOf(opt.Seed, 1),
		trace: &Trace{}, quiet: -1, leftoverAsked: map[string]time.Duration{}}
	w.chances, w.watching, w.counters = diceOf(opt.Seed, 105), diceOf(opt.Seed, 106), diceOf(opt.Seed, 107)
	w.firsts, w.servings = diceOf(opt.Seed, 108), diceOf(opt.Seed, 109)
	w.trace.net = net
	w.trace.lines = make([]moment, 0, 100*len(net.Nodes)) // growing them would take a quarter of a run
	w.trace.Entries = make([]engine.Entry, 0, 20*len(net.Nodes))
	w.clock.runs = !opt.NoClock
	w.check.world, w.check.syncedAt = w, -1
	w.disk = disk{Disk: opt.Disk, world: w}
	for i := range net.Nodes {
		w.nodes = append(w.nodes, w.newNode(i, &net.Nodes[i], opt.Scripts[net.Nodes[i].Name]))
	}
	w.trace.nodes = w.nodes
	w.openButtons()
	w.brain.world, w.brain.armed, w.brain.disarms = w, map[string]bool{}, map[string]engine.Leftover{}
	w.brain.notes = map[string]engine.Noted{}
	for _, l := range opt.Leftovers {
		w.remembers(l)
	}
	w.brain.kills, w.brain.stalls, w.brain.stallArm = opt.KillAt, opt.StallAt, opt.StallArm
	w.queue.push(0, func() { w.brain.start(opt.Last) })
	w.openGuards()
	if opt.Simulated {
		w.queue.push(0, func() { w.useClock(true) })
	}
	return w
}

// Run goes on until the coordinator has exited, or the stories have ended and nothing has been left to wait for a
// while.
func (w *World) Run() *Trace {
	for !w.queue.empty() && !w.brain.broken {
		if w.restful() {
			break
		}
		if w.queue.next() > w.opt.Limit {
			w.check.fault("does not come to rest within %v", w.opt.Limit)
			break
		}
		w.next(w)
	}
	return w.finish()
}

// Do does something at once, and Pass lets time pass: to look at a run step by step, instead of Run.
func (w *World) Do(what Act) {
	w.note("story: %s", describe(what))
	what.act(w)
}

// Pass lets time pass, to look at a run step by step.
func (w *World) Pass(d time.Duration) *Trace {
	until := w.now + d
	for !w.queue.empty() && !w.brain.broken && w.queue.next() <= until {
		w.next(w)
	}
	w.now = until
	return w.trace
}

// Rest compares a network that is at rest with the truth.
func (w *World) Rest() {
	if w.brain.up && w.brain.resting() {
		w.check.atRest(w.brain.state.Snapshot())
	}
}

// Finish ends a run that was looked at step by step.
func (w *World) Finish() *Trace { return w.finish() }

// Now returns the state of the coordinator as it would be shown.
func (w *World) Now() engine.Snapshot { return w.brain.state.Snapshot() }

func (w *World) finish() *Trace {
	w.check.atEnd()
	w.trace.End = w.now
	if w.brain.state != nil {
		w.trace.Last = w.brain.state.Snapshot()
	}
	return w.trace
}

func (w *World) restful() bool {
	if w.brain.gone && w.storiesTold() {
		return true
	}
	if !w.storiesTold() || !w.brain.resting() {
		w.quiet = -1
		return false
	}
	if w.quiet < 0 {
		w.quiet = w.now
	}
	return w.queue.next() > w.quiet+w.opt.Rest
}

func (w *World) send(n *node, r request) {
	defer w.chancesOf(r)()
	r.life = w.brain.life
	if r.kind == 'r' {
		r.loss = n.readLoss(r.watch)
	}
	if r.loss == LoseRequest || w.chance(w.opt.Noise.Request) {
		r.entry.fate("lost")
		return
	}
	procs := n.living()
	if r.kind == 'a' {
		procs = n.takers()
	}
	if len(procs) == 0 {
		r.entry.fate("lost")
	}
	for _, p := range procs {
		at := w.now + w.latency()
		if r.kind != 'a' { // to arm and to disarm are asked on ways of their own
			at = max(at, p.asked)
			p.asked = at
		}
		w.queue.push(at, n.through(func(bool) { p.receive(r) }))
	}
}

// chancesOf draws what becomes of a read of the watch from a source of its own, until what it returns is called.
func (w *World) chancesOf(r request) (end func()) {
	if !r.watch {
		return func() {}
	}
	usual := w.dice
	w.dice = w.watching
	return func() { w.dice = usual }
}

// The ways from a node to the coordinator.
const (
	answers = iota
	reads
	announcements
)

func way(in engine.Input) int {
	switch in.(type) {
	case engine.EventHeard:
		return announcements
	case engine.StateRead:
		return reads
	}
	return answers
}

// post delivers what a process says. Messages overtake each other on different ways, and on one way only where they
// are made late on purpose. The checker learns when it was made and what was true then.
func (w *World) post(p *proc, late time.Duration, in engine.Input) {
	if p.cut || p.node.index == outside && way(in) != answers {
		return
	}
	w.posted++
	said := testimony{p.epoch, w.now, w.posted, p.state}
	n, life := p.node, w.brain.life
	at := w.now + w.latency() + late
	if last := &p.ways[way(in)]; late == 0 || way(in) == announcements {
		at = max(at, *last)
		*last = at
	}
	w.queue.push(at, n.through(func(bool) {
		if life == w.brain.life {
			w.brain.take(letter{in, func() { w.check.evidence(n, said, in) }})
		}
	}))
}

func (w *World) latency() time.Duration { return w.message(w.opt.Latency, w.opt.Noise.Slow) }

// ahead is how much further a steady clock is than the world's own time: whose clock that is has started it some time.
func (w *World) ahead() time.Duration {
	if w.opt.Apart <= 0 {
		return 0
	}
	return time.Duration(w.Int64N(int64(w.opt.Apart)))
}

func (w *World) work(takes time.Duration) time.Duration {
	if takes > 0 {
		return takes
	}
	return w.draw(w.opt.Work)
}

func (w *World) improvise(n *node) (o On) {
	if words := slices.Concat(n.spec.ExceptionStates, n.spec.FatalStates); len(words) > 0 &&
		w.chance(w.opt.Noise.Report) {
		o.Report = words[w.IntN(len(words))]
	}
	if w.chance(w.opt.Noise.End) {
		o.End = []End{Refuse, Err, ErrFatal, Lie, Die, Hang}[w.IntN(6)]
		o.Takes = time.Duration(w.Int64N(int64(2 * time.Second)))
	}
	return o
}

func (w *World) improviseReply() Reply {
	if !w.chance(w.opt.Noise.Arm) {
		return Reply{}
	}
	return []Reply{{No: true}, {Silent: true}, {Mute: true}, {Takes: 3 * time.Second}}[w.IntN(4)]
}

// note keeps a line of what is true, beside what the coordinator hears.
func (w *World) note(format string, args ...any) { w.trace.add(w.now, 'w', line{format, args}) }

type line struct {
	format string
	args   []any
}

func (l line) String() string { return fmt.Sprintf(l.format, l.args...) }

func (r Range) or(lo, hi time.Duration) Range {
	if r == (Range{}) {
		return Range{lo, hi}
	}
	return r
}

func or(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return d
}
