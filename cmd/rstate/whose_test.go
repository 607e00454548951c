package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"rstate/internal/host"
)

// TestC12EveryVerbSaysWhetherItActs: a new verb with --node needs a row, and those that change something never choose.
func TestC12EveryVerbSaysWhetherItActs(t *testing.T) {
	changing := []string{"send", "acknowledge", "step", "trigger", "sim", "guard"}
	var with []string
	for _, c := range verbsOf() {
		if c.Flags().Lookup("node") != nil {
			with = append(with, c.Name())
		}
		if row := uses[c.Name()]; slices.Contains(changing, c.Name()) && row != acts {
			t.Errorf("%s changes something, and has %d", c.Name(), row)
		}
	}
	slices.Sort(with)
	if listed := slices.Sorted(maps.Keys(uses)); hasROS && !slices.Equal(with, listed) {
		t.Errorf("with --node: %q, in the table: %q", with, listed)
	}
}

// TestC12WhichDaemonAVerbIsFor: a command is for the one that is named, or for /rstate. A question is for the one daemon
// on this host, and says so, if /rstate is not there and no daemon is named.
func TestC12WhichDaemonAVerbIsFor(t *testing.T) {
	const said = "/base/rstate is the one daemon on this host"
	for name, c := range map[string]struct {
		verb    string
		daemons []string
		args    []string
		named   string // in RSTATE_NODE
		want    string
	}{
		"a command":                             {verb: "send", daemons: []string{"/base/rstate"}, want: "/rstate"},
		"a command, by the option":              {verb: "send", args: []string{"--node", "/x"}, want: "/x"},
		"a command, by the environment":         {verb: "send", named: "/y", want: "/y"},
		"the option wins":                       {verb: "send", args: []string{"--node", "/x"}, named: "/y", want: "/x"},
		"a question":                            {verb: "status", daemons: []string{"/base/rstate"}, want: "/base/rstate"},
		"of two daemons":                        {verb: "status", daemons: []string{"/base/rstate", "/b"}, want: "/rstate"},
		"of /rstate":                            {verb: "status", daemons: []string{"/rstate"}, want: "/rstate"},
		"of /rstate and another":                {verb: "status", daemons: []string{"/rstate", "/base/rstate"}, want: "/rstate"},
		"a question without a daemon":           {verb: "status", want: "/rstate"},
		"by the option":                         {verb: "status", daemons: []string{"/b"}, args: []string{"--node", "/x"}, want: "/x"},
		"by the environment":                    {verb: "status", daemons: []string{"/b"}, named: "/y", want: "/y"},
		"of a daemon that is waited for":        {verb: "watch", daemons: []string{"/b"}, args: []string{"--wait"}, want: "/rstate"},
		"of a journal":                          {verb: "why", daemons: []string{"/base/rstate"}, want: "/base/rstate"},
		"of a journal whose folder is named":    {verb: "why", daemons: []string{"/b"}, args: []string{"--dir", "x"}, want: "/rstate"},
		"of a daemon in another domain":         {verb: "status", daemons: []string{"8 /b"}, want: "/rstate"},
		"a journal of /rstate, which has ended": {verb: "why", daemons: []string{"/b", "was /rstate"}, want: "/rstate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
			t.Setenv("ROS_HOME", t.TempDir())
			t.Setenv("ROS_DOMAIN_ID", "7")
			t.Setenv(nodeVariable, c.named)
			for _, daemon := range c.daemons {
				lives(t, daemon)
			}
			var errs strings.Builder
			cmd := &cobra.Command{Use: c.verb} // without ROS the verbs have no options
			own := &options{cmd.Flags(), cmd}
			daemon := own.daemon("")
			own.Bool("wait", false, "")
			own.String("dir", "", "")
			if err := cmd.ParseFlags(c.args); err != nil {
				t.Fatal(err)
			}
			own.choose(&env{err: &errs})
			if got := *daemon; got != c.want ||
				(c.want == "/base/rstate") != strings.Contains(errs.String(), said) {
				t.Errorf("it is for %s, want %s; it said %q", got, c.want, errs.String())
			}
		})
	}
}

// lives has a daemon run on this host: in domain 7, in another one, or no more.
func lives(t *testing.T, daemon string) {
	t.Helper()
	domain := uint(7)
	name, other := strings.CutPrefix(daemon, "8 ")
	if other {
		domain = 8
	}
	name, was := strings.CutPrefix(name, "was ")
	unlock, err := host.LockName(name, domain, "robot.yaml", "run 1")
	if err != nil {
		t.Fatal(err)
	}
	if !was {
		t.Cleanup(func() { _ = unlock() })
		return
	}
	if err := host.WritePlace(name, domain, "robot.yaml", t.TempDir(), host.Place{}); err != nil {
		t.Fatal(err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
}
