package daemon

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"

	"rstate/internal/engine"
)

// localGoals gives the goals of clients in this process to the engine, and tells each client how its goal
// ends. It may be used by many goroutines.
type localGoals struct {
	post  func(engine.Input)
	ended chan struct{} // closed when nothing answers any more
	close func()        // closes ended; it may be called again

	mu   sync.Mutex
	last uint64
	open map[string]*localGoal // by handle
}

func newLocalGoals(post func(engine.Input)) *localGoals {
	ended := make(chan struct{})
	return &localGoals{post: post, ended: ended, close: sync.OnceFunc(func() { close(ended) }),
		open: map[string]*localGoal{}}
}

// verdict is how a goal ended; one of the two is set.
type verdict struct {
	Rejected *engine.RejectGoal
	Finished *engine.FinishGoal
}

// localGoal is an open goal.
type localGoal struct {
	told     chan verdict
	accepted bool
}

// localHandle begins the handle of each of its goals.
const localHandle = "local-"

// errOver is the error of a goal whose daemon has ended. errCut is that of a goal that ran then.
var (
	errOver = errors.New("the daemon has ended")
	errCut  = errors.New("the daemon ended before the command did; its journal tells how far it came")
)

// ask waits for the end of a goal. If ctx ends first, the goal goes on.
func (d *localGoals) ask(ctx context.Context, g engine.GoalAsked) (verdict, error) {
	return d.hand(g)(ctx)
}

// hand gives the engine a goal before it returns. wait is ask without that; it is called once.
func (d *localGoals) hand(g engine.GoalAsked) (wait func(context.Context) (verdict, error)) {
	own := &localGoal{told: make(chan verdict, 1)}
	d.mu.Lock()
	d.last++
	g.Handle = localHandle + strconv.FormatUint(d.last, 10)
	d.open[g.Handle] = own
	d.mu.Unlock()
	d.post(g)
	return func(ctx context.Context) (verdict, error) { return d.await(ctx, g.Handle, own) }
}

func (d *localGoals) await(ctx context.Context, handle string, own *localGoal) (verdict, error) {
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.open, handle)
	}()
	select {
	case v := <-own.told:
		return v, nil
	case <-ctx.Done():
		return verdict{}, ctx.Err()
	case <-d.ended:
	}
	select {
	case v := <-own.told: // just before
		return v, nil
	default:
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if own.accepted {
		return verdict{}, errCut
	}
	return verdict{}, errOver
}

// hears takes the effects that are about its goals, and reports whether this was one.
func (d *localGoals) hears(e engine.Effect) bool {
	switch e := e.(type) {
	case engine.AcceptGoal:
		return d.accepts(e.Handle)
	case engine.SendFeedback:
		return strings.HasPrefix(e.Handle, localHandle)
	case engine.RejectGoal:
		return d.tells(e.Handle, verdict{Rejected: &e})
	case engine.FinishGoal:
		return d.tells(e.Handle, verdict{Finished: &e})
	}
	return false
}

func (d *localGoals) accepts(handle string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if own := d.open[handle]; own != nil {
		own.accepted = true
	}
	return strings.HasPrefix(handle, localHandle)
}

func (d *localGoals) tells(handle string, v verdict) bool {
	if !strings.HasPrefix(handle, localHandle) {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if own := d.open[handle]; own != nil {
		own.told <- v // it has room: a goal ends once
		delete(d.open, handle)
	}
	return true
}
