package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"rstate/internal/machine"
	"rstate/internal/strict"
)

// What a shell completes where a word is to be written.
const (
	wordFree    = ""        // nothing is known of it
	wordNetwork = "network" // a YAML file
	wordFile    = "file"
	wordFolder  = "folder"
)

// word is what may stand in one place of a command line: one of some words, or a kind of file.
type word struct {
	kind  string
	words []string
}

// option is one option of a verb as shells need it.
type option struct {
	name  string // with its dashes
	usage string
	takes bool // a value follows
	value word
}

// rosArgs is where the arguments begin that are for ROS, where the help of a verb says that it takes some.
const rosArgs = "--ros-args"

// grammar is the command line of one verb.
type grammar struct {
	verb    verb
	options []option
	places  []word // of the words that are no options, in order; the last of "…" is repeated
	more    bool   // the last place is for any number of words
}

func completionVerb(e *env, args []string) int {
	f := newFlags(e, "completion", "bash|zsh|fish")
	words, code, ok := f.parse(args, 1, 1)
	if !ok {
		return code
	}
	scripts := map[string]func([]grammar) string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}
	write, ok := scripts[words[0]]
	if !ok {
		shells := []string{"bash", "zsh", "fish"}
		return e.fail(exitBadInput, "cannot complete in %q: %s", words[0], strict.Suggest(words[0], shells, "write one of "+strings.Join(shells, ", ")))
	}
	fmt.Fprint(e.out, write(grammars()))
	return exitDone
}

// grammars asks every verb for its options; what is completed is what is parsed. Options of verbs that this program was
// built without are not known to it.
func grammars() []grammar {
	var all []grammar
	for _, v := range verbs() {
		g := grammar{verb: v}
		args := v.args
		v.run(&env{in: strings.NewReader(""), out: io.Discard, err: io.Discard, asked: func(f *flags) {
			args = f.args
			f.VisitAll(func(o *flag.Flag) { g.options = append(g.options, optionOf(o)) })
		}}, nil)
		g.options = append(g.options, option{name: "--help", usage: "tell the options"})
		if strings.Contains(args, rosArgs) {
			g.options = append(g.options, option{name: rosArgs, usage: "what follows is for ROS"})
		}
		g.places, g.more = placesOf(v.name, args)
		all = append(all, g)
	}
	return all
}

func optionOf(o *flag.Flag) option {
	value, usage := describe(o)
	one := option{name: dashed(o.Name), usage: usage, takes: value != ""}
	switch {
	case strings.Contains(value, "|"):
		one.value.words = strings.Split(value, "|")
	case value == "folder":
		one.value.kind = wordFolder
	case value == "file":
		one.value.kind = wordFile
	case value == "state":
		one.value.words = states()
	}
	return one
}

// placesOf reads what the help says of the words of a verb: FILE, COMMAND, VERB, a choice a|b, NAME….
func placesOf(verb, args string) (places []word, more bool) {
	for _, part := range strings.Fields(args) {
		part = strings.Trim(part, "[]")
		name, repeated := strings.CutSuffix(part, "…")
		if strings.HasPrefix(name, "-") {
			break // what follows --ros-args is for ROS
		}
		if name == "" {
			continue
		}
		w := word{}
		switch {
		case strings.Contains(name, "|"):
			w.words = strings.Split(name, "|")
		case name == "FILE":
			w.kind = wordNetwork
		case name == "COMMAND":
			w.words = append(commands(), states()...)
		case name == "VERB":
			w.words = verbNames()
		}
		places, more = append(places, w), repeated
	}
	return places, more
}

// standard is the machine that a network has unless its file names another.
func standard() *machine.Machine {
	m, err := machine.Preset("rstate")
	if err != nil {
		panic(err) // it is part of this program, and tested
	}
	return m
}

func commands() []string {
	var names []string
	for _, t := range standard().Transitions {
		names = append(names, t.Name)
	}
	return names
}

func states() []string { return resting(standard()) }

// sentence is a text in one line, short enough for a list in a shell.
func sentence(text string) string {
	text, _, _ = strings.Cut(text, ";")
	text, _, _ = strings.Cut(text, " (default")
	return strings.Join(strings.Fields(text), " ")
}

// optionNames lists the options, or those that a value follows.
func (g grammar) optionNames(takes bool) []string {
	var names []string
	for _, o := range g.options {
		if !takes || o.takes {
			names = append(names, o.name)
		}
	}
	slices.Sort(names)
	return names
}
