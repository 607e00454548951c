//go:build ros

package ros

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"rstate/test/bed"
)

// rejected and succeeded are the text forms of the answers of a burst.
const (
	rejected  = "rejected"
	succeeded = "accepted, status 4"
)

// answers counts the answers that a client received to the goals of a burst.
func answers(all []bed.GoalAnswer) map[string]int {
	count := map[string]int{}
	for _, a := range all {
		switch {
		case a.Accepted == nil:
			count["no answer"]++
		case !*a.Accepted:
			count[rejected]++
		case a.Status == nil:
			count["accepted, no result"]++
		default:
			count[fmt.Sprintf("accepted, status %d", *a.Status)]++
		}
	}
	return count
}

// Every goal of a burst gets its answer, and every accepted one its result. The depth of the
// client's queue is configurable: with RSTATE_CLIENT_DEPTH=10, the default of ROS, the client
// loses answers on a busy machine.
func TestC2EveryGoalOfABurstIsAnswered(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{})
	for _, c := range []struct {
		what, command, want string
	}{
		{"goals that are rejected", "activate", rejected}, // not legal in unconfigured
		{"goals that are already satisfied", "unconfigured", succeeded},
	} {
		for _, many := range []int{40, 100} {
			t.Run(fmt.Sprintf("%d %s", many, c.what), func(t *testing.T) {
				s := s.in(t)
				goals := make([]map[string]any, many)
				for i := range goals {
					goals[i] = map[string]any{"command": c.command, "reason": fmt.Sprintf("%d of %d", i+1, many)}
				}
				got := answers(s.host.GoalBurst("rstate_msgs/action/Transition", s.Name+"/transition", goals))
				if got[c.want] != many {
					t.Errorf("%v, want %d times %q", got, many, c.want)
				}
			})
		}
	}
	s.Intact("unconfigured")
}

// Every request of a burst on ~/arm gets its answer, and the last one decides. The daemon stands still meanwhile, so all of
// them wait. A disarm is not lost behind others.
func TestC2EveryRequestOfABurstIsAnswered(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{})
	s.bring("active")
	requests := make([]map[string]any, 40)
	for i := range requests {
		requests[i] = map[string]any{"data": false}
	}
	s.host.CallBurst("std_srvs/srv/SetBool", s.Name+"/arm", requests[:1], nil) // the answer shows that both sides are matched
	s.Process.Freeze()
	t.Cleanup(s.Process.Thaw)
	time.AfterFunc(time.Second, s.Process.Thaw)
	var answers []*struct{ Success bool }
	s.host.CallBurst("std_srvs/srv/SetBool", s.Name+"/arm", requests, &answers)
	for i, answer := range answers {
		if answer == nil || !answer.Success {
			t.Errorf("the answer to request %d of %d is %+v", i+1, len(requests), answer)
		}
	}
}

// Every cancel request of a burst gets its answer, and the daemon goes on.
func TestF4EveryCancelOfABurstIsAnswered(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{})
	for _, many := range []int{10, 40, 100} {
		s.script("middle", "configure", frozen()...)
		g := s.Goal("configure")
		s.busy("middle", "configure")
		if codes := g.CancelBurst(many); codes[0] != many {
			t.Fatalf("%d requests to cancel got the return codes %v, want %d times 0", many, codes, many)
		}
		s.nodes["middle"].Thaw()
		if r := s.End(g); r.String() != "canceled canceled unconfigured" {
			t.Fatalf("after %d requests to cancel: %+v", many, r)
		}
	}
	s.Intact("unconfigured")
}

// A user who presses Ctrl-C in `ros2 action send_goal` cancels the goal. RSTATE_CTRL_C is the
// number of repetitions; 200 take some 5 minutes.
func TestF4CtrlCOfSendGoalCancels(t *testing.T) {
	t.Parallel()
	rounds := 12
	if text := os.Getenv("RSTATE_CTRL_C"); text != "" {
		var err error
		if rounds, err = strconv.Atoi(text); err != nil {
			t.Fatalf("RSTATE_CTRL_C must be a number: %v", err)
		}
	}
	slow := bed.Behaviour{Delay: time.Second} // few goals end before Ctrl-C, and such a round is repeated
	s := newStand(t, setup{scripts: map[string]map[string][]bed.Behaviour{"front": {"configure": {slow}}}})
	client := bed.Start(t, "client", "python3", "testdata/ctrl_c.py", s.Name+"/transition", strconv.Itoa(rounds))
	count := func() int { return strings.Count(client.Log(), `"seen": `) }
	for before, ended := 0, false; !ended; {
		select {
		case <-client.Done():
			ended = true
		case <-time.After(30 * time.Second):
			if count() == before {
				t.Fatalf("Ctrl-C was pressed %d times, but not in the last 30 s", before)
			}
			before = count()
		}
	}
	if code := client.Wait(t); code != 0 {
		t.Fatalf("the client ended with %d", code)
	}
	// A round whose process fails after its Ctrl-C is repeated, so there may be more rounds.
	pressed, cancelled := count(), strings.Count(client.Log(), `"seen": "cancelled"`)
	t.Logf("Ctrl-C was pressed %d times and cancelled %d goals", pressed, cancelled)
	if logged := strings.Count(s.Process.Log(), "configure is cancelled"); pressed < rounds || cancelled != pressed ||
		logged != pressed {
		t.Errorf("%d of %d times Ctrl-C cancelled the goal; the daemon logged it %d times", cancelled, pressed, logged)
	}
}
