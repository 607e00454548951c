//go:build ros

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"rstate/test/bed"
)

// separately runs a command line to its end and keeps what it prints and what it says beside apart.
func separately(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	timely(t, args, func() (int, string) {
		var o, e bytes.Buffer
		cmd := exec.Command(os.Args[0], args...)
		cmd.Env = append(os.Environ(), beRstate+"=1")
		cmd.Stdout, cmd.Stderr = &o, &e
		err := cmd.Run()
		if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		code, out, errs = cmd.ProcessState.ExitCode(), o.String(), e.String()
		return code, out + errs
	})
	return code, out, errs
}

// TestC1SendAnswersOnceForEveryCode: a program that reads stdout gets one value, whatever the code.
func TestC1SendAnswersOnceForEveryCode(t *testing.T) {
	name, _ := startNetwork(t, "--fail", "activate")
	nobody := bed.Unique(t, "nobody")
	for _, c := range []struct {
		args    []string
		code    int
		outcome string
		message string
	}{
		{[]string{"configure", "--node", name}, exitDone, "done", "the network is inactive"},
		{[]string{"activate", "--node", name}, exitFailed, "restored", "answered no to activate"},
		{[]string{"arm", "--node", name}, exitRejected, "rejected", "arm was rejected"},
		{[]string{"configure", "--node", nobody, "--timeout", "1s"}, exitNoROS, "no_daemon", nobody},
		{[]string{"arm", "--node", name, "--authority-file", "/nowhere"}, exitBadInput, "bad_input",
			"cannot read the authority"},
	} {
		for _, form := range []string{"json", "yaml"} {
			if form == "yaml" && c.code <= exitFailed {
				continue // it would run a second time
			}
			code, out, errs := separately(t, append([]string{"send", "-o", form}, c.args...)...)
			var got struct {
				Success bool
				Outcome string
				Message string
				Legal   []string
			}
			err := json.Unmarshal([]byte(out), &got)
			if form == "yaml" {
				err = yaml.Unmarshal([]byte(out), &got)
			}
			if err != nil || code != c.code || got.Success != (code == exitDone) || got.Outcome != c.outcome ||
				!strings.Contains(got.Message, c.message) {
				t.Errorf("send %v as %s: code %d, %v, answer %+v\nprinted: %s\nsaid: %s", c.args, form, code, err, got,
					out, errs)
			}
			if c.code == exitRejected && !strings.Contains(strings.Join(got.Legal, " "), "cleanup") {
				t.Errorf("legal instead: %v", got.Legal)
			}
		}
	}
}

// TestF8StatusShowsTheLastFailureAndWhoAsked: a failed activate does not look healthy, and status points to rstate why.
func TestF8StatusShowsTheLastFailureAndWhoAsked(t *testing.T) {
	name, _ := startNetwork(t, "--fail", "activate")
	w := rstate(t, "watch", "--node", name)
	says(t, w, "unconfigured")
	do(t, exitDone, "send", "configure", "--node", name)
	do(t, exitFailed, "send", "activate", "--node", name, "--reason", "morning\x1b[2J run")
	says(t, w, "failure: activate failed and was rolled back at ")
	said := do(t, exitDone, "status", "--node", name)
	host, _ := os.Hostname()
	for _, part := range []string{"last failure: activate failed and was rolled back at ", "asked for by ",
		"@" + host + " (rstate, process ", "answered no to activate", "rstate why says more"} {
		if !strings.Contains(said, part) {
			t.Errorf("status does not say %q:\n%s", part, said)
		}
	}
	var state struct {
		LastFailure struct {
			Command, Client, Outcome, Cause string
			FromState                       struct{ Label string } `json:"from_state"`
		} `json:"last_failure"`
	}
	_, out, _ := separately(t, "status", "--node", name, "-o", "json")
	if err := json.Unmarshal([]byte(out), &state); err != nil || state.LastFailure.Command != "activate" ||
		state.LastFailure.FromState.Label != "inactive" ||
		!strings.Contains(state.LastFailure.Client, "@"+host) {
		t.Errorf("status as JSON: %v, %+v", err, state)
	}
	history := do(t, exitDone, "history", "--node", name, "-o", "json")
	if !strings.Contains(history, `"client":"`) || !strings.Contains(history, "@"+host+" (rstate, process ") ||
		!strings.Contains(history, "morning�[2J run") {
		t.Errorf("the history does not name the client:\n%s", history)
	}
	do(t, exitRejected, "send", "arm", "--node", name)
	if said := do(t, exitDone, "status", "--node", name); !strings.Contains(said, "last refused: arm was rejected") ||
		strings.Count(said, "@"+host) != 2 {
		t.Errorf("status does not name the client that was refused:\n%s", said)
	}
	do(t, exitDone, "send", "cleanup", "--node", name)
	if said := do(t, exitDone, "status", "--node", name); strings.Contains(said, "last failure") {
		t.Errorf("the failure is shown after a command that succeeded:\n%s", said)
	}
}

