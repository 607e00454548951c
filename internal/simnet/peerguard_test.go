package simnet

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/mirror"
)

// TestTheGuardOfPeersBites: each thing that must never be among several is noticed when it is. The instance that does
// it is played; other faults of it do not count here.
func TestTheGuardOfPeersBites(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*played)
		want string // in a fault; empty: there is none
	}{
		{"what is mirrored is published", func(p *played) { p.shows("activating", "inactive", "active"); p.makes(1, "inactive", "active") }, "published without a command"},
		{"a command that no client gave", func(p *played) { p.makes(1, "inactive", "active") }, "published without a command"},
		{"a failure is published", func(p *played) { p.required(); p.follows("active"); p.makes(1, "active", "inactive") }, ""},
		{"a failure is published of which no peer has to know", func(p *played) { p.follows("active"); p.makes(1, "active", "inactive") }, "no peer has to know"},
		{"two were made at once and raise", func(p *played) {
			p.tells("inactive", "inactive", 1)
			p.hears("active", p.now)
			p.tells("active", "active", 1)
		}, "no peer that had seen as much has said so"},
		{"who had seen all raises", func(p *played) {
			p.tells("inactive", "inactive", 1)
			p.other("active", "active", 1)
			p.tells("active", "active", 1)
		}, ""},
		{"a failure that leads no lower is published", func(p *played) { p.follows("inactive"); p.makes(1, "inactive", "inactive") }, "published without a command"},
		{"no end of changes", func(p *played) {
			for n := range uint64(20) {
				p.makes(n+1, "active", "inactive")
			}
		}, "changes since the last act from outside"},
		{"changes of its own are forgotten", func(p *played) { p.tells("active", "active", 2); p.tells("active", "active", 1) }, "forgets changes of its own"},
		{"behind without a cause", func(p *played) { p.says(mirror.Status{State: "inactive", Target: "active", Behind: true}, 1) }, "does not say why"},
		{"one has not seen what the other made", func(p *played) { p.tells("active", "active", 1); p.rest() }, "has seen"},
		{"two want different states", func(p *played) {
			p.tells("active", "active", 1)
			p.other("inactive", "inactive", 1)
			p.rest()
		}, "wants active, and /p1 inactive"},
		{"both agree", func(p *played) {
			p.tells("active", "active", 1)
			p.other("active", "active", 1)
			p.rest()
		}, ""},
		{"one stands lower and says nothing", func(p *played) { p.tells("inactive", "active", 1); p.rest() }, "does not say that it is behind"},
		{"one stands higher for no reason", func(p *played) {
			p.says(mirror.Status{State: "active", Target: "inactive", Settled: true, Behind: true, Cause: "why not"}, 1)
			p.rest()
		}, "higher than inactive, and nothing has failed"},
		{"armed on what was said before they met", func(p *played) { p.hears("armed", p.since()-1); p.arms() }, "no client or peer has asked for it"},
		{"armed on what was said before it stood still", func(p *played) {
			p.worlds[0].check.standstill = p.now
			p.hears("armed", p.now-1)
			p.arms()
		}, "no client or peer has asked for it"},
		{"armed though a disarm came after", func(p *played) { p.hears("armed", p.now); p.hears("active", p.now); p.arms() }, "no client or peer has asked for it"},
		{"armed because a peer has just armed", func(p *played) { p.hears("armed", p.now); p.arms() }, ""},
		{"armed, and a change that the arm covers arrives later", func(p *played) {
			p.other("active", "active", 0)
			p.until(p.now + second)
			p.hearsOf(p.instance(), "armed", 1, 1)
			p.hearsOf("x", "active", 0, 1)
			p.arms()
		}, ""},
		{"armed, and a change that the arm does not cover arrives later", func(p *played) {
			p.other("active", "active", 0)
			p.until(p.now + second)
			p.hearsOf(p.instance(), "armed", 1, 1)
			p.hearsOf("x", "active", 0, 2)
			p.arms()
		}, "no client or peer has asked for it"},
		{"armed on a change that a disarm covers", func(p *played) {
			p.other("active", "active", 0)
			p.until(p.now + second)
			p.hearsOf(p.instance(), "active", 1, 1)
			p.ends[0].hears[1].hear("x")
			p.hearsOf("x", "armed", 0, 1)
			p.arms()
		}, "no client or peer has asked for it"},
		{"armed again when the arm that it followed has failed", func(p *played) {
			p.hears("armed", p.now)
			p.shows("arming", "active", "armed")
			p.shows("active", "active", "active")
			p.arms()
		}, "no client or peer has asked for it"},
		{"armed because a peer has armed again meanwhile", func(p *played) {
			p.hears("armed", p.now)
			p.shows("arming", "active", "armed")
			p.hears("armed", p.now)
			p.shows("active", "active", "active")
			p.arms()
		}, ""},
		{"armed after a change of its own", func(p *played) {
			p.hears("armed", p.now)
			p.makes(1, "active", "inactive")
			p.arms()
		}, "no client or peer has asked for it"},
		{"armed without a required peer", func(p *played) {
			p.requires("/p1")
			p.guard.look()
			p.until(p.now + 3*time.Second)
			p.arms()
		}, "/p1, which is required, is not fit"},
		{"armed with a required peer", func(p *played) {
			p.requires("/p1")
			p.other("active", "active", 0)
			p.hears("armed", p.now)
			p.arms()
		}, ""},
		{"stays armed without a required peer", func(p *played) {
			p.requires("/p1")
			p.other("active", "active", 0)
			p.shows("armed", "armed", "")
			p.worlds[1].brain.kill(time.Hour)
			p.guard.look()
			p.until(p.now + 3*time.Second)
			p.guard.look()
		}, "/p1, which it requires, is not fit"},
		{"stays armed though another has disarmed", func(p *played) {
			p.shows("armed", "armed", "")
			p.until(p.now + time.Second)
			p.guard.changed(p.ends[1], engine.Change{TargetState: "active"})
			p.until(p.now + 5*time.Second)
			p.guard.look()
		}, "/p1 is not armed any more"},
		{"raised though another drives the node", func(p *played) {
			p.worlds[1].net.Nodes[0].Name = "/n0"
			p.other("inactive", "inactive", 0)
			p.until(p.now + 3*time.Second)
			p.shows("activating", "inactive", "active")
		}, "/p1 drives /n0 too"},
		{"raised, and the present run of the peer has not told that it drives the node", func(p *played) {
			p.worlds[1].net.Nodes[0].Name = "/n0"
			p.worlds[1].brain.kill(0)
			p.until(p.now + 4*time.Second)
			p.shows("activating", "inactive", "active")
		}, ""},
		{"raised, and the present run of the peer drives the node too", func(p *played) {
			p.worlds[1].net.Nodes[0].Name = "/n0"
			p.worlds[1].brain.kill(0)
			p.until(p.now + second)
			p.other("inactive", "inactive", 0)
			p.until(p.now + 3*time.Second)
			p.shows("activating", "inactive", "active")
		}, "/p1 drives /n0 too"},
		{"changes are published and not shown", func(p *played) { p.tellsMore("active", false) }, "shown are [] to active"},
		{"changes are published and not shown in the step that ends it", func(p *played) { p.tellsMore("active", true) }, ""},
		{"another target is published and not shown in the step that ends it", func(p *played) { p.tellsMore("inactive", true) }, "to inactive, behind"},
		{"a goal has waited in vain", func(p *played) { p.waits("inactive") }, "/p1 was not active since"},
		{"a goal has waited", func(p *played) { p.waits("active") }, ""},
		{"a goal ends because others are behind, which are not", func(p *played) {
			p.other("active", "active", 0)
			p.until(p.now + 3*time.Second)
			p.finish(engine.Result{Outcome: engine.OutcomePeersBehind, Message: "peers behind"}, engine.Aborted)
		}, "ends because peers are behind, and all are active"},
		{"a goal ends because others are behind, which are", func(p *played) {
			p.other("inactive", "active", 0)
			p.until(p.now + 3*time.Second)
			p.finish(engine.Result{Outcome: engine.OutcomePeersBehind, Message: "peers behind"}, engine.Aborted)
		}, ""},
		{"a goal has waited, and the next goal leads on in the same step", func(p *played) {
			p.other("inactive", "inactive", 0)
			p.until(p.now + second)
			p.accepts("a")
			p.worlds[0].check.decides([]engine.Effect{engine.FinishGoal{Handle: "a"}, engine.PublishChange{}})
			p.makes(1, "inactive", "active")
			p.concludes("a", engine.Result{Success: true, Outcome: engine.OutcomeAlready, Message: "it is", State: "activating"}, engine.Succeeded)
		}, ""},
		{"a goal has waited in vain for its own change, and the next goal leads on in the same step", func(p *played) {
			p.other("inactive", "inactive", 0)
			p.until(p.now + second)
			p.accepts("a")
			p.worlds[0].check.decides([]engine.Effect{engine.PublishChange{}, engine.FinishGoal{Handle: "a"}, engine.PublishChange{}})
			p.makes(1, "inactive", "active")
			p.makes(2, "active", "inactive")
			p.concludes("a", engine.Result{Success: true, Outcome: engine.OutcomeDone, Message: "done", State: "activating"}, engine.Succeeded)
		}, "/p1 was not active since"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t)
			c.do(p)
			faults := slices.Concat(p.trace.Faults, p.worlds[0].trace.Faults, p.worlds[1].trace.Faults)
			faults = slices.DeleteFunc(faults, func(f string) bool { // no node follows what is played
				return strings.Contains(f, "fresh proof of") || strings.Contains(f, "is not armed") && !strings.Contains(f, "any more") || strings.Contains(f, "which is not there")
			})
			if c.want == "" && len(faults) > 0 || c.want != "" && !strings.Contains(strings.Join(faults, "\n"), c.want) {
				t.Errorf("noticed %q, want %q", faults, c.want)
			}
		})
	}
}

