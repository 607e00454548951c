package main

import (
	"context"
	"fmt"
	"os/signal"
	"syscall"
	"time"

	"rstate/internal/journal"
)

// whyLines is how many of the newest lines tell why.
const whyLines = 2000

func whyVerb(e *env, f *options) action {
	open := bookFlags(e, f, true)
	output := f.output("how to print the answer")
	return func(words []string) int {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		lines, running, code, ok := readOnce(ctx, e, open, whyLines)
		if !ok {
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
