//go:build ros

package rosnet

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rstate/internal/coordinator"
	"rstate/internal/engine"
	"rstate/internal/mirror"
	"rstate/test/bed"
)

// loop takes the place of a coordinator's loop: it beats for the world.
type loop struct {
	w     *World
	stop  func()
	pause atomic.Int64 // the longest time between two beats, in nanoseconds
}

// paused reports whether this process may have been without a processor for so long that peers look silent, though they
// are not.
func (l *loop) paused() bool { return time.Duration(l.pause.Load()) > livelinessLease-tellEvery }

func turn(t *testing.T, w *World) *loop {
	l := &loop{w: w}
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		beat := time.NewTicker(coordinator.Beat)
		defer beat.Stop()
		for last := time.Now(); ; last = time.Now() {
			select {
			case <-ended:
				return
			case <-beat.C:
				l.pause.Store(max(l.pause.Load(), int64(time.Since(last))))
				w.Beat()
			}
		}
	}()
	l.stop = sync.OnceFunc(func() { close(ended); <-done })
	t.Cleanup(l.stop)
	return l
}

// inSimulation makes the world of an instance that has peers.
func inSimulation(t *testing.T, simulation, instance, peers string) (*World, *posted) {
	t.Helper()
	return newInstance(t, instance, fmt.Sprintf("simulation: %s\npeers: {%s}\nnodes: {/%s: {}}\n", simulation, peers,
		bed.Unique(t, "node")))
}

// tells publishes an instance's status, and runs its loop.
func tells(t *testing.T, w *World, s mirror.Status) *loop {
	t.Helper()
	w.Carry(engine.TellPeers{Status: s})
	return turn(t, w)
}

// lastTold waits until the last status of a peer satisfies the condition.
func lastTold(t *testing.T, e *posted, what string, holds func(mirror.Status) bool) {
	t.Helper()
	bed.Eventually(t, what, func() (string, bool) {
		told := all[engine.PeerTold](e)
		return fmt.Sprint(told), len(told) > 0 && holds(told[len(told)-1].Status)
	})
}

func TestPeersTellEachOther(t *testing.T) {
	simulation := bed.Unique(t, "sim")
	a, heardA := inSimulation(t, simulation, "1", "")
	b, heardB := inSimulation(t, simulation, "2", "")
	tells(t, a, mirror.Status{State: "active", Settled: true, Intact: true, Target: "active",
		Seen: []mirror.Seen{{Instance: "1", N: 1}}, ProofAge: -1})
	tells(t, b, mirror.Status{State: "inactive", ProofAge: 0})
	s := hears[engine.PeerTold](t, heardB, 3).Status // repeated periodically
	if s.Name != a.name || s.Instance != "1" || s.State != "active" || !s.Settled || !s.Intact || s.Seen[0].N != 1 ||
		s.Hash != a.hash || s.ProofAge >= 0 {
		t.Errorf("heard %+v", s)
	}
	lastTold(t, heardA, "the proof of the other one ages",
		func(s mirror.Status) bool { return s.Name == b.name && s.ProofAge > 500*time.Millisecond })
	for _, told := range append(all[engine.PeerTold](heardA)[1:], all[engine.PeerTold](heardB)...) {
		if told.Status.Name != a.name && told.Status.Name != b.name {
			t.Errorf("heard %+v", told)
		}
	}
	for _, told := range all[engine.PeerTold](heardA) {
		if told.Status.Name == a.name {
			t.Fatal("it hears itself")
		}
	}
}

// lastHeard waits until the newest that was heard of an instance is that it is lost, or that it is there.
func lastHeard(t *testing.T, e *posted, instance string, isLost bool) (lost engine.PeerLost) {
	t.Helper()
	bed.Eventually(t, fmt.Sprintf("of instance %s is heard last that it is lost: %v", instance, isLost),
		func() (string, bool) {
			e.mu.Lock()
			defer e.mu.Unlock()
			for _, in := range slices.Backward(e.heard) {
				switch in := in.(type) {
				case engine.PeerTold:
					if in.Status.Instance == instance {
						return fmt.Sprint(in), !isLost
					}
				case engine.PeerLost:
					if in.Instance == instance {
						lost = in
						return fmt.Sprint(in), isLost
					}
				}
			}
			return "nothing", false
		})
	return lost
}

// A peer whose loop is stalled is lost, whatever its process does; the others are not confused with it. If this process
// has no processor for a while, any peer may be lost for a moment, and for another reason.
func TestPeerThatStandsStillIsLostAndComesBack(t *testing.T) {
	simulation := bed.Unique(t, "sim")
	a, heard := inSimulation(t, simulation, "1", "")
	own := tells(t, a, mirror.Status{State: "active"})
	others := map[string]*loop{}
	var stands *World
	for _, id := range []string{"2", "3", "4"} {
		w, _ := inSimulation(t, simulation, id, "")
		others[id] = tells(t, w, mirror.Status{State: "active"})
		if id == "3" {
			stands = w
		}
	}
	for id := range others {
		lastHeard(t, heard, id, false)
	}
	others["3"].stop()
	lost := lastHeard(t, heard, "3", true)
	if lost.Name != stands.name || lost.Why != silentIn(a) && (lost.Why != lostStood || !own.paused()) {
		t.Errorf("heard that %v", lost)
	}
	again := turn(t, stands)
	lastHeard(t, heard, "3", false)
	stands.Close()
	lost = lastHeard(t, heard, "3", true)
	paused := own.paused() || again.paused() || others["2"].paused() || others["4"].paused()
	if lost.Why != lostGone && !paused {
		t.Errorf("heard that %v", lost)
	}
	if all := all[engine.PeerLost](heard); len(all) != 2 && !paused {
		t.Errorf("heard that %v", all)
	}
	for _, id := range []string{"2", "4"} {
		lastHeard(t, heard, id, false)
	}
}

