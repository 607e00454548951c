package bed

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// built are the prefixes of interfaces that setup builds for tests, by what setup calls them.
var built struct {
	sync.Mutex
	prefixes map[string]string
}

// SimulationInterfaces returns the environment of a process that has the package
// simulation_interfaces installed. Setup builds it where it is missing. Other processes of the
// test do not have it.
func SimulationInterfaces(t testing.TB) []string {
	t.Helper()
	return withInterfaces(t, "simulation_interfaces")
}

// Nav2Interfaces is the same for the packages nav2_msgs and bond.
func Nav2Interfaces(t testing.TB) []string {
	t.Helper()
	return withInterfaces(t, "nav2_interfaces")
}

func withInterfaces(t testing.TB, name string) []string {
	t.Helper()
	prefix := prefixOf(t, name)
	modules, err := filepath.Glob(filepath.Join(prefix, "lib", "python3*", "*-packages"))
	if err != nil {
		t.Fatal(err)
	}
	var env []string
	for name, folders := range map[string][]string{
		"AMENT_PREFIX_PATH": {prefix}, "LD_LIBRARY_PATH": {filepath.Join(prefix, "lib")},
		"PYTHONPATH": modules,
	} {
		env = append(env, name+"="+strings.Join(append(folders, os.Getenv(name)), string(filepath.ListSeparator)))
	}
	return env
}

// prefixOf returns where interfaces are that setup builds for tests.
func prefixOf(t testing.TB, name string) string {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	if built.prefixes[name] == "" {
		build := exec.Command("go", "run", "rstate/setup", name)
		var said strings.Builder
		build.Stderr = &said
		out, err := build.Output()
		if err != nil {
			t.Fatalf("cannot build %s: %v\n%s", name, err, said.String())
		}
		if built.prefixes == nil {
			built.prefixes = map[string]string{}
		}
		built.prefixes[name] = strings.TrimSpace(string(out))
	}
	return built.prefixes[name]
}
