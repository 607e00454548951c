//go:build !ros

package install

import "testing"

func suite(m *testing.M) int { return m.Run() }
