package engine

import (
	"slices"
	"strings"
	"time"

	"rstate/internal/engine/arming"
	"rstate/internal/engine/belief"
	"rstate/internal/lease"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/mirror"
	"rstate/internal/network"
	"rstate/internal/plan"
	"rstate/internal/stepper"
)

// Times that the rules name. All count the steady clock.
const (
	readEvery = time.Second // between two reads of a node that owes an answer
	freshFor  = time.Second // the greatest age of a read on which a request is based
	// An announcement is about to follow an answer; after this the engine reads.
	confirmIn = 5 * time.Millisecond
	// Longest wait for the announcements that tell an error from a refusal.
	reasonIn = time.Second / 10
	// The same for a node that has announced the beginning of the step.
	startedIn = time.Second
	// Pause before a node is asked again for a step that it has refused.
	retryIn     = time.Second / 2
	disarmEvery = arming.Every    // between two disarms of a node that does not confirm
	disarmHold  = time.Second     // longest time that a late disarm holds what comes after it
	lingerFinal = time.Second     // how long finalized is shown before the instance ends
	exitDisarm  = 2 * time.Second // for disarms to be confirmed when the process is to end
	exitInFull  = 4 * time.Second // for a shutdown when the process is to end
	// Longest time that a start only reads, if Options do not say otherwise.
	firstWrite  = 3 * time.Second
	journalWait = time.Second // longest time that arming waits for the journal
)

// Options is the input of an instance's start, besides the network.
type Options struct {
	Instance string // new at each start; a later start has a greater id
	Name     string // the full name of its node
	Listen   Listen
	Last     string // the settled state in which the journal ends; empty: there is none
	// Why Last does not hold the state in which the journal ends; empty: it does, or there is none.
	NotLast string
	// Nodes that the journal says may be armed, and that the network does not arm by the same call.
	Left  []Left
	Noted []string // nodes of this network that the journal says may be armed
}

// Listen is how long a start only reads: until every node has been read, but within these bounds.
type Listen struct {
	// From the moment when the last node was found, so that others have time to appear.
	Least time.Duration
	Most  time.Duration // 0: 3 s
}

// State is the believed state of an instance. Only Step changes it; it is not safe for concurrent
// use.
type State struct {
	net     *network.Network
	machine *machine.Machine
	fixed   fixed
	judge   *machine.Judge // the state of the network, and what is legal in it
	now     Time
	clock   nodeClock
	turn    turn

	nodes   []node
	settled string // the last state that was not passing; empty until the start is over
	work    *work  // the running work; nil at rest
	goals   goals
	name    naming
	startup startup
	peers   peering
	hold    holding
	gap     gap
	disk    disk
	report  report
	closing closing
	loop    looping
}

// fixed is what does not change while the instance lives.
type fixed struct {
	order   plan.Order
	opt     Options
	names   []string // of the nodes
	armable []int    // those that can be armed
	checked []int    // those that have checks, or something unsafe
}

// turn is the agenda of Step: which nodes to look at, when to look again, and which effects leave.
type turn struct {
	queue  []int // nodes that may have something to do
	ending []int // nodes with a process that may have ended
	wakes  wakes
	looks  uint64 // at the order
	number uint64 // of the last ticket or call
	out    []Effect
	reacts reaction

	listening bool // the topics of checks are being counted
}

// reaction is a command that the machine runs without a client.
type reaction struct {
	do       string // empty: none
	in       string // the state in which the event came
	why      string
	expected bool // nothing went wrong
}

// startup is the progress of the start.
type startup struct {
	started time.Time
	startBy time.Duration // until when a start waits for nodes
	foundAt time.Duration // when the newest node was found
	// End of reading only, unless the start has to wait for an instance of the same name.
	writeBy time.Duration
	writes  bool // the engine may send requests to nodes
	named   bool // this instance holds the name
	begun   bool
}

// peering is what peers reported, and what this instance told them.
type peering struct {
	book      *mirror.Book
	told      mirror.Status // newest status told to peers
	untold    bool          // the status may have changed
	behindWhy string        // why this instance is not in the common target
	newest    string        // newest change and its maker, for a goal that it supersedes
	peerWake  time.Duration // newest moment asked for because of peers
	awaiting  []*waiting    // goals that are done here, and stay open for peers
}

