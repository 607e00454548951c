//go:build ros

package rosnet

import (
	"strings"
	"sync/atomic"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/engine"
	rcl_interfaces_msg "rstate/msgs/gen/rcl_interfaces/msg"
)

// What nodes log on /rosout while a transition runs. Nothing is subscribed at rest: a robot logs much more
// than this instance wants to know.

const (
	rosoutTopic = "/rosout"
	// logsLinger is how long after a transition the subscription stays, so that it is not made anew for each of
	// several commands.
	logsLinger = 10 * time.Second
	// logsKept is how long after it was made the subscription gets lines that publishers had kept.
	logsKept = 2 * time.Second
	// levelOffset is where the level of a line stands in the serialized message: behind the representation
	// header and the stamp. Lines below an error are not decoded.
	levelOffset = 4 + 8
)

// logs is the subscription to what nodes log.
type logs struct {
	listens chan bool // the newest request; holds at most one
	loggers map[string]int
	since   atomic.Int64 // when the subscription was made, in nanoseconds
}

func (w *World) openLogs() {
	w.logs.listens, w.logs.loggers = make(chan bool, 1), map[string]int{}
	for i := range w.net.Nodes {
		w.logs.loggers[loggerOf(w.net.Nodes[i].Name)] = i
	}
}

// loggerOf is the name of a node's logger.
func loggerOf(node string) string { return strings.ReplaceAll(strings.TrimPrefix(node, "/"), "/", ".") }

// nodeOfLogger returns the node whose logger, or a child of it, has that name. The longest name counts.
func (l *logs) nodeOfLogger(name string) (node int, ok bool) {
	for {
		if node, ok = l.loggers[name]; ok {
			return node, true
		}
		k := strings.LastIndexByte(name, '.')
		if k < 0 {
			return 0, false
		}
		name = name[:k]
	}
}

// listenLogs turns the subscription on or off. It never blocks: of several requests the newest counts.
func (w *World) listenLogs(on bool) { newest(w.logs.listens, on) }

// logListener makes and ends the subscription as listenLogs requests.
func (w *World) logListener() {
	var sub *rclgo.Subscription
	linger := time.NewTimer(logsLinger)
	defer linger.Stop()
	linger.Stop()
	end := func() {
		if sub != nil {
			if err := sub.Close(); err != nil {
				w.log.Warn("cannot end a subscription", zap.String("topic", rosoutTopic), zap.Error(err))
			}
			sub = nil
		}
	}
	defer end()
	for {
		select {
		case <-w.ctx.Done():
			return
		case on := <-w.logs.listens:
			linger.Stop()
			if !on {
				linger.Reset(logsLinger)
			} else if sub == nil {
				sub = w.subscribeLogs()
			}
		case <-linger.C:
			end()
		}
	}
}

// subscribeLogs subscribes to /rosout; nil: that is not possible, and errors of nodes are not quoted.
func (w *World) subscribeLogs() *rclgo.Subscription {
	opts := rclgo.NewDefaultSubscriptionOptions()
	// Latched: a step may have failed before the publisher of its node is found.
	opts.Qos.Durability, opts.Qos.Depth = rclgo.DurabilityTransientLocal, 200
	w.logs.since.Store(time.Now().UnixNano())
	sub, err := w.node.NewSubscription(rosoutTopic, rcl_interfaces_msg.LogTypeSupport, opts, w.logged)
	if err != nil {
		w.log.Warn("cannot listen to what nodes log", zap.Error(err))
		return nil
	}
	return sub
}

// logged takes a line of /rosout.
func (w *World) logged(s *rclgo.Subscription) {
	text, info, err := s.TakeSerializedMessage()
	if err != nil || len(text) <= levelOffset || text[levelOffset] < rcl_interfaces_msg.Log_ERROR {
		return
	}
	decoded, err := rclgo.Deserialize(text, rcl_interfaces_msg.LogTypeSupport)
	if err != nil {
		return
	}
	line, ok := decoded.(*rcl_interfaces_msg.Log)
	if !ok || line.Level < rcl_interfaces_msg.Log_ERROR {
		return
	}
	if node, ok := w.logs.nodeOfLogger(line.Name); ok {
		w.post(engine.NodeLogged{Node: node, Text: line.Msg, Age: w.logs.age(info.SourceTimestamp, time.Now())})
	}
}

// age is how long ago a line was logged. The clock of another host may be wrong, so it counts only while lines
// may come that their publisher had kept.
func (l *logs) age(logged, now time.Time) time.Duration {
	if logged.IsZero() || now.Sub(time.Unix(0, l.since.Load())) > logsKept {
		return 0
	}
	return max(0, now.Sub(logged))
}
