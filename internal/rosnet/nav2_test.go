//go:build ros

package rosnet

import (
	"errors"
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo"
)

// TestB5AMissingPackageIsNoFault: a package that is not installed does not count as a fault, and a fault does.
func TestB5AMissingPackageIsNoFault(t *testing.T) {
	_, err := rclgo.LoadDynamicMessageTypeSupport("no_such_package", "Nothing")
	if err == nil || !absent(err) {
		t.Errorf("a package that is not installed: %v", err)
	}
	if absent(errors.New("the library cannot be read")) {
		t.Error("a fault counts as a package that is not installed")
	}
}
