package rclgo

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// WatchFeedback calls handler for each A_FeedbackMessage of a goal, or of all goals if goalID
// is nil, until ctx ends or the client is closed. Then it sends the error that ended it to
// the channel and closes the channel. The calls of one watch do not overlap. Messages that
// arrive during a call are queued, up to the depth of the feedback's QoS.
func (c *ActionClient) WatchFeedback(ctx context.Context, goalID *types.GoalID, handler FeedbackHandler) <-chan error {
	return c.runWatch(ctx, c.watches.watchFeedback(goalID, handler))
}

// WatchStatus calls handler for the action_msgs/msg/GoalStatus of a goal, or of all goals if
// goalID is nil: first with the last known status, then for every change. If handler is
// slower than the changes of a goal and the queue is long, intermediate statuses are dropped.
// The watch ends as WatchFeedback does.
func (c *ActionClient) WatchStatus(ctx context.Context, goalID *types.GoalID, handler StatusHandler) <-chan error {
	return c.runWatch(ctx, c.watches.watchStatus(goalID, handler))
}

// runWatch starts the goroutine of a watch.
func (c *ActionClient) runWatch(ctx context.Context, w *watch) <-chan error {
	ended := make(chan error, 1)
	if !c.enter() {
		c.watches.remove(w)
		ended <- c.closedError("watch")
		close(ended)
		return ended
	}
	defer c.leave()
	go func() {
		err := w.run(ctx, &c.entity)
		c.watches.remove(w)
		ended <- err
		close(ended)
	}()
	return ended
}

// actionWatches holds the watches of an action client and the messages for them.
type actionWatches struct {
	ts    types.ActionTypeSupport
	depth int // of feedback that waits; 0: no limit

	mu       sync.Mutex
	closed   error
	feedback []*watch
	status   []*watch
	last     unsafe.Pointer // the C array that came last on the status topic, owned; may be nil
}

// goalStatus is one element of an array of status. msg is shared: it is cloned for each
// handler.
type goalStatus struct {
	rcl.GoalStatus
	msg types.Message
}

func (a *actionWatches) init(ts types.ActionTypeSupport, opts *ActionClientOptions) {
	a.ts = ts
	if opts.FeedbackTopicQos.History != HistoryKeepAll {
		a.depth = max(opts.FeedbackTopicQos.Depth, 1)
	}
}

func (a *actionWatches) watchFeedback(id *types.GoalID, handler FeedbackHandler) *watch {
	w := newWatch(id, handler)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.feedback = append(a.feedback, w)
	a.admit(w)
	return w
}

func (a *actionWatches) watchStatus(id *types.GoalID, handler StatusHandler) *watch {
	w := newWatch(id, handler)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.status = append(a.status, w)
	w.pushStatus(a.statusList())
	a.admit(w)
	return w
}

// admit ends w where the client is closed. The lock is held.
func (a *actionWatches) admit(w *watch) {
	if a.closed != nil {
		w.finish(a.closed)
	}
}

func (a *actionWatches) remove(w *watch) {
	a.mu.Lock()
	defer a.mu.Unlock()
	is := func(other *watch) bool { return other == w }
	a.feedback = slices.DeleteFunc(a.feedback, is)
	a.status = slices.DeleteFunc(a.status, is)
}

// close ends all watches after their queued messages.
func (a *actionWatches) close(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = err
	a.keepStatus(nil)
	for _, w := range a.feedback {
		w.finish(err)
	}
	for _, w := range a.status {
		w.finish(err)
	}
}

// takeFeedback passes a copy of the feedback to each watch, and the error of a message that cannot be
// decoded to complain. It returns how many messages it took, and the error that ended it. Loop only.
func (a *actionWatches) takeFeedback(take func(unsafe.Pointer) error, complain func(error)) (n int, err error) {
	ts := a.ts.FeedbackMessage()
	mem := ts.PrepareMemory()
	defer ts.ReleaseMemory(mem)
	for ; n < takesAtOnce; n++ {
		if err := take(mem); err != nil {
			return n, err
		}
		a.mu.Lock()
		var fault error
		if len(a.feedback) > 0 {
			fault = a.handFeedback(a.feedback, ts, mem)
		}
		a.mu.Unlock()
		if fault != nil {
			complain(fault)
		}
	}
	return n, nil
}

func (a *actionWatches) handFeedback(watches []*watch, ts types.MessageTypeSupport, mem unsafe.Pointer) error {
	msg := ts.New().(types.GoalIDMessage)
	if err := types.Decode(ts, msg, mem); err != nil {
		return err
	}
	id := *msg.GetGoalID()
	for _, w := range watches {
		if w.id == nil || *w.id == id {
			w.push(msg.CloneMsg(), a.depth)
		}
	}
	return nil
}

