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
	// exploreIn is how long a network below us has to say what it drives, with those below it.
	exploreIn = 2 * time.Second
	// askChild is how often a node is looked at that was no network so far, or did not answer.
	askChild = 5 * time.Second
)

// child is what is known of a node's being a network itself. Watcher only.
type child struct {
	epoch uint64 // of the process that it is about
	since time.Time
	next  time.Time // when to look again
	known bool
	ended chan bool // of what asks it: whether it has answered; nil: nothing does
}

// identified says whether the node may be told of: it is known whether it is a network that leads back to us, or that is
// waited for no longer. A node without ~/get_network is none, as far as can be seen; it is looked at again, for parts of
// a node come one after another.
func (r *remote) identified(now time.Time, epoch uint64) bool {
	c := &r.child
	if c.epoch != epoch {
		*c = child{epoch: epoch, since: now, next: now}
	}
	if c.ended != nil {
		select {
		case c.known = <-c.ended:
			c.ended, c.next = nil, now.Add(askChild)
		default:
			return now.Sub(c.since) >= grace
		}
	}
	if c.known || now.Before(c.next) {
		return true
	}
	c.next = now.Add(askChild)
	if !r.w.isNetwork(r.spec.Name) {
		return true
	}
	ended := make(chan bool, 1)
	c.ended = ended
	r.w.tasks.Go(func() {
		ended <- r.explore(epoch)
		r.w.lookAgain()
	})
	return now.Sub(c.since) >= grace
}

// isNetwork says whether a node offers what every rstate offers.
func (w *World) isNetwork(name string) bool {
	service := name + "/get_network"
	if count, err := w.node.CountServices(service); err != nil || count == 0 {
		return false
	}
	space, base := path.Split(name)
	if space != "/" {
		space = path.Clean(space)
	}
	offered, err := w.node.GetServiceNamesAndTypesByNode(base, space)
	return err == nil && slices.Contains(offered[service], "rstate_msgs/srv/GetNetwork")
}

// explore asks the node what it drives, and tells. It returns false where there is no answer.
func (r *remote) explore(epoch uint64) bool {
	ctx, end := context.WithTimeout(r.w.ctx, exploreIn)
	defer end()
	answer := r.w.askNetwork(ctx, r.spec.Name)
	if answer == nil {
		return false
	}
	way := r.w.wayBack(ctx, answer, map[string]bool{r.spec.Name: true})
	r.w.post(engine.ChildFound{Node: r.i, Epoch: epoch, Simulation: answer.Simulation, Way: way})
	return true
}

// wayBack finds the nodes by which a network leads to us; nil: it does not, as far as those that answer tell.
func (w *World) wayBack(ctx context.Context, network *rstate_msgs_srv.GetNetwork_Response, seen map[string]bool) []string {
	if slices.Contains(network.Nodes, w.name) {
		return []string{w.name}
	}
	for _, name := range network.Nodes {
		if seen[name] || !w.isNetwork(name) {
			continue
		}
		seen[name] = true
		if below := w.askNetwork(ctx, name); below != nil {
			if way := w.wayBack(ctx, below, seen); way != nil {
				return append([]string{name}, way...)
			}
		}
	}
	return nil
}

// askNetwork asks one network what it drives; nil: it does not answer in time. The client is made for the question: nodes
// that are networks are few, and clients to all others would be found by everybody.
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
	answer, _, err := client.Send(ctx, rstate_msgs_srv.NewGetNetwork_Request())
	if err != nil {
		if w.ctx.Err() == nil {
			w.log.Warn("a network among the nodes does not say what it drives", zap.String("node", name), zap.Error(err))
		}
		return nil
	}
	return answer
}
