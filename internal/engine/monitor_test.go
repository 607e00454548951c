package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/simnet"
)

// unresponsiveIn is within what time a silent node is shown as unresponsive in a network of up to 25 nodes.
const unresponsiveIn = 10 * time.Second

// watched brings a network to a state and lets a second pass.
func watched(t *testing.T, s story, state string) *simnet.World {
	t.Helper()
	s.opt.Scripts, s.opt.Seed = s.scripts, 1
	w := simnet.New(s.network(t), s.opt)
	w.Tell(simnet.Beat{When: simnet.Settled(), Do: simnet.Send{Command: state}})
	w.Pass(time.Second)
	if now := w.Now(); now.State != state || !now.Intact {
		t.Fatalf("the story begins in %s (intact: %v)", now.State, now.Intact)
	}
	w.Do(simnet.Mark{})
	return w
}

// recorded counts the entries of one node with that event.
func recorded(trace *simnet.Trace, node string, event engine.EntryEvent) int {
	count := 0
	for _, e := range trace.Entries {
		if e.Node == node && e.Event == event {
			count++
		}
	}
	return count
}

// TestS5SilentNodeIsShownAsUnresponsive: within 10 s, until it answers, with one entry each; and nothing else follows.
func TestS5SilentNodeIsShownAsUnresponsive(t *testing.T) {
	for _, state := range []string{"inactive", "active", "armed"} {
		for _, offset := range []time.Duration{0, 1300 * ms, 2600 * ms, 3900 * ms} {
			t.Run(fmt.Sprintf("%s, after %v", state, offset), func(t *testing.T) {
				w := watched(t, story{keys: "defaults: {on_loss: error, on_drift: error}\n"}, state)
				w.Pass(offset)
				w.Do(simnet.Freeze{Node: "/slam"})
				w.Pass(3900 * ms)
				if said := w.Now().Nodes[1].Silent; said != "" {
					t.Errorf("after 3.9 s: %s", said)
				}
				w.Pass(unresponsiveIn - 3900*ms + 10*ms)
				if said := w.Now().Nodes[1].Silent; !strings.Contains(said, "unresponsive") {
					t.Errorf("after %v it is shown as %q", unresponsiveIn, said)
				}
				trace := w.Pass(2 * time.Minute)
				now := w.Now()
				if n := now.Nodes[1]; n.Silent == "" || n.Deviates != "" || !n.Present ||
					n.State != trace.Where("/slam") {
					t.Errorf("after two minutes it is shown as %+v", n)
				}
				if !now.Intact || now.State != state || trace.Story() != "" || trace.Work() != "" ||
					len(now.Deviations) > 0 {
					t.Errorf("the watch has changed something: %s, %v, %s, %s", now.State, now.Deviations,
						trace.Story(), trace.Work())
				}
				if got := recorded(trace, "/slam", engine.EventSilent); got != 1 {
					t.Errorf("the journal says %d times that it is unresponsive", got)
				}
				w.Do(simnet.Thaw{Node: "/slam"})
				w.Pass(100 * ms)
				if said := w.Now().Nodes[1].Silent; said != "" {
					t.Errorf("it answers, and is shown as %s", said)
				}
				trace = w.Pass(time.Minute)
				if silent, answers := recorded(trace, "/slam", engine.EventSilent),
					recorded(trace, "/slam", engine.EventAnswers); silent != 1 || answers != 1 {
					t.Errorf("the journal says %d times that it is unresponsive, and %d times that it answers", silent,
						answers)
				}
				for _, n := range w.Now().Nodes {
					if recorded(trace, n.Name, engine.EventGone)+recorded(trace, n.Name, engine.EventStrayed) > 0 {
						t.Errorf("%s has left its place", n.Name)
					}
				}
				if len(trace.Faults) > 0 {
					t.Error(trace.Faults)
				}
			})
		}
	}
}

// TestS5OneLostReadIsNoSilence: only two reads in a row without an answer show a node as unresponsive.
func TestS5OneLostReadIsNoSilence(t *testing.T) {
	var lost []simnet.Loss
	for range 10 {
		lost = append(lost, simnet.LoseAnswer, simnet.None)
	}
	w := watched(t, story{scripts: one("/slam", simnet.Script{Watched: lost})}, "active")
	if trace := w.Pass(time.Minute); recorded(trace, "/slam", engine.EventSilent) > 0 {
		t.Error("one lost answer makes a node unresponsive")
	}
}

