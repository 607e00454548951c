//go:build ros

package faults

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// If ROS is missing, or not the one of the build, the process ends with one message that has the
// remedy.
func TestNoROS(t *testing.T) {
	overlay := overlay(t)
	for _, c := range []struct {
		what  string
		hide  bool // hide the prefix with our interfaces
		env   []string
		words []string
		code  int
	}{
		{"no interfaces, nothing sourced", true, []string{"AMENT_PREFIX_PATH=", "LD_LIBRARY_PATH="},
			[]string{"cannot use ROS", "rstate_msgs", "source"}, 4},
		{"no interfaces where it is sourced", true, nil, []string{"cannot use ROS", "rstate_msgs", "source"}, 4},
		{"another middleware is asked for", false, []string{"RMW_IMPLEMENTATION=rmw_of_a_dream"},
			[]string{"cannot use ROS", "RMW_IMPLEMENTATION", "rmw_of_a_dream", "unset"}, 4},
	} {
		t.Run(c.what, func(t *testing.T) {
			n := newNetwork(t, "")
			folder := t.TempDir()
			file, journal := filepath.Join(folder, "network.yaml"), filepath.Join(folder, "journal")
			if err := os.WriteFile(file, []byte("simulation: x\n"+n.text), 0o600); err != nil {
				t.Fatal(err)
			}
			args := []string{binary(t), "run", file, "--journal", journal}
			if c.hide {
				args = append(hiding(t, overlay), args...)
			}
			p := bed.StartCommand(t, "rstate", bed.Command{Args: args, Env: c.env})
			if code := p.Wait(t); code != c.code {
				t.Errorf("the daemon ended with %d, want %d", code, c.code)
			}
			if lines := said(p); len(lines) != 1 || !daemon.HasAll(lines[0], c.words...) {
				t.Errorf("the output is not one line with %q:\n%s", c.words, p.Log())
			}
			nothingLeft(t, journal)
		})
	}
}

// On the machine of the build nothing has to be sourced: the binary knows its ROS.
func TestNothingSourced(t *testing.T) {
	for _, prefix := range filepath.SplitList(os.Getenv("AMENT_PREFIX_PATH")) {
		if _, err := os.Stat(filepath.Join(prefix, "lib", "librmw_implementation.so")); err == nil {
			t.Skip("left out: this ROS looks for its middleware by LD_LIBRARY_PATH alone, so it has to be sourced")
		}
	}
	n := newNetwork(t, "")
	d := n.start(t, daemon.Config{Env: []string{"AMENT_PREFIX_PATH=", "LD_LIBRARY_PATH=", "PYTHONPATH=",
		"CMAKE_PREFIX_PATH="}})
	d.Do("active", "succeeded done active")
}

// overlay returns the prefix into which our interfaces were installed.
func overlay(t *testing.T) string {
	t.Helper()
	for _, prefix := range filepath.SplitList(os.Getenv("AMENT_PREFIX_PATH")) {
		if _, err := os.Stat(filepath.Join(prefix, "share", "rstate_msgs")); err == nil {
			return prefix
		}
	}
	t.Fatal("rstate_msgs is in no prefix of AMENT_PREFIX_PATH")
	return ""
}

// hiding returns the beginning of a command that cannot see a folder, as on a machine without it.
func hiding(t *testing.T, folder string) []string {
	t.Helper()
	hide := []string{"unshare", "--mount", "sh", "-c", `mount -t tmpfs none "$0" && exec "$@"`, folder}
	if out, err := exec.Command(hide[0], append(hide[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("left out: this system does not let a process have mounts of its own: %v %s", err, out)
	}
	return hide
}
