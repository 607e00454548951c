package main

import (
	"fmt"
	"path/filepath"

	"rstate/internal/clean"
	"rstate/internal/nav2"
	"rstate/internal/network"
	"rstate/internal/strict"
)

// fromNav2 is the one source of import.
const fromNav2 = "nav2"

func importVerb(e *env, f *options) action {
	into := f.String("to", "", "write into that `file`; without it, print")
	force := f.Bool("force", false, "replace a file that exists")
	return func(words []string) int {
		if words[0] != fromNav2 {
			return e.fail(exitBadInput, "cannot import from %q: %s", words[0],
				strict.Suggest(words[0], []string{fromNav2}, "write rstate import nav2 FILE"))
		}
		text, managers, err := imported(words[1])
		if err != nil {
			return e.fail(exitBadInput, "cannot import %q: %v", words[1], err)
		}
		if *into == "" {
			fmt.Fprint(e.out, text)
			return exitDone
		}
		if err := writeNew(*into, text, *force); err != nil {
			return e.fail(exitFailed, "cannot write %q: %v", *into, err)
		}
		fmt.Fprintf(e.out, "%s: %s of nav2; rstate check %s\n", *into, clean.Count(managers, "manager"), *into)
		return exitDone
	}
}

// imported returns the network file of a parameter file, and of how many managers it is.
func imported(file string) (text string, managers int, err error) {
	data, problem, hint := strict.ReadFile(file)
	switch {
	case problem != "":
		return "", 0, fmt.Errorf("%s; %s", problem, hint)
	case len(data) > strict.MaxBytes:
		return "", 0, fmt.Errorf("it is larger than %d bytes", strict.MaxBytes)
	}
	found, err := nav2.Managers(data)
	if err != nil {
		return "", 0, err
	}
	text = nav2.File(clean.Text(filepath.Base(file)), found...) // in a comment, which a line break would end
	if _, err := network.Parse("the network", []byte(text)); err != nil {
		return "", 0, err
	}
	return text, len(found), nil
}