// TestS5WordWithdraws: an event is a sign of life as an answer is.
func TestS5WordWithdraws(t *testing.T) {
	lost := slices.Repeat([]simnet.Loss{simnet.LoseRequest}, 100)
	deaf := simnet.Script{Parallel: true, Watched: lost, Reads: append([]simnet.Loss{simnet.None}, lost...)}
	w := watched(t, story{scripts: one("/slam", deaf), keys: "defaults: {on_drift: report}\n"}, "active")
	w.Pass(20 * time.Second)
	if w.Now().Nodes[1].Silent == "" {
		t.Fatal("it is not shown as unresponsive")
	}
	w.Do(simnet.Move{Node: "/slam", To: lifecycle.Inactive})
	trace := w.Pass(100 * ms)
	if said := w.Now().Nodes[1].Silent; said != "" || recorded(trace, "/slam", engine.EventAnswers) != 1 {
		t.Errorf("after an event it is shown as %q", said)
	}
}

// TestS5AnswerCorrectsWhatIsBelieved: the watch finds a change whose announcement was lost, and the policies apply.
func TestS5AnswerCorrectsWhatIsBelieved(t *testing.T) {
	quietly := simnet.Move{Node: "/slam", To: lifecycle.Inactive, Quiet: true}
	w := watched(t, story{keys: "defaults: {on_drift: report}\n"}, "active")
	w.Do(quietly)
	w.Pass(5100 * ms)
	if n := w.Now().Nodes[1]; n.State != lifecycle.Inactive ||
		!strings.Contains(n.Deviates, "is inactive, not active") {
		t.Errorf("it is believed to be %+v", n)
	}
	w = watched(t, story{keys: "defaults: {on_drift: report}\n"}, "armed")
	w.Do(quietly)
	if trace := w.Pass(5500 * ms); w.Now().State != "active" || trace.Work() != "disarm arm_driver" {
		t.Errorf("it is %s; asked was: %s", w.Now().State, trace.Work())
	}
}

// TestS5WatchIsNoProof: the age of a proof grows whatever the watch hears, and arming reads every node anew.
func TestS5WatchIsNoProof(t *testing.T) {
	w := watched(t, story{}, "active")
	trace := w.Pass(30 * time.Second)
	if reads := trace.Watched("/arm_driver"); reads < 6 {
		t.Fatalf("it is read %d times", reads)
	}
	if age := w.Now().Nodes[3].ProofAge; age < 25*time.Second {
		t.Errorf("30 s after the last proof it is %v old", age)
	}
	for range 40 { // at any distance from the newest read
		reads := trace.Reads("/slam")
		w.Do(simnet.Send{Command: "arm", Handle: fmt.Sprint("arm ", w.Now().Peers.Seen)})
		trace = w.Pass(20 * ms)
		if w.Now().State != "armed" || trace.Reads("/slam") == reads {
			t.Fatalf("it is %s, and /slam was read %d times\n%v", w.Now().State, trace.Reads("/slam")-reads, trace)
		}
		w.Do(simnet.Send{Command: "disarm", Handle: fmt.Sprint("disarm ", w.Now().Peers.Seen)})
		trace = w.Pass(133 * ms)
	}
}

// TestS5ReadsAreSpread: no burst arises, and more nodes are read less often each.
func TestS5ReadsAreSpread(t *testing.T) {
	for _, r := range []struct {
		nodes int
		each  time.Duration
	}{{10, 5 * time.Second}, {25, 5 * time.Second}, {50, 10 * time.Second}} {
		t.Run(fmt.Sprint(r.nodes), func(t *testing.T) {
			net := "simulation: x\nnodes:\n"
			var names []string
			for k := range r.nodes {
				names = append(names, fmt.Sprintf("/n%02d", k))
				net += "  " + names[k] + ": {}\n"
			}
			w := watched(t, story{net: net}, "active")
			trace := w.Pass(r.each) // the watch has begun
			all := func() (sum int) {
				for _, name := range names {
					sum += trace.Watched(name)
				}
				return sum
			}
			const rounds = 3
			began, last, most := all(), all(), 0
			first := trace.Watched(names[0])
			for range rounds * r.each / (500 * ms) {
				trace = w.Pass(500 * ms)
				most, last = max(most, all()-last), all()
			}
			if got := last - began; got != rounds*r.nodes {
				t.Errorf("%d reads in %d rounds", got, rounds)
			}
			if got := trace.Watched(names[0]) - first; got != rounds {
				t.Errorf("%s was read %d times", names[0], got)
			}
			if most > min(5, max(1, r.nodes/5)) {
				t.Errorf("%d reads within half a second", most)
			}
		})
	}
}

