package engine

// The instances of one simulation.

// league is the network beside its peers. It knows no running work and no goal.
type league struct {
	roster

	peers peering
}
