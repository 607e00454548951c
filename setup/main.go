// Command setup gives this checkout a ROS 2 to build and run on, so that nothing has to be installed by hand.
//
// If a ROS 2 installation is sourced, setup uses it unchanged. Otherwise it installs pinned Python
// wheels of ROS 2 into .ros/<distro>, and repairs them so that programs in other languages can use
// them too. Then it builds the project's interfaces into .ros/overlay-<distro>, and fetches what only
// tests need into .ros/proxies. A second run does only what is missing.
//
//	go run ./setup        make everything ready (ROS_DISTRO=kilted for Kilted; Jazzy otherwise)
//	go run ./setup -q     the same, without output if nothing is missing
//	go run ./setup env    print the environment, for a shell's eval
//	go run ./setup simulation_interfaces
//	                      build this package, which only tests need, and print its prefix
//	go run ./setup nav2_interfaces
//	                      the same for two packages of nav2
//	go run ./setup chromium
//	                      fetch a browser for the tests of the page, unless this machine has one, and axe-core,
//	                      which checks the page for accessibility, if there is an npm
//	go run ./setup prometheus
//	                      fetch a Prometheus for the tests of metrics, unless this machine has one
//
// It runs first on a new machine, so it may import the standard library and internal/runnable only.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"time"
	"unicode"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "setup: "+err.Error())
		os.Exit(1)
	}
}

func run(args []string, out, notes io.Writer) error {
	flags := flag.NewFlagSet("setup", flag.ContinueOnError)
	flags.SetOutput(notes)
	quiet := flags.Bool("q", false, "say nothing where there is nothing to do")
	if err := flags.Parse(args); err != nil {
		return err
	}
	root, err := findRoot(".")
	if err != nil {
		return err
	}
	p, err := choose(root, os.Getenv)
	if err != nil {
		return err
	}
	switch flags.Arg(0) {
	case "env":
		if why := p.missing(); why != "" {
			return fmt.Errorf("cannot print the environment: %s; run `make setup` first", why)
		}
		_, err := io.WriteString(out, shellExports(p.environment(os.Getenv)))
		return err
	case "":
		if err := prepare(p, *quiet, notes); err != nil {
			return err
		}
		fetchProxies(p, debianMirror, *quiet, notes)
		return nil
	case chromiumWord:
		if err := fetchChromium(p, notes); err != nil {
			return err
		}
		return fetchAxe(p, notes)
	case prometheusWord:
		return fetchPrometheus(p, notes)
	}
	one, ok := p.forTests(flags.Arg(0))
	if !ok {
		return fmt.Errorf("cannot do %q: setup knows %s, or no word at all", flags.Arg(0), words())
	}
	if err := prepareForTests(p, one, notes); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, one.into)
	return err
}

// words lists the words that setup knows.
func words() string {
	list := "`env`, `" + chromiumWord + "`, `" + prometheusWord + "`"
	for _, from := range testSources {
		list += ", `" + path.Base(from) + "`"
	}
	return list
}

// findRoot returns the nearest parent folder with the project: its module and its interfaces.
func findRoot(from string) (string, error) {
	dir, err := filepath.Abs(from)
	if err != nil {
		return "", err
	}
	for {
		_, mod := os.Stat(filepath.Join(dir, "go.mod"))
		_, msgs := os.Stat(filepath.Join(dir, sources))
		if mod == nil && msgs == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("cannot find the checkout: run this inside it")
		}
		dir = filepath.Dir(dir)
	}
}

// prepare makes what is missing, one caller at a time. It checks without the lock whether all is
// ready: the stamps are written last and removed first.
func prepare(p place, quiet bool, notes io.Writer) error {
	begin := time.Now()
	if p.missing() != "" {
		release, err := lock(filepath.Join(p.dir(), "lock"), notes)
		if err != nil {
			return err
		}
		defer release()
		if err := makeMissing(p, notes); err != nil {
			return err
		}
		quiet = false
	}
	if !quiet {
		fmt.Fprintf(notes, "setup: %s is ready (%.1f s)%s\n", p, time.Since(begin).Seconds(),
			releaseOf(p.distro).support(time.Now()))
	}
	return nil
}

// prepareForTests builds interfaces that only tests use, one caller at a time.
func prepareForTests(p place, one interfaces, notes io.Writer) error {
	if p.stampOf(one).differs() == "" {
		return nil
	}
	if why := p.missing(); why != "" {
		return fmt.Errorf("cannot build %s: %s; run `make setup` first", one.sources, why)
	}
	release, err := lock(filepath.Join(p.dir(), "lock"), notes)
	if err != nil {
		return err
	}
	defer release()
	return buildInterfaces(p, one, notes)
}

func makeMissing(p place, notes io.Writer) error {
	if p.missing() == "" { // another run has done the work while this one waited for the lock
		return nil
	}
	if err := checkPath(p.root); err != nil {
		return err
	}
	if err := checkCompilers(); err != nil {
		return err
	}
	if !p.isSourced() && p.prefixStamp().differs() != "" {
		if err := installWheels(p, notes); err != nil {
			return err
		}
	}
	return buildInterfaces(p, p.ours(), notes)
}

// checkPath refuses a checkout whose path the tools that build the interfaces cannot handle. It runs
// before the download.
func checkPath(root string) error {
	for _, r := range root {
		if r > unicode.MaxASCII {
			return fmt.Errorf("cannot build in %q: the build of ROS interfaces fails in a path with %q; move the checkout to a path of ASCII letters", root, r)
		}
	}
	return nil
}