// TestS5WatchRests: no node is watched while a transition runs or while A2 asks it for proofs, and a node with `probe:`
// never is.
func TestS5WatchRests(t *testing.T) {
	w := watched(t, story{net: "simulation: x\nnodes:\n  /a: {probe: 4s}\n  /b: {}\n",
		keys: "defaults: {on_loss: report}\n"}, "active")
	w.Do(simnet.Freeze{Node: "/a"})
	trace := w.Pass(30 * time.Second)
	if n := w.Now().Nodes[0]; !strings.Contains(n.Deviates, "questions for its state without an answer") ||
		n.Silent != "" {
		t.Errorf("a probed node is shown as %+v", n)
	}
	if reads := trace.Watched("/a"); reads > 0 {
		t.Errorf("a probed node is watched %d times", reads)
	}

	w = watched(t, story{keys: "proof: 10s\n"}, "armed")
	if trace := w.Pass(20 * time.Second); trace.Watched("/arm_driver") > 0 || trace.Watched("/slam") == 0 ||
		w.Now().State != "armed" {
		t.Errorf("armed, /arm_driver is watched %d times, /slam %d", trace.Watched("/arm_driver"),
			trace.Watched("/slam"))
	}

	slowly := story{
		net:     "simulation: x\nnodes:\n  /a: {}\n  /b: {after: [/a], deadline: {deactivate: 90s}}\n  /c: {after: [/a]}\n",
		scripts: one("/b", on("deactivate", simnet.On{Takes: time.Minute})),
	}
	w = watched(t, slowly, "active")
	w.Do(simnet.Send{Command: "deactivate"})
	w.Pass(time.Second)
	w.Do(simnet.Freeze{Node: "/c"})
	before := w.Pass(time.Second).Watched("/c")
	trace = w.Pass(30 * time.Second)
	if n := w.Now().Nodes[2]; n.Silent != "" || trace.Watched("/c") != before || w.Now().State != "deactivating" {
		t.Errorf("while another is deactivated it is read %d times: %+v", trace.Watched("/c")-before, n)
	}
}

// TestS5NoBurstAfterATransition: the reads that were due while a transition ran are left out.
func TestS5NoBurstAfterATransition(t *testing.T) {
	net := "simulation: x\nnodes:\n  /slow: {deadline: {deactivate: 90s}}\n"
	for k := range 24 {
		net += fmt.Sprintf("  /n%02d: {}\n", k)
	}
	w := watched(t, story{net: net, scripts: one("/slow", on("deactivate", simnet.On{Takes: 20 * time.Second}))},
		"active")
	w.Do(simnet.Send{Command: "deactivate"})
	all := func(trace *simnet.Trace) (sum int) {
		for k := range 24 {
			sum += trace.Watched(fmt.Sprintf("/n%02d", k))
		}
		return sum
	}
	before := all(w.Pass(19 * time.Second))
	trace := w.Pass(1500 * ms)
	if got := all(trace) - before; w.Now().State != "inactive" || got > 5 {
		t.Errorf("it is %s, and %d nodes were watched at once", w.Now().State, got)
	}
}

// TestS5DaemonThatDoesNotListen: the time in which the daemon itself stood still is silence of no node.
func TestS5DaemonThatDoesNotListen(t *testing.T) {
	for _, act := range []simnet.Act{simnet.Late{For: 12 * time.Second}, simnet.Stall{For: 12 * time.Second}} {
		for k := range 10 {
			w := watched(t, story{}, "active")
			w.Pass(time.Duration(k) * 530 * ms)
			w.Do(act)
			trace := w.Pass(time.Minute)
			for _, n := range w.Now().Nodes {
				if recorded(trace, n.Name, engine.EventSilent) > 0 {
					t.Errorf("%v: %s became unresponsive", act, n.Name)
				}
			}
		}
	}
}