// holding is the arm lease, and leases that other runs may hold.
type holding struct {
	lease     lease.Sender
	leaseAt   time.Duration // when its next message is due
	leaseEnds time.Duration // when the newest message has run out everywhere
	leased    leaseSaid     // its newest message
	leftovers []leftover
	// When every lease of an earlier run, or of another instance of the name, has run out.
	othersEnd time.Duration
}

// gap describes times in which the process or the loop did not run.
type gap struct {
	stall       string        // the newest stall, until the nodes have been read after it
	newestStall string        // its description; drainedAt is after its end
	keeps       []kept        // goals that wait for the reads
	drainedAt   time.Duration // until then goals count as sent before the end of a stall
	uncounted   time.Duration // how long the loop was late, which this clock omits
	lateBy      time.Duration // until then an input may be from the time in which the loop was late
}

// disk is what is known of the journal.
type disk struct {
	journal     string // why it cannot be written; empty: it can, as far as is known
	syncing     syncing
	fingerprint string // of the network; see meaning
}

// report is what snapshots show besides the nodes.
type report struct {
	results []NodeResult // of the last work, by node
	refusal Refusal      // the newest, unless a goal was accepted since
	failure Failure      // the newest, unless a goal that was begun later has succeeded
	cause   string       // of the last change
	console string       // why the log cannot be read any more; empty: it can
	shown   string       // the network's state in the last Show
	unseen  bool         // a command ran without a passing state in the last Show
	changed bool         // a snapshot would differ
}

// closing is how the instance ends.
type closing struct {
	stop  *stopping
	ended *ending // set in a final state
	gone  bool    // Exit was sent
}

// node is what the engine believes of one node, and the requests to it.
type node struct {
	spec  *network.Node
	count int
	epoch uint64

	state lifecycle.State
	at    time.Duration // time of the newest evidence for state
	proof time.Duration // when the newest answered read was sent
	// State was read or announced after the last request; else only an answer claims it.
	firm    bool
	doubted time.Duration // since when it is not firm while no request is open

	call     *belief.Call
	calls    calls
	reading  reading
	arm      arming.Node
	checks   []checkup // as in spec
	unsafe   []string  // unsafe names that it offers now
	bare     bool      // it began to offer them after its disarm was sent
	part     part
	place    place
	absence  absence
	relation relation
	look     look
}

// calls is what the engine asked of a process before the call in flight.
type calls struct {
	sent    time.Duration  // when the last change_state was sent
	asked   bool           // sent is valid
	closed  *belief.Call   // last call that reported success; later messages about it are no news
	newest  *belief.Call   // newest call, whatever its end
	unheard belief.Unheard // earlier calls whose end was not announced yet
}

// reading is how the engine reads the state of a node.
type reading struct {
	reads     []read
	polled    time.Duration // when the newest read was sent
	unread    int           // unanswered reads of this process, if none was answered yet
	several   time.Duration // since when its number of endpoints is what it is
	answered  uint64        // newest answered read
	allAnswer bool          // since then, more than one endpoint answered the same read
	probing   probing
	monitor   monitor
	reported  reported
}

// reported is the sub-state that the present process of a node has reported (S6).
type reported struct {
	word    string        // empty: none
	count   int           // how often in a row
	made    time.Duration // when it was published last
	strange []string      // undeclared words that were recorded
	since   time.Duration // when the present reportTime began
	lines   int           // recorded in it
	omitted int           // not recorded since the last line
}

// place is whether a node is as the settled state says, and how it is repaired.
type place struct {
	deviant string // why it is not as the settled state says; empty: it is
	// Armed when the network settled; an optional node that was not may stay disarmed.
	wasArmed bool
	noted    bool // the journal says that it may be armed
	repairs  repairs
}

// absence is why a node is absent, and which of its endpoints the graph still shows.
type absence struct {
	lost      string // why it is absent
	lostAt    time.Duration
	alike     []string // present nodes with a similar name, if it never appeared
	endpoints endpoints
}

// relation is that of a node to other instances of rstate.
type relation struct {
	// Why this instance must not drive the network that the node is; for the process childOf.
	child   string
	childOf uint64
	tellBy  time.Duration // until then a start waits for the node to report what it drives
	driver  string        // a peer that drives it too
}

// look is whether the engine has to look at a node.
type look struct {
	queued bool
	looked uint64 // the last look at the order that came by
}

func (n *node) there() bool { return n.count > 0 }

