// Package instances is the daemons of one process, as clients over HTTP see them.
//
// It imports internal/daemon, internal/httpapi and internal/page.
package instances
