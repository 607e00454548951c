package launchfile

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rstate/internal/outline"
)

// standIn makes Python find testdata/ros in place of launch.
func standIn(t *testing.T) {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("testdata", "ros"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PYTHONPATH", dir)
}

// line is a node in short.
func line(n *outline.Node) string {
	words := []string{n.Name, n.Package, n.Executable}
	if n.Managed {
		words = append(words, "lifecycle")
	}
	if n.Process != "" {
		words = append(words, "in "+n.Process)
	}
	if n.SimTime != nil && *n.SimTime {
		words = append(words, "simulated")
	}
	for _, r := range n.Remappings {
		words = append(words, r[0]+":="+r[1])
	}
	if len(n.Manages) > 0 {
		words = append(words, "manages "+strings.Join(n.Manages, ","))
	}
	return strings.Join(words, " ")
}

// TestNodesOfALaunchFile: groups, includes, arguments, conditions, timers and containers.
func TestNodesOfALaunchFile(t *testing.T) {
	standIn(t)
	want := []string{
		"/front/lidar lidar lidar lifecycle points:=/scan",
		"/front/state_publisher tf robot_state_publisher",
		"/left drivers arm lifecycle",
		"/rear/late late late lifecycle",
		"/vision/container rclcpp_components component_container_mt in /vision/container",
		"/vision/camera camera camera::Driver in /vision/container",
		"/vision/rectify camera camera::Rectify in /vision/container",
		"/r1/map_server nav2_map_server map_server simulated",
		"/r1/manager nav2_lifecycle_manager lifecycle_manager manages /r1/map_server",
		"/controller_manager controller_manager ros2_control_node",
	}
	robot, err := Read(t.Context(), "testdata/robot.launch.py", []string{"arm:=left"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range robot.Nodes {
		got = append(got, line(&robot.Nodes[i]))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	said := strings.Join(robot.Unread, "\n")
	for _, part := range []string{"RegisterEventHandler", "ExecuteProcess", "demo talker no name"} {
		if !strings.Contains(said, part) {
			t.Errorf("it does not say that %s was not read: %s", part, said)
		}
	}
	if len(robot.Unread) != 3 {
		t.Errorf("unread: %q", robot.Unread)
	}
	with, err := Read(t.Context(), "testdata/robot.launch.py", []string{"use_sim_time:=true"})
	if err != nil || len(with.Nodes) != len(want)+1 {
		t.Errorf("a condition that holds: %d nodes, %v", len(with.Nodes), err)
	}
}

func TestLaunchFilesThatCannotBeRead(t *testing.T) {
	standIn(t)
	for name, c := range map[string]struct {
		file string
		want string
	}{
		"it raises":               {"testdata/faulty.launch.py", "KeyError: 'the map is missing'"},
		"an argument is missing":  {"testdata/nav.launch.py", "Required launch argument 'robot' was not provided"},
		"there is no such file":   {"testdata/nowhere.launch.py", "no such file"},
		"it is not a launch file": {"launchfile.go", "cannot read the launch file launchfile.go"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(t.Context(), c.file, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if errors.As(err, new(*NoLaunch)) {
				t.Errorf("it blames launch: %v", err)
			}
		})
	}
}

func TestWithoutLaunch(t *testing.T) {
	t.Run("no launch", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "launch.py"), []byte("raise ImportError('none here')\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PYTHONPATH", dir)
		_, err := Read(t.Context(), "testdata/robot.launch.py", nil)
		if !errors.As(err, new(*NoLaunch)) || !strings.Contains(err.Error(), "none here") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("no Python", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		_, err := Read(t.Context(), "testdata/robot.launch.py", nil)
		if !errors.As(err, new(*NoLaunch)) || !strings.Contains(err.Error(), "there is no python3") {
			t.Errorf("got %v", err)
		}
	})
}

// TestLaunchFileOfTheDaemon: the launch file of this project, read with the launch of ROS 2 where there is one.
func TestLaunchFileOfTheDaemon(t *testing.T) {
	if exec.Command(python, "-c", "import launch_ros.actions").Run() != nil {
		standIn(t)
	}
	robot, err := Read(t.Context(), "../../launch/rstate.launch.py",
		[]string{"network:=/robot.yaml", "namespace:=base", "use_sim_time:=true"})
	if err != nil {
		t.Fatal(err)
	}
	if len(robot.Nodes) != 1 || line(&robot.Nodes[0]) != "/base/rstate rstate rstate simulated" {
		t.Errorf("got %+v", robot.Nodes)
	}
}

// TestNoModuleOfTheFolderRuns: folders called launch are where launch files are. A module beside the user is no code that
// the user has asked for.
func TestNoModuleOfTheFolderRuns(t *testing.T) {
	standIn(t)
	file, err := filepath.Abs("testdata/robot.launch.py")
	if err != nil {
		t.Fatal(err)
	}
	ros := os.Getenv("PYTHONPATH")
	for name, c := range map[string]struct{ module, path string }{
		"of Python":           {"json", ros},
		"of launch":           {"launch", ros},
		"by a colon too many": {"launch", ":" + ros},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PYTHONPATH", c.path)
			dir := t.TempDir()
			t.Chdir(dir)
			if err := os.Mkdir(c.module, 0o755); err != nil {
				t.Fatal(err)
			}
			code := "open('ran', 'w').close()\n"
			if err := os.WriteFile(filepath.Join(c.module, "__init__.py"), []byte(code), 0o600); err != nil {
				t.Fatal(err)
			}
			robot, err := Read(t.Context(), file, nil)
			if err != nil || len(robot.Nodes) == 0 {
				t.Errorf("%d nodes, %v", len(robot.Nodes), err)
			}
			if _, err := os.Stat("ran"); err == nil {
				t.Error("the module of the folder ran")
			}
		})
	}
}
