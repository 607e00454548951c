package rehearse

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rstate/internal/machine"
	"rstate/internal/network"
	"rstate/internal/strict"
)

// words reads any text.
func words() strict.Kind[string] {
	return strict.Text("a text", "", func(string) (string, string) { return "", "" })
}

// call reads a step of a node. Each of the checks judges it.
func (r reader) call(checks ...func(step, node string) (problem, hint string)) strict.Kind[string] {
	return strict.Text("a step and a node, like activate /slam", "", func(s string) (string, string) {
		step, name, _ := strings.Cut(s, " ")
		if !slices.Contains(steps, step) {
			return fmt.Sprintf("%q is no step of a node", step), "write a step and a node, like activate /slam"
		}
		if problem, hint := r.unknownNode(name); problem != "" {
			return problem, hint
		}
		for _, check := range checks {
			if problem, hint := check(step, name); problem != "" {
				return problem, hint
			}
		}
		return "", ""
	})
}

// noTransition judges a step for which no other program asks a node.
func noTransition(step, _ string) (problem, hint string) {
	return unless(step != "arm" && step != "disarm", step+" is no transition of a node", step, steps[:5])
}

// neverBegins judges a step that a node is never asked for.
func (r reader) neverBegins(step, name string) (problem, hint string) {
	i := slices.IndexFunc(r.net.Nodes, func(n network.Node) bool { return n.Name == name })
	if i < 0 {
		return "", ""
	}
	switch n := &r.net.Nodes[i]; {
	case step == "arm" || step == "disarm":
		if n.Arm == nil {
			return fmt.Sprintf("%s never begins %s: the network file has no arm for it", name, step),
				"name a node that is armed"
		}
	case !n.Lifecycle:
		return fmt.Sprintf("%s never begins %s: it is no lifecycle node", name, step), "name a lifecycle node"
	}
	return "", ""
}

func (r reader) state() strict.Kind[string] {
	return strict.Text("a state of the network", "", func(s string) (string, string) {
		if r.net.Machine == nil {
			return "", ""
		}
		var names []string
		for _, known := range r.net.Machine.States {
			if !known.Passing {
				names = append(names, known.Name)
			}
		}
		return unless(slices.Contains(names, s), fmt.Sprintf("%q is no state of machine %s", s, r.net.Machine.Name), s,
			names)
	})
}

func (r reader) unknownNode(name string) (problem, hint string) {
	var names []string
	for _, n := range r.net.Nodes {
		names = append(names, n.Name)
	}
	return unless(slices.Contains(names, name) || len(names) == 0, fmt.Sprintf("%q is no node of the network", name),
		name, names)
}

func (r reader) unknownCommand(word string) (problem, hint string) {
	if r.net.Machine == nil {
		return "", ""
	}
	_, _, ok := r.net.Machine.Command(machine.ReadWord(word))
	var names []string
	for _, t := range r.net.Machine.Transitions {
		names = append(names, t.Name)
	}
	for _, s := range r.net.Machine.States {
		if !s.Passing {
			names = append(names, s.Name)
		}
	}
	return unless(ok, fmt.Sprintf("%q is neither a command nor a state of machine %s", word, r.net.Machine.Name), word,
		names)
}

// unknownGoal judges the name of a goal: its command, with "#2" for the second of that name.
func (r reader) unknownGoal(name string) (problem, hint string) {
	command, number, numbered := strings.Cut(name, " #")
	if problem, hint := r.unknownCommand(command); problem != "" {
		return problem, hint
	}
	if n, _ := strconv.Atoi(number); numbered && (n < 2 || name != GoalName(command, n)) {
		return fmt.Sprintf("%q names no goal", name),
			fmt.Sprintf("write %s for the first one, %q for the second one", command, GoalName(command, 2))
	}
	return "", ""
}

func unless(ok bool, problem, word string, known []string) (string, string) {
	if ok {
		return "", ""
	}
	return problem, strict.Suggest(word, known, "write one of "+strings.Join(known, ", "))
}
