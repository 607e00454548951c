package bed

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// standard is the prefix of the package simulation_interfaces that setup builds for tests.
var standard struct {
	sync.Mutex
	prefix string
}

// SimulationInterfaces returns the environment of a process that has the package
// simulation_interfaces installed. Setup builds it where it is missing. Other processes of the
// test do not have it.
func SimulationInterfaces(t testing.TB) []string {
	t.Helper()
	standard.Lock()
	defer standard.Unlock()
	if standard.prefix == "" {
		build := exec.Command("go", "run", "rstate/setup", "simulation_interfaces")
		var said strings.Builder
		build.Stderr = &said
		out, err := build.Output()
		if err != nil {
			t.Fatalf("cannot build simulation_interfaces: %v\n%s", err, said.String())
		}
		standard.prefix = strings.TrimSpace(string(out))
	}
	modules, err := filepath.Glob(filepath.Join(standard.prefix, "lib", "python3*", "*-packages"))
	if err != nil {
		t.Fatal(err)
	}
	var env []string
	for name, folders := range map[string][]string{
		"AMENT_PREFIX_PATH": {standard.prefix}, "LD_LIBRARY_PATH": {filepath.Join(standard.prefix, "lib")},
		"PYTHONPATH": modules,
	} {
		env = append(env, name+"="+strings.Join(append(folders, os.Getenv(name)), string(filepath.ListSeparator)))
	}
	return env
}
