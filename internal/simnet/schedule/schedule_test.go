package schedule

import (
	"flag"
	"fmt"
	"reflect"
	"runtime"
	"strings"
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
	for seed := range uint64(300) {
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

// TestEveryKindOfFaultIsDrawn: what the schedules claim to try does happen in them.
func TestEveryKindOfFaultIsDrawn(t *testing.T) {
	var told strings.Builder
	calm, modes := 0, 0
	for seed := range uint64(800) {
		s := Draw(seed)
		if s.Calm {
			calm++
		}
		if s.Network.Machine == presets.modes {
			modes++
		}
		fmt.Fprint(&told, s.Run())
	}
	for _, sign := range []string{
		" dies", " is born", "freeze ", "thaw ", "cut off ", "is joined again", "move ", "of its name)", "2 of its name)", "stall the coordinator",
		"the coordinator is killed", "stop the coordinator", "hold the clock", "move the clock", "the disk is now", "cancel ", "errorprocessing",
		"the network is armed", "the network is mapping", "disarm node", "answered call", "bears our name", "others of its name", "is a network itself", "rstate yields",
		"arming asks for authority", "although it is not armed", "disarms by itself", "check 0 of node 0 passes", "does not pass its check", "publishes at 0.3", "did not answer in", "Hz, not",
		"has not shown for", "is lost: it left 3 questions",
	} {
		if !strings.Contains(told.String(), sign) {
			t.Errorf("in 800 schedules nothing said %q", sign)
		}
	}
	if calm < 40 || modes < 40 {
		t.Errorf("%d of 800 schedules are calm, %d have modes", calm, modes)
	}
}

// TestSchedulesThatWereBroken: beyond those that TestSchedules runs, each has shown a fault of the engine once.
func TestSchedulesThatWereBroken(t *testing.T) {
	for _, seed := range []uint64{13514, 125507, 152194, 200245, 118925, 130669, 151407, 238557, 248332, 264670, 331558, 625463} {
		if trace := Draw(seed).Run(); len(trace.Faults) > 0 {
			t.Errorf("seed %d: %v", seed, trace.Faults)
		}
	}
}
