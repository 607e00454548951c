package rclgo

import (
	"context"
	"errors"
	"path"
	"strconv"

	"github.com/tiiuae/rclgo/internal/rcl"
)

// NodeOptions is how a node is made.
type NodeOptions struct {
	UseGlobalArguments bool  // the context's arguments (remappings, parameters) apply too
	Arguments          *Args // the node's own; they win
	EnableRosout       bool  // publish what the node logs on /rosout
}

// NewDefaultNodeOptions uses the context's arguments and /rosout.
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
	err := c.build("create node "+strconv.Quote(path.Join("/", namespace, name)), func() error { return n.open(cfg) })
	if err != nil {
		return nil, err
	}
	return n, nil
}

// open makes the handles. Loop only.
func (n *Node) open(cfg rcl.NodeConfig) (err error) {
	if n.h, err = rcl.NewNode(n.ctx.loop.rctx, cfg); err != nil {
		return err
	}
	n.name, n.namespace = n.h.Name(), n.h.Namespace()
	n.fqn, n.logID = n.h.FullyQualifiedName(), n.h.LoggerName()
	if cfg.Rosout {
		if err = rosout.join(n); err != nil {
			return errors.Join(err, n.h.Close())
		}
	}
	n.what, n.invalid = "node "+strconv.Quote(n.fqn), codeNodeInvalid
	n.finalize = func() error { return errors.Join(rosout.leave(n), n.h.Close()) }
	n.ctx.adopt(&n.entity)
	return nil
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

// Spin serves everything of the node until ctx is done, and returns its error; or until
// the node is closed.
func (n *Node) Spin(ctx context.Context) error {
	return n.spin(ctx, &n.entity)
}