// TestTheGuardOfPeersKnowsWhatIsNotRaised: an instance that is not intact stays where it is if its way down raises a
// node on the way (C7).
func TestTheGuardOfPeersKnowsWhatIsNotRaised(t *testing.T) {
	const raising = `
groups: {half: []}
machine:
  initial: low
  states:
    low: {nodes: unconfigured}
    dead: {nodes: finalized, final: true}
    over: {nodes: finalized, final: true}
    some: {nodes: {half: active, others: unconfigured}}
    all: {nodes: {half: active, others: active}}
  transitions:
    begin: {from: [low], to: some}
    go_on: {from: [some], to: all}
    stop: {from: [all], to: dead}
    end: {from: any, to: over}
`
	for _, c := range []struct {
		name, state string
		truth       lifecycle.State // of its node
		want        string          // in a fault; empty: there is none
	}{
		{"intact, and the way raises", "some", lifecycle.Unconfigured, "higher than dead, and nothing has failed"},
		{"strayed, and the way raises", "some", lifecycle.Inactive, ""},
		{"strayed, and the way only lowers", "all", lifecycle.Unconfigured, "higher than dead, and nothing has failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, raising)
			for _, n := range p.worlds[0].nodes {
				for _, pr := range n.procs {
					pr.state = c.truth
				}
			}
			p.says(mirror.Status{State: c.state, Target: "dead", Settled: true, Behind: true, Cause: "not intact"}, 1)
			p.rest()
			got := strings.Join(p.trace.Faults, "\n")
			if c.want == "" && strings.Contains(got, "higher than") || !strings.Contains(got, c.want) { // the other has seen nothing
				t.Errorf("noticed %q, want %q", got, c.want)
			}
		})
	}
}

