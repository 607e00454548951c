package main

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestAnEighthThatFailedBeforeIsNamed: a test that fails on the commit before too is a defect of
// before; one that passed there is not.
func TestAnEighthThatFailedBeforeIsNamed(t *testing.T) {
	files(t, map[string]string{
		"go.mod":      "module m\n\ngo 1.25\n",
		"a/a.go":      "package a\n\nconst Works = true\n",
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestOld(t *testing.T) { t.Error(\"always\") }\n\nfunc TestNew(t *testing.T) {\n\tif !Works {\n\t\tt.Error(\"now\")\n\t}\n}\n",
	})
	commits := func(script string) {
		t.Helper()
		text, err := exec.Command("sh", "-c", script+
			"; git add . && git -c user.name=a -c user.email=a@example.org commit -qm change").CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	commits("git init -q -b main .")
	commits("sed -i s/true/false/ a/a.go")
	st := stage{name: "a", limit: time.Minute, folder: ".", counts: true,
		units: []unit{{folder: "a", name: "TestOld", needs: patient}, {folder: "a", name: "TestNew", needs: patient}},
		args:  []string{"go", "test", "-json", "-run", "^(TestOld|TestNew)$", "./a"}}
	var out bytes.Buffer
	code := choice{stages: []stage{st}, eighths: []string{"a.TestOld", "a.TestNew"}}.run(context.Background(), situation{root: "."}, &out)
	const says = " fails on the commit before too: a defect to mend first\n"
	if !strings.Contains(out.String(), "a.TestOld"+says) || strings.Contains(out.String(), "a.TestNew"+says) {
		t.Error("the wrong ones are named")
	}
	if code != 1 || !strings.HasSuffix(out.String(), "\n0 passed, 2 failed\n") {
		t.Errorf("they count as failed all the same; got %d", code)
	}
	if t.Failed() {
		t.Log(out.String())
	}
}

func TestIsOf(t *testing.T) {
	for fault, want := range map[string]bool{
		"rstate/test/ros.TestA":                       true,
		"rstate/test/ros.TestA/case":                  true,
		"rstate/test/ros.TestA (skipped, as CI says)": true,
		"rstate/test/ros.TestAB":                      false,
		"rstate/test/other.TestA":                     false,
	} {
		if got := isOf(fault, "test/ros.TestA"); got != want {
			t.Errorf("%s: got %t", fault, got)
		}
	}
	if !isOf("github.com/tiiuae/rclgo/pkg/rclgo.TestX", "rclgo/pkg/rclgo.TestX") {
		t.Error("a test of rclgo is not known by its id")
	}
}
