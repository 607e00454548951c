// Command termsvg draws the text of a terminal as an SVG picture.
//
// It reads the text from standard input and writes the picture to standard output. It knows the styles that rstate
// uses: bold, dim, red, green and yellow.
package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"
)

// The size of a character, and the space around the text, in pixels.
const (
	charWidth  = 8.4
	lineHeight = 19
	margin     = 16
)

// styles maps the code of a style to the attributes of a tspan.
var styles = map[string]string{
	"":   "",
	"0":  "",
	"1":  ` font-weight="bold"`,
	"2":  ` fill="#8b949e"`,
	"31": ` fill="#ff7b72"`,
	"32": ` fill="#56d364"`,
	"33": ` fill="#e3b341"`,
}

// keepsSpaces keeps the columns of a line. It stands on each text: Chromium has a rule of its own for texts, which a
// value of the group around them does not reach. Renderers that know no CSS take the second attribute.
const keepsSpaces = `style="white-space: pre" xml:space="preserve"`

// sgr is the escape sequence that selects a style.
var sgr = regexp.MustCompile("\x1b\\[([0-9]*)m")

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "termsvg:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("cannot read the text: %w", err)
	}
	picture, err := draw(string(text))
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, picture)
	return err
}

// draw returns the picture of a text. A line that begins with "$ " is a command of the user, and bold.
func draw(text string) (string, error) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	widest := 0
	for _, line := range lines {
		widest = max(widest, utf8.RuneCountInString(sgr.ReplaceAllString(line, "")))
	}
	width, height := int(charWidth*float64(widest))+2*margin, lineHeight*len(lines)+2*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">`+"\n", width,
		height, width, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="#0d1117"/>`+"\n")
	fmt.Fprintf(&b, `<g font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#e6edf3">`+"\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "$ ") {
			line = "\x1b[1m" + line + "\x1b[0m"
		}
		pieces, err := spans(line)
		if err != nil {
			return "", fmt.Errorf("cannot draw line %d: %w", i+1, err)
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" %s>%s</text>`+"\n", margin, margin+lineHeight*i+lineHeight-5, keepsSpaces,
			pieces)
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String(), nil
}

// spans returns a line as tspans, one for each style.
func spans(line string) (string, error) {
	var b strings.Builder
	style := ""
	put := func(text string) error {
		if text == "" {
			return nil
		}
		if strings.ContainsRune(text, '\x1b') {
			return fmt.Errorf("%q has an escape sequence that selects no style", text)
		}
		fmt.Fprintf(&b, "<tspan%s>", styles[style])
		if err := xml.EscapeText(&b, []byte(text)); err != nil {
			return err
		}
		b.WriteString("</tspan>")
		return nil
	}
	for line != "" {
		at := sgr.FindStringSubmatchIndex(line)
		if at == nil {
			err := put(line)
			return b.String(), err
		}
		if err := put(line[:at[0]]); err != nil {
			return "", err
		}
		style = line[at[2]:at[3]]
		if _, ok := styles[style]; !ok {
			return "", fmt.Errorf("style %q is unknown", style)
		}
		line = line[at[1]:]
	}
	return b.String(), nil
}
