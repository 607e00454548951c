//go:build ros

package guard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/clean"
	"rstate/internal/engine/guards"
	"rstate/internal/lease"
	"rstate/internal/middleware"
	"rstate/internal/patient"
	"rstate/internal/sdnotify"
	"rstate/internal/session"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
	std_srvs_srv "rstate/msgs/gen/std_srvs/srv"
)

const (
	// answerIn is how long an answer to a disarm may come after the request; others are sent
	// meanwhile.
	answerIn = 10 * time.Second
	// leaveArmedIn is how long nodes have to confirm when the guard is to end while a lease holds:
	// as long as they have when the coordinator ends.
	leaveArmedIn = 2 * time.Second * patient.Factor
	// missEvery is how often a guard checks that the daemon and all its services are present.
	missEvery = 3 * time.Second
	// shownIn is how long the graph has to show the publisher of a state, and shownEvery is how often it is read.
	shownIn, shownEvery = time.Second * patient.Factor, 20 * time.Millisecond
	// nameless begins the name that the middleware gives to a node of which it has not been told.
	nameless = "_NODE_NAME_UNKNOWN_"
)

// StillArmed is the error of a guard that ended before every node had confirmed that it is
// disarmed.
type StillArmed struct{ Services []string }

func (e *StillArmed) Error() string {
	return fmt.Sprintf("not confirmed to be disarmed: %s; make sure of it by other means",
		strings.Join(e.Services, ", "))
}

// Config is what a guard is made from.
type Config struct {
	Daemon   string   // whose lease is followed
	Services []string // of type std_srvs/srv/SetBool, in full; one for each node that is guarded
	Leave    bool     // armed nodes stay armed when the guard ends
	ROSArgs  []string
	Log      *zap.Logger
	Service  *sdnotify.Service // this process, for its manager; nil: there is none
}

// Guard follows the arm lease for nodes that do not, and disarms them when it ends.
type Guard struct {
	Config
	session *session.Session
	node    *rclgo.Node
	able    middleware.Abilities
	clients []*std_srvs_srv.SetBoolClient
	start   time.Time
	in      chan func(time.Duration) // what comes in, to the one goroutine that owns what follows
	over    chan struct{}            // closed when the goroutine no longer reads in
	calls   sync.WaitGroup

	guarding  *guarding
	announcer announcer
	answers   map[string]string // what was logged of a service last: the same is not logged again
	missing   string            // what the guard lacks to disarm by each service
	guarded   int               // by how many it can disarm
	odd       sync.Map          // what could not be read, and was logged
}

// New makes a guard that listens, and does nothing before Run.
func New(c Config) (*Guard, error) {
	s, err := session.Open(c.ROSArgs, c.Log)
	if err != nil {
		return nil, err
	}
	c.Daemon = path.Join("/", c.Daemon)
	g := &Guard{Config: c, session: s, start: time.Now(), in: make(chan func(time.Duration), 64),
		over:     make(chan struct{}),
		guarding: newGuarding(c.Services), answers: map[string]string{}}
	if err := g.build(); err != nil {
		s.End()
		return nil, err
	}
	return g, nil
}

func (g *Guard) build() (err error) {
	if g.node, err = g.session.Node(fmt.Sprintf("rstate_guard_%d", os.Getpid()), ""); err != nil {
		return err
	}
	test, err := g.session.Tested(g.node)
	if err != nil {
		return err
	}
	g.able = test.Abilities()
	for _, name := range g.Services {
		client, err := std_srvs_srv.NewSetBoolClient(g.node, name, nil)
		if err != nil {
			return &session.NoROS{Cause: err}
		}
		g.clients = append(g.clients, client)
	}
	newest := rclgo.NewDefaultSubscriptionOptions()
	newest.Qos.Reliability, newest.Qos.Durability, newest.Qos.Depth = rclgo.ReliabilityBestEffort,
		rclgo.DurabilityVolatile, lease.Depth
	if _, err := rstate_msgs_msg.NewArmLeaseSubscription(g.node, g.leaseTopic(), newest, g.heard); err != nil {
		return &session.NoROS{Cause: err}
	}
	latched := rclgo.NewDefaultSubscriptionOptions()
	latched.Qos.Durability, latched.Qos.Depth = rclgo.DurabilityTransientLocal, 100
	if _, err := rstate_msgs_msg.NewInstanceStateSubscription(g.node, g.stateTopic(), latched, g.told); err != nil {
		return &session.NoROS{Cause: err}
	}
	if err := g.openAnnouncer(); err != nil {
		return err
	}
	g.session.Serve()
	return nil
}

func (g *Guard) leaseTopic() string { return g.Daemon + "/arm_lease" }
func (g *Guard) stateTopic() string { return g.Daemon + "/state" }

