//go:build ros

package ros

import (
	"fmt"
	"strings"
	"testing"

	"rstate/test/bed"
)

// TestC1ARejectedActionClientLearnsWhy: an action response has no field for the reason of a
// rejection, so the reason is on /rosout, in ~/state and, for a while, on /diagnostics. State and
// log name the client that sent the rejected goal.
func TestC1ARejectedActionClientLearnsWhy(t *testing.T) {
	r := newRobot(t, nil)
	lines := r.host.Subscribe(bed.Topic{Kind: "rcl_interfaces/msg/Log", Name: "/rosout", Latched: true})
	diagnoses := r.host.Subscribe(bed.Topic{Kind: "diagnostic_msgs/msg/DiagnosticArray", Name: "/diagnostics"})
	if r.goal("arm").Accepted {
		t.Fatal("arm was accepted in unconfigured")
	}
	const reason = "arm was rejected: arm is not legal in unconfigured (first: configure, activate); legal now: configure, shutdown"
	var refused struct {
		Refusal       string
		RefusedClient string `json:"refused_client"`
		RefusedGoal   string `json:"refused_goal"`
	}
	bed.Eventually(t, "~/state says why", func() (string, bool) {
		ok := r.states.Last(&refused) && refused.Refusal == reason && refused.RefusedClient == "an action client" &&
			len(refused.RefusedGoal) == 36
		return fmt.Sprintf("%+v", refused), ok
	})
	warned := func() (text string, yes bool) {
		var array struct {
			Status []struct {
				Name    string
				Message string
			}
		}
		_ = diagnoses.Last(&array)
		for _, s := range array.Status {
			if strings.HasPrefix(s.Name, r.name+": network") && strings.Contains(s.Message, reason) {
				yes = true
			}
		}
		return fmt.Sprintf("%+v", array), yes
	}
	bed.Eventually(t, "/diagnostics warns of the rejection", warned)
	r.do("configure", "inactive")
	bed.Eventually(t, "/diagnostics no longer warns", func() (string, bool) {
		text, yes := warned()
		return text, !yes
	})
	bed.Eventually(t, "/rosout has the refusal and the change of state, by the daemon's name", func() (string, bool) {
		var all []string
		refusal, change := false, false
		for _, m := range lines.Messages() {
			var l struct {
				Level int
				Name  string
				Msg   string
			}
			r.decode(m, &l)
			if l.Name != strings.TrimPrefix(strings.ReplaceAll(r.name, "/", "."), ".") {
				continue
			}
			all = append(all, fmt.Sprintf("%d %s", l.Level, l.Msg))
			refusal = refusal || l.Level == 30 && strings.HasPrefix(l.Msg, reason+" (asked for by an action client)")
			change = change || l.Level == 20 && strings.HasPrefix(l.Msg, "the network is inactive")
		}
		return strings.Join(all, "\n"), refusal && change
	})
}