// takeStatus keeps the newest array and passes its changes to the watches. While there is
// no watch, the array stays in C: it may be long, and arrives with every step of every goal.
// It returns how many it took, and the error that ended it. Loop only.
func (a *actionWatches) takeStatus(take func(unsafe.Pointer) error) (n int, err error) {
	ts := a.ts.GoalStatusArray()
	for ; n < takesAtOnce; n++ {
		mem := ts.PrepareMemory()
		if err := take(mem); err != nil {
			ts.ReleaseMemory(mem)
			return n, err
		}
		a.mu.Lock()
		a.keepStatus(mem)
		if len(a.status) > 0 {
			list := a.statusList()
			for _, w := range a.status {
				w.pushStatus(list)
			}
		}
		a.mu.Unlock()
	}
	return n, nil
}

// keepStatus takes mem over. The lock is held.
func (a *actionWatches) keepStatus(mem unsafe.Pointer) {
	a.ts.GoalStatusArray().ReleaseMemory(a.last)
	a.last = mem
}

// statusList decodes the newest array. Bindings of action_msgs/msg/GoalStatusArray are
// structs with a slice StatusList; for any other message the list is empty. The lock is
// held.
func (a *actionWatches) statusList() []goalStatus {
	if a.last == nil {
		return nil
	}
	ts := a.ts.GoalStatusArray()
	array := ts.New()
	if types.Decode(ts, array, a.last) != nil {
		return nil
	}
	v := reflect.Indirect(reflect.ValueOf(array))
	if v.Kind() != reflect.Struct {
		return nil
	}
	statuses := rcl.GoalStatuses(a.last)
	list := v.FieldByName("StatusList")
	if !list.IsValid() || list.Kind() != reflect.Slice || list.Len() != len(statuses) {
		return nil
	}
	out := make([]goalStatus, 0, len(statuses))
	for i, s := range statuses {
		if msg, ok := list.Index(i).Addr().Interface().(types.Message); ok {
			out = append(out, goalStatus{s, msg})
		}
	}
	return out
}

// watch is one queue of messages and the goroutine that hands them to a handler.
type watch struct {
	id      *types.GoalID // nil: all
	handler func(context.Context, types.Message)
	wake    chan struct{}

	mu       sync.Mutex
	queue    []queued
	finished bool
	err      error
	known    map[types.GoalID]int8 // the status handed on last, by goal
}

// statusesWaiting is the queue length from which a newer status of a goal replaces a
// waiting one of the same goal.
const statusesWaiting = 64

// queued is a message that waits.
type queued struct {
	msg types.Message
	of  types.GoalID // of a status; else zero
}

func newWatch(id *types.GoalID, handler func(context.Context, types.Message)) *watch {
	w := &watch{handler: handler, wake: make(chan struct{}, 1)}
	if id != nil {
		own := *id
		w.id = &own
	}
	return w
}

// push appends a message, and drops the oldest if more than depth wait.
func (w *watch) push(msg types.Message, depth int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queue = append(w.queue, queued{msg: msg})
	if depth > 0 && len(w.queue) > depth {
		w.queue = slices.Delete(w.queue, 0, len(w.queue)-depth)
	}
	w.signal()
}

// pushStatus appends the changes in list.
func (w *watch) pushStatus(list []goalStatus) {
	w.mu.Lock()
	defer w.mu.Unlock()
	known := make(map[types.GoalID]int8, len(list))
	for _, s := range list {
		id := types.GoalID(s.ID)
		if w.id != nil && *w.id != id {
			continue
		}
		known[id] = s.Status
		if old, ok := w.known[id]; ok && old == s.Status {
			continue
		}
		item := queued{s.msg.CloneMsg(), id}
		i := -1
		if len(w.queue) >= statusesWaiting {
			// The last one: what follows it must not be older.
			for i = len(w.queue) - 1; i >= 0 && w.queue[i].of != id; i-- {
			}
		}
		if i >= 0 {
			w.queue[i] = item
		} else {
			w.queue = append(w.queue, item)
		}
		w.signal()
	}
	w.known = known
}

// finish ends the watch with err after the queued messages.
func (w *watch) finish(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.finished {
		w.finished, w.err = true, err
	}
	w.signal()
}

// signal is called with the lock held.
func (w *watch) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// run calls the handler until the watch is finished or ctx ends.
func (w *watch) run(ctx context.Context, owner *entity) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.wake:
		}
		for ctx.Err() == nil {
			w.mu.Lock()
			if len(w.queue) == 0 {
				finished, err := w.finished, w.err
				w.mu.Unlock()
				if finished {
					return err
				}
				break
			}
			next := w.queue[0]
			w.queue = slices.Delete(w.queue, 0, 1)
			w.mu.Unlock()
			owner.call(func() { w.handler(ctx, next.msg) })
		}
	}
}
