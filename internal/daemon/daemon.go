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
	"rstate/internal/network"
	"rstate/internal/rosnet"
	"rstate/internal/session"
)

const (
	// stopIn is how long the engine has to end by itself after Stop; with what closing takes it is
	// less than 5 s.
	stopIn = 4300 * time.Millisecond
	// leaveIn is how long all of it may take.
	leaveIn = 4900 * time.Millisecond
	// fetchIn is how long clients have to fetch results before closing begins.
	fetchIn = 3 * time.Second
	// codeUnclean is the exit code of a process that left something behind.
	codeUnclean = 5
	// codeNotHere and codeNameTaken are the engine's exit codes if the network cannot run here or
	// another daemon has the name. They are meant for the process that started the daemon.
	codeNotHere, codeNameTaken = 2, 3
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

	Within *Berth // in a factory; nil: a process of its own
}

// Daemon is the daemon of one network. Its methods are safe for concurrent use.
type Daemon struct {
	log       *zap.Logger
	console   *logs.Console
	name      string // full, of its node
	net       *network.Network
	about     whose
	secret    *rosnet.Secret // what a goal has to bring that arms; nil: nothing
	auto      autostart
	session   *session.Session
	lastWords session.Cleanups // before the session closes
	unlock    func() error     // gives the name free on this host; nil: it is not locked
	claim     io.Closer        // of the name in this network; nil: it is not claimed
	claims    []io.Closer      // of nodes
	world     *rosnet.World
	keeper    *keeper
	tidy      *tidy
	desk      *desk
	shown     shown
	kept      atomic.Pointer[kept]
	within    *Berth
	loop      *coordinator.Coordinator
	heart     *coordinator.Heart
	ready     chan struct{}
	begun     chan struct{} // closed when the state is known and autostart has ended
	known     sync.Once     // ready is closed
	started   sync.Once
	stopped   sync.Once
	closed    sync.Once

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
	a := &Daemon{
		log: c.Log, console: c.Console, within: c.Within, tidy: newTidy(), ready: make(chan struct{}), begun: make(chan struct{}), stopping: make(chan struct{}), ended: make(chan struct{}), done: make(chan struct{}),
	}
	if a.within != nil {
		a.tidy = untidy()
	}
	var err error
	if c.File, err = host.ExpandHome(c.File); err != nil {
		return nil, &session.BadParameter{Name: paramNetwork, Cause: err}
	}
	if c.Journal, err = host.ExpandHome(c.Journal); err != nil {
		return nil, &session.BadParameter{Name: paramJournal, Cause: err}
	}
	if c.File != "" { // reports faults of the file even if ROS is not usable
		if err := a.load(c.File); err != nil {
			return nil, err
		}
	}
	s, err := a.join(c)
	if err != nil {
		return nil, err
	}
	a.session, a.lastWords.Log = s, a.log
	a.run, a.abort = context.WithCancelCause(context.Background())
	built := false
	defer func() { // after a panic too, which a factory survives
		if !built {
			a.abort(nil)
			s.End()
			a.giveFree()
		}
	}()
	if err := a.build(c); err != nil {
		return nil, err
	}
	built = true
	return a, nil
}

// join takes part in ROS.
func (a *Daemon) join(c Config) (*session.Session, error) {
	if a.within != nil {
		return a.within.Session, nil
	}
	return session.Open(c.ROSArgs, c.Log)
}

func (a *Daemon) load(file string) (err error) {
	if a.within != nil {
		a.net, err = network.LoadAs(file, a.within.ID)
	} else {
		a.net, err = network.Load(file)
	}
	if err != nil {
		return err
	}
	for _, w := range a.net.Warnings {
		a.log.Warn(w.String())
	}
	var warning string
	a.secret, warning, err = rosnet.ReadSecret(a.net)
	if warning != "" {
		a.log.Warn(warning)
	}
	return err
}

// configure declares the parameters of the daemon's node and applies their values.
func (a *Daemon) configure(node *rclgo.Node, c *Config) error {
	p, err := declareParameters(node, *c)
	if err != nil {
		return err
	}
	if others := strangers(node.Parameters()); len(others) > 0 {
		a.log.Warn("parameters are set that rstate does not have", zap.Strings("parameters", others))
	}
	c.File, c.Journal = p.network, p.journal
	if c.File == "" {
		return &NoNetwork{}
	}
	if a.net == nil {
		if err := a.load(c.File); err != nil {
			return err
		}
	}
	if list := a.net.Machine.Autos(a.net.Machine.Initial, machine.On{Event: machine.Made}, ""); c.Within != nil && p.autostart == "" && len(list) > 0 {
		p.autostart = list[0].Do // a factory has made it, as its client asked
	}
	a.auto, err = readAutostart(p.autostart, a.net)
	return err
}

