// Package shim builds a middleware that can do less than the installed one, for tests. The faults
// are those that other middlewares have: see Faults, and unable/unable.c.
//
// It needs only a C compiler and the headers of ROS 2, which it finds through AMENT_PREFIX_PATH. It
// may import the standard library.
package shim

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed unable/unable.c
var source []byte

// Name is what the middleware calls itself under the faults other_name and all.
const Name = "rmw_unable_cpp"

// Fault is one inability of the middleware, as RMW_UNABLE names it.
type Fault struct {
	Name, Like string // Like names the middleware that has it
}

// Faults returns all faults. The last one is nearly everything at once.
func Faults() []Fault {
	return []Fault{
		{"no_events", "rmw_zenoh_cpp up to 0.6.6: it refuses to create events"},
		{"silent_events", "rmw_zenoh_cpp 0.6.7: liveliness events can be created, and never fire"},
		{"lying_events", "none that is known: as silent_events, but the middleware claims to have the events"},
		{"half_events", "none that is known: liveliness events tell of publishers that come, and never of a loss"},
		{"other_gids", "rmw_cyclonedds_cpp: messages carry handles, which are not the GIDs of the graph"},
		{"scattered_gids", "rmw_zenoh_cpp: the GIDs of one process have no common beginning, and no process id"},
		{"hidden_requests", "rmw_zenoh_cpp: no topics of requests, no prefixes of topics"},
		{"take_401", "rmw_cyclonedds_cpp: a take takes nothing although the wait set reported data"},
		{"other_name", "every middleware that rstate does not know"},
		{"no_extras", "none has all of it: what a middleware may leave out besides events"},
		{"all", "no_events, other_gids, hidden_requests, take_401, other_name, no_extras"},
	}
}

// Build compiles the middleware into the folder and returns its file.
func Build(folder string) (library string, err error) {
	file := filepath.Join(folder, "unable.c")
	if err := os.WriteFile(file, source, 0o644); err != nil {
		return "", fmt.Errorf("cannot build the shim: %w", err)
	}
	library = filepath.Join(folder, "lib"+Name+".so")
	return library, compile("-shared", "-fPIC", "-o", library, file, "-Wl,-z,lazy", "-Wl,--allow-shlib-undefined")
}

// compile runs the C compiler with the headers and libraries of the sourced ROS 2.
func compile(arguments ...string) error {
	prefixes := filepath.SplitList(os.Getenv("AMENT_PREFIX_PATH"))
	if len(prefixes) == 0 {
		return errors.New("cannot build for ROS 2: AMENT_PREFIX_PATH is not set; source ROS 2")
	}
	compiler := os.Getenv("CC")
	if compiler == "" {
		compiler = "cc"
	}
	arguments = append([]string{"-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror"}, arguments...)
	for _, prefix := range prefixes {
		roots, err := filepath.Glob(prefix + "/include/*")
		if err != nil {
			return err
		}
		for _, root := range roots {
			if !strings.HasPrefix(filepath.Base(root), "python") {
				arguments = append(arguments, "-isystem", root)
			}
		}
	}
	if out, err := exec.Command(compiler, arguments...).CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build for ROS 2: %w\n%s", err, out)
	}
	return nil
}

// Environment returns the variables under which a process has the faults. Processes that it starts
// inherit them. Without a fault the library is loaded and changes nothing.
func Environment(library string, faults ...string) []string {
	env := []string{"LD_PRELOAD=" + library, "RMW_UNABLE=" + strings.Join(faults, ",")}
	for _, fault := range faults {
		if fault == "all" || fault == "other_name" {
			// RMW_UNABLE_REAL names the middleware that has the functions.
			real := os.Getenv("RMW_IMPLEMENTATION")
			if real == "" {
				real = "rmw_fastrtps_cpp"
			}
			return append(env, "RMW_IMPLEMENTATION="+Name, "RMW_UNABLE_REAL=lib"+real+".so")
		}
	}
	return env
}
