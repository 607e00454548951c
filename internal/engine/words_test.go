package engine_test

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"rstate/internal/network"
	"rstate/internal/simnet"
)

// TestP1EachMessageOfTheNRPIsATrigger: each message is a change, with one of the five words of the original, and the
// original's table has an edge for it from the state in which the peers are. What no edge fits is not said there.
func TestP1EachMessageOfTheNRPIsATrigger(t *testing.T) {
	at := func(second float64, act simnet.Act) simnet.Beat {
		return when(simnet.At(time.Duration(second*float64(time.Second))), act)
	}
	send := func(second float64, command string) simnet.Beat {
		return at(second, simnet.Send{Command: command})
	}
	begins := []simnet.Beat{send(2, "initialized"), send(3, "started")}
	const life = "initialized created-paused, started paused-started"
	const required = "defaults: {on_loss: error}\npeers: {required: [/a, /b]}\n"
	slow := on("deactivate", simnet.On{Takes: time.Second})
	for _, c := range []struct {
		name, keys string
		script     simnet.Script
		tell       []simnet.Beat
		said, ends string
		alone      string // how the peer ends, if not in the same state
	}{
		{name: "a start says nothing", ends: "created"},
		{
			name: "a pause whose hook fails has been said", script: on("deactivate", simnet.On{End: simnet.Refuse}),
			tell: append(begins, send(6, "paused")),
			said: life + ", paused started-paused, failed paused-halted", ends: "halted",
		},
		{
			name: "a pause that failed interrupts has been said", script: slow,
			tell: append(begins, send(6, "paused"), send(6.5, "failed")),
			said: life + ", paused started-paused, failed paused-halted", ends: "halted",
		},
		{
			name: "a pause that is cancelled", script: slow,
			tell: append(begins, send(6, "paused"), at(6.5, simnet.Cancel{Handle: "paused"})),
			said: life + ", paused started-paused, started paused-started", ends: "started",
		},
		{
			name: "a start that is cancelled was never said", script: on("activate", simnet.On{Takes: time.Second}),
			tell: []simnet.Beat{send(2, "initialized"), send(6, "started"), at(6.5, simnet.Cancel{Handle: "started"})},
			said: "initialized created-paused", ends: "paused",
		},
		{
			name: "a reset whose hook fails has been said", script: on("cleanup", simnet.On{End: simnet.Refuse}),
			tell: append(begins, send(6, "reset")),
			said: life + ", initialized started-paused, failed paused-halted", ends: "halted",
		},
		{
			name: "an initialize whose hook fails", script: on("configure", simnet.On{End: simnet.Refuse}),
			tell: []simnet.Beat{send(2, "initialized")},
			said: "failed created-failed", ends: "failed",
		},
		{
			name: "a node is lost, and what is left goes down to created, where no trigger leads", keys: required,
			tell: append(begins, at(6, simnet.Kill{Node: "/a_arm"})), said: life, ends: "created", alone: "started",
		},
		{
			name: "a node is lost, and nothing but the hidden shutdown is left", keys: required,
			script: on("deactivate", simnet.On{End: simnet.Refuse}),
			tell:   append(begins, at(6, simnet.Kill{Node: "/a_arm"})), said: life + ", stopped started-stopped",
			ends: "stopped",
		},
		{
			name: "the end of this instance alone",
			tell: append(begins, at(6, simnet.Stop{OnExit: network.ExitShutdown})),
			said: life, ends: "stopped", alone: "started",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			one := instance{keys: "machine: nrp\n" + c.keys, plain: true}
			first := one
			first.script, first.tell = c.script, c.tell
			trace := several{mark: 5 * time.Second, all: []instance{first, one}}.run(t)
			var said []string
			for _, m := range trace.Worlds[0].Changes {
				said = append(said, m.Event+" "+m.SourceState+"-"+m.TargetState)
			}
			if got := strings.Join(said, ", "); got != c.said {
				t.Errorf("it said %q, want %q", got, c.said)
			}
			for k, want := range []string{c.ends, cmp.Or(c.alone, c.ends)} {
				states := trace.Worlds[k].States
				if got := states[len(states)-1]; got != want {
					t.Errorf("%s ends %s, want %s", trace.Names[k], got, want)
				}
			}
		})
	}
}
