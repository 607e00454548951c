package daemon

import (
	"slices"
	"testing"

	"rstate/internal/engine"
	"rstate/internal/latch"
)

// TestA12WhatAPersonWasShownIsKnown: the engine gets back the stops that it has shown over HTTP.
func TestA12WhatAPersonWasShownIsKnown(t *testing.T) {
	open := []latch.Latch{
		{Origin: "/a", Instance: "a1", Latched: 3, Why: "/estop: pressed"},
		{Origin: "/b", Instance: "b1", Latched: 1, Why: "/estop: silent"},
	}
	if got := latchesOf(stopsOf(&engine.StopsView{Open: open}).Open); !slices.Equal(got, open) {
		t.Errorf("shown: %+v", got)
	}
}
