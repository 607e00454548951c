package rehearse

import "rstate/internal/network"

// guardsOf returns how many guards live in a rehearsal: one, if the file requires one.
func guardsOf(net *network.Network) int {
	if net.Arming.Guard == network.GuardRequired {
		return 1
	}
	return 0
}
