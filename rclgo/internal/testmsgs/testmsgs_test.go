package testmsgs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tiiuae/rclgo/internal/gen"
)

// TestBindingsAreInStep renders the bindings again from the installed interfaces. It accepts
// an older distro that lacks a type.
func TestBindingsAreInStep(t *testing.T) {
	source, err := gen.Find(filepath.SplitList(os.Getenv("AMENT_PREFIX_PATH")))
	if err != nil {
		t.Fatal(err)
	}
	interfaces, err := source.Read([]string{"test_msgs"})
	if err != nil {
		t.Fatal(err)
	}
	module, err := gen.ModulePath(".")
	if err != nil {
		t.Fatal(err)
	}
	files, err := gen.Bindings(interfaces, gen.Options{Module: module})
	if err != nil {
		t.Fatal(err)
	}
	faults, err := gen.Diff(".", files)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		if !strings.Contains(f, "gone") {
			t.Errorf("%s; run go generate here", f)
		}
	}
}
