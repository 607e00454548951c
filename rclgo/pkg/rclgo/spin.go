package rclgo

import "context"

// spin is one call of Spin or Run.
type spin struct {
	owner   *entity
	op      string
	targets []*entity // all in owner's context
	ended   chan error
}

func newSpin(owner *entity, targets []*entity) *spin {
	return &spin{owner: owner, op: "spin " + owner.what, targets: targets, ended: make(chan error, 1)}
}

// begin adds the spin to its targets.
func (s *spin) begin() error {
	l := s.owner.loop
	for _, t := range s.targets {
		if t.loop != l {
			return newError(codeInvalidArgument, s.op, t.what+" is of another context")
		}
	}
	return s.owner.ask(s.op, func() error {
		l.beginSpin(s)
		return nil
	})
}

// wait returns when ctx is done, the owner is closed or the loop cannot wait.
func (s *spin) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		s.owner.loop.do(func() { s.owner.loop.endSpin(s, nil) })
		return ctx.Err()
	case err := <-s.ended:
		return fail(s.op, err)
	}
}

// spin serves targets until ctx is done or e is closed.
func (e *entity) spin(ctx context.Context, targets ...*entity) error {
	s := newSpin(e, targets)
	if err := s.begin(); err != nil {
		return err
	}
	return s.wait(ctx)
}

// beginSpin adds s to its targets. Loop only, as all below.
func (l *loop) beginSpin(s *spin) {
	l.spins[s] = struct{}{}
	l.cover(s.targets, 1)
}

// extendSpin adds targets to s, if it has not ended.
func (l *loop) extendSpin(s *spin, targets []*entity) {
	if _, ok := l.spins[s]; ok {
		s.targets = append(s.targets, targets...)
		l.cover(targets, 1)
	}
}

// endSpin may be called again. After it returns, no handler starts on behalf of s.
func (l *loop) endSpin(s *spin, err error) {
	if _, ok := l.spins[s]; !ok {
		return
	}
	delete(l.spins, s)
	l.cover(s.targets, -1)
	s.ended <- err
}

func (l *loop) endSpins(err error) {
	for s := range l.spins {
		l.endSpin(s, err)
	}
}

// cover adds by to the spin count of each target.
func (l *loop) cover(targets []*entity, by int) {
	for _, t := range targets {
		t.spins += by
	}
	for _, e := range l.list {
		e.served.Store(e.covered())
	}
	l.dirty = true
}
