//go:build ros

package app

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"rstate/internal/coordinator"
	"rstate/internal/engine"
	"rstate/internal/machine"
	"rstate/internal/network"
	"rstate/internal/rosnet"
)

const (
	// stopIn is how long the engine has to end by itself after Stop; with what closing takes it is less than 5 s.
	stopIn = 4300 * time.Millisecond
	// leaveIn is how long all of it may take, and closeAtLeast how long closing gets in any case.
	leaveIn, closeAtLeast = 4900 * time.Millisecond, 600 * time.Millisecond
	// disarmIn is how long nodes have to confirm when the loop has broken down.
	disarmIn = 2 * time.Second
	// codeUnclean is the exit code of a process that left something behind.
	codeUnclean = 5
)

// Config is what a daemon is made from.
type Config struct {
	File    string   // the network file
	ROSArgs []string // with --ros-args in front
	Journal string   // the folder of the journal; empty: the one that JournalDir names
	Version string
	Log     *zap.Logger
}

// App is the daemon of one network. Its methods may be called by anybody.
type App struct {
	log     *zap.Logger
	net     *network.Network
	session *session
	world   *rosnet.World
	keeper  *keeper
	loop    *coordinator.Coordinator
	ready   chan struct{}
	known   sync.Once // ready is closed
	started sync.Once
	stopped sync.Once

	stopSince atomic.Pointer[time.Time]

	abort context.CancelCauseFunc // ends the loop without the engine's consent
	run   context.Context
	done  chan struct{} // closed when everything is over; then code and err are set
	code  int
	err   error
}

// New makes a daemon that touches no node yet. Its errors are network.Faults, *BadArgs, *NoROS, or another.
func New(c Config) (*App, error) {
	net, err := network.Load(c.File)
	if err != nil {
		return nil, err
	}
	for _, w := range net.Warnings {
		c.Log.Warn(w.String())
	}
	secret, warning, err := rosnet.ReadSecret(net)
	if err != nil {
		return nil, err
	}
	if warning != "" {
		c.Log.Warn(warning)
	}
	s, err := open(c.ROSArgs, c.Log)
	if err != nil {
		return nil, err
	}
	a := &App{log: c.Log, net: net, session: s, ready: make(chan struct{}), done: make(chan struct{})}
	a.run, a.abort = context.WithCancelCause(context.Background())
	if err := a.build(c, secret); err != nil {
		s.done.run(letGo)
		return nil, err
	}
	return a, nil
}

func (a *App) build(c Config, secret *rosnet.Secret) error {
	node, err := a.session.node(NodeName, "")
	if err != nil {
		return err
	}
	if name := node.FullyQualifiedName(); a.net.Index(name) >= 0 {
		return &OwnName{File: a.net.File, Name: name}
	}
	instance := newInstance()
	a.world, err = rosnet.New(rosnet.Options{Network: a.net, Node: node, Instance: instance, Version: c.Version, Log: a.log, Secret: secret})
	if err != nil {
		return &NoROS{err}
	}
	a.keeper = newKeeper(c.Journal, node.FullyQualifiedName(), instance)
	a.session.done.add("journal", a.keeper.close)
	closeHistory, err := offerHistory(node, a.net.Machine, a.keeper.dir)
	if err != nil {
		return &NoROS{err}
	}
	a.session.done.add("history", closeHistory)
	last, said := a.keeper.last()
	if said != "" {
		a.log.Info(said)
	}
	state := engine.New(a.net, engine.Options{Instance: instance, Last: last})
	a.loop = coordinator.New(coordinator.Engine(state), a, coordinator.SteadyClock(), a.log)
	a.session.serve()
	a.session.done.add("network's part of ROS", func() error { a.world.Close(); return nil })
	a.log.Info("rstate begins", zap.String("node", node.FullyQualifiedName()), zap.String("simulation", a.net.Simulation),
		zap.String("file", a.net.File), zap.String("instance", instance), zap.String("where", a.session.where()))
	return nil
}

// newInstance names this run.
func newInstance() string {
	var id [16]byte
	rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}

// Start begins to hear and to act. Calling it again does nothing.
func (a *App) Start() (err error) {
	a.started.Do(func() {
		a.keeper.open(a.loop.Post)
		if err = a.world.Start(a.loop.Post); err != nil {
			err = &NoROS{err}
			a.end(codeUnclean, err)
			return
		}
		go a.turn()
	})
	return err
}

// turn runs the loop to its end and then closes everything.
func (a *App) turn() {
	exit, err := a.loop.Run(a.run)
	if err != nil {
		if !errors.Is(err, errTooLong) { // else the engine has tried all the while
			a.log.Error("the coordinator broke down; nodes are disarmed", zap.Error(err))
			ctx, cancel := context.WithTimeout(context.Background(), disarmIn)
			a.world.DisarmAll(ctx)
			cancel()
		}
		a.end(codeUnclean, err)
		return
	}
	a.end(exit.Code, nil)
}

func (a *App) end(code int, err error) {
	a.session.done.run(a.closeIn())
	a.code, a.err = code, err
	close(a.done)
}

// closeIn is how long closing may take: what is left of the time since Stop, if that was called.
func (a *App) closeIn() time.Duration {
	since := a.stopSince.Load()
	if since == nil {
		return letGo
	}
	return max(leaveIn-time.Since(*since), closeAtLeast)
}

// Ready is closed when the state of the network is known for the first time.
func (a *App) Ready() <-chan struct{} { return a.ready }

// Done is closed when the daemon has ended.
func (a *App) Done() <-chan struct{} { return a.done }

// Wait returns the exit code when the daemon has ended, and what broke it, if anything did.
func (a *App) Wait() (int, error) {
	<-a.done
	return a.code, a.err
}

// errTooLong ends a loop whose engine does not come to an end.
var errTooLong = errors.New("what was to be done before the end took too long")

// Stop asks the daemon to end and waits until it has, 5 s at the most. Calling it again waits too.
func (a *App) Stop(why string) {
	a.stopped.Do(func() {
		now := time.Now()
		a.stopSince.Store(&now)
		a.started.Do(func() { a.end(0, nil) }) // never started: nothing to stop but to close
		a.loop.Post(engine.StopAsked{Why: why})
		timer := time.NewTimer(stopIn)
		defer timer.Stop()
		select {
		case <-a.done:
		case <-timer.C:
			a.log.Error("rstate leaves before it is done", zap.Duration("after", stopIn))
			a.abort(errTooLong)
		}
	})
	<-a.done
}

// Carry, Show and Beat make the app the coordinator's world: it keeps what is recorded, hears when the state is known,
// and hands on.
func (a *App) Carry(e engine.Effect) {
	if !a.keeper.carry(e) {
		a.world.Carry(e)
	}
}

// Show is heard too.
func (a *App) Show(s engine.Snapshot) {
	a.world.Show(s)
	if s.State != "" && s.State != machine.Unknown {
		a.known.Do(func() { close(a.ready) })
	}
}

// Beat is handed on.
func (a *App) Beat() { a.world.Beat() }
