//go:build ros

package rosnet

import (
	"fmt"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/internal/engine"
	"rstate/internal/engine/guards"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// guardTopic is where guards say that they are there.
const guardTopic = "~/guards"

const (
	// guardWords is how many messages of a guard are read in a second.
	guardWords = 50
	// Longer lists are cut, and longer names dropped. Names of ROS have 255 bytes at most.
	mostCalls, mostHeard, longestName = 1000, 64, 255
)

// openGuards listens to guards. What is late is of no use, so nothing is sent again.
func (w *World) openGuards() error {
	in := rclgo.NewDefaultSubscriptionOptions()
	in.Qos.Reliability, in.Qos.Durability, in.Qos.Depth = rclgo.ReliabilityBestEffort, rclgo.DurabilityVolatile,
		2*guards.Most
	heard, err := rstate_msgs_msg.NewGuardStatusSubscription(w.node, guardTopic, in, w.guardHeard)
	if err != nil {
		return fmt.Errorf("cannot listen to guards: %w", err)
	}
	w.owns(heard.Close)
	return nil
}

// guardRooms counts the messages of each guard in the present second. Anyone may send thousands.
type guardRooms struct {
	since time.Time
	count map[string]int
}

// take counts a message, and reports whether it is to be read.
func (r *guardRooms) take(who string, now time.Time) bool {
	if r.count == nil || now.Sub(r.since) >= time.Second {
		r.since, r.count = now, map[string]int{}
	}
	if _, known := r.count[who]; !known && len(r.count) >= 4*guards.Most {
		return false
	}
	r.count[who]++
	return r.count[who] <= guardWords
}

func (w *World) guardHeard(m *rstate_msgs_msg.GuardStatus, info *rclgo.MessageInfo, err error) {
	if err != nil {
		return
	}
	word := guards.Word{ID: cut(m.Id)}
	if w.able().GIDs {
		word.Writer = string(info.PublisherGID[:])
	}
	if !w.guards.take(word.ID+word.Writer, time.Now()) {
		return
	}
	w.post(engine.GuardHeard{Word: guardWord(word, m, w.instance)})
}

// guardWord is what a guard says of a run.
func guardWord(word guards.Word, m *rstate_msgs_msg.GuardStatus, run string) guards.Word {
	for _, h := range m.Hears[:min(len(m.Hears), mostHeard)] {
		if h.InstanceId != run {
			continue
		}
		word.Follows = true
		if h.Term > 0 {
			word.Heard = append(word.Heard, guards.Lease{Term: h.Term, Seq: h.Seq})
		}
	}
	for _, c := range m.Calls[:min(len(m.Calls), mostCalls)] {
		if len(c.Service) <= longestName {
			word.Calls = append(word.Calls, guards.Call{Service: c.Service, Fault: cut(c.Fault)})
		}
	}
	return word
}

// guardView is a guard as ~/state shows it.
func guardView(v engine.GuardView) rstate_msgs_msg.Guard {
	return rstate_msgs_msg.Guard{Id: v.ID, Nodes: v.Nodes, Alive: v.Lives, Age: duration(v.Age), Cause: v.Fault}
}
