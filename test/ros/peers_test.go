//go:build ros

package ros

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// fellow is an instance of a simulation, with nodes of its own.
type fellow struct {
	*daemon.Daemon
	sensor, driver *bed.Node
}

// team is a simulation, and the messages on its lifecycle topic.
type team struct {
	t          *testing.T
	host       *bed.Host
	simulation string
	topic      *bed.Subscription
}

func newTeam(t *testing.T) *team {
	t.Helper()
	t.Parallel()
	m := &team{t: t, host: bed.StartHost(t), simulation: bed.Unique(t, "sim")}
	m.topic = m.host.Subscribe(bed.Topic{Kind: "rstate_msgs/msg/NetworkState",
		Name: "/simulation/" + m.simulation + "/lifecycle", Latched: true})
	return m
}

// member describes how an instance differs from the others.
type member struct {
	keys    string // added to the network file, whose proof and deadlines are long enough for a busy machine
	scripts map[string][]bed.Behaviour
	shares  *fellow // the fellow whose sensor it lists as well
	env     []string
	http    bool // it serves HTTP
}

// joins starts another instance, over a sensor and a driver that can be armed, and waits until the
// instance knows its nodes.
func (m *team) joins(w member) *fellow {
	m.t.Helper()
	f := &fellow{}
	driver := "/" + bed.Unique(m.t, "driver")
	f.driver = m.host.Node(bed.NodeSpec{Name: driver, Arm: driver + "/arm", Threads: 2})
	if f.sensor = m.host.Node(bed.NodeSpec{Name: "/" + bed.Unique(m.t, "sensor"), Script: w.scripts}); w.shares != nil {
		f.sensor = w.shares.sensor
	}
	f.Daemon = daemon.Start(m.t, m.host, daemon.Config{Binary: binary, Simulation: m.simulation, Env: w.env,
		Network: patient + fmt.Sprintf("proof: 10s\n%s\nnodes:\n  %s: {}\n"+
			"  %s: {arm: {}, deadline: {arm: 20s, disarm: 20s}}\n", w.keys, f.sensor.Name, driver)})
	m.t.Cleanup(f.Process.Thaw)
	f.Await("it knows its nodes", func(v daemon.View) bool {
		return v.Settled && v.State.Label != "unknown" && (v.Intact || w.shares != nil)
	})
	return f
}

// hears waits until an instance receives the others' states.
func (f *fellow) hears(others ...*fellow) {
	for _, o := range others {
		f.Await("it hears "+o.Name, func(v daemon.View) bool { return v.Peer(o.Name).Alive })
	}
}

// trio starts three instances that receive each other's states.
func (m *team) trio() (a, b, c *fellow) {
	m.t.Helper()
	a, b, c = m.joins(member{}), m.joins(member{}), m.joins(member{})
	a.hears(b, c)
	b.hears(a, c)
	c.hears(a, b)
	return a, b, c
}

// change is a message of the lifecycle topic.
type change struct {
	SourceNode  string `json:"source_node"`
	Event       string
	TargetState string `json:"target_state"`
	Settled     bool
	InstanceID  string `json:"instance_id"`
	Seen        []struct {
		Instance string
		N        int
	}
}

// said lists the instance's own changes as it published them; "1 disarm+" means settled. A message
// that only refreshes the latched value, as after a stall, does not count.
func (m *team) said(f *fellow) []string {
	m.t.Helper()
	var list []string
	newest := 0
	for _, message := range m.topic.Messages() {
		var c change
		m.host.Decode(message.Message, &c)
		own := slices.IndexFunc(c.Seen, func(s struct {
			Instance string
			N        int
		}) bool {
			return s.Instance == c.InstanceID && s.N > 0
		})
		if c.SourceNode != f.Name || own < 0 || c.Event == "" && c.Seen[own].N == newest {
			continue
		}
		newest = c.Seen[own].N
		word := fmt.Sprintf("%d %s", c.Seen[own].N, c.Event)
		if c.Settled {
			word += "+"
		}
		list = append(list, word)
	}
	return list
}

func (m *team) wantSaid(f *fellow, want ...string) {
	m.t.Helper()
	bed.Eventually(m.t, fmt.Sprintf("%s has published %q", f.Name, want), func() (string, bool) {
		got := m.said(f)
		return fmt.Sprintf("%q", got), slices.Equal(got, want)
	})
}