// readable reports whether the node is alone, and known to be in a primary state.
func (n *node) readable() bool { return n.count == 1 && n.firm && n.state.Primary() }

type read struct {
	ticket uint64
	sent   time.Duration
	watch  bool // S5: it is no proof
}

// named lists the names of the nodes that are so.
func (s *State) named(so func(*node) bool) []string {
	var names []string
	for i := range s.nodes {
		if so(&s.nodes[i]) {
			names = append(names, s.nodes[i].spec.Name)
		}
	}
	return names
}

// touch marks node i for a look.
func (s *State) touch(i int) {
	if !s.nodes[i].look.queued {
		s.nodes[i].look.queued = true
		s.turn.queue = append(s.turn.queue, i)
	}
}

// touchAround marks the nodes that wait for node i.
func (s *State) touchAround(i int) {
	for _, j := range s.fixed.order.Before[i] {
		s.touch(j)
	}
	s.turn.looks++
	s.touchBelow(i)
}

// touchBelow marks the nodes below node i, through those that do not hold back what is below them;
// see heldFromAbove.
func (s *State) touchBelow(i int) {
	for _, j := range s.fixed.order.After[i] {
		s.touch(j)
		if n := &s.nodes[j]; n.look.looked != s.turn.looks && (!n.there() || s.work != nil && n.part.open() && !s.goesDown(j)) {
			n.look.looked = s.turn.looks
			s.touchBelow(j)
		}
	}
}

func (s *State) touchAll() {
	for i := range s.nodes {
		s.touch(i)
	}
}

func (s *State) do(e Effect) { s.turn.out = append(s.turn.out, e) }

func (s *State) next() uint64 {
	s.turn.number++
	return s.turn.number
}

const (
	partNone    partStatus = iota // no part in the work
	partWaiting                   // waits for the nodes before it, or for its first fresh read
	partWorking                   // its steps run
	partDone                      // in its target, as far as is known
	partGivenUp                   // absent, and no longer waited for
)

// partStatus is the progress of a part.
type partStatus uint8

// part is one node's part of the running work: its target and its result.
type part struct {
	status    partStatus
	wants     bool // has to reach want; else only its arming matters
	want      lifecycle.State
	eased     bool  // unconfigured counts as inactive, which is wanted
	arm       bool  // to be armed once every node is in its target
	disarm    bool  // to be disarmed before anything else
	fresh     fresh // arming needs a fresh read
	down      bool  // its steps lower the node
	started   bool  // its turn has come
	stepped   bool  // a request was sent to its node
	since     time.Duration
	deadline  deadline
	short     bool // it ends below want, at its ceiling
	again     again
	replaced  bool         // its process is not the one on which the part worked
	misjudged bool         // it refused a step because its state was not the believed one
	refused   *belief.Call // refused call; the read of the node's present state is open
	sure      bool         // a read or event after our last request agrees
	passed    bool         // its node was lost before, so the part has ended without it
	result    partResult
}

// again is what makes a node get the same step again.
type again struct {
	redone bool          // it left the target once and got the step again
	tries  int           // how often it has refused the present step and is asked again
	at     time.Duration // when the next of these requests is due
	hollow int           // how often it answered yes to a step and was found where the step begins
}

// fresh is whether old reads of a node count.
type fresh struct {
	anew      bool          // only reads after readSince count
	readSince time.Duration // those from before then
	reread    bool          // read again because the reads of all nodes took so long
}

// partResult is the result of a part.
type partResult struct {
	did      string // last step asked of the node
	verdict  Verdict
	evidence string
}

// absent reports whether the part ended because its node was absent.
func (r *partResult) absent() bool { return r.verdict == VerdictGone || r.verdict == VerdictSkipped }

func (l *part) open() bool { return l.status == partWaiting || l.status == partWorking }

// goal is a request of a client that waits for its end. It may take several transitions.
type goal struct {
	handles []string // of its clients, the first one first
	waiters []string // those of them that wait for peers too
	ids     []string // the ids under which clients sent it
	asked   string   // as the client wrote it
	name    string   // the command or state that it names, as the machine spells it
	isState bool     // name is a state
	reason  string
	span    stepper.Span // its argument
	by      Origin
	who     string // the client that asked
	from    string // the settled state in which it was accepted
	since   time.Duration
	path    []string     // the next commands
	kept    bool         // a sync of the journal was requested for the path
	rests   bool         // cancelled during the disarm of its way down: it ends after that disarm
	fault   string       // what failed on its way down without stopping it
	failed  string       // what failed before the command that runs now; the goal ends as aborted, however that command ends
	blame   []NodeResult // results that made it fail
	result  Result
	ending  Ending
	ended   bool
	then    then
}

