// Command mutate breaks the rules on purpose. Each patch in test/mutations breaks one rule of docs/rules.md and names the
// test that has to notice. The tree is copied as it is, committed or not; in the copy one patch after another is
// applied, its test is run, and it is taken back. A mutation is killed when its test fails. One that does not apply,
// does not compile, or whose test does not exist is an error, and so is a rule without a mutation.
//
//	mutate [-workers N] [-run WORD]
//
// Its last line is "N of N killed" and its exit status says the same. It may import the standard library only.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	root := flag.String("C", ".", "the root of the tree")
	workers := flag.Int("workers", min(2, runtime.GOMAXPROCS(0)), "how many copies to work in, side by side")
	run := flag.String("run", "", "only mutations whose file's name has this in it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	whole, err := mutate(ctx, *root, *workers, *run, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate: "+err.Error())
		os.Exit(2)
	}
	if !whole {
		os.Exit(1)
	}
}

// mutate runs the mutations and says whether all were killed.
func mutate(ctx context.Context, root string, workers int, only string, out io.Writer) (bool, error) {
	began := time.Now()
	all, err := readAll(root)
	if err != nil {
		return false, err
	}
	todo := slices.DeleteFunc(all, func(m mutation) bool { return !strings.Contains(m.name, only) })
	if len(todo) == 0 {
		return false, fmt.Errorf("no mutation has %q in its name", only)
	}
	benches, clean, err := benches(root, min(workers, len(todo)))
	defer clean()
	if err != nil {
		return false, err
	}
	if err := benches[0].unbroken(ctx, todo); err != nil {
		return false, err
	}
	verdicts := spread(ctx, benches, todo)
	killed := 0
	for k, v := range verdicts {
		if v.stale {
			fmt.Fprintf(out, "%s: applies only without some of its context; make it anew before it stops to\n", todo[k].name)
		}
		if v.wrong == "" {
			killed++
			continue
		}
		fmt.Fprintf(out, "%s: %s\n", todo[k].name, v.wrong)
	}
	fmt.Fprintf(out, "%d of %d killed, in %v\n", killed, len(todo), time.Since(began).Round(time.Second))
	return killed == len(todo), nil
}

// readAll reads the mutations, sorted by name, and looks whether each rule has one.
func readAll(root string) ([]mutation, error) {
	paths, err := filepath.Glob(filepath.Join(root, "test/mutations/*.patch"))
	if err != nil {
		return nil, err
	}
	var all []mutation
	for _, p := range paths {
		m, err := readMutation(p)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	rules, err := os.ReadFile(filepath.Join(root, "docs/rules.md"))
	if err != nil {
		return nil, err
	}
	for _, rule := range regexp.MustCompile(`(?m)^- \*\*([A-Z]\d+)\*\*`).FindAllStringSubmatch(string(rules), -1) {
		if !slices.ContainsFunc(all, func(m mutation) bool { return m.rule == rule[1] }) {
			return nil, fmt.Errorf("rule %s has no mutation: add one to test/mutations", rule[1])
		}
	}
	return all, nil
}

// spread runs the mutations on the benches.
func spread(ctx context.Context, benches []bench, todo []mutation) []verdict {
	verdicts := make([]verdict, len(todo))
	next := make(chan int)
	var workers sync.WaitGroup
	for _, b := range benches {
		workers.Go(func() {
			for k := range next {
				verdicts[k] = b.kill(ctx, todo[k])
			}
		})
	}
	for k := range todo {
		next <- k
	}
	close(next)
	workers.Wait()
	return verdicts
}