// All instances follow a change of any one, and only the instance that was commanded publishes it.
func TestP1AChangeIsMirroredAndNotSaidAgain(t *testing.T) {
	m := newTeam(t)
	a, b, c := m.trio()
	a.Do("active", "succeeded done active")
	for _, f := range []*fellow{b, c} {
		f.Intact("active")
	}
	b.Do("deactivate", "succeeded done inactive")
	for _, f := range []*fellow{a, c} {
		f.Intact("inactive")
	}
	c.Do("activate", "succeeded done active")
	for _, f := range []*fellow{a, b} {
		v := f.Intact("active")
		if v.Common.Label != "active" || v.Behind {
			t.Errorf("the state of %s is %+v", f.Name, v)
		}
	}
	m.wantSaid(a, "1 configure+", "2 activate+")
	m.wantSaid(b, "1 deactivate", "1 deactivate+")
	m.wantSaid(c, "1 activate+")
	for _, f := range []*fellow{a, b, c} {
		if words := strings.Join(f.sensor.Truth().Words(), " "); words != "configure activate deactivate activate" {
			t.Errorf("the sensor of %s was asked to %s", f.Name, words)
		}
	}
}

func TestP7ArmingAndDisarmingAreMirrored(t *testing.T) {
	m := newTeam(t)
	a, b, c := m.trio()
	all := []*fellow{a, b, c}
	a.Do("active", "succeeded done active")
	for _, f := range all {
		f.Intact("active")
	}
	a.Do("arm", "succeeded done armed")
	for _, f := range all {
		f.Intact("armed")
		if !f.driver.Truth().Armed {
			t.Errorf("%s is armed, but its driver is not", f.Name)
		}
	}
	if r := c.End(c.GoalOfAll("disarm")); r.String() != "succeeded done active" {
		t.Fatalf("disarm: %v: %s", r, r.Message)
	}
	for _, f := range all {
		f.Intact("active")
		if truth := f.driver.Truth(); truth.Armed || truth.Count("arm") != 1 {
			t.Errorf("the driver of %s: %+v", f.Name, truth)
		}
	}
	m.wantSaid(b)
}

// While armed, a required peer must be present. The peer is killed, suspended, or ends cleanly.
func TestP7ARequiredPeerThatGoesDisarms(t *testing.T) {
	goesArmed(t, map[string]going{"killed": {(*bed.Process).Kill, silentPeer}})
}

// TestP7ARequiredPeerThatFreezesOrEndsDisarms: and one that comes back arms nothing.
func TestP7ARequiredPeerThatFreezesOrEndsDisarms(t *testing.T) {
	goesArmed(t, map[string]going{
		"frozen": {(*bed.Process).Freeze, silentPeer},
		"ended":  {func(p *bed.Process) { p.Signal(syscall.SIGTERM) }, ""},
	})
}

// going is a way in which a peer goes, and what its instance then says.
type going struct {
	how   func(*bed.Process)
	cause string
}

// silentPeer is what an instance says of a peer: the middleware reports it, or the messages stop.
const silentPeer = "does not renew its liveliness|no message of it arrives"

// goesArmed checks that an armed instance disarms when the peer that it requires goes.
func goesArmed(t *testing.T, ways map[string]going) {
	for name, goes := range ways {
		t.Run(name, func(t *testing.T) {
			m := newTeam(t)
			b := m.joins(member{})
			a := m.joins(member{keys: "peers: {required: [" + b.Name + "]}"})
			a.hears(b)
			b.hears(a)
			a.Do("active", "succeeded done active")
			a.Await("the peer is active, which arming requires",
				func(v daemon.View) bool { return v.Peer(b.Name).State.Label == "active" })
			a.Do("arm", "succeeded done armed")
			a.Intact("armed") // its messages come apart from the result
			b.Intact("armed")
			goes.how(b.Process)
			v := a.Settled("active")
			if a.driver.Truth().Armed || !strings.Contains(v.Cause, b.Name) && goes.cause != "" {
				t.Errorf("the state is %+v", v)
			}
			a.Await("the peer is lost", func(v daemon.View) bool {
				p := v.Peer(b.Name)
				return p.Required && !p.Alive && regexp.MustCompile(goes.cause).MatchString(p.Cause)
			})
			a.Rejected("arm", b.Name)
			if name != "frozen" {
				return
			}
			b.Process.Thaw()
			a.hears(b)
			b.Settled("active")
			if truth := b.driver.Truth(); truth.Count("arm") != 1 {
				t.Errorf("the peer came back and armed: %+v", truth)
			}
		})
	}
}

