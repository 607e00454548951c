//go:build ros

package daemon

import (
	"fmt"
	"slices"

	"rstate/internal/network"
	"rstate/internal/rosnet"
)

// OwnName is the error of a network that lists the instance that is to drive it, as a node or as a
// peer.
type OwnName struct{ File, Name, Under string }

func (e *OwnName) Error() string {
	return fmt.Sprintf("cannot drive the network of %q: it lists %s, which is its own name here; take that out of %s, or name the daemon otherwise with --ros-args -r __node:=NAME", e.File, e.Name, e.Under)
}

// LoadUsable reads a network file and also finds what a daemon here would refuse of it: types that are
// not installed, and fields of stop inputs and checks that cannot be compared. Its error is network.Faults.
func LoadUsable(file string) (*network.Network, error) {
	return network.LoadUsable(file, rosnet.TypeFault, rosnet.FieldFault)
}

// listsItself says under which key a network lists a name of its own.
func listsItself(net *network.Network, name string) error {
	under := ""
	switch {
	case net.Index(name) >= 0:
		under = "nodes"
	case slices.Contains(net.Peers.Required, name):
		under = "peers.required"
	case slices.Contains(net.Peers.Plain, name):
		under = "peers.plain"
	default:
		return nil
	}
	return &OwnName{File: net.File, Name: name, Under: under}
}