// then is the network when the work of a goal was done. It decides how long the goal's result
// describes the network.
type then struct {
	made    uint64 // number of changes of this instance when the goal was accepted
	done    bool
	era     uint64
	armed   bool
	deviant []string // nodes that were not as the state says
	lived   []string // peers alive when its newest change was made, or else when its work was done
}

type goals struct {
	open    []*goal
	recent  []*goal      // the newest last
	pending []disarmGoal // disarm goals that wait for disarms of other work
	era     uint64       // counts how often the network has left a state, or settled in one

	settledAt time.Duration // when the network settled last
}

// id is the first id under which the goal was sent; empty: it has none.
func (g *goal) id() string {
	if len(g.ids) == 0 {
		return ""
	}
	return g.ids[0]
}

// follows names the goal's next commands.
func (g *goal) follows() string { return strings.Join(g.path, ", ") }

// work is one running transition, and its recovery if it fails or is cancelled.
type work struct {
	phase     *phase
	command   string // empty: started without a command
	origin    string // the settled state in which it began
	target    string // the state in which the command ends
	through   string // the state to which the nodes go down first; empty: straight to the target
	goal      *goal  // nil: no client waits for it
	by        Origin // what began it, whichever client waits now
	since     time.Duration
	lowers    bool   // the command lowers
	oneWay    bool   // a disarming that cannot turn back
	turned    bool   // a disarming that turned back before
	canceled  bool   // a client cancelled it
	takenBack bool   // and its calls in flight are awaited
	why       string // what began it without a command, and what failed it
	arms      bool   // target arms, and so does the way there
	waits     bool   // for the end of a step of the loop, before any node moves
	arm       armament
	news      news
	parts     parts
	fault     fault
}

// armament is the conditions before the first node is asked to arm.
type armament struct {
	ahead   int           // arm steps that follow the proof
	proven  bool          // every node was read anew and is in its target, and every check passes
	judged  bool          // checks were judged
	checkBy time.Duration // until then checks are awaited
	peersBy time.Duration // until then required peers are awaited
	ticket  uint64        // of the awaited sync of the journal; 0: none
	unsafe  string        // why the journal is not safe on the disk
}

// news is what peers learn of the work, and whose change it follows.
type news struct {
	event   string // the command as published; empty: there was none
	said    string // published target; empty: not published
	from    string // peer whose change this follows; empty: it is our own
	task    uint64 // task that it follows
	silent  bool   // publishes nothing on the lifecycle topic
	ours    bool   // counts as a command although no goal waits for it: the loop brought it about
	catches bool   // catches up with changes that this instance missed
}

// parts is the progress of all parts.
type parts struct {
	began     []beginning
	only      []bool // nodes with a part in it, if not all have
	open      int    // parts that have not ended
	unsure    int    // parts that only the node's answer calls done
	disarming int    // parts that wait for a disarm
	holdUntil time.Duration
	results   []NodeResult // newest result, by node
	did       []bool
	total     int
}

// fault is what failed, for recovery and the result.
type fault struct {
	asked    bool           // a request other than reads and checks was sent
	passes   bool           // a node that fails is tried once and passed over
	after    machine.Failed // how the network goes on after a rollback that is no error processing
	spared   bool           // nothing was asked when it failed or was cancelled, so no node is lowered for it
	failing  bool
	failed   []int
	blame    []NodeResult  // results that failed the command, before recovery changed them
	failedAt time.Duration // when the rollback began
	back     string        // first target of the rollback; empty: there was none
	suspects []int         // required nodes that made a lowering fail
	resorted bool          // the network ends although the command leads elsewhere
}

// beginning is the state of a node when a transition began.
type beginning struct {
	there  bool
	silent bool // known to be lost, with an endpoint left
	firm   bool // else the first read replaces state
	state  lifecycle.State
}

// found notes the state of a node when the work began, if only a claim was known then.
func (w *work) found(i int, n *node) {
	if b := &w.parts.began[i]; b.there && !b.firm && n.state.Primary() && (!n.calls.asked || n.calls.sent <= w.since) {
		b.firm, b.state = true, n.state
	}
}