// An instance that joins catches up with the others, and is never armed by that.
func TestP6AJoinerCatchesUpAndIsNeverArmed(t *testing.T) {
	m := newTeam(t)
	a := m.joins(member{})
	a.Do("armed", "succeeded done armed")
	late := m.joins(member{})
	late.Intact("active")
	v := late.Await("the late instance is behind", func(v daemon.View) bool { return v.Behind })
	if truth := late.driver.Truth(); truth.Armed || truth.Count("arm") > 0 || v.Common.Label != "armed" {
		t.Errorf("the late instance is %+v, its driver %+v", v, truth)
	}
	a.Await("the first one stays armed", func(v daemon.View) bool {
		return v.State.Label == "armed" && v.Settled && v.Intact || daemon.Stalls(a.Process) > 0 // a stall disarms
	})
	m.wantSaid(late)
}

// An instance that was away catches up with the changes of the others; they know its earlier
// changes.
func TestP6APeerThatStartsAgainCatchesUp(t *testing.T) {
	m := newTeam(t)
	a, b := m.joins(member{}), m.joins(member{env: bed.ShortLease(t)})
	a.hears(b)
	b.hears(a)
	b.Do("active", "succeeded done active")
	a.Intact("active")
	b.Process.Kill()
	a.Await("it is lost", func(v daemon.View) bool { return !v.Peer(b.Name).Alive })
	a.Do("deactivate", "succeeded done inactive")
	again := &fellow{b.Again(), b.sensor, b.driver}
	again.Intact("inactive")
	a.hears(again)
	again.From(bed.NewHost(t)).Do("activate", "succeeded done active")
	a.Intact("active")
}

func TestP8AGoalWaitsForItsPeers(t *testing.T) {
	m := newTeam(t)
	slow := m.joins(member{scripts: map[string][]bed.Behaviour{
		"configure": {{Result: bed.Frozen}}, "activate": {{Result: bed.Frozen}, {Result: bed.Failure}, {}}}})
	a := m.joins(member{keys: "peers: {deadline: 60s}"})
	a.hears(slow)
	slow.hears(a)
	busy := func(word string, times int) {
		t.Helper()
		bed.Eventually(t, "the peer's sensor is asked to "+word, func() (string, bool) {
			truth := slow.sensor.Truth()
			return fmt.Sprintf("%+v", truth), truth.Count(word) == times
		})
	}
	waiting := a.GoalOfAll("configure")
	a.Await("the goal is open and the network is there", func(v daemon.View) bool {
		return v.State.Label == "inactive" && v.Settled && len(v.OpenGoals) == 1
	})
	busy("configure", 1)
	slow.sensor.Thaw()
	if r := a.End(waiting); r.String() != "succeeded done inactive" {
		t.Errorf("all peers follow, but the goal ended: %+v", r)
	}
	slow.Intact("inactive")

	waiting = a.GoalOfAll("activate")
	busy("activate", 1)
	a.Settled("active")
	if !waiting.Cancel() {
		t.Error("the wait for peers cannot be cancelled")
	}
	if r := a.End(waiting); r.Ended != "canceled" || r.State.Label != "active" {
		t.Errorf("want only the wait cancelled: %+v", r)
	}
	slow.sensor.Thaw()
	slow.Intact("active")
	a.Do("deactivate", "succeeded done inactive")
	slow.Intact("inactive")

	r := a.End(a.GoalOfAll("activate"))
	if r.String() != "aborted peers_behind active" || !daemon.HasAll(r.Message, slow.Name) {
		t.Errorf("a peer is behind, but the goal ended: %+v", r)
	}
	a.Intact("active")
	slow.Await("the slow peer shows why it is behind",
		func(v daemon.View) bool { return v.Behind && v.Settled && v.State.Label == "inactive" })
	a.Await("its peer does", func(v daemon.View) bool { return v.Peer(slow.Name).Behind })
}

