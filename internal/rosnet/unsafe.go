//go:build ros

package rosnet

import (
	"slices"

	"go.uber.org/zap"

	"rstate/internal/engine"
)

// lookForUnsafe posts changes of the names that a node must not offer unless armed. An offer by any
// node counts: a process may contain other nodes besides this one. Watcher only.
func (r *remote) lookForUnsafe() {
	var found []string
	for _, name := range r.spec.Unsafe {
		if r.w.offered(name) {
			found = append(found, name)
		}
	}
	if !slices.Equal(found, r.unsafe) {
		r.unsafe = found
		r.w.post(engine.UnsafeSeen{Node: r.i, Names: found})
	}
}

// offered reports whether any node serves an action or a service of that name, or publishes a
// topic.
func (w *World) offered(name string) bool {
	for _, count := range []func() (int, error){
		func() (int, error) { return w.node.CountServices(name + "/_action/send_goal") },
		func() (int, error) { return w.node.CountServices(name) },
		func() (int, error) { return w.node.CountPublishers(name) },
	} {
		n, err := count()
		if err != nil {
			w.log.Warn("cannot read the graph", zap.String("name", name), zap.Error(err))
		}
		if n > 0 {
			return true
		}
	}
	return false
}
