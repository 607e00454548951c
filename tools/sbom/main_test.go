package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// TestLicensesAreComplete: each module and wheel has a row in docs/licenses.md, and each row is of one of them.
func TestLicensesAreComplete(t *testing.T) {
	all, err := parts(root)
	if err != nil {
		t.Fatal(err)
	}
	known, err := licenses(root)
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, p := range all {
		if used[p.family()] = true; known[p.family()] == "" {
			t.Errorf("%s, of %s, has no licence in %s: add a row", p.family(), p.list, licenseList)
		}
	}
	for name := range known {
		if !used[name] {
			t.Errorf("%s names %s, which nothing needs any more", licenseList, name)
		}
	}
}

// words stand in the text of each licence.
var words = map[string][]string{
	"MIT":        {"Permission is hereby granted, free of charge"},
	"Apache-2.0": {"Apache License", "Version 2.0"},
	"BSD-3-Clause": {"Redistribution and use in source and binary forms",
		"to endorse or promote products derived from this software"},
	"ISC":          {"Permission to use, copy, modify, and"},
	"BSD-2-Clause": {"Redistribution and use in source and binary forms"},
}

// TestLicensesOfModulesAreTheirs: what the list says of a Go module stands in the module.
func TestLicensesOfModulesAreTheirs(t *testing.T) {
	all, err := parts(root)
	if err != nil {
		t.Fatal(err)
	}
	known, err := licenses(root)
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, p := range all {
		if p.dir == "" {
			continue
		}
		looked++
		files, _ := filepath.Glob(filepath.Join(p.dir, "LICEN*"))
		var text string
		for _, f := range files {
			one, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			text += string(one)
		}
		text = strings.Join(strings.Fields(strings.ReplaceAll(text, "\n> ", "\n")), " ")
		for _, l := range strings.Split(known[p.family()], " AND ") {
			if words[l] == nil {
				t.Errorf("%s: the test does not know the licence %s", p.name, l)
			}
			for _, w := range words[l] {
				if !strings.Contains(text, w) {
					t.Errorf("%s: %q is not in its licence, which should be %s", p.name, w, l)
				}
			}
		}
	}
	if looked < 10 {
		t.Errorf("only %d modules were found", looked)
	}
}

// TestTheBillNamesAllParts: with version, licence and place, each once, wheels with their hashes, and always in the
// same words.
func TestTheBillNamesAllParts(t *testing.T) {
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		if err := write(out, root, "1.2.3"); err != nil {
			t.Fatal(err)
		}
	}
	if first.String() != second.String() {
		t.Error("two runs differ")
	}
	var b bom
	if err := json.Unmarshal(first.Bytes(), &b); err != nil {
		t.Fatal(err)
	}
	if b.Format != "CycloneDX" || b.Metadata.Component.Version != "1.2.3" {
		t.Errorf("it is %+v", b.Metadata)
	}
	var refs []string
	for _, c := range b.Components {
		if c.Name == "" || c.Version == "" || len(c.Licenses) != 1 || c.Licenses[0].Expression == "" ||
			slices.Contains(refs, c.Ref) {
			t.Errorf("it has %+v", c)
		}
		if wheel := strings.HasPrefix(c.PURL, "pkg:pypi/"); wheel && len(c.Hashes) == 0 {
			t.Errorf("%s has no hash", c.Ref)
		}
		refs = append(refs, c.Ref)
	}
	for _, want := range []string{"pkg:golang/github.com/looplab/fsm@", "pkg:pypi/ros-kilted-rcl@",
		"pkg:pypi/ros-jazzy-rcl@", "pkg:pypi/schemathesis@"} {
		if !slices.ContainsFunc(refs, func(r string) bool { return strings.HasPrefix(r, want) }) {
			t.Errorf("%s… is missing", want)
		}
	}
}
