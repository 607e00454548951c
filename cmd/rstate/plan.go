package main

import (
	"fmt"
	"io"
	"strings"

	"rstate/internal/machine"
	"rstate/internal/network"
	"rstate/internal/plan"
	"rstate/internal/strict"
)

// planned is one command of a plan, with its steps.
type planned struct {
	Command string        `json:"command"`
	From    string        `json:"from"`
	To      string        `json:"to"`
	Steps   []plannedStep `json:"steps"`
	Longest string        `json:"longest"` // if every step takes its whole deadline
	plan    plan.Plan
}

type plannedStep struct {
	N        int    `json:"n"`
	Node     string `json:"node"`
	Do       string `json:"do"`
	After    []int  `json:"after"` // the steps that it waits for
	Deadline string `json:"deadline"`
	Required bool   `json:"required"`
}

func planVerb(e *env, f *options) action {
	from := f.String("from", "", "`state` in which the nodes are; without it, the first one of the machine")
	output := f.output("how to print the plan")
	return func(words []string) int {
		net, ok := load(e, words[0])
		if !ok {
			return exitBadInput
		}
		m := net.Machine
		if *from == "" {
			*from = m.Initial
		}
		if s, ok := m.State(*from); !ok || s.Passing {
			return e.fail(exitBadInput, "cannot plan from %q: it is no state in which a network of machine %s rests; %s", *from, m.Name,
				strict.Suggest(*from, resting(m), "write one of "+strings.Join(resting(m), ", ")))
		}
		path, to := m.WayUp(*from)
		goal := to
		if len(words) > 1 {
			goal = words[1]
			var code int
			if path, to, code = wayTo(e, m, *from, goal); code != exitDone {
				return code
			}
		}
		if there, _ := m.State(to); len(path) > 0 && net.Unarmable(there) != "" {
			return e.fail(exitRejected, "cannot plan %s: %s", goal, net.Unarmable(there))
		}
		list := planAll(net, *from, path)
		if *output != asTable {
			return e.print(*output, list)
		}
		printPlans(e.out, *from, to, list)
		return exitDone
	}
}

// wayTo returns the commands that a daemon would run to reach a goal, and the state in which they
// end.
func wayTo(e *env, m *machine.Machine, from, goal string) (path []string, to string, code int) {
	name, isState, ok := m.Command(machine.ReadWord(goal))
	if !ok {
		known := wishes(m)
		return nil, "", e.fail(exitBadInput, "cannot plan %q: it is neither a command nor a state of machine %s; %s",
			goal, m.Name,
			strict.Suggest(goal, known, "write one of "+strings.Join(known, ", ")))
	}
	judge := m.Start()
	if err := judge.Settle(from); err != nil {
		return nil, "", e.fail(exitFailed, "%v", err)
	}
	if isState {
		if path, ok = m.Path(from, name); !ok {
			return nil, "", e.fail(exitRejected, "cannot plan %s from %s: no way leads there; legal there: %s", name,
				from, strings.Join(judge.Legal(), ", "))
		}
		return path, name, exitDone
	}
	if !judge.Can(name) {
		return nil, "", e.fail(exitRejected, "cannot plan %s from %s: it is not legal there; legal: %s", name, from,
			strings.Join(judge.Legal(), ", "))
	}
	return []string{name}, m.Leaving(name, from).To, exitDone
}

// planAll plans each command from the state in which the previous one ends.
func planAll(net *network.Network, from string, path []string) []planned {
	list := []planned{}
	for _, leg := range plan.Ahead(net, from, plan.At(net, from), path) {
		p := planned{Command: leg.Command, From: leg.From, To: leg.To, plan: leg.Plan}
		for n, s := range leg.Plan.Steps {
			step := plannedStep{
				N: n + 1, Node: net.Nodes[s.Node].Name, Do: s.Do, After: []int{}, Deadline: s.Deadline.String(),
				Required: s.Required,
			}
			for _, a := range s.After {
				step.After = append(step.After, a+1)
			}
			p.Steps = append(p.Steps, step)
		}
		p.Longest = leg.Plan.AtMost().String()
		list = append(list, p)
	}
	return list
}

func printPlans(out io.Writer, from, to string, list []planned) {
	if len(list) == 0 {
		fmt.Fprintf(out, "from %s to %s: nothing to do\n", from, to)
		return
	}
	for _, p := range list {
		fmt.Fprintf(out, "%s, from %s %v", p.Command, p.From, p.plan)
		if len(p.Steps) > 0 {
			fmt.Fprintf(out, "     %s at the most\n", p.Longest)
		}
	}
}

// resting lists the states in which a network can rest.
func resting(m *machine.Machine) []string {
	var names []string
	for _, s := range m.States {
		if !s.Passing {
			names = append(names, s.Name)
		}
	}
	return names
}