// steady is the clock of the guarding. The guard reads it when a message arrives, not when it handles
// it.
func (g *Guard) steady() time.Duration { return time.Since(g.start) }

func (g *Guard) post(what func(now time.Duration)) {
	select {
	case g.in <- what:
	case <-g.over:
	}
}

func (g *Guard) heard(msg *rstate_msgs_msg.ArmLease, info *rclgo.MessageInfo, err error) {
	if err != nil {
		g.unread("cannot read a message of the arm lease", err)
		return
	}
	at := g.steady()
	m := lease.Message{Instance: msg.InstanceId, Term: msg.Term, Seq: msg.Seq, Writer: string(info.PublisherGID[:]),
		Proved: time.Duration(msg.ProvedNs), Valid: time.Duration(msg.ValidNs)}
	process := g.processOf(m.Writer)
	g.post(func(time.Duration) { g.guarding.heard(at, m, process) })
}

// processOf is the part of a writer's identity that all writers of its process share. It is empty where the
// middleware has none, so that the instance id decides; see ofDaemon.
func (g *Guard) processOf(writer string) string {
	if !g.able.GIDs || !g.able.Processes {
		return ""
	}
	return writer[:min(len(writer), processPart)]
}

// unread logs that bytes are no message. Anyone can send such bytes, so it does that once for each topic.
func (g *Guard) unread(what string, err error) {
	if _, known := g.odd.LoadOrStore(what, true); !known {
		g.Log.Warn(what+"; others like it are not logged", zap.Error(err))
	}
}

func (g *Guard) told(msg *rstate_msgs_msg.InstanceState, info *rclgo.MessageInfo, err error) {
	if err != nil {
		g.unread("cannot read the coordinator's state", err)
		return
	}
	if g.able.GIDs && !g.able.Processes && !g.ofDaemon(info.PublisherGID) {
		g.unread("a state is not from the coordinator's node", errStranger)
		return
	}
	s := standing{instance: msg.InstanceId, process: g.processOf(string(info.PublisherGID[:])), term: msg.LeaseTerm,
		doubt: len(msg.MayBeArmed) > 0}
	for _, n := range msg.Nodes {
		s.doubt = s.doubt || n.Armable && !n.Present
	}
	for _, o := range msg.Guards {
		s.list = append(s.list, guards.Listed{ID: o.Id, Nodes: o.Nodes, Lives: o.Alive, Fault: o.Cause})
	}
	g.post(func(now time.Duration) { g.guarding.told(now, s) })
}

var errStranger = errors.New("the graph shows its publisher for another node, or not at all")

// ofDaemon reports whether the graph shows a publisher as that of the daemon's node. A message may arrive before the
// graph shows its publisher, so it waits for the graph. Goroutine of told only.
func (g *Guard) ofDaemon(publisher rclgo.GID) bool {
	look := time.NewTicker(shownEvery)
	defer look.Stop()
	for range shownIn / shownEvery {
		infos, err := g.node.GetPublishersInfoByTopic(g.stateTopic(), true)
		if err != nil {
			return false // the node closes
		}
		if own, known := publishes(infos, publisher, g.Daemon); known {
			return own
		}
		select {
		case <-g.over:
			return false
		case <-look.C:
		}
	}
	return false
}

// publishes reports whether the graph has a publisher, and whether that belongs to the node of that name.
func publishes(infos []rclgo.TopicEndpointInfo, publisher rclgo.GID, name string) (own, known bool) {
	for _, i := range infos {
		if i.EndpointGID == publisher && !strings.HasPrefix(i.NodeName, nameless) {
			return path.Join(i.NodeNamespace, i.NodeName) == name, true
		}
	}
	return false, false
}

// Run guards until the context ends, and then leaves nothing armed, unless told to. Its error is a
// *StillArmed. It is called once.
func (g *Guard) Run(ctx context.Context) error {
	g.Log.Info("the guard starts", zap.Strings("guards", g.Services), zap.String("lease", g.leaseTopic()),
		zap.String("where", g.session.Where()))
	timer := time.NewTimer(0)
	defer timer.Stop()
	look := time.NewTicker(missEvery)
	defer look.Stop()
	speak := time.NewTicker(lease.Every) // a guard speaks as often as the lease does
	defer speak.Stop()
	g.Service.Ready()
	for {
		select {
		case <-ctx.Done():
			return g.leave()
		case what := <-g.in:
			g.turn(what)
		case <-timer.C:
			g.turn(func(time.Duration) {})
		case <-look.C:
			g.tellMissing()
		case <-speak.C:
			g.announce()
		}
		if g.guarding.takeNews() {
			g.announce()
		}
		g.arm(timer)
		g.Service.Turns()
		g.Service.Status(g.status())
	}
}

