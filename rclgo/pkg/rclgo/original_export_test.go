package rclgo

import (
	"errors"
	"strings"
	"testing"
)

// TestOriginalErrorsCastC checks the two names that the original's tests use inside of the
// package.
func TestOriginalErrorsCastC(t *testing.T) {
	err := errorsCastC(1003, "a text")
	var typed *InvalidRosArgs
	if !errors.As(err, &typed) || !strings.Contains(err.Error(), "a text") {
		t.Errorf("got %T: %v", err, err)
	}
	if GetLogger("") != defaultLogger {
		t.Error("the root logger is another one")
	}
}
