package main

import (
	"fmt"
	"runtime"
)

func versionVerb(e *env, args []string) int {
	f := newFlags(e, "version", "")
	output := f.output("how the version is printed")
	if _, code, ok := f.parse(args, 0, 0); !ok {
		return code
	}
	if *output != asTable {
		return e.print(*output, struct {
			Version string `json:"version"`
			Go      string `json:"go"`
			ROS     bool   `json:"ros"`
		}{version, runtime.Version(), hasROS})
	}
	fmt.Fprintf(e.out, "rstate %s (%s, %s)\n", version, runtime.Version(), builtWith)
	return exitDone
}
