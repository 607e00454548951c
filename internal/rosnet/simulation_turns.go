//go:build ros

package rosnet

import (
	"fmt"

	"github.com/tiiuae/rclgo/pkg/rclgo/types"

	"rstate/internal/siminterfaces"
)

// The order of the requests of clients of simulation_interfaces.

// quits reports whether a request sets the last state of all, for which nothing waits.
func quits(req types.Message) bool {
	var wanted uint8
	return readField(req, "state.state", &wanted) == nil && siminterfaces.State(wanted) == siminterfaces.Quitting
}

// inTurn runs the requests on one service one after another, in the order in which they come. So each finds the network
// where the one before has led it.
func (s *simulation) inTurn(line *turns, answer, refuse func()) {
	if line.full() {
		s.w.goes(refuse)
		return
	}
	turn := line.take()
	s.w.goes(func() {
		defer turn.giveBack()
		if turn.await(s.w.asking) == nil {
			answer()
		}
	})
}

// lineIsFull answers a request that would be one too many of those that wait.
func lineIsFull(types.Message, origin) (map[string]any, siminterfaces.Result) {
	return nil, failed(fmt.Errorf("%d requests wait already; send it again after an answer", mostWaiting))
}

// failed is the answer to a request that cannot be read, or carried out.
func failed(err error) siminterfaces.Result {
	return siminterfaces.Result{Code: siminterfaces.OperationFailed, Why: err.Error()}
}