func TestPeersChangesComeIn(t *testing.T) {
	simulation := bed.Unique(t, "sim")
	_, heard := inSimulation(t, simulation, "1", "")
	b, own := inSimulation(t, simulation, "2", "")
	b.Carry(engine.PublishChange{Change: engine.Change{SourceState: "inactive", Event: "activate",
		TargetState: "active", State: "active", Settled: true,
		Seen: []engine.Seen{{Instance: "2", N: 4}}}})
	c := hears[engine.PeerChanged](t, heard, 1).Change
	if c.Name != b.name || c.Instance != "2" || c.SourceState != "inactive" || c.Event != "activate" ||
		c.TargetState != "active" || !c.Settled ||
		c.Hash != b.hash || len(c.Seen) != 1 || c.Seen[0] != (mirror.Seen{Instance: "2", N: 4}) {
		t.Errorf("heard %+v", c)
	}
	if got := all[engine.PeerChanged](own); len(got) > 0 {
		t.Errorf("it hears itself: %v", got)
	}
}

// speak is a program other than rstate: it publishes given messages in the name of a node, or in
// its own.
const speak = `
import json, sys, threading, rclpy
from rclpy.duration import Duration
from rclpy.qos import DurabilityPolicy, LivelinessPolicy, QoSProfile, ReliabilityPolicy
from rstate_msgs.msg import NetworkState, PeerStatus, Seen

rclpy.init()
name, topic, kind, fields = sys.argv[1:]
node = rclpy.create_node(name)
qos = QoSProfile(depth=10)
if kind == "PeerStatus" or "instance_id" in fields:
    qos = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL,
                     liveliness=LivelinessPolicy.MANUAL_BY_TOPIC, liveliness_lease_duration=Duration(seconds=0.5))
says = node.create_publisher({"PeerStatus": PeerStatus, "NetworkState": NetworkState}[kind], topic, qos)
fields = json.loads(fields)
state = fields.pop("state", "active")
message = {"PeerStatus": PeerStatus, "NetworkState": NetworkState}[kind](**fields)
message.state.label = state
while not threading.Event().wait(0.1):
    if says.get_subscription_count() > 0:
        says.publish(message)
        print("said", flush=True)
`

func speaks(t *testing.T, name, topic, kind, fields string) *bed.Process {
	t.Helper()
	return bed.Start(t, name, "python3", "-c", speak, name, topic, kind, fields)
}

// said waits until a program has printed that many lines.
func said(t *testing.T, p *bed.Process, times int) {
	t.Helper()
	bed.Eventually(t, p.Name+" has spoken",
		func() (string, bool) { return p.Log(), strings.Count(p.Log(), "said") >= times })
}

func TestWhatIsNoPeersWordIsDropped(t *testing.T) {
	simulation := bed.Unique(t, "sim")
	_, heard := inSimulation(t, simulation, "1", "")
	statuses, changes := "/simulation/"+simulation+"/peers", "/simulation/"+simulation+"/lifecycle"
	status := func(name, sim string) string {
		return fmt.Sprintf(`{"name": %q, "instance_id": "9", "simulation": %q, "state": "active"}`, name, sim)
	}
	player, stranger, witness := bed.Unique(t, "player"), bed.Unique(t, "stranger"), bed.Unique(t, "witness")
	odd := []*bed.Process{
		speaks(t, player, statuses, "PeerStatus", status("/other/rstate", simulation)), // a recording that is played
		speaks(t, player+"_too", changes, "NetworkState",
			fmt.Sprintf(`{"source_node": "/other/rstate", "instance_id": "9", "simulation": %q}`, simulation)),
		speaks(t, stranger, statuses, "PeerStatus", status("/"+stranger, "another")),
	}
	for _, p := range odd {
		said(t, p, 3)
	}
	// a program that publishes its own status is a peer
	speaks(t, witness, statuses, "PeerStatus", status("/"+witness, simulation))
	lastTold(t, heard, "the witness is heard", func(s mirror.Status) bool { return s.Name == "/"+witness })
	for _, told := range all[engine.PeerTold](heard) {
		if told.Status.Name != "/"+witness {
			t.Fatalf("heard %+v", told)
		}
	}
	if got := all[engine.PeerChanged](heard); len(got) > 0 {
		t.Errorf("heard %+v", got)
	}
}

func TestPlainPeersAreHeardWhereTheyAreListed(t *testing.T) {
	simulation := bed.Unique(t, "sim")
	_, deaf := inSimulation(t, simulation, "1", "")
	_, heard := inSimulation(t, simulation, "2", "plain: [/nrp]")
	p := speaks(t, bed.Unique(t, "bridge"), "/simulation/"+simulation+"/lifecycle", "NetworkState",
		`{"source_node": "/nrp", "source_state": "inactive", "event": "activate", "target_state": "active"}`)
	c := hears[engine.PeerChanged](t, heard, 2).Change
	if c.Name != "/nrp" || c.Instance != "" || c.SourceState != "inactive" || c.Event != "activate" ||
		c.TargetState != "active" || c.Seen != nil {
		t.Errorf("heard %+v", c)
	}
	said(t, p, 3)
	if got := all[engine.PeerChanged](deaf); len(got) > 0 {
		t.Errorf("an instance that lists no plain peer receives %v", got)
	}
}
