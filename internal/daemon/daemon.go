//go:build ros

package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/coordinator"
	"rstate/internal/engine"
	"rstate/internal/host"
	"rstate/internal/logs"
	"rstate/internal/machine"
	"rstate/internal/nav2"
	"rstate/internal/network"
	"rstate/internal/rosnet"
	"rstate/internal/sdnotify"
	"rstate/internal/session"
)

// Config is what a daemon is made from.
type Config struct {
	File    string   // the network file; empty: the parameter network says which
	ROSArgs []string // with --ros-args in front
	Journal string   // its folder; empty: the parameter journal, else that of JournalDir
	Version string
	Log     *zap.Logger
	Level   *zap.AtomicLevel // that Log follows, for the parameter log_level; nil: there is none
	Console *logs.Console    // on which Log is written; nil: it cannot be closed

	Nav2    bool              // in place of nav2's lifecycle manager: its parameters describe the network
	Service *sdnotify.Service // this process, for its manager; nil: there is none, or it is that of a factory
	Within  *Berth            // in a factory; nil: a process of its own
}

// Daemon is the daemon of one network. Its methods are safe for concurrent use.
type Daemon struct {
	log        *zap.Logger
	console    *logs.Console
	name       string // full, of its node
	net        *network.Network
	about      whose
	secret     *rosnet.Secret // what a goal has to bring that arms; nil: nothing
	auto       autostart
	nav2       *rosnet.Manager // nil: it is not in place of one
	session    *session.Session
	lastWords  session.Cleanups // before the session closes
	unlock     func() error     // gives the name free on this host; nil: it is not locked
	claim      io.Closer        // of the name in this network; nil: it is not claimed
	claims     []io.Closer      // of nodes
	world      *rosnet.World
	keeper     *keeper
	pacer      *pacer
	localGoals *localGoals
	shown      shown
	service    service
	figures    *figures
	kept       atomic.Pointer[kept]
	within     *Berth
	loop       *coordinator.Coordinator
	heart      *coordinator.Heart
	ready      chan struct{}
	begun      chan struct{} // closed when the state is known and autostart has ended
	known      sync.Once     // ready is closed
	started    sync.Once
	stopped    sync.Once
	closed     sync.Once

	stopSince atomic.Pointer[time.Time]
	stopping  chan struct{} // closed by Stop
	fault     atomic.Pointer[fault]

	abort context.CancelCauseFunc // ends the loop without the engine's consent
	run   context.Context
	ended chan struct{} // closed when the engine has ended; then code and err are set
	done  chan struct{} // closed when everything is over
	code  int
	err   error
	exit  engine.Exit // of the engine, if it has ended by itself; set before code
}

// New makes a daemon that touches no node yet. Its errors are network.Faults, *BadArgs,
// *BadParameter, *NoNetwork, *OwnName, *NameHeld, *NoROS, or another.
func New(c Config) (*Daemon, error) {
	d := &Daemon{
		log: c.Log, console: c.Console, within: c.Within, service: service{to: c.Service}, pacer: newPacer(), ready: make(chan struct{}),
		begun: make(chan struct{}), stopping: make(chan struct{}), ended: make(chan struct{}),
		done: make(chan struct{}),
	}
	if d.within != nil {
		d.pacer = noPacer()
	}
	var err error
	if c.File, err = host.ExpandHome(c.File); err != nil {
		return nil, &session.BadParameter{Name: paramNetwork, Cause: err}
	}
	if c.Journal, err = host.ExpandHome(c.Journal); err != nil {
		return nil, &session.BadParameter{Name: paramJournal, Cause: err}
	}
	if c.File != "" { // reports faults of the file even if ROS is not usable
		if err := d.load(c.File); err != nil {
			return nil, err
		}
	}
	s, err := d.join(c)
	if err != nil {
		return nil, err
	}
	d.session, d.lastWords.Log = s, d.log
	d.run, d.abort = context.WithCancelCause(context.Background())
	built := false
	defer func() { // after a panic too, which a factory survives
		if !built {
			d.abort(nil)
			s.End()
			d.giveFree()
		}
	}()
	if err := d.build(c); err != nil {
		return nil, err
	}
	built = true
	return d, nil
}

// join takes part in ROS.
func (d *Daemon) join(c Config) (*session.Session, error) {
	if d.within != nil {
		return d.within.Session, nil
	}
	return session.Open(c.ROSArgs, c.Log)
}

