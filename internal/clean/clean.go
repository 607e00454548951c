// Package clean makes text that comes from outside safe to print: on a terminal, in a log, in a ROS message. The engine
// applies it to its inputs, the journal to the lines that it reads, and every printer to its output.
package clean

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// Max is the number of bytes that Short leaves of a text.
	Max = 4 << 10
	// mark ends a text that Short has cut.
	mark = "… (cut)"
	// bad stands for a character that is not printable.
	bad = '\uFFFD'
)

// Text returns s without characters that move a cursor, change a terminal, hide text or reverse its direction. Line
// breaks, tabs and unusual spaces become a space; other characters that are not printable, and bytes that are not
// UTF-8, become U+FFFD. Text(Text(s)) equals Text(s).
func Text(s string) string {
	if plain(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsPrint(r):
			return r
		case unicode.IsSpace(r), unicode.In(r, unicode.Z):
			return ' '
		}
		return bad
	}, s)
}

// Short is Text, cut to Max bytes with a mark at its end.
func Short(s string) string {
	if len(s) > 4*Max { // a character has at most 4 bytes, so the rest cannot be left
		s = s[:4*Max]
	}
	s = Text(s)
	return Cut(s, Max)
}

// Cut returns the beginning of a text that has at most so many bytes, with a mark if it was cut.
func Cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	end := most - len(mark)
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + mark
}

// All applies Short to every text of a list. It returns the list itself where nothing changes.
func All(list []string) []string {
	for i, s := range list {
		if Short(s) == s {
			continue
		}
		changed := make([]string, len(list))
		copy(changed, list[:i])
		for k := i; k < len(list); k++ {
			changed[k] = Short(list[k])
		}
		return changed
	}
	return list
}

// Count returns a number of things in words: "1 node", "2 nodes".
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// plain reports whether s is printable ASCII, as nearly every text is.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
