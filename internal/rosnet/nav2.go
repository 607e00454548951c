//go:build ros

package rosnet

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
	"go.uber.org/zap"

	"rstate/internal/bond"
	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/nav2"
)

// The network in place of nav2's lifecycle manager (B1 to B5).

// Manager is what a world offers in place of nav2's lifecycle manager.
type Manager struct {
	Autostart bool        // activate the network as soon as all its nodes are there
	Bonds     bond.Timing // zero: no bonds
}

// manager is that part of the world.
type manager struct {
	w     *World
	auto  bool
	bonds *bonds        // nil: the nodes do not bond
	asked atomic.Uint64 // goals so far, for their names

	turns     turns // of commands that wait for each other
	shutdowns turns // of SHUTDOWN, which waits for no command: only their number counts

	mu      sync.Mutex
	changed chan struct{} // closed at the next snapshot
	said    *bool         // what was published of whether the network is active; nil: nothing
	topic   *rclgo.Publisher
	kind    types.MessageTypeSupport // of topic
}

// newManager returns nil where the world is not in place of a manager.
func (w *World) newManager(o *Manager) *manager {
	if o == nil {
		return nil
	}
	m := &manager{w: w, auto: o.Autostart, changed: make(chan struct{})}
	if o.Bonds != (bond.Timing{}) {
		m.bonds = newBonds(w, o.Bonds)
	}
	return m
}

// absent reports whether an error says that a package is not installed. Everything else works without it (B5).
func absent(err error) bool { return errors.Is(err, introspection.ErrNotInstalled) }

// startManager offers what nav2's clients and nodes use. What needs a package that is not installed is left out, with a
// warning.
func (w *World) startManager() error {
	m := w.manager
	if m == nil {
		return nil
	}
	for _, part := range []struct {
		without string // what is missing without its package
		open    func() error
	}{
		{"there are no bonds; rstate watches the nodes without them", m.bonds.open},
		{"~/is_active is not published", m.openTopic},
		{"the service ~/is_active is not offered", m.openIsActive},
		{"~/manage_nodes is not offered; rstate send commands the network", m.openManage},
	} {
		switch err := part.open(); {
		case absent(err):
			w.log.Warn(part.without, zap.Error(err)) // it says what to install
		case err != nil:
			return err
		}
	}
	if m.auto {
		w.goes(m.autostart)
	}
	return nil
}

// openTopic offers whether the network is active as a latched topic.
func (m *manager) openTopic() error {
	kind, err := rclgo.LoadDynamicMessageTypeSupport("std_msgs", "Bool")
	if err != nil {
		return err
	}
	opts := rclgo.NewDefaultPublisherOptions()
	opts.Qos.Durability, opts.Qos.Depth = rclgo.DurabilityTransientLocal, 1
	topic, err := m.w.node.NewPublisher("~/is_active", kind, opts)
	if err != nil {
		return fmt.Errorf("cannot publish on ~/is_active: %w", err)
	}
	m.w.owns(topic.Close)
	m.mu.Lock()
	m.topic, m.kind = topic, kind
	m.mu.Unlock()
	m.show()
	return nil
}

// openIsActive offers the same as a service.
func (m *manager) openIsActive() error {
	kind, err := introspection.LoadDynamicService("std_srvs", "Trigger")
	if err != nil {
		return err
	}
	answer := func() map[string]any {
		is, why := false, "the state of the network is not known"
		if s := m.w.shown(); s != nil {
			is, why = m.active(s)
		}
		return map[string]any{"success": is, "message": why}
	}
	return m.offer("~/is_active", kind, func(types.Message, origin) func() map[string]any { return answer })
}

// openManage offers the commands.
func (m *manager) openManage() error {
	kind, err := introspection.LoadDynamicService(nav2.MessagesPackage, nav2.ManageService)
	if err != nil {
		return err
	}
	return m.offer("~/manage_nodes", kind, func(req types.Message, from origin) func() map[string]any {
		answer := m.read(req, from)
		return func() map[string]any { return map[string]any{"success": answer()} }
	})
}

// offer makes a service. take gets the requests in the order in which they come, and must not block. What it returns makes
// the answer in a goroutine of its own.
func (m *manager) offer(name string, kind *introspection.ServiceType,
	take func(types.Message, origin) func() map[string]any) error {
	service, err := m.w.node.NewService(name, kind, deep(),
		func(info *rclgo.ServiceInfo, req types.Message, to rclgo.ServiceResponseSender) {
			answer := take(req, originOf(info))
			m.w.goes(func() {
				resp := kind.Response().New().(*introspection.DynamicMessage)
				for field, value := range answer() {
					if err := resp.Set(field, value); err != nil {
						m.w.log.Warn("the installed type does not fit rstate", zap.String("service", name),
							zap.Error(err))
					}
				}
				m.w.sent(to.SendResponse(resp))
			})
		})
	if err != nil {
		return fmt.Errorf("cannot offer %s: %w", name, err)
	}
	m.w.owns(service.Close)
	return nil
}

// read takes a request on ~/manage_nodes, and returns what answers it.
func (m *manager) read(req types.Message, from origin) (answer func() bool) {
	number, err := fieldOf[uint8](req.(*introspection.DynamicMessage), "command")
	if err != nil {
		m.w.log.Warn("a request on ~/manage_nodes cannot be read", zap.Error(err))
		return func() bool { return false }
	}
	return m.manage(nav2.Command(number), from)
}

