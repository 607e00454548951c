//go:build ros

package demo

import (
	"context"
	"path"
	"sync"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/session"
	std_srvs_srv "rstate/msgs/gen/std_srvs/srv"
)

// Node describes a node without work of its own, and its faults. A step is a transition, arm or
// disarm.
type Node struct {
	Name       string // in full
	Plain      bool   // no lifecycle
	ArmService string // of type std_srvs/srv/SetBool; empty: none
	Lease      string // the topic of the arm lease that the node follows; empty: none
	Topics     []Topic
	Services   []Service
	Parameters []Value
	Stepper    *Stepper // nil: it takes part in no loop

	Delay      map[string]time.Duration // what each step takes
	Faults     map[Fault][]string       // the steps that each fault befalls
	LateAnswer map[string]time.Duration // how long after a step was done it is answered
	After      map[Fault]time.Duration  // when Freeze and Die come by themselves
	Times      int                      // a step succeeds after so many failures; 0: never
}

// Fault is a way to do a step badly.
type Fault string

// The faults. Answers that are late are in Node.LateAnswer.
const (
	Refuse Fault = "refuse" // answers no
	Err    Fault = "err"    // errs, and comes back from error processing
	Freeze Fault = "freeze" // never returns from it, and hears nothing any more
	Die    Fault = "die"    // takes its process with it in the middle of the step
	Lie    Fault = "lie"    // answers yes and does nothing
	Lose   Fault = "lose"   // does it and never answers
)

// Nodes is demo nodes in one process.
type Nodes struct {
	session *session.Session
	log     *zap.Logger
	ctx     context.Context // done when the nodes are to end
	tasks   sync.WaitGroup  // what runs for them
	few     bool            // the nodes are so few that their parameter services cost little
}

// fewNodes is up to how many nodes in a process have parameter services: six more services for each
// node make the start of 200 nodes three times as long.
const fewNodes = 20

// New makes the nodes and serves them.
func New(nodes []Node, rosArgs []string, log *zap.Logger) (*Nodes, error) {
	s, err := session.Open(rosArgs, log)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	d := &Nodes{session: s, log: log, ctx: ctx, few: len(nodes) <= fewNodes}
	for _, n := range nodes {
		if err := d.add(n); err != nil {
			cancel()
			s.End()
			return nil, err
		}
	}
	s.AtEnd("work of the nodes", func() error {
		cancel()
		d.tasks.Wait()
		return nil
	})
	return d, nil
}

// Stop ends the nodes.
func (d *Nodes) Stop() { d.session.End() }

// demoLife is the lifecycle of a node: the one of rclgo, or a handLife.
type demoLife interface{ State() rclgo.LifecycleState }

func (d *Nodes) add(spec Node) error {
	namespace, name := path.Split(spec.Name)
	options := rclgo.NewDefaultNodeOptions()
	options.StartParameterServices = d.few // `ros2 param list` waits 5 s for each node without them
	node, err := d.session.NodeWith(name, path.Clean("/"+namespace), options)
	if err != nil {
		return err
	}
	serving, freeze := context.WithCancel(d.ctx)
	b := &body{Node: spec, log: d.log.Named(node.FullyQualifiedName()), ctx: d.ctx, freeze: freeze,
		met: map[string]int{}}
	if err := b.open(node); err != nil {
		freeze()
		return &session.NoROS{Cause: err}
	}
	for _, p := range spec.Parameters {
		if _, err := node.Parameters().Declare(p.Name, p.Value, nil); err != nil {
			freeze()
			return err
		}
	}
	for _, t := range spec.Topics {
		if err := b.openTopic(node, t); err != nil {
			freeze()
			return err
		}
	}
	for _, s := range spec.Services {
		if err := b.openService(node, s); err != nil {
			freeze()
			return err
		}
	}
	if spec.Stepper != nil {
		if err := b.openStep(node); err != nil {
			freeze()
			return err
		}
	}
	// Every node is served by itself, so that one can freeze as its one thread does: nothing of it
	// answers.
	d.tasks.Go(func() { _ = node.Spin(serving) }) // ends with the node, one way or the other
	for _, t := range b.talks {
		d.tasks.Go(func() { b.talk(serving, t) })
	}
	d.tasks.Go(b.comeToGrief)
	b.log.Info("is there")
	return nil
}

// open makes the node's lifecycle and its arming service.
func (b *body) open(node *rclgo.Node) (err error) {
	switch {
	case b.Plain:
	case b.dishonest():
		b.life, err = openHandLife(node, b)
	default:
		b.life, err = node.NewLifecycle(rclgo.LifecycleCallbacks{
			OnConfigure:  b.on("configure"),
			OnCleanup:    b.on("cleanup"),
			OnActivate:   b.on("activate"),
			OnDeactivate: b.on("deactivate"),
			OnShutdown:   b.on("shutdown"),
		}, nil)
	}
	if err != nil {
		return err
	}
	if b.ArmService != "" && b.Lease != "" {
		b.follower = newFollower(b.Lease, func() { b.disarmItself("its arm lease has ended") })
		if err = b.follower.follow(node); err != nil {
			return err
		}
	}
	if b.ArmService != "" {
		_, err = std_srvs_srv.NewSetBoolService(node, b.ArmService, nil, b.serveArm)
	}
	return err
}
