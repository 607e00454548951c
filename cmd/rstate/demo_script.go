//go:build ros

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"go.uber.org/zap"

	"rstate/internal/clean"
	"rstate/internal/client"
	"rstate/internal/journal"
	"rstate/internal/narrate"
	"rstate/internal/rehearse"
	"rstate/internal/session"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// A script of a rehearsal, played on real nodes.

// life is one case of a script.
type life struct {
	*stage
	rehearse.Case
	goals []*goal   // in the order of their sending
	born  time.Time // when its nodes started
	since time.Time // when the present scene began
}

// goal is a goal that a script has sent.
type goal struct {
	name  string
	taken chan struct{} // closed when the daemon has accepted it
	done  chan struct{} // closed when it has ended
	end   *client.Ending
	err   error
	shown bool // its end is printed
}

// lives returns the scenes of a script.
func (d *stage) lives(s *rehearse.Script) (scenes []scene) {
	for _, c := range s.Cases {
		l := &life{stage: d, Case: c}
		for k, part := range c.Scenes {
			scenes = append(scenes, scene{clean.Text(part.Title), func(*stage) (string, error) {
				return clean.Text(part.Result), l.play(part, k == 0)
			}})
		}
	}
	return scenes
}

// play plays a scene. Before the first one, new nodes and a new daemon start.
func (l *life) play(s rehearse.Scene, first bool) error {
	if first {
		if err := l.begins(); err != nil {
			return err
		}
	}
	l.since = time.Now()
	for _, act := range s.Do {
		if err := l.does(act, &s.Expect); err != nil {
			return err
		}
	}
	if err := l.await(&s.Expect); err != nil {
		return err
	}
	return l.show(s, first)
}

// begins ends the nodes of the case before, and starts nodes with their faults, and the daemon.
func (l *life) begins() (err error) {
	l.up.stopNodes()
	l.up.nodes, l.born = nil, time.Now()
	fmt.Fprintf(l.shown(), "%s\n$ rstate run %s\n", l.text, filepath.Base(l.net.File))
	for _, n := range l.net.Nodes {
		if err := l.startsNode(n.Name, false); err != nil {
			return err
		}
	}
	l.up.daemon, err = l.up.start("rstate", nil, append([]string{"run", l.net.File, "--log", "text"}, l.ros...)...)
	return err
}

// startsNode starts a node's process, again or for the first time.
func (l *life) startsNode(name string, again bool) error {
	k := slices.IndexFunc(l.Nodes, func(b rehearse.Behaviour) bool { return b.Node == name })
	if k < 0 {
		return l.startNode(name)
	}
	flags, err := scriptFaults(l.Nodes[k], again)
	if err != nil {
		return err
	}
	return l.startNode(name, flags...)
}

// does plays an act. A goal is awaited, unless the scene expects that it stays open.
func (l *life) does(s rehearse.Step, e *rehearse.Expect) error {
	narrate.Wait(l.ctx, s.After+s.Wait)
	switch {
	case s.Send != "":
		return l.sends(s, e)
	case s.Ask != "":
		transition, node, _ := strings.Cut(s.Ask, " ")
		fmt.Fprintf(l.shown(), "$ ros2 lifecycle set %s %s\n", node, transition)
		ctx, cancel := context.WithTimeout(l.ctx, sceneIn)
		defer cancel()
		return l.conn.ChangeState(ctx, node, transition)
	case s.Respawn != "":
		return l.startsNode(s.Respawn, true)
	case s.Kill != "":
		return l.signals(s.Kill, "-9", syscall.SIGKILL)
	case s.Freeze != "":
		return l.signals(s.Freeze, "-STOP", syscall.SIGSTOP)
	case s.Thaw != "":
		return l.signals(s.Thaw, "-CONT", syscall.SIGCONT)
	case s.Wait != 0:
		return nil
	}
	return fmt.Errorf("a demo cannot do this: %+v", s)
}

