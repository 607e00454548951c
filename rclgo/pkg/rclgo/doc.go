// Package rclgo is a ROS 2 client library: contexts, nodes, parameters, publishers,
// subscriptions, services, clients, actions, lifecycle nodes, timers, clocks, simulated
// time, wait sets, the graph, QoS events and logging, over rcl. It may import the standard
// library, internal/rcl (all of its cgo) and the packages types, typemap and introspection
// of this module.
//
// # Serving
//
// Handlers run only while something spins. [Context.Spin] serves everything of a
// context, [Node.Spin] everything of one node, [WaitSet.Run] what was added to the set;
// entities made meanwhile are served at once, in a running wait set those added to it.
// Spins may overlap as they like: an entity is served, once, as long as any of them
// covers it. Waiting for a response counts as a handler: [Client.Send] needs a spin.
//
// The handlers of one entity run one after the other, in order, on a goroutine of the
// entity's own; those of different entities run side by side. While its handler runs,
// nothing more is taken from an entity, so that the queue of its QoS holds what comes.
// When a spin returns, no further handler starts on its behalf; one that runs goes on.
//
// # Parameters and time
//
// Every node has [Parameters], with the values that its arguments and those of its
// context give; others reach them if [NodeOptions] starts the services. Checks and
// listeners of parameters run on the goroutine that sets, which for others' requests is
// the one of the service. [Node.Clock] follows the parameter use_sim_time; /clock is
// taken by the loop itself, so that no handler can be in the way.
//
// # Closing
//
// Close may be called in any order, any number of times, from any goroutine, a handler
// of the same entity too. It closes what was made from the entity first (a node's
// publishers, a clock's timers), waits for calls that are inside rcl, and does not wait
// for handlers. Afterwards, methods return an error of the kind that rcl has for an
// invalid handle. A program must close its contexts before it exits.
//
// # Inside: one goroutine per context
//
// The loop of a context (loop.go) is a goroutine. It makes, closes and waits on every
// handle of the context. Others hand it closures through a queue, and one guard
// condition ends its wait. Only what rcl documents as thread-safe runs elsewhere:
// publishing, asserting liveliness, sending requests and responses, matched counts,
// logging. Takes run one at a time for each entity; responses are taken by the loop
// itself, as that saves the caller a change of goroutine. Before it waits, the loop lets
// those run whom it has just given something.
//
// Each object embeds an entity (entity.go), a node of the tree of ownership with
//
//   - a gate, entered around every use of the handle outside of the loop, and shut
//     before the loop finalises it;
//   - what the loop waits on (kind and handle), if anything;
//   - onReady, called by the loop when that is ready. It takes in place or starts the
//     handler with dispatch, which keeps the entity out of the wait set until the
//     handler has returned;
//   - finalize, called by the loop once, after the entity's children are gone.
//
// A kind of entity plugs in by filling these and calling adopt inside its owner's
// build. Of one made of several handles, such as an action client (three clients, two
// subscriptions), the kind is one more WaitKind in internal/rcl: add and is_ready of
// wait.c call rcl_action_wait_set_add_… and …_get_entities_ready, and the bits that
// they find arrive as onReady's argument.
package rclgo