func (a *Daemon) build(c Config) error {
	began := time.Now()
	instance := host.NewInstance(began)
	if err := a.takeName(c.File, instance); err != nil {
		return err
	}
	node, err := a.session.DaemonNode(session.NodeName)
	if err != nil {
		return err
	}
	out := session.NewRosout(node.Logger().Rosout)
	a.session.AtEnd("lines for /rosout", out.Close)
	a.log = out.Beside(a.log)
	if err := a.configure(node, &c); err != nil {
		return err
	}
	a.name = node.FullyQualifiedName()
	if err := listsItself(a.net, a.name); err != nil {
		return err
	}
	if err := a.claimNodes(); err != nil {
		return err
	}
	a.heart = &coordinator.Heart{}
	a.keeper = newKeeper(c.Journal, a.name, instance)
	a.sayWhere()
	reading := a.keeper.beginPast()
	a.world, err = rosnet.New(rosnet.Options{
		Network: a.net, Node: node, Instance: instance, Began: began, Version: c.Version, Log: a.log, Secret: a.secret,
		Others:  func() (func() error, error) { return offerHistory(node, a.net.Machine, a.keeper.dir) },
		Broken:  a.breaks,
		Stopped: a.heart.Stopped,
	})
	if err != nil {
		return &session.NoROS{Cause: err}
	}
	a.session.AtEnd("journal", a.keeper.close)
	past, said := reading()
	if said != "" {
		a.log.Info(said)
	}
	least, most := a.session.Listen(a.claim != nil)
	opt := inherit(past, a.net, engine.Options{Instance: instance, Name: a.name, Logs: true, Listen: engine.Listen{Least: least, Most: most}})
	a.world.Remember(opt.Left)
	state := engine.New(a.net, opt)
	a.loop = coordinator.New(coordinator.Engine(state), a, a.world.Clock(coordinator.SteadyClock()), a.heart, a.log)
	a.desk = newDesk(a.loop.Post)
	a.about = whose{net: a.net, name: a.name, instance: instance, version: c.Version, created: began, owner: a.owner()}
	a.session.Serve()
	a.session.AtEnd("network's part of ROS", func() error { a.world.Close(); return nil })
	if a.within != nil { // those of a factory say it side by side, before each waits for its turn to close
		a.lastWords.Add("what the network says last", func() error { a.world.Leave(); return nil })
	}
	about := zap.Skip() // the log of a factory names the simulation in each line
	if a.within == nil {
		about = zap.String("simulation", a.net.Simulation)
	}
	a.log.Info("rstate begins", zap.String("node", a.name), about,
		zap.String("file", a.net.File), zap.String("instance", instance), zap.String("where", a.session.Where()))
	return nil
}

// takeName ensures, before the daemon creates anything in ROS, that no other daemon on this host
// has its name.
func (a *Daemon) takeName(file, instance string) error {
	name, domain, err := a.session.WillBe(session.NodeName)
	if err != nil {
		return err
	}
	a.unlock, err = host.LockName(name, domain, file, instance)
	var held *host.NameHeld
	if err != nil && !errors.As(err, &held) {
		a.log.Warn("another rstate of this name on this host is found over ROS only", zap.Error(err))
		return nil
	}
	if err == nil {
		a.claim = host.ClaimName(name, domain)
	}
	return err
}

// sayWhere publishes this process's address, so that clients on this host can discover it alone, and
// the folder of its journal. Clients made with client.NewBrief use it.
func (a *Daemon) sayWhere() {
	domain, err := a.session.Domain()
	if err != nil {
		return
	}
	a.keeper.domain, a.keeper.file = fmt.Sprint(domain), host.Whole(a.net.File)
	if a.unlock == nil {
		return
	}
	if err := host.WritePlace(a.name, domain, a.net.File, a.keeper.dir, a.session.ListensAt(domain)); err != nil {
		a.log.Warn("clients on this host discover all nodes, not this process alone", zap.Error(err))
	}
}

// giveFree gives the name free on this host, after everything of it has gone from ROS.
func (a *Daemon) giveFree() {
	a.giveNodesFree()
	if a.claim != nil {
		a.claim.Close()
	}
	if a.unlock == nil {
		return
	}
	if err := a.unlock(); err != nil {
		a.log.Warn("cannot give the name free", zap.Error(err))
	}
}

// errStopped is the error of a daemon that is started after its end.
var errStopped = errors.New("cannot start: it was stopped before; make a new one")

