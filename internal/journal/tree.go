package journal

import (
	"fmt"
	"strings"
	"time"
)

// Tree is why something is so: a sentence, what it comes from, and what to try.
type Tree struct {
	At      time.Time `json:"at,omitzero"`
	Node    string    `json:"node,omitempty"` // the node concerned; empty: the network
	Text    string    `json:"text"`
	Try     []string  `json:"try,omitempty"`
	Because []Tree    `json:"because,omitempty"`
}

// String is the tree for a person, a line per sentence, what is below indented.
func (t Tree) String() string {
	var b strings.Builder
	t.write(&b, "")
	return b.String()
}

func (t Tree) write(b *strings.Builder, indent string) {
	b.WriteString(indent + t.Text + "\n")
	for _, child := range t.Because {
		child.write(b, indent+"  ")
	}
	for _, try := range t.Try {
		b.WriteString(indent + "  try: " + try + "\n")
	}
}

func (t *Tree) add(children ...Tree) { t.Because = append(t.Because, children...) }

// teller finds the words.
type teller struct{ now time.Time }

// at returns the moment of a line, with its date if that is not today.
func (w teller) at(l *Line) string {
	switch {
	case l == nil || l.At.IsZero():
		return "an unknown time"
	case l.At.Format(time.DateOnly) == w.now.In(l.At.Location()).Format(time.DateOnly):
		return l.At.Format(time.TimeOnly)
	}
	return l.At.Format(time.DateTime)
}

func leaf(l *Line, format string, args ...any) Tree {
	return Tree{At: l.At, Node: l.Node, Text: fmt.Sprintf(format, args...)}
}

// some turns a list into trees, and what is beyond a screen into a number.
func some(list []Line, tell func(*Line) Tree) []Tree {
	const most = 10
	var trees []Tree
	for i := range list {
		if i == most {
			return append(trees, Tree{Text: fmt.Sprintf("and %d more", len(list)-most)})
		}
		trees = append(trees, tell(&list[i]))
	}
	return trees
}

// shortly rounds a duration to what a person wants of it.
func shortly(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Millisecond).String()
}

func cause(l *Line) string {
	if l.Cause == "" {
		return ""
	}
	return ": " + l.Cause
}
