//go:build ros

package rosnet

import (
	"errors"
	"strings"
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"

	"rstate/internal/network"
)

// TestH3LargeDataAreNotCopied: the limit of the reader decides before the message is copied.
func TestH3LargeDataAreNotCopied(t *testing.T) {
	kind, err := introspection.LoadDynamic("std_msgs", "msg/String")
	if err != nil {
		t.Fatal(err)
	}
	newest := kind.New().(*introspection.DynamicMessage)
	if err := newest.Set("data", strings.Repeat("x", 2<<20)); err != nil {
		t.Fatal(err)
	}
	d := &datum{spec: &network.Datum{Name: "image", Topic: "/image"}, newest: newest}
	if one, err := d.read(t.Context(), 1<<20); !errors.Is(err, ErrLargeDatum) || one.Value != nil {
		t.Errorf("read with a limit of 1 MiB: %v", err)
	}
	if one, err := d.read(t.Context(), 4<<20); err != nil || len(one.Value["data"].(string)) != 2<<20 {
		t.Errorf("read with a limit of 4 MiB: %v", err)
	}
}
