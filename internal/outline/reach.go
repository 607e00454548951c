package outline

import "slices"

// reach knows which nodes come after which, directly or by way of others. Nodes are numbers. It has no cycle.
type reach struct {
	after [][]int // the nodes that one comes directly after
	below []set   // all nodes that one comes after
}

func newReach(nodes int) *reach {
	r := &reach{make([][]int, nodes), make([]set, nodes)}
	for i := range r.below {
		r.below[i] = make(set, (nodes+63)/64)
	}
	return r
}

// add lets a node come after another one, which must not come after it.
func (r *reach) add(node, other int) {
	r.after[node] = append(r.after[node], other)
	for i := range r.below {
		if (i == node || r.below[i].has(node)) && !r.below[i].has(other) {
			r.below[i].add(other)
			r.below[i].join(r.below[other])
		}
	}
}

// implied returns the nodes that one comes after by way of others.
func (r *reach) implied(node int) set {
	all := make(set, len(r.below[node]))
	for _, other := range r.after[node] {
		all.join(r.below[other])
	}
	return all
}

// between returns a shortest chain of nodes by way of which one comes after another.
func (r *reach) between(from, to int) (chain []int) {
	came := map[int]int{from: from} // how a node was reached
	for queue := []int{from}; ; queue = queue[1:] {
		at := queue[0]
		if slices.Contains(r.after[at], to) {
			for ; at != from; at = came[at] {
				chain = append(chain, at)
			}
			slices.Reverse(chain)
			return chain
		}
		for _, next := range r.after[at] {
			if _, met := came[next]; !met && r.below[next].has(to) {
				came[next] = at
				queue = append(queue, next)
			}
		}
	}
}

// set is a set of small numbers.
type set []uint64

func (s set) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }
func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }

func (s set) join(other set) {
	for k := range s {
		s[k] |= other[k]
	}
}
