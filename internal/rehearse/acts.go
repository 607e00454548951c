package rehearse

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/simnet"
	"rstate/internal/strict"
)

// Step is one thing that is done. Exactly one of the acts is set.
type Step struct {
	Send, Cancel                                         string
	Argument                                             string // of what is sent
	Ask                                                  string // another program asks a node: "deactivate /slam"
	Kill, Respawn, Freeze, Thaw, Cut, Mend, Fail, Repair string // names of nodes
	Offer, Withdraw                                      string // the unsafe names of a node
	// the daemon is killed, and starts again after so long
	Restart time.Duration
	Wait    time.Duration
	// When: in the callback of a step of a node ("activate /slam"), or so long after the previous step. Without both, a
	// step waits for the end of the goal that the previous one sent.
	In    string
	After time.Duration
}

// steps reads what is done. earlier are the steps of the case before them.
func (r reader) steps(earlier *[]Step) strict.Kind[[]Step] {
	one := strict.Record(r.stepFields(), Step{})
	return strict.Kind[[]Step]{
		Schema: strict.Schema{"type": "array", "items": one.Schema},
		Read: func(v strict.Value, into *[]Step) {
			items, ok := v.Items("a list of steps, like [{send: active}, {kill: /slam}]")
			if !ok {
				return
			}
			for _, item := range items {
				var s Step
				before := item.Report().Count()
				one.Read(item, &s)
				if n := s.count(); n != 1 && item.Report().Count() == before {
					item.Fault(fmt.Sprintf("does %d things", n),
						"write one step for each thing: {send: active}, {kill: /slam} or {wait: 5s}")
				}
				if s.In != "" && s.After != 0 && item.Report().Count() == before {
					item.Fault("says twice when it is done", "write in, or after")
				}
				sent := func(o Step) bool { return o.Send == s.Cancel }
				if s.Argument != "" && s.Send == "" && item.Report().Count() == before {
					item.Find("argument").Fault("is of no command", "write it beside send")
				}
				if s.Cancel != "" && !slices.ContainsFunc(slices.Concat(*earlier, *into), sent) && item.Report().Count() == before {
					item.Find("cancel").Fault(fmt.Sprintf("no step before it sends %s", s.Cancel),
						fmt.Sprintf("write {send: %s} before it", s.Cancel))
				}
				*into = append(*into, s)
			}
		},
	}
}

func (r reader) stepFields() []strict.Field[Step] {
	node := strict.Text("the name of a node of the network", "", r.unknownNode)
	command := strict.Text("a command or a state", "", r.unknownCommand)
	argument := words()
	argument.Schema = argument.Schema.With("type", []string{"string", "number"}) // a number is read as it is written
	time1 := strict.Duration(false)
	return []strict.Field[Step]{
		strict.Key("send", "a command, or a state to reach", command, func(s *Step) *string { return &s.Send }).Plain(),
		strict.Key("cancel", "the newest goal of that command is cancelled", command,
			func(s *Step) *string { return &s.Cancel }).Plain(),
		strict.Key("argument", "of the command that is sent: a number of steps, or an outcome", argument,
			func(s *Step) *string { return &s.Argument }).Plain(),
		strict.Key("ask", "another program asks a node for a transition, like deactivate /slam",
			r.call(noTransition, r.neverBegins), func(s *Step) *string { return &s.Ask }).Plain(),
		strict.Key("kill", "the process of that node is killed", node,
			func(s *Step) *string { return &s.Kill }).Plain(),
		strict.Key("respawn", "a new process of that node starts", node,
			func(s *Step) *string { return &s.Respawn }).Plain(),
		strict.Key("freeze", "the process of that node stands still", node,
			func(s *Step) *string { return &s.Freeze }).Plain(),
		strict.Key("thaw", "it goes on", node, func(s *Step) *string { return &s.Thaw }).Plain(),
		strict.Key("cut", "that node is cut off from the network", node,
			func(s *Step) *string { return &s.Cut }).Plain(),
		strict.Key("mend", "it is connected again", node, func(s *Step) *string { return &s.Mend }).Plain(),
		strict.Key("fail", "the checks of that node fail", node, func(s *Step) *string { return &s.Fail }).Plain(),
		strict.Key("repair", "they pass again", node, func(s *Step) *string { return &s.Repair }).Plain(),
		strict.Key("offer", "that node offers its unsafe names", node,
			func(s *Step) *string { return &s.Offer }).Plain(),
		strict.Key("withdraw", "it offers them no longer", node, func(s *Step) *string { return &s.Withdraw }).Plain(),
		strict.Key("restart", "the daemon is killed, and starts again after this time", time1,
			func(s *Step) *time.Duration { return &s.Restart }).Plain(),
		strict.Key("wait", "nothing is done for this time", time1,
			func(s *Step) *time.Duration { return &s.Wait }).Plain(),
		strict.Key("in", "when: while a node is in a step, like activate /slam", r.call(r.neverBegins),
			func(s *Step) *string { return &s.In }).Plain(),
		strict.Key("after", "when: so long after the previous step", time1,
			func(s *Step) *time.Duration { return &s.After }).Plain(),
	}
}

// count is how many things a step does.
func (s *Step) count() (n int) {
	for _, word := range []string{s.Send, s.Cancel, s.Ask, s.Kill, s.Respawn, s.Freeze, s.Thaw, s.Cut, s.Mend, s.Fail,
		s.Repair, s.Offer, s.Withdraw} {
		if word != "" {
			n++
		}
	}
	for _, d := range []time.Duration{s.Restart, s.Wait} {
		if d != 0 {
			n++
		}
	}
	return n
}

// acts are what a step does in the simulated world, apart from sending and cancelling goals.
func (s *Step) acts() []simnet.Act {
	one := func(a simnet.Act) []simnet.Act { return []simnet.Act{a} }
	switch {
	case s.Ask != "":
		step, node, _ := strings.Cut(s.Ask, " ")
		return one(simnet.Ask{Node: node, Do: step})
	case s.Kill != "":
		return one(simnet.Kill{Node: s.Kill})
	case s.Respawn != "":
		return one(simnet.Respawn{Node: s.Respawn})
	case s.Freeze != "":
		return one(simnet.Freeze{Node: s.Freeze})
	case s.Thaw != "":
		return one(simnet.Thaw{Node: s.Thaw})
	case s.Cut != "":
		return one(simnet.Part{Node: s.Cut})
	case s.Mend != "":
		return one(simnet.Join{Node: s.Mend})
	case s.Restart != 0:
		return one(simnet.Crash{DownFor: s.Restart})
	case s.Offer != "":
		return one(simnet.Advertise{Node: s.Offer})
	case s.Withdraw != "":
		return one(simnet.Advertise{Node: s.Withdraw, Not: true})
	case s.Fail != "":
		return []simnet.Act{simnet.Publish{Node: s.Fail}, simnet.Fail{Node: s.Fail}}
	case s.Repair != "":
		return []simnet.Act{simnet.Publish{Node: s.Repair, Share: 1}, simnet.Fail{Node: s.Repair, Not: true}}
	}
	return one(simnet.Nothing{})
}
