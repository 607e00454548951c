// Command fuzzbytes runs the fuzz targets of test/bytes for a time, which they share: bytes that are no messages,
// through the decoder of every type that rstate subscribes to.
//
//	fuzzbytes -for 10m
//
// With -unguided the fuzzer does not watch which code its inputs reach. That needs no second build of everything, which
// takes longer than a short run.
//
// The last line is "N of M targets found nothing", and the exit status says whether that was all. What a target has
// found stays in test/bytes/testdata/fuzz, where the next test run tries it again. It may import the standard library
// only.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	folder = "test/bytes"
	// firstInputs is how many inputs the first round of a target has. Later rounds have as many as fit into what is
	// left of its time. The end of a round is a number of inputs, because the fuzzer of Go now and then fails without a
	// finding where it is a time (golang/go#75804).
	firstInputs, mostInputs = 200, 2_000_000
	// least is the shortest round that is worth its start.
	least = 2 * time.Second
)

func main() {
	duration := flag.Duration("for", 10*time.Minute, "how long all targets together run")
	unguided := flag.Bool("unguided", false, "choose inputs without watching the code that they reach")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	good, all, err := fuzz(ctx, os.Stdout, *duration, *unguided)
	if err != nil {
		fmt.Println("fuzzbytes: " + err.Error())
	}
	fmt.Printf("%d of %d targets found nothing\n", good, all)
	if err != nil || good < all || all == 0 {
		os.Exit(1)
	}
}

// fuzz builds the targets and runs one after the other.
func fuzz(ctx context.Context, out io.Writer, duration time.Duration, unguided bool) (good, all int, err error) {
	dir, err := os.MkdirTemp("", "fuzzbytes")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	p := program{path: filepath.Join(dir, "targets"), cache: filepath.Join(dir, "cache"), out: out}
	build := []string{"test", "-c", "-tags", "ros", "-o", p.path}
	if !unguided {
		build = append(build, "-fuzz=.")
	}
	if err := p.command(ctx, "go", append(build, "./"+folder)...).Run(); err != nil {
		return 0, 0, fmt.Errorf("cannot build the targets: %w", err)
	}
	targets, err := p.targets(ctx)
	if err != nil {
		return 0, 0, err
	}
	end := time.Now().Add(duration)
	for k, target := range targets {
		share := time.Until(end) / time.Duration(len(targets)-k)
		inputs, err := p.run(ctx, target, time.Now().Add(share))
		switch {
		case ctx.Err() != nil:
			return good, len(targets), errors.New("interrupted")
		case err != nil:
			fmt.Fprintf(out, "%s found something within %d inputs: %v\n", target, inputs, err)
		default:
			good++
			fmt.Fprintf(out, "%s: nothing in %d inputs\n", target, inputs)
		}
	}
	return good, len(targets), nil
}

// program is the test binary with the targets.
type program struct {
	path, cache string
	out         io.Writer
}

func (p *program) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = p.out, p.out
	return cmd
}

func (p *program) targets(ctx context.Context) ([]string, error) {
	text, err := exec.CommandContext(ctx, p.path, "-test.list", "^Fuzz").Output()
	if err != nil {
		return nil, fmt.Errorf("cannot list the targets: %w", err)
	}
	return strings.Fields(string(text)), nil
}

// run runs rounds of a target until its time is over, and returns how many inputs that were.
func (p *program) run(ctx context.Context, target string, end time.Time) (inputs int, err error) {
	for n := firstInputs; ; {
		began := time.Now()
		if err := p.round(ctx, target, n); err != nil {
			return inputs + n, err
		}
		inputs += n
		left := time.Until(end)
		if left < least {
			return inputs, nil
		}
		took := max(time.Since(began), time.Millisecond)
		n = int(min(int64(n)*8, max(firstInputs, int64(n)*int64(left)/int64(took)), mostInputs))
	}
}

// round tries n inputs. Its output is shown only if it finds something.
func (p *program) round(ctx context.Context, target string, n int) error {
	cmd := exec.CommandContext(ctx, p.path, "-test.run=^$", "-test.fuzz=^"+target+"$",
		fmt.Sprintf("-test.fuzztime=%dx", n),
		"-test.fuzzcachedir="+p.cache, "-test.parallel=2")
	cmd.Dir = folder
	text, err := cmd.CombinedOutput()
	if err != nil {
		_, _ = p.out.Write(text)
	}
	return err
}
