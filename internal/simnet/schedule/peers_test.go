package schedule

import (
	"flag"
	"fmt"
	"runtime"
	"strings"
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

// TestPeersReplay: the same seed is the same networks and the same run, to the last line, whether their number was drawn
// or asked for.
func TestPeersReplay(t *testing.T) {
	before := ""
	different := false
	for seed := range uint64(60) {
		one := DrawPeers(seed, 0)
		two := DrawPeers(seed, len(one.All))
		if one.File() != two.File() {
			t.Fatalf("seed %d draws two kinds of networks:\n%s\n%s", seed, one.File(), two.File())
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

// TestTheFilesAreTheNetworks: what is printed of each instance can be read, and says whom it requires.
func TestTheFilesAreTheNetworks(t *testing.T) {
	for seed := range uint64(100) {
		for _, s := range DrawPeers(seed, 3).All {
			read, err := network.Parse(s.Network.File, []byte(s.File()))
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, s.File())
			}
			if got, want := fmt.Sprint(read.Peers, len(read.Nodes), read.Machine.Hash()), fmt.Sprint(s.Network.Peers, len(s.Network.Nodes), s.Network.Machine.Hash()); got != want {
				t.Fatalf("seed %d ran %s and prints %s", seed, want, got)
			}
		}
	}
}

// TestEveryKindOfMeetingIsDrawn: what the schedules claim to try does happen in them.
func TestEveryKindOfMeetingIsDrawn(t *testing.T) {
	signs := []string{
		"cut the instances into sides", "join all instances", "is lost: it is cut off", "is lost: it has left", "is lost: it does not renew",
		"while this process stood still", "the coordinator is killed", "the coordinator starts again", "stop the coordinator", "stall the coordinator",
		"mirrored from", "catching up with", "both take the lower", "peers behind", "superseded by", "errorprocessing", "the network is armed",
		"follows another machine", "speaks without an instance id", "/plain says", "required peers: ", "is driven by", "the network is mapping", "finalized",
	}
	seen := map[string]bool{}
	sizes, calm := map[int]int{}, 0
	for seed := uint64(0); seed < 1500 && (len(seen) < len(signs) || seed < 200); seed++ {
		p := DrawPeers(seed, 0)
		sizes[len(p.All)]++
		if p.Calm {
			calm++
		}
		if len(p.All) > 3 {
			continue // they say the same, in more lines
		}
		told := p.Run().String()
		for _, sign := range signs {
			if strings.Contains(told, sign) {
				seen[sign] = true
			}
		}
	}
	for _, sign := range signs {
		if !seen[sign] {
			t.Errorf("nothing ever said %q", sign)
		}
	}
	for _, n := range []int{2, 3, 5, 10} {
		if sizes[n] == 0 {
			t.Errorf("no schedule has %d instances: %v", n, sizes)
		}
	}
	if calm == 0 {
		t.Error("no schedule is calm")
	}
}

// TestPeersThatWereBroken: beyond those that TestPeers runs, each has shown a fault of the engine once.
func TestPeersThatWereBroken(t *testing.T) {
	for _, seed := range []uint64{30, 45, 332, 430, 1903, 2632} {
		p := DrawPeers(seed, 0)
		if trace := p.Run(); len(trace.Faults) > 0 {
			t.Error(p.Report(trace.Faults))
		}
	}
}
