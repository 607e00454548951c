package doctor

import (
	"fmt"
	"strings"
)

// clock judges simulated time.
func (j *judge) clock() {
	const about = "clock"
	var sim, wall []string
	for _, a := range j.Answers {
		switch a.SimTime {
		case "true":
			sim = append(sim, a.Node)
		case "false":
			wall = append(wall, a.Node)
		}
	}
	before := j.report.Faults + j.report.Warnings
	j.clockWriters(sim)
	if len(sim) > 0 && len(wall) > 0 {
		j.warn(about, "some nodes use simulated time and some do not",
			"true on "+strings.Join(sim, ", ")+"; false on "+strings.Join(wall, ", "),
			"set use_sim_time alike on all of them, the daemon too")
	}
	if j.Clock.Writers > 0 && len(sim) == 0 && len(wall) > 0 {
		j.warn(about, "there is a /clock, and no node of the network uses it",
			"use_sim_time is false on "+strings.Join(wall, ", "),
			"set use_sim_time on all of them, if this is a simulation")
	}
	switch {
	case before < j.report.Faults+j.report.Warnings:
	case len(sim) > 0:
		j.fine(about, fmt.Sprintf("simulated: messages on /clock in %.1f s: %d", j.Clock.Looked.Seconds(),
			j.Clock.Messages))
	default:
		j.fine(about, "real time")
	}
}

// clockWriters judges the publishers of /clock; sim are the nodes that use simulated time.
func (j *judge) clockWriters(sim []string) {
	const about = "clock"
	c := j.Clock
	if len(sim) > 0 && c.Writers == 0 {
		j.fault(about, "simulated time stands still",
			"/clock has no publisher, and use_sim_time is true on "+strings.Join(sim, ", "),
			"start the simulator or the player of the bag (ros2 bag play --clock), or set use_sim_time to false")
	}
	if len(sim) > 0 && c.Writers > 0 && c.Messages == 0 {
		j.warn(about, "simulated time stands still",
			fmt.Sprintf("/clock has a publisher, and nothing came in %.1f s", c.Looked.Seconds()),
			"see whether the simulation is paused")
	}
	if c.Writers > 1 {
		j.fault(about, "time has two masters", fmt.Sprintf("%d publish /clock", c.Writers),
			"end all but one: time jumps to and fro between them")
	}
}
