package engine

import (
	"slices"
	"strings"
	"time"

	"rstate/internal/engine/arming"
	"rstate/internal/lease"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/mirror"
	"rstate/internal/network"
	"rstate/internal/plan"
)

// The times that rules name. All count the steady clock.
const (
	readEvery   = time.Second          // between two reads of a node that owes an answer
	freshFor    = time.Second          // the greatest age of a read on which a request is based
	confirmIn   = 5 * time.Millisecond // an answer's event is on its way; then we ask
	reasonIn    = time.Second / 10     // the longest that the events are awaited which tell an error from a refusal
	disarmEvery = arming.Every         // between two disarms of a node that does not confirm
	disarmHold  = time.Second          // the longest that a late disarm holds up what comes after
	lingerFinal = time.Second          // how long finalized is shown before the instance ends
	exitDisarm  = 2 * time.Second      // for disarms to be confirmed when the process is to end
	exitInFull  = 4 * time.Second      // for a shutdown when the process is to end
	firstWrite  = 3 * time.Second      // the longest that a start only reads, where nobody says otherwise
	journalWait = time.Second          // the longest that arming waits for the journal
)

// Options is what an instance is told at its start beside the network.
type Options struct {
	Instance string // new at each start; of two the one that started later is the greater
	Name     string // the full name of its node
	Listen   Listen
	Last     string   // the settled state in which the journal ends; empty: there is none
	NotLast  string   // why a state in which the journal ends is not in Last; empty: there is none
	Left     []Left   // nodes that the journal says may be armed, and that the network does not arm by the same call
	Noted    []string // those of its own nodes of which the journal says so
}

// Listen is how long a start only reads: until every node has been read, but within these bounds.
type Listen struct {
	Least time.Duration // from the moment on which the last node was found: who else is to be found is by then
	Most  time.Duration // 0: 3 s
}

// State is all that an instance believes. Only Step changes it; it is not safe for concurrent use.
type State struct {
	net     *network.Network
	machine *machine.Machine
	fixed   fixed
	judge   *machine.Judge // the state of the network, and what is legal in it
	now     Time
	clock   nodeClock
	turn    turn

	nodes     []node
	settled   string // the last state that was not passing; empty until the start is over
	work      *work  // what runs; nil at rest
	goals     goals
	name      naming
	startup   startup
	peers     peering
	hold      holding
	gap       gap
	disk      disk
	report    report
	closing   closing
	listening bool // checked topics are being counted
}

// fixed is what does not change while the instance lives.
type fixed struct {
	order   plan.Order
	opt     Options
	names   []string // of the nodes
	armable []int    // those that can be armed
	checked []int    // those that have checks, or something unsafe
}

// turn is what Step works off: which nodes to look at, when to look again, and what is to be done.
type turn struct {
	queue  []int // nodes that may have something to do
	ending []int // nodes with a process of which it is to be seen whether it has ended
	wakes  wakes
	looks  uint64 // at the order
	number uint64 // of the last ticket or call
	out    []Effect
}

// startup is how far the start of the instance is.
type startup struct {
	started time.Time
	startBy time.Duration // until when a start waits for nodes
	foundAt time.Duration // when the last node was found
	writeBy time.Duration // the longest that a start only reads, unless it has to wait for an instance of the same name
	writes  bool          // that is over: whatever is to be asked of nodes may be
	named   bool          // the name was found to be ours
	begun   bool
}

// peering is what peers said, and what they were told.
type peering struct {
	book      *mirror.Book
	told      mirror.Status // what peers were told last
	untold    bool          // something that they are told may have changed
	behindWhy string        // why this instance is not where the changes lead that it has seen
	newest    string        // the newest change and its maker, for a goal that is superseded by it
	peerWake  time.Duration // the last moment that was asked for because of peers
	awaiting  []*waiting    // goals that are done here, and stay open until peers are there
}

