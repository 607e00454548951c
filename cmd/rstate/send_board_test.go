//go:build ros

package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"rstate/internal/term"
	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
	"rstate/test/bed"
	"rstate/test/bed/tty"
)

// toldOf returns a feedback: the state, the counts, and a node with its step, verdict and evidence.
func toldOf(label string, done, total uint32, node, step, verdict,
	evidence string) *rstate_msgs_action.Transition_Feedback {
	f := &rstate_msgs_action.Transition_Feedback{Done: done, Total: total}
	f.State.Label = label
	f.Last = rstate_msgs_msg.NodeResult{Name: node, Step: step, Verdict: verdict, Evidence: evidence}
	f.Last.ToState.Label = "inactive"
	return f
}

func lineOf(lines []term.Line, word string) term.Line {
	for _, l := range lines {
		if strings.Contains(l.String(), word) {
			return l
		}
	}
	return nil
}

// TestF1TheBoardShowsWhichNodeFailed: the rollback finds the node that refused in its place already. The
// last frame still shows what it did, in red, and the phase that failed is red too.
func TestF1TheBoardShowsWhichNodeFailed(t *testing.T) {
	refused := func(b *board) {
		b.progress(toldOf("activating", 1, 2, "/camera", "activate", "done", "active in 0.2 s"))
		b.progress(toldOf("activating", 2, 2, "/slam", "activate", "refused",
			"answered no to activate; it is still inactive"))
	}
	for name, c := range map[string]struct {
		then func(*board)
		want string
	}{
		"it is where the rollback wants it": {func(b *board) {
			b.progress(toldOf("errorprocessing", 1, 2, "/slam", "", "undone", "was already inactive"))
			b.progress(toldOf("errorprocessing", 2, 2, "/camera", "deactivate", "undone", "inactive in 0.2 s"))
		}, "activate refused: answered no to activate; it is still inactive"},
		"it is rolled back too": {func(b *board) {
			b.progress(toldOf("errorprocessing", 1, 2, "/slam", "cleanup", "undone", "unconfigured in 0.2 s"))
		}, "activate refused: answered no to activate; it is still inactive; rolled back (cleanup)"},
		"the result overtakes the feedback": {func(b *board) {
			b.result(&rstate_msgs_action.Transition_Result{Nodes: []rstate_msgs_msg.NodeResult{toldOf("", 0, 0, "/slam",
				"activate", "refused", "answered no to activate; it is still inactive").Last}})
		}, "activate refused: answered no to activate; it is still inactive"},
	} {
		t.Run(name, func(t *testing.T) {
			lines := boardLines(func(b *board) { refused(b); c.then(b) })
			row := lineOf(lines, "/slam")
			if !strings.HasSuffix(row.String(), "  "+c.want) || row[0].Style != term.Red {
				t.Errorf("the failing node: %q", row)
			}
			if phase := lineOf(lines, "activating"); phase[0].Style != term.Red {
				t.Errorf("the phase that failed: %q", phase)
			}
			if row := lineOf(lines, "/camera"); row[0].Style == term.Red {
				t.Errorf("the other node: %q", row)
			}
		})
	}
}

// TestC1NoTableForARejectedCommand: what runs while the goal is not accepted is the command of another
// client.
func TestC1NoTableForARejectedCommand(t *testing.T) {
	configuring := rstate_msgs_msg.NewInstanceState()
	configuring.State.Label, configuring.Progress.Total, configuring.Progress.GoalId = "configuring", 2, "of another"
	configuring.Nodes = []rstate_msgs_msg.NodeState{{Name: "/lidar", Running: "configure"}}
	ours := *configuring
	ours.State.Label, ours.Progress.GoalId = "activating", "ours"
	if got := drawn(func(b *board) { b.state(configuring) }); got != "" {
		t.Errorf("a command that was rejected has a table:\n%s", got)
	}
	got := drawn(func(b *board) { b.state(configuring); b.taken("ours"); b.state(configuring); b.state(&ours) })
	if strings.Contains(got, "configuring") || !strings.Contains(got, "activating") {
		t.Errorf("a command that was accepted:\n%s", got)
	}
	early := drawn(func(b *board) { b.state(configuring); b.state(&ours); b.taken("ours") })
	if strings.Contains(early, "configuring") || !strings.Contains(early, "activating") {
		t.Errorf("a command whose first state comes before the answer that it is accepted:\n%s", early)
	}
	overtaken := drawn(func(b *board) {
		b.taken("ours")
		b.state(&ours)
		b.progress(toldOf("configuring", 1, 1, "/lidar", "configure", "done", "inactive in 0.2 s"))
	})
	if before, after, ok := strings.Cut(overtaken, "configuring"); !ok || strings.Contains(before, "activating") ||
		!strings.Contains(after, "activating") {
		t.Errorf("a phase whose state comes before the feedback of the phase before:\n%s", overtaken)
	}
	joined := drawn(func(b *board) {
		b.taken("ours")
		b.goal.at = b.goal.at.Add(-time.Second)
		b.state(configuring)
	})
	if !strings.Contains(joined, "configuring") {
		t.Errorf("a command that has joined another:\n%s", joined)
	}
}

