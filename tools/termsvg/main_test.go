package main

import (
	"encoding/xml"
	"io"
	"os"
	"strings"
	"testing"
)

// TestThePictureOfTheREADME: docs/terminal.svg is the output of termsvg for docs/terminal.txt.
func TestThePictureOfTheREADME(t *testing.T) {
	text, err := os.ReadFile("../../docs/terminal.txt")
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile("../../docs/terminal.svg")
	if err != nil {
		t.Fatal(err)
	}
	want, err := draw(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != want {
		t.Error("docs/terminal.svg is out of date: go run ./tools/termsvg <docs/terminal.txt >docs/terminal.svg")
	}
}

func TestStylesBecomeSpans(t *testing.T) {
	got, err := draw("$ rstate send arm\n\x1b[32marming \x1b[0m<5 & of 5>\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<tspan font-weight="bold">$ rstate send arm</tspan></text>`,
		`<tspan fill="#56d364">arming </tspan><tspan>&lt;5 &amp; of 5&gt;</tspan></text>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	for d := xml.NewDecoder(strings.NewReader(got)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("it is no XML: %v", err)
		}
	}
}

// TestEachTextKeepsItsSpaces: Chromium collapses the spaces of a text whose own style does not keep them.
func TestEachTextKeepsItsSpaces(t *testing.T) {
	got, err := draw("  /lidar   1.2 s  configure done\n\n  /slam    waits\n")
	if err != nil {
		t.Fatal(err)
	}
	texts := strings.Count(got, "<text ")
	for _, want := range []string{`white-space: pre"`, `xml:space="preserve"`} {
		kept := 0
		for _, line := range strings.Split(got, "\n") {
			if text, _, _ := strings.Cut(line, ">"); strings.HasPrefix(line, "<text ") && strings.Contains(text, want) {
				kept++
			}
		}
		if texts != 3 || kept != texts {
			t.Errorf("%d of %d texts have %s:\n%s", kept, texts, want, got)
		}
	}
}

func TestAnotherEscapeSequenceIsAnError(t *testing.T) {
	for _, text := range []string{"a\x1b[2Jb", "a\x1b[45mb"} {
		if got, err := draw(text); err == nil {
			t.Errorf("%q is drawn as %s", text, got)
		}
	}
}