// foundIn returns the state in which the work found node i.
func (w *work) foundIn(i int) lifecycle.State {
	if b := w.parts.began[i]; b.there && b.state.Primary() {
		return b.state
	}
	return lifecycle.Unknown
}

// done counts the steps that have ended.
func (w *work) done() int { return w.parts.total - w.parts.open - w.arm.ahead }

func (w *work) proves() bool { return w.arms && w.phase.mayArm }

func (w *work) fail(i int) {
	w.fault.failing = true
	if !slices.Contains(w.fault.failed, i) {
		w.fault.failed = append(w.fault.failed, i)
	}
}

// checkup is what is known of one check.
type checkup struct {
	spec *network.Check
	// of topics:
	meter meter
	// of services:
	ticket   uint64        // of the newest request
	sent     time.Duration // when it was sent
	open     bool          // it has no answer yet
	asked    bool          // one was sent since checks matter
	answered bool          // one was answered since they repeat
	fault    string        // fault in the newest answer
}

// leaseSaid is the newest message of the present term, and the one before it.
type leaseSaid struct {
	proved, before time.Duration
	at             time.Duration // when the newest was sent
	said, saidTwo  bool
	unsent         bool // a newer message waits for the middleware
}

// probing is the state of the probes of one node.
type probing struct {
	last   time.Duration // when the newest probe was sent
	heard  time.Duration // when anything was heard from the process
	missed int           // failed probes in a row
	left   int           // missed when the node was declared lost; 0: it is not
}

type count struct {
	at time.Duration
	n  uint64
}

// meter measures the rate of one topic, on the clock of the node's deadlines (except heard).
type meter struct {
	rate float64 // required rate, Hz
	// The first is at the beginning of the window, or before it if the window is full.
	kept  []count
	last  count         // the newest
	heard time.Duration // when the newest came, on the steady clock
	fault string        // why counting is impossible
}

// endpoints is what is known of a node's endpoints in the graph, and of the ends of their processes.
type endpoints struct {
	epochs []uint64 // of the endpoints in the graph; empty: they cannot be told apart
	newest uint64   // of them
	count  int      // of them; 0: the node is not in the graph
	ends   []end
}

// end is one process whose end was reported.
type end struct {
	epoch   uint64
	verdict endVerdict
	ticket  uint64        // read that tests it
	answers int           // to that read
	others  int           // how many other endpoints may answer it as well
	told    time.Duration // when it was first reported, or when the process was last heard
	by      time.Duration // end of the wait for the answer
}

// endVerdict is whether a process has ended.
type endVerdict uint8

const (
	endTested    endVerdict = iota // the read is open
	endConfirmed                   // no answer came
	// An endpoint of the name has answered; tested again beside a newer one.
	endDoubted
)

// repairs is the history of a node's repairs.
type repairs struct {
	tries []time.Duration
	next  time.Duration
	lost  bool          // it was lost, is back, and not in its place yet
	drift time.Duration // when it was last restored after a drift; 0: never
	// Why on_loss: error still applies although the node may be in its place; empty: it does not.
	owed  string
	told  bool   // recovery was started for it, which happens once
	epoch uint64 // of an optional node: the process that was restored, or tried
}

// monitor is the watch over one node (S5).
type monitor struct {
	next         time.Duration // next look at the node; 0: there was none yet
	judges       bool          // at next, the open read is judged
	heard        bool          // anything was heard from the node since that read
	missed       int           // unanswered reads in a row
	unresponsive bool
}

// naming is what is believed of other instances with this name.
type naming struct {
	doubtBy time.Duration // until then another instance has to show that it lives; 0: there is none
	rival   NameTaken     // newest message of another instance
	heard   bool          // rival is valid, and still shown as a warning
	until   time.Duration // end of that warning
	others  int           // nodes of this name that are no rstate
}

// wait_peers: a goal that is done here stays open, and blocks nothing, until its peers are there
// too.

// waiting is a goal that waits for peers.
type waiting struct {
	goal   *goal
	result Result // its result here
	made   uint64 // number of our change that the peers must have seen
	state  string // state that they must reach; empty: any, with nothing armed
	common string // common target; a change that leads elsewhere supersedes the goal
	by     time.Duration
	peers  []awaited
}