func (d *Daemon) load(file string) (err error) {
	var net *network.Network
	if d.within != nil {
		net, err = network.LoadAs(file, d.within.ID)
	} else {
		net, err = network.Load(file)
	}
	if err != nil {
		return err
	}
	return d.takeNetwork(net)
}

// takeNetwork takes the network that was read.
func (d *Daemon) takeNetwork(net *network.Network) (err error) {
	d.net = net
	for _, w := range d.net.Warnings {
		d.log.Warn(w.String())
	}
	var warning string
	d.secret, warning, err = rosnet.ReadSecret(d.net)
	if warning != "" {
		d.log.Warn(warning)
	}
	return err
}

// configure declares the parameters of the daemon's node and applies their values.
func (d *Daemon) configure(node *rclgo.Node, c *Config) error {
	p, err := declareParameters(node, *c)
	if err != nil {
		return err
	}
	if c.Nav2 {
		if err := d.manager(node); err != nil {
			return err
		}
	}
	if others := strangers(node.Parameters()); len(others) > 0 {
		d.log.Warn("parameters are set that rstate does not have", zap.Strings("parameters", others))
	}
	c.File, c.Journal = p.network, p.journal
	if c.File == "" && !c.Nav2 {
		return &NoNetwork{}
	}
	if d.net == nil {
		if err := d.load(c.File); err != nil {
			return err
		}
	}
	if list := d.net.Machine.Autos(d.net.Machine.Initial, machine.On{Event: machine.Made}, ""); c.Within != nil &&
		p.autostart == "" && len(list) > 0 {
		p.autostart = list[0].Do // a factory has made it, as its client asked
	}
	d.auto, err = readAutostart(p.autostart, d.net)
	return err
}

func (d *Daemon) build(c Config) error {
	began := time.Now()
	instance := host.NewInstance(began)
	usual := session.NodeName
	if c.Nav2 {
		usual = nav2.NodeName
	}
	if err := d.takeName(usual, c.File, instance); err != nil {
		return err
	}
	node, err := d.session.DaemonNode(usual)
	if err != nil {
		return err
	}
	out := session.NewRosout(node.Logger().Rosout)
	d.session.AtEnd("lines for /rosout", out.Close)
	d.log = out.Beside(d.log)
	if err := d.configure(node, &c); err != nil {
		return err
	}
	d.name = node.FullyQualifiedName()
	if err := listsItself(d.net, d.name); err != nil {
		return err
	}
	if err := d.claimNodes(); err != nil {
		return err
	}
	d.heart, d.figures = &coordinator.Heart{}, newFigures(d.net)
	d.keeper = newKeeper(c.Journal, d.name, instance)
	d.sayWhere()
	reading := d.keeper.beginPast()
	tested, err := d.session.Tested(node)
	if err != nil {
		return err
	}
	d.world, err = rosnet.New(rosnet.Options{
		Network: d.net, Node: node, Tested: tested, Instance: instance, Began: began, Version: c.Version, Log: d.log, Secret: d.secret,
		Manager: d.nav2,
		Others:  func() (func() error, error) { return offerHistory(node, d.net.Machine, d.keeper.dir) },
		Serving: d.service.serves,
		Broken:  d.breaks,
		Stopped: d.heart.Stopped,
	})
	if err != nil {
		return &session.NoROS{Cause: err}
	}
	d.session.AtEnd("journal", d.keeper.close)
	past, said := reading()
	if said != "" {
		d.log.Info(said)
	}
	least, most := d.session.Listen(d.claim != nil)
	opt := inherit(past, d.net, engine.Options{Instance: instance, Name: d.name, Logs: true,
		Silent: tested.Abilities().Silent, Listen: engine.Listen{Least: least, Most: most}})
	d.keeper.listens = topicsOf(d.net)
	opt.Unheard = unheard(past, d.net, instant{d.keeper.boot, coordinator.BootTime(), time.Now()})
	d.world.Remember(opt.Leftovers)
	state := engine.New(d.net, opt)
	d.loop = coordinator.New(coordinator.Engine(state), d, d.world.Clock(coordinator.SteadyClock()), d.heart, d.log)
	d.service.machine = d.net.Machine
	d.localGoals = newLocalGoals(d.loop.Post)
	d.about = whose{net: d.net, name: d.name, instance: instance, version: c.Version, created: began, owner: d.owner()}
	d.session.Serve()
	d.session.AtEnd("network's part of ROS", func() error { d.world.Close(); return nil })
	if d.within != nil { // those of a factory say it side by side, before each waits for its turn to close
		d.lastWords.Add("what the network says last", func() error { d.world.Leave(); return nil })
	}
	about := zap.Skip() // the log of a factory names the simulation in each line
	if d.within == nil {
		about = zap.String("simulation", d.net.Simulation)
	}
	d.log.Info("rstate begins", zap.String("node", d.name), about,
		zap.String("file", d.net.File), zap.String("instance", instance), zap.String("where", d.session.Where()))
	return nil
}

