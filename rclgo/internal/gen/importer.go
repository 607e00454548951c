package gen

import (
	"bytes"
	"fmt"
	"go/format"
	"path"
	"path/filepath"
	"slices"
)

// ImporterFile is the name of the file that WriteImporter writes.
const ImporterFile = "msgs.gen.go"

// WriteImporter writes a Go file to dir that imports every package of bindings below dir.
func WriteImporter(dir string, o Options) error {
	var imports []string
	for kind := range suffixes {
		folders, err := filepath.Glob(filepath.Join(dir, "*", kind, "*.gen.go"))
		if err != nil {
			return fmt.Errorf("cannot list bindings in %s: %w", dir, err)
		}
		for _, f := range folders {
			pkg := filepath.Base(filepath.Dir(filepath.Dir(f)))
			imports = append(imports, path.Join(o.Module, pkg, kind))
		}
	}
	slices.Sort(imports)
	var text bytes.Buffer
	if o.License != "" {
		fmt.Fprintf(&text, "%s\n\n", o.License)
	}
	fmt.Fprintln(&text, Header)
	if o.BuildTag != "" {
		fmt.Fprintf(&text, "\n//go:build %s\n", o.BuildTag)
	}
	fmt.Fprintf(&text, "\n// Package msgs registers all types below this folder.\npackage msgs\n\nimport (\n")
	for _, p := range slices.Compact(imports) {
		fmt.Fprintf(&text, "\t_ %q\n", p)
	}
	fmt.Fprintln(&text, ")")
	formatted, err := format.Source(text.Bytes())
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", ImporterFile, err)
	}
	return Write(dir, map[string][]byte{ImporterFile: formatted})
}
