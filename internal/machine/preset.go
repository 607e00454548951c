package machine

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"rstate/internal/strict"
)

//go:embed presets/*.yaml
var presets embed.FS

// Presets lists the machines that come with rstate.
func Presets() []string {
	entries, _ := presets.ReadDir("presets") // embedded: it is there
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	return names
}

// Preset returns a machine that comes with rstate.
func Preset(name string) (*Machine, error) {
	if problem, hint := unknownPreset(name); problem != "" {
		return nil, fmt.Errorf("cannot load machine %q: it %s; %s", name, problem, hint)
	}
	file := path.Join("presets", name+".yaml")
	data, err := presets.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("cannot load machine %q: %w", name, err)
	}
	report := &strict.Report{}
	built := read(file, data, report, nil)
	if err := report.Err(); err != nil {
		return nil, fmt.Errorf("cannot load machine %q: %w", name, err)
	}
	return built.Machine, nil
}

// unknownPreset says what is wrong with the name of a preset; empty if nothing is.
func unknownPreset(name string) (problem, hint string) {
	there := Presets()
	if slices.Contains(there, name) {
		return "", ""
	}
	return "does not exist", strict.Suggest(name, there, "there is "+strict.Or(there))
}
