package doctor

import (
	"fmt"
	"time"
)

// Trips is how long the reads of a node took, one after another.
type Trips struct {
	Count       int
	Median, P99 time.Duration // 99 of 100 took no longer
}

const (
	// readsPerProof is how often rstate reads a node in proof.
	readsPerProof = 5
	// spare is how many times longer than measured a read may take: a machine that works is slower than
	// one on which a doctor is at work.
	spare = 2
	// leastProof is the default, and the least that is proposed: a computer without real time pauses a
	// process for a tenth of a second now and then.
	leastProof = 500 * time.Millisecond
	proofStep  = 100 * time.Millisecond
)

// proposedProof is the least proof for a node whose reads take so long: each answer comes before the next read.
func proposedProof(t Trips) time.Duration {
	least := readsPerProof * spare * t.P99
	return max(leastProof, (least+proofStep-1)/proofStep*proofStep)
}

// proof judges whether the network's proof fits the time that reads of a node take.
func (j *judge) proof(n Node) {
	var t Trips
	for _, a := range j.Answers {
		if a.Node == n.Name {
			t = a.Trips
		}
	}
	if !n.Proves || t.Count == 0 || j.Network.Proof == 0 {
		return
	}
	took := fmt.Sprintf("reads take %s, and 99 of 100 at most %s", millis(t.Median), millis(t.P99))
	switch least := proposedProof(t); {
	case readsPerProof*t.P99 > j.Network.Proof:
		j.warn(n.Name, fmt.Sprintf("answers too slowly for proof: %v", j.Network.Proof),
			fmt.Sprintf("of %d get_state %s; rstate reads it %d times in proof", t.Count, took, readsPerProof),
			fmt.Sprintf("look why it is slow; or write proof: %v, if all may stay armed for so long after the last proof", least))
	case least > j.Network.Proof:
		j.fine(n.Name, fmt.Sprintf("%s: proof: %v has little to spare; proof: %v has enough", took, j.Network.Proof,
			least))
	case least < j.Network.Proof:
		j.fine(n.Name, fmt.Sprintf("%s: proof: %v fits, and proof: %v would do", took, j.Network.Proof, least))
	default:
		j.fine(n.Name, fmt.Sprintf("%s: proof: %v fits", took, j.Network.Proof))
	}
}

func millis(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}