// State names of another machine may have another meaning: its changes are not followed, and its
// proof does not allow arming.
func TestP6AnotherMachineIsNotFollowed(t *testing.T) {
	m := newTeam(t)
	b := m.joins(member{keys: "extends: rstate\nstates: {mapping: {nodes: active, id: 100}}\ntransitions: {map: {from: [inactive], via: activating, to: mapping}}"})
	a := m.joins(member{keys: "peers: {required: [" + b.Name + "]}"})
	a.Await("the peer is shown with another machine",
		func(v daemon.View) bool { p := v.Peer(b.Name); return p.Alive && !p.SameMachine })
	b.Do("inactive", "succeeded done inactive")
	b.Do("map", "succeeded done mapping")
	a.Await("the peer's state is known", func(v daemon.View) bool { return v.Peer(b.Name).State.Label == "mapping" })
	a.Do("active", "succeeded done active")
	a.Rejected("arm", b.Name, "another machine")
	if words := a.sensor.Truth().Words(); strings.Join(words, " ") != "configure activate" {
		t.Errorf("the sensor was asked to %v", words)
	}
	b.Settled("mapping")
}

// A node has one coordinator: if two list it, neither raises it.
func TestS1APeerThatDrivesANodeOfOursIsAFault(t *testing.T) {
	m := newTeam(t)
	a := m.joins(member{})
	b := m.joins(member{shares: a})
	for _, f := range []*fellow{a, b} {
		other := map[*fellow]*fellow{a: b, b: a}[f]
		f.Await("the state names the other coordinator of the node", func(v daemon.View) bool {
			return !v.Intact && daemon.HasAll(v.Deviation(a.sensor.Name), other.Name)
		})
		f.Rejected("configure", a.sensor.Name)
	}
	if words := a.sensor.Truth().Words(); len(words) > 0 {
		t.Errorf("the node was asked to %v", words)
	}
	b.Process.Signal(syscall.SIGTERM)
	b.Process.Wait(t)
	a.Intact("unconfigured")
	a.Do("active", "succeeded done active")
}

// A program that publishes only the four fields is followed by instances that list it, and never to
// armed.
func TestP9APlainPeerIsFollowedWhereItIsListed(t *testing.T) {
	m := newTeam(t)
	plain := m.host.Advertise(bed.Topic{Kind: "rstate_msgs/msg/NetworkState",
		Name: "/simulation/" + m.simulation + "/lifecycle"})
	says := func(event, source, target string) {
		t.Helper()
		plain.Publish(map[string]any{"source_node": "/nrp", "event": event, "source_state": source,
			"target_state": target})
	}
	deaf := m.joins(member{keys: "extends: rstate\nstates: {own: {nodes: active, id: 100}}\ntransitions: {own: {from: [inactive], via: activating, to: own}}"})
	a := m.joins(member{keys: "peers: {plain: [/nrp]}"})
	bed.Eventually(t, "the plain peer is discovered", func() (string, bool) {
		n := plain.Subscribers()
		return fmt.Sprint(n), n >= 1 // an instance that lists none does not subscribe to it
	})
	says("configure", "unconfigured", "inactive")
	a.Intact("inactive")
	says("activate", "inactive", "active")
	a.Intact("active")
	says("arm", "active", "armed")
	says("deactivate", "armed", "inactive")
	a.Intact("inactive")
	if truth := a.driver.Truth(); truth.Count("arm") > 0 {
		t.Errorf("the plain peer's armed was followed: %+v", truth)
	}
	deaf.Settled("unconfigured")
	if words := deaf.sensor.Truth().Words(); len(words) > 0 {
		t.Errorf("the sensor of an instance that lists no plain peer was asked to %v", words)
	}
	m.wantSaid(a)
}

// The program in docs/several-hosts.md is a plain peer.
func TestP9ThePlainPeerOfTheDocumentation(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "several-hosts.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, program, found := strings.Cut(string(text), "```python\n")
	program, _, ended := strings.Cut(program, "```")
	lines := strings.Count(program, "\n")
	const spins = "rclpy.spin(Plain())"
	if !found || !ended || lines > 30 || !strings.Contains(program, spins) {
		t.Fatalf("docs/several-hosts.md has no short program that spins a plain peer:\n%s", program)
	}
	m := newTeam(t)
	a := m.joins(member{keys: "peers: {plain: [/nrp]}"})
	program = strings.Replace(program, "mobile_manipulator", m.simulation, 1)
	program = strings.Replace(program, spins, `plain = Plain()
def once():
    if plain.say.get_subscription_count() > 1:  # one is its own
        timer.cancel()
        plain.change("configure", "unconfigured", "inactive")
timer = plain.create_timer(0.3, once)
rclpy.spin(plain)`, 1)
	p := bed.Start(t, "plain peer", "python3", "-c", program)
	a.Intact("inactive")
	a.Do("activate", "succeeded done active")
	bed.Eventually(t, "the plain peer receives the change",
		func() (string, bool) { return p.Log(), daemon.HasAll(p.Log(), a.Name+": activate, inactive to active") })
}

