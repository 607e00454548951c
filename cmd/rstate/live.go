//go:build ros

package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"rstate/internal/term"
	builtin_interfaces_msg "rstate/msgs/gen/builtin_interfaces/msg"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// redrawEvery is how often a live view is redrawn, so that its times run and it fits the window.
const redrawEvery = 250 * time.Millisecond

// pausable restores the terminal when Ctrl-Z suspends this process, until the returned function is
// called.
func pausable(s *term.Screen) (end func()) {
	stops := make(chan os.Signal, 1)
	signal.Notify(stops, syscall.SIGTSTP)
	go func() {
		for range stops {
			// The process goes on at SIGCONT.
			s.Pause(func() { _ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) })
		}
	}()
	return func() { signal.Stop(stops); close(stops) }
}

// styleOf returns the style of a node's line.
func styleOf(n rstate_msgs_msg.NodeState) term.Style {
	switch {
	case n.Cause != "" || len(n.Failing) > 0 || n.Instances > 1:
		return term.Red
	case n.Running != "":
		return term.Yellow
	case !n.Present:
		return term.Dim
	case n.Armed:
		return term.Bold
	}
	return term.Plain
}

// styleOfNetwork returns the style of the state of a network.
func styleOfNetwork(s *rstate_msgs_msg.InstanceState) term.Style {
	switch {
	case !s.Intact:
		return term.Red
	case !s.Settled:
		return term.Yellow
	}
	return term.Green
}

// styleOfPeer returns the style of a peer's line.
func styleOfPeer(p rstate_msgs_msg.Peer) term.Style {
	switch {
	case p.Required && (!p.Alive || p.Leaving || !p.SameMachine), p.Alive && (p.Behind || !p.Intact):
		return term.Red
	case !p.Alive:
		return term.Dim
	}
	return term.Plain
}

// seconds formats a running time.
func seconds(d time.Duration) string {
	if d < 0 {
		d = 0
	}
	if d < 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// took formats the duration of something that has ended.
func took(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", max(0, d).Milliseconds())
	}
	return seconds(d)
}

func durationOf(d builtin_interfaces_msg.Duration) time.Duration {
	return time.Duration(d.Sec)*time.Second + time.Duration(d.Nanosec)
}

// runs holds when the running call of each node began. The state has the call, and a view shows its
// time.
type runs map[string]run

type run struct {
	what  string
	since time.Time
}

func (r runs) note(s *rstate_msgs_msg.InstanceState, now time.Time) {
	for _, n := range s.Nodes {
		if r[n.Name].what != n.Running {
			r[n.Name] = run{n.Running, now}
		}
	}
}
