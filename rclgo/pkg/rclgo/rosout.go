package rclgo

import (
	"slices"
	"sync"
)

// rosout keeps one publisher on /rosout for each logger name of the process, as rcl
// allows only one: the oldest node of a name has it, and when that node closes the next one
// takes over. With rcl alone the other nodes would stop publishing.
var rosout = rosoutRegistry{nodes: map[string][]*Node{}}

type rosoutRegistry struct {
	mu    sync.Mutex
	nodes map[string][]*Node // by logger name, oldest first; all of them open
}

// join is called on n's loop when n is open.
func (r *rosoutRegistry) join(n *Node) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.nodes[n.logID]) == 0 {
		if err := n.h.OpenRosout(); err != nil {
			return err
		}
	}
	r.nodes[n.logID] = append(r.nodes[n.logID], n)
	return nil
}

// leave is called on n's loop before n closes. The node that takes over may be on another
// loop; it cannot close meanwhile, as its own leave waits for the lock.
func (r *rosoutRegistry) leave(n *Node) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	twins := r.nodes[n.logID]
	i := slices.Index(twins, n)
	if i < 0 {
		return nil
	}
	twins = slices.Delete(twins, i, i+1)
	r.nodes[n.logID] = twins
	if len(twins) == 0 {
		delete(r.nodes, n.logID)
	}
	if i > 0 {
		return nil
	}
	if err := n.h.CloseRosout(); err != nil || len(twins) == 0 {
		return err
	}
	return twins[0].h.OpenRosout()
}
