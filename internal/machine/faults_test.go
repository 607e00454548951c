package machine

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rstate/internal/strict"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestM1Faults: each machine in testdata/faults is refused with the messages beside it.
func TestM1Faults(t *testing.T) {
	t.Chdir("testdata/faults") // so that messages name files as their users do
	files, err := filepath.Glob("*.yaml")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d fixtures, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(file, ".yaml"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, err = parse(file, data)
			var faults strict.Faults
			if !errors.As(err, &faults) {
				t.Fatalf("was not refused: %v", err)
			}
			for _, f := range faults {
				if f.Problem == "" || f.Hint == "" {
					t.Errorf("does not say what is wrong and what to write instead: %+v", f)
				}
			}
			golden := strings.TrimSuffix(file, ".yaml") + ".txt"
			got := err.Error() + "\n"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("differs from %s; if it should, run go test -update\ngot:\n%s\nwant:\n%s", golden, got, want)
			}
		})
	}
}

// parse reads a machine as a file of its own.
func parse(file string, data []byte) (*Machine, error) {
	report := &strict.Report{}
	built := read(file, data, report, nil)
	if err := report.Err(); err != nil {
		return nil, err
	}
	return built.Machine, nil
}

func mustParse(t *testing.T, text string) *Machine {
	t.Helper()
	m, err := parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}
