//go:build ros

package rosnet

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/engine"
	"rstate/internal/gate"
	"rstate/internal/looper"
	"rstate/internal/machine"
	"rstate/internal/middleware"
	"rstate/internal/network"
	"rstate/internal/selftest"
)

const (
	// flush is the longest that Close waits for goals that the engine has finished to be answered.
	flush = 300 * time.Millisecond
	// fetchLook is how often AwaitFetched looks.
	fetchLook = 10 * time.Millisecond
	// linger is how long the last answers, and what was published last, get to leave the process.
	linger = 200 * time.Millisecond
)

// Options is what a world is made of. The ROS node stays the caller's and must outlive the world.
type Options struct {
	Network  *network.Network
	Node     *rclgo.Node
	Instance string // of this run, in what is published
	Began    time.Time
	Version  string
	Log      *zap.Logger
	Tested   *selftest.Test // of the middleware; nil: the world begins one
	Secret   *Secret        // what a goal has to bring that arms; nil: nothing
	Manager  *Manager       // what it offers in place of nav2's lifecycle manager; nil: nothing

	// Others makes what the process offers on the node beside the world, once the name is ours; it
	// may be nil.
	Others func() (close func() error, err error)
	// Serving is called once, when the name is ours and everything that clients use is offered; it may be nil.
	Serving func()
	// Stopped reports whether the process did not run, and went on less than so long ago; nil: it
	// always ran.
	Stopped func(ago time.Duration) bool
	// Broken takes the reason why the world cannot work any more: a *Panicked, or a fault of ROS. Any
	// goroutine may call it. If it is nil, a panic ends the process.
	Broken func(error)
}

// Abilities is what the middleware gives.
type Abilities = middleware.Abilities

// World is one instance's part of ROS 2.
type World struct {
	net      *network.Network
	machine  *machine.Machine
	hash     string
	node     *rclgo.Node
	name     string // of the node
	instance string
	began    time.Time
	version  string
	secret   *Secret
	tested   *selftest.Test
	log      *zap.Logger
	leases   [2]leaseHeard      // of terms that an instance can come to, and of others; executor only
	guards   guardRooms         // executor only
	sink     func(engine.Input) // set by Start, before started is closed
	started  chan struct{}

	ctx    context.Context // ends with Leave
	cancel context.CancelFunc
	asking context.Context // of requests of clients: ends with ctx, or with Fail
	fail   context.CancelCauseFunc
	tasks  sync.WaitGroup // requests in flight and the graph's watcher
	leave  sync.Once

	clock     clock
	steady    func() engine.Time // that of the engine; nil: not asked for yet
	booted    time.Duration      // when that was 0, by the boot time
	remotes   []*remote
	leftovers []*leftover
	graph     chan struct{} // a token: the graph has changed
	goals     goals
	checks    checks
	stops     []*stopInput
	acks      acks
	origins   origins
	logs      logs
	out       outlets
	peers     peers
	newest    atomic.Pointer[engine.Snapshot] // as shown last
	looper    *looper.Looper                  // nil: the network has no loop
	// simulation is the loop for clients of simulation_interfaces; nil: the network has no loop.
	simulation *simulation
	gate       gate.Gate    // closed while a step runs
	rival      atomic.Value // the name of another node that publishes simulated time beside the loop; "" and nil: none
	data       []*datum
	face       *face // nil: no command of the machine has a role
	naming     naming
	ends       ends
	manager    *manager // nil: it is not in place of nav2's
	others     func() (func() error, error)
	broken     func(error)
	stopped    func(ago time.Duration) bool

	offering offering
	serving  func()         // called when that is done; may be nil
	closers  []func() error // in the order of making; after New only with offering.mu held
}

