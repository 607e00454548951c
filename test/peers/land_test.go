//go:build ros

package peers

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
	"rstate/test/bed/wire"
)

// land is some hosts and the wire between them.
type land struct {
	t    *testing.T
	wire *wire.Wire
}

// newLand makes the hosts. Lands do not know of each other, so tests that have one each run side by side.
func newLand(t *testing.T, hosts ...string) *land {
	t.Helper()
	t.Parallel()
	w, err := wire.New(1, hosts...)
	if errors.Is(err, os.ErrPermission) || errors.Is(err, os.ErrNotExist) {
		t.Skipf("left out: peers on hosts of their own: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return &land{t, w}
}

// site is what the tests have on one host: an rclpy process for its nodes and for whoever speaks with its daemons there.
type site struct {
	land *land
	at   *wire.Host
	host *bed.Host
	env  []string
}

// site prepares a host. Nothing of it is shared with another one but the wire.
func (l *land) site(name string) *site {
	l.t.Helper()
	folder := l.t.TempDir()
	s := &site{land: l, at: l.wire.Host(name), env: []string{
		"ROS_HOME=" + folder, "ROS_LOG_DIR=" + filepath.Join(folder, "log"), "XDG_RUNTIME_DIR=" + folder}}
	s.host = bed.NewHostAs(l.t, bed.Command{Env: s.env, On: s.at.Do})
	return s
}

// fellow is an instance of a simulation on one of the hosts, with two nodes of its own there.
type fellow struct {
	*daemon.Daemon
	site        *site
	front, rear *bed.Node         // the rear comes after the front, and can be armed
	topic       *bed.Subscription // the lifecycle topic, as it is heard on its own host: no wire is between
}

// team is a simulation of such instances.
type team struct {
	t          *testing.T
	simulation string
	all        []*fellow
}

func newTeam(t *testing.T) *team { return &team{t: t, simulation: bed.Unique(t, "sim")} }

// name is what the instance on a host is called.
func (m *team) name(host string) string { return "/" + m.simulation + "/" + host }

// member is what an instance is beside the rest.
type member struct {
	keys    string                                // of the network file
	scripts map[string]map[string][]bed.Behaviour // by node, front or rear, and word
	env     []string
}

// patience is the deadlines of the networks: nothing is late because this machine is busy, or because a test holds it.
const patience = "proof: 20s\ndefaults: {deadline: {configure: 60s, activate: 60s, deactivate: 60s, cleanup: 60s, shutdown: 60s, arm: 60s, disarm: 60s}}\n"

// joins starts an instance on a host, and waits until it knows its nodes and answers.
func (m *team) joins(s *site, w member) *fellow {
	m.t.Helper()
	f := &fellow{site: s}
	name := m.name(s.at.Name)
	host := s.host.In(m.t)
	f.front = host.Node(bed.NodeSpec{Name: name + "_front", Threads: 2, Script: w.scripts["front"]})
	f.rear = host.Node(bed.NodeSpec{Name: name + "_rear", Threads: 2, Arm: name + "_rear/arm", Script: w.scripts["rear"]})
	f.topic = host.Subscribe(bed.Topic{Kind: "rstate_msgs/msg/NetworkState", Name: "/simulation/" + m.simulation + "/lifecycle", Latched: true})
	f.Daemon = daemon.Start(m.t, host, daemon.Config{Binary: binary, Name: name, Simulation: m.simulation, On: s.at.Do,
		Env:     append(slices.Clone(s.env), w.env...),
		Network: fmt.Sprintf("%s%s\nnodes:\n  %[3]s_front: {}\n  %[3]s_rear: {after: [%[3]s_front], arm: {}}\n", patience, w.keys, name)})
	host.Ready(f.front, f.rear)
	f.Await("it knows its nodes", func(v daemon.View) bool { return v.Settled && v.State.Label != "unknown" })
	if state, err := host.GetState(name, bed.Deadline); err != nil {
		m.t.Fatalf("%s does not answer: %q, %v", name, state, err)
	}
	m.all = append(m.all, f)
	return f
}

// meet waits until all of them hear each other.
func (m *team) meet() {
	m.t.Helper()
	for _, f := range m.all {
		for _, o := range m.all {
			if o != f {
				f.hears(o)
			}
		}
	}
}

func (f *fellow) hears(o *fellow) {
	f.Await(f.Name+" hears "+o.Name, func(v daemon.View) bool { return v.Peer(o.Name).Alive })
}

func (f *fellow) misses(o *fellow) {
	f.Await(f.Name+" misses "+o.Name, func(v daemon.View) bool { p := v.Peer(o.Name); return p.Name != "" && !p.Alive })
}

// said lists what it has published of its own on the lifecycle topic: "2 disarm", and "2 disarm+" where it had settled.
func (f *fellow) said() []string {
	var list []string
	for _, message := range f.topic.Messages() {
		var c struct {
			SourceNode string `json:"source_node"`
			Event      string
			Settled    bool
			InstanceID string `json:"instance_id"`
			Seen       []daemon.Seen
		}
		f.site.host.Decode(message.Message, &c)
		own := slices.IndexFunc(c.Seen, func(s daemon.Seen) bool { return s.Instance == c.InstanceID && s.N > 0 })
		if c.SourceNode != f.Name || own < 0 {
			continue
		}
		word := fmt.Sprintf("%d %s", c.Seen[own].N, c.Event)
		if c.Settled {
			word += "+"
		}
		list = append(list, word)
	}
	return list
}

// made lists the events of its changes, each once however often it was published.
func (f *fellow) made() (events []string) {
	counted := ""
	for _, word := range f.said() {
		var n, event string
		fmt.Sscan(word, &n, &event)
		if n != counted {
			counted = n
			if l := len(event); l > 0 && event[l-1] == '+' {
				event = event[:l-1]
			}
			events = append(events, event)
		}
	}
	return events
}

// agree waits until all rest in a state that all changes lead to, have seen the same, and nothing is armed below armed.
func (m *team) agree(state string) {
	m.t.Helper()
	for _, f := range m.all {
		f.Await(fmt.Sprintf("%s is %s with all the others", f.Name, state), func(v daemon.View) bool {
			return v.State.Label == state && v.Settled && v.Intact && !v.Behind && v.Common.Label == state
		})
	}
	bed.Eventually(m.t, "all have seen the same", func() (string, bool) {
		var seen []string
		for _, f := range m.all {
			// an entry of 0 says nothing: each instance has one of its own
			seen = append(seen, fmt.Sprint(slices.DeleteFunc(f.View().Seen, func(s daemon.Seen) bool { return s.N == 0 })))
		}
		return fmt.Sprint(seen), len(slices.Compact(slices.Clone(seen))) == 1
	})
	for _, f := range m.all {
		if truth := f.rear.Truth(); truth.Armed != (state == "armed") {
			m.t.Errorf("%s is %s, and its node: %+v", f.Name, state, truth)
		}
	}
}

// bring takes all of them to a state, by commands to one, each when all have followed the one before.
func (m *team) bring(by *fellow, state string) {
	m.t.Helper()
	for _, s := range []string{"unconfigured", "inactive", "active", "armed"} {
		if s != "unconfigured" {
			by.Do(s, "succeeded done "+s)
			m.agree(s)
		}
		if s == state {
			return
		}
	}
	m.t.Fatalf("nobody knows how to bring a network to %q", state)
}
