package rcl_test

import (
	"path/filepath"
	"testing"

	"github.com/tiiuae/rclgo/internal/lyrical"
)

// TestSeamCompiles: each C file, against the installed headers and with those that changed in Lyrical.
func TestSeamCompiles(t *testing.T) {
	files, err := filepath.Glob("*.c")
	if err != nil || len(files) < 10 {
		t.Fatalf("C files %v, %v", files, err)
	}
	for what, newer := range map[string]bool{"installed": false, "lyrical": true} {
		t.Run(what, func(t *testing.T) {
			for _, f := range files {
				if out, err := lyrical.Compile(newer, "-std=gnu11", "-Wall", "-Werror", "-Wno-unused-function", "-O2",
					"-c", "-o", "/dev/null", f); err != nil {
					t.Errorf("%s: %v\n%s", f, err, out)
				}
			}
		})
	}
}