// TestF2TheWaitsOfARollbackAreShown: a board shows them as they are, and lines tell each once.
func TestF2TheWaitsOfARollbackAreShown(t *testing.T) {
	waiting := func(texts ...string) *rstate_msgs_msg.InstanceState {
		s := rstate_msgs_msg.NewInstanceState()
		s.State.Label, s.Progress.Total, s.Progress.GoalId, s.Progress.WaitingFor = "errorprocessing", 2, "ours", texts
		return s
	}
	const slam, lidar = "/slam: a sign of life, ", "/lidar: answer to activate, "
	shown := []*rstate_msgs_msg.InstanceState{waiting(slam + "21 s left"), waiting(slam+"20 s left", lidar+"3 s left"),
		waiting(slam + "19 s left")}
	var out bytes.Buffer
	byLines := &lines{out: &out}
	byLines.state(shown[0])
	byLines.taken("ours")
	for _, s := range shown {
		byLines.state(s)
	}
	if want := "  waiting: " + slam + "21 s left\n  waiting: " + lidar + "3 s left\n"; out.String() != want {
		t.Errorf("by lines:\n%s\nwant\n%s", out.String(), want)
	}
	out.Reset()
	early := &lines{out: &out}
	early.state(shown[0])
	early.taken("ours")
	if want := "  waiting: " + slam + "21 s left\n"; out.String() != want {
		t.Errorf("before the answer that the command is accepted:\n%s\nwant\n%s", out.String(), want)
	}
	got := drawn(func(b *board) {
		b.taken("ours")
		for _, s := range shown {
			b.state(s)
		}
	})
	if !strings.Contains(got, "waiting: "+slam+"19 s left\n") || strings.Contains(got, lidar) {
		t.Errorf("on a board:\n%s", got)
	}
}

// TestColoursOnATerminalOnly: what failed is red on a terminal. NO_COLOR and a pipe get the same text
// without styles.
func TestColoursOnATerminalOnly(t *testing.T) {
	s := rstate_msgs_msg.NewInstanceState()
	s.Name, s.State.Label, s.Target.Label, s.Settled = "/rstate", "active", "active", true
	s.Nodes = []rstate_msgs_msg.NodeState{{Name: "/lidar", Present: true, Lifecycle: true, Cause: "is lost"}}
	s.LastFailure.Command, s.LastFailure.Cause = "activate", "x"
	result := rstate_msgs_action.Transition_Result{Message: "activate failed",
		Nodes: []rstate_msgs_msg.NodeResult{{Name: "/slam", Verdict: "refused"}}}
	prints := func(out io.Writer) {
		printState(out, s)
		printResult(out, &result)
		(&env{err: out}).fail(exitRejected, "cannot activate")
	}
	var plain bytes.Buffer
	prints(&plain)
	if strings.Contains(plain.String(), "\x1b") {
		t.Errorf("a pipe gets %q", plain.String())
	}
	for _, noColor := range []string{"", "1"} {
		all := onDevice(t, noColor, prints)
		for _, red := range []string{"active, not intact", "  /lidar    is lost", "last failure: ", "activate failed",
			"  /slam: refused", "rstate: cannot activate"} {
			if has := strings.Contains(all, "\x1b[31m"+red); has != (noColor == "") {
				t.Errorf("NO_COLOR=%q: %q is red: %v\n%q", noColor, red, has, all)
			}
		}
	}
}

// onDevice returns everything that a program writes to a terminal.
func onDevice(t *testing.T, noColor string, prints func(io.Writer)) string {
	t.Helper()
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", noColor)
	keyboard, device, err := tty.Open(100, 40)
	if err != nil {
		t.Fatal(err)
	}
	screen, copied := tty.NewScreen(100, 40), make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(screen, keyboard) // ends with an error when the device is closed
	}()
	t.Cleanup(func() { device.Close(); keyboard.Close(); <-copied })
	prints(device)
	const end = "(the end)"
	_, _ = io.WriteString(device, end)
	bed.Eventually(t, "the terminal shows what was written", func() (string, bool) {
		return screen.String(), strings.Contains(screen.All(), end)
	})
	return screen.All()
}
