package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"rstate/internal/clean"
	"rstate/internal/network"
	"rstate/internal/rehearse"
)

// rehearsed is one case for a program.
type rehearsed struct {
	Name    string   `json:"name"`
	Node    string   `json:"node,omitempty"`
	Step    string   `json:"step,omitempty"`
	Fault   string   `json:"fault,omitempty"`
	State   string   `json:"state"` // in which the network ended
	Intact  bool     `json:"intact"`
	Goal    string   `json:"goal"`              // how the last goal ended
	Seconds *float64 `json:"seconds,omitempty"` // simulated; nil: the goal did not end
	Says    string   `json:"says"`              // what its client was told
	Met     bool     `json:"met"`
	Missed  []string `json:"missed"`
	Scenes  []played `json:"scenes,omitempty"` // that ended as they expect
}

// played is a scene of a case.
type played struct {
	Title   string  `json:"title"`
	State   string  `json:"state"`
	Intact  bool    `json:"intact"`
	Seconds float64 `json:"seconds"` // simulated, since the start of the daemon
}

func rehearseVerb(e *env, f *options) action {
	junit := f.String("junit", "", "also write the results to this `file`, as JUnit XML for build servers")
	trace := f.Bool("trace", false, "print all that happens in each case of a script")
	output := f.output("how to print the results")
	return func(words []string) int {
		net, ok := load(e, words[0])
		if !ok {
			return exitBadInput
		}
		if *trace && len(words) < 2 {
			return e.fail(exitBadInput, "cannot print every life: --trace needs a script")
		}
		report, ok := rehearsal(e, net, words[1:])
		if !ok {
			return exitBadInput
		}
		if *trace {
			for i := range report.Results {
				fmt.Fprintf(e.out, "== %s\n%v\n", clean.Text(report.Results[i].Case.Name), report.Results[i].Life)
			}
		}
		if *junit != "" {
			if err := writeFile(*junit, report.JUnit); err != nil {
				return e.fail(exitBadInput, "cannot write the results: %v", err)
			}
		}
		code := exitDone
		if report.Met() < len(report.Results) {
			code = exitFailed
		}
		if *output != asTable {
			if printed := e.print(*output, rehearsedOf(report)); printed != exitDone {
				return printed
			}
			return code
		}
		if err := report.Text(e.out); err != nil {
			return e.fail(exitFailed, "cannot print the results: %v", err)
		}
		return code
	}
}

// rehearsal plays the script, or every single fault without one.
func rehearsal(e *env, net *network.Network, script []string) (*rehearse.Report, bool) {
	if len(script) == 0 {
		return rehearse.Every(net), true
	}
	s, err := rehearse.Load(script[0], net)
	if err == nil {
		return rehearse.Play(net, s), true
	}
	var faults network.Faults
	if errors.As(err, &faults) {
		list(e.err, "", faults)
	} else {
		e.fail(exitBadInput, "cannot read script %q: %v", script[0], err)
	}
	return nil, false
}

func rehearsedOf(report *rehearse.Report) []rehearsed {
	all := []rehearsed{}
	for i := range report.Results {
		r := &report.Results[i]
		var took *float64
		if seconds := r.Took.Seconds(); r.Ended {
			took = &seconds
		}
		var scenes []played
		for _, s := range r.Scenes {
			scenes = append(scenes, played{s.Scene.Title, s.State, s.Intact, s.At.Seconds()})
		}
		all = append(all, rehearsed{
			Name: r.Case.Name, Node: r.Node, Step: r.Step, Fault: string(r.Fault), State: r.State, Intact: r.Intact,
			Goal: r.Goal, Seconds: took, Says: r.Says, Met: r.Met(),
			Missed: append(append([]string{}, r.Missed...), r.Broken...), Scenes: scenes,
		})
	}
	return all
}

// writeFile writes a whole file, and reports also what goes wrong when it is closed.
func writeFile(path string, write func(io.Writer) error) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return write(f)
}