// tool runs rstate as a user does.
func (m *team) tool(code int, args ...string) (said string) {
	m.t.Helper()
	p := bed.Start(m.t, "rstate "+args[0], append([]string{binary}, args...)...)
	if got := p.Wait(m.t); got != code {
		m.t.Errorf("rstate %v ended with %d, want %d; its output:\n%s", args, got, code, p.Log())
	}
	return p.Log()
}

// A failure in a network that others require lowers them as well, once.
func TestP4AFailureSpreadsFromARequiredPeer(t *testing.T) {
	m := newTeam(t)
	b := m.joins(member{scripts: map[string][]bed.Behaviour{"activate": {{Result: bed.Failure}}}})
	a := m.joins(member{keys: "peers: {required: [" + b.Name + "]}"})
	a.hears(b)
	b.hears(a)
	a.Do("configure", "succeeded done inactive")
	b.Intact("inactive")
	a.Do("activate", "succeeded done active")
	a.Await("the peer is lowered too", func(v daemon.View) bool {
		return v.Settled && v.State.Label == "inactive" && v.Common.Label == "inactive"
	})
	b.Intact("inactive")
	m.wantSaid(a, "1 configure+", "2 activate+")
	bed.Eventually(t, "the instance that failed has published that alone", func() (string, bool) {
		said := m.said(b)
		return fmt.Sprintf("%q", said), len(said) == 1 && strings.HasPrefix(said[0], "1 ")
	})
}

// The output of the commands about peers, for a person and for a script.
func TestPeersAreToldToPeople(t *testing.T) {
	m := newTeam(t)
	b := m.joins(member{scripts: map[string][]bed.Behaviour{"activate": {{Result: bed.Failure}}}})
	a := m.joins(member{})
	a.hears(b)
	b.hears(a)
	wants := func(said string, parts ...string) {
		t.Helper()
		if !daemon.HasAll(said, parts...) {
			t.Errorf("want %q in:\n%s", parts, said)
		}
	}
	wants(m.tool(0, "send", "inactive", "--wait-peers", "--node", a.Name), "the network is inactive")
	said := m.tool(0, "peers", "--node", a.Name)
	wants(said, "simulation "+m.simulation+": 2 instances", b.Name+" drives "+b.sensor.Name+" "+b.driver.Name, "1 of 1",
		"nothing is wrong between them")
	wants(m.tool(0, "status", "--node", a.Name), "peer "+b.Name+"  inactive")
	wants(m.tool(1, "send", "active", "--wait-peers", "--node", a.Name), "the network is active", "peers behind",
		b.Name+" is inactive", b.sensor.Name)
	wants(m.tool(1, "peers", "--simulation", m.simulation), "diverged: ", a.Name+" is active", b.Name+" is inactive",
		"inactive, behind", "2 of 2")
	wants(m.tool(1, "peers", "--node", b.Name, "-o", "json"), `"ok": false`, `"common": "active"`, `"behind": true`)
	wants(m.tool(1, "doctor", "--node", a.Name), "diverged: ")
	wants(m.tool(0, "why", "--node", b.Name), a.Name, b.sensor.Name)
	wants(m.tool(0, "history", "--node", b.Name, "--kind", "peer"), a.Name+" says: ")

	c := m.joins(member{keys: "peers: {required: [" + b.Name + "]}"})
	c.hears(a, b)
	a.hears(c)
	wants(m.tool(0, "status", "--node", c.Name), "peer "+b.Name, "required")
	wants(m.tool(1, "peers", "--node", a.Name), "required by "+c.Name)
	b.Process.Kill()
	c.Await("it is lost", func(v daemon.View) bool { return !v.Peer(b.Name).Alive })
	wants(m.tool(1, "peers", "--node", c.Name), "2 instances\n", b.Name+" is required and not there")
	wants(m.tool(4, "peers", "--simulation", m.simulation+"_not"),
		"no instance of simulation "+m.simulation+"_not is heard")
}
