//go:build ros

package rosnet

import (
	"fmt"
	"slices"
	"testing"

	"rstate/internal/engine"
	"rstate/test/bed"
)

func TestA9WhatIsOfferedIsSeen(t *testing.T) {
	host, name := bed.StartHost(t), "/"+bed.Unique(t, "driver")
	host.Node(bed.NodeSpec{Name: name})
	_, e := newWorld(t, fmt.Sprintf("  %[1]s: {unsafe: [%[1]s/open, %[1]s/cmd, %[1]s/nothing]}\n", name))
	hears[engine.NodeSeen](t, e, 1)
	if said := all[engine.UnsafeSeen](e); len(said) > 0 {
		t.Errorf("nothing is offered, and it said %v", said)
	}
	is := func(what string, want ...string) {
		t.Helper()
		bed.Eventually(t, what, func() (string, bool) {
			said := all[engine.UnsafeSeen](e)
			return fmt.Sprint(said), len(said) > 0 && slices.Equal(said[len(said)-1].Names, want)
		})
	}
	valve := host.Node(bed.NodeSpec{Name: name + "/valve", Plain: true, Check: name + "/open"})
	is("a service is seen", name+"/open")
	mover := host.Node(bed.NodeSpec{Name: name + "/mover", Plain: true, Topic: name + "/cmd", Rate: 1})
	is("a topic is seen", name+"/open", name+"/cmd")
	valve.Destroy()
	is("the service is gone", name+"/cmd")
	mover.Destroy()
	is("the topic is gone")
}

func TestA9AnActionIsSeen(t *testing.T) {
	w, _ := newWorld(t, "  /a: {}\n")
	_, e := newWorld(t, fmt.Sprintf("  /a: {unsafe: [%s/transition]}\n", w.name))
	if seen := hears[engine.UnsafeSeen](t, e, 1); !slices.Equal(seen.Names, []string{w.name + "/transition"}) {
		t.Errorf("seen: %v", seen)
	}
}