// New makes everything that this instance has on the node. Nothing is heard before Start.
func New(o Options) (*World, error) {
	w := &World{
		net: o.Network, machine: o.Network.Machine, hash: o.Network.Machine.Hash(),
		node: o.Node, name: o.Node.FullyQualifiedName(), instance: o.Instance, began: o.Began, version: o.Version,
		log: o.Log, tested: o.Tested,
		secret: o.Secret, others: o.Others, serving: o.Serving, broken: o.Broken, stopped: o.Stopped,
		graph: make(chan struct{}, 1), started: make(chan struct{}),
	}
	w.manager = w.newManager(o.Manager)
	worlds.Add(1)
	w.ctx, w.cancel = context.WithCancel(context.Background())
	w.asking, w.fail = context.WithCancelCause(w.ctx)
	if w.broken != nil {
		w.node.OnPanic(w.panicked)
	}
	if err := w.build(); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

func (w *World) build() (err error) {
	if w.tested == nil {
		if w.tested, err = selftest.Begin(w.node); err != nil {
			return err
		}
		w.owns(w.tested.Close)
	}
	if err := w.openOutlets(); err != nil {
		return err
	}
	if err := w.openName(); err != nil {
		return err
	}
	if err := w.openPeers(); err != nil {
		return err
	}
	if err := w.openGuards(); err != nil {
		return err
	}
	w.face = w.newFace()
	for i := range w.net.Nodes {
		r, err := w.openRemote(i)
		if err != nil {
			return err
		}
		w.remotes = append(w.remotes, r)
	}
	if err := w.openLoop(); err != nil {
		return err
	}
	w.openData()
	w.openChecks()
	w.openStops()
	w.openLogs()
	w.openEnds()
	return w.startClock()
}

// owns registers what Close has to close.
func (w *World) owns(close func() error) { w.closers = append(w.closers, close) }

// able returns what the middleware gives, as far as it is known by now.
func (w *World) able() Abilities { return w.tested.Abilities() }

// post hands an input on; what is heard before Start waits for it.
func (w *World) post(in engine.Input) {
	select {
	case <-w.started:
		w.sink(in)
	case <-w.ctx.Done():
	}
}

// Start begins to hear, and posts what it hears. It is called once, and the node must be spun by
// the caller. Nothing is offered to others before the engine takes the name.
func (w *World) Start(post func(engine.Input)) {
	w.sink = post
	close(w.started)
	w.goes(w.out.box.Run)
	w.goes(w.out.pulse.Run)
	w.startName()
	w.startWatch()
	w.startChecks()
	w.startStops()
	w.goes(w.logListener)
	w.startPeers()
	w.startLoop()
	w.startData()
}

// Leave says the last words: it answers what is to be answered and gives up what waits. Nothing is
// heard or sent after it. It may be called again.
func (w *World) Leave() { w.leave.Do(w.sayLast) }

func (w *World) sayLast() {
	defer worlds.Add(-1)
	spoken := false
	select {
	case <-w.started:
		spoken = true
	default: // no message has been exchanged
	}
	if spoken {
		w.goals.drain(flush)
	}
	w.cancel()
	if spoken {
		w.goals.drain(flush) // those that the engine left open are aborted now
		w.out.box.Wait(context.Background(), w.out.box.Mark())
		time.Sleep(linger)
	}
	w.out.close()
}

// Close leaves, and closes all that New and Start made. It may be called again.
func (w *World) Close() {
	w.Leave()
	defer w.tasks.Wait()
	w.offering.mu.Lock()
	defer w.offering.mu.Unlock()
	for i := len(w.closers) - 1; i >= 0; i-- {
		if err := w.closers[i](); err != nil {
			w.log.Warn("cannot close a part of the node", zap.Error(err))
		}
	}
	w.closers = nil
}

// Carry carries one effect out. Coordinator's goroutine only.
func (w *World) Carry(e engine.Effect) {
	switch e := e.(type) {
	case engine.ReadState:
		w.remotes[e.Node].read(e.Ticket)
	case engine.CallNode:
		w.remotes[e.Node].change(e.Call, e.Transition)
	case engine.ArmNode:
		w.remotes[e.Node].arm(e.Call, e.Arms())
	case engine.DisarmLeftover:
		w.disarmLeftover(e)
	case engine.SendLease:
		w.sendLease(e.Message)
	case engine.CountTopics:
		newest(w.checks.counts, e.Every)
	case engine.ListenLogs:
		w.listenLogs(e.On)
	case engine.CallCheck:
		w.callCheck(e)
	case engine.AcceptGoal, engine.RejectGoal, engine.SendFeedback, engine.FinishGoal:
		w.tellGoal(handleOf(e), e)
	case engine.AnswerAcknowledge, engine.AnswerCancel:
		w.answer(e)
	case engine.PublishChange:
		w.publishChange(e.Change)
	case engine.TellPeers:
		w.tellPeers(e.Status)
	case engine.StartLoop, engine.StopLoop, engine.ResetLoop, engine.LoseStepper:
		w.looper.Carry(e)
	case engine.TakeName:
		w.takeName()
	default:
		panic(fmt.Sprintf("rosnet: no way to carry out %T", e)) // the list of effects is closed
	}
}

// answer answers a request that is no goal.
func (w *World) answer(e engine.Effect) {
	switch e := e.(type) {
	case engine.AnswerAcknowledge:
		w.acks.answer(e)
	case engine.AnswerCancel:
		w.goals.answerCancel(e)
	}
}

// DisarmAll asks each node that can be armed to disarm, whatever is believed of it, and waits for the
// answers until ctx ends. It returns the nodes that have not confirmed. It is for an instance whose
// loop has broken down: nothing else is left to disarm then.
func (w *World) DisarmAll(ctx context.Context) (doubt []string) {
	confirmed := make([]bool, len(w.remotes)+len(w.leftovers))
	var all sync.WaitGroup
	for i, r := range w.remotes {
		if r.armer != nil {
			all.Go(func() { confirmed[i] = r.disarmNow(ctx) })
		}
	}
	for i, l := range w.leftovers {
		all.Go(func() { confirmed[len(w.remotes)+i] = l.disarmNow(ctx) })
	}
	all.Wait()
	return w.armables(func(i int) bool { return !confirmed[i] })
}

// MayArm names the nodes that this instance or an earlier run can have armed.
func (w *World) MayArm() []string { return w.armables(func(int) bool { return true }) }

// armables names the nodes with an arm service, and then those of earlier runs, as far as pick accepts
// their number.
func (w *World) armables(pick func(i int) bool) []string {
	var names []string
	for i, r := range w.remotes {
		if r.armer != nil && pick(i) {
			names = append(names, r.spec.Name)
		}
	}
	for i, l := range w.leftovers {
		if pick(len(w.remotes)+i) && !slices.Contains(names, l.what.Node) {
			names = append(names, l.what.Node)
		}
	}
	return names
}

// Beat renews the liveliness of what this instance publishes. Coordinator's goroutine only: its
// silence is our death.
func (w *World) Beat() {
	now := time.Now()
	w.naming.beats(now)
	w.remindPeers(now)
	w.restLease(now)
	if w.tested.Eventless() { // not before: a client takes a repetition for a habit of this daemon
		w.repeatState(now)
	}
	newest(w.checks.beats, struct{}{})
	w.out.beats.Set(func() { w.out.assert(w.log, w.peers.alone()) })
}

// handleOf returns the goal that an effect is for.
func handleOf(e engine.Effect) string {
	switch e := e.(type) {
	case engine.AcceptGoal:
		return e.Handle
	case engine.RejectGoal:
		return e.Handle
	case engine.SendFeedback:
		return e.Handle
	case engine.FinishGoal:
		return e.Handle
	}
	return ""
}

// tellGoal passes an effect to the goal that it is for.
func (w *World) tellGoal(handle string, e engine.Effect) {
	w.goals.tell(handle, told{e, w.out.box, w.out.box.Mark()})
}
