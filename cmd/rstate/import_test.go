package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestB6ImportOfNav2(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	params := file("nav2_params.yaml",
		"lifecycle_manager_navigation:\n  ros__parameters: {autostart: true, node_names: [controller_server, planner_server]}\n")
	none := file("none.yaml", "bt_navigator: {ros__parameters: {}}\n")
	code, out, errs := invoke("import", "nav2", params)
	if code != exitDone || errs != "" || !strings.Contains(out, "\n  /planner_server: {after: [/controller_server]}\n") {
		t.Errorf("%d %s%s", code, out, errs)
	}
	robot := filepath.Join(dir, "robot.yaml")
	if code, out, errs = invoke("import", "nav2", params, "--to", robot); code != exitDone || errs != "" ||
		out != robot+": 1 manager of nav2; rstate check "+robot+"\n" {
		t.Errorf("%d %s%s", code, out, errs)
	}
	if code, out, errs = invoke("check", robot); code != exitDone || !strings.Contains(out, "2 nodes: no faults") {
		t.Errorf("check: %d %s%s", code, out, errs)
	}
	for want, args := range map[string][]string{
		"it exists; choose another name, or write --force":          {params, "--to", robot},
		"there is no such file; check the path":                     {filepath.Join(dir, "no.yaml")},
		"no node in it has node_names: a launch file may set them;": {none},
	} {
		if code, _, errs := invoke(append([]string{"import", "nav2"}, args...)...); code == exitDone || !has(errs, want) {
			t.Errorf("%v: %d %s", args, code, errs)
		}
	}
	if code, _, errs := invoke("import", "nav", params); code != exitBadInput || !has(errs, "did you mean nav2?") {
		t.Errorf("%d %s", code, errs)
	}
}

// TestB6TheNameOfTheFileStaysAComment whatever characters it has.
func TestB6TheNameOfTheFileStaysAComment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a\nsimulation: of_a_stranger\u2028\x85.yaml")
	if err := os.WriteFile(path, []byte("m: {ros__parameters: {node_names: [a]}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := invoke("import", "nav2", path)
	if first, _, _ := strings.Cut(out, "\n"); code != exitDone || first != "# From a simulation: of_a_stranger \uFFFD.yaml." {
		t.Errorf("%d %q %s", code, first, errs)
	}
}

// TestB1TheNameOfTheExecutable stands for the verb.
func TestB1TheNameOfTheExecutable(t *testing.T) {
	for line, want := range map[string]string{
		"/opt/ros/lib/rstate/lifecycle_manager --ros-args -r __node:=m": "nav2 --ros-args -r __node:=m",
		"lifecycle_manager":         "nav2",
		"bin/rstate run robot.yaml": "run robot.yaml",
		"rstate":                    "",
		"":                          "",
	} {
		if got := strings.Join(argsOf(strings.Fields(line)), " "); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
