// Command sbom writes the bill of materials of rstate, as CycloneDX in JSON: the Go modules of which
// the program is made, what the page vendors, the wheels that setup installs, and those of the tools of
// the tests.
//
//	sbom > rstate.cdx.json
//
// It asks the go command for the modules, reads the lists of wheels, and takes the licences from
// docs/licenses.md. The same checkout gives the same bytes. It may import the standard library.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	licenseList = "docs/licenses.md"
	// Scopes in CycloneDX: what a robot runs, and what only builds and tests need.
	required, excluded = "required", "excluded"
)

func main() {
	version := "unknown"
	if len(os.Args) > 1 {
		version = os.Args[1]
	}
	if err := write(os.Stdout, ".", version); err != nil {
		fmt.Fprintln(os.Stderr, "sbom: "+err.Error())
		os.Exit(1)
	}
}

// part is one thing that rstate is made of, or needs.
type part struct {
	name, version, scope string
	purl                 string
	hashes               []string // SHA-256
	dir                  string   // of a Go module
	list                 string   // the file that asks for it
}

// family is the name of the row in the list of licences.
func (p part) family() string {
	return regexp.MustCompile(`^ros-(jazzy|kilted)-`).ReplaceAllString(p.name, "ros-DISTRO-")
}

// parts returns all parts, in order.
func parts(root string) ([]part, error) {
	all, err := modules(root)
	if err != nil {
		return nil, err
	}
	page, err := vendored(filepath.Join(root, "internal", "page", "web", "vendor", "vendored.json"))
	if err != nil {
		return nil, err
	}
	all = append(all, page...)
	lists, err := filepath.Glob(filepath.Join(root, "setup", "requirements-*.txt"))
	if err != nil || len(lists) == 0 {
		return nil, errors.Join(err, errors.New("there are no lists of wheels in setup"))
	}
	for _, list := range append(lists, filepath.Join(root, "tools", "fuzzhttp", "requirements.txt")) {
		wheels, err := wheelsOf(list)
		if err != nil {
			return nil, err
		}
		all = append(all, wheels...)
	}
	slices.SortFunc(all, func(a, b part) int { return cmp.Compare(a.purl, b.purl) })
	var once []part
	for _, p := range all {
		if n := len(once); n > 0 && once[n-1].purl == p.purl {
			once[n-1].hashes = append(once[n-1].hashes, p.hashes...)
			once[n-1].scope = max(once[n-1].scope, p.scope) // required comes after excluded
			continue
		}
		once = append(once, p)
	}
	for k := range once {
		slices.Sort(once[k].hashes)
		once[k].hashes = slices.Compact(once[k].hashes)
	}
	return once, nil
}

// modules returns the Go modules whose packages are in the program.
func modules(root string) ([]part, error) {
	cmd := exec.Command("go", "list", "-deps", "-tags", "ros", "-json=Module", "./cmd/...")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("cannot list the modules: %w", err)
	}
	var found []part
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var one struct {
			Module *struct {
				Path, Version, Dir string
				Main               bool
				Replace            *struct{}
			}
		}
		if err := d.Decode(&one); err == io.EOF {
			return found, nil
		} else if err != nil {
			return nil, err
		}
		m := one.Module
		if m == nil || m.Main || m.Replace != nil { // the standard library, and what is in this checkout
			continue
		}
		if !slices.ContainsFunc(found, func(p part) bool { return p.name == m.Path }) {
			found = append(found, part{name: m.Path, version: m.Version, scope: required, dir: m.Dir, list: "go.mod",
				purl: "pkg:golang/" + m.Path + "@" + m.Version})
		}
	}
}

