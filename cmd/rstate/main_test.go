package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// invoke runs a command line in this process.
func invoke(args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = dispatch(&env{in: strings.NewReader(""), out: &o, err: &e}, args)
	return code, o.String(), e.String()
}

// verbsOf returns the verbs of the command line.
func verbsOf() []*cobra.Command { return newRoot(&env{out: io.Discard, err: io.Discard}).Commands() }

func networkFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "network.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestCommandLines(t *testing.T) {
	good := networkFile(t, "simulation: demo\nnodes:\n  /a: {}\n  /b: {after: [/a]}\n")
	bad := networkFile(t, "simulation: demo\nnods: {}\n")
	for name, c := range map[string]struct {
		args []string
		code int
		out  string // is in what is printed; empty: nothing is
		errs string
	}{
		"nothing prints the usage": {nil, exitBadInput, "", "Usage:\n  rstate VERB"},
		"help":                     {[]string{"help"}, exitDone, "Usage:\n  rstate VERB", ""},
		"--help":                   {[]string{"--help"}, exitDone, "Usage:\n  rstate VERB", ""},
		"help of a verb": {[]string{"help", "check"}, exitDone,
			"Usage:\n  rstate check FILE [options]\n", ""},
		"version":                          {[]string{"version"}, exitDone, "rstate " + version + " (go", ""},
		"help of a verb that there is not": {[]string{"help", "chek"}, exitBadInput, "", "did you mean check?"},
		"help by an option":                {[]string{"plan", "--help"}, exitDone, "--from state", ""},
		"--version":                        {[]string{"--version"}, exitDone, "rstate " + version + " (go", ""},
		"an option and no verb": {[]string{"--fast"}, exitBadInput, "",
			"there is no option --fast; rstate help"},
		"a word that others use": {[]string{"lint"}, exitBadInput, "", "did you mean check?"},
		"a long one with one dash": {[]string{"history", "-folow"}, exitBadInput, "",
			"there is no option --folow; did you mean --follow?"},
		"a short option that there is not": {[]string{"check", "-x", good}, exitBadInput, "",
			"there is no option -x; rstate help check"},
		"a verb that is misspelt": {[]string{"chek", good}, exitBadInput, "", "did you mean check?"},
		"a command": {[]string{"disarm"}, exitBadInput, "",
			"; did you mean rstate send disarm?\n"},
		"a command like a verb": {[]string{"arm"}, exitBadInput, "", "; did you mean rstate send arm?\n"},
		"a state": {[]string{"Active"}, exitBadInput, "",
			"; did you mean rstate send active?\n"},
		"a command that is misspelt": {[]string{"deactivat"}, exitBadInput, "",
			"; did you mean rstate send deactivate?\n"},
		"a word that ends things": {[]string{"halt"}, exitBadInput, "",
			"; did you mean rstate send shutdown?\n"},
		"the same, a command elsewhere": {[]string{"stop"}, exitBadInput, "",
			"; did you mean rstate send shutdown, or rstate send stop with machine cle, cloe, rock or roscle?\n"},
		"help of a command": {[]string{"help", "arm"}, exitBadInput, "",
			"did you mean rstate send arm?"},
		"a verb, or a command elsewhere": {[]string{"start"}, exitBadInput, "",
			"did you mean run, or rstate send start with machine"},
		"an option before the verb": {[]string{"-o", "json", "version"}, exitDone, `"version": "` + version, ""},
		"an empty verb": {[]string{""}, exitBadInput, "",
			"there is no such verb; rstate help lists them"},
		"a verb like no other": {[]string{"xyzzyxyzzy"}, exitBadInput, "", "rstate help lists them"},
		"check of a good file": {[]string{"check", good}, exitDone,
			"simulation demo, machine rstate, 2 nodes: no faults", ""},
		"check of a file with a loop": {[]string{"check", "../../config/cloe.yaml"}, exitDone,
			"between those that are a SteppedNode", ""},
		"check of a bad file": {[]string{"check", bad}, exitBadInput, "", bad + ":2:1"},
		"check of no file": {[]string{"check", good + ".not"}, exitBadInput, "",
			"there is no such file"},
		"check without a file": {[]string{"check"}, exitBadInput, "", "FILE is missing"},
		"check of two files":   {[]string{"check", good, bad}, exitBadInput, "", "is too much"},
		"an option that there is not": {[]string{"check", "--fast", good}, exitBadInput, "",
			"there is no option --fast"},
		"a word that looks like an option": {[]string{"check", "--", "--fast"}, exitBadInput, "", "--fast"},
		"a value that is none": {[]string{"history", "--last", "x"}, exitBadInput, "",
			`--last cannot be "x": it wants a whole number; rstate help history`},
		"fewer lines than none": {[]string{"history", "--last", "-3"}, exitBadInput, "",
			"cannot show the last -3 lines: write --last with a number above 0, or 0 for all"},
		"one line less than none": {[]string{"history", "--last=-1"}, exitBadInput, "",
			"cannot show the last -1 lines"},
		"a short one without its value": {[]string{"check", "-o"}, exitBadInput, "",
			"-o wants one of table, json, yaml; rstate help check"},
		"a value of a few": {[]string{"history", "--kind", "stp"}, exitBadInput, "",
			`--kind cannot be "stp": write one of start`},
		"a value that is left out": {[]string{"history", "--since"}, exitBadInput, "",
			"--since wants a time: not older than"},
		"one of a few that is left out": {[]string{"version", "-o"}, exitBadInput, "",
			"-o wants one of table, json, yaml"},
		"no yes or no": {[]string{"history", "--all=perhaps"}, exitBadInput, "",
			`--all cannot be "perhaps": it wants true or false`},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := invoke(c.args...)
			if code != c.code || !has(out, c.out) || !has(errs, c.errs) {
				t.Errorf("rstate %s: code %d\nout: %s\nerr: %s\nwant code %d, %q, %q", strings.Join(c.args, " "), code,
					out, errs, c.code, c.out, c.errs)
			}
		})
	}
}

