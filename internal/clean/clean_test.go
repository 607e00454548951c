package clean

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestCountSaysOneThing(t *testing.T) {
	for n, want := range map[int]string{0: "0 nodes", 1: "1 node", 2: "2 nodes", 21: "21 nodes"} {
		if got := Count(n, "node"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestTextTakesOutWhatIsNotPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		"plain ~ text":                 "plain ~ text",
		"→ /slam, Größe, 雷達":           "→ /slam, Größe, 雷達",
		"a\nb\r\nc\td\ve":              "a b  c d e",
		"\x1b[2J\x1b]0;title\x07":      "�[2J�]0;title�",
		"a\x7fb\u0085c\u009b31md":      "a�b c�31md", // DEL, NEL, CSI in one character
		"ab\u202edesra\u2066x\u2069":   "ab�desra�x�",
		"zero\u200bwidth\ufeff":        "zero�width�",
		"line\u2028paragraph\u2029end": "line paragraph end",
		"non\u00a0breaking":            "non breaking",
		"a\xff\xfeb\xc3":               "a��b�",
		"nul\x00":                      "nul�",
		"\U000e0041 tag":               "� tag",
	} {
		if got := Text(text); got != want {
			t.Errorf("Text(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestShortCutsWithAMark(t *testing.T) {
	at := strings.Repeat("a", Max)
	if got := Short(at); got != at {
		t.Errorf("a text of %d bytes became %d bytes", Max, len(got))
	}
	for name, text := range map[string]string{
		"one more":     at + "b",
		"two bytes":    strings.Repeat("é", Max),
		"odd start":    "x" + strings.Repeat("雷", Max),
		"only control": strings.Repeat("\x1b", 10*Max),
		"no UTF-8":     strings.Repeat("\xff", 10*Max),
	} {
		got := Short(text)
		if len(got) > Max || len(got) < Max-len(mark)-utf8.UTFMax || !strings.HasSuffix(got, mark) ||
			!utf8.ValidString(got) {
			t.Errorf("%s: %d bytes, valid %v, ends with %q", name, len(got), utf8.ValidString(got), got[len(got)-20:])
		}
		if Short(got) != got {
			t.Errorf("%s: cut a second time", name)
		}
	}
}

func TestAllKeepsACleanList(t *testing.T) {
	list := []string{"/a", "/b"}
	if got := All(list); &got[0] != &list[0] {
		t.Error("a clean list was copied")
	}
	dirty := []string{"/a", "/b\n", "/c\x1b"}
	if got := strings.Join(All(dirty), "|"); got != "/a|/b |/c�" || dirty[1] != "/b\n" {
		t.Errorf("got %q; the list itself is %q", got, dirty)
	}
}

func FuzzText(f *testing.F) {
	f.Add("a\x1b[2J\u202e\xff\n雷")
	f.Fuzz(func(t *testing.T, s string) {
		got := Text(s)
		if Text(got) != got || !utf8.ValidString(got) ||
			strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("Text(%q) = %q", s, got)
		}
		if short := Short(s); len(short) > Max || !utf8.ValidString(short) || Short(short) != short {
			t.Errorf("Short of %d bytes has %d", len(s), len(short))
		}
	})
}
