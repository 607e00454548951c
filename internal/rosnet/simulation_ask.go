//go:build ros

package rosnet

import (
	"context"
	"fmt"

	"rstate/internal/engine"
	"rstate/internal/machine"
)

// How the engine is asked for what a client of simulation_interfaces wants.

// command is what the engine is asked for.
type command struct {
	word, argument, reason string
	from                   origin
}

// endOf is how a command has ended.
type endOf struct {
	rejected, ok bool
	why          string // not
}

// ask asks the engine for a command, and waits until its goal has ended, or until enough is true
// of a snapshot after it was accepted. enough may be nil, and is called at each change. A cancel
// cancels the goal, whose end is waited for.
func (s *simulation) ask(
	ctx context.Context, cancel <-chan struct{}, c command, enough func(*engine.Snapshot) bool,
) endOf {
	handle := fmt.Sprintf("simulation %d", s.asked.Add(1))
	goal := s.w.goals.add(handle)
	defer s.w.goals.remove(handle)
	s.w.ask(engine.GoalAsked{
		Handle: handle, Command: machine.ReadWord(c.word), Argument: c.argument, Reason: c.reason,
		Client: "a client of simulation_interfaces", By: engine.ByGoal,
	}, c.from)
	accepted := false
	for {
		_, _, changed := s.counts()
		if v := s.w.newest.Load(); accepted && enough != nil && v != nil && enough(v) {
			return endOf{ok: true}
		}
		if told, ok := goal.told.TryTake(); ok {
			told.await(ctx)
			switch e := told.effect.(type) {
			case engine.RejectGoal:
				return endOf{rejected: true, why: e.Why}
			case engine.AcceptGoal:
				accepted = true
			case engine.FinishGoal:
				return endOf{ok: e.Result.Success, why: e.Result.Message}
			}
			continue
		}
		select {
		case <-goal.told.Ready():
		case <-changed:
		case <-cancel:
			cancel = nil
			goal.askCancel(func() { s.w.post(engine.CancelAsked{Handle: handle}) })
		case <-ctx.Done():
			return endOf{why: errOver.Error()}
		}
	}
}

// await waits until something is true of the newest snapshot.
func (s *simulation) await(ctx context.Context, what func(*engine.Snapshot) bool) error {
	for {
		_, _, changed := s.counts()
		if v := s.w.newest.Load(); v != nil && what(v) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return errOver
		}
	}
}
