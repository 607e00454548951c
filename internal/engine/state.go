package engine

import (
	"slices"
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
	spec    *network.Node
	count   int
	epoch   uint64
	lost    string // why it is not there
	lostAt  time.Duration
	alike   []string // who is there of a similar name, where it never was
	state   lifecycle.State
	at      time.Duration // when the newest evidence for state came
	proof   time.Duration // when the newest read that was answered went out
	polled  time.Duration // when the newest read went out
	firm    bool          // state was read or announced later than our last request; else a node only claimed it
	doubted time.Duration // since when it is not firm, where nothing is under way
	sent    time.Duration // when our last change_state went out
	asked   bool          // sent is valid
	call    *call
	closed  *call   // the newest one that has been said to have gone well; what else is heard of it is no news
	newest  *call   // the newest one, however it has ended
	unheard []*call // those before it of whose end nothing was announced yet
	reads   []read
	arm     arming.Node
	checks  []checkup // as in spec
	probing probing
	vigil   vigil
	unsafe  []string // what it offers of what it must not, unless armed
	leg     leg
	// wasArmed says that it was armed when the network settled: one that is optional and was not may stay so.
	wasArmed bool
	noted    bool // the journal says that it may be armed
	mending  mending
	queued   bool
	looked   uint64 // the last look at the order that came by
	deviant  string // why it is not as the settled state says
	child    string // why the network that it is must not be driven by us; of the process childOf
	childOf  uint64
	tellBy   time.Duration // until when a start waits for it to say what it drives
	driver   string        // a peer that drives it too
	demise   demise

	unread    int           // reads of this process, none of which was answered yet
	several   time.Duration // since when its endpoints are as many as they are
	answered  uint64        // the newest read that was answered
	allAnswer bool          // since then one read was answered by more than one endpoint
}

func (n *node) there() bool { return n.count > 0 }

type read struct {
	ticket uint64
	sent   time.Duration
	watch  bool // S5: it is no proof
}

// New returns the belief before anything is known. The first input begins the start.
func New(net *network.Network, opt Options) *State {
	s := &State{
		net: net, machine: net.Machine, judge: net.Machine.Start(), nodes: make([]node, len(net.Nodes)),
		fixed: fixed{order: plan.OrderOf(net), opt: opt},
		peers: peering{book: newBook(net, opt)},
		hold:  holding{leftovers: leftoversOf(opt.Left)},
	}
	for i := range s.nodes {
		s.fixed.names = append(s.fixed.names, net.Nodes[i].Name)
		if net.Nodes[i].Arm != nil {
			s.fixed.armable = append(s.fixed.armable, i)
		}
		s.nodes[i].spec = &net.Nodes[i]
		s.nodes[i].arm, s.nodes[i].noted = arming.New(), slices.Contains(opt.Noted, net.Nodes[i].Name)
		s.nodes[i].checks = checkupsOf(s.nodes[i].spec)
		if len(s.nodes[i].checks)+len(net.Nodes[i].Unsafe) > 0 {
			s.fixed.checked = append(s.fixed.checked, i)
		}
	}
	return s
}

// Step takes one fact and returns the next belief with what is to be done. It takes ownership of s.
func Step(s *State, now Time, in Input) (*State, []Effect) {
	now = s.discount(now, in)
	if !now.Simulated {
		now.ROS, now.Heard = now.Steady, false
	}
	s.turn.out = nil
	if s.closing.gone {
		s.afterTheEnd(in)
		return s, s.turn.out
	}
	was := s.now
	s.now = now
	if !s.startup.begun {
		s.begin()
	}
	s.follow(was)
	s.absorb(cleaned(in))
	s.judgeEnds()
	s.noteArms() // before what follows from it
	s.elapse()
	s.forgetRival()
	s.journalLate()
	s.mindPeers()
	for !s.closing.gone { // an end is the last that is done
		s.work1()
		if !s.conclude() && !s.lapse("") && !s.release() && len(s.turn.queue) == 0 {
			break
		}
	}
	if s.closing.gone {
		return s, s.turn.out
	}
	s.noteArms()
	s.disarmLeft()
	s.listen()
	s.holdLease()
	s.tell()
	s.show()
	s.wake()
	return s, s.turn.out
}

// work1 lets every node that may have something to do do it.
func (s *State) work1() {
	for k := 0; k < len(s.turn.queue); k++ { // it grows while we are at it
		i := s.turn.queue[k]
		s.nodes[i].queued = false
		s.advance(i)
	}
	s.turn.queue = s.turn.queue[:0]
}

// touch notes that node i may have something to do.
func (s *State) touch(i int) {
	if !s.nodes[i].queued {
		s.nodes[i].queued = true
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
		if n := &s.nodes[j]; n.looked != s.turn.looks && (!n.there() || s.work != nil && n.leg.open() && !s.goesDown(j)) {
			n.looked = s.turn.looks
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

// afterTheEnd answers what still comes when the instance is done: every state answers every command.
func (s *State) afterTheEnd(in Input) {
	switch in := in.(type) {
	case GoalAsked:
		s.do(RejectGoal{Handle: in.Handle, Why: "rstate has ended; start it again"})
	case CancelAsked:
		s.do(AnswerCancel{Handle: in.Handle, Why: "rstate has ended"})
	}
}
