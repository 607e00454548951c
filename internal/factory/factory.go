//go:build ros

package factory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/clean"
	"rstate/internal/daemon"
	"rstate/internal/host"
	"rstate/internal/httpapi"
	"rstate/internal/instances"
	"rstate/internal/logs"
	"rstate/internal/network"
	"rstate/internal/sdnotify"
	"rstate/internal/selftest"
	"rstate/internal/session"
)

// How long a creation waits until a network whose state is known is at rest. A client over ROS waits for
// Patience by default.
const (
	madeIn    = 30 * time.Second
	madeInROS = 8 * time.Second
)

// Config is what a factory is made from.
type Config struct {
	Name        string // of its node; empty: FactoryName
	Private     bool   // it makes no simulations for clients over ROS
	Experiments string // their folder
	Most        int    // simulations at a time
	FirstID     uint64 // the least id of its simulations
	ROSArgs     []string
	Journal     string // a folder for all journals; empty: that of JournalDir for each
	Version     string
	Log         *zap.Logger
	Console     *logs.Console
	Service     *sdnotify.Service // this process, for its manager; nil: there is none
}

// Factory makes, lists and removes simulations, each a Daemon with a ROS node of its own, in one
// process and one ROS context. It implements httpapi.Factory. Its methods are safe for concurrent
// use.
type Factory struct {
	config  Config
	log     *zap.Logger
	session *session.Session
	node    *rclgo.Node
	tested  *selftest.Test
	unlock  func() error
	claim   interface{ Close() error }
	ids     *ids
	all     *instances.Simulations
	tasks   sync.WaitGroup // requests over ROS

	mu      sync.Mutex
	making  sync.WaitGroup
	leave   context.CancelFunc // closes leaving; called again it does nothing
	leaving context.Context    // ends when the factory is to end
	clean   atomic.Bool        // all simulations have ended, and left nothing behind
}

var _ httpapi.Factory = (*Factory)(nil)

// New makes a factory without simulations, whose services answer. Its errors are those of New,
// or *BadExperiments.
func New(c Config) (*Factory, error) {
	var err error
	if c.Experiments, err = host.ExpandHome(c.Experiments); err != nil {
		return nil, &BadExperiments{c.Experiments, err}
	}
	if err := lookThrough(c.Experiments, c.Log); err != nil {
		return nil, err
	}
	s, err := session.Open(c.ROSArgs, c.Log)
	if err != nil {
		return nil, err
	}
	f := &Factory{config: c, log: c.Log, session: s, all: instances.NewSimulations(true)}
	f.leaving, f.leave = context.WithCancel(context.Background())
	if err := f.build(); err != nil {
		s.End()
		f.giveFree()
		return nil, err
	}
	return f, nil
}

func (f *Factory) build() error {
	name, domain, err := f.session.WillBe(cmp.Or(f.config.Name, session.FactoryName))
	if err != nil {
		return err
	}
	if f.unlock, err = host.LockName(name, domain, f.config.Experiments, host.NewInstance(time.Now())); err != nil {
		var held *host.NameHeld
		if errors.As(err, &held) {
			return err
		}
		f.log.Warn("another rstate of this name on this host is found over ROS only", zap.Error(err))
	}
	f.claim = host.ClaimName(name, domain)
	if f.node, err = f.session.DaemonNode(cmp.Or(f.config.Name, session.FactoryName)); err != nil {
		return err
	}
	if err := host.WritePlace(name, domain, f.config.Experiments, "", f.session.ListensAt(domain)); err != nil {
		f.log.Warn("clients on this host discover all nodes, not this process alone", zap.Error(err))
	}
	out := session.NewRosout(f.node.Logger().Rosout)
	f.session.AtEnd("lines for /rosout", out.Close)
	f.log = out.Beside(f.log)
	f.node.OnPanic(func(what string, value any) {
		f.log.Error("a part of the factory panicked", zap.String("part", what), zap.Any("panic", value))
	})
	if f.tested, err = f.session.Tested(f.node); err != nil {
		return err
	}
	dir, err := f.folder(name)
	if err != nil {
		return err
	}
	if err := f.openIDs(dir); err != nil {
		return err
	}
	if !f.config.Private {
		if err := f.offer(); err != nil {
			return &session.NoROS{Cause: err}
		}
	}
	if err := f.report(); err != nil {
		return err
	}
	f.session.Serve()
	f.log.Info("rstate makes simulations", zap.String("node", f.node.FullyQualifiedName()),
		zap.String("experiments", f.config.Experiments),
		zap.String("where", f.session.Where()))
	return nil
}

// turnsEvery is how often the loop that serves ROS says that it turns.
const turnsEvery = 100 * time.Millisecond

