package service

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// commands returns what an example for a build server runs, by job.
func commands(t *testing.T, file string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/ci/" + file)
	if err != nil {
		t.Fatal(err)
	}
	type job struct {
		Script []string `yaml:"script"` // of GitLab
		Steps  []struct {
			Run string `yaml:"run"`
		} `yaml:"steps"` // of GitHub
	}
	var whole struct {
		Jobs        map[string]job `yaml:"jobs"`
		File, Start job
	}
	if err := yaml.Unmarshal(text, &whole); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	jobs := whole.Jobs
	if jobs == nil {
		jobs = map[string]job{"file": whole.File, "start": whole.Start}
	}
	found := map[string][]string{}
	for name, j := range jobs {
		found[name] = j.Script
		for _, s := range j.Steps {
			found[name] = append(found[name], strings.Split(strings.TrimSpace(s.Run), "\n")...)
		}
		found[name] = slices.DeleteFunc(found[name], func(line string) bool { return line == "" })
	}
	return found
}

// TestBuildServersDoTheSame: both examples check and rehearse the file, and start the robot with
// the script.
func TestBuildServersDoTheSame(t *testing.T) {
	github, gitlab := commands(t, "github.yaml"), commands(t, "gitlab.yaml")
	for _, job := range []string{"file", "start"} {
		if len(github[job]) < 3 || !slices.Equal(github[job], gitlab[job]) && job == "file" {
			t.Errorf("%s: GitHub runs %q, and GitLab %q", job, github[job], gitlab[job])
		}
		for _, line := range gitlab[job] {
			if !slices.Contains(github[job], line) {
				t.Errorf("%s: GitLab alone runs %q", job, line)
			}
		}
	}
	want := "ci/start.sh start robot.yaml ros2 launch my_robot bringup.launch.py"
	if !slices.Contains(gitlab["start"], want) {
		t.Errorf("the robot is started with %q", gitlab["start"])
	}
}

// TestTheScriptForBuildServersIsBash without faults, and says how it is called.
func TestTheScriptForBuildServersIsBash(t *testing.T) {
	const script = "../../docs/ci/start.sh"
	if out, err := exec.Command("bash", "-n", script).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	out, err := exec.Command(script, "folder").CombinedOutput()
	exit := new(exec.ExitError)
	if e, ok := err.(*exec.ExitError); ok {
		exit = e
	}
	if exit.ProcessState == nil || exit.ExitCode() != 2 || !regexp.MustCompile(`^write start\.sh FOLDER`).Match(out) {
		t.Errorf("with one word: %v\n%s", err, out)
	}
}
