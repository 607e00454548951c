// Package install tests what users install, the way they do: with pip, dpkg and make, on machines that have nothing of
// rstate. It may import the harness of the tests on real ROS, and nothing else of this project.
//
// What these tests need of a machine, and it does not have, they leave out by name. In CI that is an error.
package install

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

const root = "../.."

// needs leaves a test out if the machine lacks something. In CI that is an error.
func needs(t *testing.T, what string, err error) {
	t.Helper()
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("cannot test this without %s: %v", what, err)
	default:
		t.Skipf("cannot test this without %s: %v", what, err)
	}
}

// built is a program that is built once for all tests.
type built struct {
	once sync.Once
	file string
	err  error
}

var folder string // of the programs

func TestMain(m *testing.M) {
	os.Exit(inFolder(m))
}

func inFolder(m *testing.M) int {
	var err error
	if folder, err = os.MkdirTemp("", "rstate-install-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	return suite(m)
}

var static, dist built

// program returns a program of this repository, as the build with these settings makes it.
func (b *built) program(t *testing.T, name string, env []string, words ...string) string {
	t.Helper()
	b.once.Do(func() {
		b.file = filepath.Join(folder, name)
		cmd := exec.Command("go", append([]string{"build", "-o", b.file}, words...)...)
		cmd.Dir, cmd.Env = root, append(os.Environ(), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.err = fmt.Errorf("go build %s: %w\n%s", strings.Join(words, " "), err, out)
		}
	})
	if b.err != nil {
		t.Fatal(b.err)
	}
	return b.file
}

// withoutROS returns rstate as it is for machines without ROS. RSTATE_STATIC names one that is built already.
func withoutROS(t *testing.T) string {
	t.Helper()
	if file := os.Getenv("RSTATE_STATIC"); file != "" {
		return file
	}
	return static.program(t, "rstate-without-ros", []string{"CGO_ENABLED=0"}, "./cmd/rstate")
}

// run runs a program to its end, which has to have this exit code, and returns all that it printed.
func run(t *testing.T, code int, env []string, program string, words ...string) string {
	t.Helper()
	cmd := exec.Command(program, words...)
	cmd.Env = env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code {
		t.Fatalf("%s %s: %v, want exit code %d\n%s", program, strings.Join(words, " "), err, code, &out)
	}
	return out.String()
}

// runDist runs tools/dist in the repository.
func runDist(t *testing.T, words ...string) string {
	t.Helper()
	program := dist.program(t, "dist", nil, "./tools/dist")
	cmd := exec.Command(program, words...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "SOURCE_DATE_EPOCH=1795737600")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("dist %s: %v\n%s", strings.Join(words, " "), err, out)
	}
	return string(out)
}

func host() string { return runtime.GOOS + "/" + runtime.GOARCH }

// only returns the one file that a pattern finds.
func only(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) != 1 {
		t.Fatalf("%s is %v, %v", pattern, found, err)
	}
	return found[0]
}

// files returns what is below a folder, with the kind of each, without what a function names.
func files(t *testing.T, below string, ignored func(string) bool) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(below, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(below, path)
		if err == nil && ignored(name) {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		all = append(all, d.Type().String()+" "+name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func without(all, known []string) (rest []string) {
	for _, one := range all {
		if !slices.Contains(known, one) {
			rest = append(rest, one)
		}
	}
	return rest
}
