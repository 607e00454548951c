package journal

import (
	"fmt"
	"slices"
	"strings"
)

// About says what the newest run is of: its simulation, ROS domain and network file, as far as the lines tell. It is
// empty if they tell nothing.
func About(lines []Line) string {
	var simulation, domain, file string
	for k := len(lines) - 1; k >= 0 && lines[k].Instance == lines[len(lines)-1].Instance; k-- {
		l := &lines[k]
		simulation, domain, file = first(simulation, l.Simulation), first(domain, l.Domain), first(file, l.File)
	}
	var parts []string
	if simulation != "" {
		parts = append(parts, "simulation "+simulation)
	}
	if domain != "" {
		parts = append(parts, "ROS domain "+domain)
	}
	if file != "" {
		parts = append(parts, fmt.Sprintf("network file %q", file))
	}
	return strings.Join(parts, ", ")
}

func first(known, more string) string {
	if known != "" {
		return known
	}
	return more
}

// OfDomain returns the lines without the runs that say that they were in another ROS domain. It may
// reuse the memory of lines.
func OfDomain(lines []Line, domain string) []Line {
	elsewhere := map[string]bool{}
	for k := range lines {
		if d := lines[k].Domain; d != "" && d != domain {
			elsewhere[lines[k].Instance] = true
		}
	}
	return slices.DeleteFunc(lines, func(l Line) bool { return elsewhere[l.Instance] })
}
