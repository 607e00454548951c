// Package client speaks with a daemon or a factory as any other ROS program could: over its action, its services and
// its state topic.
//
// It imports nothing of a daemon: neither the engine, nor the real world, nor the HTTP API. What needs ROS carries the
// build tag ros.
package client
