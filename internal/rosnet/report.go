//go:build ros

package rosnet

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/engine"
	"rstate/internal/selftest"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

const (
	// keptIn is how long after the first message of a publisher the middleware may still deliver
	// messages that the publisher had kept. Only in this time does the source timestamp decide how
	// old a message is: the clock of another host may be wrong.
	keptIn = 5 * time.Second
	// heldMost is how many messages wait for the graph to show their publisher.
	heldMost = 100
)

// reports is what a node publishes on <node>/report.
type reports struct {
	sub *rstate_msgs_msg.NodeReportSubscription // nil: the network file declares no sub-states

	mu      sync.Mutex // held while a report is posted, so that reports keep their order
	writers map[rclgo.GID]*reporter
	held    []heldReport // of publishers that are not in writers; the newest last
	told    bool         // the log says that a report of another node is ignored
}

// reporter is a publisher of reports.
type reporter struct {
	epoch uint64    // of the node's process; 0: it belongs to another node
	first time.Time // when its first message arrived
}

// heldReport is a message that has arrived.
type heldReport struct {
	writer        rclgo.GID
	word, message string
	sent          time.Time // by the clock of the publisher; zero: unknown
	arrived       time.Time
	unsure        bool // two processes of the node were there, and messages do not carry the GIDs of the graph
}

// age is how long ago a message was published, at the latest when it arrived.
func (h *heldReport) age(now time.Time, w *reporter) time.Duration {
	age := now.Sub(h.arrived)
	if !h.sent.IsZero() && h.arrived.Sub(w.first) < keptIn {
		age = max(age, now.Sub(h.sent))
	}
	return age
}

// openReports subscribes to the reports of the node, if the network file declares any.
func (r *remote) openReports() (err error) {
	if !r.spec.Reports() {
		return nil
	}
	p, topic := &r.reports, r.spec.Name+"/report"
	p.writers = map[rclgo.GID]*reporter{}
	opts := rclgo.NewDefaultSubscriptionOptions()
	opts.Qos.Durability, opts.Qos.Depth = rclgo.DurabilityTransientLocal, 100
	if p.sub, err = rstate_msgs_msg.NewNodeReportSubscription(r.w.node, topic, opts, r.reported); err != nil {
		return err
	}
	r.w.owns(p.sub.Close)
	err = p.sub.OnIncompatibleQos(func(q rclgo.IncompatibleQos) {
		r.w.log.Warn("reports of a node are not heard: make its publisher reliable and transient local",
			zap.String("topic", topic), zap.Stringer("qos", q))
	})
	if selftest.Unsupported(err) {
		return nil // rstate doctor compares both ends
	}
	return err
}

// reported takes a report. Its own goroutine, reports in order.
func (r *remote) reported(msg *rstate_msgs_msg.NodeReport, info *rclgo.MessageInfo, err error) {
	if err != nil {
		r.w.log.Warn("cannot read a report", zap.String("node", r.spec.Name), zap.Error(err))
		return
	}
	h := heldReport{writer: info.PublisherGID, word: msg.State, message: msg.Message, sent: info.SourceTimestamp,
		arrived: time.Now(), unsure: !r.w.able().GIDs && r.shares()}
	p := &r.reports
	p.mu.Lock()
	defer p.mu.Unlock()
	if w := p.writers[h.writer]; w != nil && r.w.able().GIDs {
		r.postReport(w, &h)
		return
	}
	if len(p.held) == heldMost {
		p.held = p.held[1:]
	}
	p.held = append(p.held, h)
	r.w.lookAgain()
}

// postReport hands a report on if its publisher is the node's own. Called with reports.mu held.
func (r *remote) postReport(w *reporter, h *heldReport) {
	if w.epoch != 0 {
		r.w.post(engine.NodeReported{Node: r.i, Epoch: w.epoch, Word: h.word, Message: h.message,
			Age: h.age(time.Now(), w)})
	}
}

// forgetReporters forgets publishers of processes that the graph does not show any more. It comes
// before the engine learns of their successors. Watcher only.
func (r *remote) forgetReporters() {
	p := &r.reports
	if p.sub == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	living := r.epochsNow()
	for gid, w := range p.writers {
		if w.epoch != 0 && !slices.Contains(living, w.epoch) {
			delete(p.writers, gid)
		}
	}
}