// report tells the manager of services how the factory is. The loop that serves ROS does it, and only
// while a request can be taken. A simulation that hangs ends no other one, so it does not count.
func (f *Factory) report() error {
	if f.config.Service == nil {
		return nil
	}
	return f.session.Every(turnsEvery, func() {
		f.mu.Lock()
		leaving := f.leaving.Err() != nil
		f.mu.Unlock()
		if leaving { // those that end close one after another
			f.config.Service.Extend(endsIn)
			return
		}
		f.config.Service.Turns()
		f.config.Service.Status(clean.Count(f.all.Count(), "simulation"))
	})
}

// endsIn is more than one simulation takes to close.
const endsIn = 20 * time.Second

// folder returns where a node of this process keeps its journal.
func (f *Factory) folder(name string) (string, error) {
	if f.config.Journal != "" {
		return filepath.Join(f.config.Journal, strings.ReplaceAll(strings.Trim(name, "/"), "/", ".")), nil
	}
	return host.JournalDir(name)
}

// Name is the full name of the factory's node.
func (f *Factory) Name() string { return f.node.FullyQualifiedName() }

// Simulations are those that were made and not removed.
func (f *Factory) Simulations() *instances.Simulations { return f.all }

// openIDs finds the ids that were used before.
func (f *Factory) openIDs(dir string) error {
	first, err := f.folder(path.Join(f.namespace("0"), session.NodeName))
	if err != nil {
		return err
	}
	before, after, _ := strings.Cut(filepath.Base(first), "sim_0")
	f.ids = &ids{file: filepath.Join(dir, "next_id"), first: f.config.FirstID,
		used: journaledIDs(filepath.Dir(first), before+"sim_", after)}
	if why := f.ids.mended(); why != "" {
		f.log.Warn("the next id is taken from the journals of the simulations", zap.String("why", why),
			zap.Uint64("next", f.ids.least()))
	}
	_, err = f.ids.next()
	return err
}

// Create makes a simulation of an experiment. It returns when the simulation is at rest, or after a
// while.
func (f *Factory) Create(ctx context.Context, client string, c httpapi.Creation) (httpapi.Simulation, error) {
	file, err := find(f.config.Experiments, c.Experiment)
	if err != nil {
		return httpapi.Simulation{}, &httpapi.Rejected{Why: err.Error()}
	}
	if err := f.begin(); err != nil {
		return httpapi.Simulation{}, err
	}
	defer f.making.Done()
	id, err := f.take(file, c.ID)
	if err != nil {
		return httpapi.Simulation{}, err
	}
	a, err := f.make(id, file, c.Owner)
	if err != nil {
		f.all.GiveUp(id)
		told := unquoted(c.Experiment, err)
		if told != err { // the log of the operator, not /rosout
			f.config.Log.Warn("an experiment has faults", zap.String("experiment", c.Experiment), zap.Error(err))
		}
		f.log.Warn("a simulation was not created", zap.String("simulation", id), zap.String("client", client),
			zap.Error(told))
		return httpapi.Simulation{}, &httpapi.Rejected{Why: told.Error()}
	}
	f.log.Info("simulation created", zap.String("simulation", id), zap.String("experiment", c.Experiment),
		zap.String("client", client))
	ctx, cancel := context.WithTimeout(ctx, madeIn)
	defer cancel()
	defer context.AfterFunc(f.leaving, cancel)()
	a.AwaitRest(ctx)
	return a.View(), nil
}

// begin notes that a simulation is being made; its caller calls making.Done.
func (f *Factory) begin() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.leaving.Err() != nil {
		return &httpapi.Rejected{Why: "the factory ends"}
	}
	f.making.Add(1)
	return nil
}

// take reserves an id: the given one, or the next free one.
func (f *Factory) take(file, given string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := f.all.Count(); n >= f.config.Most {
		return "", &httpapi.Busy{Why: fmt.Sprintf("this factory has %s, and takes %d at a time: remove one, or start it with --most %d", clean.Count(n, "simulation"), f.config.Most, 2*f.config.Most)}
	}
	next, err := f.ids.next()
	if err != nil {
		return "", err
	}
	if given != "" {
		if next, err = wanted(given, next); err != nil {
			return "", &httpapi.Rejected{Why: err.Error()}
		}
	} else {
		for f.isTaken(strconv.FormatUint(next, 10), file) {
			next++
		}
	}
	if err := f.ids.use(next); err != nil {
		return "", err
	}
	id := strconv.FormatUint(next, 10)
	f.all.Reserve(id)
	return id, nil
}

