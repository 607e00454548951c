package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/network"
	"rstate/internal/rehearse"
)

// demoIn is the time limit of a demo without pauses, which takes half of it.
const demoIn = 55 * time.Second

// demoLimit is the time limit of a demo that waits before each of its scenes.
func demoLimit(pace time.Duration, scenes int) time.Duration {
	return demoIn + pace*time.Duration(scenes)
}

// demoable returns why a demo of a script would not play what a rehearsal of the script plays.
func demoable(s *rehearse.Script, net *network.Network) error {
	for k := range s.Cases {
		c := &s.Cases[k]
		err := demoableCase(c, net)
		if err == nil && k < len(s.Cases)-1 && !ends(c) {
			err = errors.New("another case follows, and the daemon of this one does not end; expect an exit code in a scene")
		}
		if err != nil {
			return fmt.Errorf("no demo can play the case %q of %s: %w", c.Name, s.File, err)
		}
	}
	return nil
}

// ends reports whether the daemon of a case ends.
func ends(c *rehearse.Case) bool {
	return slices.ContainsFunc(c.Scenes, func(s rehearse.Scene) bool { return s.Expect.Exit != nil })
}

func demoableCase(c *rehearse.Case, net *network.Network) error {
	switch {
	case c.Given != "":
		return errors.New("it has given; write a scene that brings the network there")
	case len(c.Scenes) == 0:
		return errors.New("it has no scenes; write them instead of do and expect")
	}
	for _, b := range c.Nodes {
		if _, err := scriptFaults(b, false); err != nil {
			return err
		}
	}
	d := demoed{Case: c, net: net, sent: map[string]int{}, asked: map[string]int{}}
	for k := range c.Scenes {
		if err := d.scene(&c.Scenes[k]); err != nil {
			return fmt.Errorf("scene %d: %w", k+1, err)
		}
	}
	return nil
}

// demoed is what is known of a case when its scenes are read in their order.
type demoed struct {
	*rehearse.Case
	net   *network.Network
	sent  map[string]int // how many goals of each command
	asked map[string]int // how often each step of a node was asked for, at least
}

func (d *demoed) scene(s *rehearse.Scene) error {
	open := "" // the goal of the act before, which the demo awaits
	for k, act := range s.Do {
		if act.After != 0 && open != "" {
			return fmt.Errorf("do[%d] does not wait for the end of %s, as a demo does; expect that it is open, or leave after out",
				k, open)
		}
		open = ""
		err := d.plays(&act)
		if act.Send != "" && err == nil {
			open, err = d.awaits(s, act.Send, k == len(s.Do)-1)
		}
		if err != nil {
			return fmt.Errorf("do[%d]: %w", k, err)
		}
	}
	for _, step := range s.Expect.Asked {
		d.asked[step]++
	}
	return nil
}

// plays returns why a demo cannot play an act.
func (d *demoed) plays(act *rehearse.Step) error {
	switch {
	case act.In != "":
		return errors.New("a demo has no acts in the callback of a node")
	case act.Ask != "":
		d.asked[act.Ask]++
	case act.Respawn != "":
		return d.respawns(act.Respawn)
	case act.Send == "" && act.Kill == "" && act.Freeze == "" && act.Thaw == "" && act.Wait == 0:
		return errors.New("a demo can only send, ask, kill, respawn, freeze, thaw and wait")
	}
	return nil
}

// respawns returns why a demo cannot start a node again. The new process has no counted fault, so the old one must have
// used up all of them.
func (d *demoed) respawns(node string) error {
	k := slices.IndexFunc(d.Nodes, func(b rehearse.Behaviour) bool { return b.Node == node })
	if k < 0 {
		return nil
	}
	b := &d.Nodes[k]
	if b.FailStep > 0 {
		return fmt.Errorf("%s has fail_step, which may not have come yet", node)
	}
	for _, step := range steps {
		call := step + " " + node
		if times := b.In(step).Times; times > d.asked[call] {
			return fmt.Errorf("the fault of %s in %s may not have come %d times yet; expect asked: [%s] in a scene before",
				node, step, times, call)
		}
	}
	return nil
}

// awaits returns the goal that a demo sends and awaits; it is empty if the scene expects that the goal stays open.
func (d *demoed) awaits(s *rehearse.Scene, command string, last bool) (string, error) {
	d.sent[command]++
	name := rehearse.GoalName(command, d.sent[command])
	k := slices.IndexFunc(s.Expect.Goals, func(w rehearse.Word) bool { return w.Name == name })
	switch {
	case k >= 0 && s.Expect.Goals[k].Is == rehearse.Open:
		return "", nil
	case rehearse.StaysOpen(d.net.Machine, command) && (k < 0 || !last):
		return "", fmt.Errorf("%s may stay open; make it the last act of its scene, and expect how it ends: goals: {%q: open}",
			name, name)
	}
	return name, nil
}

// steps are the steps in which a demo node can fail.
var steps = []string{"configure", "cleanup", "activate", "deactivate", "shutdown", "arm", "disarm"}

// faultFlagOf are the options of rstate node for faults of a script.
var faultFlagOf = map[rehearse.Fault]string{
	rehearse.RefuseIt: "--fail", rehearse.ErrIn: "--err", rehearse.DieIn: "--die", rehearse.HangIn: "--freeze",
	rehearse.Unanswered: "--lose-answer",
}

// scriptFaults returns the options of rstate node that make a node behave like that. A node that starts again has used
// up the faults that are counted.
func scriptFaults(b rehearse.Behaviour, again bool) (flags []string, err error) {
	if !b.Plain() {
		return nil, fmt.Errorf("each demo node starts unconfigured with the daemon; the script says otherwise of %s", b.Node)
	}
	times := -1 // of the first fault
	for _, step := range steps {
		c := *b.In(step)
		if c.Takes > 0 {
			flags = append(flags, "--"+step+"-delay", c.Takes.String())
		}
		flag, err := faultFlag(b.Node, step, c)
		if err != nil {
			return nil, err
		}
		if flag == "" {
			continue
		}
		if times >= 0 && times != c.Times {
			return nil, fmt.Errorf("a demo node has one times for all of its faults: %s", b.Node)
		}
		if times = c.Times; again && times > 0 {
			continue
		}
		flags = append(flags, flag, step)
	}
	if times > 0 && !again {
		flags = append(flags, "--times", fmt.Sprint(times))
	}
	if b.FailStep > 0 && !again {
		flags = append(flags, "--fail-step", fmt.Sprint(b.FailStep))
	}
	return flags, nil
}

// faultFlag returns the option of a fault in a step; it is empty if the node has none there.
func faultFlag(node, step string, c rehearse.Conduct) (flag string, err error) {
	if c.Does == "" || c.Does == rehearse.OK {
		if c.Times > 0 {
			return "", fmt.Errorf("no demo node counts how often it does %s well: %s", step, node)
		}
		return "", nil
	}
	flag, known := faultFlagOf[c.Does]
	armed := strings.HasSuffix(step, "arm") && (c.Does == rehearse.ErrIn || c.Does == rehearse.DieIn)
	if !known || armed {
		return "", fmt.Errorf("no demo node can do what the script says of %s: %s %s", node, step, c.Does)
	}
	if c.Times > 0 && c.Takes > 0 {
		return "", fmt.Errorf("a demo node has times for faults, and not for takes: %s %s", node, step)
	}
	return flag, nil
}