// TestA6StatusShowsTheAgesOfProofAndLease: while the network is armed.
func TestA6StatusShowsTheAgesOfProofAndLease(t *testing.T) {
	name, _ := startNetwork(t)
	if said := do(t, exitDone, "status", "--node", name); strings.Contains(said, "lease") {
		t.Errorf("status of a network that is not armed:\n%s", said)
	}
	do(t, exitDone, "send", "active", "--node", name)
	do(t, exitDone, "send", "arm", "--node", name)
	said := staysArmed(t, name, "armed")
	for _, part := range []string{"arm lease ", " renewed ", "ends in ", "oldest proof ", "armed, proof "} {
		if !strings.Contains(said, part) {
			t.Errorf("status does not say %q:\n%s", part, said)
		}
	}
}

// TestWatchRefusesAStateThatTheMachineDoesNotHave: such a wait would never end.
func TestWatchRefusesAStateThatTheMachineDoesNotHave(t *testing.T) {
	name, _ := startNetwork(t)
	for until, want := range map[string]string{
		"nowhere":    "write one of finalized, unconfigured, ",
		"actve":      "did you mean active?",
		"activate":   "activate is a command; write the state to which it leads, active",
		"activating": "no network of machine rstate rests in it",
	} {
		if said := do(t, exitBadInput, "watch", "--node", name, "--until", until, "--for",
			"20s"); !strings.Contains(said, want) {
			t.Errorf("watch --until %s does not say %q:\n%s", until, want, said)
		}
	}
	do(t, exitDone, "watch", "--node", name, "--until", "Unconfigured", "--for", "20s")
}

// TestSendHasOneTableAfterAResize: a window that was made narrower shows one table, and one count for each part.
func TestSendHasOneTableAfterAResize(t *testing.T) {
	name, daemon := startNetwork(t, "--configure-delay", "3s")
	var p *bed.Terminal
	unlessItStands(t, daemon, func(still func() bool) (wrong string) {
		comesToSay(t, exitDone, nil, "send", "unconfigured", "--node", name)
		p = onTerminal(t, 80, 20, "send", "configure", "--node", name)
		if !showed(t, p, still, "configure …") {
			return "it has not shown what runs:\n" + p.Screen.String()
		}
		p.Resize(50, 20)
		return endsWith(t, p, exitDone)
	})
	shows(t, p, "configuring", "2 of 2")
	if seen := p.Screen.String(); strings.Count(seen, "configuring") != 1 {
		t.Errorf("there is a copy of the table:\n%s", seen)
	}
}

// TestC2CountsOfASendAgree: no part of a goal has two totals.
func TestC2CountsOfASendAgree(t *testing.T) {
	name, _ := startNetwork(t)
	said := do(t, exitDone, "send", "armed", "--node", name)
	part, totals := "", map[string]string{}
	for line := range strings.Lines(said) {
		var done, total int
		if !strings.HasPrefix(line, "  ") {
			part = strings.TrimSpace(line)
		} else if i := strings.LastIndex(line, "("); i >= 0 {
			if n, _ := fmt.Sscanf(line[i:], "(%d of %d)", &done, &total); n == 2 {
				if was, ok := totals[part]; ok && was != fmt.Sprint(total) {
					t.Errorf("%s has a total of %s and of %d:\n%s", part, was, total, said)
				}
				totals[part] = fmt.Sprint(total)
			}
		}
	}
	if totals["arming"] != "2" {
		t.Errorf("totals %v:\n%s", totals, said)
	}
}
