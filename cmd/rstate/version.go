package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// release is the version of rstate. package.xml of both packages and CHANGELOG.md name it too; test/tree compares them.
const release = "0.1.0"

// given is the version that a build names with -ldflags, for a build outside of a clone. Otherwise Go has noted what was
// built.
var given string

// version is that of this program: 0.1.0 for a release, 0.1.0+g1234abcd for a commit that is none.
var version = versionOf(given, debug.ReadBuildInfo)

// versionOf returns the version, from what the build names, or from what Go has noted of the clone.
func versionOf(given string, noted func() (*debug.BuildInfo, bool)) string {
	if given != "" {
		return given
	}
	info, ok := noted()
	if !ok {
		return release + "+unknown"
	}
	if info.Main.Version == "v"+release { // the commit has the tag of the release, and nothing is changed
		return release
	}
	commit, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = ".dirty"
		}
	}
	if commit == "" {
		return release + "+unknown"
	}
	return release + "+g" + commit[:min(8, len(commit))] + changed
}

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