// vendored reads the list of what the page vendors.
func vendored(list string) ([]part, error) {
	text, err := os.ReadFile(list)
	if err != nil {
		return nil, err
	}
	var files []struct{ Package, Version, SHA256 string }
	if err := json.Unmarshal(text, &files); err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", list, err)
	}
	var found []part
	for _, f := range files {
		found = append(found, part{name: f.Package, version: f.Version, scope: required, list: list,
			purl: "pkg:npm/" + strings.ReplaceAll(f.Package, "@", "%40") + "@" + f.Version, hashes: []string{f.SHA256}})
	}
	return found, nil
}

var (
	wheelLine = regexp.MustCompile(`^([A-Za-z0-9._-]+)==([^ ;\\]+)`)
	hashLine  = regexp.MustCompile(`--hash=sha256:([0-9a-f]{64})`)
)

// wheelsOf reads a list of pip.
func wheelsOf(list string) ([]part, error) {
	text, err := os.ReadFile(list)
	if err != nil {
		return nil, err
	}
	scope := excluded
	if base := filepath.Base(list); base == "requirements-jazzy.txt" || base == "requirements-kilted.txt" {
		scope = required
	}
	var found []part
	for line := range strings.Lines(string(text)) {
		if m := wheelLine.FindStringSubmatch(line); m != nil {
			name := strings.ToLower(regexp.MustCompile(`[-_.]+`).ReplaceAllString(m[1], "-"))
			purl := "pkg:pypi/" + name + "@" + m[2]
			found = append(found, part{name: name, version: m[2], scope: scope, list: list, purl: purl})
		}
		for _, m := range hashLine.FindAllStringSubmatch(line, -1) {
			if len(found) == 0 {
				return nil, fmt.Errorf("%s begins with a hash", list)
			}
			last := &found[len(found)-1]
			last.hashes = append(last.hashes, m[1])
		}
	}
	return found, nil
}

// licenses reads the tables of docs/licenses.md: name and SPDX expression.
func licenses(root string) (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(root, licenseList))
	if err != nil {
		return nil, err
	}
	known := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]+) \\|$").FindAllSubmatch(text, -1) {
		name := string(m[1])
		if known[name] != "" {
			return nil, fmt.Errorf("%s names %s twice", licenseList, name)
		}
		known[name] = strings.TrimSpace(string(m[2]))
	}
	return known, nil
}

type (
	hash struct {
		Alg     string `json:"alg"`
		Content string `json:"content"`
	}
	license struct {
		Expression string `json:"expression"`
	}
	component struct {
		Type     string    `json:"type"`
		Ref      string    `json:"bom-ref"`
		Name     string    `json:"name"`
		Version  string    `json:"version"`
		Scope    string    `json:"scope,omitempty"`
		Hashes   []hash    `json:"hashes,omitempty"`
		Licenses []license `json:"licenses"`
		PURL     string    `json:"purl,omitempty"`
	}
	metadata struct {
		Component component `json:"component"`
	}
	bom struct {
		Format      string      `json:"bomFormat"`
		SpecVersion string      `json:"specVersion"`
		Version     int         `json:"version"`
		Metadata    metadata    `json:"metadata"`
		Components  []component `json:"components"`
	}
)

func write(out io.Writer, root, version string) error {
	all, err := parts(root)
	if err != nil {
		return err
	}
	known, err := licenses(root)
	if err != nil {
		return err
	}
	b := bom{Format: "CycloneDX", SpecVersion: "1.6", Version: 1, Metadata: metadata{component{
		Type: "application", Ref: "rstate", Name: "rstate", Version: version, Licenses: []license{{"Apache-2.0"}},
	}}}
	for _, p := range all {
		l := known[p.family()]
		if l == "" {
			return fmt.Errorf("%s has no licence in %s: add a row", p.family(), licenseList)
		}
		c := component{
			Type: "library", Ref: p.purl, Name: p.name, Version: p.version, Scope: p.scope, PURL: p.purl,
			Licenses: []license{{l}},
		}
		for _, h := range p.hashes {
			c.Hashes = append(c.Hashes, hash{"SHA-256", h})
		}
		b.Components = append(b.Components, c)
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(b)
}
