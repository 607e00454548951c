//go:build ros

package rosnet

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
	"go.uber.org/zap"

	"rstate/internal/bond"
	"rstate/internal/coordinator"
	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/nav2"
	lifecycle_msgs_srv "rstate/msgs/gen/lifecycle_msgs/srv"
)

// Bonds with nodes (B3, B4).

const (
	// bondTurn is the shortest time between two looks at the bonds.
	bondTurn = 10 * time.Millisecond
	// bondDepth is how many messages of other sides wait while this process is not scheduled.
	bondDepth = 2000
	// askAgain is how often a node is asked whose bond has broken.
	askAgain = time.Second
)

// bonds is our side of the bonds of all nodes: one publisher and one subscription.
type bonds struct {
	w      *World
	timing bond.Timing
	nodes  map[string]int // by the id of the bond
	kind   types.MessageTypeSupport
	out    *rclgo.Publisher
	wake   chan struct{} // a token: the table has changed

	mu     sync.Mutex
	table  *bond.Table
	wanted map[string]bool // the ids of nodes that are active
	lowers bool            // the network is being lowered: silence breaks no bond before that ends
}

// brokenBond is why a process counts as lost although the graph shows it.
type brokenBond struct {
	epoch uint64 // of the newest process then
	why   string
}

func newBonds(w *World, timing bond.Timing) *bonds {
	b := &bonds{w: w, timing: timing, nodes: map[string]int{}, wake: make(chan struct{}, 1)}
	for i := range w.net.Nodes {
		b.nodes[nav2.BondID(w.net.Nodes[i].Name)] = i
	}
	b.table = bond.NewTable(timing, rand.Text())
	return b
}

// open begins to bond. Nothing is published before a node is active.
func (b *bonds) open() error {
	if b == nil {
		return nil
	}
	kind, err := rclgo.LoadDynamicMessageTypeSupport(nav2.BondPackage, nav2.StatusMessage)
	if err != nil {
		return err
	}
	b.kind = kind
	opts := rclgo.NewDefaultPublisherOptions()
	opts.Qos.Depth = max(opts.Qos.Depth, 2*len(b.nodes))
	if b.out, err = b.w.node.NewPublisher(nav2.BondTopic, kind, opts); err != nil {
		return fmt.Errorf("cannot publish on %s: %w", nav2.BondTopic, err)
	}
	b.w.owns(b.out.Close)
	hears := rclgo.NewDefaultSubscriptionOptions()
	hears.Qos.Depth = bondDepth
	sub, err := b.w.node.NewSubscription(nav2.BondTopic, kind, hears, b.heard)
	if err != nil {
		return fmt.Errorf("cannot subscribe to %s: %w", nav2.BondTopic, err)
	}
	b.w.owns(sub.Close)
	b.w.goes(b.run)
	return nil
}

// show begins and ends bonds: a node bonds while it is active. Only with manager.mu held.
func (b *bonds) show(s *engine.Snapshot) {
	if b == nil {
		return
	}
	wanted := map[string]bool{}
	for i, n := range s.Nodes {
		wanted[nav2.BondID(b.w.net.Nodes[i].Name)] = n.Present && n.State == lifecycle.Active
	}
	b.mu.Lock()
	b.wanted, b.lowers = wanted, lowers(b.w.machine, s)
	b.mu.Unlock()
	b.again()
}

// again has run look at the table.
func (b *bonds) again() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// lowers reports whether the network is being lowered, or undoes a failed command: then nodes end their bonds.
func lowers(m *machine.Machine, s *engine.Snapshot) bool {
	here, _ := m.State(s.State)
	target, _ := m.State(s.Work.Target)
	return s.State == machine.Unknown || s.Work.Recovery != "" || s.State == m.Error ||
		here.Passing && target.Level() < lifecycle.Active.Level()
}

// heard takes what has come of all sides: heartbeats of many nodes come together. Its own goroutine, messages in order.
func (b *bonds) heard(sub *rclgo.Subscription) {
	drain(func() bool {
		text, _, err := sub.TakeSerializedMessage()
		if err == nil {
			b.hear(text)
		}
		return err == nil
	})
}

func (b *bonds) hear(text []byte) {
	m, err := b.read(text)
	if err != nil {
		b.w.log.Debug("a message about a bond cannot be read", zap.Error(err))
		return
	}
	if _, ours := b.nodes[m.ID]; !ours {
		return
	}
	b.mu.Lock()
	out := b.table.Hear(m, coordinator.BootTime())
	b.mu.Unlock()
	b.publish(out) // a heartbeat only moves a deadline, so run need not look before its time
}

// read reads a message.
func (b *bonds) read(text []byte) (m bond.Status, err error) {
	decoded, err := rclgo.Deserialize(text, b.kind)
	if err != nil {
		return m, err
	}
	msg, ok := decoded.(*introspection.DynamicMessage)
	if !ok {
		return m, fmt.Errorf("it is a %T", decoded)
	}
	if m.ID, err = fieldOf[string](msg, "id"); err != nil {
		return m, err
	}
	if m.Instance, err = fieldOf[string](msg, "instance_id"); err != nil {
		return m, err
	}
	m.Active, err = fieldOf[bool](msg, "active")
	return m, err
}

