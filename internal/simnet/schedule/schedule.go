package schedule

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/network"
	"rstate/internal/simnet"
)

// Schedule is a run that was drawn and has not begun.
type Schedule struct {
	*rand.Rand
	Seed    uint64
	Network *network.Network
	Calm    bool             // nothing goes wrong: what is asked for has to be reached
	Cover   *simnet.Coverage // that counts what happens; nil: nothing is counted

	options simnet.Options
	tale    tale // a story of its own
	files   []simnet.Swap
	moments bool   // things happen while the network does what it seldom does
	driven  bool   // mostly well, and armed again and again: what is armed is what most can go wrong with
	prefix  string // of the names of nodes, where there are several networks
}

// Draw draws the schedule of a seed.
func Draw(seed uint64) *Schedule {
	s := drawUnserved(seed)
	s.drawServers()
	return s
}

// drawUnserved draws it without servers of arms, as it was when some seeds were written down.
func drawUnserved(seed uint64) *Schedule {
	s := drawStories(seed)
	s.drawMoments()
	s.drawKeepers()
	s.drawStops()
	return s
}

// drawStories draws it without what happens at moments, as it was when some seeds were written down.
func drawStories(seed uint64) *Schedule {
	s := drawFormer(seed)
	s.drawTale()
	s.drawEnds()
	return s
}

// drawFormer draws it without a story of its own, as it was when some seeds were written down.
func drawFormer(seed uint64) *Schedule {
	s := &Schedule{Rand: rand.New(rand.NewPCG(seed, 2)), Seed: seed}
	s.Calm = s.chance(0.1)
	s.driven = !s.Calm && seed%8 < 2
	s.drawNetwork()
	s.drawOptions()
	return s
}

// Run plays the schedule.
func (s *Schedule) Run() *simnet.Trace {
	s.options.Cover = s.Cover
	w := simnet.New(s.Network, s.options)
	if s.Calm {
		s.lives(w)
	} else {
		s.guardsFate(w)
		s.holdsUp(w)
		s.presses(w)
		s.atMoments(w)
		s.queues(w)
		s.serversFate(w)
		if !s.tells(w) {
			s.people(w)
		}
		if s.tale == noTale || s.apart(102).chance(0.4) {
			s.fate(w)
		}
	}
	trace := w.Run()
	if s.Calm {
		trace.Faults = append(trace.Faults, s.unreached(trace)...)
	}
	return trace
}

var lifetime = []string{
	"configure", "activate", "arm", "disarm", "deactivate", "active", "cleanup", "armed", "inactive", "unconfigured",
	"active ", "shutdown",
}

func (s *Schedule) unreached(trace *simnet.Trace) (faults []string) {
	armed, _ := s.Network.Machine.State("armed")
	armless := s.Network.Unarmable(armed) != ""
	for _, g := range trace.Goals {
		want := "succeeded done"
		switch g.Command {
		case "cleanup": // it is active: not legal
			want = "rejected"
		case "arm", "armed":
			if armless {
				want = "rejected"
			}
		case "disarm":
			if armless {
				want = "succeeded already"
			}
		}
		if got := g.Verdict(); got != want {
			faults = append(faults, fmt.Sprintf("nothing went wrong, and %s: %s", g.Handle, got))
		}
	}
	if len(trace.Goals) != len(lifetime) {
		faults = append(faults, fmt.Sprintf("nothing went wrong, and only %d of %d goals were asked", len(trace.Goals),
			len(lifetime)))
	}
	return faults
}

// Replay is the command that runs the schedule again and prints all that happens.
func Replay(seed uint64) string { return fmt.Sprintf("go run ./tools/simulate -seed %d -tell", seed) }

// Report describes a life with faults, and how to replay it.
func Report(seed uint64, faults []string) string {
	return fmt.Sprintf("seed %d: %s\nreplay: %s", seed, strings.Join(faults, "\n"), Replay(seed))
}

func (s *Schedule) chance(share float64) bool { return s.Float64() < share }

func (s *Schedule) upTo(d time.Duration) time.Duration { return time.Duration(s.Int64N(int64(d))) }

func pick[T any](s *Schedule, of ...T) T { return of[s.IntN(len(of))] }

func (s *Schedule) share() float64 { return pick(s, 0, 0, 0.05, 0.2) }

// noise is how much of what goes over the wires goes wrong.
func (s *Schedule) noise() simnet.Noise {
	n := simnet.Noise{
		Request: s.share(), Answer: s.share(), Event: s.share(), Double: s.share(), Slow: s.share(), End: s.share() / 2,
		Arm:   s.share(),
		Lease: s.share(),
	}
	if s.driven && s.chance(0.8) {
		return simnet.Noise{Lease: n.Lease, Double: n.Double}
	}
	return n
}

