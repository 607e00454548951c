//go:build ros

package rosnet

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine/guards"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// TestA13OnlyWhatAGuardHeardOfThisRunCounts: it may have heard other runs too.
func TestA13OnlyWhatAGuardHeardOfThisRunCounts(t *testing.T) {
	heard := func(instance string, term, seq uint64) rstate_msgs_msg.HeardLease {
		return rstate_msgs_msg.HeardLease{InstanceId: instance, Term: term, Seq: seq}
	}
	m := &rstate_msgs_msg.GuardStatus{
		Hears: []rstate_msgs_msg.HeardLease{heard("old", 3, 9), heard("own", 0, 0), heard("own", 1, 7), heard("own", 9, 1)},
		Calls: []rstate_msgs_msg.GuardCall{{Service: "/a/arm"}, {Service: "/b/arm", Fault: "no server"},
			{Service: "/" + strings.Repeat("x", longestName)}},
	}
	word := guardWord(guards.Word{ID: "g"}, m, "own")
	if got := fmt.Sprint(word); got != "{g  true [{1 7} {9 1}] [{/a/arm } {/b/arm no server}]}" {
		t.Error(got)
	}
	if word = guardWord(guards.Word{ID: "g"}, m, "next"); word.Follows || len(word.Heard) > 0 {
		t.Errorf("it follows a run that it has not heard: %v", word)
	}
	for range 2 * mostHeard {
		m.Hears = append(m.Hears, heard("own", 1, 1))
	}
	for range 2 * mostCalls {
		m.Calls = append(m.Calls, rstate_msgs_msg.GuardCall{Service: "/a/arm"})
	}
	if word = guardWord(guards.Word{}, m, "own"); len(word.Heard) > mostHeard || len(word.Calls) > mostCalls {
		t.Errorf("%d heard, %d calls", len(word.Heard), len(word.Calls))
	}
}

// TestA13AFloodOfGuardsIsNotRead: some messages of each in a second, and some guards.
func TestA13AFloodOfGuardsIsNotRead(t *testing.T) {
	var r guardRooms
	now := time.Now()
	read := 0
	for range 10 * guardWords {
		if r.take("g", now) {
			read++
		}
	}
	if read != guardWords {
		t.Errorf("%d messages of one guard are read", read)
	}
	read = 0
	for k := range 100 * guards.Most {
		if r.take(fmt.Sprint(k), now) {
			read++
		}
	}
	if read >= 4*guards.Most || len(r.count) > 4*guards.Most {
		t.Errorf("%d of many guards are read, %d counted", read, len(r.count))
	}
	if !r.take("g", now.Add(time.Second)) {
		t.Error("not read a second later")
	}
}
