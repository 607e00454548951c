package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"rstate/internal/tale"
)

// files is what each host is told, and all that it is told.
var files = map[string]string{
	"base": `simulation: robot                     # the same on both: so they are peers
proof: 2s                             # this machine may be busy, which is no reason to disarm
peers: {required: [/arm/rstate]}      # the wheels are armed only while the arm is well, too
nodes:
  /base/lidar: {}
  /base/wheels: {after: [/base/lidar], arm: {}}
`,
	"arm": `simulation: robot
proof: 2s
nodes:
  /arm/camera: {}
  /arm/joints: {after: [/arm/camera], arm: {}}
`,
}

const prologue = `A robot may be several computers, and they have to be in one state, too. Each runs an rstate of its own over its own
nodes; what is commanded on one is followed by the others. Here are two, base and arm, made of network namespaces on
this machine, and a wire between them that can be cut. It takes half a minute; Ctrl-C ends all of it at any time.
`

const epilogue = `
That was all: every process has ended, and nothing is left. More of it: rstate help peers, and the rules P1 to P9 in docs/rules.md.
`

// story is what is told. Each scene begins where the one before has ended.
func (s *stage) story() tale.Tale {
	return tale.Tale{Prologue: prologue, Epilogue: epilogue, Close: s.end, Scenes: []tale.Scene{
		{Said: "Two nodes on each host, and rstate beside them. This is the file of the base, and this the one of the arm:", Play: s.playStart},
		{Said: "One command, on the base. Nobody commands the arm.", Play: s.playMirrored},
		{Said: "Arming is followed, too, and disarming would be. Each side first asks its own nodes for proof.", Play: s.playArm},
		{Said: "Now the wire is cut.", Play: s.playCut},
		{Said: "Neither hears the other, but there are people on both sides: one disarms the arm, one lowers the base further.", Play: s.playApart},
		{Said: "The wire is whole again: one side says active, the other inactive, and neither has heard of the other's.", Play: s.playHealed},
		{Said: "They go on as if nothing had been. This goal ends when all are there.", Play: s.playTogether},
		{Said: "The day is over: one command, on the arm this time.", Play: s.playShutdown},
	}}
}

func (s *stage) playStart() (string, error) {
	for _, h := range s.hosts {
		fmt.Fprintf(s.Shown(), "%s\n%s$ rstate run %s.yaml\n\n", files[h.at.Name], h.at.Name, h.at.Name)
	}
	for _, h := range s.hosts {
		if err := h.begin(); err != nil {
			return "", err
		}
	}
	for _, h := range s.hosts {
		if err := h.rests("unconfigured"); err != nil {
			return "", err
		}
	}
	return "both have found their nodes, and each other.", s.meet()
}

// begin starts the nodes of a host, and its daemon.
func (h *host) begin() (err error) {
	for _, line := range strings.Split(files[h.at.Name], "\n") {
		name, rest, isNode := strings.Cut(strings.TrimSpace(line), ":")
		if !isNode || !strings.HasPrefix(name, "/") {
			continue
		}
		args := []string{"node", name, "--log", "text", "--configure-delay", "200ms", "--activate-delay", "200ms"}
		if strings.Contains(rest, "arm:") {
			args = append(args, "--arm", "--lease", "/"+h.at.Name+"/rstate/arm_lease")
		}
		node, err := h.start(args...)
		if err != nil {
			return err
		}
		h.nodes = append(h.nodes, node)
	}
	h.daemon, err = h.start("run", h.file, "--log", "text", "--ros-args", "-r", "__ns:=/"+h.at.Name)
	return err
}

// meet waits until each daemon says that the other is alive.
func (s *stage) meet() error {
	for _, h := range s.hosts {
		for !h.hearsOther() {
			if s.ctx.Err() != nil {
				return s.ctx.Err()
			}
		}
	}
	return nil
}

func (h *host) hearsOther() bool {
	said, code, err := h.ask("status", "-o", "json", "--node", h.daemonAs)
	var view struct {
		Peers []struct{ Alive bool }
	}
	return err == nil && code == exitDone && json.Unmarshal([]byte(said), &view) == nil && len(view.Peers) == 1 && view.Peers[0].Alive
}

func (s *stage) playMirrored() (string, error) {
	if _, err := s.base.shows("send", "active"); err != nil {
		return "", err
	}
	return "the arm has heard of it, and configured and activated its own nodes.", s.arm.rests("active")
}

func (s *stage) playArm() (string, error) {
	if _, err := s.base.shows("send", "arm"); err != nil {
		return "", err
	}
	if err := s.arm.rests("armed"); err != nil {
		return "", err
	}
	return "the wheels and the joints are armed, on both hosts.", nil
}

func (s *stage) playCut() (string, error) {
	s.wire.Cut(s.arm.at)
	cut := time.Now()
	if err := s.base.rests("active"); err != nil {
		return "", err
	}
	took := time.Since(cut)
	_, err := s.base.shows("why")
	return fmt.Sprintf("%.1f s after the cut the base was disarmed, by itself: it requires the arm, and does not hear it. "+
		"The arm requires nobody.", took.Seconds()), err
}

func (s *stage) playApart() (string, error) {
	if _, err := s.arm.shows("send", "disarm"); err != nil {
		return "", err
	}
	_, err := s.base.shows("send", "inactive")
	return "the arm is active, the base inactive. Each did what it was told, though it was alone.", err
}

func (s *stage) playHealed() (string, error) {
	s.wire.Heal(s.arm.at)
	healed := time.Now()
	if err := s.arm.rests("inactive"); err != nil {
		return "", err
	}
	took := time.Since(healed)
	if err := s.meet(); err != nil {
		return "", err
	}
	_, err := s.base.shows("peers")
	return fmt.Sprintf("%.1f s after it was mended both are inactive: of two changes made at once the lower one is taken, "+
		"so mending a wire never raises anything, and never arms.", took.Seconds()), err
}

func (s *stage) playTogether() (string, error) {
	if _, err := s.arm.shows("send", "active", "--wait-peers"); err != nil {
		return "", err
	}
	return "both are active. To arm is for a person.", s.base.rests("active")
}

func (s *stage) playShutdown() (string, error) {
	if _, err := s.arm.shows("send", "shutdown"); err != nil {
		return "", err
	}
	for _, h := range s.hosts {
		if err := h.ended(); err != nil {
			return "", err
		}
	}
	return "all four nodes are finalized, and both rstates have ended by themselves, with code 0.", nil
}
