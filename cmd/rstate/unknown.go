package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rstate/internal/machine"
	"rstate/internal/network"
	"rstate/internal/strict"
)

// unknownVerb answers a command line without a verb that exists.
func unknownVerb(e *env, root *cobra.Command, words []string) error {
	if len(words) == 0 {
		root.SetOut(e.err)
		_ = root.Help() // it fails if stderr does
		return exit(exitBadInput)
	}
	name := words[0]
	return fmt.Errorf("cannot do %q: there is no such verb; %s", name, insteadOf(root, name))
}

// insteadOf suggests what to write instead of a verb that does not exist. A command or a state of a network
// is no verb: rstate send takes it.
func insteadOf(root *cobra.Command, name string) string {
	if name == "" { // all names begin with it
		return listVerbs
	}
	commands := commandsOfPresets()
	ours, others := sendable(name, commands)
	var means []string
	switch {
	case ours != "":
		return "did you mean " + sendOf(ours) + "?"
	case slices.Contains(endings, strings.ToLower(name)):
		means = append(means, sendOf(shutdownWord))
	default:
		means = verbsFor(root, name)
	}
	if len(others) > 0 {
		means = append(means, fmt.Sprintf("%s with machine %s", sendOf(name), strict.Or(others)))
	}
	if len(means) > 0 {
		return "did you mean " + strings.Join(means, ", or ") + "?"
	}
	if near := root.SuggestionsFor(name); len(near) > 0 {
		return strict.Suggest(name, near, "did you mean "+strings.Join(near, " or ")+"?")
	}
	var all []string
	for _, m := range commands {
		all = append(all, m.words...)
	}
	if near, ok := strings.CutPrefix(strict.Suggest(name, all, ""), "did you mean "); ok {
		return "did you mean " + sendOf(strings.TrimSuffix(near, "?")) + "?"
	}
	return listVerbs
}

const (
	listVerbs    = "rstate help lists them"
	shutdownWord = "shutdown"
)

// endings are the words that people write to end a network.
var endings = []string{"stop", "down", "end", "exit", "halt", "kill", "quit", "terminate"}

func sendOf(command string) string { return "rstate send " + command }

// verbsFor lists the verbs for which people write that word.
func verbsFor(root *cobra.Command, name string) []string {
	var verbs []string
	for _, c := range root.Commands() {
		if slices.Contains(c.SuggestFor, strings.ToLower(name)) {
			verbs = append(verbs, c.Name())
		}
	}
	return verbs
}

// presetWords are the commands and states of a preset that rstate send takes.
type presetWords struct {
	machine *machine.Machine
	words   []string
}

// commandsOfPresets lists the words of all presets, the default one first.
func commandsOfPresets() []presetWords {
	var all []presetWords
	for _, name := range machine.Presets() {
		m, err := machine.Preset(name)
		if err != nil {
			continue // its own tests find that
		}
		all = append(all, presetWords{m, m.Words()})
	}
	slices.SortStableFunc(all, func(a, b presetWords) int {
		switch {
		case a.machine.Name == network.DefaultMachine && b.machine.Name != network.DefaultMachine:
			return -1
		case b.machine.Name == network.DefaultMachine && a.machine.Name != network.DefaultMachine:
			return 1
		}
		return 0
	})
	return all
}

// sendable returns the word of the default machine that name is, and the other machines that have it.
func sendable(name string, all []presetWords) (ours string, others []string) {
	for _, p := range all {
		word, _, ok := p.machine.Command(machine.ReadWord(name))
		switch {
		case !ok:
		case p.machine.Name == network.DefaultMachine:
			ours = word
		default:
			others = append(others, p.machine.Name)
		}
	}
	return ours, others
}
