package main

import (
	"fmt"
	"runtime"
)

func versionVerb(e *env, args []string) int {
	f := newFlags(e, "version", "")
	if _, code, ok := f.parse(args, 0, 0); !ok {
		return code
	}
	fmt.Fprintf(e.out, "rstate %s (%s, %s)\n", version, runtime.Version(), builtWith)
	return exitDone
}
