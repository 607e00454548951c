//go:build ros

package demo

import (
	"os"
	"testing"

	"rstate/test/bed"
)

func TestMain(m *testing.M) { os.Exit(bed.Main(m)) }
