package term

import (
	"strings"
	"unicode"

	"rstate/internal/clean"
)

// Style is how a piece of a line looks. The zero value is plain.
type Style string

// The styles. Meaning never rests on them alone: they are left out where NO_COLOR is set.
const (
	Plain  Style = ""
	Bold   Style = "1"
	Dim    Style = "2"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
	Invert Style = "7"
)

// Piece is a part of a line.
type Piece struct {
	Text  string
	Style Style
}

// Line is one line of a view.
type Line []Piece

// Text is a line in one style.
func Text(text string, style Style) Line { return Line{{text, style}} }

// String is the line without styles.
func (l Line) String() string {
	var b strings.Builder
	for _, p := range l {
		b.WriteString(p.Text)
	}
	return b.String()
}

// render writes the line into so many columns; what does not fit is cut off, with an ellipsis in its place.
func (l Line) render(width int, styled bool) string {
	room := width
	cut := false
	var b strings.Builder
	for i, p := range l {
		text := clean.Text(p.Text)
		n := Width(text)
		rest := i < len(l)-1 && l[i+1:].String() != ""
		if n > room || (n == room && rest) {
			text, cut = clip(text, room), true
		}
		if styled && p.Style != Plain && text != "" {
			b.WriteString("\x1b[" + string(p.Style) + "m" + text + "\x1b[0m")
		} else {
			b.WriteString(text)
		}
		if room -= n; cut {
			break
		}
	}
	return b.String()
}

// clip cuts a text so that it and an ellipsis take so many columns.
func clip(text string, width int) string {
	if width <= 0 {
		return ""
	}
	used := 0
	for i, r := range text {
		if used += runeWidth(r); used > width-1 {
			return text[:i] + "…"
		}
	}
	return text + "…"
}

// Width is how many columns a text takes.
func Width(text string) int {
	n := 0
	for _, r := range text {
		n += runeWidth(r)
	}
	return n
}

// runeWidth knows the letters that take two columns or none; of what else there may be, one is right nearly always.
func runeWidth(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r >= 0x1100 && r <= 0x115f, unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul),
		r >= 0xff00 && r <= 0xff60, r >= 0x1f300 && r <= 0x1faff:
		return 2
	}
	return 1
}
