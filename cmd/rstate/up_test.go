//go:build ros

package main

import (
	"strings"
	"testing"

	"rstate/internal/network"
)

// TestUpHints: what a person is told to write reaches this daemon, and is what this network can do.
func TestUpHints(t *testing.T) {
	for name, c := range map[string]struct {
		nodes, daemon, want string
	}{
		"as it comes":    {"{/arm: {arm: {}}}", "/rstate", "status, send active, send arm"},
		"renamed":        {"{/arm: {arm: {}}}", "/trial", "status --node /trial, send active --node /trial, send arm --node /trial"},
		"in a namespace": {"{/lidar: {}}", "/base/rstate", "status --node /base/rstate, send active --node /base/rstate"},
		"nothing to arm": {"{/lidar: {}}", "/rstate", "status, send active"},
	} {
		t.Run(name, func(t *testing.T) {
			net, err := network.Parse("test.yaml", []byte("simulation: demo\nnodes: "+c.nodes+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(hints(net, c.daemon), ", "); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}
