package rcl_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
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

// TestSeamCompilesWithoutAskingForEvents: Jazzy before 2025-03 has no rmw_event_type_is_supported.
func TestSeamCompilesWithoutAskingForEvents(t *testing.T) {
	out, err := lyrical.Compile(false, "-M", "event.c")
	header := regexp.MustCompile(`\S+/rmw/event\.h`).FindString(out)
	if err != nil || header == "" {
		t.Fatalf("which header? %v\n%s", err, out)
	}
	text, err := os.ReadFile(header)
	if err != nil {
		t.Fatal(err)
	}
	older := regexp.MustCompile(`RMW_PUBLIC\s+RMW_WARN_UNUSED\s+bool\s+rmw_event_type_is_supported\([^;]*;`).
		ReplaceAllString(string(text), "")
	if strings.Contains(older, "rmw_event_type_is_supported(") {
		t.Fatalf("%s declares the function in another way", header)
	}
	file := filepath.Join(t.TempDir(), "event.h")
	if err := os.WriteFile(file, []byte(older), 0o600); err != nil {
		t.Fatal(err)
	}
	// Its include guard keeps the installed header out.
	if out, err := lyrical.Compile(false, "-std=gnu11", "-Wall", "-Werror", "-include", file, "-c", "-o", "/dev/null",
		"event.c"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
