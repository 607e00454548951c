// Package promises reads the list of what a user relies on and what only a real run can prove: for each promise one
// test with real ROS, real processes or a real browser. tools/suite runs these tests on each change. The package needs
// no ROS.
package promises

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// File is the path of the list in a checkout.
const File = "test/promises/promises.yaml"

// Row is one promise.
type Row struct {
	Promise string   // what a user relies on, in one sentence
	Rules   []string // ids of docs/rules.md
	Breaks  string   // what alone can break it, one of Breakers
	Test    string   // folder.TestName: the test that proves it
	When    []string // folders: a change in one of them also runs More
	More    []string // further tests, as in Test
}

// Breakers are the kinds of things outside of this program that can break a promise.
var Breakers = []string{"middleware", "kernel", "browser", "process", "client"}

var (
	ruleID   = regexp.MustCompile(`^[A-Z][1-9]\d*$`)
	testName = regexp.MustCompile(`^[a-z][a-z0-9_/]*\.Test[A-Z][A-Za-z0-9_]*$`)
)

// Load reads the list of the checkout in the folder root. The error has all faults.
func Load(root string) ([]Row, error) {
	text, err := os.ReadFile(filepath.Join(root, File))
	if err != nil {
		return nil, err
	}
	rows, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", File, err)
	}
	return rows, nil
}

// Folder returns the folder of a test, and its name.
func Folder(test string) (folder, name string) {
	folder, name, _ = strings.Cut(test, ".")
	return folder, name
}

// parse reads a list strictly.
func parse(text []byte) ([]Row, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	var rows []Row
	if err := decoder.Decode(&rows); err != nil {
		return nil, err
	}
	var faults []error
	promises, tests := map[string]bool{}, map[string]bool{}
	for i, row := range rows {
		for _, fault := range row.faults() {
			faults = append(faults, fmt.Errorf("row %d, %q: %s", i+1, row.Promise, fault))
		}
		if promises[row.Promise] {
			faults = append(faults, fmt.Errorf("row %d: the promise %q has two rows", i+1, row.Promise))
		}
		if tests[row.Test] {
			faults = append(faults, fmt.Errorf("row %d, %q: %s is the test of another row too", i+1, row.Promise, row.Test))
		}
		promises[row.Promise], tests[row.Test] = true, true
	}
	return rows, errors.Join(faults...)
}

// faults says what is wrong with one row.
func (r Row) faults() []string {
	var faults []string
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if strings.TrimSpace(r.Promise) == "" {
		fault("promise is missing")
	}
	if !slices.Contains(Breakers, r.Breaks) {
		fault("breaks is %q and has to be one of %s", r.Breaks, strings.Join(Breakers, ", "))
	}
	for _, list := range []struct {
		key    string
		values []string
		needed bool
	}{{"rules", r.Rules, true}, {"when", r.When, true}, {"more", r.More, false}} {
		if list.needed && len(list.values) == 0 {
			fault("%s is missing", list.key)
		}
		for i, value := range list.values {
			if slices.Contains(list.values[:i], value) {
				fault("%s names %q twice", list.key, value)
			}
		}
	}
	faults = append(faults, r.misnamed()...)
	if slices.Contains(r.More, r.Test) {
		fault("more repeats the test of the row")
	}
	return faults
}

// misnamed says what is no name of a rule, a folder or a test.
func (r Row) misnamed() []string {
	var faults []string
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	for _, id := range r.Rules {
		if !ruleID.MatchString(id) {
			fault("%q is no id of a rule", id)
		}
	}
	for _, folder := range r.When {
		if folder != filepath.ToSlash(filepath.Clean(folder)) || !filepath.IsLocal(folder) {
			fault("when names %q, which is no folder below the checkout", folder)
		}
	}
	for _, test := range append([]string{r.Test}, r.More...) {
		if !testName.MatchString(test) {
			fault("%q is no test: write folder.TestName", test)
		}
	}
	return faults
}
