//go:build ros

package daemon

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.uber.org/zap"

	"rstate/internal/engine"
	"rstate/internal/machine"
	"rstate/internal/network"
	"rstate/internal/session"
)

// knownIn is how long a creation waits until the state of the new network is known. Nodes may be
// missing, and then it is not.
const knownIn = 2 * time.Second

// autostart is the goal that the daemon sends to itself after it starts. It is an ordinary goal,
// but it never arms.
type autostart struct {
	asked machine.Word // as it was given; empty: there is none
	state string       // in which it ends
}

// readAutostart refuses what no start may do: arm, or end the network.
func readAutostart(asked string, net *network.Network) (autostart, error) {
	word := machine.ReadWord(asked)
	if word == "" {
		return autostart{}, nil
	}
	m := net.Machine
	refuse := func(why string) (autostart, error) {
		return autostart{}, &session.BadParameter{Name: paramAutostart,
			Cause: fmt.Errorf("%q %s; write one of %s, or leave it out", asked, why, strings.Join(startable(m), ", "))}
	}
	name, isState, ok := m.Command(word)
	if !ok {
		return refuse("is neither a command nor a state of machine " + m.Name)
	}
	ends := []string{name}
	if !isState {
		ends = m.Targets(name)
	}
	for _, end := range ends {
		switch s, _ := m.State(end); {
		case s.Armed.Any():
			return refuse("arms, and no start arms anything")
		case s.Final:
			return refuse("ends the network")
		}
	}
	if len(ends) != 1 {
		return refuse("leads to a state that depends on where it begins")
	}
	if _, leads := m.Path(m.Initial, ends[0]); isState && !leads {
		return refuse("is a state to which no command leads from " + m.Initial)
	}
	return autostart{word, ends[0]}, nil
}

// startable are the states that a start may bring a network to.
func startable(m *machine.Machine) []string {
	var names []string
	for _, s := range m.States {
		if _, leads := m.Path(m.Initial, s.Name); leads && !s.Passing && !s.Final && !s.Armed.Any() {
			names = append(names, s.Name)
		}
	}
	return names
}

// startAuto asks for what a start is to bring the network to, once its state is known.
// Coordinator's goroutine only.
func (d *Daemon) startAuto(s engine.Snapshot) {
	switch {
	case d.auto.asked == "":
		close(d.begun)
	case d.makes() && s.Settled != d.net.Machine.Initial:
		d.log.Info("the nodes were found further than a new simulation", zap.String("state", s.Settled))
		close(d.begun)
	case s.Settled == d.auto.state && s.Intact:
		d.log.Info("autostart has nothing to do", zap.String("state", s.Settled))
		close(d.begun)
	default:
		go d.seeAuto()
	}
}

// makes reports whether the goal is that of a machine for a simulation that a factory has made.
func (d *Daemon) makes() bool {
	return len(d.net.Machine.Autos(d.net.Machine.Initial, machine.On{Event: machine.Made}, "")) > 0
}

// seeAuto runs the goal of autostart, and logs a failure, because no client waits for it.
func (d *Daemon) seeAuto() {
	defer close(d.begun)
	v, err := d.localGoals.ask(d.run, engine.GoalAsked{Command: d.auto.asked, Reason: "autostart",
		By: engine.ByAutostart})
	switch {
	case err != nil: // the daemon ends
	case v.Rejected != nil:
		d.autostartFailed(v.Rejected.Why, "rejected")
	case v.Finished.Ending != engine.Succeeded:
		d.autostartFailed(v.Finished.Result.Message, string(v.Finished.Result.Outcome))
	}
}

// AwaitRest returns when a new network is at rest: its state is known, what the daemon does by itself at
// its start is over, and no transition runs. It returns earlier when ctx ends, when the daemon has
// ended, and when the state is not known after knownIn, because nodes may be missing.
func (d *Daemon) AwaitRest(ctx context.Context) {
	changed := make(chan struct{}, 1)
	stop := d.shown.watch(func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	defer stop()
	known, begun := time.NewTimer(knownIn), d.begun
	defer known.Stop()
	for {
		if begun == nil && d.Snapshot().Rests() {
			return
		}
		select {
		case <-begun:
			begun = nil
		case <-changed:
		case <-known.C:
			if !d.read() {
				return
			}
		case <-d.localGoals.ended:
			return
		case <-ctx.Done():
			return
		}
	}
}

// autostartFailed logs that the goal of autostart failed.
func (d *Daemon) autostartFailed(why, outcome string) {
	d.log.Warn("autostart failed", zap.String("why", why), zap.String("state", d.auto.state),
		zap.String("outcome", outcome),
		zap.String("do", "rstate send "+d.auto.asked.String()+" tries again"))
}