// isTaken reports whether ROS shows another simulation of an id, such as that of another factory.
func (f *Factory) isTaken(id, file string) bool {
	names, namespaces, err := f.node.GetNodeNames()
	if err != nil {
		return false // the node closes
	}
	for i := range names {
		if path.Join(namespaces[i], names[i]) == path.Join(f.namespace(id), session.NodeName) {
			return true
		}
	}
	net, err := network.LoadAs(file, id)
	if err != nil {
		return false // make tells
	}
	for _, topic := range []string{network.DefaultTopic(net.Machine, id), network.PeersTopic(id)} {
		if infos, err := f.node.GetPublishersInfoByTopic(topic, true); err == nil && len(infos) > 0 {
			return true
		}
	}
	return false
}

// namespace is that of the nodes of a simulation.
func (f *Factory) namespace(id string) string { return path.Join(f.node.Namespace(), "sim_"+id) }

// make starts a simulation. A panic ends only what is being made.
func (f *Factory) make(id, file, owner string) (a *daemon.Daemon, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = f.panicked("the creation of simulation "+id, p)
		}
	}()
	log := f.log.With(zap.String("simulation", id))
	simTime, _ := f.node.Parameters().Get(session.ParamSimTime)
	s, err := f.session.Share(f.namespace(id), simTime == true, log)
	if err != nil {
		return nil, err
	}
	dir, err := f.folder(path.Join(f.namespace(id), session.NodeName))
	if err != nil {
		return nil, err
	}
	made, err := daemon.New(daemon.Config{
		File: file, Journal: dir, Version: f.config.Version, Log: log, Console: f.config.Console,
		Within: &daemon.Berth{Session: s, ID: id, Owner: owner,
			Driver: func(n *network.Node) string { return daemon.Driver(f.node, f.tested.Abilities(), n) }},
	})
	if err != nil {
		return nil, err
	}
	if by := f.add(made); by != "" {
		made.Stop("it was not created")
		return nil, fmt.Errorf("cannot run %q: simulation %s has the topic %s already; leave the key topic out, or write %s into it", file, by, made.Network().Topic, network.ItsID)
	}
	defer func() {
		if a == nil { // it did not start
			f.all.Remove(made)
			made.Discard()
		}
	}()
	if err := made.Start(); err != nil {
		return nil, err
	}
	return made, nil
}

// add takes in a simulation, or returns the id of another one that has its topic.
func (f *Factory) add(a *daemon.Daemon) (by string) {
	f.mu.Lock() // two at a time cannot both find the topic free
	defer f.mu.Unlock()
	if by = f.all.OnTopic(a.Network().Topic); by == "" {
		f.all.Add(a)
	}
	return by
}

// panicked logs a panic, and returns it as the error of what the client asked for.
func (f *Factory) panicked(what string, p any) error {
	f.log.Error("a request panicked", zap.String("request", what), zap.Any("panic", p),
		zap.ByteString("stack", debug.Stack()))
	return fmt.Errorf("%s panicked: %v; this is a fault of rstate, please report it", what, p)
}

// Remove ends a simulation and forgets it. Its nodes are disarmed first. One that hangs is removed
// too.
func (f *Factory) Remove(_ context.Context, id, client string, r httpapi.Removal) error {
	a, err := f.all.Find(id)
	if err != nil {
		return err
	}
	why := "it is removed by " + client
	if r.Reason != "" {
		why += ": " + r.Reason
	}
	ended := a.IsOver()
	a.StopAs(why, network.OnExit(r.OnExit))
	f.all.Remove(a)
	code, err := a.Wait()
	f.log.Info("simulation removed", zap.String("simulation", id), zap.String("client", client), zap.Int("code", code),
		zap.Error(err))
	if ended || !a.IsUnsafe() {
		return nil
	}
	return fmt.Errorf("simulation %s is removed, but did not end cleanly: its nodes may be armed or not shut down; its journal tells more: rstate history --dir %s", id, a.Journal())
}

// Stop ends all simulations side by side, within seconds, and reports whether they left nothing behind.
// Then it closes them one after another, and the factory.
func (f *Factory) Stop(why string) (clean bool) {
	f.mu.Lock()
	f.leave()
	f.mu.Unlock()
	f.config.Service.Stops(why)
	var all sync.WaitGroup
	stop := func() {
		for _, a := range f.all.Apps() {
			all.Go(func() { a.Stop(why) })
		}
	}
	stop() // at once, whatever is being made
	f.making.Wait()
	stop()
	clean = true
	for _, a := range f.all.Apps() {
		clean = !a.IsUnsafe() && clean
	}
	f.clean.Store(clean)
	all.Wait()
	f.tasks.Wait()
	f.session.End()
	f.giveFree()
	return clean
}

// IsClean reports whether Stop has ended all simulations and they left nothing behind. What is left to do
// then is to close.
func (f *Factory) IsClean() bool { return f.clean.Load() }

func (f *Factory) giveFree() {
	if f.claim != nil {
		f.claim.Close()
	}
	if f.unlock != nil {
		if err := f.unlock(); err != nil {
			f.log.Warn("cannot give the name free", zap.Error(err))
		}
	}
}