// holding is the arm lease, and what other runs may hold.
type holding struct {
	lease     lease.Sender
	leaseAt   time.Duration // when the next message of it is due
	leaseEnds time.Duration // when the newest that was said has run out everywhere
	leased    leaseSaid     // what was said of it last
	leftovers []leftover
	othersEnd time.Duration // when every lease of an earlier run, or of another instance of the name, has run out
}

// gap is what is known of times in which the process or the loop did not run.
type gap struct {
	stall       string        // what the newest stall was, until the nodes have been read after it
	newestStall string        // in words; drainedAt is after its end
	keeps       []kept        // goals that wait until the nodes are read
	drainedAt   time.Duration // until when goals count as sent before the end of a stall
	uncounted   time.Duration // how long the loop was late, which this clock leaves out
	lateBy      time.Duration // until when what is heard may be of the time in which the loop was late
}

// disk is what is known of the journal.
type disk struct {
	journal     string // why it cannot be written; empty: it can, as far as is known
	syncing     syncing
	fingerprint string // of the network; see meaning
}

// report is what people are shown beside the nodes.
type report struct {
	results []NodeResult // of the last work, by node
	refusal Refusal      // the newest, unless a goal was accepted since
	failure Failure      // the newest, unless a goal that was begun later has succeeded
	cause   string       // of the last change
	console string       // why the log cannot be read any more; empty: it can
	shown   string       // the network's state in the last Show
	changed bool         // something that a snapshot shows
}

// closing is how the instance ends.
type closing struct {
	stop  *stopping
	ended *ending // set in a final state
	gone  bool    // Exit was said
}

// node is what is believed of one node and what is under way with it.
type node struct {
	spec  *network.Node
	count int
	epoch uint64

	state   lifecycle.State
	at      time.Duration // when the newest evidence for state came
	proof   time.Duration // when the newest read that was answered went out
	firm    bool          // state was read or announced later than our last request; else a node only claimed it
	doubted time.Duration // since when it is not firm, where nothing is under way

	call    *call
	calls   calls
	reading reading
	arm     arming.Node
	checks  []checkup // as in spec
	unsafe  []string  // what it offers of what it must not, unless armed
	leg     leg
	place   place
	absence absence
	kin     kin
	look    look
}

// calls is what was asked of a process before the call in flight.
type calls struct {
	sent    time.Duration // when our last change_state went out
	asked   bool          // sent is valid
	closed  *call         // the newest one that has been said to have gone well; what else is heard of it is no news
	newest  *call         // the newest one, however it has ended
	unheard []*call       // those before it of whose end nothing was announced yet
}

// reading is how a node is asked for its state.
type reading struct {
	reads     []read
	polled    time.Duration // when the newest read went out
	unread    int           // reads of this process, none of which was answered yet
	several   time.Duration // since when its endpoints are as many as they are
	answered  uint64        // the newest read that was answered
	allAnswer bool          // since then one read was answered by more than one endpoint
	probing   probing
	vigil     vigil
}

// place is whether a node is as the settled state says, and what is done about it.
type place struct {
	deviant  string // why it is not as the settled state says
	wasArmed bool   // it was armed when the network settled: one that is optional and was not may stay so
	noted    bool   // the journal says that it may be armed
	mending  mending
}

// absence is why a node is not there, and which endpoints of it are left in the graph.
type absence struct {
	lost   string // why it is not there
	lostAt time.Duration
	alike  []string // nodes of a similar name that are there, where it never was
	demise demise
}

// kin is what a node has to do with other instances of rstate.
type kin struct {
	child   string // why the network that it is must not be driven by us; of the process childOf
	childOf uint64
	tellBy  time.Duration // until when a start waits for it to say what it drives
	driver  string        // a peer that drives it too
}

// look is whether a node is to be looked at.
type look struct {
	queued bool
	looked uint64 // the last look at the order that came by
}

func (n *node) there() bool { return n.count > 0 }

