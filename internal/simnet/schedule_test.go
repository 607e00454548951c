package simnet_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/network"
	"rstate/internal/simnet"
)

var (
	seeds = flag.Int("seeds", 2000, "how many schedules to run; the environment's SEEDS wins")
	first = flag.Uint64("seed", 1, "the first seed")
	tell  = flag.Bool("tell", false, "print the runs")
)

// schedule is a run that is drawn whole from its seed: the network, what its nodes are like, what people ask for and
// when, and what happens to nodes, wires and coordinator meanwhile.
type schedule struct {
	*rand.Rand
	net   *network.Network
	text  string // of the network file
	names []string
	calm  bool // nothing goes wrong: what is asked for has to be reached
}

func draw(t testing.TB, seed uint64) *schedule {
	s := &schedule{Rand: rand.New(rand.NewPCG(seed, 2))}
	s.calm = s.chance(0.1)
	s.text = s.network()
	s.net = parse(t, s.text)
	return s
}

func (s *schedule) chance(share float64) bool { return s.Float64() < share }

func (s *schedule) upTo(d time.Duration) time.Duration { return time.Duration(s.Int64N(int64(d))) }

func pick[T any](s *schedule, of ...T) T { return of[s.IntN(len(of))] }

// network writes a file with two to six nodes in a random order of dependence.
func (s *schedule) network() string {
	var b strings.Builder
	fmt.Fprintf(&b, "simulation: demo\nstartup: %s\non_exit: %s\nlast_resort: %s\nnodes:\n",
		pick(s, "adopt", "adopt", "adopt", "hold", "reset"), pick(s, "disarm", "shutdown", "leave"), pick(s, "shutdown", "hold"))
	for i := range 2 + s.IntN(5) {
		name := fmt.Sprintf("/n%d", i)
		var after []string
		for _, o := range s.names {
			if s.chance(0.3) {
				after = append(after, o)
			}
		}
		s.names = append(s.names, name)
		fmt.Fprintf(&b, "  %s: {after: [%s], on_loss: %s, on_drift: %s, late: %s", name, strings.Join(after, ", "),
			pick(s, "report", "restore", "error"), pick(s, "report", "restore", "error"), pick(s, "join", "leave"))
		switch {
		case s.chance(0.25):
			b.WriteString(", optional: true")
		case s.chance(0.3):
			b.WriteString(", arm: {}")
		}
		if s.chance(0.05) {
			b.WriteString(", lifecycle: false")
		}
		b.WriteString("}\n")
	}
	return b.String()
}

func (s *schedule) options(seed uint64) simnet.Options {
	o := simnet.Options{Seed: seed, Scripts: map[string]simnet.Script{}, Rest: 20 * time.Second}
	o.Work.Max = pick(s, 0, 10*time.Millisecond, 100*time.Millisecond)
	for _, name := range s.names {
		script := simnet.Script{Parallel: s.chance(0.3), Born: s.upTo(3 * time.Second)}
		if !s.calm {
			script.Never = s.chance(0.03)
			if s.chance(0.1) {
				script.Born = s.upTo(20 * time.Second)
			}
			if s.chance(0.2) {
				script.Matched = s.upTo(3 * time.Second)
			}
			script.State = pick(s, 0, 0, 0, lifecycle.Unconfigured, lifecycle.Inactive, lifecycle.Active)
		}
		o.Scripts[name] = script
	}
	o.Simulated = s.chance(0.2)
	if s.calm {
		return o
	}
	o.Noise = simnet.Noise{
		Request: s.share(), Answer: s.share(), Event: s.share(), Double: s.share(), Slow: s.share(), End: s.share() / 2, Arm: s.share(),
	}
	o.Last = pick(s, "", "", "unconfigured", "inactive", "active", "armed")
	if s.chance(0.2) {
		o.KillAt = 1 + s.IntN(200)
	}
	return o
}

func (s *schedule) share() float64 { return pick(s, 0, 0, 0.05, 0.2) }

// people ask for this and that, and change their minds.
func (s *schedule) people(w *simnet.World) {
	var beats []simnet.Beat
	asked := []string{}
	for i := range 1 + s.IntN(8) {
		command := pick(s, "configure", "activate", "arm", "disarm", "deactivate", "cleanup", "shutdown",
			"active", "inactive", "unconfigured", "armed", "configure", "activate", "active", "arm", "armed")
		handle := fmt.Sprintf("%s %d", command, i)
		when := simnet.Then().Later(s.upTo(3 * time.Second))
		if len(asked) > 0 && s.chance(0.7) {
			when = simnet.Ended(asked[len(asked)-1]).Later(s.upTo(time.Second))
		}
		id := ""
		if s.chance(0.1) {
			id = pick(s, "a", "b")
		}
		beats = append(beats, simnet.Beat{When: when, Do: simnet.Send{Command: command, Handle: handle, ID: id}})
		if s.chance(0.15) {
			beats = append(beats, simnet.Beat{When: simnet.Then().Later(s.upTo(200 * time.Millisecond)), Do: simnet.Cancel{Handle: handle}})
		}
		asked = append(asked, handle)
	}
	if s.chance(0.1) {
		beats = append(beats, simnet.Beat{When: simnet.Then().Later(s.upTo(time.Second)), Do: simnet.Stop{}})
	}
	w.Tell(beats...)
}

