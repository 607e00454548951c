package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"rstate/internal/strict"
	"rstate/internal/term"
)

// flags are the options of one verb. Options and words may stand in any order, as people type them.
type flags struct {
	*flag.FlagSet
	env  *env
	args string
}

func newFlags(e *env, verb, args string) *flags {
	set := flag.NewFlagSet(verb, flag.ContinueOnError)
	set.SetOutput(io.Discard) // faults are told in our own words
	return &flags{FlagSet: set, env: e, args: args}
}

// parse returns the words, of which there must be at least and at most so many (most < 0: no bound). Where it returns
// false the verb is over, with the code.
func (f *flags) parse(args []string, least, most int) (words []string, code int, ok bool) {
	if f.env.asked != nil {
		f.env.asked(f)
		return nil, exitDone, false
	}
	for rest := args; len(rest) > 0; {
		if err := f.FlagSet.Parse(rest); err != nil {
			return nil, f.refuse(err), false
		}
		literal := len(rest) > f.NArg() && rest[len(rest)-f.NArg()-1] == "--"
		if rest = f.Args(); literal {
			words, rest = append(words, rest...), nil
		} else if len(rest) > 0 {
			words, rest = append(words, rest[0]), rest[1:]
		}
	}
	switch {
	case len(words) < least:
		return nil, f.env.fail(exitBadInput, "cannot do %q: %s is missing; rstate help %s", f.Name(), strings.Fields(f.args)[0], f.Name()), false
	case most >= 0 && len(words) > most:
		return nil, f.env.fail(exitBadInput, "cannot do %q: %q is too much; rstate help %s", f.Name(), words[most], f.Name()), false
	}
	return words, exitDone, true
}

func (f *flags) refuse(err error) int {
	if errors.Is(err, flag.ErrHelp) {
		f.help(f.env.out)
		return exitDone
	}
	text := err.Error()
	hint := "rstate help " + f.Name()
	if name, found := strings.CutPrefix(text, "flag provided but not defined: -"); found {
		name = dashed(strings.TrimPrefix(name, "-"))
		var known []string
		f.VisitAll(func(o *flag.Flag) { known = append(known, dashed(o.Name)) })
		text, hint = "there is no option "+name, strict.Suggest(name, known, hint)
	} else if name, found := strings.CutPrefix(text, "flag needs an argument: -"); found {
		text = dashed(name) + " " + f.wants(name)
	} else if m := badValue.FindStringSubmatch(text); m != nil {
		text = fmt.Sprintf("%s cannot be %s: %s", dashed(m[2]), m[1], m[3])
		if m[3] == "parse error" {
			text = fmt.Sprintf("%s cannot be %s: it %s", dashed(m[2]), m[1], f.wants(m[2]))
		}
	}
	return f.env.fail(exitBadInput, "cannot do %q: %s; %s", f.Name(), text, hint)
}

// badValue takes apart how package flag says that a value is not taken.
var badValue = regexp.MustCompile(`(?s)^invalid (?:boolean )?value (".*") for (?:flag )?-(\S+): (.*)$`)

// wants says what is to be written behind an option.
func (f *flags) wants(name string) string {
	o := f.Lookup(name)
	if o == nil {
		return "is no option"
	}
	value, usage := describe(o)
	switch get, _ := o.Value.(flag.Getter); {
	case strings.Contains(value, "|"):
		return "wants one of " + strings.ReplaceAll(value, "|", ", ")
	case get == nil:
	default:
		switch get.Get().(type) {
		case time.Duration:
			return "wants a time with its unit, like 10s or 500ms"
		case int:
			return "wants a whole number"
		case bool:
			return "wants true or false, or nothing"
		}
	}
	return fmt.Sprintf("wants a %s: %s", value, usage)
}

func (f *flags) help(out io.Writer) {
	fmt.Fprintln(out, strings.TrimSpace("usage: rstate "+f.Name()+" "+f.args))
	if i := slices.IndexFunc(verbs(), func(v verb) bool { return v.name == f.Name() }); i >= 0 {
		fmt.Fprintln(out, "\n"+verbs()[i].summary)
	}
	for i, line := range examples[f.Name()] {
		if i == 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintln(out, "  $ rstate "+line)
	}
	fmt.Fprintln(out)
	f.VisitAll(func(o *flag.Flag) {
		value, usage := describe(o)
		if o.DefValue != "" && o.DefValue != "false" && o.DefValue != "0" && o.DefValue != "0s" && o.DefValue != "-1" {
			usage += " (default " + o.DefValue + ")"
		}
		left := "  " + strings.TrimSpace(dashed(o.Name)+" "+value)
		if term.Width(left) > optionColumn {
			fmt.Fprintln(out, left)
			left = ""
		}
		fmt.Fprintf(out, "%-*s  %s\n", optionColumn, left, usage)
	})
}

// describe returns what an option takes, and what it is for.
func describe(o *flag.Flag) (value, usage string) {
	value, usage = flag.UnquoteUsage(o)
	return value, strings.TrimPrefix(usage, value+": ") // a list of values is not said twice
}

// optionColumn is how wide options are in a list of them.
const optionColumn = 28

// dashed is an option as people write it.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// oneOf adds an option that takes one of the values; the first is the default.
func (f *flags) oneOf(name, usage string, values ...string) *string {
	chosen := values[0]
	f.Func(name, fmt.Sprintf("`%s`: %s (default %s)", strings.Join(values, "|"), usage, values[0]), func(s string) error {
		if !slices.Contains(values, s) {
			return fmt.Errorf("write one of %s", strings.Join(values, ", "))
		}
		chosen = s
		return nil
	})
	return &chosen
}

// splitROS takes what follows --ros-args, up to a -- or the end, out of the arguments, in the form in which ROS reads
// it. It may occur several times.
func splitROS(args []string) (own, ros []string) {
	for inside, i := false, 0; i < len(args); i++ {
		switch {
		case args[i] == "--ros-args":
			inside = true
			ros = append(ros, args[i])
		case inside && args[i] == "--":
			inside = false
			ros = append(ros, args[i])
		case inside:
			ros = append(ros, args[i])
		default:
			own = append(own, args[i])
		}
	}
	return own, ros
}
