// Package lyrical has what changed in the headers of ROS 2 Lyrical and that rclgo uses, in words of its own, so that
// tests can compile C against Lyrical where only an older ROS 2 is installed. Its folder include comes before those of
// the installed one. It is for tests.
package lyrical

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/tiiuae/rclgo/internal/gen"
)

// Compile runs the C compiler with the installed headers, those of Lyrical before them if newer is set, and args. It
// returns what the compiler says.
func Compile(newer bool, args ...string) (string, error) {
	_, self, _, _ := runtime.Caller(0)
	var flags []string
	if newer {
		flags = append(flags, "-I"+filepath.Join(filepath.Dir(self), "include"))
	}
	if set := strings.Fields(os.Getenv("CGO_CFLAGS")); len(set) > 0 { // what this test was built with
		flags = append(flags, set...)
	} else {
		flags = append(flags, gen.CGOFlags(filepath.SplitList(os.Getenv("AMENT_PREFIX_PATH"))).C...)
	}
	cc := "cc"
	if named := os.Getenv("CC"); named != "" {
		cc = named
	}
	words := strings.Fields(cc)
	out, err := exec.Command(words[0], slices.Concat(words[1:], flags, args)...).CombinedOutput()
	return string(out), err
}
