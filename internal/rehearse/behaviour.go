package rehearse

import (
	"fmt"
	"slices"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/simnet"
	"rstate/internal/stepper"
	"rstate/internal/strict"
)

// Behaviour is how one node differs from a good one.
type Behaviour struct {
	Node    string
	State   string        // at the start
	Armed   bool          // at the start
	Appears time.Duration // when its process starts
	Never   bool          // its process never starts
	// the number of the step of a stepped loop in which it fails, once; 0: in none
	FailStep int
	// What it does in each step.
	Configure, Activate, Deactivate, Cleanup, Shutdown, Arm, Disarm Conduct
}

// Conduct is how a node behaves in one step. The zero value succeeds at once.
type Conduct struct {
	Does  Fault
	Times int           // how often; 0: every time
	Takes time.Duration // how long the callback runs
}

// Fault is one way in which a step can end.
type Fault string

// The ways.
const (
	OK         Fault = "ok"
	RefuseIt   Fault = "refuse"     // it answers no, and stays where it was
	ErrIn      Fault = "error"      // its callback fails; on_error brings it to unconfigured
	ErrFatally Fault = "fatal"      // its callback and on_error fail; it is finalized
	DieIn      Fault = "die"        // its process ends in the callback
	Respawn    Fault = "respawn"    // the same, and a new process starts a second later
	HangIn     Fault = "hang"       // its callback never returns
	Unanswered Fault = "unanswered" // it does what it is asked, and the answer is lost
)

// Plain reports whether the process of the node starts with the network, and the node is unconfigured then.
func (b *Behaviour) Plain() bool {
	return !b.Never && !b.Armed && b.Appears == 0 && (b.State == "" || b.State == "unconfigured")
}

// In returns how the node behaves in a step.
func (b *Behaviour) In(step string) *Conduct {
	switch step {
	case "configure":
		return &b.Configure
	case "activate":
		return &b.Activate
	case "deactivate":
		return &b.Deactivate
	case "cleanup":
		return &b.Cleanup
	case "shutdown":
		return &b.Shutdown
	case "arm":
		return &b.Arm
	}
	return &b.Disarm
}

// steps are what a node can be asked for.
var steps = []string{"configure", "activate", "deactivate", "cleanup", "shutdown", "arm", "disarm"}

func (r reader) behaviours() strict.Kind[[]Behaviour] {
	words := []string{"unconfigured", "inactive", "active", "finalized"}
	state := strict.Text("the state of a node", "", func(s string) (string, string) {
		return unless(slices.Contains(words, s), fmt.Sprintf("%q is no state of a node", s), s, words)
	})
	fields := []strict.Field[Behaviour]{
		strict.Key("state", "in which it is found at the start", state,
			func(b *Behaviour) *string { return &b.State }).Else("unconfigured"),
		strict.Key("armed", "true: it is armed at the start", strict.Bool(),
			func(b *Behaviour) *bool { return &b.Armed }),
		strict.Key("appears", "when its process starts", strict.Duration(true),
			func(b *Behaviour) *time.Duration { return &b.Appears }),
		strict.Key("never", "true: its process never starts", strict.Bool(),
			func(b *Behaviour) *bool { return &b.Never }),
	}
	fields = append(fields, strict.Key("fail_step", "the step of the stepped loop in which it fails, once",
		strict.Int(1, 1000000), func(b *Behaviour) *int { return &b.FailStep }).Plain())
	for _, step := range steps {
		fields = append(fields, strict.Key(step, "what it does when it is asked to "+step, conduct(),
			func(b *Behaviour) *Conduct { return b.In(step) }).Plain())
	}
	return strict.Table(strict.Record(fields, Behaviour{}), ".", false, func(e strict.Entry) (Behaviour, bool) {
		problem, hint := r.unknownNode(e.Name)
		if problem != "" {
			e.Key.Fault(problem, hint)
		}
		return Behaviour{Node: e.Name}, problem == ""
	})
}

// conduct reads a word, or a mapping where more is to be said.
func conduct() strict.Kind[Conduct] {
	does := strict.Enum(OK, RefuseIt, ErrIn, ErrFatally, DieIn, Respawn, HangIn, Unanswered)
	fields := []strict.Field[Conduct]{
		strict.Key("does", "how it ends", does, func(c *Conduct) *Fault { return &c.Does }).Else("ok"),
		strict.Key("times", "how often; 0: every time", strict.Int(0, 1000), func(c *Conduct) *int { return &c.Times }),
		strict.Key("takes", "how long it runs", strict.Duration(true),
			func(c *Conduct) *time.Duration { return &c.Takes }),
	}
	k := strict.Record(fields, Conduct{})
	whole := k.Read
	k.Schema = strict.Schema{"anyOf": []strict.Schema{does.Schema, k.Schema}}
	k.Read = func(v strict.Value, into *Conduct) {
		if v.IsMap() {
			whole(v, into)
			return
		}
		does.Read(v, &into.Does)
	}
	return k
}

// scripts says how the nodes behave.
func (l *life) scripts(list []Behaviour) map[string]simnet.Script {
	scripts := map[string]simnet.Script{}
	for i := range list {
		b := &list[i]
		s := simnet.Script{State: stateNamed(b.State), Armed: b.Armed, Born: b.Appears, Never: b.Never}
		for _, step := range steps {
			c := *b.In(step)
			switch {
			case c == Conduct{}:
			case step == "arm":
				s.Arm = replies(c)
			case step == "disarm":
				s.Disarm = replies(c)
			default:
				s.On = append(s.On, l.on(b.Node, step, c))
			}
		}
		if b.FailStep > 0 {
			s.Steps = []simnet.Step{{Phase: stepper.StepBegin, Cycle: uint64(b.FailStep), End: simnet.Refuse}}
			s = s.Once()
		}
		scripts[b.Node] = s
	}
	return scripts
}

func stateNamed(word string) lifecycle.State {
	for _, s := range []lifecycle.State{lifecycle.Inactive, lifecycle.Active, lifecycle.Finalized} {
		if s.String() == word {
			return s
		}
	}
	return lifecycle.Unconfigured
}

var ends = map[Fault]simnet.End{
	RefuseIt: simnet.Refuse, ErrIn: simnet.Err, ErrFatally: simnet.ErrFatal, DieIn: simnet.Die, Respawn: simnet.Die,
	HangIn: simnet.Hang,
}

func (l *life) on(node, step string, c Conduct) simnet.On {
	o := simnet.On{Do: step, Times: c.Times, Takes: c.Takes, End: ends[c.Does]}
	switch c.Does {
	case Unanswered:
		o.Loss = simnet.LoseAnswer
	case Respawn:
		o.Times = max(c.Times, 1)
		l.respawns = append(l.respawns, slices.Repeat([]string{node}, o.Times)...)
	}
	return o
}

// replies says how a node answers to arm or to disarm.
func replies(c Conduct) []simnet.Reply {
	r := simnet.Reply{Takes: c.Takes}
	switch c.Does {
	case HangIn:
		r.Silent = true
	case Unanswered:
		r.Mute = true
	case OK, "":
	default:
		r.No = true
	}
	if c.Times == 0 {
		return []simnet.Reply{r}
	}
	list := make([]simnet.Reply, c.Times+1) // the last stands for all that follow
	for k := range c.Times {
		list[k] = r
	}
	return list
}
