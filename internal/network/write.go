package network

import "rstate/internal/strict"

// YAML is the network with every default filled in, as a file of its own: nothing beside it is needed to read it. It
// reads back to the same network. Of a machine whose name is no word, because its file's is none, the name is left out.
func (n *Network) YAML() string {
	f := file{Network: *n}
	var nodes, groups []strict.Pair
	for i := range n.Nodes {
		nodes = append(nodes, strict.Pair{Key: n.Nodes[i].Name, Value: strict.Mapping(nodeFields(), &n.Nodes[i])})
	}
	for _, g := range n.Groups {
		groups = append(groups, strict.Pair{Key: g.Name, Value: strict.Words(g.Nodes)})
	}
	return strict.Print(strict.Map(append(strict.Pairs(fileFields(), &f),
		strict.Pair{Key: "machine", Value: n.Machine.Written()},
		strict.Pair{Key: "nodes", Value: strict.Map(nodes...)},
		strict.Pair{Key: "groups", Value: strict.Map(groups...)},
	)...))
}
