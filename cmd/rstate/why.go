package main

import (
	"fmt"
	"time"

	"rstate/internal/journal"
)

func whyVerb(e *env, f *options) action {
	place := journalFlags(f)
	output := f.output("how to print the answer")
	return func(words []string) int {
		dir, err := place()
		if err != nil {
			return e.fail(exitFailed, "%v", err)
		}
		// Asked first: a daemon that begins meanwhile has written nothing that is read here.
		running := journal.Running(dir)
		lines, report := journal.Read(dir)
		if code, ok := tellReport(e, report); !ok {
			return code
		}
		tree := journal.Why(lines, running, time.Now())
		if *output != asTable {
			return e.print(*output, tree)
		}
		fmt.Fprint(e.out, tree)
		return exitDone
	}
}