// sends sends a goal, and prints what rstate send would print.
func (l *life) sends(s rehearse.Step, e *rehearse.Expect) error {
	n := 1
	for _, before := range l.goals {
		if name, _, _ := strings.Cut(before.name, " #"); name == s.Send {
			n++
		}
	}
	g := &goal{name: rehearse.GoalName(s.Send, n), taken: make(chan struct{}), done: make(chan struct{})}
	l.goals = append(l.goals, g)
	line, out, conn := "$ rstate send "+s.Send, l.shown(), l.conn
	if s.Argument != "" {
		line += fmt.Sprintf(" --argument %q", s.Argument)
	}
	opens := slices.Contains(e.Goals, rehearse.Word{Name: g.name, Is: rehearse.Open})
	t := &lines{out: out}
	following := client.Following{Progress: t.progress}
	if opens { // as in another terminal
		line += " &"
		var err error
		if conn, err = client.New("/"+session.NodeName, l.ros, zap.NewNop()); err != nil {
			return err
		}
		following = client.Following{Taken: func(string) { close(g.taken) }}
	}
	send := func() {
		defer close(g.done)
		for {
			fmt.Fprintln(out, line)
			g.end, g.err = conn.Send(l.ctx, client.Goal{Command: s.Send, Argument: s.Argument, Reason: "the demo"},
				following)
			if !standsStill(g.err) {
				return
			}
			fmt.Fprintln(out, g.err)
		}
	}
	if !opens {
		send()
		return l.ended(g)
	}
	go func() {
		defer conn.Close()
		send()
	}()
	select {
	case <-g.taken:
	case <-g.done:
	case <-l.ctx.Done():
	}
	return nil
}

// standsStill reports whether a command was rejected because the machine had no time for the daemon.
func standsStill(err error) bool {
	rejected, ok := err.(*client.Rejected)
	return ok && strings.Contains(rejected.Text, "did not run for")
}

// ended prints the end of a goal. Its error is that the goal had no answer.
func (l *life) ended(g *goal) error {
	g.shown = true
	var rejected *client.Rejected
	switch {
	case errors.As(g.err, &rejected):
		fmt.Fprintln(l.shown(), rejected)
	case g.err != nil:
		return g.err
	default:
		printResult(l.shown(), g.end.Result)
	}
	return nil
}

// verdict is how a goal ended, as in a rehearsal, and what its client was told.
func (g *goal) verdict() (verdict, says string) {
	select {
	case <-g.done:
	default:
		return rehearse.Open, ""
	}
	var rejected *client.Rejected
	switch {
	case errors.As(g.err, &rejected):
		return "rejected", rejected.Text
	case g.err != nil:
		return "lost", g.err.Error()
	}
	return strings.ToLower(g.end.Status.String()) + " " + g.end.Result.Outcome, g.end.Result.Message
}

// await waits until all holds that a scene expects.
func (l *life) await(e *rehearse.Expect) error {
	ctx, cancel := context.WithTimeout(l.ctx, sceneIn)
	defer cancel()
	for ; ; narrate.Wait(ctx, 20*time.Millisecond) {
		s, err := l.conn.State(ctx)
		if late := new(client.NoDaemon); errors.As(err, &late) && ctx.Err() == nil && l.lives() {
			continue // it starts slowly
		}
		if err != nil {
			return err
		}
		missed, lasts := e.Missed(l.facts(s))
		switch {
		case len(missed) == 0:
			return nil
		case lasts:
			return errors.New(strings.Join(missed, "; "))
		case ctx.Err() != nil:
			return fmt.Errorf("%s, and that for %v: %s", strings.Join(missed, "; "), sceneIn, s.Cause)
		}
	}
}

