package rclgo

import (
	"context"
	"errors"
	"path"
	"strconv"
	"sync"

	"github.com/tiiuae/rclgo/internal/rcl"
)

// NodeOptions configures a node.
type NodeOptions struct {
	UseGlobalArguments bool  // the context's arguments (remappings, parameters) apply too
	Arguments          *Args // the node's own; they take precedence
	EnableRosout       bool  // publish what the node logs on /rosout

	// StartParameterServices lets other nodes list, describe, read and set the node's
	// parameters. Without it only the program can access them.
	StartParameterServices bool
	// StartTypeDescriptionService serves ~/get_type_description, from which other nodes
	// get the types of the node's topics and services. The node then declares the parameter
	// start_type_description_service; if that is false, the service is not started.
	StartTypeDescriptionService bool
}

// NewDefaultNodeOptions uses the context's arguments and /rosout, and starts no services.
func NewDefaultNodeOptions() *NodeOptions {
	return &NodeOptions{UseGlobalArguments: true, EnableRosout: true}
}

// Node is a ROS node.
type Node struct {
	entity
	ctx                         *Context
	h                           *rcl.Node
	name, namespace, fqn, logID string
	graph                       graphWatch
	queryMu                     sync.Mutex // around queries of the graph
	clock                       *Clock
	params                      Parameters
	sim                         simTime
}

// NewNodeWithOpts makes a node. opts may be nil.
func (c *Context) NewNodeWithOpts(name, namespace string, opts *NodeOptions) (*Node, error) {
	if opts == nil {
		opts = NewDefaultNodeOptions()
	}
	cfg := rcl.NodeConfig{
		Name: name, Namespace: namespace,
		UseGlobalArguments: opts.UseGlobalArguments,
		Rosout:             opts.EnableRosout,
		Args:               opts.Arguments.strings(),
	}
	n := &Node{ctx: c}
	n.graph.node = n
	op := "create node " + strconv.Quote(path.Join("/", namespace, name))
	err := errors.Join(noNUL(op, codeNodeInvalidName, name), noNUL(op, codeNodeInvalidNamespace, namespace),
		noNUL(op, codeInvalidRosArgs, cfg.Args...))
	if err == nil {
		err = c.build(op, func() error { return n.open(cfg) })
	}
	if err != nil {
		return nil, err
	}
	if err := n.start(opts); err != nil {
		return nil, errors.Join(fail(op, err), n.Close())
	}
	return n, nil
}

// start declares the node's own parameters and makes its services.
func (n *Node) start(opts *NodeOptions) error {
	n.params.loud = opts.StartParameterServices
	if err := n.declareSimTime(); err != nil {
		return err
	}
	if opts.StartTypeDescriptionService {
		if err := n.describeTypes(); err != nil {
			return err
		}
	}
	n.params.loud = true
	if opts.StartParameterServices {
		return n.params.serve()
	}
	return nil
}

// open makes the handles. Loop only.
func (n *Node) open(cfg rcl.NodeConfig) (err error) {
	n.clock = &Clock{ctx: n.ctx}
	if n.clock.h, err = rcl.NewClock(int(ClockTypeROSTime)); err != nil {
		return err
	}
	if n.h, err = rcl.NewNode(n.ctx.loop.rctx, cfg); err != nil {
		return errors.Join(err, n.clock.h.Close())
	}
	n.name, n.namespace = n.h.Name(), n.h.Namespace()
	n.fqn, n.logID = n.h.FullyQualifiedName(), n.h.LoggerName()
	if err = n.params.take(n); err == nil && cfg.Rosout {
		err = rosout.join(n)
	}
	if err != nil {
		return errors.Join(err, n.h.Close(), n.clock.h.Close())
	}
	n.what, n.invalid = "node "+strconv.Quote(n.fqn), codeNodeInvalid
	// The clock's handle outlives Clock.Close: service events are stamped with it.
	n.finalize = func() error { return errors.Join(rosout.leave(n), n.h.Close(), n.clock.h.Close()) }
	n.ctx.adopt(&n.entity)
	n.clock.what, n.clock.invalid = "clock of "+n.what, codeInvalidArgument
	n.adopt(&n.clock.entity)
	return nil
}

// OnPanic is [Context.OnPanic] for the handlers of this node alone, and comes before it.
func (n *Node) OnPanic(report func(what string, value any)) {
	if report == nil {
		n.entity.onPanic.Store(nil)
		return
	}
	n.entity.onPanic.Store(&report)
}

// Close closes everything made from the node and the node.
func (n *Node) Close() error { return n.closeTree() }

// Context returns what the node was made from.
func (n *Node) Context() *Context { return n.ctx }

// Name returns the node's name, after remapping.
func (n *Node) Name() string { return n.name }

// Namespace returns the node's namespace, after remapping.
func (n *Node) Namespace() string { return n.namespace }

// FullyQualifiedName returns namespace and name.
func (n *Node) FullyQualifiedName() string { return n.fqn }

// Logger returns the node's logger, whose lines go to /rosout too.
func (n *Node) Logger() *Logger { return GetLogger(n.logID) }

// Spin serves everything of the node. It returns the error of ctx when ctx is done, and
// also returns when the node is closed.
func (n *Node) Spin(ctx context.Context) error {
	return n.spin(ctx, &n.entity)
}
