package daemon

import (
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/httpapi"
	"rstate/internal/machine"
	"rstate/internal/network"
	"rstate/internal/simnet"
)

const robot = `
simulation: robot
nodes:
  /lidar: {}
  /wheels: {after: [/lidar], arm: {}}
  /lamp: {optional: true}
`

// TestViewOverHTTP: what clients see of a life, from the first state to armed and a loss.
func TestViewOverHTTP(t *testing.T) {
	net, err := network.Parse("robot.yaml", []byte(robot))
	if err != nil {
		t.Fatal(err)
	}
	slow := simnet.Script{On: []simnet.On{{Do: "configure", Takes: time.Second}}}
	world := simnet.New(net, simnet.Options{Seed: 1, Scripts: map[string]simnet.Script{"/lidar": slow}})
	w := whose{net: net, name: "/rstate", instance: "run", version: "1", owner: "me"}
	view := func() httpapi.Simulation {
		s := world.Now()
		return w.simulation(&s, time.Now())
	}
	world.Pass(3 * time.Second)
	v := view()
	if v.ID != "robot" || v.Name != "/rstate" || v.Run != "run" || v.Machine != "rstate" || v.State != "unconfigured" ||
		!v.Settled || !v.Intact || v.Owner != "me" || v.Progress != nil {
		t.Errorf("at first it is %+v", v.Summary)
	}
	if c := v.Commands; len(c) != 2 || c[0].Name != "configure" || c[0].To != "inactive" || c[0].Arms ||
		c[0].Role != "configure" {
		t.Errorf("the commands are %+v", c)
	}

	world.Do(simnet.Send{Command: "configure"})
	world.Pass(500 * time.Millisecond)
	v = view()
	if v.Settled || v.Target != "inactive" || v.Progress == nil || v.Progress.Command != "configure" ||
		v.Progress.Done != 1 || v.Progress.Total != 3 || v.Progress.TimeLeft == nil {
		t.Errorf("on the way it is %+v with %+v", v.Summary, v.Progress)
	}
	if n := v.Nodes[0]; n.Running != "configure" || n.TimeLeft == nil || n.Expected != "inactive" {
		t.Errorf("/lidar is %+v", n)
	}

	world.Pass(2 * time.Second)
	for _, command := range []string{"activate", "arm"} {
		world.Do(simnet.Send{Command: command})
		world.Pass(2 * time.Second)
	}
	v = view()
	if v.State != "armed" || v.Lease == nil || v.Lease.Term == 0 || strings.Join(v.MayBeArmed, " ") != "/wheels" ||
		!v.Nodes[1].Armed || !v.Nodes[1].Armable || v.Nodes[1].DeadMan != "lease" {
		t.Errorf("armed it is %+v", v)
	}

	world.Do(simnet.Kill{Node: "/lidar"})
	world.Pass(3 * time.Second)
	world.Do(simnet.Send{Command: "configure", Handle: "again"})
	world.Pass(time.Second)
	v = view()
	if v.Intact || len(v.Deviations) != 1 || v.Deviations[0].Name != "/lidar" || v.Deviations[0].Found != "lost" ||
		v.Lease != nil || v.Refusal == nil {
		t.Errorf("after a loss it is %+v, with %+v", v.Summary, v.Deviations)
	}
	w.ended = true
	if v = view(); !v.Ended || len(v.Commands) > 0 {
		t.Errorf("one that has ended offers %+v", v.Commands)
	}
}

// TestH11EveryCommandSaysWhyNot: clients are shown each command, always in the same order, and why it is not legal now.
func TestH11EveryCommandSaysWhyNot(t *testing.T) {
	net, err := network.Parse("robot.yaml", []byte(robot))
	if err != nil {
		t.Fatal(err)
	}
	slow := simnet.Script{On: []simnet.On{{Do: "configure", Takes: time.Second}}}
	world := simnet.New(net, simnet.Options{Seed: 1, Scripts: map[string]simnet.Script{"/lidar": slow}})
	w := whose{net: net, name: "/rstate"}
	check := func(when, want string) {
		t.Helper()
		s := world.Now()
		var list []string
		for _, c := range w.simulation(&s, time.Now()).AllCommands {
			if c.Ends != (c.Name == "shutdown") || c.To == "" {
				t.Errorf("%s: %+v", when, c)
			}
			list = append(list, c.Name+": "+c.WhyNot)
		}
		if got := strings.Join(list, "\n"); got != want[1:] {
			t.Errorf("%s:\n%s", when, got)
		}
	}
	world.Pass(3 * time.Second)
	check("at rest", `
configure: 
activate: legal in: inactive
arm: legal in: active
disarm: legal in: armed
deactivate: legal in: active
cleanup: legal in: inactive
shutdown: `)
	world.Do(simnet.Send{Command: "configure"})
	world.Pass(500 * time.Millisecond)
	check("on the way", `
configure: not while the network is configuring
activate: not while the network is configuring
arm: not while the network is configuring
disarm: not while the network is configuring
deactivate: not while the network is configuring
cleanup: not while the network is configuring
shutdown: `)
	world.Pass(2 * time.Second)
	world.Do(simnet.Kill{Node: "/lidar"})
	world.Pass(3 * time.Second)
	check("after a loss", `
configure: 
activate: the network is not intact, so it is not raised: /lidar is lost: left the graph (start its process again, or restore the connection to it)
arm: legal in: active
disarm: legal in: armed
deactivate: legal in: active
cleanup: 
shutdown: `)
	w.ended = true
	s := world.Now()
	for _, c := range w.simulation(&s, time.Now()).AllCommands {
		if c.WhyNot != "the network has ended" {
			t.Errorf("at the end: %+v", c)
		}
	}
}

