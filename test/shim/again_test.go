package shim

import (
	"slices"
	"testing"
)

// TestEachTestHasToPassAgain: one that passes does not stand for the others.
func TestEachTestHasToPassAgain(t *testing.T) {
	out := "=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- PASS: TestB (0.00s)\n--- SKIP: TestC (0.00s)\n" +
		"--- PASS: TestDifferent (0.00s)\n--- PASS: TestE (1.20s)\nPASS\n"
	got := notPassed([]string{"TestA", "TestB", "TestC", "TestD", "TestE", "TestF"}, out)
	if want := []string{"TestB", "TestC", "TestD", "TestF"}; !slices.Equal(got, want) {
		t.Errorf("not passed: %v, want %v", got, want)
	}
}
