package simnet

import (
	"fmt"
	"testing"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/network"
)

// TestP6NothingLatchedArmsAnInstanceThatHasJustStarted: of three instances /a arms all. /b shuts down all, which /a
// mirrors, so that the arm stays the last message of /a on the lifecycle topic. /c dies before that, and starts again
// while /a ends. The nodes of /c are active, so it could follow an arm; no client asks for one.
func TestP6NothingLatchedArmsAnInstanceThatHasJustStarted(t *testing.T) {
	const runs = 200
	met, arms := 0, 0
	for seed := range uint64(runs) {
		var peers []Peer
		for _, name := range []string{"a", "b", "c"} {
			file := fmt.Sprintf("simulation: demo\nnodes: {/%[1]s_base: {}, /%[1]s_arm: {arm: {}}}\n", name)
			net, err := network.Parse(name+".yaml", []byte(file))
			if err != nil {
				t.Fatal(err)
			}
			script := Script{State: lifecycle.Active}
			if name == "a" {
				script.On = []On{{Do: "shutdown", Takes: 5 * time.Second}} // /b has ended long before
			}
			scripts := map[string]Script{"/" + name + "_base": script, "/" + name + "_arm": {State: lifecycle.Active}}
			peers = append(peers, Peer{net, Options{Seed: seed, Name: "/" + name, Scripts: scripts}})
		}
		all := NewPeers(peers, PeersOptions{Seed: seed, Rest: 3 * time.Second})
		at := func(second float64) Moment { return At(time.Duration(second * float64(time.Second))) }
		all.World(0).Tell(Beat{at(2), Send{Command: "armed"}})
		all.World(2).Tell(Beat{at(4), Crash{DownFor: 3500*time.Millisecond + time.Duration(seed)*5*time.Millisecond}})
		all.World(1).Tell(Beat{at(6), Send{Command: "shutdown"}})
		trace := all.Run()
		if len(trace.Faults) > 0 {
			t.Fatalf("seed %d: what must never be:\n%v", seed, trace)
		}
		c := trace.Worlds[2]
		if got := c.Truth(); got != "active active" || c.Last.State != "active" || c.Exit != nil {
			t.Fatalf("seed %d: the instance that started ends %s, its nodes %s:\n%v", seed, c.Last.State, got, trace)
		}
		for _, s := range c.Last.Peers.Seen {
			if s.N > 0 {
				met++
				break
			}
		}
		for _, call := range c.Calls {
			if call.Do == "arm" {
				arms++ // once, by the peer's command, before it died
			}
		}
	}
	if met < runs/2 || arms != runs {
		t.Errorf("in %d of %d runs it met the ending peer, and its node was asked to arm %d times: the story is not told", met, runs, arms)
	}
}
