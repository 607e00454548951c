// Package strict reads YAML without mercy and without stopping at the first fault: unknown and repeated keys, wrong
// types and values, aliases that explode. Every fault carries its place and what to write instead. What a mapping may
// hold is a table of keys, from which the JSON Schema is written too, so that reader and schema cannot drift apart.
// It imports the YAML reader only and knows nothing of ROS.
package strict

import (
	"fmt"
	"slices"
	"strings"
)

// Fault is one thing that is wrong with a file.
type Fault struct {
	File         string
	Line, Column int    // 0: the file as a whole
	Key          string // the way to the value: nodes./slam.after[0]
	Problem      string
	Hint         string // what to write instead
}

func (f Fault) String() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", f.Line, f.Column)
	}
	for _, part := range []string{f.Key, f.Problem} {
		if part != "" {
			b.WriteString(": " + part)
		}
	}
	if f.Hint != "" {
		b.WriteString("; " + f.Hint)
	}
	return b.String()
}

// Faults are all faults of a reading, in the order of the files and their lines. It is an error with one line each.
type Faults []Fault

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i := range f {
		lines[i] = f[i].String()
	}
	return strings.Join(lines, "\n")
}

// maxFaults bounds how many faults one reading reports. More are of no use to the user, and a
// hostile file could cause more output than its own size.
const maxFaults = 200

// Report collects the faults and warnings of one reading, which may span several files. Not safe for concurrent use.
type Report struct {
	faults, warnings []Fault
	dropped          int
}

func (r *Report) add(list *[]Fault, f Fault) {
	if len(*list) >= maxFaults {
		r.dropped++
		return
	}
	if !slices.Contains(*list, f) { // an alias shows the same value twice
		*list = append(*list, f)
	}
}

// Full says that further faults are only counted, so that costly hints are not looked for any more.
func (r *Report) Full() bool { return len(r.faults) >= maxFaults }

// Fault reports a fault of a file as a whole.
func (r *Report) Fault(file, problem, hint string) {
	r.add(&r.faults, Fault{File: file, Problem: problem, Hint: hint})
}

// Count is the number of faults found yet.
func (r *Report) Count() int { return len(r.faults) + r.dropped }

// Err returns all faults in order, or nil.
func (r *Report) Err() error {
	if len(r.faults) == 0 {
		return nil
	}
	faults := ordered(r.faults)
	if r.dropped > 0 {
		faults = append(faults, Fault{File: faults[0].File, Problem: fmt.Sprintf("and %d more", r.dropped),
			Hint: "put the first ones right and check again"})
	}
	return Faults(faults)
}

// Warnings returns all warnings in order.
func (r *Report) Warnings() []Fault { return ordered(r.warnings) }

// ordered sorts by place; files keep the order in which they were first named.
func ordered(list []Fault) []Fault {
	rank := map[string]int{}
	for _, f := range list {
		if _, ok := rank[f.File]; !ok {
			rank[f.File] = len(rank)
		}
	}
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b Fault) int {
		for _, d := range []int{rank[a.File] - rank[b.File], a.Line - b.Line, a.Column - b.Column} {
			if d != 0 {
				return d
			}
		}
		return 0
	})
	return out
}
