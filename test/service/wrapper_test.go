package service

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheWrapperSourcesROS: the setup file that the environment names, that of the distribution, or
// none and says why.
func TestTheWrapperSourcesROS(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) (file string) {
		t.Helper()
		file = filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		return file
	}
	setup := write("setup.bash", "export SOURCED=\"with $# words\"\necho $UNSET >/dev/null\n")
	broken := write("broken.bash", "return 1\n")
	workspace := write("workspace.bash", "export AMENT_PREFIX_PATH=/nowhere:"+folder+"\n")
	if err := os.MkdirAll(filepath.Join(folder, "lib/rstate"), 0o700); err != nil {
		t.Fatal(err)
	}
	write("lib/rstate/only-here", "#!/bin/sh\necho found $1\n")
	for name, c := range map[string]struct {
		env  []string
		args []string
		code int
		says string
	}{
		"a setup file": {[]string{"RSTATE_SETUP=" + setup},
			[]string{"sh", "-c", `echo "$SOURCED; $1"`, "sh", "two words"}, 0, "with 0 words; two words\n"},
		"a program of a workspace":        {[]string{"RSTATE_SETUP=" + workspace}, []string{"only-here", "it"}, 0, "found it"},
		"a program that is nowhere":       {[]string{"RSTATE_SETUP=" + workspace}, []string{"not-here"}, 127, "not-here"},
		"the code is that of the command": {[]string{"RSTATE_SETUP=" + setup}, []string{"sh", "-c", "exit 3"}, 3, ""},
		"no command":                      {[]string{"RSTATE_SETUP=" + setup}, nil, 4, "the command is missing"},
		"a setup file that is missing": {[]string{"RSTATE_SETUP=/nowhere/setup.bash"}, []string{"true"}, 4,
			"cannot read /nowhere/setup.bash; set ROS_DISTRO or RSTATE_SETUP in /etc/rstate/environment"},
		"a distribution that is missing": {[]string{"ROS_DISTRO=nowhere"}, []string{"true"}, 4,
			"cannot read /opt/ros/nowhere/setup.bash"},
		"a setup file that fails": {[]string{"RSTATE_SETUP=" + broken}, []string{"true"}, 4, "broken.bash failed"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(packaged+"/with-ros", c.args...)
			cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, c.env...)
			out, _ := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(string(out), c.says) {
				t.Errorf("it ended with %d, and said %q", code, out)
			}
		})
	}
}

// TestTheWrapperPrefersWhatCameWithIt: an rstate that is earlier on the PATH is of another installation.
func TestTheWrapperPrefersWhatCameWithIt(t *testing.T) {
	text, err := os.ReadFile(packaged + "/with-ros")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for file, data := range map[string]string{"usr/lib/rstate/with-ros": string(text), "local/rstate": "echo local",
		"local/other": "echo other", "usr/bin/rstate": "echo mine $1", "usr/bin/other": "echo none", "setup.bash": ""} {
		at := filepath.Join(root, file)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(data, "#!") {
			data = "#!/bin/sh\n" + data + "\n"
		}
		if err := os.WriteFile(at, []byte(data), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	says := func(want string, words ...string) {
		t.Helper()
		cmd := exec.Command(filepath.Join(root, "usr/lib/rstate/with-ros"), words...)
		cmd.Env = []string{"PATH=" + root + "/local:" + os.Getenv("PATH"), "RSTATE_SETUP=" + root + "/setup.bash"}
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("%q says %q, %v, want %q", words, out, err, want)
		}
	}
	says("mine run\n", "rstate", "run")
	says("other\n", "other")
	if err := os.Remove(filepath.Join(root, "usr/bin/rstate")); err != nil {
		t.Fatal(err)
	}
	says("local\n", "rstate")
}
