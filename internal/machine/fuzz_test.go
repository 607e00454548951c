package machine

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// FuzzMachine: whatever is read can be written and read again, and no command of it panics in any state.
func FuzzMachine(f *testing.F) {
	for _, pattern := range []string{"presets/*.yaml", "testdata/faults/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds in %s: %v", pattern, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Add([]byte(stepper))
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.Contains(data, []byte(".y")) {
			return // other files are not the matter here
		}
		m, err := parse("fuzz.yaml", data)
		if err != nil {
			return
		}
		again, err := parse("again.yaml", []byte(m.YAML()))
		if err != nil || again.Hash() != m.Hash() {
			t.Fatalf("reads back to another machine: %v\n%s", err, m.YAML())
		}
		walk(t, m)
		for _, s := range m.States {
			for _, tr := range m.Transitions {
				for _, v := range []Verdict{Refusal, Error} {
					m.OnFailure(tr.Name, s.Name, v)
					m.OnMirroredFailure(tr.Name, s.Name, v)
				}
				m.Interrupts(tr.Name, tr.Name, s.Name)
				m.RaisesFrom(tr.Name, s.Name)
			}
		}
	})
}
