package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// libraries are what the client library is linked with.
var libraries = []string{"rcl", "rcl_action", "rcl_lifecycle", "rcl_yaml_param_parser", "rmw", "rcutils", "rosidl_runtime_c"}

// env writes shell commands that set CGO_CFLAGS and CGO_LDFLAGS for the prefixes in path.
func env(path string, stdout, stderr io.Writer) int {
	cflags, ldflags, dirs := []string{"-O2", "-g"}, []string{}, []string{}
	found := map[string]bool{}
	for _, prefix := range filepath.SplitList(path) {
		headers, err := filepath.Glob(filepath.Join(prefix, "include", "*"))
		if err != nil {
			headers = nil // no pattern, so no headers
		}
		slices.Sort(headers)
		for _, dir := range headers {
			if info, err := os.Stat(dir); err == nil && info.IsDir() {
				cflags = append(cflags, "-I"+dir)
			}
		}
		lib := filepath.Join(prefix, "lib")
		if info, err := os.Stat(lib); err != nil || !info.IsDir() {
			continue
		}
		dirs = append(dirs, lib)
		for _, name := range libraries {
			if _, err := os.Stat(filepath.Join(lib, "lib"+name+".so")); err == nil {
				found[name] = true
			}
		}
	}
	for _, name := range libraries {
		if !found[name] {
			fmt.Fprintf(stderr, "cannot find lib%s.so below AMENT_PREFIX_PATH=%q: source the setup file of a ROS 2 "+
				"installation, such as /opt/ros/kilted/setup.bash, and run this command again\n", name, path)
			return 1
		}
		ldflags = append(ldflags, "-l"+name)
	}
	for _, dir := range slices.Backward(dirs) {
		ldflags = slices.Insert(ldflags, 0, "-Wl,-rpath,"+dir)
	}
	for _, dir := range slices.Backward(dirs) {
		ldflags = slices.Insert(ldflags, 0, "-L"+dir)
	}
	fmt.Fprintf(stdout, "export CGO_CFLAGS=%s\n", quote(cflags))
	fmt.Fprintf(stdout, "export CGO_LDFLAGS=%s\n", quote(ldflags))
	return 0
}

// quote writes flags as one word of a shell.
func quote(flags []string) string {
	return "'" + strings.ReplaceAll(strings.Join(flags, " "), "'", `'\''`) + "'"
}