// played is two instances whose engines are silent: the test says what they say.
type played struct{ *wired }

// play returns two instances that have found each other.
func play(t *testing.T, keys ...string) *played {
	p := &played{newWired(t, quick, keys...)}
	for _, w := range p.worlds {
		w.brain.broken = true
	}
	p.until(second)
	for _, w := range p.worlds {
		w.trace.Faults = nil
	}
	return p
}

func (p *played) me() string { return p.worlds[0].brain.instance() }

func (p *played) shows(state, settled, target string) {
	p.worlds[0].brain.shown = state
	p.worlds[0].check.turns(state, engine.Snapshot{Settled: settled, Work: engine.WorkView{Target: target}})
	p.worlds[0].check.shows(state)
}

func (p *played) makes(n uint64, from, to string) {
	p.worlds[0].check.publishes(engine.Change{SourceState: from, TargetState: to, Seen: []engine.Seen{{Instance: p.me(), N: n}}})
}

func (p *played) tells(state, target string, n uint64) {
	p.says(mirror.Status{State: state, Target: target, Settled: true, Intact: true}, n)
}

// says lets the first tell of itself, and of n changes of its own.
func (p *played) says(s mirror.Status, n uint64) {
	s.Name, s.Instance, s.Hash = "/p0", p.me(), p.ends[0].hash
	s.Seen = []mirror.Seen{{Instance: p.me(), N: n}}
	p.worlds[0].check.tells(s)
	p.ends[0].told(s)
}

// tellsMore lets the first tell peers of one more change than it shows, which leads to a target, and perhaps end.
func (p *played) tellsMore(target string, ends bool) {
	st := mirror.Status{Name: "/p0", Instance: p.me(), Target: target, Leaving: ends, Seen: []mirror.Seen{{Instance: p.instance(), N: 1}}}
	effects := []engine.Effect{engine.TellPeers{Status: st}}
	if ends {
		effects = append(effects, engine.Exit{})
	}
	g := &p.worlds[0].check
	g.decides(effects)
	g.shown, p.worlds[0].trace.Status = &engine.Snapshot{Peers: engine.PeersView{Common: "active"}}, st
	g.showsWhatItTells()
}

