package engine

import (
	"testing"

	"rstate/internal/lease"
	"rstate/internal/network"
)

// TestA2TheLeastProofHolds: the least proof that a file may name outlasts a lease message that is late, and leaves time
// between two reads of a node.
func TestA2TheLeastProofHolds(t *testing.T) {
	if network.LeastProof < 2*lease.Every || network.LeastProof/probesPerProof <= probeFloor {
		t.Errorf("%v; a lease message comes every %v", network.LeastProof, lease.Every)
	}
}
