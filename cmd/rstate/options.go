package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rstate/internal/strict"
)

// options are the options of one verb.
type options struct {
	*pflag.FlagSet
	cmd *cobra.Command
}

// choice is the value of an option that takes one of a few words.
type choice struct {
	words []string
	value string
}

func (c *choice) String() string { return c.value }

// Type is what the help shows for the value, unless the usage names it.
func (c *choice) Type() string { return strings.Join(c.words, "|") }

func (c *choice) Set(word string) error {
	if word == "text" && slices.Contains(c.words, asTable) {
		word = asTable
	}
	if !slices.Contains(c.words, word) {
		return fmt.Errorf("write one of %s", strings.Join(c.words, ", "))
	}
	c.value = word
	return nil
}

// oneOf adds an option that takes one of the words; the first is the default.
func (f *options) oneOf(name, usage string, words ...string) *string {
	c := &choice{words, words[0]}
	f.Var(c, name, usage)
	return &c.value
}

// output adds the option -o, which is the same for all verbs; a verb may have more forms.
func (f *options) output(usage string, own ...string) *string {
	c := &choice{append([]string{asTable, asJSON, asYAML}, own...), asTable}
	f.VarP(c, "output", "o", usage)
	return &c.value
}

// words are the words of a verb that are not options, as its usage line names them.
type words struct {
	names []string // the last one may be repeated if it ends in …
	least int
}

// wordsOf reads a usage line: words in brackets may be left out.
func wordsOf(use string) words {
	var w words
	for _, name := range strings.Fields(use)[1:] {
		if !strings.HasPrefix(name, "[") {
			w.least++
		}
		w.names = append(w.names, strings.Trim(name, "[]"))
	}
	return w
}

// repeated reports whether the last word may occur more than once.
func (w words) repeated() bool {
	return len(w.names) > 0 && strings.HasSuffix(w.names[len(w.names)-1], "…")
}

// check is the cobra.PositionalArgs of a verb.
func (w words) check(c *cobra.Command, args []string) error {
	switch {
	case len(args) < w.least:
		return fmt.Errorf("cannot do %q: %s is missing; rstate help %s", c.Name(), w.names[len(args)], c.Name())
	case len(args) > len(w.names) && !w.repeated():
		return fmt.Errorf("cannot do %q: %q is too much; rstate help %s", c.Name(), args[len(w.names)], c.Name())
	}
	return nil
}

// badOption says what is wrong with an option, and what to write.
func badOption(c *cobra.Command, err error) error {
	text, hint := err.Error(), strings.TrimSpace("rstate help "+strings.TrimPrefix(c.Name(), "rstate"))
	var unknown *pflag.NotExistError
	var without *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		name := dashed(unknown.GetSpecifiedName())
		var known []string
		c.Flags().VisitAll(func(o *pflag.Flag) { known = append(known, dashed(o.Name)) })
		text, hint = "there is no option "+name, strict.Suggest(name, known, hint)
	case errors.As(err, &without):
		text = dashed(without.GetSpecifiedName()) + " " + wants(without.GetFlag())
	case errors.As(err, &invalid):
		cause := "it " + wants(invalid.GetFlag())
		if ours := errors.Unwrap(invalid); !slices.Contains(plain, invalid.GetFlag().Value.Type()) {
			cause = ours.Error()
		}
		text = fmt.Sprintf("--%s cannot be %q: %s", invalid.GetFlag().Name, invalid.GetValue(), cause)
	}
	return fmt.Errorf("cannot do %q: %s; %s", c.Name(), text, hint)
}

// plain are the types whose values pflag parses itself, with errors for programmers.
var plain = []string{"bool", "duration", "int", "uint64"}

// dashed is an option as people write it.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// wants says what is to be written after an option.
func wants(o *pflag.Flag) string {
	value, usage := pflag.UnquoteUsage(o)
	switch o.Value.Type() {
	case "duration":
		return "wants a time with its unit, like 10s or 500ms"
	case "int":
		return "wants a whole number"
	case "uint64":
		return "wants a whole number that is not negative"
	case "bool":
		return "wants true or false, or nothing"
	}
	if c, ok := o.Value.(*choice); ok {
		return "wants one of " + strings.Join(c.words, ", ")
	}
	return fmt.Sprintf("wants a %s: %s", value, usage)
}
