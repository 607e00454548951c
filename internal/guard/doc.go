// Package guard disarms nodes that do not follow the arm lease by themselves.
//
// It imports internal/session and internal/lease, and nothing of a daemon, whose faults it is there for.
package guard
