package schedule

import (
	"flag"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"rstate/internal/network"
)

var peerSeeds = flag.Int("peerseeds", few/10, "how many schedules of several instances to run")

// TestPeers runs drawn schedules of several instances and looks for what must never be.
func TestPeers(t *testing.T) {
	var failed atomic.Int32
	workers := min(runtime.GOMAXPROCS(0), *peerSeeds)
	for k := range workers {
		t.Run(fmt.Sprintf("worker %d", k), func(t *testing.T) {
			t.Parallel()
			for seed := 1 + k; seed <= *peerSeeds && failed.Load() < 5; seed += workers {
				p := DrawPeers(uint64(seed), 0)
				if faults := p.Run().Faults; len(faults) > 0 {
					failed.Add(1)
					t.Error(p.Report(faults))
				}
			}
		})
	}
}

// TestP1OneChangePerCommand: where nothing goes wrong each command of a network's life is one change, whichever
// instance is asked for it, all follow, and nothing else is published.
func TestP1OneChangePerCommand(t *testing.T) {
	for _, n := range calm {
		seed := uint64(1)
		for !DrawPeers(seed, n).Calm {
			seed++
		}
		p := DrawPeers(seed, n)
		trace := p.Run()
		if len(trace.Faults) > 0 {
			t.Error(p.Report(trace.Faults))
		}
		for i, w := range trace.Worlds {
			if got := w.States[len(w.States)-1]; got != "finalized" {
				t.Errorf("of %d instances %s ends in %s", n, trace.Names[i], got)
			}
		}
	}
}

// TestPeersReplay: the same seed is the same networks and the same run, to the last line, whether their number was
// drawn or asked for.
func TestPeersReplay(t *testing.T) {
	before := ""
	different := false
	for seed := range uint64(replays / 5) {
		one := DrawPeers(seed, 0)
		two := DrawPeers(seed, len(one.All))
		if one.Files() != two.Files() {
			t.Fatalf("seed %d draws two kinds of networks:\n%s\n%s", seed, one.Files(), two.Files())
		}
		a, b := one.Run().String(), two.Run().String()
		if a != b {
			t.Fatalf("two runs of seed %d differ", seed)
		}
		different = different || a != before && before != ""
		before = a
	}
	if !different {
		t.Error("all seeds give the same run: nothing is drawn from the seed")
	}
}

// TestTheFilesAreTheNetworks: what is printed of each instance can be read, and says which peers it requires.
func TestTheFilesAreTheNetworks(t *testing.T) {
	for seed := range uint64(100) {
		for _, s := range DrawPeers(seed, 3).All {
			read, err := network.Parse(s.Network.File, []byte(s.File()))
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, s.File())
			}
			if got, want := fmt.Sprint(read.Peers, len(read.Nodes), read.Machine.Hash()),
				fmt.Sprint(s.Network.Peers, len(s.Network.Nodes), s.Network.Machine.Hash()); got != want {
				t.Fatalf("seed %d ran %s and prints %s", seed, want, got)
			}
		}
	}
}
