//go:build ros

package rosnet

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
	"go.uber.org/zap"

	"rstate/internal/engine"
	"rstate/internal/procs"
	lifecycle_msgs_srv "rstate/msgs/gen/lifecycle_msgs/srv"
)

const (
	// discoveryTopic is the middleware name of the topic on which each ROS participant lists its
	// nodes.
	discoveryTopic = "ros_discovery_info"
	// allIn is the timeout for further answers to a read of several endpoints.
	allIn = time.Second
)

// ends reports ended processes of this host to the engine. It decides nothing: the engine asks the
// node.
type ends struct {
	watch *procs.Watch // nil: this process cannot be found in the graph
	told  chan procs.Participant
	dead  []procs.Participant // whose process has ended; watcher only
}

// openEnds prepares to look for the processes of nodes.
func (w *World) openEnds() {
	w.ends.told = make(chan procs.Participant)
	gid, err := w.out.state.GID()
	if err != nil {
		w.log.Warn("the end of a process is noticed by the middleware alone", zap.Error(err))
		return
	}
	domain, err := w.node.Context().DomainID()
	if err != nil {
		w.log.Warn("the end of a process is noticed by the middleware alone", zap.Error(err))
		return
	}
	w.ends.watch = procs.New(procs.Options{Domain: domain, Host: participantOf(gid), Ended: func(p procs.Participant) {
		select {
		case w.ends.told <- p:
		case <-w.ctx.Done():
		}
	}})
	w.owns(func() error { w.ends.watch.Close(); return nil })
}

func participantOf(gid rclgo.GID) procs.Participant {
	var p procs.Participant
	copy(p[:], gid[:])
	return p
}

// lookForProcesses looks for the processes of nodes and stop buttons that are new. Watcher only.
func (w *World) lookForProcesses() {
	if w.ends.watch == nil {
		return
	}
	var wanted []procs.Participant
	for _, r := range w.remotes {
		for _, gid := range slices.AppendSeq(slices.Clone(r.servers.seen), maps.Keys(r.epochs)) {
			if p := participantOf(gid); w.ends.watch.Searching(p) && !slices.Contains(wanted, p) {
				wanted = append(wanted, p)
			}
		}
	}
	for _, s := range w.stops {
		for _, p := range s.processes() {
			if w.ends.watch.Searching(p) && !slices.Contains(wanted, p) {
				wanted = append(wanted, p)
			}
		}
	}
	if len(wanted) > 0 {
		w.ends.watch.Look(w.participants(), wanted)
	}
}

// participants lists the participants of the graph.
func (w *World) participants() (list []procs.Participant) {
	infos, err := w.node.GetPublishersInfoByTopic(discoveryTopic, false)
	if err != nil {
		w.log.Warn("cannot read the graph", zap.Error(err))
	}
	for _, info := range infos {
		if p := participantOf(info.EndpointGID); !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

// processEnded records that the process of a participant has ended, if the participant is still
// unambiguous. Watcher only.
func (w *World) processEnded(p procs.Participant) {
	graph := w.participants()
	if !procs.Alone(p, graph) {
		return
	}
	gone := func(o procs.Participant) bool { return !slices.Contains(graph, o) }
	w.ends.dead = append(slices.DeleteFunc(w.ends.dead, gone), p)
	for _, r := range w.remotes {
		r.lookForServers(time.Now())
		r.tellEnds()
	}
	for _, s := range w.stops {
		s.processEnded(p)
	}
}

// tellEnds posts the end of each process that the engine knows as present, once. Watcher only.
func (r *remote) tellEnds() {
	p := &r.presence
	p.ended = slices.DeleteFunc(p.ended, func(epoch uint64) bool { return !slices.Contains(p.epochs, epoch) })
	if len(r.w.ends.dead) == 0 {
		return
	}
	for gid, epoch := range r.epochs {
		if slices.Contains(r.w.ends.dead, participantOf(gid)) && slices.Contains(p.epochs, epoch) &&
			!slices.Contains(p.ended, epoch) {
			p.ended, p.endedAt = append(p.ended, epoch), time.Now()
			r.w.post(engine.NodeEnded{Node: r.i, Epoch: epoch})
		}
	}
}

// epochsNow returns the sorted epochs of the node's processes. Watcher only.
func (r *remote) epochsNow() []uint64 {
	list := slices.Clone(r.presence.bare)
	for _, epoch := range r.epochs {
		list = append(list, epoch)
	}
	slices.Sort(list)
	return list
}

// shares reports whether several endpoints bear the node's name.
func (r *remote) shares() bool {
	r.epochMu.Lock()
	defer r.epochMu.Unlock()
	return len(r.epochs) > 1
}

// readAll asks every endpoint of the node's name for its state, and posts all answers.
func (r *remote) readAll(ticket uint64) {
	r.request(&r.reads, "get_state", anyTime, func(q *request) error {
		ctx, cancel := context.WithTimeout(q.ctx, allIn)
		defer cancel()
		return r.getState.SendToAll(ctx, lifecycle_msgs_srv.NewGetState_Request(), q.passTurn,
			func(resp types.Message, _ *rclgo.ServiceInfo) {
				state := resp.(*lifecycle_msgs_srv.GetState_Response).CurrentState
				r.w.post(engine.StateRead{Node: r.i, Ticket: ticket, State: stateOf(&state)})
			})
	})
}