// fate does things to nodes, clocks and the coordinator.
func (s *schedule) fate(w *simnet.World) {
	var beats []simnet.Beat
	for range s.IntN(5) {
		node := s.names[s.IntN(len(s.names))]
		when := simnet.Then().Later(s.upTo(5 * time.Second))
		short := simnet.Then().Later(s.upTo(3 * time.Second))
		switch s.IntN(9) {
		case 0:
			beats = append(beats, simnet.Beat{When: when, Do: simnet.Kill{Node: node}})
		case 1:
			beats = append(beats, simnet.Beat{When: when, Do: simnet.Kill{Node: node}}, simnet.Beat{When: short, Do: simnet.Respawn{Node: node}})
		case 2:
			beats = append(beats, simnet.Beat{When: when, Do: simnet.Freeze{Node: node}}, simnet.Beat{When: short, Do: simnet.Thaw{Node: node}})
		case 3:
			to := pick(s, lifecycle.Unconfigured, lifecycle.Inactive, lifecycle.Active, lifecycle.Finalized)
			beats = append(beats, simnet.Beat{When: when, Do: simnet.Move{Node: node, To: to, Quiet: s.chance(0.3)}})
		case 4:
			beats = append(beats, simnet.Beat{When: when, Do: simnet.Respawn{Node: node}}, simnet.Beat{When: short, Do: simnet.Kill{Node: node}})
		case 5:
			beats = append(beats, simnet.Beat{When: when, Do: simnet.Stall{For: s.upTo(3 * time.Second)}})
		case 6:
			beats = append(beats, simnet.Beat{When: when, Do: simnet.Crash{}})
		case 7:
			beats = append(beats, simnet.Beat{When: when, Do: simnet.StopClock{}}, simnet.Beat{When: short, Do: simnet.StartClock{}})
		case 8:
			beats = append(beats, simnet.Beat{When: when, Do: simnet.JumpClock{By: pick(s, -3*time.Second, 3*time.Second)}})
		}
	}
	w.Tell(beats...)
}

// TestSchedules runs drawn schedules and looks for what must never be.
func TestSchedules(t *testing.T) {
	n := *seeds
	if text := os.Getenv("SEEDS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatalf("cannot read SEEDS: %v", err)
		}
	}
	var failed atomic.Int32
	workers := min(runtime.GOMAXPROCS(0), n)
	for k := range workers {
		t.Run(fmt.Sprintf("worker %d", k), func(t *testing.T) {
			t.Parallel()
			for seed := *first + uint64(k); seed < *first+uint64(n) && failed.Load() < 5; seed += uint64(workers) {
				if faults := oneSchedule(t, seed); len(faults) > 0 {
					failed.Add(1)
					t.Errorf("seed %d: %s\nreplay: go test ./internal/simnet -run TestSchedules -v -seed %d -seeds 1 -tell",
						seed, strings.Join(faults, "\n"), seed)
				}
			}
		})
	}
}

// oneSchedule runs the schedule of a seed and returns what must never be.
func oneSchedule(t *testing.T, seed uint64) []string {
	t.Helper()
	s := draw(t, seed)
	w := simnet.New(s.net, s.options(seed))
	if s.calm {
		w.Send("configure", "activate", "deactivate", "active", "cleanup", "inactive", "shutdown")
	} else {
		s.people(w)
		s.fate(w)
	}
	trace := w.Run()
	if *tell {
		t.Logf("%s%v", s.text, trace)
	}
	if s.calm {
		return append(trace.Faults, s.unreached(trace)...)
	}
	return trace.Faults
}

// unreached lists what should have been reached in a calm run, and was not.
func (s *schedule) unreached(trace *simnet.Trace) (faults []string) {
	for _, g := range trace.Goals {
		want := "succeeded done"
		if g.Command == "cleanup" { // from active: not legal
			want = "rejected"
		}
		if g.Command == "inactive" {
			want = "succeeded done"
		}
		if got := g.Verdict(); got != want {
			faults = append(faults, fmt.Sprintf("nothing went wrong, and %s: %s", g.Handle, got))
		}
	}
	return faults
}
