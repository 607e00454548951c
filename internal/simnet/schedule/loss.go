package schedule

import (
	"fmt"

	"rstate/internal/network"
)

// lossOf is what follows the loss of a node, as a file has it.
func lossOf(n network.Node) string {
	if n.OnLoss.With == network.NoOther {
		return string(n.OnLoss.Do)
	}
	return fmt.Sprintf("{do: %s, with: %s}", n.OnLoss.Do, n.OnLoss.With)
}
