// Package schedule draws whole runs of the scripted world, each from one number: the network, what its nodes are like,
// what people ask for and when, and what happens to nodes, wires, clocks and the coordinator meanwhile. The same seed
// is the same run, to the last line, so a run in which something happened that must never happen can be had again.
//
// It imports simnet, and network, machine and lifecycle for what it draws. Its own tests and tools/simulate use it.
package schedule
