//go:build ros

package guard

import (
	"fmt"
	"os"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/engine/guards"
	"rstate/internal/session"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// A guard tells the coordinator what it hears and what it can call, so that a network that requires a guard is
// armed. The goroutine that would disarm tells it: one that hangs is silent.

// announcer is what tells it.
type announcer struct {
	id   string
	to   *rstate_msgs_msg.GuardStatusPublisher
	dumb bool // it could not publish, and has logged that
	ends bool // the guard ends: it covers nothing any more
}

func (g *Guard) openAnnouncer() (err error) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	g.announcer.id = fmt.Sprintf("%s/%d-%04x", host, os.Getpid(), uint16(time.Now().UnixNano()>>10))
	out := rclgo.NewDefaultPublisherOptions()
	out.Qos.Reliability, out.Qos.Durability = rclgo.ReliabilityBestEffort, rclgo.DurabilityVolatile
	out.Qos.History, out.Qos.Depth = rclgo.HistoryKeepLast, 1
	g.announcer.to, err = rstate_msgs_msg.NewGuardStatusPublisher(g.node, g.Daemon+"/guards", out)
	if err != nil {
		return &session.NoROS{Cause: err}
	}
	return nil
}

// announce tells what the guard hears, and what it can call. A guard that ends names only the services by which it
// disarms.
func (g *Guard) announce() {
	m := &rstate_msgs_msg.GuardStatus{Id: g.announcer.id}
	publishers, err := g.node.CountPublishers(g.leaseTopic())
	for _, h := range g.guarding.hears(err == nil && publishers > 0) {
		m.Hears = append(m.Hears, rstate_msgs_msg.HeardLease{InstanceId: h.instance, Term: h.term, Seq: h.seq})
	}
	for i, name := range g.Services {
		fault := g.uncallable(i)
		if !g.announcer.ends || fault == guards.DisarmsLast {
			m.Calls = append(m.Calls, rstate_msgs_msg.GuardCall{Service: name, Fault: fault})
		}
	}
	g.publish(m)
}

// saysLast tells that the guard has ended.
func (g *Guard) saysLast() { g.publish(&rstate_msgs_msg.GuardStatus{Id: g.announcer.id}) }

func (g *Guard) publish(m *rstate_msgs_msg.GuardStatus) {
	err := g.announcer.to.Publish(m)
	if err != nil && !g.announcer.dumb {
		g.Log.Error("cannot tell the coordinator that this guard is there", zap.Error(err))
	}
	g.announcer.dumb = err != nil
}

// uncallable says why service i cannot be called now; empty: it can.
func (g *Guard) uncallable(i int) string {
	yes, err := g.clients[i].Available()
	if yes && err == nil {
		g.guarding.sees(i)
	}
	switch {
	case g.guarding.disarms(i, g.steady()) && g.announcer.ends:
		return guards.DisarmsLast
	case g.guarding.disarms(i, g.steady()):
		return guards.Disarms
	case err != nil:
		return err.Error()
	case !yes:
		return "the guard finds no server of it"
	}
	return ""
}

// callable counts the services that can be called now.
func (g *Guard) callable() (count int) {
	for i := range g.Services {
		if g.uncallable(i) == "" {
			count++
		}
	}
	return count
}
