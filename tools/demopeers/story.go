package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"rstate/internal/narrate"
)

// files holds the network file of each host.
var files = map[string]string{
	"base": `simulation: robot                     # the same on both hosts, so they are peers
proof: 2s                             # a busy machine must not disarm the demo
peers: {required: [/arm/rstate]}      # the wheels are armed only while the arm is fit too
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

const prologue = `A robot may have several computers. Each runs an rstate for its own nodes, and each follows the commands of the others.
This demo runs two hosts, base and arm, in network namespaces of this machine, and cuts the wire between them. It takes
half a minute; Ctrl-C ends it.
`

const epilogue = `
The demo is over, and every process has ended. Read on in docs/several-hosts.md, and in the rules P1 to P9 of docs/rules.md.
`

// story returns the scenes. Each one begins in the state in which the previous one ended.
func (s *stage) story() narrate.Story {
	return narrate.Story{Prologue: prologue, Epilogue: epilogue, Close: s.end, Scenes: []narrate.Scene{
		{Said: "Each host starts two nodes and a daemon. These are the network files of the base and of the arm:",
			Play: s.playStart},
		{Said: "One command, to the base only. The arm follows.", Play: s.playMirrored},
		{Said: "Both hosts follow arm and disarm too. Each side first proves the state of its own nodes.",
			Play: s.playArm},
		{Said: "Now the wire is cut.", Play: s.playCut},
		{Said: "Neither side hears the other. One user disarms the arm, another user lowers the base further.",
			Play: s.playApart},
		{Said: "The wire is healed. One side is active and the other inactive, and neither has heard the command of the other.", Play: s.playHealed},
		{Said: "The next command. Its goal ends when all peers have followed.", Play: s.playTogether},
		{Said: "Shut down everything, by a command to the arm.", Play: s.playShutdown},
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
	return "both daemons have found their nodes and each other.", s.meet()
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
	return err == nil && code == exitDone && json.Unmarshal([]byte(said), &view) == nil && len(view.Peers) == 1 &&
		view.Peers[0].Alive
}

func (s *stage) playMirrored() (string, error) {
	if _, err := s.base.shows("send", "active"); err != nil {
		return "", err
	}
	return "the arm has followed: its nodes are configured and active.", s.arm.rests("active")
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
	return fmt.Sprintf("the base disarmed itself %.1f s after the cut: it requires the arm, and does not hear it. "+
		"The arm requires no peer.", took.Seconds()), err
}

func (s *stage) playApart() (string, error) {
	if _, err := s.arm.shows("send", "disarm"); err != nil {
		return "", err
	}
	_, err := s.base.shows("send", "inactive")
	return "the arm is active, the base inactive. Each side follows its own commands while it is alone.", err
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
	return fmt.Sprintf("both are inactive %.1f s after the heal: of two changes made at once the lower one wins, "+
		"so healing a wire never raises or arms anything.", took.Seconds()), err
}

func (s *stage) playTogether() (string, error) {
	if _, err := s.arm.shows("send", "active", "--wait-peers"); err != nil {
		return "", err
	}
	return "both are active. Arming them again takes a command.", s.base.rests("active")
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
	return "all four nodes are finalized, and both daemons have ended with code 0.", nil
}
