// Package team sets up simulations of several instances in tests: hosts with a wire between them,
// or one host, and on each an instance of rstate with nodes of its own. It imports test/bed and its
// subpackages, and nothing of the product.
package team

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
	"rstate/test/bed/wire"
)

// Land is some hosts and the wire between them.
type Land struct {
	t    testing.TB
	Wire *wire.Wire
}

// NewLand makes the hosts. Lands are independent, so tests that have one each run concurrently.
func NewLand(t testing.TB, hosts ...string) *Land {
	t.Helper()
	w, err := wire.New(1, hosts...)
	if errors.Is(err, os.ErrPermission) || errors.Is(err, os.ErrNotExist) {
		t.Skipf("left out: peers on hosts of their own: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return &Land{t, w}
}

// Site is the processes of the tests on one host: an rclpy process for its nodes and for the
// clients of the daemons there.
type Site struct {
	Name string
	At   *wire.Host // nil: this machine, which other sites may share
	Host *bed.Host
	env  []string
}

// Here returns a site without a wire, for instances on one host.
func Here(name string, host *bed.Host) *Site { return &Site{Name: name, Host: host} }

// Environment returns what the site's processes have in theirs.
func (s *Site) Environment() []string { return slices.Clone(s.env) }

// place returns where the site's processes start.
func (s *Site) place() bed.Place {
	if s.At == nil {
		return nil
	}
	return s.At.Do
}

// Site prepares a host. Hosts share nothing but the wire.
func (l *Land) Site(name string) *Site {
	l.t.Helper()
	folder := l.t.TempDir()
	s := &Site{Name: name, At: l.Wire.Host(name), env: []string{
		"ROS_HOME=" + folder, "ROS_LOG_DIR=" + filepath.Join(folder, "log"), "XDG_RUNTIME_DIR=" + folder}}
	s.Host = bed.NewHostAs(l.t, bed.Command{Env: s.env, On: s.At.Do})
	return s
}

// Fellow is an instance of a simulation on one of the hosts, with two nodes of its own there.
type Fellow struct {
	*daemon.Daemon
	Site        *Site
	Front, Rear *bed.Node         // the rear comes after the front, and can be armed
	Topic       *bed.Subscription // the lifecycle topic as received on its own host, without the wire
}

// Team is a simulation of such instances.
type Team struct {
	t          testing.TB
	binary     string
	simulation string
	All        []*Fellow
}

// New returns a simulation without instances. binary is the rstate binary.
func New(t testing.TB, binary string) *Team {
	t.Helper()
	return &Team{t: t, binary: binary, simulation: bed.Unique(t, "sim")}
}

// In returns the simulation for a subtest.
func (m *Team) In(t testing.TB) *Team {
	part := &Team{t: t, binary: m.binary, simulation: m.simulation}
	for _, f := range m.All {
		own := *f
		own.Daemon = f.Daemon.In(t)
		part.All = append(part.All, &own)
	}
	return part
}

// Name returns the name of the instance on a host.
func (m *Team) Name(host string) string { return "/" + m.simulation + "/" + host }

// Topic returns the lifecycle topic of the simulation.
func (m *Team) Topic() string { return "/simulation/" + m.simulation + "/lifecycle" }

// Member describes how an instance differs from the others.
type Member struct {
	Keys    string                                // added to the network file
	Scripts map[string]map[string][]bed.Behaviour // by node, front or rear, and word
	Env     []string
	HTTP    bool // it serves HTTP on its own host
}

// patience sets long deadlines: no node is missing and no step is late because this machine is busy,
// or a test holds a node.
const patience = "proof: 20s\ndefaults: {deadline: {discover: 25s, configure: 60s, activate: 60s, " +
	"deactivate: 60s, cleanup: 60s, shutdown: 60s, arm: 60s, disarm: 60s}}\n"

// Joins starts an instance on a host, and waits until it knows its nodes and answers.
func (m *Team) Joins(s *Site, w Member) *Fellow {
	m.t.Helper()
	f := &Fellow{Site: s}
	name := m.Name(s.Name)
	host := s.Host.In(m.t)
	f.Front = host.Node(bed.NodeSpec{Name: name + "_front", Threads: 2, Script: w.Scripts["front"]})
	f.Rear = host.Node(bed.NodeSpec{Name: name + "_rear", Threads: 2, Arm: name + "_rear/arm",
		Script: w.Scripts["rear"]})
	f.Topic = host.Subscribe(bed.Topic{Kind: "rstate_msgs/msg/NetworkState", Name: m.Topic(), Latched: true})
	f.Daemon = daemon.Start(m.t, host, daemon.Config{Binary: m.binary, Name: name, Simulation: m.simulation,
		On:   s.place(),
		HTTP: w.HTTP,
		Env:  append(slices.Clone(s.env), w.Env...),
		Network: fmt.Sprintf("%s%s\nnodes:\n  %[3]s_front: {}\n  %[3]s_rear: {after: [%[3]s_front], arm: {}}\n",
			patience, w.Keys, name)})
	host.Ready(f.Front, f.Rear)
	f.Await("it knows its nodes", func(v daemon.View) bool { return v.Settled && v.Intact && v.State.Label != "unknown" })
	if state, err := host.GetState(name, bed.Deadline); err != nil {
		m.t.Fatalf("%s does not answer: %q, %v", name, state, err)
	}
	m.All = append(m.All, f)
	return f
}

// Meet waits until all instances receive each other's states.
func (m *Team) Meet() {
	m.t.Helper()
	for _, f := range m.All {
		for _, o := range m.All {
			if o != f {
				f.Hears(o)
			}
		}
	}
}

// Hears waits until f receives another instance's state.
func (f *Fellow) Hears(o *Fellow) {
	f.Await(f.Name+" hears "+o.Name, func(v daemon.View) bool { return v.Peer(o.Name).Alive })
}

// Misses waits until f no longer receives another instance.
func (f *Fellow) Misses(o *Fellow) {
	f.Await(f.Name+" misses "+o.Name, func(v daemon.View) bool { p := v.Peer(o.Name); return p.Name != "" && !p.Alive })
}

// Said lists the messages of f on the lifecycle topic, each with the number of f's own changes and
// the event: "2 disarm", and "2 disarm+" if f had settled. One that only refreshes the latched value,
// as after a stall, does not count.
func (f *Fellow) Said() []string {
	var list []string
	newest := map[string]uint64{} // by the instance id
	for _, message := range f.Topic.Messages() {
		var c struct {
			SourceNode  string `json:"source_node"`
			SourceState string `json:"source_state"`
			Event       string
			TargetState string `json:"target_state"`
			Settled     bool
			InstanceID  string `json:"instance_id"`
			Seen        []daemon.Seen
		}
		f.Site.Host.Decode(message.Message, &c)
		if c.SourceNode != f.Name {
			continue
		}
		made := uint64(0)
		if own := slices.IndexFunc(c.Seen, func(s daemon.Seen) bool { return s.Instance == c.InstanceID }); own >= 0 {
			made = c.Seen[own].N
		}
		if c.Event == "" && c.Settled && c.SourceState == c.TargetState && made == newest[c.InstanceID] {
			continue
		}
		newest[c.InstanceID] = made
		word := fmt.Sprintf("%d %s", made, c.Event)
		if c.Settled {
			word += "+"
		}
		list = append(list, word)
	}
	return list
}

// Made lists the changes that f has published, each once: a lowering is published when it begins
// and when it has settled.
func (f *Fellow) Made() (events []string) {
	for _, word := range f.Said() {
		word = strings.TrimSuffix(word, "+")
		if n := len(events); n == 0 || events[n-1] != word {
			events = append(events, word)
		}
	}
	return events
}

// Agree waits until all instances have settled in a state and have seen the same changes, and
// nothing is armed below armed.
func (m *Team) Agree(state string) {
	m.t.Helper()
	for _, f := range m.All {
		f.Await(fmt.Sprintf("%s is %s, and so are all the others", f.Name, state), func(v daemon.View) bool {
			return v.State.Label == state && v.Settled && v.Intact && !v.Behind && v.Common.Label == state
		})
	}
	bed.Eventually(m.t, "all have seen the same", func() (string, bool) {
		var seen []string
		for _, f := range m.All {
			// an entry of 0 has no meaning: each instance has one of its own
			seen = append(seen, fmt.Sprint(slices.DeleteFunc(f.View().ChangesSeen,
				func(s daemon.Seen) bool { return s.N == 0 })))
		}
		return fmt.Sprint(seen), len(slices.Compact(slices.Clone(seen))) == 1
	})
	for _, f := range m.All {
		if truth := f.Rear.Truth(); truth.Armed != (state == "armed") {
			m.t.Errorf("%s is %s, and its node: %+v", f.Name, state, truth)
		}
	}
}

// Bring takes all instances to a state, by commands to one of them. It sends the next command after
// all have followed.
func (m *Team) Bring(by *Fellow, state string) {
	m.t.Helper()
	for _, s := range []string{"unconfigured", "inactive", "active", "armed"} {
		if s != "unconfigured" {
			by.Do(s, "succeeded done "+s)
			m.Agree(s)
		}
		if s == state {
			return
		}
	}
	m.t.Fatalf("no way is known to bring a network to %q", state)
}