// fieldOf reads a field of a message of a package that may be installed in another version.
func fieldOf[T any](msg *introspection.DynamicMessage, name string) (value T, err error) {
	field, err := msg.Get(name)
	if err != nil {
		return value, err
	}
	value, ok := field.(T)
	if !ok {
		return value, fmt.Errorf("%s is a %T", name, field)
	}
	return value, nil
}

// run publishes what is due, and tells what has become of bonds.
func (b *bonds) run() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-b.w.ctx.Done():
			return
		case <-timer.C:
		case <-b.wake:
		}
		out, events, wait := b.look(coordinator.BootTime())
		b.publish(out)
		for _, e := range events {
			b.tell(e)
		}
		timer.Reset(wait)
	}
}

// look lets time pass. It returns what to publish, what has become of bonds, and how long nothing is due.
func (b *bonds) look(now time.Duration) (out []bond.Status, events []bond.Event, wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	out = b.table.Want(b.wanted, now)
	if b.lowers {
		b.table.Excuse(now)
	}
	due, events := b.table.Tick(now)
	wait = askAgain
	if next, any := b.table.Next(); any {
		wait = min(max(next-now, bondTurn), askAgain)
	}
	return append(out, due...), events, wait
}

// publish sends messages.
func (b *bonds) publish(list []bond.Status) {
	for _, m := range list {
		msg := b.kind.New().(*introspection.DynamicMessage)
		var err error
		for _, f := range []struct {
			name  string
			value any
		}{
			{"id", m.ID}, {"instance_id", m.Instance}, {"active", m.Active},
			{"heartbeat_timeout", float32(b.timing.Timeout.Seconds())},
			{"heartbeat_period", float32(b.timing.Heartbeat.Seconds())},
		} {
			if err == nil {
				err = msg.Set(f.name, f.value)
			}
		}
		if err == nil {
			err = b.out.Publish(msg)
		}
		if err != nil && b.w.ctx.Err() == nil {
			b.w.log.Warn("cannot publish a heartbeat", zap.String("bond", m.ID), zap.Error(err))
		}
	}
}

// tell says what has become of a bond. If it broke in silence, the node is lost (B4).
func (b *bonds) tell(e bond.Event) {
	r := b.w.remotes[b.nodes[e.ID]]
	name := r.spec.Name
	switch {
	case e.State == bond.Alive:
		b.w.log.Info(name + " has bonded")
	case e.Cause == bond.NeverFormed:
		b.w.log.Warn(name+" does not bond; rstate watches it without a bond", zap.Duration("waited", b.timing.Connect),
			zap.String("do", "only nodes of nav2 bond; set bond_timeout to 0 if none of the nodes does"))
	case e.Cause == bond.SisterEnded:
		b.w.log.Debug(name + " has ended its bond")
	case e.Cause == bond.Silence:
		r.breakBond(fmt.Sprintf("its bond broke: no heartbeat for %v", b.timing.Timeout))
	}
}

// breakBond makes the present process of the node count as lost, until it answers or a newer process appears.
func (r *remote) breakBond(why string) {
	r.epochMu.Lock()
	var newest uint64
	for _, epoch := range r.epochs {
		newest = max(newest, epoch)
	}
	r.epochMu.Unlock()
	if newest == 0 {
		return // it has left the graph
	}
	broken := &brokenBond{epoch: newest, why: why}
	r.broken.Store(broken)
	r.w.lookAgain()
	r.w.goes(func() { r.mendBond(broken) })
}

// bondBroken returns why the node counts as lost, if its newest process is the one of that epoch. Watcher only.
func (r *remote) bondBroken(newest uint64) string {
	broken := r.broken.Load()
	if broken == nil || broken.epoch != newest {
		return ""
	}
	return broken.why
}

// mendBond asks the node for its state until it answers: then it is there again. It gives up when a newer process has
// appeared, or none is left.
func (r *remote) mendBond(broken *brokenBond) {
	pause := time.NewTicker(askAgain)
	defer pause.Stop()
	for {
		select { // the watcher tells the loss meanwhile
		case <-pause.C:
		case <-r.w.ctx.Done():
			return
		}
		if r.broken.Load() != broken || !r.lives(broken.epoch) {
			break
		}
		ctx, cancel := context.WithTimeout(r.w.ctx, askAgain)
		_, _, err := r.getState.Send(ctx, lifecycle_msgs_srv.NewGetState_Request())
		cancel()
		if err == nil {
			break
		}
	}
	r.broken.CompareAndSwap(broken, nil)
	r.w.lookAgain()
}

// lives reports whether the process of an epoch is the newest of the graph.
func (r *remote) lives(epoch uint64) bool {
	r.epochMu.Lock()
	defer r.epochMu.Unlock()
	newest := uint64(0)
	for _, e := range r.epochs {
		newest = max(newest, e)
	}
	return newest == epoch
}
