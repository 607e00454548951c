package network

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Fingerprint names what a state of this network means: the simulation, the machine, the set of nodes, and what each
// state
// wants of each node. Two files with the same fingerprint mean the same by the same state. Order, deadlines and policies do
// not count.
func (n *Network) Fingerprint() string {
	var wants []string
	for i := range n.Nodes {
		var line strings.Builder
		fmt.Fprintf(&line, "%s %v", n.Nodes[i].Name, n.Nodes[i].Lifecycle)
		for _, s := range n.Machine.States {
			if s.Passing {
				continue
			}
			want, ok := n.Want(s, i)
			fmt.Fprintf(&line, " %s:%v:%v:%v", s.Name, want, ok, n.Arms(s, i))
		}
		if !n.Nodes[i].NeedsConfiguration {
			line.WriteString(" unconfigured:inactive") // two states of the node are one to the network
		}
		wants = append(wants, line.String())
	}
	slices.Sort(wants)
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", n.Simulation, n.Machine.Hash(), wants))
	return hex.EncodeToString(sum[:8])
}
