//go:build ros

package peers

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
	"rstate/test/bed/team"
)

// parted is a row: where the wire is cut, what happens on both sides then, and the result.
type parted struct {
	via     string // the state at the cut: the base does `command` from `start`, and one of its nodes does not return
	start   string
	command string
	node    string // front or rear
	word    string
	fails   bool     // the rear refuses the command first, so the cut is in error processing
	other   string   // the state of the arm then
	ends    string   // the end of the base's goal
	base    []string // the commands to the base after that
	arm     []string // the commands to the arm meanwhile
	lower   string   // the state of both after the wire is healed
}

var raising = []parted{
	{via: "configuring", start: "unconfigured", command: "configure", node: "front", word: "configure",
		other: "unconfigured",
		ends:  "succeeded done inactive", arm: []string{"active"}, lower: "inactive"},
	{via: "activating", start: "inactive", command: "activate", node: "front", word: "activate", other: "inactive",
		ends: "succeeded done active", arm: []string{"cleanup"}, lower: "unconfigured"},
	{via: "errorprocessing", start: "inactive", command: "activate", node: "front", word: "deactivate", fails: true,
		other: "inactive",
		ends:  "aborted restored inactive", base: []string{"cleanup"}, arm: []string{"active"}, lower: "unconfigured"},
}

var arming = []parted{
	{via: "arming", start: "active", command: "arm", node: "rear", word: "arm", other: "active",
		ends: "succeeded done armed", arm: []string{"deactivate"}, lower: "inactive"},
}

var lowering = []parted{
	{via: "disarming", start: "armed", command: "disarm", node: "rear", word: "disarm", other: "active",
		ends: "succeeded done active", base: []string{"arm"}, arm: []string{"deactivate"}, lower: "inactive"},
	{via: "deactivating", start: "active", command: "deactivate", node: "front", word: "deactivate", other: "inactive",
		ends: "succeeded done inactive", base: []string{"cleanup"}, arm: []string{"activate"}, lower: "unconfigured"},
	{via: "cleaningup", start: "inactive", command: "cleanup", node: "front", word: "cleanup", other: "unconfigured",
		ends: "succeeded done unconfigured", base: []string{"configure"}, arm: []string{"active"}, lower: "inactive"},
}

func TestP2CutWhileRaising(t *testing.T)  { cutIn(t, raising) }
func TestP2CutWhileArming(t *testing.T)   { cutIn(t, arming) }
func TestP2CutWhileLowering(t *testing.T) { cutIn(t, lowering) }

// cutIn runs rows concurrently, each a simulation of its own: there is one wire, and one cut.
func cutIn(t *testing.T, rows []parted) {
	l := newLand(t, "base", "arm")
	base, arm := l.Site("base"), l.Site("arm")
	var inMiddle, apart, whole sync.WaitGroup // the phases that every row has finished
	inMiddle.Add(len(rows))
	apart.Add(len(rows))
	cut, healed := make(chan struct{}), make(chan struct{})
	whole.Go(func() {
		inMiddle.Wait()
		l.Wire.Cut(base.At)
		close(cut)
		apart.Wait()
		l.Wire.Heal(base.At)
		close(healed)
	})
	for _, row := range rows {
		// In goroutines, not as parallel tests: the rows wait for each other, so none may wait for
		// its turn.
		whole.Go(func() {
			middle, away := sync.OnceFunc(inMiddle.Done), sync.OnceFunc(apart.Done)
			defer away() // a row that fails does not block the others
			defer middle()
			t.Run(row.via, func(t *testing.T) {
				p := newPair(t, base, arm, row)
				p.upToTheMiddle()
				middle()
				<-cut
				p.apart()
				away()
				<-healed
				p.whole()
			})
		})
	}
	whole.Wait()
}

// pair is a row while it runs.
type pair struct {
	*team.Team
	t *testing.T
	parted
	base, arm *team.Fellow
	goal      *bed.Goal
}

func newPair(t *testing.T, base, arm *team.Site, row parted) *pair {
	p := &pair{Team: team.New(t, binary), t: t, parted: row}
	scripts := map[string]map[string][]bed.Behaviour{"front": {}, "rear": {}}
	if row.word != "disarm" { // which a start asks too; see upToTheMiddle
		scripts[row.node][row.word] = []bed.Behaviour{{Result: bed.Frozen}, {}}
	}
	if row.fails {
		scripts["rear"][row.command] = []bed.Behaviour{{Result: bed.Failure}, {}}
	}
	p.arm = p.Joins(arm, team.Member{})
	p.base = p.Joins(base, team.Member{Scripts: scripts})
	p.Meet()
	return p
}