// Start begins to hear and to act. Calling it again does nothing.
func (a *Daemon) Start() error {
	a.started.Do(func() {
		a.keeper.open(a.loop.Post)
		a.world.Start(a.loop.Post)
		if a.console != nil {
			forget := a.console.Closed(func(err error) { a.loop.Post(engine.ConsoleClosed{Err: session.Reason(err)}) })
			a.session.AtEnd("console", func() error { forget(); return nil })
		}
		go a.heart.Run(a.run)
		go a.turn()
	})
	if a.stopSince.Load() != nil {
		return errStopped
	}
	return nil
}

// turn runs the loop to its end and then closes everything.
func (a *Daemon) turn() {
	exit, err := a.seeLoop()
	a.exit = exit
	switch {
	case errors.Is(err, errTooLong): // the engine has tried all the while
		a.end(codeUnclean, err)
	case err != nil:
		a.breakDown(err)
		a.end(codeUnclean, err)
	case exit.Code == codeNotHere || exit.Code == codeNameTaken:
		a.end(exit.Code, errors.New(exit.Why))
	default:
		a.end(exit.Code, nil)
	}
}

func (a *Daemon) end(code int, err error) {
	a.closed.Do(func() {
		defer a.abort(nil) // the heart
		a.code, a.err = code, err
		close(a.ended)
		a.desk.close()
		a.world.AwaitFetched(a.fetchIn())
		a.lastWords.Run(a.closeIn())
		a.session.Close(a.closeIn())
		a.giveFree()
		close(a.done)
	})
}

// fetchIn is how long clients have to ask for the results of their goals. After Stop it leaves enough time
// to close.
func (a *Daemon) fetchIn() time.Duration {
	since := a.stopSince.Load()
	if since == nil {
		return fetchIn
	}
	return min(fetchIn, max(0, stopIn-session.LetGo-time.Since(*since)))
}

// closeIn is how long closing may take: what is left of the time since Stop, if that was called.
func (a *Daemon) closeIn() time.Duration {
	since := a.stopSince.Load()
	if since == nil {
		return session.LetGo
	}
	return max(leaveIn-time.Since(*since), session.CloseAtLeast)
}

// Name is the full name of the daemon's node, after remapping.
func (a *Daemon) Name() string { return a.name }

// Ready is closed when the state of the network is known for the first time.
func (a *Daemon) Ready() <-chan struct{} { return a.ready }

// Done is closed when the daemon has ended.
func (a *Daemon) Done() <-chan struct{} { return a.done }

// Wait returns the exit code when the daemon has ended, and what broke it, if anything did.
func (a *Daemon) Wait() (int, error) {
	<-a.done
	return a.code, a.err
}

// Result describes a daemon that has ended. The exit code and the reason are those of the process.
func (a *Daemon) Result() Result {
	code, err := a.Wait()
	exit := a.exit
	if exit.Code = code; err != nil {
		exit.Why = err.Error()
	}
	return a.about.resultOfRun(exit, a.Snapshot(), time.Now())
}

// errTooLong ends a loop whose engine does not come to an end.
var errTooLong = errors.New("what was to be done before the end took too long")

// Stop asks the daemon to end and waits until it has, 5 s at the most; a simulation of a factory then
// waits for those that close before it. Calling it again waits too.
func (a *Daemon) Stop(why string) { a.StopAs(why, "") }

// StopAs is Stop for nodes that are left otherwise than the network file says, if onExit is given.
func (a *Daemon) StopAs(why string, onExit network.OnExit) {
	a.stopped.Do(func() {
		now := time.Now()
		a.stopSince.Store(&now)
		close(a.stopping)
		a.started.Do(func() { a.end(0, nil) }) // never started: nothing to stop but to close
		a.loop.Post(engine.StopAsked{Why: why, OnExit: onExit})
		timer := time.NewTimer(stopIn)
		defer timer.Stop()
		select {
		case <-a.ended: // closing has limits of its own, and may wait for its turn
		case <-timer.C:
			a.log.Error("rstate leaves before it is done", zap.Duration("after", stopIn))
			a.abort(errTooLong)
		}
	})
	<-a.done
}

// Carry executes an effect. Carry, Show and Beat make the app the world of its coordinator: it
// writes the journal, notes when the state is known and how its own goal ends, and passes the rest
// to the ROS world.
func (a *Daemon) Carry(e engine.Effect) {
	if !a.keeper.carry(e) && !a.desk.hears(e) {
		a.world.Carry(e)
	}
}

// Show is heard too.
func (a *Daemon) Show(s engine.Snapshot) {
	a.world.Show(s)
	a.shown.put(&s)
	a.tidy.shown(!s.Rests())
	if s.State != "" && s.State != machine.Unknown {
		a.known.Do(func() {
			a.startAuto(s)
			close(a.ready)
		})
	}
}

// Beat is handed on.
func (a *Daemon) Beat() { a.world.Beat() }
