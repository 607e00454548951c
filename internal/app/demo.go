//go:build ros

package app

import (
	"context"
	"fmt"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	std_srvs_srv "rstate/msgs/gen/std_srvs/srv"
)

// DemoNode is a node that does nothing but what it is told to do badly.
type DemoNode struct {
	Name       string // in full
	Plain      bool   // no lifecycle
	ArmService string // of type std_srvs/srv/SetBool; empty: none
	Delay      map[string]time.Duration
	Refuse     []string // the transitions that it refuses; arm and disarm are ones here
	Err        []string // those in which it errs
}

// Demo is demo nodes in one process.
type Demo struct {
	session *session
	log     *zap.Logger
}

// NewDemo makes the nodes and serves them.
func NewDemo(nodes []DemoNode, rosArgs []string, log *zap.Logger) (*Demo, error) {
	s, err := open(rosArgs, log)
	if err != nil {
		return nil, err
	}
	d := &Demo{session: s, log: log}
	for _, n := range nodes {
		if err := d.add(n); err != nil {
			s.done.run(letGo)
			return nil, err
		}
	}
	s.serve()
	return d, nil
}

// Stop ends the nodes.
func (d *Demo) Stop() { d.session.done.run(letGo) }

// body is what one demo node is while it runs.
type body struct {
	DemoNode
	log  *zap.Logger
	life *rclgo.Lifecycle

	mu    sync.Mutex
	armed bool
}

func (d *Demo) add(spec DemoNode) error {
	namespace, name := path.Split(spec.Name)
	node, err := d.session.node(name, path.Clean("/"+namespace))
	if err != nil {
		return err
	}
	b := &body{DemoNode: spec, log: d.log.Named(node.FullyQualifiedName())}
	if !spec.Plain {
		b.life, err = node.NewLifecycle(rclgo.LifecycleCallbacks{
			OnConfigure:  b.on("configure"),
			OnCleanup:    b.on("cleanup"),
			OnActivate:   b.on("activate"),
			OnDeactivate: b.on("deactivate"),
			OnShutdown:   b.on("shutdown"),
		}, nil)
		if err != nil {
			return &NoROS{err}
		}
	}
	if spec.ArmService != "" {
		if _, err := std_srvs_srv.NewSetBoolService(node, spec.ArmService, nil, b.serveArm); err != nil {
			return &NoROS{err}
		}
	}
	b.log.Info("is there")
	return nil
}

// on returns the callback of a transition.
func (b *body) on(transition string) rclgo.LifecycleCallback {
	return func(ctx context.Context, from rclgo.LifecycleState) rclgo.TransitionResult {
		b.take(ctx, transition)
		switch {
		case slices.Contains(b.Err, transition):
			b.log.Info("errs in " + transition)
			return rclgo.TransitionError
		case slices.Contains(b.Refuse, transition):
			b.log.Info("refuses to " + transition)
			return rclgo.TransitionFailure
		}
		b.log.Info(transition + " done, was " + from.Label)
		if transition != "activate" {
			b.disarmItself()
		}
		return rclgo.TransitionSuccess
	}
}

// take takes the time that the transition is to take.
func (b *body) take(ctx context.Context, transition string) {
	select {
	case <-ctx.Done():
	case <-time.After(b.Delay[transition]):
	}
}

// disarmItself is what a node that leaves active does, as any that can do harm should.
func (b *body) disarmItself() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.armed {
		b.armed = false
		b.log.Info("disarmed itself")
	}
}

func (b *body) serveArm(_ *rclgo.ServiceInfo, req *std_srvs_srv.SetBool_Request, answer std_srvs_srv.SetBoolServiceResponseSender) {
	step := "disarm"
	if req.Data {
		step = "arm"
	}
	b.take(context.Background(), step)
	resp := std_srvs_srv.NewSetBool_Response()
	resp.Success, resp.Message = b.arm(step)
	if err := answer.SendResponse(resp); err != nil {
		b.log.Warn("cannot answer", zap.Error(err))
	}
}

func (b *body) arm(step string) (done bool, message string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case slices.Contains(b.Refuse, step):
		message = "refuses to " + step
	case step == "arm" && b.life != nil && b.life.State().ID != rclgo.LifecycleActive:
		message = fmt.Sprintf("cannot arm while %s", b.life.State().Label)
	default:
		b.armed, done, message = step == "arm", true, step+"ed"
	}
	b.log.Info(message)
	return done, message
}
