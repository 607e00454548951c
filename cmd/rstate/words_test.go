//go:build ros

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rstate/internal/doctor"
	"rstate/internal/term"
	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

// TestNoVerbPrintsALabelOfLifecycleMsgs: every place that prints a state prints it as words. A verb that
// prints a state in a new place belongs into the list.
func TestNoVerbPrintsALabelOfLifecycleMsgs(t *testing.T) {
	for label, want := range map[string]string{"errorprocessing": "error processing", "cleaningup": "cleaning up", "shuttingdown": "shutting down"} {
		state := rstate_msgs_msg.State{Label: label}
		s := rstate_msgs_msg.NewInstanceState()
		s.State, s.Target, s.LastFailure.Command, s.LastFailure.FromState = state, state, "disarm", state
		s.LastFailure.Outcome = rstate_msgs_msg.Failure_OUTCOME_LOWERED
		node := rstate_msgs_msg.NodeState{Name: "/lidar", Present: true, Lifecycle: true, State: state}
		peer := rstate_msgs_msg.Peer{Name: "/base", Alive: true, State: state}
		silent := rstate_msgs_msg.Peer{Name: "/base", State: state}
		silent.Age.Sec = 1
		elsewhere := *s
		elsewhere.Target.Label = "active"
		result := rstate_msgs_action.Transition_Result{State: state, Message: "x"}
		feedback := rstate_msgs_action.Transition_Feedback{State: state, Done: 1, Total: 1, Last: rstate_msgs_msg.NodeResult{Verdict: "undone", ToState: state}}
		stepped := result
		for name, print := range map[string]func(out *bytes.Buffer){
			"status":           func(out *bytes.Buffer) { printState(out, s) },
			"status, target":   func(out *bytes.Buffer) { printState(out, &elsewhere) },
			"node":             func(out *bytes.Buffer) { out.WriteString(nodeWord(node)) },
			"peer":             func(out *bytes.Buffer) { out.WriteString(peerWord(peer)) },
			"plain peer":       func(out *bytes.Buffer) { out.WriteString(peerWord(silent)) },
			"watch":            func(out *bytes.Buffer) { out.WriteString(headline(s)) },
			"last failure":     func(out *bytes.Buffer) { out.WriteString(failureLine(s)) },
			"result":           func(out *bytes.Buffer) { printResult(out, &result) },
			"send, by lines":   func(out *bytes.Buffer) { (&lines{out: out}).progress(&feedback) },
			"send, a node":     func(out *bytes.Buffer) { out.WriteString(outcome(feedback.Last)) },
			"send, on a board": func(out *bytes.Buffer) { fmt.Fprint(out, drawn(func(b *board) { b.progress(&feedback) })) },
			"step": func(out *bytes.Buffer) {
				judgeSteps(&stepped, s, 2, 1)
				out.WriteString(stepped.Message)
			},
			"sim list": func(out *bytes.Buffer) {
				printSimulations(out, "/f", &rstate_msgs_srv.ListSimulations_Response{Simulations: []rstate_msgs_msg.SimulationInfo{{State: state}}})
			},
			"peers": func(out *bytes.Buffer) {
				printCircle(out, circleOf(doctor.Circle{Instances: []doctor.Instance{{Name: "/a", Alive: true, State: label, Common: label}}}, "", nil))
			},
		} {
			var out bytes.Buffer
			print(&out)
			if got := out.String(); strings.Contains(got, label) || !strings.Contains(got, want) {
				t.Errorf("%s: %s is printed as\n%s", name, label, got)
			}
		}
	}
}

// drawn returns what a board shows, without styles.
func drawn(does func(*board)) string {
	var text strings.Builder
	for _, l := range boardLines(does) {
		text.WriteString(l.String() + "\n")
	}
	return text.String()
}

func boardLines(does func(*board)) []term.Line {
	b := makeBoard(&bytes.Buffer{})
	does(b)
	return b.lines(time.Now(), 120, 40)
}

// TestAnAbsentNodeIsSaidToBeAbsentOnce: the word of a node and its cause say different things.
func TestAnAbsentNodeIsSaidToBeAbsentOnce(t *testing.T) {
	for cause, want := range map[string]string{
		"is not there": "  /lidar  not there",
		"is not there, but /lidra is: is that one meant?": "  /lidar  not there  but /lidra is: is that one meant?",
		"is lost: its process has ended":                  "  /lidar  not there  is lost: its process has ended",
	} {
		s := rstate_msgs_msg.NewInstanceState()
		s.Nodes = []rstate_msgs_msg.NodeState{{Name: "/lidar", Lifecycle: true, Cause: cause}}
		if got := statusTable(s)[0].String(); got != want {
			t.Errorf("a node that %s: %q, want %q", cause, got, want)
		}
		s.Nodes[0].Present, s.Peers = true, []rstate_msgs_msg.Peer{{Name: "/base", Cause: cause}}
		if got := statusTable(s)[1].String(); strings.Contains(got, "is not there") {
			t.Errorf("a peer: %q", got)
		}
	}
}

// TestOnlyTheFailingCommandIsSaidToBeRolledBack: the outcome restored of a goal of several commands is of the one that
// failed. Those before it stand.
func TestOnlyTheFailingCommandIsSaidToBeRolledBack(t *testing.T) {
	for outcome, want := range map[string]string{
		"restored": "activate failed and was rolled back at ", "unconfigured": "activate failed (unconfigured) at ", "held": "activate failed (held) at ",
		"lowered": "activate from inactive, which no goal asked for at ",
	} {
		s := rstate_msgs_msg.NewInstanceState()
		s.LastFailure.Command, s.LastFailure.Outcome, s.LastFailure.FromState.Label = "activate", outcome, "inactive"
		if got := failureLine(s); !strings.HasPrefix(got, want) || strings.Contains(got, "restored") {
			t.Errorf("%s: %q, want %q", outcome, got, want)
		}
	}
	for page, want := range map[string]string{
		"docs/interfaces.md":                        "| `restored` | a command failed; the network is back in the state in which that command began. Commands of the goal before it stand. |",
		"msgs/rstate_msgs/action/Transition.action": "back in the state in which that command began. Commands of the goal\n# that had succeeded before stand.",
	} {
		text, err := os.ReadFile(filepath.Join("../..", page))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), want) {
			t.Errorf("%s does not say %q", page, want)
		}
	}
}
