package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"rstate/internal/network"
	"rstate/internal/outline"
)

func TestOptionsOfInit(t *testing.T) {
	there := networkFile(t, "mine\n")
	for name, c := range map[string]struct {
		args []string
		code int
		errs string
	}{
		"a file that exists":           {[]string{there}, exitBadInput, "it exists; choose another name, or write --force"},
		"two sources":                  {[]string{"--from-launch", "x", "--from-daemon", "y"}, exitBadInput, "exclude each other"},
		"an argument without a launch": {[]string{"--launch-arg", "a:=b"}, exitBadInput, "belongs to --from-launch"},
		"an argument without a value":  {[]string{"--from-launch", "x", "--launch-arg", "a=b"}, exitBadInput, "write it like"},
		"no time":                      {[]string{"--for", "0s"}, exitBadInput, "a time above 0"},
		"a bad form":                   {[]string{"-o", "robot.yaml"}, exitBadInput, "write one of table"},
		"no such launch file":          {[]string{"--from-launch", "/nowhere.launch.py"}, exitBadInput, "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := invoke(append([]string{"init"}, c.args...)...)
			if code != c.code || out != "" || !strings.Contains(errs, c.errs) {
				t.Errorf("code %d, %q, %q, want %d, %q", code, out, errs, c.code, c.errs)
			}
		})
	}
	if text, err := os.ReadFile(there); err != nil || string(text) != "mine\n" {
		t.Errorf("the file has changed: %q, %v", text, err)
	}
}

// TestInitFromALaunchFile, with the stand-in for launch.
func TestInitFromALaunchFile(t *testing.T) {
	folder := filepath.Join("..", "..", "internal", "launchfile", "testdata")
	ros, err := filepath.Abs(filepath.Join(folder, "ros"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PYTHONPATH", ros)
	launch := []string{"--from-launch", filepath.Join(folder, "robot.launch.py")}
	file := filepath.Join(t.TempDir(), "robot.yaml")
	code, out, errs := invoke(append([]string{"init", file}, launch...)...)
	if code != exitDone || errs != "" || !strings.Contains(out, "rstate check "+file) {
		t.Fatalf("code %d, %q, %q", code, out, errs)
	}
	net, err := network.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, n := range net.Nodes {
		names = append(names, n.Name)
	}
	if got := strings.Join(names, " "); got != "/arm_driver /front/lidar /r1/map_server /rear/late" {
		t.Errorf("it lists %s", got)
	}
	var d outline.Draft
	_, out, _ = invoke(append([]string{"init", "-o", "json", "--launch-arg", "arm:=left"}, launch...)...)
	if err := json.Unmarshal([]byte(out), &d); err != nil || len(d.ToDo) == 0 || !strings.Contains(d.Text, "  /left: {}\n") {
		t.Errorf("%v in:\n%s", err, out)
	}
	t.Setenv("PATH", t.TempDir())
	if code, _, errs := invoke(append([]string{"init"}, launch...)...); code != exitNoROS ||
		!strings.Contains(errs, "there is no launch of ROS 2 here") {
		t.Errorf("without Python: code %d, %q", code, errs)
	}
}

// TestInitReplacesAFileWhole: with --force, and only then.
func TestInitReplacesAFileWhole(t *testing.T) {
	file := filepath.Join(t.TempDir(), "robot.yaml")
	for _, c := range []struct {
		text  string
		force bool
		want  string
	}{{"one", false, "one"}, {"two", false, "one"}, {"three", true, "three"}} {
		err := writeNew(file, c.text, c.force)
		if text, _ := os.ReadFile(file); string(text) != c.want || (err == nil) != (c.text == c.want) {
			t.Errorf("%+v: %v, the file has %q", c, err, text)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if err := writeNew(filepath.Join(filepath.Dir(file), "none", "robot.yaml"), "x", true); err == nil {
		t.Error("it writes into a folder that does not exist")
	}
}

// TestInitWritesWhatItUnderstoodOfADaemon, even if nothing else runs. Comments and anchors of its text are not in the
// file, and a text that is no network is refused.
func TestInitWritesWhatItUnderstoodOfADaemon(t *testing.T) {
	const header = "# run: rm -rf /\nsimulation: lab\n"
	for name, c := range map[string]struct {
		text string
		want string // in the file; empty: it is refused
	}{
		"a network":           {header + "nodes: {/lidar: {}, /slam: {after: [/lidar]}}\n", "/slam:"},
		"an anchor":           {header + "nodes: {/lidar: &same {optional: true}, /slam: *same}\n", "/slam:"},
		"no YAML":             {"{", ""},
		"a control character": {"# \x1b[2J\n" + header + "nodes: {/lidar: {}}\n", ""},
		"a name of no node":   {header + "nodes: {\"/li\\ndar\": {}}\n", ""},
		"a key of no version": {header + "nodes: {/lidar: {}}\nrun: reboot\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			robot := outline.Robot{Daemons: []outline.Daemon{{Name: "/rstate", Text: c.text}},
				Nodes: []outline.Node{{Name: "/rstate", Serves: []outline.Endpoint{
					{Name: "/rstate/get_network", Type: "rstate_msgs/srv/GetNetwork"}}}}}
			var errs bytes.Buffer
			w := wantedDraft{daemon: "rstate"}
			d, code := w.draft(&env{err: &errs}, robot, "robot.yaml")
			if c.want == "" {
				if code != exitNoROS || d.Text != "" || !strings.Contains(errs.String(), "cannot take the network of /rstate") {
					t.Errorf("code %d, %q, %q", code, errs.String(), d.Text)
				}
				return
			}
			if _, err := network.Parse("robot.yaml", []byte(d.Text)); err != nil || code != exitDone ||
				!strings.Contains(d.Text, c.want) || strings.ContainsAny(d.Text, "#&*") {
				t.Errorf("code %d, %q, %v in:\n%s", code, errs.String(), err, d.Text)
			}
		})
	}
}

// TestForceReplacesRegularFilesOnly, and keeps their mode.
func TestForceReplacesRegularFilesOnly(t *testing.T) {
	dir := t.TempDir()
	target, secret := filepath.Join(dir, "target"), filepath.Join(dir, "secret.yaml")
	for _, file := range []string{target, secret} {
		if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link, folder, pipe := filepath.Join(dir, "link"), filepath.Join(dir, "folder"), filepath.Join(dir, "pipe")
	if err := errors.Join(os.Symlink(target, link), os.Mkdir(folder, 0o755), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	launch := []string{"--from-launch", "/nowhere.launch.py"}
	for _, file := range []string{link, folder, pipe, "/dev/null"} {
		before, err := os.Lstat(file)
		if err != nil {
			t.Fatal(err)
		}
		if file != "/dev/null" { // a fault must not cost the machine its device
			if err := writeNew(file, "new", true); err == nil || !strings.Contains(err.Error(), "is no regular file") {
				t.Errorf("%s: %v", file, err)
			}
		}
		if code, _, errs := invoke(append([]string{"init", file, "--force"}, launch...)...); code != exitBadInput ||
			!strings.Contains(errs, "is no regular file") {
			t.Errorf("init %s: code %d, %s", file, code, errs)
		}
		if after, err := os.Lstat(file); err != nil || after.Mode() != before.Mode() {
			t.Errorf("%s was %v, and is %v, %v", file, before, after, err)
		}
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "mine" {
		t.Errorf("behind the link: %q, %v", text, err)
	}
	if err := writeNew(secret, "new", true); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(secret); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
}