// TestWhatArmsOverHTTP: a challenge is asked for every word that can arm a node, and for no other.
func TestWhatArmsOverHTTP(t *testing.T) {
	net, err := network.Parse("robot.yaml", []byte(robot))
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]bool{"arm": true, "armed": true, "ARM": true, " armed ": true, "disarm": false,
		"shutdown": false, "active": false, "nonsense": false, "": false} {
		if got := net.Machine.Arms(machine.ReadWord(word)); got != want {
			t.Errorf("%q arms: %v", word, got)
		}
	}
}

// TestH1AnOddBlankHidesNoArming: a word that the engine takes for a command that arms needs a challenge, whatever
// stands in it that a person does not see. The engine gets the very word on which that was decided.
func TestH1AnOddBlankHidesNoArming(t *testing.T) {
	net, err := network.Parse("robot.yaml", []byte(robot))
	if err != nil {
		t.Fatal(err)
	}
	for _, blank := range []string{"\n", "\r", "\f", "\v", "\t", "\u0085", "\u00a0", "\u2003", "\u2028", "\u2029",
		"\u3000"} {
		for _, word := range []string{"arm" + blank, blank + "arm", "a" + blank + "rm",
			blank + "Ar" + blank + blank + "med", "ARM" + blank} {
			asked := askedOf(net.Machine, httpapi.Order{State: word})
			if !asked.Arms || asked.Disarms {
				t.Errorf("%q does not need a challenge: %+v", word, asked)
			}
			world := simnet.New(net, simnet.Options{Seed: 1})
			world.Pass(3 * time.Second)
			for _, command := range []string{"configure", "activate", asked.Word.String()} {
				world.Do(simnet.Send{Command: command})
				world.Pass(2 * time.Second)
			}
			if s := world.Now(); s.State != "armed" {
				t.Errorf("%q is read as %q, and leads to %s", word, asked.Word, s.State)
			}
		}
		if asked := askedOf(net.Machine, httpapi.Order{State: "dis" + blank + "arm"}); !asked.Disarms || asked.Arms {
			t.Errorf("a disarm with %q is read as %+v", blank, asked)
		}
	}
}

// TestWatchersOfAnInstance: they hear of each change until they stop.
func TestWatchersOfAnInstance(t *testing.T) {
	var n shown
	first, second := 0, 0
	n.put(nil)
	stop := n.watch(func() { first++ })
	n.watch(func() { second++ })
	n.put(nil)
	stop()
	stop()
	n.put(nil)
	if first != 1 || second != 2 {
		t.Errorf("they were told %d and %d times", first, second)
	}
}

// TestC6ARepeatOfTheEndIsDone: an order for the final state that an instance is in has succeeded, as any other repeat.
// It has not while a node may be armed.
func TestC6ARepeatOfTheEndIsDone(t *testing.T) {
	for _, c := range []struct {
		machine, state, order string
		want                  bool
	}{
		{"nrp", "stopped", "stopped", true}, {"nrp", "stopped", "started", false}, {"nrp", "stopped", "failed", false},
		{"nrp", "failed", "failed", true}, {"nrp", "failed", "stopped", true},
		{"nrp", "paused", "paused", false}, {"nrp", "stopped", "nonsense", false},
		{"rstate", "finalized", "finalized", true}, {"rstate", "finalized", "shutdown", false},
	} {
		net, err := network.Parse("x.yaml", []byte("simulation: 0\nmachine: "+c.machine+"\nnodes: {/a: {}}\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := ended(net.Machine, &engine.Snapshot{State: c.state, Settled: c.state},
			machine.ReadWord(c.order)); got != c.want {
			t.Errorf("%s: %s in %s is a repeat: %v", c.machine, machine.ReadWord(c.order), c.state, got)
		}
	}
	v := httpapi.Simulation{Summary: httpapi.Summary{State: "stopped"}}
	if r := alreadyEnded(v); !r.Success || r.Outcome != "already" || r.State != "stopped" {
		t.Errorf("it is %+v", r)
	}
	v.MayBeArmed = []string{"/arm"}
	if r := alreadyEnded(v); r.Success || r.Outcome != "held" || !strings.Contains(r.Message, "/arm") {
		t.Errorf("it is %+v while a node may be armed", r)
	}
}

// TestF2TheWaitsOfARollbackOverHTTP: what it waits for, and for how long still.
func TestF2TheWaitsOfARollbackOverHTTP(t *testing.T) {
	var s engine.Snapshot
	s.Work.Target, s.Waiting = "inactive", []string{"/slam: a sign of life, 21 s left"}
	if p := progressOf(&s); p == nil || strings.Join(p.WaitingFor, "; ") != s.Waiting[0] {
		t.Errorf("the progress is %+v", p)
	}
}
