package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"rstate/test/promises"
)

var ours = sync.OnceValues(func() (situation, error) {
	os.Unsetenv("AMENT_PREFIX_PATH")
	os.Unsetenv("ROS_DISTRO")
	return look("../..")
})

// here is the situation of this checkout, with two distributions and without a change.
func here(t *testing.T) situation {
	t.Helper()
	s, err := ours()
	if err != nil {
		t.Fatal(err)
	}
	return s.about(change{since: "never"})
}

// content is all that a choice runs, one entry for each smallest thing.
func content(c choice) map[string]bool {
	all := map[string]bool{}
	for _, st := range c.stages {
		switch {
		case len(st.units) > 0:
			distro := ""
			for _, e := range st.env {
				if d, is := strings.CutPrefix(e, "ROS_DISTRO="); is {
					distro = d
				}
			}
			for _, u := range st.units {
				all[u.id()+" on "+distro] = true
			}
		case slices.Contains(st.args, "-from"):
			for _, seed := range seedsOf(st.args) {
				all[seed] = true
			}
		case slices.Contains(st.args, "./tools/explore"):
			for _, part := range partsOf(st.args) {
				all["orders "+part] = true
			}
		case slices.Contains(st.args, tester):
			race := slices.Contains(st.args, "-race")
			for _, a := range st.args {
				if strings.HasPrefix(a, "rstate/") {
					all[fmt.Sprintf("%s, race %t", a, race)] = true
				}
			}
		default:
			all[st.name] = true
		}
	}
	return all
}

func seedsOf(args []string) []string {
	value := func(flag string) int {
		n := 0
		_, _ = fmt.Sscan(args[slices.Index(args, flag)+1], &n)
		return n
	}
	kind := strings.Join(args[3:slices.Index(args, "-from")], " ")
	var all []string
	for k := range value("-seeds") {
		all = append(all, fmt.Sprintf("life %s %d", kind, value("-from")+k))
	}
	return all
}

func partsOf(args []string) []string {
	if !slices.Contains(args, "-single") {
		return []string{"with one deviation"}
	}
	if at := slices.Index(args, "-part"); at >= 0 {
		return []string{args[at+1]}
	}
	var all []string
	for k := range eighths {
		all = append(all, fmt.Sprintf("%d/%d", k+1, eighths))
	}
	return all
}

// TestEightCommitsRunEverything, whatever changes in them.
func TestEightCommitsRunEverything(t *testing.T) {
	s := here(t)
	all := map[string]bool{}
	for k := range eighths {
		s.eighth = k
		maps.Copy(all, content(forCI(s)))
	}
	whole := content(forEverything(s))
	var missing []string
	for _, what := range slices.Sorted(maps.Keys(whole)) {
		if !all[what] {
			missing = append(missing, what)
		}
	}
	if len(missing) > 0 || len(whole) < 1000 {
		t.Errorf("of %d things, eight commits do not run %d: %s", len(whole), len(missing), strings.Join(missing[:min(20, len(missing))], "; "))
	}
}

// TestWhatADistributionBringsIsTestedOnEach: the client library, the facts of the graph, and the types.
func TestWhatADistributionBringsIsTestedOnEach(t *testing.T) {
	s := here(t)
	whole := content(forEverything(s))
	for _, folder := range ofDistribution {
		found := 0
		for _, u := range s.units {
			if strings.HasPrefix(u.folder+"/", folder+"/") {
				found++
				if !whole[u.id()+" on jazzy"] || !whole[u.id()+" on kilted"] {
					t.Errorf("%s does not run on each", u.id())
				}
			}
		}
		if found == 0 {
			t.Errorf("%s has no test", folder)
		}
	}
}

// TestAnEighthIsFew: no commit pays much more than an eighth of the real tests.
func TestAnEighthIsFew(t *testing.T) {
	s := here(t)
	for k := range eighths {
		s.eighth = k
		if n, most := len(forCI(s).eighths), len(s.units)/eighths*3/2; n > most || n == 0 {
			t.Errorf("eighth %d has %d units of %d", k, n, len(s.units))
		}
	}
}

