//go:build ros

// Package rosnet is the real world of an instance, over rclgo: it carries the engine's effects out
// on ROS 2 and turns what happens there into inputs. It decides nothing; what it adds is what only
// it can see: which process a name belongs to (epochs), whether the ways to a node are open both
// ways, and which answer belongs to which request.
//
// # Goroutines
//
// Carry, Show and Beat run on the coordinator's goroutine and never block: one goroutine publishes
// what they say, and one renews the liveliness on each of the loop's beats. Every request waits for
// its answer on a goroutine of its own, one more watches the graph, one listens to checked topics,
// each goal has one. All of them speak through one function, the coordinator's Post. Close ends
// them all.
//
// It imports the engine and the data packages below it, rclgo, lease, the generated bindings and
// zap. It may not import app.
package rosnet
