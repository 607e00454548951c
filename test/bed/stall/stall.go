// Package stall is about a daemon to which the machine leaves no time. That happens on a busy machine to a daemon that
// works. It then says that it did not run for a while, ends its goals, and disarms; its clients send again what that
// ended, and so do those of the tests. It imports test/bed only.
package stall

import (
	"regexp"
	"strings"
	"testing"

	"rstate/test/bed"
)

// Said reports whether a text says that a daemon did not run for a while.
func Said(text string) bool { return strings.Contains(text, "did not run for") }

// Refused reports whether a goal was rejected or aborted because its daemon did not run for a while, or because the goal
// may have come before the daemon ran again. Or the client did not run for a while, and did not send it.
func Refused(text string) bool {
	return Said(text) || strings.Contains(text, "could receive it") || strings.Contains(text, "after you asked")
}

// Count returns how often a text, such as a log, says that a daemon did not run for a while.
func Count(text string) (n int) {
	for line := range strings.Lines(text) {
		if Said(line) {
			n++
		}
	}
	return n
}

// lowersFirst is what a daemon says when nodes have to go back before it raises the network.
var lowersFirst = regexp.MustCompile(`the network is not intact, .*\(send (\w+)\)`)

// Again sends something until it is not refused for want of time. send returns the words with which it failed; empty: it
// did not. If a goal that had begun was ended, the daemon may ask for a command before it is sent again, which lower
// sends; the next answer shows what has become of that.
func Again(t testing.TB, what string, send func() (failed string), lower func(command string)) {
	t.Helper()
	refused := false
	bed.Eventually(t, "the daemon has time for "+what, func() (string, bool) {
		said := send()
		if Refused(said) {
			refused = true
			return said, false
		}
		if first := lowersFirst.FindStringSubmatch(said); refused && first != nil {
			lower(first[1])
			return said, false
		}
		return said, true
	})
}
