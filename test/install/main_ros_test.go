//go:build ros

package install

import (
	"testing"

	"rstate/test/bed"
)

func suite(m *testing.M) int { return bed.Main(m) }
