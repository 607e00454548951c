//go:build ros

package daemon

import (
	"errors"
	"strings"
	"testing"

	"rstate/internal/network"
	"rstate/internal/session"
)

// own is a machine with a state of its own that is active, and one that arms.
const own = `
simulation: x
nodes:
  /a: {}
  /b: {arm: {}}
groups: {tools: [/b]}
machine:
  name: own
  extends: rstate
  states:
    mapping: {nodes: {others: active}}
    cutting: {nodes: {others: active}, armed: [tools], disarmed: mapping}
    lost: {nodes: as_is}
    preparing: {transition: true}
  transitions:
    map: {from: [inactive, active], via: preparing, to: mapping}
    cut: {from: [mapping], via: preparing, to: cutting}
    stop_cutting: {from: [cutting], via: preparing, to: mapping}
    lose: {from: [mapping], via: preparing, to: lost, hidden: true}
    find: {from: [lost], via: preparing, to: unconfigured}
  auto: [{in: mapping, on: node_error, do: lose}]
`

func TestAutostartOfAMachineOfOnesOwn(t *testing.T) {
	net, err := network.Parse("own.yaml", []byte(own))
	if err != nil {
		t.Fatal(err)
	}
	for asked, want := range map[string]struct{ state, refused string }{
		"":             {},
		"  ":           {},
		"mapping":      {state: "mapping"},
		"Map":          {state: "mapping"},
		"clean up":     {state: "unconfigured"},
		"disarm":       {state: "active"},
		"cutting":      {refused: "arms"},
		"cut":          {refused: "arms"},
		"armed":        {refused: "arms"},
		"finalized":    {refused: "ends the network"},
		"preparing":    {refused: "neither a command nor a state of machine own; write one of"},
		"stop cutting": {state: "mapping"},
		"lost":         {refused: "is a state to which no command leads from unconfigured"},
		"lose":         {refused: "neither a command nor a state of machine own; write one of"},
	} {
		got, err := readAutostart(asked, net)
		var bad *session.BadParameter
		if got.state != want.state || errors.As(err, &bad) != (want.refused != "") {
			t.Errorf("%q: got %+v, %v; want %+v", asked, got, err, want)
		} else if err != nil && (!strings.Contains(err.Error(), want.refused) ||
			strings.Contains(err.Error(), "cutting,") || strings.Contains(err.Error(), "lost,")) {
			t.Errorf("%q: %v, want it to say %s", asked, err, want.refused)
		}
	}
}