// other lets the second tell of itself, and of n changes of the first.
func (p *played) other(state, target string, n uint64) {
	instance := p.worlds[1].brain.instance()
	st := mirror.Status{
		Name: "/p1", Instance: instance, Hash: p.ends[1].hash, State: state, Target: target, Settled: true, Intact: true,
		Seen: []mirror.Seen{{Instance: p.me(), N: n}, {Instance: instance}},
	}
	p.ends[1].told(st)
	p.worlds[0].check.hears(p.ends[0].hears[1], parcel{at: p.now, instance: instance, in: engine.PeerTold{Status: st}})
	p.until(p.now + 10*time.Millisecond)
}

func (p *played) rest() {
	for _, w := range p.worlds {
		w.brain.broken = false
	}
	p.quiet = p.now
	p.guard.atEnd()
}

// since is when the first has found the second.
func (p *played) since() time.Duration { return p.ends[0].hears[1].since }

// follows lets the first have followed the second to a state.
func (p *played) follows(target string) {
	p.hears(target, p.now)
	p.worlds[0].check.lowest = p.worlds[0].net.Machine.Level(target)
	p.ends[0].status.Seen = []mirror.Seen{{Instance: p.worlds[1].brain.instance(), N: 1}}
}

// hears lets the first hear that the second goes to a state, said at a time.
func (p *played) hears(target string, at time.Duration) {
	seen := []mirror.Seen{{Instance: p.instance(), N: own(p.worlds[0].check.heardOf, p.instance()) + 1}}
	p.hearsSeen(p.instance(), target, at, seen)
}

// hearsOf lets the first hear now that an instance goes to a state, by a change that says so many
// changes of the second and of the instance x were seen.
func (p *played) hearsOf(instance, target string, second, x uint64) {
	p.hearsSeen(instance, target, p.now, []mirror.Seen{{Instance: p.instance(), N: second}, {Instance: "x", N: x}})
}

func (p *played) hearsSeen(instance, target string, at time.Duration, seen []mirror.Seen) {
	change := mirror.Change{Name: "/p1", Instance: instance, TargetState: target, Hash: p.ends[0].hash, Seen: seen}
	p.worlds[0].check.hears(p.ends[0].hears[1], parcel{at: at, instance: instance, in: engine.PeerChanged{Change: change}})
}

// instance is that of the second.
func (p *played) instance() string { return p.worlds[1].brain.instance() }

func (p *played) arms() {
	g := &p.worlds[0].check
	g.named, g.leasedTill = true, time.Hour
	g.display = &engine.Snapshot{Nodes: []engine.NodeView{{Armed: engine.MayBeArmed}}}
	g.decides([]engine.Effect{engine.ArmNode{Permit: permit()}})
	g.armsNode(p.worlds[0].nodes[0], engine.ArmNode{Permit: permit()})
}

// required lets the second require the first, which knows.
func (p *played) required() {
	p.worlds[1].net.Peers.Required = []string{"/p0"}
	p.other("active", "active", 0)
}

func (p *played) requires(name string) { p.worlds[0].net.Peers.Required = []string{name} }

// waits is a goal that ends because its peer, which is where it is, was where the goal led.
func (p *played) waits(where string) {
	p.other(where, where, 0)
	p.until(p.now + second)
	p.finish(engine.Result{Success: true, Outcome: engine.OutcomeDone, Message: "done", State: "activating"}, engine.Succeeded)
}

// finish is the end of a goal that waits for its peers, and its result.
func (p *played) finish(r engine.Result, how engine.Ending) {
	p.accepts("a")
	p.makes(1, "inactive", "active")
	p.concludes("a", r, how)
}

// accepts lets the first accept a goal that waits for its peers.
func (p *played) accepts(handle string) {
	g := &p.worlds[0].check
	g.asks(Send{Command: "activate", Handle: handle, WaitPeers: true}, 0)
	g.decides([]engine.Effect{engine.AcceptGoal{Handle: handle}})
	g.goal(engine.AcceptGoal{Handle: handle})
}

// concludes lets the first end a goal.
func (p *played) concludes(handle string, r engine.Result, how engine.Ending) {
	p.worlds[0].check.goal(engine.FinishGoal{Handle: handle, Ending: how, Result: r})
}
