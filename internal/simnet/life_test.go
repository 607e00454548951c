package simnet_test

import (
	"testing"
	"time"

	"rstate/internal/network"
	"rstate/internal/simnet"
)

// demo is the network of the tests: an order, an optional node, and one that is armed.
const demo = `
simulation: demo
nodes:
  /lidar: {}
  /slam: {after: [/lidar]}
  /camera: {optional: true}
  /arm_driver: {after: [/slam], arm: {}}
`

func parse(t testing.TB, text string) *network.Network {
	t.Helper()
	net, err := network.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// whole fails the test with the run's own words where something happened that must never be.
func whole(t testing.TB, trace *simnet.Trace) {
	t.Helper()
	if len(trace.Faults) > 0 {
		t.Fatalf("the run has faults:\n%v", trace)
	}
}

func TestLifeOfANetwork(t *testing.T) {
	w := simnet.New(parse(t, demo), simnet.Options{Seed: 1})
	w.Send("configure", "activate", "arm", "disarm", "deactivate", "cleanup", "shutdown")
	trace := w.Run()
	whole(t, trace)
	want := "unconfigured configuring inactive activating active arming armed disarming active deactivating inactive " +
		"cleaningup unconfigured shuttingdown finalized"
	if got := trace.Story(); got != want {
		t.Errorf("shown: %s\n want: %s\n%v", got, want, trace)
	}
	if got, want := trace.Truth(), "finalized finalized finalized finalized"; got != want {
		t.Errorf("nodes: %s, want %s", got, want)
	}
	if trace.Exit == nil || trace.Exit.Code != 0 {
		t.Errorf("exit: %v", trace.Exit)
	}
	t.Log(trace.Work())
}

// The same seed is the same run, to the last line.
func TestARunReplays(t *testing.T) {
	run := func(seed uint64) string {
		w := simnet.New(parse(t, demo), simnet.Options{Seed: seed,
			Noise: simnet.Noise{Answer: 0.2, Event: 0.2, Slow: 0.1}})
		w.Send("configure", "activate", "arm", "shutdown")
		return w.Run().String()
	}
	if run(7) != run(7) {
		t.Error("two runs of one seed differ")
	}
	if run(7) == run(8) {
		t.Error("two seeds give the same run: nothing is drawn from the seed")
	}
}

// TestA8NothingIsHeardBeforeAGapIsTold: wherever in what it wishes the coordinator is stopped, it goes on with the rest
// and then hears of the gap, and of nothing before. Else the first count of a topic came in between, and a node of
// which nothing was heard for a minute was late, and was shut down.
func TestA8NothingIsHeardBeforeAGapIsTold(t *testing.T) {
	net := parse(t, `
simulation: demo
nodes:
  /lidar: {checks: [{topic: /scan, rate: 10Hz}]}
`)
	for at := range 40 {
		w := simnet.New(net, simnet.Options{Seed: 1, StallAt: at + 1, StallFor: time.Minute})
		w.Send("active")
		whole(t, w.Run())
	}
}
