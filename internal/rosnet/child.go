//go:build ros

package rosnet

import (
	"context"
	"path"
	"slices"
	"time"

	"go.uber.org/zap"

	"rstate/internal/engine"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

const (
	// askIn is the timeout for a child network to list its nodes. The engine delays the first write
	// to it for that long.
	askIn = engine.ChildIn
	// askChild is the period at which a node is checked, and a child network asked, again: the
	// nodes below it may come and go.
	askChild = 5 * time.Second
)

// child records what is known about a node that may be a network itself. Watcher only.
type child struct {
	epoch uint64 // of the process that it is about
	since time.Time
	next  time.Time               // when to look again
	ended chan *engine.ChildFound // of what asks it: what it found, or nil; nil: nothing asks
	told  *engine.ChildFound
}

// identified reports whether the node may be reported to the engine: either it is known whether the
// node is a network that leads back to us, or askIn has passed. A node without ~/get_network counts
// as no network.
func (r *remote) identified(now time.Time, epoch uint64) bool {
	c := &r.child
	if c.epoch != epoch {
		*c = child{epoch: epoch, since: now, next: now}
	}
	if c.ended != nil {
		select {
		case found := <-c.ended:
			c.ended, c.next = nil, now.Add(askChild)
			c.tell(r.w, found)
		default:
			return c.told != nil || now.Sub(c.since) >= askIn
		}
	}
	if now.Before(c.next) {
		return true
	}
	c.next = now.Add(askChild)
	if !r.w.isNetwork(r.spec.Name) {
		return true
	}
	if c.told == nil {
		r.w.post(engine.ChildSeen{Node: r.i})
	}
	ended := make(chan *engine.ChildFound, 1)
	c.ended = ended
	by := c.since.Add(grace)
	r.w.goes(func() {
		ended <- r.explore(epoch, by)
		r.w.lookAgain()
	})
	return c.told != nil || now.Sub(c.since) >= askIn
}

// tell posts what was found, once.
func (c *child) tell(w *World, found *engine.ChildFound) {
	if found == nil || c.told != nil && c.told.Simulation == found.Simulation && slices.Equal(c.told.Way, found.Way) {
		return
	}
	c.told = found
	w.post(*found)
}

// serves returns the services of a node with their types. It returns none if the node is not
// present or not discovered yet.
func (w *World) serves(name string) map[string][]string {
	space, base := path.Split(name)
	if space != "/" {
		space = path.Clean(space)
	}
	offered, err := w.node.GetServiceNamesAndTypesByNode(base, space)
	if err != nil {
		return nil // no such node, or ours closes
	}
	return offered
}

// isNetwork reports whether a node offers ~/get_network, as every rstate does.
func (w *World) isNetwork(name string) bool {
	if count, err := w.node.CountServices(name + "/get_network"); err != nil || count == 0 {
		return false // cheaper than the list of all its services
	}
	return slices.Contains(w.serves(name)[name+"/get_network"], "rstate_msgs/srv/GetNetwork")
}

// explore asks the node which nodes it drives, and asks the networks among those in turn. It
// returns nil if the node does not answer. If no way leads back to us yet, explore waits until by
// for nodes that are not discovered.
func (r *remote) explore(epoch uint64, by time.Time) *engine.ChildFound {
	s := survey{w: r.w, answers: map[string]*rstate_msgs_srv.GetNetwork_Response{}}
	top := s.ask(r.spec.Name)
	if top == nil {
		return nil
	}
	found := &engine.ChildFound{Node: r.i, Epoch: epoch, Simulation: top.Simulation}
	look := time.NewTicker(5 * lookSoon)
	defer look.Stop()
	for {
		s.blind = false
		found.Way = s.wayBack(top, map[string]bool{r.spec.Name: true})
		if found.Way != nil || !s.blind || time.Now().After(by) {
			return found
		}
		select {
		case <-r.w.ctx.Done():
			return nil
		case <-look.C:
		}
	}
}

// survey is one exploration of the networks below a node.
type survey struct {
	w       *World
	answers map[string]*rstate_msgs_srv.GetNetwork_Response
	blind   bool // a node below is not discovered, or does not answer
}

// wayBack returns the nodes by which a network leads back to us, or nil if the networks that answer
// show no such way.
func (s *survey) wayBack(network *rstate_msgs_srv.GetNetwork_Response, seen map[string]bool) []string {
	if slices.Contains(network.Nodes, s.w.name) {
		return []string{s.w.name}
	}
	for _, name := range network.Nodes {
		if seen[name] {
			continue
		}
		seen[name] = true
		if !s.w.isNetwork(name) {
			s.blind = s.blind || len(s.w.serves(name)) == 0
			continue
		}
		below := s.ask(name)
		if below == nil {
			s.blind = true
			continue
		}
		if way := s.wayBack(below, seen); way != nil {
			return append([]string{name}, way...)
		}
	}
	return nil
}

func (s *survey) ask(name string) *rstate_msgs_srv.GetNetwork_Response {
	if s.answers[name] == nil {
		ctx, end := context.WithTimeout(s.w.ctx, askIn)
		defer end()
		if answer := s.w.askNetwork(ctx, name); answer != nil {
			s.answers[name] = answer
		}
	}
	return s.answers[name]
}

// askNetwork asks one network which nodes it drives. It returns nil if the network does not answer
// in time. It makes a client for this one request: few nodes are networks, and every participant
// would have to discover the clients to all others.
func (w *World) askNetwork(ctx context.Context, name string) *rstate_msgs_srv.GetNetwork_Response {
	client, err := rstate_msgs_srv.NewGetNetworkClient(w.node, name+"/get_network", nil)
	if err != nil {
		return nil // the node closes
	}
	defer func() { _ = client.Close() }() // only a node that closes at this moment fails it
	look := time.NewTicker(lookSoon)
	defer look.Stop()
	for !available(client.Client) {
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
		}
	}
	asking, end := context.WithCancel(ctx)
	defer end()
	answers := make(chan *rstate_msgs_srv.GetNetwork_Response, 1)
	err = w.askAgain(asking, client, func(answer *rstate_msgs_srv.GetNetwork_Response) {
		select {
		case answers <- answer:
			end()
		default: // it has answered twice
		}
	})
	select {
	case answer := <-answers:
		return answer
	default:
	}
	if w.ctx.Err() == nil {
		w.log.Warn("a network among the nodes does not say what it drives", zap.String("node", name), zap.Error(err))
	}
	return nil
}
