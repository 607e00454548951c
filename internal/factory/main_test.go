//go:build ros

package factory

import (
	"os"
	"testing"

	"rstate/test/bed"
)

func TestMain(m *testing.M) { os.Exit(bed.Main(m)) }