// takeName ensures, before the daemon creates anything in ROS, that no other daemon on this host
// has its name.
func (d *Daemon) takeName(usual, file, instance string) error {
	name, domain, err := d.session.WillBe(usual)
	if err != nil {
		return err
	}
	d.unlock, err = host.LockName(name, domain, file, instance)
	var held *host.NameHeld
	if err != nil && !errors.As(err, &held) {
		d.log.Warn("another rstate of this name on this host is found over ROS only", zap.Error(err))
		return nil
	}
	if err == nil {
		d.claim = host.ClaimName(name, domain)
	}
	return err
}

// sayWhere publishes this process's address, so that clients on this host can discover it alone, and
// the folder of its journal. Clients made with client.NewBrief use it.
func (d *Daemon) sayWhere() {
	domain, err := d.session.Domain()
	if err != nil {
		return
	}
	file := host.Whole(d.net.File)
	if d.nav2 != nil {
		file = d.net.File // there is none
	}
	d.keeper.domain, d.keeper.file = fmt.Sprint(domain), file
	if d.unlock == nil {
		return
	}
	if err := host.WritePlace(d.name, domain, d.net.File, d.keeper.dir, d.session.ListensAt(domain)); err != nil {
		d.log.Warn("clients on this host discover all nodes, not this process alone", zap.Error(err))
	}
}

// giveFree gives the name free on this host, after everything of it has gone from ROS.
func (d *Daemon) giveFree() {
	d.giveNodesFree()
	if d.claim != nil {
		d.claim.Close()
	}
	if d.unlock == nil {
		return
	}
	if err := d.unlock(); err != nil {
		d.log.Warn("cannot give the name free", zap.Error(err))
	}
}

// errStopped is the error of a daemon that is started after its end.
var errStopped = errors.New("cannot start: it was stopped before; make a new one")

// Start begins to hear and to act. Calling it again does nothing.
func (d *Daemon) Start() error {
	d.started.Do(func() {
		d.keeper.open(d.loop.Post)
		d.world.Start(d.loop.Post)
		if d.console != nil {
			forget := d.console.Closed(func(err error) { d.loop.Post(engine.ConsoleClosed{Err: session.Reason(err)}) })
			d.session.AtEnd("console", func() error { forget(); return nil })
		}
		go d.heart.Run(d.run)
		go d.turn()
	})
	if d.stopSince.Load() != nil {
		return errStopped
	}
	return nil
}

// Name is the full name of the daemon's node, after remapping.
func (d *Daemon) Name() string { return d.name }

// Ready is closed when the state of the network is known for the first time.
func (d *Daemon) Ready() <-chan struct{} { return d.ready }

// Done is closed when the daemon has ended.
func (d *Daemon) Done() <-chan struct{} { return d.done }

// Carry executes an effect. Carry, Show and Beat make the daemon the world of its coordinator: it
// writes the journal, notes when the state is known and how its own goal ends, and passes the rest
// to the ROS world.
func (d *Daemon) Carry(e engine.Effect) {
	d.figures.note(e, time.Now())
	if !d.keeper.carry(e) && !d.localGoals.hears(e) {
		d.world.Carry(e)
	}
}

// Show is heard too.
func (d *Daemon) Show(s engine.Snapshot) {
	d.world.Show(s)
	d.shown.put(&s)
	d.service.shows(&s)
	d.pacer.shown(!s.Rests())
	if s.State != "" && s.State != machine.Unknown {
		d.known.Do(func() {
			d.startAuto(s)
			close(d.ready)
		})
	}
}

// Beat is handed on.
func (d *Daemon) Beat() {
	d.service.turns()
	d.figures.beats(time.Now())
	d.keeper.beat(time.Now())
	d.shown.turn()
	d.world.Beat()
}