// manage takes a ticket for a command, and returns what runs it to its end and reports whether it has succeeded. Commands
// wait for each other, as with nav2's manager. SHUTDOWN does not wait.
func (m *manager) manage(command nav2.Command, from origin) (run func() bool) {
	line, waits := &m.turns, command != nav2.Shutdown
	if !waits {
		line = &m.shutdowns
	}
	if line.full() {
		m.w.log.Warn("a command over ~/manage_nodes was refused: too many commands wait", zap.Stringer("command", command),
			zap.Int("waiting", mostWaiting), zap.String("do", "send a command after the answer to the one before"))
		return func() bool { return false }
	}
	turn := line.take()
	return func() bool {
		defer turn.giveBack()
		if waits {
			if err := turn.await(m.w.asking); err != nil {
				return false // the daemon ends
			}
		}
		done, why := m.run(command, asker{command.String() + " over ~/manage_nodes", "a client of ~/manage_nodes",
			engine.ByGoal, from})
		if !done {
			m.w.log.Warn("a command over ~/manage_nodes failed", zap.Stringer("command", command), zap.String("why", why))
		}
		return done
	}
}

// autostart activates the network once all its nodes are there, however late that is.
func (m *manager) autostart() {
	if _, err := m.await(func(s *engine.Snapshot) bool { return s.Rests() && complete(s) }); err != nil {
		return // the daemon ends
	}
	turn := m.turns.take()
	defer turn.giveBack()
	if err := turn.await(m.w.asking); err != nil {
		return
	}
	done, why := m.run(nav2.Startup, asker{nav2.Autostart, nav2.Autostart, engine.ByAutostart, origin{}})
	if !done {
		m.w.log.Warn("autostart failed", zap.String("why", why),
			zap.String("do", "STARTUP over ~/manage_nodes, or rstate send active, tries again"))
	}
}

// complete reports whether all nodes that are required are there.
func complete(s *engine.Snapshot) bool {
	for _, n := range s.Nodes {
		if !n.Present && !n.Optional {
			return false
		}
	}
	return true
}

// asker is on whose behalf the engine is asked.
type asker struct {
	reason, client string
	by             engine.Origin
	from           origin
}

// run runs one command to its end. A network with a node that has left its place is not raised (C7), so its present state is
// repaired first. The goal was chosen for that state, so a command that came meanwhile wins.
func (m *manager) run(command nav2.Command, r asker) (done bool, why string) {
	s, err := m.await(func(s *engine.Snapshot) bool { return s.Settled != "" || command == nav2.Shutdown })
	if err != nil {
		return false, err.Error()
	}
	goal, err := command.Goal(s.Settled)
	if err != nil {
		return false, err.Error()
	}
	if command.Raises() && goal != s.Settled && !s.Intact && s.Rests() {
		if done, why = m.ask(s.Settled, r); !done {
			return false, why
		}
		if now := m.w.newest.Load(); now.State != s.Settled {
			return false, fmt.Sprintf("another command came while %s was repaired: the network is %s", s.Settled, now.State)
		}
	}
	return m.ask(goal, r)
}

// ask asks the engine for a goal, and returns how that ended.
func (m *manager) ask(goal string, r asker) (done bool, why string) {
	handle := fmt.Sprintf("nav2 %d", m.asked.Add(1))
	one := m.w.goals.add(handle)
	defer m.w.goals.remove(handle)
	m.w.ask(engine.GoalAsked{Handle: handle, Command: machine.ReadWord(goal), Reason: r.reason, Client: r.client,
		By: r.by}, r.from)
	return outcome(m.w.asking, one)
}

// active reports whether all nodes are active, and says in which state the network is.
func (m *manager) active(s *engine.Snapshot) (is bool, words string) {
	here, _ := m.w.machine.State(s.State)
	return nav2.Network{State: s.State, WantsActive: !here.Passing && here.Nodes.Others == lifecycle.Active,
		Rests: s.Rests() && s.Intact, Deviations: s.Deviations}.Active()
}

// show shows the newest snapshot, if there is one. It takes the lock first: of two calls side by side, none shows an older
// snapshot after a newer one.
func (m *manager) show() {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.w.newest.Load()
	if s == nil {
		return
	}
	m.bonds.show(s)
	is, _ := m.active(s)
	close(m.changed)
	m.changed = make(chan struct{})
	if m.topic == nil || m.said != nil && *m.said == is {
		return
	}
	m.said = &is
	topic, kind := m.topic, m.kind
	m.w.out.box.Put(func() {
		msg := kind.New().(*introspection.DynamicMessage)
		err := msg.Set("data", is)
		if err == nil {
			err = topic.Publish(msg)
		}
		if err != nil {
			m.w.log.Warn("cannot publish on ~/is_active", zap.Error(err))
		}
	})
}

// await waits until something is true of the newest snapshot, and returns it.
func (m *manager) await(what func(*engine.Snapshot) bool) (*engine.Snapshot, error) {
	for {
		m.mu.Lock()
		changed := m.changed
		m.mu.Unlock()
		if s := m.w.newest.Load(); s != nil && what(s) {
			return s, nil
		}
		select {
		case <-changed:
		case <-m.w.asking.Done():
			return nil, m.w.whyOver()
		}
	}
}
