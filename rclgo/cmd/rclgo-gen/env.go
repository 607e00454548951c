package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/tiiuae/rclgo/internal/gen"
)

// env writes shell commands that set CGO_CFLAGS and CGO_LDFLAGS for the prefixes in path.
func env(path string, stdout, stderr io.Writer) int {
	flags := gen.CGOFlags(filepath.SplitList(path))
	if flags.Missing != "" {
		fmt.Fprintf(stderr, "cannot find lib%s.so below AMENT_PREFIX_PATH=%q: source the setup file of a ROS 2 "+
			"installation, such as /opt/ros/jazzy/setup.bash, and run this command again\n", flags.Missing, path)
		return 1
	}
	fmt.Fprint(stdout, flags.Shell())
	return 0
}
