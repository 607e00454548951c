package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"rstate/internal/journal"
)

// TestReplay: a journal is played to its end, and shown at any moment of it.
func TestReplay(t *testing.T) {
	t.Setenv("ROS_HOME", t.TempDir())
	dir, j := written(t, "/rstate", morning())
	j.Close(time.Second)
	for name, c := range map[string]struct {
		args []string
		code int
		want []string // parts of the output, in this order
		not  string
	}{
		"whole": {args: nil, want: []string{"05:58:00.000  start", "/slam activate: refused", "activate aborted",
			"the network is inactive\n  /slam  inactive, activate: refused\n", "9 lines, of 8s from 2026-03-02 05:58:00\n"}},
		"from": {args: []string{"--since", "2026-03-02T05:58:06"}, want: []string{"05:58:06.000", "3 lines, of 2s"},
			not: "rstate starts"},
		"a moment": {args: []string{"--at", "2026-03-02T05:58:04"},
			want: []string{"2026-03-02 05:58:04.000  the network is activating, on the way to active\n",
				"  /slam  not seen yet, is asked to activate\n"}, not: "rstate starts"},
		"before its beginning":  {args: []string{"--at", "2026-03-02T05:57:00"}, code: exitFailed, want: []string{"begins later"}},
		"after its end":         {args: []string{"--since", "2026-03-03"}, code: exitFailed, want: []string{"ends at 2026-03-02 05:58:08"}},
		"backwards":             {args: []string{"--speed=-1"}, code: exitBadInput, want: []string{"--speed with a number above 0"}},
		"a pause below nothing": {args: []string{"--longest=-1s"}, code: exitBadInput, want: []string{"--longest with a time above 0"}},
		"both": {args: []string{"--at", "3m", "--since", "5m"}, code: exitBadInput,
			want: []string{"leave out --since or --at"}},
		"at a speed": {args: []string{"--speed", "1000000"}, want: []string{"9 lines"}},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := invoke(append([]string{"replay", "--dir", dir}, c.args...)...)
			text := out + errs
			if code != c.code || c.not != "" && strings.Contains(text, c.not) {
				t.Errorf("it ended with %d, want %d, without %q:\n%s", code, c.code, c.not, text)
			}
			for _, part := range c.want {
				_, rest, found := strings.Cut(text, part)
				if !found {
					t.Fatalf("%q is missing, or comes too early, in:\n%s%s", part, out, errs)
				}
				text = rest
			}
		})
	}
}

// TestReplayAsJSON: each line comes with the whole network at that line.
func TestReplayAsJSON(t *testing.T) {
	t.Setenv("ROS_HOME", t.TempDir())
	dir, j := written(t, "/rstate", morning())
	j.Close(time.Second)
	code, out, errs := invoke("replay", "--dir", dir, "-o", "json")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != exitDone || len(lines) != len(morning()) {
		t.Fatalf("it ended with %d and printed %d lines, want %d:\n%s%s", code, len(lines), len(morning()), out, errs)
	}
	var p journal.Picture
	if err := json.Unmarshal([]byte(lines[4]), &p); err != nil {
		t.Fatal(err)
	}
	if p.State != "activating" || p.To != "active" || len(p.Nodes) != 1 || p.Nodes[0].Asked != "activate" ||
		p.Line.Step != "activate" {
		t.Errorf("the fifth line has %+v", p)
	}
}

// TestReplayAfterTheClockWasSetBack: the time that passed stays, and a moment is the first one at that time.
func TestReplayAfterTheClockWasSetBack(t *testing.T) {
	t.Setenv("ROS_HOME", t.TempDir())
	lines := morning()
	for i := range lines[5:] {
		lines[5+i].At = lines[5+i].At.Add(-time.Hour)
	}
	dir, j := written(t, "/rstate", lines)
	j.Close(time.Second)
	if _, out, errs := invoke("replay", "--dir", dir); !strings.Contains(out, "9 lines, of 7s from") {
		t.Errorf("it took another time than 7 s:\n%s%s", out, errs)
	}
	_, out, errs := invoke("replay", "--dir", dir, "--at", "2026-03-02T05:58:03")
	if !strings.Contains(out, "05:58:03.000  the network is activating") {
		t.Errorf("05:58:03 is shown as:\n%s%s", out, errs)
	}
}

// TestReplayEndsAtTheLineThatIsShown: it is ended while it waits for the next one.
func TestReplayEndsAtTheLineThatIsShown(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out := &ending{then: cancel}
	r := &replay{env: &env{out: out, err: out}, form: asTable, speed: 1, longest: time.Hour}
	begin := time.Date(2026, 3, 2, 5, 58, 0, 0, time.Local)
	code := r.plays(ctx, []journal.Line{
		{N: 1, At: begin, Kind: journal.KindStart, State: "unknown", Sentence: "rstate starts"},
		{N: 2, At: begin.Add(time.Hour), Kind: journal.KindState, State: "active", Sentence: "the network is active"},
	})
	got := out.String()
	if code != exitDone || !strings.Contains(got, "05:58:00.000  the network is unknown\n1 line, of 0s from") {
		t.Errorf("it ended with %d and:\n%s", code, got)
	}
}

// ending is an output that ends a replay with the first line on it.
type ending struct {
	bytes.Buffer
	then func()
}

func (e *ending) Write(text []byte) (int, error) {
	e.then()
	return e.Buffer.Write(text)
}
