package doctor

import (
	"fmt"
	"slices"
	"strings"

	"rstate/internal/strict"
)

const aboutPeers = "peers"

// ours is the simulation that is looked at, as its instances tell of it.
func (j *judge) ours() Circle {
	at := slices.IndexFunc(j.Circles, func(c Circle) bool { return c.Simulation == j.Network.Simulation })
	if at < 0 {
		return Circle{Simulation: j.Network.Simulation}
	}
	return j.Circles[at]
}

// unheard lists the peers that are required and not heard.
func (j *judge) unheard() (names []string) {
	heard := between{Circle: j.ours()}
	for _, i := range heard.Instances {
		if i.Alive {
			heard.living = append(heard.living, i)
		}
	}
	for _, name := range j.Network.Peers {
		if _, there := heard.alive(name); !there {
			names = append(names, name)
		}
	}
	return names
}

// peers judges the instances of the simulation, and those that should be of it.
func (j *judge) peers() {
	circle := j.ours()
	found := Between(circle)
	missing := j.unheard()
	for _, f := range found {
		if !slices.Contains(missing, f.About) {
			j.add(f)
		}
	}
	for _, name := range missing {
		evidence, do := j.peerInstead(name)
		j.fault(name, "is required as a peer and not there", evidence, do)
	}
	for _, other := range j.Circles {
		if other.Simulation != circle.Simulation {
			j.stranger(circle, other)
		}
	}
	living := len(slices.DeleteFunc(slices.Clone(circle.Instances), func(i Instance) bool { return !i.Alive }))
	if len(found) == 0 && living > 1 {
		j.fine(aboutPeers, fmt.Sprintf("%d instances of simulation %s, which have seen the same changes", living,
			circle.Simulation))
	}
}

// peerInstead says what there is in the place of a peer.
func (j *judge) peerInstead(name string) (evidence, do string) {
	for _, c := range j.Circles {
		for _, i := range c.Instances {
			if i.Alive && i.Name == name {
				return "it is an instance of simulation " + c.Simulation + ", not of " + j.Network.Simulation,
					"give both files the same simulation id, and start the daemons again"
			}
		}
	}
	switch {
	case j.present(name):
		return "there is a node of that name, which tells no peers how it is",
			"its process stands still, or it is no rstate: look for it"
	case Reach(j.Env) == "LOCALHOST":
		return "no instance of that name is heard; the range is LOCALHOST, so those on other machines are not found",
			"start it; if it is to run on another machine, set ROS_AUTOMATIC_DISCOVERY_RANGE=SUBNET on both; until then nothing is armed"
	}
	return "no instance of that name is heard",
		"start it with its own network file, in the same domain; until then nothing is armed"
}

// stranger judges the instances of another simulation.
func (j *judge) stranger(ours, other Circle) {
	var names []string
	for _, i := range other.Instances {
		if !i.Alive {
			continue
		}
		names = append(names, i.Name)
		var shared []string
		for _, n := range j.Network.Nodes {
			if slices.Contains(i.Nodes, n.Name) {
				shared = append(shared, n.Name)
			}
		}
		switch of := "that is an instance of simulation " + other.Simulation; len(shared) {
		case 0:
		case 1:
			j.fault(shared[0], "is driven by "+i.Name+" too", of+", and lists it under nodes",
				"take it out of all files but one: a node has one coordinator")
		default:
			j.fault(i.Name, "drives "+many(len(shared), "node")+" of this network too: "+listed(shared),
				of+", and lists them under nodes",
				"take them out of all files but one: a node has one coordinator")
		}
	}
	list := strings.Join(names, ", ")
	switch {
	case len(names) == 0 || ours.Simulation == "":
	case strict.Suggest(other.Simulation, []string{ours.Simulation}, "") != "":
		j.warn(aboutPeers, fmt.Sprintf("there is a simulation %s, nearly called like %s", other.Simulation,
			ours.Simulation), list+" is of it",
			"if they are to be one, give their files the same simulation id, letter by letter; instances of two do not follow each other")
	default:
		j.fine(aboutPeers, "another simulation is here, "+other.Simulation+", with "+list)
	}
}
