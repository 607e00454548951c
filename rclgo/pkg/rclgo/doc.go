// Package rclgo is a ROS 2 client library: contexts, nodes, parameters, publishers,
// subscriptions, services, clients, actions, lifecycle nodes, timers, clocks, simulated
// time, wait sets, the graph, QoS events and logging, over rcl. It may import the standard
// library, internal/rcl (all of its cgo) and the packages types, typemap and introspection
// of this module.
//
// # Serving
//
// Handlers run only while something spins. [Context.Spin] serves all entities of a
// context, [Node.Spin] all entities of one node, [WaitSet.Run] those added to the set.
// Entities that are made or added meanwhile are served at once. Spins may overlap: an
// entity is served once, as long as at least one spin covers it. Responses need a spin as
// well: [Client.Send] waits for ever if nothing spins its client.
//
// The handlers of one entity run one after the other, in order, on a goroutine of the
// entity's own; those of different entities run concurrently. While its handler runs,
// nothing is taken from an entity, so that the queue of its QoS holds what arrives. When a
// spin returns, no further handler starts on its behalf; a running handler goes on.
//
// # Parameters and time
//
// Every node has [Parameters], with the values from its arguments and those of its context.
// Other nodes can access them if [NodeOptions] starts the services. Checks and listeners of
// parameters run on the goroutine that sets a parameter; for a request of another node that
// is the goroutine of the service. [Node.Clock] follows the parameter use_sim_time. The loop
// itself takes /clock, so that no handler can delay it.
//
// # Closing
//
// Close may be called in any order, any number of times and from any goroutine, including a
// handler of the same entity. It first closes what was made from the entity (a node's
// publishers, a clock's timers). It waits for calls that are inside rcl, but not for
// handlers. Afterwards, methods return the error that rcl has for an invalid handle. A
// program must close its contexts before it exits.
//
// # Inside: one goroutine per context
//
// The loop of a context (loop.go) is a goroutine. It makes, closes and waits on every
// handle of the context. Other goroutines pass it closures through a queue, and one guard
// condition ends its wait. Only what rcl documents as thread-safe runs elsewhere:
// publishing, asserting liveliness, sending requests and responses, matched counts,
// logging. Takes run one at a time for each entity. The loop itself takes responses, which
// saves the caller a change of goroutine. Before it waits, the loop yields to the goroutines
// that it has just given work.
//
// Each object embeds an entity (entity.go), a node of the tree of ownership with
//
//   - a gate, entered around every use of the handle outside of the loop, and shut
//     before the loop finalises it;
//   - what the loop waits on (kind and handle), if anything;
//   - onReady, called by the loop when the handle is ready. It takes in place or starts
//     the handler with dispatch, which keeps the entity out of the wait set until the
//     handler has returned;
//   - finalize, called by the loop once, after the entity's children were finalised.
//
// A kind of entity fills these fields and calls adopt inside its owner's build. An entity
// with several handles, such as an action client (three clients, two subscriptions), is one
// more WaitKind in internal/rcl: add and is_ready of wait.c call rcl_action_wait_set_add_…
// and …_get_entities_ready, and the resulting bits arrive as the argument of onReady.
package rclgo
