// Package instances is the daemons of one process, as clients over HTTP see them.
//
// It imports internal/daemon and internal/httpapi.
package instances
