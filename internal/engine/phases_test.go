package engine_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"rstate/internal/engine"
)

// beginnings are the phases in which work begins.
var beginnings = []string{"forward", "finalizing", "reconciling", "leaving", "adopting", "restoring"}

// TestMain watches the phases of everything that the tests of this package do. None may follow another that
// its row in the table does not name; and if all tests run, each begins.
func TestMain(m *testing.M) {
	var mutex sync.Mutex
	seen := map[[2]string]bool{}
	end := engine.Follow(func(before, begins string) {
		mutex.Lock()
		defer mutex.Unlock()
		seen[[2]string{before, begins}] = true
	})
	code := m.Run()
	end()
	all := flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == ""
	for _, fault := range phaseFaults(seen, code == 0 && all) {
		fmt.Println("--- FAIL: phases:", fault)
		code = 1
	}
	os.Exit(code)
}

// phaseFaults compares the pairs of phases that were seen with the table.
func phaseFaults(seen map[[2]string]bool, all bool) (faults []string) {
	next := map[string][]string{"": beginnings}
	begun := map[string]bool{}
	for _, row := range engine.Phases() {
		next[row.Name] = row.Next
	}
	for pair := range seen {
		begun[pair[1]] = true
		if !slices.Contains(next[pair[0]], pair[1]) {
			faults = append(faults, fmt.Sprintf("%q has followed %q: name it in that row of phases.go, if it should",
				pair[1], pair[0]))
		}
	}
	for _, row := range engine.Phases() {
		if all && !begun[row.Name] {
			faults = append(faults, row.Name+" begins in no test")
		}
		for _, n := range row.Next {
			if all && !seen[[2]string{row.Name, n}] {
				faults = append(faults, n+" follows "+row.Name+" in no test: write one, or take it out of the row")
			}
		}
	}
	slices.Sort(faults)
	return faults
}

// TestPhasesAreCompared: a pair that the table does not have is a fault, and so is a row that nothing shows.
func TestPhasesAreCompared(t *testing.T) {
	seen := map[[2]string]bool{{"", "forward"}: true, {"adopting", "forward"}: true}
	if got := phaseFaults(seen, false); len(got) != 1 ||
		!strings.Contains(got[0], `"forward" has followed "adopting"`) {
		t.Errorf("the faults are %q", got)
	}
	if got := strings.Join(phaseFaults(seen, true), "\n"); !strings.Contains(got, "leaving begins in no test") {
		t.Errorf("a phase that never begins is no fault: %s", got)
	}
}

// TestThePictureOfPhasesIsTrue: ARCHITECTURE.md shows where each phase takes the nodes, and what may follow it.
func TestThePictureOfPhasesIsTrue(t *testing.T) {
	var b strings.Builder
	for _, row := range engine.Phases() {
		next := strings.Join(row.Next, ", ")
		if next == "" {
			next = "nothing"
		}
		fmt.Fprintf(&b, "%-13s %-25s then %s\n", row.Name, row.Heads, next)
	}
	page, err := os.ReadFile("../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := "```\n" + b.String() + "```\n"; !strings.Contains(string(page), want) {
		t.Errorf("ARCHITECTURE.md does not show the phases as they are. Write there:\n%s", want)
	}
}