type awaited struct {
	name  string
	there bool   // it arrived, and need not stay
	why   string // why it cannot arrive any more; empty: it can
}

// Nodes that an earlier run may have left armed, and that this network file does not arm by the
// same call. No state mentions them, so they hold nothing but arming. The daemon asks each of them
// every second to disarm, until it confirms.

// Left is one of these nodes, with the call from the journal.
type Left struct {
	Node, Service, Type string
	Lease               bool // it follows the arm lease of the run that armed it, which has ended
}

// leftover is what is known of one Left.
type leftover struct {
	Left
	call     uint64        // newest request
	asked    bool          // there was a request
	sent     time.Duration // when the newest request was sent
	refused  string        // the node's refusal
	absent   bool          // no node offered the call when it was last asked
	disarmed bool
}

type disarmGoal struct {
	goal *goal
	by   time.Duration
}

// Goals around a stall. A goal that may have been sent before the end of the stall raises nothing.
// A goal that comes while the daemon reads the nodes again waits, unless it arms: a client that
// arms has to know what is armed.

// kept is a goal that waits for the reads after a stall.
type kept struct{ in GoalAsked }

// ending is a final state that is still shown.
type ending struct {
	at     time.Duration
	left   []string // nodes that are not finalized
	failed string   // failed transition that led here; empty: none
}

// stopping is a request from outside to end the process.
type stopping struct {
	by     time.Duration
	why    string
	yields bool // to another instance of the name
	stood  bool // it stood still before, so it owns nothing any more
}

// nodeClock is what is known of the clock that deadlines of nodes count.
type nodeClock struct {
	ros    bool          // deadlines count simulated time
	rates  bool          // topic rates count simulated time: it is heard
	stands bool          // the clock does not move
	silent bool          // simulated time is configured but not heard
	since  time.Duration // when simulated time was first expected
	moved  time.Duration // when the clock last moved
	look   time.Duration // when to check whether it stands
}

// deadline is a moment on the clock that it counts.
type deadline struct {
	at      time.Duration
	allow   time.Duration // its length, for a restart
	follows bool          // it counts the clock of nodes, whichever that is; else real time
	set     bool
}

// at schedules a look at node i at a moment on the steady clock.
func (s *State) at(i int, when time.Duration) {
	s.turn.wakes.push(wakeup{when, i})
}

// before reports whether a moment is still to come, and if so schedules a look at node i then.
func (s *State) before(i int, when time.Duration) bool {
	if s.now.Steady >= when {
		return false
	}
	s.at(i, when)
	return true
}

// wakeup is a moment to look at a node, or with -1 at the whole network.
type wakeup struct {
	when time.Duration
	node int
}

// wakes is a heap, the earliest first; of equal moments the first in the file, so that a run
// replays. container/heap would allocate a copy of each element, and there is one for every
// request.
type wakes []wakeup

func (w wakeup) before(o wakeup) bool {
	return w.when < o.when || w.when == o.when && w.node < o.node
}

func (w *wakes) push(x wakeup) {
	h := append(*w, x)
	for k := len(h) - 1; k > 0; {
		up := (k - 1) / 2
		if !h[k].before(h[up]) {
			break
		}
		h[k], h[up] = h[up], h[k]
		k = up
	}
	*w = h
}

func (w *wakes) pop() wakeup {
	h := *w
	first, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	for k := 0; ; {
		least := k
		for _, down := range [2]int{2*k + 1, 2*k + 2} {
			if down < last && h[down].before(h[least]) {
				least = down
			}
		}
		if least == k {
			break
		}
		h[k], h[least] = h[least], h[k]
		k = least
	}
	*w = h
	return first
}

func (s *State) wakeWhole(when time.Duration) { s.at(-1, when) }

// A raising goal writes its way to the journal and asks the disk to keep it. After a loss of power,
// the next start finds there that a transition ran. Only arming waits for the disk, for a second at
// most. Every other goal goes on at once, because the lost lines moved nothing and a start reads
// the nodes.
//
// A goal that runs several commands writes its whole path with the first, and each state that it
// passes says what follows. So a loss of power never leaves such a state as the last settled one.

// syncing is a sync of the journal without an answer.
type syncing struct {
	ticket uint64        // 0: there is none
	by     time.Duration // until then a working disk has answered
}

