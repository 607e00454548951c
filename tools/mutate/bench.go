package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// bench is a copy of the tree in which mutations are applied.
type bench struct{ tree *tree }

// limit is how long one test may take. A mutation that makes its test hang is killed by the limit.
const limit = time.Minute

// limitOfAll is how long all tests of a package may take together on the unchanged tree.
const limitOfAll = 10 * time.Minute

// newBench copies the tree. clean removes the copy, and may be called in any case.
func newBench(root string) (b bench, clean func(), err error) {
	dir, err := os.MkdirTemp("", "rstate-mutate-")
	if err != nil {
		return b, func() {}, err
	}
	clean = func() { os.RemoveAll(dir) }
	if err := copyTree(root, dir); err != nil {
		return b, clean, fmt.Errorf("cannot copy the tree: %w", err)
	}
	return bench{newTree(dir)}, clean, lend(root, dir)
}

// copyTree copies the files that tests need, without build results and git.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		hidden := rel != "." && strings.HasPrefix(d.Name(), ".")
		switch {
		case d.IsDir() && (hidden || rel == "bin"):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		case hidden || !d.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o644)
	})
}

// lent is what setup has made for tests. Without it they are left out, and notice nothing.
var lent = []string{".ros/chromium", ".ros/axe", ".ros/prometheus", ".ros/nav2_interfaces-jazzy", ".ros/nav2_interfaces-kilted"}

// lend lets a copy of the tree use what the tree has.
func lend(from, to string) error {
	from, err := filepath.Abs(from)
	if err != nil {
		return err
	}
	for _, name := range lent {
		there := filepath.Join(from, name)
		if _, err := os.Stat(there); err != nil {
			continue // their tests are left out in the tree too
		}
		here := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(here), 0o755); err != nil {
			return err
		}
		if err := os.Symlink(there, here); err != nil {
			return err
		}
	}
	return nil
}

// outcome is the result of a run of go test.
type outcome struct {
	ran, failed []string // tests, by name
	built       bool
	ended       bool // all of them ended, and passed
	text        string
}

// test runs the tests of a package that match a pattern.
func (b bench) test(ctx context.Context, pkg, pattern string, limit time.Duration) (outcome, error) {
	args := []string{"test", "-json", "-vet=off", "-count=1", "-timeout", limit.String()}
	if onROS(filepath.Join(b.tree.root, pkg)) {
		args = append(args, "-tags", "ros")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "-run", pattern, pkg)...)
	cmd.Dir = b.tree.root
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that the processes of a test end with the go command
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	if err != nil && !errors.As(err, &exit) {
		return outcome{}, err
	}
	return read(out.Bytes()), nil
}

// needsROS is how a file begins whose tests need ROS.
var needsROS = regexp.MustCompile(`^//go:build ros( && |\n)`)

// onROS reports whether all tests in a folder need ROS.
func onROS(folder string) bool {
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		return false
	}
	return len(files) > 0 && !slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err != nil || !needsROS.Match(text)
	})
}

// read parses the output of go test -json.
func read(output []byte) outcome {
	o := outcome{built: true}
	var text strings.Builder // a story that fails tells all that happened, millions of lines
	for line := range bytes.Lines(output) {
		var event struct{ Action, Test, Output string }
		if json.Unmarshal(line, &event) != nil {
			text.Write(line)
			continue
		}
		name, _, sub := strings.Cut(event.Test, "/")
		switch event.Action {
		case "build-fail":
			o.built = false
		case "run":
			if !sub {
				o.ran = append(o.ran, name)
			}
		case "fail":
			if event.Test != "" && !sub {
				o.failed = append(o.failed, name)
			}
		case "pass":
			o.ended = o.ended || event.Test == ""
		case "output", "build-output":
			text.WriteString(event.Output)
		}
	}
	o.text = text.String()
	return o
}

// unbroken runs the tests on the unchanged tree. A test that fails there proves nothing.
func (b bench) unbroken(ctx context.Context, todo []mutation) error {
	tests := map[string][]string{}
	var packages []string
	for _, m := range todo {
		if !slices.Contains(packages, m.pkg) {
			packages = append(packages, m.pkg)
		}
		if !slices.Contains(tests[m.pkg], m.test) {
			tests[m.pkg] = append(tests[m.pkg], m.test)
		}
	}
	for _, pkg := range packages {
		o, err := b.test(ctx, pkg, "^("+strings.Join(tests[pkg], "|")+")$", limitOfAll)
		switch {
		case err != nil:
			return err
		case !o.ended: // a test has failed, or took too long
			return fmt.Errorf("%s fails without any mutation: %s\n%s", pkg, strings.Join(o.failed, ", "), tail(o.text))
		}
		for _, name := range tests[pkg] {
			if !slices.Contains(o.ran, name) {
				return fmt.Errorf("%s has no test %s", pkg, name)
			}
		}
	}
	return nil
}

// kill applies a mutation, runs its test, and restores the files. It returns what is wrong; empty if
// the test has killed the mutation.
func (b bench) kill(ctx context.Context, m mutation) (wrong string) {
	texts, err := b.tree.apply(m)
	if err != nil {
		return err.Error()
	}
	for path := range texts {
		defer func() {
			if err := b.write(path, b.tree.files[path].text); err != nil {
				wrong = m.wrong("cannot restore the file: %w", err).Error()
			}
		}()
	}
	for path, text := range texts {
		if err := b.write(path, text); err != nil {
			return m.wrong("cannot write the file: %w", err).Error()
		}
	}
	o, err := b.test(ctx, m.pkg, "^"+m.test+"$", limit)
	switch {
	case err != nil:
		return m.wrong("cannot be tried: %w", err).Error()
	case !o.built:
		return m.wrong("does not compile, which kills nothing:\n%s", tail(o.text)).Error()
	case !slices.Contains(o.failed, m.test):
		return m.wrong("survives: %s does not notice that rule %s is broken", m.test, m.Rule).Error()
	}
	return ""
}

func (b bench) write(path, text string) error {
	return os.WriteFile(filepath.Join(b.tree.root, path), []byte(text), 0o644)
}

// tail returns the end of a long text.
func tail(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}