// TestAChangeRunsWhatItReaches, beside what every change runs.
func TestAChangeRunsWhatItReaches(t *testing.T) {
	s := here(t)
	always := content(forCI(s))
	runs := func(files ...string) (all, more []string) {
		for what := range content(forCI(s.about(change{files: files}))) {
			if all = append(all, what); !always[what] {
				more = append(more, what)
			}
		}
		return all, more
	}
	has := func(list []string, word string) bool {
		return slices.ContainsFunc(list, func(what string) bool { return strings.Contains(what, word) })
	}
	for _, c := range []struct {
		files      []string
		want, none []string
	}{
		{files: []string{"internal/stepper/clock.go"}, want: []string{"rstate/internal/looper, race true"}, none: []string{"test/page", "internal/page"}},
		{files: []string{"internal/page/web/app/stand.js"}, want: []string{"test/page.TestMoments"}, none: []string{"stepper", "looper", "L11", "L13"}},
		{files: []string{"internal/engine/waits.go"}, want: []string{"rstate/internal/daemon, race true"}, none: []string{"test/ros.TestL1", "rclgo"}},
		{files: []string{"rclgo/pkg/rclgo/node.go"}, want: []string{"rclgo/pkg/rclgo.Test"}, none: []string{"test/page"}},
		{files: []string{"docs/why.md"}, none: []string{""}},
		{files: []string{"test/ros/arm_test.go"}, want: []string{"test/ros.TestA1"}, none: []string{"test/page", "rclgo", "cmd/rstate"}},
	} {
		all, more := runs(c.files...)
		for _, word := range c.want {
			if !has(all, word) {
				t.Errorf("a change of %s does not run %s; because of it run %q", c.files, word, more)
			}
		}
		for _, word := range c.none {
			if has(more, word) {
				t.Errorf("a change of %s runs %s: %q", c.files, word, more)
			}
		}
	}
	if all, _ := runs("go.mod"); !has(all, "rstate/internal/daemon, race true") || !has(all, "test/page.TestMoments") {
		t.Error("a change of go.mod does not run all packages")
	}
}

// TestPromisesRunAlways: in test, and in ci on each distribution.
func TestPromisesRunAlways(t *testing.T) {
	s := here(t)
	one, both := content(forTest(s)), content(forCI(s))
	if len(s.rows) < 50 {
		t.Errorf("there are %d promises", len(s.rows))
	}
	for _, r := range s.rows {
		page := strings.HasPrefix(r.Test, "test/page.") && !one[r.Test+" on jazzy"]
		if page && (!one[r.Test+" on "] || !both[r.Test+" on "]) ||
			!page && (!one[r.Test+" on jazzy"] || !both[r.Test+" on jazzy"] || !both[r.Test+" on kilted"]) {
			t.Errorf("%s does not run always", r.Test)
		}
	}
}

// TestAPromiseHasTestsBesideIt: a change of what it depends on runs them too.
func TestAPromiseHasTestsBesideIt(t *testing.T) {
	one, two := unit{folder: "t", name: "TestOne", needs: patient}, unit{folder: "t", name: "TestTwo", needs: patient}
	s := situation{distros: []string{"jazzy"}, units: []unit{one, two},
		rows: []promises.Row{{Test: one.id(), When: []string{"a/b"}, More: []string{two.id()}}}}
	s.eighth = (eighth(two.id()) + 1) % eighths
	for folder, want := range map[string]bool{"a/b": true, "a/b/c": true, "a": false, "a/bc": false} {
		s.change = change{files: []string{folder + "/x.go"}}
		if got := content(forCI(s)); got[two.id()+" on jazzy"] != want || !got[one.id()+" on jazzy"] {
			t.Errorf("a change in %s runs the test beside: %t", folder, !want)
		}
	}
}

var hasTest = regexp.MustCompile(`(?m)^func Test(M[^a]|[A-LN-Z])\w*\(\w+ \*testing`)

// TestEveryTestHasItsPlace: a test runs with its package without ROS 2, or it is a unit.
func TestEveryTestHasItsPlace(t *testing.T) {
	s := here(t)
	known := map[string]bool{}
	for _, u := range s.units {
		known[u.file] = true
	}
	lost := 0
	err := filepath.WalkDir(s.root, func(file string, d os.DirEntry, err error) error {
		rel, _ := filepath.Rel(s.root, file)
		switch {
		case err != nil:
			return err
		case d.IsDir() && rel != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || rel == "bin"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(file, "_test.go") || known[filepath.ToSlash(rel)]:
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil || !hasTest.Match(text) || bytes.Contains(text, []byte("//go:build !ros")) {
			return err
		}
		if folder := filepath.ToSlash(filepath.Dir(rel)); !slices.Contains(s.pure, "rstate/"+folder) {
			lost++
			t.Errorf("no plan runs the tests of %s", rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
