//go:build !ros

package install

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// environment is that of a user who has sourced nothing, with an empty home.
func environment(t *testing.T, more ...string) []string {
	t.Helper()
	return append([]string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + t.TempDir(), "LANG=C.UTF-8"}, more...)
}

// TestVerbsWithoutROSNeedNothing: the program has no libraries, and each verb that needs no ROS works with an empty
// environment. The others say what is missing.
func TestVerbsWithoutROSNeedNothing(t *testing.T) {
	program := withoutROS(t)
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if libraries, err := f.ImportedLibraries(); err != nil || len(libraries) > 0 || f.Section(".interp") != nil {
		t.Errorf("it needs the libraries %v, %v", libraries, err)
	}
	env := environment(t)
	config := func(name string) string { return filepath.Join(root, "config", name) }
	for _, c := range []struct {
		words string
		want  string
	}{
		{"check " + config("mobile_robot.yaml"), "mobile_robot.yaml"},
		{"graph " + config("mobile_robot.yaml"), "/"},
		{"plan " + config("demo.yaml") + " active", "activate"},
		{"rehearse " + config("demo.yaml") + " " + config("rehearsals/demo.yaml"), "16 of 16 met"},
		{"version", "built without ROS"},
		{"completion bash", "rstate"},
		{"help run", "Run the daemon"},
	} {
		words := strings.Fields(c.words)
		if out := run(t, 0, env, program, words...); !strings.Contains(out, c.want) {
			t.Errorf("rstate %s printed\n%s", c.words, out)
		}
	}
	pages := t.TempDir()
	run(t, 0, env, program, "man", pages)
	only(t, pages+"/rstate-rehearse.1")
	for _, words := range []string{"run " + config("demo.yaml"), "send active", "doctor", "status"} {
		out := run(t, 4, env, program, strings.Fields(words)...)
		if !strings.Contains(out, "no ROS 2 is sourced; ") { // the rest depends on what is installed in /opt/ros
			t.Errorf("rstate %s printed\n%s", words, out)
		}
	}
}

// TestWhyTellsFromAJournalWithoutROS: a journal that was copied from a robot is read on a desk.
func TestWhyTellsFromAJournalWithoutROS(t *testing.T) {
	dir := t.TempDir()
	line := `{"v":1,"n":1,"at":"2026-11-27T10:00:00Z","instance":"a","kind":"start","sentence":"the daemon starts"}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, "journal-000001.jsonl"), []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	program, env := withoutROS(t), environment(t)
	if out := run(t, 0, env, program, "history", "--dir", dir); !strings.Contains(out, "the daemon starts") {
		t.Errorf("history printed\n%s", out)
	}
	run(t, 0, env, program, "why", "--dir", dir)
}

var first sync.Once

// packed returns the folder with the packages of this machine, which are made once.
func packed(t *testing.T) string {
	t.Helper()
	out := filepath.Join(folder, "packages")
	first.Do(func() { runDist(t, "pack", "-out", out, "-program", host()+"="+withoutROS(t)) })
	return out
}

// TestPipInstallsIt: in an environment of Python without ROS and without a network, the verbs that need no ROS work, the
// others say what is missing, and uninstalling leaves nothing.
func TestPipInstallsIt(t *testing.T) {
	told, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	needs(t, "Python", err)
	python := strings.TrimSpace(string(told))
	wheel := only(t, packed(t)+"/rstate-*.whl")

	venv, env := t.TempDir(), environment(t, "PIP_NO_CACHE_DIR=1", "PYTHONDONTWRITEBYTECODE=1")
	needs(t, "venv of Python", exec.Command(python, "-m", "venv", "--without-pip", venv).Run())
	pip := func(words ...string) string { // the pip of this machine takes a tenth of the time that venv takes for one
		all := []string{"-m", "pip", "--disable-pip-version-check", "--python", venv + "/bin/python"}
		return run(t, 0, env, python, append(all, words...)...)
	}
	if exec.Command(python, "-m", "pip", "--python", venv+"/bin/python", "--version").Run() != nil {
		needs(t, "pip in venv of Python", exec.Command(python, "-m", "venv", venv).Run())
		pip = func(words ...string) string {
			return run(t, 0, env, venv+"/bin/python", append([]string{"-m", "pip", "--disable-pip-version-check"}, words...)...)
		}
	}
	// pip leaves empty folders, which packages share. Files are what counts.
	noCaches := func(name string) bool { return strings.Contains(name, "__pycache__") }
	left := func() []string {
		return slices.DeleteFunc(files(t, venv, noCaches), func(one string) bool { return strings.HasPrefix(one, "d") })
	}
	before := left()
	pip("install", "--no-index", wheel)

	rstate := venv + "/bin/rstate"
	demo := venv + "/share/rstate/config/demo.yaml"
	if out := run(t, 0, env, rstate, "rehearse", demo); !strings.Contains(out, "/") {
		t.Errorf("the rehearsal printed\n%s", out)
	}
	if out := run(t, 4, env, rstate, "run", demo); !strings.Contains(out, `cannot do "run": no ROS 2 is sourced`) {
		t.Errorf("run printed\n%s", out)
	}
	run(t, 0, env, venv+"/bin/python", "-c", "import rstate.arm_lease, rstate.step_data")
	pip("uninstall", "--yes", "rstate")
	if after := left(); !slices.Equal(before, after) {
		t.Errorf("it left %v", without(after, before))
	}
}

// TestPackagesAreTheSameEachTime: the same programs give the same bytes.
func TestPackagesAreTheSameEachTime(t *testing.T) {
	once, again := packed(t), t.TempDir()
	runDist(t, "pack", "-out", again, "-program", host()+"="+withoutROS(t))
	sums, err := os.ReadFile(filepath.Join(once, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	if then, err := os.ReadFile(filepath.Join(again, "SHA256SUMS")); err != nil || !bytes.Equal(sums, then) {
		t.Errorf("first\n%sthen, %v\n%s", sums, err, then)
	}
	if !bytes.Contains(sums, []byte(".whl\n")) || !bytes.Contains(sums, []byte(".deb\n")) {
		t.Errorf("the checksums are\n%s", sums)
	}
}

// TestMakeInstallLeavesNothing: what install wrote, uninstall removes, also after a second install; what was there
// before stays.
func TestMakeInstallLeavesNothing(t *testing.T) {
	destdir := t.TempDir()
	other := destdir + "/opt/robot/share/man/man1/other.1"
	if err := os.MkdirAll(filepath.Dir(other), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	all := func(string) bool { return false }
	before := files(t, destdir, all)
	where := []string{"-prefix", "/opt/robot", "-destdir", destdir}
	for range 2 {
		runDist(t, append([]string{"install", "-program", host() + "=" + withoutROS(t)}, where...)...)
	}
	prefix := destdir + "/opt/robot"
	for _, file := range []string{"bin/rstate", "share/man/man1/rstate-run.1.gz", "share/rstate/config/demo.yaml",
		"share/bash-completion/completions/rstate", "share/doc/rstate/docs/bring-up.md"} {
		only(t, filepath.Join(prefix, file))
	}
	run(t, 0, environment(t), prefix+"/bin/rstate", "rehearse", prefix+"/share/rstate/config/demo.yaml")
	runDist(t, append([]string{"uninstall"}, where...)...)
	if after := files(t, destdir, all); !slices.Equal(before, after) {
		t.Errorf("it left %v", without(after, before))
	}
}
