package explore

import (
	"fmt"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/network"
)

// Setup is a small network and its normal day.
type Setup struct {
	Name   string
	About  string
	files  []file
	day    []beat
	guards int // of each instance
}

// file is one instance: the name of its node, and its network file.
type file struct {
	name  string
	text  string
	from  lifecycle.State // in which its nodes are at the start
	slow  time.Duration   // how long activate takes; 0: a moment
	net   *network.Network
	hash  string // of its machine
	serve serve  // which processes serve the arm of its first node
}

// beat is one thing that the client does, a while after its goal before has ended.
type beat struct {
	side    int
	command string
	after   time.Duration
}

// goalWait is how long the client waits for the end of a goal before it goes on with its day.
const goalWait = 12 * time.Second

// armDay is the day of most networks.
var armDay = []beat{{0, "arm", 300 * time.Millisecond}, {0, "disarm", 1100 * time.Millisecond}}

// longDay rests armed for longer than a loss of what is armed may go unnoticed.
var longDay = []beat{{0, "arm", 300 * time.Millisecond}, {0, "disarm", 4 * time.Second}}

// twoWay is the day of two instances: each sends one of the two commands.
var twoWay = []beat{{0, "arm", 300 * time.Millisecond}, {1, "disarm", 1100 * time.Millisecond}}

func one(text string) []file { return []file{{name: "/a", text: text, from: lifecycle.Active}} }

func servedBy(how serve, text string) []file {
	return []file{{name: "/a", text: text, from: lifecycle.Active, serve: how}}
}

func pair(a, b string) []file {
	return []file{{name: "/a", text: a, from: lifecycle.Active}, {name: "/b", text: b, from: lifecycle.Active}}
}

// setups are the networks, in the order in which they are explored: of those with one node the longest first.
var setups = []Setup{
	{
		Name: "checks", About: "one node with a topic and a service as checks",
		files: one("nodes:\n  /drive: {arm: {dead_man: none}, checks: [{topic: /scan, type: std_msgs/msg/Bool, rate: 10Hz}, {service: /ok}]}\n"),
		day:   armDay,
	},
	{
		Name: "parts", About: "one node with a topic that counts before the network is armed, and a service that counts while it is",
		files: one("nodes:\n  /drive: {arm: {dead_man: none}, checks: [{topic: /scan, type: std_msgs/msg/Bool, rate: 10Hz, when: enter}, {service: /ok, when: stay}]}\n"),
		day:   armDay,
	},
	{
		Name: "plain", About: "one node that follows no lease",
		files: one("nodes:\n  /drive: {arm: {dead_man: none}}\n"), day: armDay,
	},
	{
		Name: "stop", About: "one node, and a stop input",
		files: one("stop: [{topic: /estop}]\nnodes:\n  /drive: {arm: {dead_man: none}}\n"), day: armDay,
	},
	{
		Name: "guard", About: "one node that follows no lease, and the guard that it requires",
		files: one("arming: {guard: required}\nnodes:\n  /drive: {arm: {dead_man: none}}\n"), day: armDay, guards: 1,
	},
	{
		Name: "guard two", About: "one node that follows no lease, and two guards of which it requires one",
		files: one("arming: {guard: required}\nnodes:\n  /drive: {arm: {dead_man: none}}\n"), day: armDay, guards: 2,
	},
	{
		Name: "served", About: "one node whose arm is served by another process",
		files: servedBy(instead, "nodes:\n  /drive: {arm: {service: /hw/power, served_by: /hw, dead_man: none}}\n"), day: longDay,
	},
	{
		Name: "twice", About: "one node that serves its arm, and another process that does too",
		files: servedBy(besides, "nodes:\n  /drive: {arm: {dead_man: none}}\n"), day: armDay,
	},
	{
		Name: "lease", About: "one node that follows the lease",
		files: one("nodes:\n  /drive: {arm: {dead_man: lease}}\n"), day: armDay,
	},
	{
		Name: "optional", About: "a node that is armed, and an optional one",
		files: one("nodes:\n  /drive: {arm: {dead_man: none}}\n  /gripper: {optional: true, arm: {dead_man: none}}\n"),
		day:   armDay,
	},
	{
		Name: "probed", About: "a node that is armed, and an optional one that is probed",
		files: one("nodes:\n  /drive: {arm: {dead_man: none}}\n  /camera: {optional: true, probe: 200ms}\n"),
		day:   armDay,
	},
	{
		Name: "two", About: "two nodes that are armed, one after the other",
		files: one("nodes:\n  /left: {arm: {dead_man: none}}\n  /right: {after: [/left], arm: {dead_man: lease}}\n"),
		day:   armDay,
	},
	{
		Name: "peers", About: "two instances with a node each",
		files: pair("nodes:\n  /drive: {arm: {dead_man: none}}\n", "nodes:\n  /crane: {arm: {dead_man: none}}\n"),
		day:   twoWay,
	},
	{
		Name: "stop two", About: "two instances with a node each, of which one has a stop input",
		files: pair("stop: [{topic: /estop}]\nnodes:\n  /drive: {arm: {dead_man: none}}\n",
			"nodes:\n  /crane: {arm: {dead_man: none}}\n"), day: twoWay,
	},
	{
		Name: "sides", About: "two instances, of which one is slow to activate",
		files: []file{
			{name: "/a", text: "nodes:\n  /drive: {arm: {dead_man: none}}\n", from: lifecycle.Inactive},
			{name: "/b", text: "nodes:\n  /crane: {arm: {dead_man: none}, deadline: {activate: 20s}}\n",
				from: lifecycle.Inactive, slow: 4 * time.Second},
		},
		day: []beat{{0, "armed", 300 * time.Millisecond}, {0, "disarm", 5200 * time.Millisecond}},
	},
	{
		Name: "required", About: "two instances, each of which requires the other",
		files: pair("peers: {required: [/b]}\nnodes:\n  /drive: {arm: {dead_man: none}}\n",
			"peers: {required: [/a]}\nnodes:\n  /crane: {arm: {dead_man: none}}\n"), day: twoWay,
	},
}

// Parts is how many things the network has whose deviations go together, of all instances: nodes, checks that have a time of
// their own, stop buttons, guards, and processes that serve an arm.
func (s *Setup) Parts() int {
	n := 0
	for _, f := range s.files {
		n += len(f.net.Nodes) + len(f.net.Stop) + s.guards
		if f.serve != itself {
			n++
		}
		for i := range f.net.Nodes {
			for _, c := range f.net.Nodes[i].Checks {
				if c.When != network.Always {
					n++
				}
			}
		}
	}
	return n
}

// Setups lists the networks. Each call reads their files anew.
func Setups() ([]*Setup, error) {
	list := make([]*Setup, 0, len(setups))
	for _, s := range setups {
		s.files = append([]file(nil), s.files...)
		for i := range s.files {
			net, err := network.Parse(s.Name+s.files[i].name+".yaml", []byte("simulation: small\n"+s.files[i].text))
			if err != nil {
				return nil, fmt.Errorf("cannot read the network %s: %w", s.Name, err)
			}
			s.files[i].net, s.files[i].hash = net, net.Machine.Hash()
		}
		list = append(list, &s)
	}
	return list, nil
}

// Find returns the network of that name.
func Find(name string) (*Setup, error) {
	list, err := Setups()
	if err != nil {
		return nil, err
	}
	for _, s := range list {
		if s.Name == name {
			return s, nil
		}
	}
	return nil, fmt.Errorf("there is no network %q", name)
}
