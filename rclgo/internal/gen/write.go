package gen

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Write stores files below dir. It does not touch files that are up to date.
func Write(dir string, files map[string][]byte) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, files[name]) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("cannot write %s: %w", path, err)
		}
		if err := os.WriteFile(path, files[name], 0o644); err != nil {
			return fmt.Errorf("cannot write %s: %w", path, err)
		}
	}
	return nil
}

// Diff lists, file by file, how the folder dir differs from files; the list is empty if it
// does not. It ignores generated files that are in no package of files.
func Diff(dir string, files map[string][]byte) ([]string, error) {
	var faults []string
	packages := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		packages[filepath.Dir(filepath.FromSlash(name))] = true
		old, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			faults = append(faults, name+": missing")
		case err != nil:
			return nil, err
		case !bytes.Equal(old, files[name]):
			faults = append(faults, name+": out of date")
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(packages)) {
		found, _ := filepath.Glob(filepath.Join(dir, pkg, "*.gen.go"))
		for _, path := range found {
			name := filepath.ToSlash(strings.TrimPrefix(path, filepath.Clean(dir)+string(filepath.Separator)))
			if files[name] == nil {
				faults = append(faults, name+": its interface is gone; delete it")
			}
		}
	}
	return faults, nil
}
