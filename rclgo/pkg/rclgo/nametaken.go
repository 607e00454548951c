package rclgo

import (
	"fmt"
	"sync"
)

// NameTaken is how many nodes of one name are in the graph.
type NameTaken struct {
	Name  string // the full name
	Count int    // of nodes that have it, the one that asked included
}

// Taken says whether more than one node has the name.
func (t NameTaken) Taken() bool { return t.Count > 1 }

// String says what to do.
func (t NameTaken) String() string {
	if !t.Taken() {
		return fmt.Sprintf("node name %q is this node's alone", t.Name)
	}
	return fmt.Sprintf("node name %q is taken: %d nodes have it, and any of them may answer its services; "+
		"end the others (one that was killed stays in the graph for a while) or rename this one, as with --ros-args -r __node:=other_name",
		t.Name, t.Count)
}

// OnNameTaken calls handler when another node of n's name comes, or more of them, and
// when they go: ROS lets nodes share a name, but hardly anybody means to. If the name is
// taken now, handler is called before OnNameTaken returns; after that like a listener of
// OnGraphChange, with which it shares the goroutine.
func (n *Node) OnNameTaken(handler func(NameTaken)) (cancel func()) {
	var mu sync.Mutex
	last := 1
	look := func() {
		mu.Lock()
		defer mu.Unlock()
		count, err := n.namesakes()
		// A node that does not see itself yet, or any more, is alone.
		if count = max(count, 1); err != nil || count == last {
			return
		}
		last = count
		handler(NameTaken{n.fqn, count})
	}
	cancel = n.OnGraphChange(look)
	look()
	return cancel
}

// namesakes counts the nodes of n's name.
func (n *Node) namesakes() (count int, err error) {
	names, namespaces, err := n.GetNodeNames()
	for i, name := range names {
		if name == n.name && namespaces[i] == n.namespace {
			count++
		}
	}
	return count, err
}