// facts is what is known now of the network.
func (l *life) facts(s *rstate_msgs_msg.InstanceState) *rehearse.Facts {
	opens := slices.ContainsFunc(l.goals, func(g *goal) bool {
		verdict, _ := g.verdict()
		return verdict == rehearse.Open
	})
	f := &rehearse.Facts{State: s.State.Label, Intact: s.Intact, Legal: s.Legal, Cause: s.Cause,
		Rests: s.Settled && (opens || len(s.OpenGoals) == 0), // else the state is older than the end of a goal
		Loops: s.StepRate > 0, Step: int(s.Step),
		Where: func(node string) string { return whereIs(s, node) },
		Verdict: func(name string) string {
			k := slices.IndexFunc(l.goals, func(g *goal) bool { return g.name == name })
			if k < 0 {
				return rehearse.NeverAsked
			}
			verdict, _ := l.goals[k].verdict()
			return verdict
		},
		Asked: func() []string {
			return l.journal(journal.KindStep, l.since, func(line *journal.Line) (string, bool) {
				return line.Step + " " + line.Node, line.Event == journal.EventSent
			})
		},
		Journal: func() []string {
			return l.journal(journal.KindState, l.born, func(line *journal.Line) (string, bool) { return line.Text(), true })
		},
	}
	for _, d := range s.Deviations {
		f.Deviations = append(f.Deviations, d.Name+": "+d.Cause)
	}
	if n := len(l.goals); n > 0 {
		_, f.Says = l.goals[n-1].verdict()
	}
	if !l.lives() {
		code := l.up.daemon.cmd.ProcessState.ExitCode()
		f.Exit, f.ExitWhy = &code, s.Cause
	}
	return f
}

// lives reports whether the daemon has not ended.
func (l *life) lives() bool {
	select {
	case <-l.up.daemon.done:
		return false
	default:
		return true
	}
}

// whereIs is the state of a node in a word, as in a rehearsal.
func whereIs(s *rstate_msgs_msg.InstanceState, node string) string {
	for _, n := range s.Nodes {
		switch {
		case n.Name != node:
		case n.Armed:
			return "armed"
		case !n.Present:
			return "gone"
		case n.MayBeArmed:
			return "perhaps armed"
		default:
			return n.State.Label
		}
	}
	return "unknown"
}

// journal returns the text of each line of a kind, since a time.
func (l *life) journal(kind journal.Kind, since time.Time, text func(*journal.Line) (string, bool)) (texts []string) {
	dir, err := journal.Dir(os.Getenv("ROS_HOME"), "/"+session.NodeName)
	if err != nil {
		return nil
	}
	lines, _ := journal.Read(dir) // what cannot be read is missed
	for _, line := range (journal.Filter{Kind: kind, Since: since}).Of(lines) {
		if words, ok := text(&line); ok {
			texts = append(texts, words)
		}
	}
	return texts
}

// show prints what a scene has come to: the ends of goals that were open, and what the verbs of rstate tell.
func (l *life) show(s rehearse.Scene, first bool) error {
	for _, g := range l.goals {
		if verdict, _ := g.verdict(); !g.shown && verdict != rehearse.Open {
			if err := l.ended(g); err != nil {
				return err
			}
		}
	}
	e := &s.Expect
	sends := slices.ContainsFunc(s.Do, func(s rehearse.Step) bool { return s.Send != "" })
	switch {
	case e.Cause != "":
		return l.asks("why")
	case e.Journal != nil:
		return l.asks("history", "--kind", "state")
	case e.Exit == nil && !first && (e.Legal != nil || e.Step != nil || !sends):
		now, err := l.conn.State(l.ctx)
		if err != nil {
			return err
		}
		if !sends && len(s.Do) > 0 {
			fmt.Fprintf(l.shown(), "%v later:\n", time.Since(l.since).Round(time.Millisecond))
		}
		fmt.Fprintln(l.shown(), "$ rstate status")
		printState(l.shown(), now)
	}
	return nil
}

// asks runs a verb that reads the journal.
func (l *life) asks(args ...string) error {
	fmt.Fprintf(l.shown(), "$ rstate %s\n", strings.Join(args, " "))
	dir, err := journal.Dir(os.Getenv("ROS_HOME"), "/"+session.NodeName)
	if err != nil {
		return err
	}
	if code := dispatch(&env{in: l.env.in, out: l.shown(), err: l.shown()}, append(args, "--dir", dir)); code != exitDone {
		return fmt.Errorf("rstate %s ended with %d", args[0], code)
	}
	return nil
}