func has(text, part string) bool {
	if part == "" {
		return text == ""
	}
	return strings.Contains(text, part)
}

// TestOptionsAndWordsMayStandInAnyOrder: and a long option may have one dash, as in versions before cobra.
func TestOptionsAndWordsMayStandInAnyOrder(t *testing.T) {
	file := networkFile(t, "simulation: demo\nnodes:\n  /a: {}\n")
	for _, args := range [][]string{
		{file, "inactive", "--from", "active", "-o", "json"},
		{"-o", "json", "--from=active", file, "inactive"},
		{file, "-o=json", "inactive", "-from", "active"},
		{"-from=active", "-output", "json", file, "inactive"},
		{"--output=json", "-from", "active", "--", file, "inactive"},
		{"-ojson", "--from", "active", file, "--", "inactive"},
	} {
		code, out, errs := invoke(append([]string{"plan"}, args...)...)
		if code != exitDone || !strings.Contains(out, `"command": "deactivate"`) || errs != "" {
			t.Errorf("%q: code %d, %s%s", args, code, out, errs)
		}
	}
}

// TestValuesThatLookLikeOptions stay as they are written.
func TestValuesThatLookLikeOptions(t *testing.T) {
	var got []string
	known := pflag.NewFlagSet("", pflag.ContinueOnError)
	known.String("reason", "", "")
	known.StringP("output", "o", "", "")
	known.Bool("wait", false, "")
	for line, want := range map[string]string{
		"-reason -wait -wait":    "--reason -wait --wait",
		"--reason -reason -wait": "--reason -reason --wait",
		"-ojson -fast -x":        "-ojson --fast -x",
		"-o -wait -wait=false":   "-o -wait --wait=false",
		"-wait -- -wait":         "--wait -- -wait",
		"wait -x -reason=-wait":  "wait -x --reason=-wait",
	} {
		if got = longOptions(known, strings.Fields(line)); strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}

func TestROSArgumentsAreOnlyForVerbsThatTakeThem(t *testing.T) {
	if code, _, errs := invoke("check", "--ros-args", "-r", "a:=b"); code != exitBadInput ||
		!strings.Contains(errs, "there is no option --ros-args") {
		t.Errorf("%d, %s", code, errs)
	}
}

func TestSplitROS(t *testing.T) {
	for name, c := range map[string]struct{ args, own, ros string }{
		"none":        {"a b", "a b", ""},
		"to the end":  {"a --ros-args -r x:=y", "a", "--ros-args -r x:=y"},
		"ended by --": {"a --ros-args -r x:=y -- b", "a b", "--ros-args -r x:=y --"},
		"twice": {"--ros-args -p a:=1 -- f --ros-args -p b:=2", "f",
			"--ros-args -p a:=1 -- --ros-args -p b:=2"},
		"-- of our own": {"a -- b", "a -- b", ""},
	} {
		t.Run(name, func(t *testing.T) {
			own, ros := splitROS(strings.Fields(c.args))
			if strings.Join(own, " ") != c.own || strings.Join(ros, " ") != c.ros {
				t.Errorf("got %q and %q, want %q and %q", own, ros, c.own, c.ros)
			}
		})
	}
}
