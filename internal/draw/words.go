package draw

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// least is how many columns a remark gets beside what it is about; where there are fewer it stands below.
const least = 24

// row is what a line is about, and a remark beside it, which goes on below itself where the line is full.
func row(left, remark string, width int) string {
	if remark == "" {
		return strings.TrimRight(left, " ") + "\n"
	}
	at := utf8.RuneCountInString(left) + 1
	if width-at < least && width-at < utf8.RuneCountInString(remark) {
		const indent = 6
		return strings.TrimRight(left, " ") + "\n" + strings.Repeat(" ", indent) + wrap(remark, width-indent, indent) +
			"\n"
	}
	return left + " " + wrap(remark, width-at, at) + "\n"
}

// wrap breaks a text at blanks into lines of so many columns; all but the first are indented.
func wrap(text string, width, indent int) string {
	var b strings.Builder
	used := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case used+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			used = 0
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
	}
	return b.String()
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// quote writes a string as dot and Mermaid both read it; names hold neither quotes nor line breaks, texts may.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
