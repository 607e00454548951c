package rclgo

import (
	"errors"
	"fmt"
	"strconv"
	"time"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// useSimTime is a parameter of every node.
const useSimTime = "use_sim_time"

// clockMsg is rosgraph_msgs/msg/Clock.
type clockMsg struct {
	Clock timeMsg `yaml:"clock"`
}

var clockMsgType = wireType[clockMsg]("rosgraph_msgs/msg/Clock")

// SimTime is the state of simulated time of a node.
type SimTime struct {
	Active   bool      // use_sim_time is true
	Topic    string    // where it comes, after remapping; empty if it is not active
	Messages uint64    // received on /clock since it became true; until the first the clock stands at 0
	Heard    time.Time // when the last message arrived, by the system's clock
	Now      time.Time // the time in the last message
}

// simTime makes a node's clock follow /clock while use_sim_time is true.
type simTime struct {
	sub  *Subscription // on /clock; nil with system time; guarded by setMu of the parameters
	last int64         // the last time received. Loop only, like the fields below
	seen SimTime
	tell func(SimTime) // called after each change of seen; may be nil
}

// Clock returns the node's clock, of ROS time: the system's time or, while the parameter
// use_sim_time is true, the last time that was published on /clock, and 0 before the first
// message. /clock is received only while something spins the node. Closing the clock closes
// its timers.
func (n *Node) Clock() *Clock { return n.clock }

// NewTimer starts a timer on the node's clock.
func (n *Node) NewTimer(period time.Duration, callback func(*Timer)) (*Timer, error) {
	return n.clock.NewTimer(period, callback)
}

// SimTime returns the state of simulated time.
func (n *Node) SimTime() (s SimTime, err error) {
	err = n.ask("read the state of simulated time", func() error {
		s = n.sim.seen
		return nil
	})
	return s, err
}

// OnSimTime sets heard to be called with the state of simulated time, now and after each
// change: with each message on /clock, and when use_sim_time is set. heard runs on the loop
// of the context, so it must return at once and must not call anything of this package. A
// node has one such function: a new one replaces the old one, and nil removes it.
func (n *Node) OnSimTime(heard func(SimTime)) error {
	return n.ask("watch simulated time", func() error {
		n.sim.tell = heard
		n.tellSimTime()
		return nil
	})
}

// tellSimTime is called after each change of seen. Loop only.
func (n *Node) tellSimTime() {
	if n.sim.tell != nil {
		n.sim.tell(n.sim.seen)
	}
}

// declareSimTime declares use_sim_time and applies its value.
func (n *Node) declareSimTime() error {
	value, err := n.params.Declare(useSimTime, false, &ParameterDescriptor{
		Description: "take the time from the topic /clock",
	})
	if err != nil {
		return err
	}
	n.params.setMu.Lock()
	defer n.params.setMu.Unlock()
	return n.followParameters([]Parameter{{useSimTime, value}})
}

// checkParameters refuses simulated time if its message type is not installed.
func (n *Node) checkParameters(params []Parameter) error {
	for _, p := range params {
		if p.Name == useSimTime && p.Value == true {
			return types.Check(clockMsgType)
		}
	}
	return nil
}

// followParameters applies the node's own parameters. It is called with setMu of the
// parameters.
func (n *Node) followParameters(set []Parameter) error {
	for _, p := range set {
		if p.Name != useSimTime {
			continue
		}
		if err := n.follow(p.Value == true); err != nil {
			return fmt.Errorf("cannot follow %s: %w", useSimTime, err)
		}
	}
	return nil
}

func (n *Node) follow(clock bool) (err error) {
	switch {
	case clock == (n.sim.sub != nil):
		return nil
	case clock:
		n.sim.sub, err = n.subscribeClock()
		return err
	}
	err = n.sim.sub.Close()
	n.sim.sub = nil
	return errors.Join(err, n.ask("leave simulated time", func() error {
		n.sim.seen = SimTime{}
		n.tellSimTime()
		return n.overrideClock(false)
	}))
}

// subscribeClock starts simulated time. The loop takes /clock, since the clock belongs to
// the loop.
func (n *Node) subscribeClock() (*Subscription, error) {
	qos := NewDefaultQosProfile()
	qos.Depth, qos.Reliability = 1, ReliabilityBestEffort
	s := &Subscription{node: n, Ros2MsgType: clockMsgType}
	s.events.owner = &s.entity
	err := n.build("follow /clock", func() (err error) {
		if s.h, err = rcl.NewSubscription(n.h, clockMsgType.TypeSupport(), "/clock", qos.rcl()); err != nil {
			return err
		}
		s.TopicName = s.h.TopicName()
		s.what, s.invalid = "subscription "+strconv.Quote(s.TopicName), codeSubscriptionInvalid
		s.kind, s.handle = rcl.WaitSubscription, unsafe.Pointer(s.h)
		s.onReady = func(uint8) { n.hearClock(s) }
		s.finalize = func() error { return s.h.Close(n.h) }
		n.adopt(&s.entity)
		n.sim.seen = SimTime{Active: true, Topic: s.TopicName}
		n.tellSimTime()
		return n.overrideClock(true)
	})
	return s, err
}

// hearClock sets the clock to the received time. Loop only.
func (n *Node) hearClock(s *Subscription) {
	mem := clockMsgType.PrepareMemory()
	defer clockMsgType.ReleaseMemory(mem)
	_, err := s.h.Take(mem)
	if err != nil {
		s.rest(turnOf(0, s.takeFault(n.Logger(), "take from /clock", err)))
		return
	}
	s.rest(moved)
	var msg wire[clockMsg]
	if clockMsgType.Decode(&msg, mem) != nil {
		return
	}
	t := msg.Body.Clock
	n.sim.last = int64(t.Sec)*int64(time.Second) + int64(t.Nanosec)
	n.sim.seen.Messages++
	n.sim.seen.Heard, n.sim.seen.Now = time.Now(), time.Unix(0, n.sim.last)
	_ = n.overrideClock(true) // cannot fail for ROS time
	n.tellSimTime()
}

// overrideClock sets the node's clock to the last received time, or lets it run. Loop only.
func (n *Node) overrideClock(on bool) error {
	if n.clock.gone {
		return nil
	}
	return n.clock.h.Override(on, n.sim.last)
}