// phase is a part of the running work. A transition begins in forward; its success decides which
// phase follows. The table in phase.go says what holds in each phase, what a node may do in it, and
// what follows it.
type phase struct {
	name string

	commands bool // it runs the command itself
	mayArm   bool // it arms nodes where its target says so
	cancels  bool // a client or a disarm has cancelled the command
	drains   bool // sends no request, and ends even if the state of a node is uncertain
	// Leads back to the origin, and raises no node above its state at the start of the work.
	returns  bool
	restores bool // is the first rung of recovery
	undoes   bool // a node that reaches its target counts as rolled back
	down     bool // only lowers nodes, also those that were lost before
	ends     bool // ends the network; cannot be rolled back
	leaves   bool // leaves the loop for a task of a peer
	adopts   bool // lowers nodes to one state at a start
	rearms   bool // leads back to an armed state
	rests    bool // is no transition: any command ends it
	raises   bool // no ceiling but Active

	recovery string // its name for users as a rung of recovery; empty: it is none

	// advance does what is due for a node now.
	advance func(s *State, node int)
	// failed handles a work that cannot succeed any more. If it is nil, that waits for all parts to
	// end.
	failed func(*State)
	// concluded handles the end of all parts, and reports whether it changed anything.
	concluded func(*State) bool
}

func (p *phase) String() string { return p.name }

var (
	forward       = new(phase) // the command itself
	draining      = new(phase) // cancelled: calls in flight are awaited
	undoing       = new(phase) // cancelled: back to the origin
	restoring     = new(phase) // failed, first rung: back to the origin
	returning     = new(phase) // failed without error processing: back to the origin
	unconfiguring = new(phase) // failed, second rung: every node to unconfigured
	finalizing    = new(phase) // shutting down, commanded or as the last resort
	reconciling   = new(phase) // at rest: repairs a late or strayed node
	leaving       = new(phase) // the loop ends for a change of a peer
	adopting      = new(phase) // at the start: lowers the nodes above the rest
	rearming      = new(phase) // a cancelled disarm leads back to armed
)

// goesDown reports whether node i keeps the order of the way down. A node without a step, or with
// an unknown state, follows the direction of the command. So every node has one direction, and no
// two wait for each other.
func (s *State) goesDown(i int) bool {
	n := &s.nodes[i]
	low, high, want := n.state.Level(), n.state.Level(), n.part.want.Level()
	known := n.state.Primary()
	if c := n.underWay(); c != nil {
		low, high = min(c.From.Level(), c.Do.Target().Level()), max(c.From.Level(), c.Do.Target().Level())
		known = true
	}
	switch {
	case known && high > want:
		return true
	case known && low < want:
		return false
	case want <= lifecycle.Unconfigured.Level():
		return true // an unknown state is never raised
	}
	return s.work.lowers != s.work.phase.returns
}

// underWay is the step that the node takes as far as is known: a call in flight, or a refused call
// after which the node was not read yet.
func (n *node) underWay() *belief.Call {
	if n.call != nil {
		return n.call
	}
	return n.part.refused
}

// mayWrite reports whether the engine may send requests that no client commanded.
func (s *State) mayWrite() bool { return s.startup.writes && !s.yields() }

// yields reports whether another instance has the network now.
func (s *State) yields() bool { return s.closing.stop != nil && s.closing.stop.yields }

// The lease: from the first arming on, and as long as the network is armed, the daemon tells armed
// nodes ten times a second how old the oldest proof is. A node that hears nothing any more disarms
// itself.

// leaseSlack is how much later than here a lease may end at a node: as long as a message takes at
// its fastest.
const leaseSlack = 100 * time.Millisecond

// busy reports whether a transition runs. Reconciling is none: any command ends it.
func (s *State) busy() bool { return s.work != nil && !s.work.phase.rests }

// armedHere reports whether the network is settled in a state that arms.
func (s *State) armedHere() bool {
	here, _ := s.machine.State(s.settled)
	return here.Armed.Any()
}

// shutting reports whether the network is being shut down.
func (s *State) shutting() bool { return s.work != nil && s.work.phase.ends }

// must takes what the judge says of a move that it allowed before: a no is a fault of this program.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// recovery names the rung of recovery that runs; empty: none.
func (s *State) recovery(w *work) string {
	shutdown, _ := s.machine.Shutdown()
	if w.phase.ends && w.command == shutdown.Name {
		return ""
	}
	return w.phase.recovery
}
