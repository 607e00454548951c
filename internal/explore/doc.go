// Package explore runs all orders of events in a small network, with a counted number of deviations from a
// normal day, and judges each by the ground truth of the network.
//
// A setup is a network of one to three nodes, with one or two instances, and the day of a client: start,
// arm, rest, disarm, rest. The day without deviations is one run of a simulation of discrete events. Between
// two events, and just before the next one, an explorer may insert a deviation of the menu (menu.go): it
// copies the world, goes on with the copy, and has one deviation less to insert there. Worlds that are equal,
// with times relative to now, merge.
//
// The judge (judge.go) knows which processes are armed and what was ordered. It does not know what the engine
// believes, except for what the engine shows.
//
//	setup.go   the networks and their days
//	world.go   the world as data, and how time passes in it
//	side.go    one instance: the order in which the daemon feeds the engine and carries effects
//	node.go    the processes of nodes
//	wire.go    what is between instances
//	pipes.go   links that keep messages, and clients whose requests wait
//	servers.go processes that serve an arm and are no process of its node
//	served.go  what must never be of those, and of leases
//	menu.go    the deviations
//	around.go  topics that are counted, and the lease
//	judge.go   what must never be
//	orders.go  which orders hold
//	digest.go  when two worlds are equal
//	walkers.go how values are digested
//	search.go  the exploration, and replays
package explore
