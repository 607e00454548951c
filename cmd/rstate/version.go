package main

import (
	"fmt"
	"runtime"
)

func versionVerb(e *env, f *options) action {
	output := f.output("how to print the version")
	return func([]string) int {
		if *output != asTable {
			return e.print(*output, struct {
				Version string `json:"version"`
				Go      string `json:"go"`
				ROS     bool   `json:"ros"`
			}{version, runtime.Version(), hasROS})
		}
		fmt.Fprint(e.out, versionLine())
		return exitDone
	}
}

func versionLine() string {
	return fmt.Sprintf("rstate %s (%s, %s)\n", version, runtime.Version(), builtWith)
}
