package conformance_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/mirror"
	"rstate/internal/network"
	"rstate/internal/simnet"
	"rstate/test/conformance"
)

// TestMirroring tests rstate's own engine, in the scripted world.
func TestMirroring(t *testing.T) {
	cases, err := conformance.Cases()
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 30 {
		t.Fatalf("there are only %d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.Rule+" "+c.Name, func(t *testing.T) {
			s := &scripted{told: map[string]*engine.PeerTold{}}
			wrong, err := conformance.Measure(c, s)
			if err != nil {
				t.Fatal(err)
			}
			if len(wrong) > 0 {
				t.Errorf("%s\n%v", strings.Join(wrong, "\n"), s.world.Pass(0))
			}
		})
	}
}

// scripted is the engine in a scripted world.
type scripted struct {
	world *simnet.World
	hash  string
	me    string
	told  map[string]*engine.PeerTold // by instance: the status that it repeats
	order []string                    // of these instances
	calls int                         // the number of reported calls
	made  int                         // the number of reported changes
	goals int
}

func (s *scripted) Begin(setup conformance.Setup) error {
	text := fmt.Sprintf("simulation: demo\npeers: {required: [%s], plain: [%s]}\nnodes: {/n0: {arm: {}}}\n",
		strings.Join(setup.Required, ", "), strings.Join(setup.Plain, ", "))
	net, err := network.Parse("case.yaml", []byte(text))
	if err != nil {
		return err
	}
	if setup.Secret {
		net.Arming.SecretFile = "secret"
	}
	script := simnet.Script{State: map[string]lifecycle.State{"inactive": lifecycle.Inactive,
		"active": lifecycle.Active}[setup.State]}
	if setup.Refuses != "" {
		script.On = []simnet.On{{Do: setup.Refuses, End: simnet.Refuse}}
	}
	if setup.Slow != "" {
		script.On = append(script.On, simnet.On{Do: setup.Slow, Takes: 3 * time.Second})
	}
	s.hash = net.Machine.Hash()
	s.world = simnet.New(net, simnet.Options{Seed: 1, Name: "/me", Scripts: map[string]simnet.Script{"/n0": script}})
	trace := s.pass(10 * time.Second)
	if at := trace.States; len(at) == 0 || at[len(at)-1] != setup.State {
		return fmt.Errorf("it has settled in %v", at)
	}
	s.me = trace.Changes[0].Seen[0].Instance
	s.calls = len(trace.Calls) // a start disarms nodes that may be armed
	return nil
}

// pass lets time pass, during which each peer repeats its status.
func (s *scripted) pass(d time.Duration) *simnet.Trace {
	const every = 500 * time.Millisecond
	for ; d > 0; d -= every {
		for _, instance := range s.order {
			if told := s.told[instance]; told != nil {
				s.world.Do(simnet.Hear{In: *told})
			}
		}
		s.world.Pass(min(d, every))
	}
	return s.world.Pass(0)
}

func (s *scripted) Command(name string) (bool, error) {
	s.goals++
	handle := fmt.Sprintf("%s %d", name, s.goals)
	s.world.Do(simnet.Send{Command: name, Handle: handle})
	goal := s.world.Pass(0).Goal(handle)
	return goal.Accepted, nil
}

func (s *scripted) Hear(c conformance.Change) error {
	change := mirror.Change{
		Name: c.Name, Instance: c.Instance, SourceState: c.Source, Event: c.Event, TargetState: c.Target,
		State: c.State, Settled: c.State == "", Seen: s.list(c.Seen), Hash: s.hashOf(c.Alien),
	}
	if c.Instance == "" {
		change.Hash = ""
	} else if c.State == "" {
		change.State = c.Target
	}
	s.world.Do(simnet.Hear{In: engine.PeerChanged{Change: change}})
	return nil
}

func (s *scripted) hashOf(alien bool) string {
	if alien {
		return "another"
	}
	return s.hash
}

func (s *scripted) Tell(c conformance.Status) error {
	status := mirror.Status{
		Name: c.Name, Instance: c.Instance, State: c.State, Settled: !c.Moving, Intact: !c.Broken, Target: c.Target,
		Seen:    s.list(c.Seen),
		Machine: "rstate", Hash: s.hashOf(c.Alien), Nodes: c.Nodes, Requires: c.Requires, ProofAge: -1,
		Behind: c.Behind, Leaving: c.Leaving,
	}
	if c.Target == "" {
		status.Target = c.State
	}
	if s.told[c.Instance] == nil {
		s.order = append(s.order, c.Instance)
	}
	s.told[c.Instance] = &engine.PeerTold{Status: status}
	s.world.Do(simnet.Hear{In: *s.told[c.Instance]})
	return nil
}

func (s *scripted) Lose(name, instance string) error {
	s.order = slices.DeleteFunc(s.order, func(o string) bool { return o == instance })
	delete(s.told, instance)
	s.world.Do(simnet.Hear{In: engine.PeerLost{Name: name, Instance: instance,
		Why: "it does not renew its liveliness"}})
	return nil
}

func (s *scripted) Wait(d time.Duration) error {
	s.pass(d)
	return nil
}

func (s *scripted) Rest(d time.Duration) (conformance.Seen, error) {
	trace := s.pass(d + 2*time.Second)
	for waited := time.Duration(0); !trace.Status.Settled; waited += time.Second {
		if waited > 30*time.Second {
			return conformance.Seen{}, fmt.Errorf("it does not settle: %+v", trace.Status)
		}
		trace = s.pass(time.Second)
	}
	seen := conformance.Seen{State: trace.States[len(trace.States)-1], Seen: s.counts(trace.Status.Seen),
		Target: trace.Status.Target, Behind: trace.Status.Behind}
	for _, c := range trace.Calls[s.calls:] {
		if n := len(seen.Asked); n == 0 || c.Do != "disarm" || seen.Asked[n-1] != c.Do {
			seen.Asked = append(seen.Asked, c.Do)
		}
	}
	s.calls = len(trace.Calls)
	changes := trace.Counted()
	for _, c := range changes[s.made:] {
		made := conformance.Made{Event: c.Event, Target: c.TargetState, Seen: map[string]uint64{}}
		for _, e := range c.Seen {
			s.count(made.Seen, e.Instance, e.N)
		}
		seen.Made = append(seen.Made, made)
	}
	s.made = len(changes)
	return seen, nil
}

// list converts a seen map to the engine's form.
func (s *scripted) list(seen map[string]uint64) []mirror.Seen {
	var list []mirror.Seen
	for instance, n := range seen {
		if instance == conformance.Me {
			instance = s.me
		}
		list = append(list, mirror.Seen{Instance: instance, N: n})
	}
	slices.SortFunc(list, func(a, b mirror.Seen) int { return strings.Compare(a.Instance, b.Instance) })
	return list
}

func (s *scripted) counts(list []mirror.Seen) map[string]uint64 {
	seen := map[string]uint64{}
	for _, e := range list {
		s.count(seen, e.Instance, e.N)
	}
	return seen
}

func (s *scripted) count(seen map[string]uint64, instance string, n uint64) {
	if instance == s.me {
		instance = conformance.Me
	}
	if n > 0 {
		seen[instance] = n
	}
}
