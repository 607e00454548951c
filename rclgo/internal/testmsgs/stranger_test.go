package testmsgs_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const strangerProgram = `package main

import (
	"fmt"
	"os"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	std_msgs_msg "stranger/msgs/std_msgs/msg"
)

func main() {
	args, _, err := rclgo.ParseArgs(os.Args[1:])
	if err == nil {
		err = rclgo.Init(args)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer rclgo.Uninit()
	node, err := rclgo.NewNode("stranger", "")
	if err == nil {
		_, err = std_msgs_msg.NewStringPublisher(node, "topic", nil)
	}
	fmt.Println(node.FullyQualifiedName(), err)
}
`

// stranger makes a module that uses nothing of this repository but the library.
func stranger(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	mod := fmt.Sprintf("module stranger\n\ngo 1.25\n\nrequire github.com/tiiuae/rclgo v0.0.0\n\nreplace github.com/tiiuae/rclgo => %s\n",
		must(t)(filepath.Abs("../..")))
	for name, text := range map[string]string{"go.mod": mod, "main.go": strangerProgram} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// shell runs a script in a terminal in which a ROS 2 is sourced, or none, and no other variable
// for cgo is set.
func shell(t *testing.T, dir string, sourced bool, script string) (output string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-ec", script)
	cmd.Dir = dir
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "CGO_") ||
			!sourced && slices.Contains([]string{"AMENT_PREFIX_PATH", "LD_LIBRARY_PATH", "ROS_DISTRO"}, name)
	}), "GOFLAGS=", "GOWORK=off", "GOPROXY=off", "HOME="+t.TempDir(), "GOCACHE="+goCache(t),
		"GOMODCACHE="+filepath.Join(goCache(t), "none"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func goCache(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	return must(t)(strings.TrimSpace(string(out)), err)
}

// TestStrangerBuilds follows the two ways of the README.
func TestStrangerBuilds(t *testing.T) {
	const generate = "go run github.com/tiiuae/rclgo/cmd/rclgo-gen generate -d msgs --include-go-package-deps ./...\n"
	for name, script := range map[string]string{
		"by env": generate + `eval "$(go run github.com/tiiuae/rclgo/cmd/rclgo-gen env)"` +
			"\ngo build -o program .\n",
		"by cgo-flags.env": generate + ". ./cgo-flags.env\ngo build -o program .\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := stranger(t)
			if out, err := shell(t, dir, true, script); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			// The program finds its libraries in the place where it was built with them.
			out, err := shell(t, dir, false, "./program --ros-args -r __ns:=/there")
			if err != nil || !strings.Contains(out, "/there/stranger <nil>") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestStrangerWithoutROSIsTold counts the messages of a bare go build.
func TestStrangerWithoutROSIsTold(t *testing.T) {
	dir := stranger(t)
	out, err := shell(t, dir, false, "mkdir -p msgs/std_msgs/msg; echo 'package std_msgs_msg' > msgs/std_msgs/msg/x.go; go build -o program .")
	if err == nil {
		t.Fatal("it was built")
	}
	if n := strings.Count(out, "error:"); n != 1 ||
		!strings.Contains(out, `cgo cannot find ROS 2. Source its setup file, such as /opt/ros/jazzy/setup.bash, `+
			`then run: eval "$(go run github.com/tiiuae/rclgo/cmd/rclgo-gen env)"`) {
		t.Errorf("%d errors:\n%s", n, out)
	}
	if lines := strings.Count(strings.TrimSpace(out), "\n"); lines > 4 {
		t.Errorf("%d lines:\n%s", lines+1, out)
	}
	out, err = shell(t, dir, false, "go run github.com/tiiuae/rclgo/cmd/rclgo-gen env")
	if err == nil || !strings.Contains(out, "source the setup file of a ROS 2 installation") {
		t.Errorf("env: %v\n%s", err, out)
	}
}
