// Package demo is nodes for demonstrations: lifecycle nodes, services and topics that follow a script, obey the arm
// lease, take part in a stepped loop, and break down on request.
//
// It imports internal/session and internal/lease, and nothing of a daemon: it is what a daemon drives.
package demo
