package doctor

import (
	"fmt"
	"slices"
	"strings"
)

// Level is how bad a finding is.
type Level string

// The levels.
const (
	OK      Level = "ok"
	Warning Level = "warning"
	Fault   Level = "fault"
)

// Finding is one thing that was looked at.
type Finding struct {
	Level    Level  `json:"level" yaml:"level"`
	About    string `json:"about" yaml:"about"` // a part of ROS, or a node
	What     string `json:"what" yaml:"what"`
	Evidence string `json:"evidence,omitempty" yaml:"evidence,omitempty"`
	Do       string `json:"do,omitempty" yaml:"do,omitempty"` // what to do about it; empty if it is well
}

// Report is all findings, those of one thing together.
type Report struct {
	Findings []Finding `json:"findings" yaml:"findings"`
	Faults   int       `json:"faults" yaml:"faults"`
	Warnings int       `json:"warnings" yaml:"warnings"`
	Fine     int       `json:"fine" yaml:"fine"`
	Summary  string    `json:"summary" yaml:"summary"`
}

// Judge judges the facts.
func Judge(f Facts) Report {
	j := &judge{Facts: f}
	j.forgetTheDead()
	j.ros()
	j.discovery()
	if j.Stack.Fault == "" {
		j.daemon()
		j.peers()
		j.clock()
		for _, n := range j.Network.Nodes {
			j.node(n)
		}
		j.twins()
		j.topics()
	}
	j.report.Summary = fmt.Sprintf("%s, %s, %s fine", many(j.report.Faults, "fault"),
		many(j.report.Warnings, "warning"), many(j.report.Fine, "check"))
	return j.report
}

// judge is a judgement under way.
type judge struct {
	Facts
	report Report
}

func (j *judge) add(f Finding) {
	switch f.Level {
	case Fault:
		j.report.Faults++
	case Warning:
		j.report.Warnings++
	default:
		j.report.Fine++
	}
	j.report.Findings = append(j.report.Findings, f)
}

func (j *judge) fine(about, what string) { j.add(Finding{Level: OK, About: about, What: what}) }

func (j *judge) warn(about, what, evidence, do string) {
	j.add(Finding{Warning, about, what, evidence, do})
}

func (j *judge) fault(about, what, evidence, do string) {
	j.add(Finding{Fault, about, what, evidence, do})
}

// forgetTheDead drops what a daemon has said of the nodes, if it is silent now.
func (j *judge) forgetTheDead() {
	if slices.ContainsFunc(j.Daemons, func(d Daemon) bool { return d.Name == j.Asked && d.Alive }) {
		return
	}
	j.Network.Nodes = slices.Clone(j.Network.Nodes)
	for i := range j.Network.Nodes {
		j.Network.Nodes[i].Running, j.Network.Nodes[i].Expected, j.Network.Nodes[i].Silent = "", "", false
	}
}

// present says whether a node of that name is there.
func (j *judge) present(name string) bool { return slices.Contains(j.Nodes, name) }

// many counts in words.
func many(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "s"):
		return fmt.Sprintf("%d %ses", n, what)
	}
	return fmt.Sprintf("%d %ss", n, what)
}
