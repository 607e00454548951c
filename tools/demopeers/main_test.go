package main

import (
	"errors"
	"os"
	"strings"
	"testing"

	"rstate/test/bed/wire"
)

// refused stands for a system on which no user can make hosts.
func refused(uint64, ...string) (*wire.Wire, error) {
	return nil, errors.New("operation not permitted")
}

func TestWithoutHosts(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, ci  string
		args      []string
		code      int
		out, errs string // the beginning
	}{
		{"is left out", "", []string{self}, exitDone, "left out: the demo of peers", ""},
		{"is an error where nothing may be left out", "true", []string{self}, exitFailed, "",
			"demopeers: cannot make two hosts"},
		{"no program", "", nil, exitBadInput, "", "demopeers: cannot start: name one program"},
		{"a program that is not there", "", []string{"nowhere"}, exitBadInput, "", "demopeers: cannot use \"nowhere\""},
		{"a pace that is too long", "", []string{"--pace", "1h", self}, exitBadInput, "", "demopeers: cannot wait"},
		{"an option that is none", "", []string{"--fast", self}, exitBadInput, "", "flag provided"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("CI", c.ci)
			var out, errs strings.Builder
			code := run(c.args, &out, &errs, refused)
			if code != c.code || !strings.HasPrefix(out.String(), c.out) || !strings.HasPrefix(errs.String(), c.errs) ||
				(c.out == "") != (out.Len() == 0) || (c.errs == "") != (errs.Len() == 0) {
				t.Errorf("code %d, %q, %q", code, out.String(), errs.String())
			}
		})
	}
}
