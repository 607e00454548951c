//go:build ros

package rosnet

import (
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"rstate/internal/engine"
)

// TestA7WhatStaysArmedIsSaidAtEachArm: in the log when it is asked to arm, in ~/state as long as it may be armed, and of
// nobody who disarms by itself.
func TestA7WhatStaysArmedIsSaidAtEachArm(t *testing.T) {
	w, _ := newWorld(t, "  /bare: {arm: {dead_man: none}}\n  /leased: {arm: {dead_man: lease}}\n")
	core, said := observer.New(zap.WarnLevel)
	w.log = zap.New(core)
	for call := uint64(1); call <= 2; call++ {
		for node := range 2 {
			w.Carry(engine.ArmNode{Node: node, Call: call, Arm: true})
			w.Carry(engine.ArmNode{Node: node, Call: call, Arm: false})
		}
	}
	found := 0
	for _, entry := range said.All() {
		if strings.Contains(entry.Message, "stays armed if rstate dies") {
			found++
			if !strings.HasPrefix(entry.Message, "/bare ") {
				t.Errorf("said of the wrong one: %s", entry.Message)
			}
		}
	}
	if found != 2 {
		t.Errorf("it was said %d times in two armings: %v", found, said.All())
	}
	for _, c := range []struct {
		bare engine.ArmBelief
		want int
	}{{engine.Disarmed, 0}, {engine.MayBeArmed, 1}, {engine.IsArmed, 1}} {
		list := w.describe(engine.Snapshot{Warnings: []string{"something else"}, Nodes: []engine.NodeView{
			{Name: "/bare", Armed: c.bare}, {Name: "/leased", Armed: engine.IsArmed}}}, time.Now()).Warnings
		if len(list) != 1+c.want || list[0] != "something else" || c.want > 0 && list[1] != staysArmedText("/bare") {
			t.Errorf("%v: the warnings are %q", c.bare, list)
		}
	}
}