type read struct {
	ticket uint64
	sent   time.Duration
	watch  bool // S5: it is no proof
}

// touch notes that node i may have something to do.
func (s *State) touch(i int) {
	if !s.nodes[i].look.queued {
		s.nodes[i].look.queued = true
		s.turn.queue = append(s.turn.queue, i)
	}
}

// touchAround notes that those who wait for node i may have something to do.
func (s *State) touchAround(i int) {
	for _, j := range s.fixed.order.Before[i] {
		s.touch(j)
	}
	s.turn.looks++
	s.touchBelow(i)
}

// touchBelow goes through those that do not hide what is above them from what is below; see heldFromAbove.
func (s *State) touchBelow(i int) {
	for _, j := range s.fixed.order.After[i] {
		s.touch(j)
		if n := &s.nodes[j]; n.look.looked != s.turn.looks && (!n.there() || s.work != nil && n.leg.open() && !s.goesDown(j)) {
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
	legNone    legStatus = iota // no part in it
	legWaiting                  // for those that go before it, or for its first fresh read
	legWorking                  // its steps are under way
	legDone                     // where it is to be, as far as is known
	legGivenUp                  // not there, and no longer waited for
)

// legStatus is how far one node's part of the running work is.
type legStatus uint8

// leg is one node's part of the running work: where it is to be, and what became of it.
type leg struct {
	status    legStatus
	wants     bool // to be in want; else only its arming matters
	want      lifecycle.State
	arm       bool  // to be armed, once every node is where it is to be
	disarm    bool  // to be disarmed before anything else
	fresh     fresh // arming proves afresh
	down      bool  // what it has to do takes away
	started   bool  // it has had its turn
	stepped   bool  // and has asked something of its node
	since     time.Duration
	deadline  deadline
	short     bool  // it ends below want, at its ceiling
	redone    bool  // it has left its place once and was brought back
	hollow    int   // how often its node said yes to a step and was found where that begins
	replaced  bool  // its process is not the one that the leg worked on
	misjudged bool  // it refused a step, as it was not where it was believed to be
	refused   *call // answered with no; the read that says where the node is now is awaited
	sure      bool  // a read or event after our last request agrees
	passed    bool  // its node was lost before, so the leg has ended without it
	result    legResult
}

// fresh is whether old reads of a node count.
type fresh struct {
	anew      bool          // they do not
	readSince time.Duration // those from before then
	reread    bool          // once it took so long to hear of all nodes that this one was read again
}

// legResult is what became of a leg.
type legResult struct {
	did      string // what was asked of the node last
	verdict  Verdict
	evidence string
}

func (l *leg) open() bool { return l.status == legWaiting || l.status == legWorking }

// The one change_state that is in flight to a node, from its being sent to what makes its end certain.

// call is the one change_state in flight.
type call struct {
	number                    uint64
	do                        lifecycle.Transition
	from                      lifecycle.State
	sent                      time.Duration
	began                     Time          // the same on every clock, or when its deadline last started again
	old                       bool          // where the node was had not been read right before
	started                   bool          // the node was seen on its way
	erred                     bool          // the node was seen in error processing
	told                      bool          // its events have said where it led
	still                     int           // reads, each a second or more after the call, that found the node where it was
	answered, arrived, agreed bool          // its answer says that it went well; its event does; both did
	again                     bool          // it is the second try of a request that was lost
	found                     time.Duration // when the node was found first after its no; it may be read again and again
}

// goal is a wish of somebody who waits for its end. It may take several transitions.
type goal struct {
	handles []string // of the clients that wait for it, the first one first
	waiters []string // those of them that wait for peers as well
	ids     []string // under which the clients sent it
	asked   string   // as the client wrote it
	name    string   // the command or state that it names, as the machine spells it
	isState bool     // name is a state
	reason  string
	by      Origin
	who     string // asked for it
	from    string // the settled state in which it was accepted
	since   time.Duration
	path    []string // commands that are still to come
	kept    bool     // the disk was asked to keep the path
	rests   bool     // cancelled during the disarm that begins its way down: it ends with that
	fault   string   // what failed on its way down, and did not stop it
	result  Result
	ending  Ending
	ended   bool
	then    then
}

// then is where the network was when the work of a goal was done, which says how long its result describes the network.
type then struct {
	made    uint64 // the number of changes of this instance when the goal was accepted
	done    bool
	era     uint64
	armed   bool
	deviant []string // what was not as the state says
	lived   []string // the peers that were alive when its newest change was made, or else when the work was done
}

type goals struct {
	open    []*goal
	recent  []*goal      // the newest last
	pending []disarmGoal // disarms that wait for what something else began
	era     uint64       // counts how often the network has left a state, or settled in one
}

// id is the first id under which the goal was sent; empty: it has none.
func (g *goal) id() string {
	if len(g.ids) == 0 {
		return ""
	}
	return g.ids[0]
}

// follows names the commands that are still to come.
func (g *goal) follows() string { return strings.Join(g.path, ", ") }

// work is what runs: one transition, with whatever its failing or cancelling makes of it.
type work struct {
	phase     *phase
	command   string // empty: nobody commanded it
	origin    string // the settled state in which it began
	target    string // the state in which the command ends
	goal      *goal  // nil: nobody waits for it
	by        Origin // who began it, whoever waits for it now
	since     time.Duration
	lowers    bool   // the command takes away
	oneWay    bool   // a disarming that nothing turns round
	turned    bool   // a disarming that was turned round before
	canceled  bool   // a client took it back
	takenBack bool   // and what is in flight is awaited for that
	why       string // what began it where nobody commanded it, and what failed it
	arms      bool   // target arms and the way there is forward
	arm       armament
	news      news
	legs      legs
	fault     fault
}

// armament is what has to be so before work that arms asks the first node to arm.
type armament struct {
	ahead   int           // arm steps that begin after the proof
	proven  bool          // every node was read anew and is where it is to be, and every check passes
	judged  bool          // checks were judged
	checkBy time.Duration // until when they are waited for
	peersBy time.Duration // until when required peers are waited for
	ticket  uint64        // of the journal's sync that is waited for; 0: none is
	unsafe  string        // why the journal was not made safe
}

// news is what peers are told of the work, and whose change it follows.
type news struct {
	event   string // the command as peers are told; empty: nobody gave one
	said    string // where it leads, as peers were told of it; empty: they were not
	from    string // the peer whose change this follows; empty: it is our own
	task    uint64 // that is followed
	silent  bool   // nothing of it is said on the lifecycle topic
	catches bool   // it catches up with what happened while this instance did not hear
}

// legs is how far the parts of the nodes are.
type legs struct {
	began     []beginning
	only      []bool // which nodes have a part in it, where not all have
	open      int    // that are not ended
	unsure    int    // that are done by a node's own word only
	disarming int    // that wait for a disarm
	holdUntil time.Duration
	results   []NodeResult // by node; what became of it last
	did       []bool
	total     int
}

// fault is what has failed, and what recovery has to know of it.
type fault struct {
	asked    bool // something but reads and checks was asked of a node
	spared   bool // it had asked nothing when it failed or was cancelled: no node is taken down for it
	failing  bool
	failed   []int
	blame    []NodeResult  // what failed the command, before recovery went over it
	failedAt time.Duration // when the way back began
	back     string        // where that led first; empty: there was none
	suspects []int         // required nodes that made a lowering fail
}

// beginning is where a node was when a transition began.
type beginning struct {
	there  bool
	silent bool // known to be lost, with an endpoint left
	firm   bool // else the first read says where it was
	state  lifecycle.State
}

// found notes where a node was when the work began, of which only a claim was known then.
func (w *work) found(i int, n *node) {
	if b := &w.legs.began[i]; b.there && !b.firm && n.state.Primary() && (!n.calls.asked || n.calls.sent <= w.since) {
		b.firm, b.state = true, n.state
	}
}

// foundIn returns the state in which the work found node i.
func (w *work) foundIn(i int) lifecycle.State {
	if b := w.legs.began[i]; b.there && b.state.Primary() {
		return b.state
	}
	return lifecycle.Unknown
}

// done counts the steps of nodes that are over.
func (w *work) done() int { return w.legs.total - w.legs.open - w.arm.ahead }

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
	// of a topic
	meter meter
	// of a service
	ticket   uint64        // of the newest request
	sent     time.Duration // when it went out
	open     bool          // it has no answer
	asked    bool          // one was sent since checks matter
	answered bool          // and one was answered since it is asked again and again
	fault    string        // what the newest answer said
}

// leaseSaid is what the newest message of the present term said, and the one before it.
type leaseSaid struct {
	proved, before time.Duration
	at             time.Duration // when the newest was said
	said, saidTwo  bool
	unsent         bool // a newer message waits for the middleware
}

// probing is how one node is asked again and again.
type probing struct {
	last   time.Duration // when it was asked last
	heard  time.Duration // when anything came of the process
	missed int           // questions in a row after which nothing came
	left   int           // how many there were when it was taken for lost; 0: it is not
}

type count struct {
	at time.Duration
	n  uint64
}

// meter tells the rate of one topic. Its times are those of the clock that the node's deadlines count, but for heard.
type meter struct {
	rate  float64       // to be reached, Hz
	kept  []count       // the first is at the beginning of the window, or before it where the window is full
	last  count         // the newest
	heard time.Duration // when that came, on the steady clock
	fault string        // why nothing can be counted
}

// demise is what is known of a node's endpoints in the graph, and of the ends of their processes.
type demise struct {
	epochs []uint64 // of the endpoints in the graph; empty: they cannot be told apart
	newest uint64   // of them
	count  int      // of them; 0: the node is not in the graph
	ends   []end
}

// end is what is known of one process of which the end was reported.
type end struct {
	epoch   uint64
	verdict endVerdict
	ticket  uint64        // of the read that tests it
	answers int           // to that read
	others  int           // how many other endpoints may answer it as well
	told    time.Duration // when it was first said, or last heard of the process
	by      time.Duration // until when the answer is awaited
}

// endVerdict is whether a process has ended.
type endVerdict uint8

const (
	endTested    endVerdict = iota // the read is open
	endConfirmed                   // nothing came of it
	endDoubted                     // an endpoint of the name has answered; it is tested again beside a newer one
)

// mending is the history of bringing one node back.
type mending struct {
	tries []time.Duration
	next  time.Duration
	lost  bool          // it is back from being lost, and not in its place yet
	drift time.Duration // when it was last brought back as one that strayed; 0: never
	owed  string        // why on_loss: error is owed although the node may be in its place; empty: it is not
	told  bool          // the ladder was taken for it; once is enough
	epoch uint64        // of an optional node: the process that has been brought to its place, or tried
}

// vigil is the watch over one node.
type vigil struct {
	next         time.Duration // when the node is looked at next; 0: it has not been looked at
	judges       bool          // a read is out, and is judged then
	heard        bool          // something was heard from the node since that read
	missed       int           // reads in a row without an answer
	unresponsive bool
}

// naming is what is believed of others who bear our name.
type naming struct {
	doubtBy time.Duration // until when somebody has to show that he lives; 0: nobody is there
	rival   NameTaken     // heard last
	heard   bool          // rival is valid, and still warned of
	until   time.Duration // for how long
	others  int           // nodes of our name that are no rstate
}

// wait_peers: a goal that is done here stays open until its peers are there too. It blocks nothing meanwhile.

// waiting is such a goal.
type waiting struct {
	goal   *goal
	result Result // as it is here
	made   uint64 // of our changes, the one that peers have to have seen
	state  string // where they have to be; empty: anywhere, with nothing armed
	common string // where the changes lead as long as no newer one supersedes the goal
	by     time.Duration
	peers  []awaited
}

type awaited struct {
	name  string
	there bool   // once is enough
	why   string // why it will not be; empty: it still may be
}

// Nodes that an earlier run may have left armed, and that this network file does not arm by the same call. No state says
// anything of them, so they hold nothing up but arming: each is asked to disarm, every second, until it confirms.

// Left is such a node, with the call that the journal recorded.
type Left struct {
	Node, Service, Type string
	Lease               bool // it follows the arm lease of the coordinator that armed it, which has ended
}

// leftover is what is known of one Left.
type leftover struct {
	Left
	call     uint64        // the newest request
	asked    bool          // there was one
	sent     time.Duration // when
	refused  string        // what the node said when it answered no
	absent   bool          // nobody offered the call when it was last asked
	disarmed bool
}

type disarmGoal struct {
	goal *goal
	by   time.Duration
}

// Goals around a stall. Those that were sent before its end may be of a time that nobody remembers: they raise nothing.
// Those that come while the nodes are read again wait for that, but for arm: whoever arms has to know what is armed.

// kept is a goal that waits until the nodes are read after a stall.
type kept struct{ in GoalAsked }

// ending is a final state that is still shown.
type ending struct {
	at     time.Duration
	left   []string // nodes that are not finalized
	failed string   // the transition whose failure has led here; empty: none
}

// stopping is the end of the process, asked for from outside.
type stopping struct {
	by     time.Duration
	why    string
	yields bool // to another instance of our name
	stood  bool // after having stood still, so that nothing is ours any more
}

// nodeClock is what is known of the clock that deadlines of nodes count.
type nodeClock struct {
	ros    bool          // they count simulated time
	rates  bool          // rates of topics do: it is heard
	stands bool          // which does not move
	silent bool          // simulated time is wished for and nothing is heard of it
	since  time.Duration // when it was first wished for
	moved  time.Duration // when it last moved
	look   time.Duration // when to see whether it stands
}

// deadline is a moment on the clock that it counts.
type deadline struct {
	at      time.Duration
	allow   time.Duration // how long it was, so that it can start again
	follows bool          // it counts the clock of nodes, whichever that is; else real time
	set     bool
}

// at asks for another look at node i at a moment on the steady clock.
func (s *State) at(i int, when time.Duration) {
	s.turn.wakes.push(wakeup{when, i})
}

// wakeup is a moment at which a node, or with -1 the whole, is looked at.
type wakeup struct {
	when time.Duration
	node int
}

// wakes is a heap, the earliest first; of one moment the first in the file, so that a run replays. It is one of our own
// because container/heap would make a copy of each on the side, and there is one for every request.
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

// What is raised is written down, and the disk is asked to keep it: were the machine to lose its power in the middle, the next
// start would find in the journal that something was under way. Only what arms waits for the disk, a second at most. All else
// goes on at once: it moves nothing, and a start reads the nodes.
//
// A goal that runs several commands writes its whole path down with the first, and each state that it only passes
// through says what follows; so what is lost with the power leaves no state as the last that is not.

// syncing is a sync of the journal that is not answered yet.
type syncing struct {
	ticket uint64        // 0: there is none
	by     time.Duration // until when a disk that works has answered
}

// phase is a part of the running work. A transition begins forward; which phase follows depends on how that goes. The table
// of phases is below: what holds in each, what a node may do in it, and what follows when every node's part has ended.
type phase struct {
	name string

	commands bool // it runs the command itself
	mayArm   bool // it arms nodes where its target says so
	cancels  bool // a client or a disarm has cancelled the command
	drains   bool // it asks nothing of nodes, and ends although it is not certain where each of them is
	returns  bool // it leads back to the origin, and raises no node above where the work found it
	restores bool // it is the first rung of the ladder
	undoes   bool // a node that it brings to its place counts as undone
	down     bool // it only takes nodes down, those that were lost before too
	ends     bool // it ends the network; nothing takes it back
	adopts   bool // it brings nodes to one state at a start, and raises none
	rearms   bool // it goes back to an armed state
	rests    bool // it is no transition: any command ends it
	raises   bool // no ceiling but Active

	recovery string // its name for people as a try to put things right; empty: it is none

	// advance does what is to be done for a node now.
	advance func(s *State, node int)
	// failed says what follows at once if the work cannot succeed any more. Without it, that is known when all parts have ended.
	failed func(*State)
	// concluded says what follows when every node's part has ended. It reports whether it changed anything.
	concluded func(*State) bool
}

func (p *phase) String() string { return p.name }

var (
	forward       = new(phase) // the command itself
	draining      = new(phase) // cancelled: what is in flight is awaited
	undoing       = new(phase) // cancelled: back to the origin
	restoring     = new(phase) // failed, first rung: back to the origin
	unconfiguring = new(phase) // failed, second rung: every node to unconfigured
	finalizing    = new(phase) // shutting down, commanded or as the last resort
	tending       = new(phase) // at rest: a late or strayed node is brought to its place
	adopting      = new(phase) // at the start: what is higher than the rest is lowered
	rearming      = new(phase) // a commanded disarm that is taken back
)

// announces says whether an event is one that the call gives rise to.
func (c *call) announces(in EventHeard) bool {
	passing := c.do.Passing()
	return in.To == passing || in.From == passing || (in.From == lifecycle.ErrorProcessing && c.erred)
}

// over says whether a call has ended in what was read, whatever becomes of its answer: the node rests, and is there, has
// been on its way, or was found where it began twice, a second or more after the request.
func (c *call) over(read lifecycle.State) bool {
	return read.Primary() && (read != c.from || c.started || c.still > 1)
}

// goesDown says whether node i keeps the order of the way down. One that has nowhere to go, or is not known, goes with
// the command: every node has one direction, so that no two wait for each other.
func (s *State) goesDown(i int) bool {
	n := &s.nodes[i]
	low, high, want := n.state.Level(), n.state.Level(), n.leg.want.Level()
	known := n.state.Primary()
	if c := n.underWay(); c != nil {
		low, high = min(c.from.Level(), c.do.Target().Level()), max(c.from.Level(), c.do.Target().Level())
		known = true
	}
	switch {
	case known && high > want:
		return true
	case known && low < want:
		return false
	case want <= lifecycle.Unconfigured.Level():
		return true // whatever it is, it is not raised
	}
	return s.work.lowers != s.work.phase.returns
}

// underWay is the step that the node is taking as far as is known: one in flight, or one that was answered with no and
// of which it is not known yet where that left the node.
func (n *node) underWay() *call {
	if n.call != nil {
		return n.call
	}
	return n.leg.refused
}

// mayWrite says whether anything may be asked of a node that nobody commanded.
func (s *State) mayWrite() bool { return s.startup.writes && !s.yields() }

// yields says whether the network is another's by now.
func (s *State) yields() bool { return s.closing.stop != nil && s.closing.stop.yields }

// The lease: from the first arming on, and as long as the network is armed, whoever is armed is told ten times a second
// how old the oldest proof is. A node that hears nothing any more disarms by itself.

// leaseSlack is how much later than here a lease may end at a node: as long as a message takes at its fastest.
const leaseSlack = 100 * time.Millisecond

// busy says whether a transition runs. Tending is none: any command ends it.
func (s *State) busy() bool { return s.work != nil && !s.work.phase.rests }

// recovery says which try it is to put things right that went wrong; empty: none.
func (s *State) recovery(w *work) string {
	shutdown, _ := s.machine.Shutdown()
	if w.phase.ends && w.command == shutdown.Name {
		return ""
	}
	return w.phase.recovery
}
