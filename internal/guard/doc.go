// Package guard disarms nodes that do not follow the arm lease by themselves.
//
// It imports internal/session, internal/lease and internal/engine/guards, which is what the words of guards mean, and
// nothing else of a daemon, whose faults it is there for.
package guard
