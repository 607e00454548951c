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
		b, code, ok := open(ctx)
		if !ok {
			return code
		}
		defer b.close()
		// Asked first: a daemon that begins meanwhile has written nothing that is read here.
		running := b.runs()
		lines, report := b.next(ctx, journal.Filter{Last: whyLines})
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