// arm sets the timer to the next moment at which there is something to look at.
func (g *Guard) arm(timer *time.Timer) {
	timer.Stop()
	if at, ok := g.guarding.next(); ok {
		timer.Reset(max(at-g.steady(), 0))
	}
}

// turn takes all queued messages before it checks whether the lease has ended, and acts on the
// result: on a busy machine, a message that arrived in time may be queued behind another.
func (g *Guard) turn(what func(now time.Duration)) {
	for what != nil {
		g.take(what)
		select {
		case what = <-g.in:
		default:
			what = nil
		}
	}
	g.take(g.guarding.look)
	now := g.steady()
	for _, i := range g.guarding.due(now) {
		g.disarm(i, now)
	}
}

// take takes one thing, and says what has changed by it.
func (g *Guard) take(what func(now time.Duration)) {
	before, term, shown := g.guarding.watch, g.guarding.newest().Term, g.guarding.shownTerm()
	what(g.steady())
	if now := g.guarding.shownTerm(); now != shown && now > 0 {
		g.Log.Debug(g.Daemon + " shows that it holds the lease")
	}
	g.tell(before, term)
}

// tell says what has changed.
func (g *Guard) tell(before watch, term uint64) {
	w, m := g.guarding, g.guarding.newest()
	which := zap.Uint64("term", m.Term)
	switch {
	case w.watch == watchHolding && before != watchHolding:
		g.Log.Info("a lease holds: from now on its end disarms", which, zap.String("instance", m.Instance),
			zap.Duration("good for", m.Valid))
	case w.watch == watchDisarming && before != watchDisarming:
		g.Log.Error("the lease has ended without the word that all is disarmed; the guard disarms", which)
	case w.watch == watchIdle && before == watchHolding:
		g.Log.Info("the lease was given back: the daemon has disarmed everything", zap.Uint64("term", term))
	case w.watch == watchIdle && before == watchDisarming:
		g.Log.Info("everything is disarmed", which)
	}
}

// disarm sends one request and handles its answer asynchronously.
func (g *Guard) disarm(i int, sent time.Duration) {
	name, client := g.Services[i], g.clients[i]
	g.calls.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), answerIn)
		defer cancel()
		resp, _, err := client.Send(ctx, std_srvs_srv.NewSetBool_Request())
		g.post(func(time.Duration) {
			switch {
			case err != nil:
				g.answered(name, "does not answer", zap.Error(err))
			case !resp.Success:
				g.answered(name, "refuses: "+resp.Message)
			default:
				g.Log.Info("a service has disarmed its node", zap.String("service", name),
					zap.String("answer", resp.Message))
				delete(g.answers, name)
				g.guarding.confirms(i, sent)
			}
		})
	})
}

func (g *Guard) answered(name, what string, fields ...zap.Field) {
	if g.answers[name] != what {
		g.answers[name] = what
		g.Log.Error("a service does not disarm its node; it is asked again every second",
			append(fields, zap.String("service", name), zap.String("why", what))...)
	}
}

// tellMissing logs which required publishers and services are missing, when that changes.
func (g *Guard) tellMissing() {
	n, err := g.node.CountPublishers(g.leaseTopic())
	missing, guarded := coverage(g.leaseTopic(), err != nil || n > 0, g.Services, func(name string) bool {
		n, err := g.node.CountServices(name)
		return err != nil || n > 0
	})
	text := strings.Join(missing, ", ")
	switch {
	case text == g.missing:
	case text == "":
		g.Log.Info("nothing is missing any more")
	case len(guarded) == 0:
		g.Log.Warn("the guard guards nothing as it is", zap.Strings("missing", missing))
	default:
		g.Log.Warn("the guard does not guard all that it should", zap.Strings("missing", missing),
			zap.Strings("guards", guarded))
	}
	g.missing, g.guarded = text, len(guarded)
}

// status describes in one line what the guard does.
func (g *Guard) status() string {
	switch count := clean.Count(len(g.Services), "service"); {
	case g.guarding.watch == watchDisarming:
		return "the lease has ended: disarming " + strings.Join(g.guarding.unconfirmed(), ", ")
	case g.guarding.watch == watchHolding:
		return fmt.Sprintf("a lease of %s holds: its end disarms %s", g.Daemon, count)
	case g.missing != "" && g.guarded == 0:
		return "guards nothing: " + g.missing
	case g.missing != "":
		return fmt.Sprintf("no lease of %s holds; guards %d of %s: %s", g.Daemon, g.guarded, count, g.missing)
	default:
		return fmt.Sprintf("no lease of %s holds; guards %s", g.Daemon, count)
	}
}

// Close ends the guard's part of ROS, after Run.
func (g *Guard) Close() {
	close(g.over)
	g.session.End()
	g.calls.Wait()
}
