package schedule

import (
	"flag"
	"fmt"
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"

	"rstate/internal/network"
)

var seeds = flag.Int("seeds", few, "how many schedules to run")

// TestSchedules runs drawn schedules and looks for what must never be.
func TestSchedules(t *testing.T) {
	var failed atomic.Int32
	workers := min(runtime.GOMAXPROCS(0), *seeds)
	for k := range workers {
		t.Run(fmt.Sprintf("worker %d", k), func(t *testing.T) {
			t.Parallel()
			for seed := 1 + k; seed <= *seeds && failed.Load() < 5; seed += workers {
				if faults := Draw(uint64(seed)).Run().Faults; len(faults) > 0 {
					failed.Add(1)
					t.Error(Report(uint64(seed), faults))
				}
			}
		})
	}
}

// TestAScheduleReplays: the same seed is the same network and the same run, to the last line.
func TestAScheduleReplays(t *testing.T) {
	different := false
	before := ""
	for seed := range uint64(replays) {
		one, two := Draw(seed), Draw(seed)
		if one.File() != two.File() {
			t.Fatalf("seed %d draws two networks:\n%s\n%s", seed, one.File(), two.File())
		}
		a, b := one.Run().String(), two.Run().String()
		if a != b {
			t.Fatalf("two runs of seed %d differ:\n%s\n%s", seed, a, b)
		}
		different = different || a != before && before != ""
		before = a
	}
	if !different {
		t.Error("all seeds give the same run: nothing is drawn from the seed")
	}
}

// TestTheFileIsTheNetwork: what is printed of a schedule is the network that it ran.
func TestTheFileIsTheNetwork(t *testing.T) {
	for seed := range uint64(200) {
		s := Draw(seed)
		read, err := network.Parse(s.Network.File, []byte(s.File()))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, s.File())
		}
		read.Machine, read.Warnings = s.Network.Machine, nil
		for i := range read.Nodes {
			if len(read.Nodes[i].After) == 0 {
				read.Nodes[i].After = nil
			}
			if len(read.Nodes[i].Unsafe) == 0 {
				read.Nodes[i].Unsafe = nil
			}
			if len(read.Nodes[i].Checks) == 0 {
				read.Nodes[i].Checks = nil
			}
		}
		if !reflect.DeepEqual(read, s.Network) {
			t.Fatalf("seed %d ran\n%+v\nand prints\n%+v\n%s", seed, s.Network, read, s.File())
		}
	}
}

// TestBroken runs the lives that have shown a fault once. Under the race detector it runs none:
// tools/simulate runs them all without it.
func TestBroken(t *testing.T) {
	peers := []bool{false, true}
	if raced { // the race detector needs too long for all; tools/simulate plays them without it
		peers = peers[:1]
	}
	for _, of := range peers {
		for _, report := range Broken(of) {
			t.Error(report)
		}
	}
}

// TestSeedsOfPeersThatBrokeARule: the same among a hundred thousand lives of several instances.
func TestSeedsOfPeersThatBrokeARule(t *testing.T) {
	for seed, was := range map[uint64]string{
		26204: "an instance that had ended by itself counted as the one that was killed before it",
		30475: "a disarm succeeded at an instance that ended, while peers were armed",
		68234: "the same",
		38636: "a network went up, and the peer that drives its node had hidden that the node is not there",
		88501: "the same",
	} {
		if faults := DrawPeers(seed, 0).Run().Faults; len(faults) > 0 {
			t.Errorf("seed %d, in which once %s: %v", seed, was, faults)
		}
	}
}

// TestSeedsThatBrokeARule: lives that were found among a million, each with what went wrong in it once.
func TestSeedsThatBrokeARule(t *testing.T) {
	for seed, was := range map[uint64]string{
		66622:  "a network stayed in error processing for ever: it waited for a node that it had passed over",
		91093:  "the same",
		82237:  "of two optional nodes that appeared together the later one got its step first",
		152396: "a node got its step again while one that comes after it went down",
		194971: "the same",
		172651: "a node whose shutdown had failed was shut down once more while one that comes after it went down",
		176057: "a node that follows the lease was armed in this simulation without one, which no such node is",
		184744: "a process that has left the graph counted, although its successor had spoken for it",
		707993: "the same, of one that follows the lease",
		371734: "a goal never ended: it waited for what an optional node would have said that appeared and went again",
		529835: "a living node counted as lost: the end of its process was believed while another one answered for it",
		566341: "nodes were armed beside a topic at a third of its rate, which was counted while the loop was late",
		839051: "an optional node that appears meanwhile is waited for, for two reads at most, which was forgotten here",
	} {
		if faults := drawUnserved(seed).Run().Faults; len(faults) > 0 {
			t.Errorf("seed %d, in which once %s: %v", seed, was, faults)
		}
	}
}