func (s *Schedule) node() string { return s.Network.Nodes[s.IntN(len(s.Network.Nodes))].Name }

func (s *Schedule) drawOptions() {
	o := simnet.Options{Seed: s.Seed, Scripts: map[string]simnet.Script{}, Rest: 20 * time.Second,
		Unsure: s.Seed%4 == 3}
	o.Work.Max = pick(s, 0, 10*time.Millisecond, 100*time.Millisecond)
	o.Simulated = s.chance(0.2)
	o.NoClock = o.Simulated && s.chance(0.2)
	o.Apart = pick(s, 0, 10*time.Hour, 10_000*time.Hour)
	for _, n := range s.Network.Nodes {
		o.Scripts[n.Name] = s.script(n.Arm != nil)
	}
	if !s.Calm {
		o.Noise = s.noise()
		o.Notice = pick(s, 0, 50*time.Millisecond, 3*time.Second)
		o.Discovery.Max = pick(s, 0, 0, 2*time.Second)
		o.Last = pick(s, "", "", "unconfigured", "inactive", "active", "armed")
		o.Disk = s.disk()
		o.Listen.Least = pick(s, 0, 0, 300*time.Millisecond)
		if s.chance(0.2) {
			o.KillAt = 1 + s.IntN(300)
		}
		if s.chance(0.2) {
			o.StallAt, o.StallFor = 1+s.IntN(300), s.gap()
			o.StallLate = loopOnly(o.StallFor)
		}
		if s.chance(0.2) {
			o.StallAt, o.StallArm, o.StallFor = 0, 1+s.IntN(10), s.gap()
			o.StallLate = loopOnly(o.StallFor)
		}
	}
	s.options = o
}

// youngest is by when a node of a life in which nothing goes wrong is born.
const youngest = 3 * time.Second

// script draws what one node is like; one that can be armed may be so from the beginning.
func (s *Schedule) script(arms bool) simnet.Script {
	script := simnet.Script{Parallel: s.chance(0.3), Born: s.upTo(youngest)}
	if s.Calm || s.driven && s.chance(0.8) {
		return script
	}
	script.Never = s.chance(0.03)
	if s.chance(0.1) {
		script.Born = s.upTo(20 * time.Second)
	}
	if s.chance(0.2) {
		script.Matched = s.upTo(3 * time.Second)
	}
	script.State = pick(s, 0, 0, 0, lifecycle.Unconfigured, lifecycle.Inactive, lifecycle.Active)
	script.Armed = s.chance(0.2) && arms && script.State.Level() >= lifecycle.Inactive.Level()
	if s.chance(0.2) {
		script.On = []simnet.On{{
			Do:    pick(s, "", "configure", "activate", "deactivate", "cleanup", "shutdown"),
			Times: s.IntN(3),
			Takes: pick(s, 0, s.upTo(time.Second), s.upTo(5*time.Second), s.upTo(30*time.Second)),
			End: pick(s, simnet.Succeed, simnet.Succeed, simnet.Refuse, simnet.Err, simnet.ErrFatal, simnet.Lie,
				simnet.Die, simnet.Hang),
			Loss:   pick(s, simnet.None, simnet.None, simnet.LoseAnswer, simnet.LoseRequest, simnet.Double),
			Late:   pick(s, 0, 0, s.upTo(5*time.Second)),
			Events: pick(s, simnet.Sent, simnet.Sent, simnet.Lost, simnet.Behind),
		}}
	}
	return script
}

// gap is for how long the coordinator is stopped: hardly, for longer than goes unnoticed, or as long as a machine
// sleeps.
func (s *Schedule) gap() time.Duration {
	return pick(s, s.upTo(time.Second), s.upTo(3*time.Second), s.upTo(3*time.Second), s.upTo(5*time.Minute))
}

func (s *Schedule) still() simnet.Act { return stills(s.gap()) }

func stills(gap time.Duration) simnet.Act {
	if loopOnly(gap) {
		return simnet.Late{For: gap}
	}
	return simnet.Stall{For: gap}
}

// loopOnly draws from a gap itself whether only the loop stands still in it.
func loopOnly(gap time.Duration) bool { return gap%2 == 1 }

func (s *Schedule) disk() simnet.Disk {
	return pick(s, simnet.Disk{}, simnet.Disk{}, simnet.Disk{Takes: 300 * time.Millisecond},
		simnet.Disk{Takes: 3 * time.Second},
		simnet.Disk{Silent: true}, simnet.Disk{Fault: "the disk is full"})
}
