//go:build ros

package session

import (
	"sync"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/selftest"
)

// tested holds the test of the middleware of a context.
type tested struct {
	mu   sync.Mutex
	test *selftest.Test // nil: not begun
}

// Tested returns the test of the middleware. The first call begins it, on a node that lasts as long as the session, and
// has the result logged.
func (s *Session) Tested(node *rclgo.Node) (*selftest.Test, error) {
	s.tested.mu.Lock()
	defer s.tested.mu.Unlock()
	if s.tested.test != nil {
		return s.tested.test, nil
	}
	test, err := selftest.Begin(node)
	if err != nil {
		return nil, &NoROS{err}
	}
	s.tested.test = test
	s.done.Add("test of the middleware", test.Close)
	if missed := test.Missed(); missed != "" {
		s.log.Warn("the test of the middleware ran out of time; what it did not find counts as missing",
			zap.String("not found", missed))
	}
	go func() {
		select {
		case <-test.Closed():
		case <-test.Over():
			a := test.Abilities()
			s.log.Info("the middleware", zap.String("name", a.Name), zap.Stringer("gives", a))
		}
	}()
	return test, nil
}
