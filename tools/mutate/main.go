// Command mutate breaks the rules of docs/rules.md on purpose. Each entry of the tables in
// test/mutations breaks one rule and names the test that must fail then. The command copies the tree
// as it is, committed or not. In the copy it applies one mutation after another, runs its test and
// restores the files. A test that fails kills the mutation.
//
// It is an error if a mutation does not apply or does not compile, if its test does not exist, or if
// a rule has no mutation.
//
//	mutate [-run WORD] [-check]
//
// The last line is "N of N killed". With -check the command runs no test. It reports whether all
// mutations apply and have a test, and the last line is "N of N apply". The exit status is 0 if that
// is true of all of them.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	root := flag.String("C", ".", "the root of the tree")
	run := flag.String("run", "", "only mutations with this word in their name, such as A1-absent or A1")
	checks := flag.Bool("check", false, "run no test, only report whether all mutations apply")
	flag.Parse()
	os.Unsetenv("RSTATE_BINARY") // the binary of rstate has to be that of the mutated tree
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	whole, err := false, error(nil)
	if *checks {
		whole, err = check(*root, *run, os.Stdout)
	} else {
		whole, err = mutate(ctx, *root, *run, os.Stdout)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate: "+err.Error())
		os.Exit(2)
	}
	if !whole {
		os.Exit(1)
	}
}

// mutate runs the mutations and reports whether all were killed.
func mutate(ctx context.Context, root, only string, out io.Writer) (bool, error) {
	began := time.Now()
	todo, err := choose(root, only)
	if err != nil {
		return false, err
	}
	b, clean, err := newBench(root)
	defer clean()
	if err != nil {
		return false, err
	}
	if err := b.unbroken(ctx, todo); err != nil {
		return false, err
	}
	killed := 0
	for _, m := range todo {
		if wrong := b.kill(ctx, m); wrong != "" {
			fmt.Fprintln(out, wrong)
			continue
		}
		killed++
	}
	fmt.Fprintf(out, "%d of %d killed, in %v\n", killed, len(todo), time.Since(began).Round(time.Second))
	return killed == len(todo), nil
}

// choose reads the mutations that have a word in their name.
func choose(root, word string) ([]mutation, error) {
	all, err := readAll(root)
	if err != nil {
		return nil, err
	}
	todo := slices.DeleteFunc(all, func(m mutation) bool { return !strings.Contains(m.id(), word) })
	if len(todo) == 0 {
		return nil, fmt.Errorf("no mutation has %q in its name", word)
	}
	return todo, nil
}

// check reports whether all mutations apply and have a test.
func check(root, only string, out io.Writer) (bool, error) {
	todo, err := choose(root, only)
	if err != nil {
		return false, err
	}
	apply := 0
	t := newTree(root)
	for _, m := range todo {
		_, err := t.apply(m)
		if err == nil {
			err = m.hasTest(root)
		}
		if err != nil {
			fmt.Fprintln(out, err)
			continue
		}
		apply++
	}
	fmt.Fprintf(out, "%d of %d apply\n", apply, len(todo))
	return apply == len(todo), nil
}
