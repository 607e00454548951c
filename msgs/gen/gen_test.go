//go:build ros

package gen

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo/typemap"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"

	_ "rstate/msgs/gen/action_msgs/msg"
	_ "rstate/msgs/gen/action_msgs/srv"
	_ "rstate/msgs/gen/builtin_interfaces/msg"
	_ "rstate/msgs/gen/diagnostic_msgs/msg"
	_ "rstate/msgs/gen/lifecycle_msgs/msg"
	_ "rstate/msgs/gen/lifecycle_msgs/srv"
	_ "rstate/msgs/gen/rcl_interfaces/msg"
	_ "rstate/msgs/gen/rcl_interfaces/srv"
	_ "rstate/msgs/gen/rosgraph_msgs/msg"
	_ "rstate/msgs/gen/rstate_msgs/action"
	_ "rstate/msgs/gen/rstate_msgs/msg"
	_ "rstate/msgs/gen/rstate_msgs/srv"
	_ "rstate/msgs/gen/std_msgs/msg"
	_ "rstate/msgs/gen/std_srvs/srv"
	_ "rstate/msgs/gen/unique_identifier_msgs/msg"
)

// TestBindingsFitTheInstalledTypes loads every binding against the prefix, whichever
// distro that is.
func TestBindingsFitTheInstalledTypes(t *testing.T) {
	files, err := filepath.Glob("*/*/*.gen.go")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d bindings, %v", len(files), err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.ToSlash(f), ".gen.go")
		if strings.HasSuffix(name, "/doc") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			ts := binding(name)
			if ts == nil {
				t.Fatal("no binding of that name is registered; import its package in this test")
			}
			if err := types.Check(ts); err != nil {
				t.Error(err)
			}
		})
	}
}

// binding returns the type support registered under name, nil if there is none.
func binding(name string) any {
	if ts, ok := typemap.GetMessage(name); ok {
		return ts
	}
	if ts, ok := typemap.GetService(name); ok {
		return ts
	}
	if ts, ok := typemap.GetAction(name); ok {
		return ts
	}
	return nil
}
