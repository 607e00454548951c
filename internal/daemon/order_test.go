//go:build ros

package daemon

import (
	"errors"
	"testing"

	"rstate/internal/engine"
	"rstate/internal/httpapi"
)

// TestH7AnArmThatTheEngineFindsOutdated is answered as one that the server finds outdated: 409, and waiting does not help.
func TestH7AnArmThatTheEngineFindsOutdated(t *testing.T) {
	v := verdict{Rejected: &engine.RejectGoal{Why: "a disarm has come", Legal: []string{"arm"}, Outdated: true}}
	_, err := (&Daemon{}).answerOf(httpapi.Asked{Word: "arm", Arms: true}, v, nil)
	if busy := (*httpapi.Busy)(nil); !errors.As(err, &busy) || busy.Why != v.Rejected.Why || busy.Retry != 0 {
		t.Errorf("it is answered with %#v", err)
	}
}
