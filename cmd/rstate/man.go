package main

import (
	"os"

	"github.com/spf13/cobra/doc"
)

func manVerb(e *env, f *options) action {
	return func(words []string) int {
		if err := os.MkdirAll(words[0], 0o755); err != nil {
			return e.fail(exitFailed, "cannot write the man pages: %v", err)
		}
		root := f.cmd.Root()
		// The date is that of SOURCE_DATE_EPOCH where it is set, so that a package is the same each
		// time.
		header := &doc.GenManHeader{Section: "1", Source: "rstate " + version, Manual: "rstate"}
		if err := doc.GenManTree(root, header, words[0]); err != nil {
			return e.fail(exitFailed, "cannot write the man pages: %v", err)
		}
		return exitDone
	}
}
