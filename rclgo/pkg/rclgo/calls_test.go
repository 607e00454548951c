package rclgo

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// countingType counts the messages that were prepared and not released.
type countingType struct {
	types.MessageTypeSupport
	live map[unsafe.Pointer]bool
}

func (c *countingType) PrepareMemory() unsafe.Pointer {
	p := unsafe.Pointer(new(int64))
	c.live[p] = true
	return p
}

func (c *countingType) ReleaseMemory(p unsafe.Pointer) {
	if !c.live[p] {
		panic("released twice")
	}
	delete(c.live, p)
}

// TestCallsTable plays sequences of events that are rare on a network.
func TestCallsTable(t *testing.T) {
	type table struct {
		*calls
		arrive func(seq int64) // a response arrives
	}
	sent := func(c table, seq int64) call {
		w, err := c.send(func() (int64, error) { return seq, nil })
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	answered := func(w call) bool {
		select {
		case <-w.answered:
			return w.response.msg != nil
		default:
			return false
		}
	}
	for name, tc := range map[string]struct {
		play func(c table) (ok bool)
		live int // messages that are not released at the end
	}{
		"answer": {func(c table) bool {
			w := sent(c, 1)
			c.arrive(1)
			return answered(w) && !c.giveUp(w)
		}, 1},
		"answer before the number is known, twice": {func(c table) bool {
			w, err := c.send(func() (int64, error) {
				c.arrive(7)
				c.arrive(7)
				c.arrive(8) // a response without a call
				return 7, nil
			})
			return err == nil && answered(w) && len(c.early) == 0
		}, 1},
		"two senders, the later number is known first": {func(c table) bool {
			var inner call
			outer, _ := c.send(func() (int64, error) {
				inner = sent(c, 2)
				c.arrive(1)
				return 1, nil
			})
			return answered(outer) && !answered(inner)
		}, 1},
		"failed send": {func(c table) bool {
			_, err := c.send(func() (int64, error) {
				c.arrive(1)
				return 0, errors.New("no")
			})
			return err != nil && len(c.waiting) == 0
		}, 0},
		"late": {func(c table) bool {
			w := sent(c, 1)
			gave := c.giveUp(w)
			c.arrive(1)
			c.arrive(1)
			return gave && !answered(w) && len(c.tombstones) == 0
		}, 0},
		"late, while another is being sent": {func(c table) bool {
			w := sent(c, 1)
			c.giveUp(w)
			_, err := c.send(func() (int64, error) {
				c.arrive(1)
				return 2, nil
			})
			return err == nil && len(c.early) == 0
		}, 0},
		"closed": {func(c table) bool {
			w := sent(c, 1)
			c.close()
			<-w.answered
			return w.response.msg == nil
		}, 0},
		"tombstones are bounded": {func(c table) bool {
			for seq := range int64(3 * maxTombstones) {
				c.giveUp(sent(c, seq))
			}
			return len(c.tombstones) == maxTombstones && len(c.order) == maxTombstones
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			ts := &countingType{live: map[unsafe.Pointer]bool{}}
			c := table{calls: &calls{}}
			c.init(&entity{}, ts)
			c.arrive = func(seq int64) {
				c.deliver(response{msg: ts.PrepareMemory(), header: rcl.Header{Sequence: seq}})
			}
			if !tc.play(c) {
				t.Error("it went otherwise")
			}
			if len(ts.live) != tc.live {
				t.Errorf("%d messages are held, want %d", len(ts.live), tc.live)
			}
		})
	}
}

// TestEveryEarlyAnswerIsHeard: two servers of a name answer before the number of the request is known.
func TestEveryEarlyAnswerIsHeard(t *testing.T) {
	ts := &countingType{live: map[unsafe.Pointer]bool{}}
	c := &calls{}
	c.init(&entity{}, ts)
	arrive := func(seq int64) {
		c.deliver(response{msg: ts.PrepareMemory(), header: rcl.Header{Sequence: seq}})
	}
	all := &responses{come: make(chan struct{}, 1)}
	w, err := c.sendFor(all, func() (int64, error) {
		arrive(3)
		arrive(3)
		return 3, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(all.list); n != 2 {
		t.Errorf("%d of 2 answers are heard", n)
	}
	c.forget(w, all)
	if len(ts.live) != 0 {
		t.Errorf("%d messages are held", len(ts.live))
	}
}

// statusMessage is a status of a goal.
type statusMessage struct {
	types.Message
	status int8
}

func (s statusMessage) CloneMsg() types.Message { return s }

// TestStatusesKeepTheirOrder: of a goal that has ended a watch with a long queue hands on no older status last.
func TestStatusesKeepTheirOrder(t *testing.T) {
	w := newWatch(nil, nil)
	for _, status := range []int8{1, 2, 4} {
		var list []goalStatus
		for i := range byte(40) {
			list = append(list, goalStatus{rcl.GoalStatus{ID: [16]byte{i + 1}, Status: status}, statusMessage{status: status}})
		}
		w.pushStatus(list)
	}
	last := map[types.GoalID]int8{}
	for _, q := range w.queue {
		now := q.msg.(statusMessage).status
		if now < last[q.of] {
			t.Fatalf("goal %d: status %d after %d", q.of[0], now, last[q.of])
		}
		last[q.of] = now
	}
}
