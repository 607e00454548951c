package service

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"rstate/test/bed"
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

// TestTheScriptForBuildServersLeavesNoProcess: the nodes are a shell, which ends at SIGINT and leaves two processes, one of
// which ignores all that it can. A build server would give them to the next job.
func TestTheScriptForBuildServersLeavesNoProcess(t *testing.T) {
	folder := t.TempDir()
	program := func(name, text string) (file string) {
		t.Helper()
		file = filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte("#!/bin/bash\n"+text), 0o700); err != nil {
			t.Fatal(err)
		}
		return file
	}
	pids := filepath.Join(folder, "pids")
	program("rstate", fmt.Sprintf(`case $1 in
  run) echo $$ >>%[1]s; exec sleep 1000 ;;
  watch) until [ "$(wc -l <%[1]s)" = 4 ]; do sleep 0.01; done; exit 6 ;;
esac
`, pids))
	nodes := program("nodes", fmt.Sprintf(`(trap "" INT TERM; echo $BASHPID >>%[1]s; exec sleep 1000) &
(echo $BASHPID >>%[1]s; exec sleep 1000) &
echo $$ >>%[1]s
wait
`, pids))
	if err := os.WriteFile(pids, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "../../docs/ci/start.sh", filepath.Join(folder, "evidence"), "network.yaml", nodes)
	cmd.Env = []string{"PATH=" + folder + ":" + os.Getenv("PATH")}
	cmd.Stdout, cmd.Stderr = log, log // a pipe would be waited for until every process has closed it
	_ = cmd.Run()                     // its exit code is looked at
	said, _ := os.ReadFile(log.Name())
	if code := cmd.ProcessState.ExitCode(); code != 6 {
		t.Errorf("it ended with %v, and said\n%s", cmd.ProcessState, said)
	}
	text, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	started := strings.Fields(string(text))
	if len(started) != 4 {
		t.Errorf("%d processes were started, want 4: %s", len(started), text)
	}
	t.Cleanup(func() { // ends what is left if the test fails
		for _, pid := range started {
			_ = exec.Command("kill", "-KILL", pid).Run()
		}
	})
	bed.Eventually(t, "every process ends", func() (string, bool) {
		left := slices.DeleteFunc(slices.Clone(started), ended)
		return fmt.Sprintf("%v of %v are left; the script said\n%s", left, started, said), len(left) == 0
	})
}

// ended reports whether a process has ended. Its parent may not have read its exit code yet.
func ended(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	return err != nil || regexp.MustCompile(`\) [ZX] `).Match(stat)
}