// upToTheMiddle brings both to the start and the base into the transition.
func (p *pair) upToTheMiddle() {
	p.Bring(p.arm, p.start)
	if p.word == "disarm" {
		p.frozen().Script("disarm", bed.Behaviour{Result: bed.Frozen}, bed.Behaviour{})
	}
	p.goal = p.base.Goal(p.command)
	p.base.Await("it is "+p.via, func(v daemon.View) bool { return v.State.Label == p.via })
	bed.Eventually(p.t, "the base's node is in its callback", func() (string, bool) {
		calls := p.frozen().Truth().Calls
		return "", slices.ContainsFunc(calls, func(c bed.Call) bool { return c.What == p.word && c.End == 0 })
	})
	p.arm.Intact(p.other)
}

func (p *pair) frozen() *bed.Node {
	return map[string]*bed.Node{"front": p.base.Front, "rear": p.base.Rear}[p.node]
}

// apart sends commands to both while neither receives the other.
func (p *pair) apart() {
	p.base.Misses(p.arm)
	p.arm.Misses(p.base)
	for _, command := range p.parted.arm {
		p.arm.Do(command, "succeeded done "+leads(command))
	}
	p.frozen().Thaw()
	if r := p.base.End(p.goal); r.String() != p.ends {
		p.t.Fatalf("%s ended as %v, want %s: %+v", p.command, r, p.ends, r)
	}
	last := p.command
	for _, command := range p.parted.base {
		p.base.Do(command, "succeeded done "+leads(command))
		last = command
	}
	p.published(p.base, last)
	p.published(p.arm, p.parted.arm[len(p.parted.arm)-1])
}

// published waits until what the last command to an instance has made is received: the result of the command comes on
// another way.
func (p *pair) published(f *team.Fellow, command string) {
	p.t.Helper()
	if command == "active" { // the state to which the last command leads
		command = "activate"
	}
	bed.Eventually(p.t, f.Name+" has published "+command, func() (string, bool) {
		said := f.Said()
		return fmt.Sprint(said), len(said) > 0 && strings.HasSuffix(said[len(said)-1], " "+command+"+")
	})
}

// leads returns the target state of a command.
func leads(command string) string {
	if to, ok := map[string]string{"configure": "inactive", "cleanup": "unconfigured", "activate": "active",
		"deactivate": "inactive", "arm": "armed"}[command]; ok {
		return to
	}
	return command
}

// whole checks the healed network: both are in the lower target, nothing is armed, nothing is
// published.
func (p *pair) whole() {
	var before [][]string
	for _, f := range p.All {
		before = append(before, f.Said())
	}
	armed := p.base.Rear.Truth().Count("arm") + p.arm.Rear.Truth().Count("arm")
	p.Meet()
	p.Agree(p.lower)
	for i, f := range p.All {
		if now := f.Said(); !slices.Equal(now, before[i]) {
			p.t.Errorf("%s published %q, and %q before", f.Name, now, before[i])
		}
	}
	if now := p.base.Rear.Truth().Count("arm") + p.arm.Rear.Truth().Count("arm"); now != armed {
		p.t.Errorf("nodes were armed %d times after the wire was healed", now-armed)
	}
}

// TestP2CutBeforeShuttingDown is the row that ends both: the instance that is still up follows when
// the wire is healed.
func TestP2CutBeforeShuttingDown(t *testing.T) {
	l := newLand(t, "base", "arm")
	p := newPair(t, l.Site("base"), l.Site("arm"), parted{node: "front", word: "shutdown"})
	p.Bring(p.base, "inactive")
	l.Wire.Cut(p.arm.Site.At)
	p.base.Misses(p.arm)
	p.arm.Misses(p.base)
	p.arm.Do("active", "succeeded done active")
	p.arm.Do("arm", "succeeded done armed")
	p.goal = p.base.Goal("shutdown")
	p.base.Await("the base is shutting down", func(v daemon.View) bool { return v.State.Label == "shuttingdown" })
	l.Wire.Heal(p.arm.Site.At)
	for _, n := range []*bed.Node{p.arm.Rear, p.arm.Front} {
		n.EventuallyState(t, "finalized")
	}
	if code := p.arm.Process.Wait(t); code != 0 || p.arm.Rear.Truth().Armed {
		t.Errorf("the arm ended with %d, its node: %+v", code, p.arm.Rear.Truth())
	}
	p.base.Front.Thaw()
	if r := p.base.End(p.goal); r.String() != "succeeded done finalized" {
		t.Errorf("the base: %+v", r)
	}
	if code := p.base.Process.Wait(t); code != 0 {
		t.Errorf("the base ended with %d", code)
	}
}
