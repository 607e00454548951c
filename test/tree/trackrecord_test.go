package tree

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestTheTrackRecordNamesWhatIsThere: each test and each mutation in test/TRACKRECORD.md exists.
func TestTheTrackRecordNamesWhatIsThere(t *testing.T) {
	text, err := os.ReadFile("../TRACKRECORD.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	for _, root := range []string{"cmd", "internal", "setup", "test", "rclgo"} {
		for name := range testsBelow(t, filepath.Join("../..", root)) {
			tests[name] = true
		}
	}
	mutations := mutationsThere(t)
	rows := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || strings.HasPrefix(cells[1], "---") || cells[1] == " defect " {
			continue
		}
		rows++
		named := regexp.MustCompile(`\b(Test|Fuzz)[A-Z]\w+`).FindAllString(cells[2], -1)
		if len(named) == 0 {
			t.Errorf("no test holds %q", strings.TrimSpace(cells[1]))
		}
		for _, name := range named {
			if !tests[name] {
				t.Errorf("there is no %s", name)
			}
		}
		for _, name := range regexp.MustCompile(`[A-Z]\d+-[a-z-]+`).FindAllString(cells[3], -1) {
			if !mutations[name] {
				t.Errorf("there is no mutation %s", name)
			}
		}
	}
	if rows < 40 {
		t.Errorf("only %d rows were found", rows)
	}
}

// mutationsThere returns the mutations in the tables of test/mutations, by rule and name.
func mutationsThere(t *testing.T) map[string]bool {
	t.Helper()
	paths, err := filepath.Glob("../mutations/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var table []struct{ Rule, Name string }
		if err := yaml.Unmarshal(text, &table); err != nil {
			t.Fatal(err)
		}
		for _, m := range table {
			there[m.Rule+"-"+m.Name] = true
		}
	}
	return there
}
