// Command mutants changes the code of the pure packages at random places, and reports how many of the changes their own
// tests notice. The changes are made by gremlins. The tables in test/mutations break rules on purpose; mutants finds
// the places that no rule names.
//
//	mutants [-run WORD] [-file NAME]
//
// A mutant that no test notices survives. The file test/mutants.yaml lists survivors that cannot matter, each with its
// reason; any other survivor is printed with its line. A package is met if its tests notice at least 90 % of the
// mutants in code that they run, and 95 % in what decides on arming. The last line is "N of M met", and the exit status
// says the same.
//
// The command works on a copy of the tree, committed or not. It may import the standard library and yaml.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// target is a package whose tests are judged, or some of its files. Files are judged together, and run one by one, so
// that a long run tells how far it is.
type target struct {
	folder string
	files  []string // empty: all
	least  float64  // how many percent of the mutants must be noticed
}

// of is the target for one of its files.
func (t target) of(file string) target { return target{t.folder, []string{file}, t.least} }

func (t target) String() string {
	switch len(t.files) {
	case 0:
		return t.folder
	case 1:
		return t.folder + "/" + t.files[0]
	}
	return t.folder + ", what arms"
}

// What decides on arming is held to more.
const (
	usual  = 90
	strict = 95
)

// targets are judged in this order, the quick ones first.
var targets = []target{
	{"internal/lease", nil, strict}, {"internal/gate", nil, usual}, {"internal/stepper", nil, usual},
	{"internal/plan", nil, usual},
	{"internal/mirror", nil, usual}, {"internal/machine", nil, usual}, {"internal/engine/arming", nil, strict},
	{"internal/engine/grant", nil, strict}, {"internal/dispatch", nil, strict}, {"internal/engine/belief", nil, usual},
	{"internal/engine/ids", nil, usual}, {"internal/engine", whatArms, strict}, {"internal/engine", nil, usual},
}

// whatArms are the files of the engine that decide on arming, proofs, the lease and disarming.
var whatArms = []string{"arm.go", "arming_conditions.go", "disarm.go", "disarm_commands.go", "grants.go", "lease.go",
	"proofs.go"}

// listFile lists the survivors that cannot matter.
const listFile = "test/mutants.yaml"

func main() {
	root := flag.String("C", ".", "the root of the tree")
	run := flag.String("run", "", "only packages with this word in their path")
	file := flag.String("file", "", "only this file of the packages")
	flag.Parse()
	met, err := mutants(*root, pick(*root, *run, *file), os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants: "+err.Error())
		os.Exit(2)
	}
	if !met {
		os.Exit(1)
	}
}

// pick selects the targets with a word in their name, and of those one file, if it is named.
func pick(root, word, file string) (picked []target) {
	for _, t := range targets {
		_, err := os.Stat(filepath.Join(root, t.folder, file))
		switch {
		case !strings.Contains(t.String(), word) || err != nil:
		case file == "":
			picked = append(picked, t)
		case len(t.files) == 0 || slices.Contains(t.files, file):
			picked = append(picked, t.of(file))
		}
	}
	return picked
}

// mutants judges the targets and reports whether all are met.
func mutants(root string, picked []target, out io.Writer) (bool, error) {
	if len(picked) == 0 {
		return false, errors.New("there is nothing of that name to judge")
	}
	known, err := readList(filepath.Join(root, listFile))
	if err != nil {
		return false, err
	}
	copied, err := os.MkdirTemp("", "rstate-mutants-")
	if err != nil {
		return false, fmt.Errorf("cannot make a folder for the copy: %w", err)
	}
	defer os.RemoveAll(copied)
	tool, err := prepare(root, copied)
	if err != nil {
		return false, err
	}
	met := 0
	for _, p := range picked {
		began := time.Now()
		r, err := judge(tool, copied, p, known, out)
		if err != nil {
			return false, err
		}
		if r.share() >= p.least {
			met++
		}
		r.print(out, p.String(), time.Since(began))
	}
	fmt.Fprintf(out, "%d of %d met\n", met, len(picked))
	return met == len(picked), nil
}

// judge runs the mutants of a target, and prints those that survive.
func judge(tool, copied string, p target, known []survivor, out io.Writer) (all report, err error) {
	parts := []target{p}
	if len(p.files) > 0 {
		parts = nil
		for _, file := range p.files {
			parts = append(parts, p.of(file))
		}
	}
	for _, part := range parts {
		began := time.Now()
		r, err := unleash(tool, copied, part)
		if err != nil {
			return report{}, err
		}
		excused := r.excuse(known, part)
		if len(p.files) > 0 {
			r.print(out, "  "+part.files[0], time.Since(began))
		}
		for _, s := range r.lived {
			fmt.Fprintf(out, "  survives: %s:%d: %s: %s\n", s.File, s.number, s.Change, s.Line)
		}
		for _, s := range excused {
			fmt.Fprintf(out, "  %s lists what does not survive: %s: %s: %s\n", listFile, s.File, s.Change, s.Line)
		}
		all.killed, all.late, all.uncovered = all.killed+r.killed, all.late+r.late, all.uncovered+r.uncovered
		all.lived = append(all.lived, r.lived...)
	}
	return all, nil
}

// survivor is a mutant that no test notices. It is known by its line, since numbers of lines change.
type survivor struct {
	File   string `yaml:"file"`
	Change string `yaml:"change"` // as gremlins names it
	Line   string `yaml:"line"`
	Why    string `yaml:"why"` // why it cannot matter
	number int
}

func (s survivor) is(o survivor) bool {
	return s.File == o.File && s.Change == o.Change && s.Line == o.Line
}

