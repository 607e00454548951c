package main

import "strings"

// later are the verbs that rstate is to have and has not.
var later = []string{
	"rehearse", "factory",
}

func notYet(e *env, name string) int {
	return e.fail(exitBadInput, "cannot do %q: not yet in this version; there are %s", name,
		strings.Join(verbNames(), ", "))
}
