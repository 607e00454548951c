// Command rclgo-gen writes Go bindings for ROS 2 interfaces. It reads interface files
// and loads no ROS library, so it has no cgo.
package main

import (
	"fmt"
	"io"
	"os"
)

const usage = `rclgo-gen writes Go bindings for ROS 2 interfaces.

Usage: rclgo-gen [--config-file FILE] generate [options]
       eval "$(rclgo-gen env)"     what cgo needs to build programs with the sourced ROS
       rclgo-gen generate-rclgo    accepted for compatibility; does nothing

`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns the exit code: 0 done, 1 failed or (with --check) out of date, 2 bad
// arguments.
func run(args []string, stdout, stderr io.Writer) int {
	configFile := ""
	if len(args) > 1 && (args[0] == "-c" || args[0] == "--config-file") {
		configFile, args = args[1], args[2:]
	}
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		newGenerate("generate", stderr).flags.PrintDefaults()
		return 2
	}
	switch args[0] {
	case "generate", "generate-rclgo":
		g := newGenerate(args[0], stderr)
		g.configFile = configFile
		return g.run(args[1:], stdout, stderr)
	case "env":
		return env(os.Getenv("AMENT_PREFIX_PATH"), stdout, stderr)
	case "help", "-h", "--help":
		fmt.Fprint(stdout, usage)
		newGenerate("generate", stdout).flags.PrintDefaults()
		return 0
	}
	fmt.Fprintf(stderr, "cannot run command %q: it does not exist; the commands are generate, env and generate-rclgo\n",
		args[0])
	return 2
}
