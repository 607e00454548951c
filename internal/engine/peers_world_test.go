package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/machine"
	"rstate/internal/mirror"
	"rstate/internal/network"
	"rstate/internal/simnet"
)

// one instance of several: /a, /b, /c, each with a network of its own: /a_base, and /a_arm, which can be armed.
type instance struct {
	keys   string         // lines put in front of its network file
	plain  bool           // it has nothing that can be armed
	long   bool           // its nodes may take 20 s for a step
	script simnet.Script  // of its base
	arm    []simnet.Reply // of the other
	disarm []simnet.Reply // the same
	tell   []simnet.Beat  // At counts from the start; all have settled and found each other after a second

	states    string // shown from the mark on
	published string
	goals     string
	ends      string // where it stands: "active, wants armed, behind"
	why       string // is part of the last goal's reason or message
	history   string // is a sentence of its journal, with its cause: "sentence | cause"
	not       string // is in no sentence of it
}

type several struct {
	name string
	opt  simnet.PeersOptions
	mark time.Duration // what is compared begins here; zero: a second
	all  []instance
}

const base = `
simulation: demo
nodes:
  /%[1]s_base: {deadline: {configure: 2s, activate: 2s, deactivate: 2s, cleanup: 2s, recover: 2s}}
  /%[1]s_arm: {after: [/%[1]s_base], arm: {}}
`

func (s several) run(t *testing.T) *simnet.PeersTrace {
	t.Helper()
	var peers []simnet.Peer
	for i, one := range s.all {
		name := string(rune('a' + i))
		file := one.keys + fmt.Sprintf(base, name)
		if one.plain {
			file = strings.Replace(file, ", arm: {}", "", 1)
		}
		if one.long {
			file = strings.ReplaceAll(file, ": 2s", ": 20s")
		}
		net, err := network.Parse(name+".yaml", []byte(file))
		if err != nil {
			t.Fatal(err)
		}
		scripts := map[string]simnet.Script{"/" + name + "_base": one.script,
			"/" + name + "_arm": {State: one.script.State, Arm: one.arm, Disarm: one.disarm}}
		peers = append(peers, simnet.Peer{Net: net,
			Options: simnet.Options{Seed: 1, Name: "/" + name, Scripts: scripts}})
	}
	if s.mark == 0 {
		s.mark = time.Second
	}
	s.opt.Seed, s.opt.Rest = 1, 4*time.Second
	all := simnet.NewPeers(peers, s.opt)
	for i, one := range s.all {
		all.World(i).Tell(when(simnet.At(s.mark), simnet.Mark{}))
		all.World(i).Tell(one.tell...)
	}
	trace := all.Run()
	if len(trace.Faults) > 0 {
		t.Fatalf("what must never be:\n%v", trace)
	}
	for i, one := range s.all {
		one.compare(t, trace.Names[i], trace.Worlds[i])
	}
	if t.Failed() {
		t.Log(trace)
	}
	return trace
}

func (one instance) compare(t *testing.T, name string, trace *simnet.Trace) {
	t.Helper()
	check := func(what, got, want string) {
		t.Helper()
		if want == "none" {
			want = ""
		} else if want == "" {
			return
		}
		if got != want {
			t.Errorf("%s, %s:\n got  %s\n want %s", name, what, got, want)
		}
	}
	var verdicts []string
	why := ""
	for _, g := range trace.Goals {
		if g.Asked >= trace.Marked {
			verdicts = append(verdicts, g.Handle+": "+g.Verdict())
			why = g.Why + g.Result.Message
		}
	}
	check("states", trace.Story(), one.states)
	check("published", trace.News(), one.published)
	check("goals", strings.Join(verdicts, ", "), one.goals)
	check("ends", stands(trace.Last), one.ends)
	if !strings.Contains(why, one.why) {
		t.Errorf("%s, why:\n got  %s\n want %s", name, why, one.why)
	}
	told := one.history == ""
	for _, e := range trace.Entries {
		told = told || strings.Contains(e.Sentence+" | "+e.Cause, one.history)
		if one.not != "" && strings.Contains(e.Sentence, one.not) {
			t.Errorf("%s: its journal says %q", name, e.Sentence)
		}
	}
	if !told {
		t.Errorf("%s: its journal does not say %q", name, one.history)
	}
}

// stands is where an instance stands in the end.
func stands(s engine.Snapshot) string {
	words := s.State + ", wants " + s.Peers.Common
	if s.Peers.Behind {
		words += ", behind"
	}
	return words
}

func cast(t *testing.T, list []several) {
	t.Helper()
	for _, s := range list {
		t.Run(s.name, func(t *testing.T) { s.run(t) })
	}
}

// asks is a client's goal at that second.
func asks(second float64, command string) simnet.Beat {
	at := time.Duration(second * float64(time.Second))
	return when(simnet.At(at), simnet.Send{Command: command, Handle: fmt.Sprint(command, " ", second)})
}

func does(second float64, act simnet.Act) simnet.Beat {
	return when(simnet.At(time.Duration(second*float64(time.Second))), act)
}

// Peers whose messages a story sends one at a time: /b, of instance "b 1", and another.
var rstateHash = func() string {
	m, err := machine.Preset("rstate")
	if err != nil {
		panic(err)
	}
	return m.Hash()
}()

func knows(list ...any) []mirror.Seen {
	var seen []mirror.Seen
	for k := 0; k < len(list); k += 2 {
		seen = append(seen, mirror.Seen{Instance: list[k].(string), N: uint64(list[k+1].(int))})
	}
	return seen
}

// told is a status of /b, which rests in a state.
func told(state string, seen []mirror.Seen, edits ...func(*mirror.Status)) simnet.Act {
	st := mirror.Status{
		Name: "/b", Instance: "b 1", State: state, Settled: true, Intact: true, Target: state, Seen: seen,
		Machine: "rstate", Hash: rstateHash,
	}
	for _, e := range edits {
		e(&st)
	}
	return simnet.Hear{In: engine.PeerTold{Status: st}}
}

// heard is a change of /b.
func heard(from, event, to string, seen []mirror.Seen) simnet.Act {
	return simnet.Hear{In: engine.PeerChanged{Change: mirror.Change{
		Name: "/b", Instance: "b 1", SourceState: from, Event: event, TargetState: to, State: to, Settled: true,
		Seen: seen, Hash: rstateHash,
	}}}
}

func lost() simnet.Act {
	return simnet.Hear{In: engine.PeerLost{Name: "/b", Instance: "b 1", Why: "it is cut off"}}
}
