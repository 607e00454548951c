package promises

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

const whole = `
- promise: a node that leaves is missed
  rules: [S3, S4]
  breaks: kernel
  test: test/ros.TestS4EndOfAProcess
  when: [internal/procs]
  more: [test/ros.TestS4CrashInACallback]
`

func TestAListIsReadWhole(t *testing.T) {
	rows, err := parse([]byte(whole))
	if err != nil || len(rows) != 1 {
		t.Fatal(rows, err)
	}
	r := rows[0]
	if r.Promise != "a node that leaves is missed" || !slices.Equal(r.Rules, []string{"S3", "S4"}) ||
		r.Breaks != "kernel" || r.Test != "test/ros.TestS4EndOfAProcess" ||
		!slices.Equal(r.When, []string{"internal/procs"}) ||
		!slices.Equal(r.More, []string{"test/ros.TestS4CrashInACallback"}) {
		t.Errorf("%+v", r)
	}
	if folder, name := Folder(r.Test); folder != "test/ros" || name != "TestS4EndOfAProcess" {
		t.Error(folder, name)
	}
}

// TestFaultsOfAList: each row changes the whole list, and names what the error says.
func TestFaultsOfAList(t *testing.T) {
	for _, c := range []struct{ name, old, new, says string }{
		{"unknown key", "breaks:", "brakes:", "field brakes not found"},
		{"key twice", "  breaks: kernel", "  breaks: kernel\n  breaks: process", "already defined"},
		{"no promise", "promise: a node that leaves is missed", "promise: ''", "promise is missing"},
		{"no rules", "  rules: [S3, S4]\n", "", "rules is missing"},
		{"no when", "  when: [internal/procs]\n", "", "when is missing"},
		{"no test", "  test: test/ros.TestS4EndOfAProcess\n", "", `"" is no test`},
		{"no breaks", "  breaks: kernel\n", "", `breaks is ""`},
		{"other breaks", "kernel", "weather", `breaks is "weather"`},
		{"bad rule", "S3", "s3", `"s3" is no id of a rule`},
		{"rule twice", "S3", "S4", `rules names "S4" twice`},
		{"bad test", "test/ros.TestS4End", "test/ros/TestS4End", "write folder.TestName"},
		{"bad more", "[test/ros.TestS4Crash", "[TestS4Crash", "write folder.TestName"},
		{"more repeats", "TestS4CrashInACallback", "TestS4EndOfAProcess", "more repeats the test"},
		{"folder outside", "internal/procs", "../procs", "no folder below the checkout"},
		{"folder with a slash", "internal/procs", "internal/procs/", "no folder below the checkout"},
		{"row twice", whole, whole + whole, "has two rows"},
		{"test twice", whole, whole + strings.Replace(whole, "leaves", "goes", 1), "the test of another row too"},
		{"no list", whole, "promise: x", "cannot unmarshal"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parse([]byte(strings.Replace(whole, c.old, c.new, 1)))
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("the error is %v, without %q", err, c.says)
			}
		})
	}
}

func TestAMissingListIsAnError(t *testing.T) {
	if rows, err := Load(t.TempDir()); err == nil {
		t.Error(rows)
	}
}

// TestTheListNamesWhatIsThere: each test of the list is a top-level function that needs ROS or a browser, each rule
// stands in docs/rules.md, and each folder of when exists.
func TestTheListNamesWhatIsThere(t *testing.T) {
	rules := string(read(t, filepath.Join(root, "docs/rules.md")))
	for _, row := range load(t) {
		for _, id := range row.Rules {
			if !strings.Contains(rules, "- **"+id+"** ") {
				t.Errorf("%s: docs/rules.md has no rule %s", row.Promise, id)
			}
		}
		for _, folder := range row.When {
			if info, err := os.Stat(filepath.Join(root, folder)); err != nil || !info.IsDir() {
				t.Errorf("%s: there is no folder %s", row.Promise, folder)
			}
		}
		for _, test := range append([]string{row.Test}, row.More...) {
			real, there := lookUp(t, test)
			switch {
			case !there:
				t.Errorf("%s: there is no %s", row.Promise, test)
			case !real && row.Breaks != "browser":
				t.Errorf("%s: %s runs without ROS, so it does not belong into the list", row.Promise, test)
			}
		}
	}
}

// TestEachChapterOfTheRulesHasAPromise: only a real run can break some statement of each chapter.
func TestEachChapterOfTheRulesHasAPromise(t *testing.T) {
	rows := load(t)
	if len(rows) < 50 || len(rows) > 75 {
		t.Errorf("the list has %d rows; it has to be short enough to wait for, and whole", len(rows))
	}
	for _, letter := range "ABCEFHJLMPS" {
		if !slices.ContainsFunc(rows, func(r Row) bool {
			return slices.ContainsFunc(r.Rules, func(id string) bool { return strings.HasPrefix(id, string(letter)) })
		}) {
			t.Errorf("no promise rests on a rule %c", letter)
		}
	}
	for _, breaker := range Breakers {
		if !slices.ContainsFunc(rows, func(r Row) bool { return r.Breaks == breaker }) {
			t.Errorf("no promise is broken by a %s", breaker)
		}
	}
}

func load(t *testing.T) []Row {
	t.Helper()
	rows, err := Load(root)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

var needsROS = regexp.MustCompile(`(?m)^//go:build (.*&& *)?ros\b`)

// lookUp says whether a test exists, and whether it needs ROS: by its build tag, or as a test of the module rclgo.
func lookUp(t *testing.T, test string) (real, there bool) {
	t.Helper()
	folder, name := Folder(test)
	paths, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if text := string(read(t, path)); strings.Contains(text, "\nfunc "+name+"(t *testing.T) ") {
			return needsROS.MatchString(text) || strings.HasPrefix(folder, "rclgo/"), true
		}
	}
	return false, false
}