// readList reads the survivors that cannot matter.
func readList(path string) ([]survivor, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the survivors: %w", err)
	}
	var list []survivor
	decoder := yaml.NewDecoder(strings.NewReader(string(text)))
	decoder.KnownFields(true)
	if err := decoder.Decode(&list); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	for _, s := range list {
		if s.File == "" || s.Change == "" || s.Line == "" || s.Why == "" {
			return nil, fmt.Errorf("cannot use %s: an entry needs file, change, line and why: %+v", path, s)
		}
	}
	return list, nil
}

// prepare copies the tree and builds gremlins.
func prepare(root, copied string) (tool string, err error) {
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	names, err := list.Output()
	if err != nil {
		return "", fmt.Errorf("cannot list the files of the tree: %w", err)
	}
	for _, name := range strings.Split(strings.TrimRight(string(names), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			continue // it is deleted, or a link to a folder
		}
		to := filepath.Join(copied, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			return "", err
		}
	}
	tool = filepath.Join(copied, "gremlins")
	build := exec.Command("go", "build", "-o", tool, "github.com/go-gremlins/gremlins/cmd/gremlins")
	build.Dir, build.Stderr = filepath.Join(root, "tools", "gremlins"), os.Stderr
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("cannot build gremlins: %w", err)
	}
	return tool, nil
}

// report is what became of the mutants of one package.
type report struct {
	killed, uncovered int
	late              int // of the killed: ran until the time limit
	lived             []survivor
}

// excuse drops the survivors that are known not to matter. It returns the entries for the package that match none.
func (r *report) excuse(known []survivor, of target) (unused []survivor) {
	for _, k := range known {
		if filepath.Dir(k.File) != of.folder || len(of.files) > 0 && !slices.Contains(of.files, filepath.Base(k.File)) {
			continue
		}
		before := len(r.lived)
		if r.lived = slices.DeleteFunc(r.lived, k.is); len(r.lived) == before {
			unused = append(unused, k)
		}
	}
	return unused
}

// share is how many percent of the mutants in code that tests run were noticed.
func (r report) share() float64 {
	if all := r.killed + len(r.lived); all > 0 {
		return 100 * float64(r.killed) / float64(all)
	}
	return 100
}

func (r report) print(out io.Writer, of string, took time.Duration) {
	fmt.Fprintf(out, "%-24s %5.1f %% of %d noticed, %d of them by the time limit, %d in code that no test of it runs; took %v\n",
		of, r.share(), r.killed+len(r.lived), r.late, r.uncovered, took.Round(time.Second))
}

// tooLong is how many times as long as all tests of the package a mutant may run. One that runs longer hangs.
const tooLong = "6"

// unleash runs gremlins on one package.
func unleash(tool, copied string, of target) (report, error) {
	folder, file := of.folder, filepath.Join(copied, "gremlins.json")
	_ = os.Remove(file)
	// Packages below have a turn of their own. Their paths are relative to the folder, so a slash tells.
	args := []string{"unleash", "--silent", "--timeout-coefficient", tooLong, "-o", file, "--exclude-files", "/"}
	others, err := of.others(copied)
	if err != nil {
		return report{}, err
	}
	for _, name := range others {
		args = append(args, "--exclude-files", "(^|/)"+regexp.QuoteMeta(name)+"$")
	}
	cmd := exec.Command(tool, append(args, "./"+folder)...)
	cmd.Dir = copied
	// Gremlins takes its time limit from one run of the tests. A result that Go has kept would make that far too short.
	cmd.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -count=1 -vet=off")
	if text, err := cmd.CombinedOutput(); err != nil {
		return report{}, fmt.Errorf("gremlins fails on %s: %w\n%s", folder, err, text)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return report{}, fmt.Errorf("gremlins has written no results for %s: %w", folder, err)
	}
	return read(text, copied, folder)
}

// others lists the files of the package that the target leaves out.
func (t target) others(copied string) (names []string, err error) {
	if len(t.files) == 0 {
		return nil, nil
	}
	all, err := os.ReadDir(filepath.Join(copied, t.folder))
	if err != nil {
		return nil, fmt.Errorf("cannot list the files of %s: %w", t.folder, err)
	}
	for _, f := range all {
		if name := f.Name(); strings.HasSuffix(name, ".go") && !slices.Contains(t.files, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// read reads the results of gremlins. A mutant that runs until the time limit is noticed.
func read(text []byte, copied, folder string) (r report, err error) {
	var results struct {
		Files []struct {
			Name      string `json:"file_name"`
			Mutations []struct {
				Type, Status string
				Line         int
			}
		}
	}
	if err := json.Unmarshal(text, &results); err != nil {
		return r, fmt.Errorf("cannot read the results for %s: %w", folder, err)
	}
	for _, f := range results.Files {
		path := folder + "/" + f.Name
		code, err := os.ReadFile(filepath.Join(copied, path))
		if err != nil {
			return r, fmt.Errorf("cannot read the code of a mutant: %w", err)
		}
		lines := strings.Split(string(code), "\n")
		for _, m := range f.Mutations {
			switch m.Status {
			case "KILLED":
				r.killed++
			case "TIMED OUT":
				r.killed++
				r.late++
			case "NOT COVERED":
				r.uncovered++
			case "LIVED":
				r.lived = append(r.lived,
					survivor{File: path, Change: m.Type, Line: strings.TrimSpace(lines[m.Line-1]), number: m.Line})
			}
		}
	}
	slices.SortFunc(r.lived, func(a, b survivor) int {
		return strings.Compare(fmt.Sprintf("%s%6d", a.File, a.number), fmt.Sprintf("%s%6d", b.File, b.number))
	})
	return r, nil
}