// matchReports looks in the graph for the publishers of reports that wait, and hands on those of the
// node's own. It returns false while a publisher is about to appear. Watcher only.
func (r *remote) matchReports(now time.Time) bool {
	p := &r.reports
	if p.sub == nil {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.held) == 0 {
		return true
	}
	infos, err := r.w.node.GetPublishersInfoByTopic(p.sub.TopicName, true)
	if err != nil {
		r.w.log.Warn("cannot read the graph", zap.String("node", r.spec.Name), zap.Error(err))
		return true
	}
	return r.match(now, infos)
}

// match is matchReports with what the graph says. Called with reports.mu held.
func (r *remote) match(now time.Time, infos []rclgo.TopicEndpointInfo) bool {
	p := &r.reports
	whole, carried := true, r.w.able().GIDs
	p.held = slices.DeleteFunc(p.held, func(h heldReport) bool {
		w := p.writers[h.writer] // an earlier one of the same publisher may have settled it
		late := now.Sub(h.arrived) >= namelessIn
		k := slices.IndexFunc(infos, func(i rclgo.TopicEndpointInfo) bool { return i.EndpointGID == h.writer })
		switch {
		case !carried && (h.unsure || len(r.presence.epochs) > 1):
			r.foreign("one of two processes of the node") // the one that is left may be the other one
			return true
		case !carried:
			w = r.soleReporter(w, infos, late)
		case w != nil:
		case k < 0 && late:
			r.foreign("a publisher that has gone")
			return true
		case k >= 0:
			w = r.reporterOf(infos[k], late)
		}
		if w == nil {
			whole = whole && late
			return false
		}
		if w.first.IsZero() {
			w.first = h.arrived
		}
		p.writers[h.writer] = w
		r.postReport(w, &h)
		return true
	})
	return whole
}

// reporterOf says whose publisher it is; nil: not known yet. late says that the graph has had time to
// name it.
func (r *remote) reporterOf(info rclgo.TopicEndpointInfo, late bool) *reporter {
	name := full(info.NodeNamespace, info.NodeName)
	own, unnamed := name == r.spec.Name, strings.HasPrefix(info.NodeName, nameless)
	if !own && !unnamed {
		r.foreign(name)
		return &reporter{}
	}
	if unnamed && !late {
		return nil
	}
	for gid, epoch := range r.epochs {
		if participantOf(gid) == participantOf(info.EndpointGID) && slices.Contains(r.presence.epochs, epoch) {
			return &reporter{epoch: epoch}
		}
	}
	// The writers of a plain node may be unknown; see bodies.
	// Where the processes of publishers are not known, the only one of the node is meant.
	if known := r.presence.epochs; own && len(known) == 1 && (late || !r.w.able().Processes) {
		return &reporter{epoch: known[0]}
	}
	return nil
}

// soleReporter says whose report it is where messages do not carry the GIDs of the graph; nil: not known
// yet. It is the node's if no other node publishes on the topic, and then that of its only process. known is
// what was said of the same publisher before.
func (r *remote) soleReporter(known *reporter, infos []rclgo.TopicEndpointInfo, late bool) *reporter {
	own := false
	for _, info := range infos {
		switch name := full(info.NodeNamespace, info.NodeName); {
		case name == r.spec.Name:
			own = true
		case !strings.HasPrefix(info.NodeName, nameless):
			r.foreign(name)
			return &reporter{}
		case !late:
			return nil
		default: // see namelessIn
			own = true
		}
	}
	epochs := r.presence.epochs
	switch {
	case !own && late:
		r.foreign("a publisher that has gone")
		return &reporter{}
	case !own || len(epochs) != 1:
		return nil
	case known != nil && known.epoch == epochs[0]:
		return known
	}
	return &reporter{epoch: epochs[0]}
}

// foreign logs, once, that a report of another node is ignored.
func (r *remote) foreign(publisher string) {
	if !r.reports.told {
		r.reports.told = true
		r.w.log.Warn("a report is ignored: it is not from the node's own publisher", zap.String("node", r.spec.Name),
			zap.String("publisher", publisher))
	}
}
