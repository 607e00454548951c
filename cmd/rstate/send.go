//go:build ros

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/clean"
	"rstate/internal/client"
	"rstate/internal/patient"
	"rstate/internal/term"
	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
)

func sendVerb(e *env, f *options) action {
	s := newSending(e, f)
	return func(words []string) int {
		s.goal.Command = words[0]
		return s.run(func(conn *client.Client, stop <-chan os.Signal) (*client.Ending, any, error) {
			end, err := s.follow(conn, stop)
			if err != nil {
				return nil, nil, err
			}
			return end, message{end.Result}, nil
		})
	}
}

// sending is a verb that sends one goal.
type sending struct {
	*env
	goal     client.Goal
	daemon   *string
	key      *string
	cancels  *bool
	patience *time.Duration
	output   *string
}

func newSending(e *env, f *options) *sending {
	s := &sending{env: e, daemon: f.daemon("full `name` of the daemon")}
	f.StringVar(&s.goal.Reason, "reason", "", "`text` that says why, for the history")
	f.StringVar(&s.goal.ID, "id", "", "`name` of your own for the goal; a second goal of the same name joins the first")
	f.StringVar(&s.goal.Argument, "argument", "", "`text` for a command that takes one: a number of steps, the simulated time of a step, or both (\"100 20ms\")")
	f.StringVar(&s.goal.Seen, "seen", "", "`text` of seen in ~/state when you decided to arm; without it, as this program reads it when it starts")
	f.DurationVar(&s.goal.Within, "patience", client.SeenWithin, "do not arm if the daemon is first seen a longer `time` after the start")
	s.goal.Asked = client.Began()
	f.BoolVar(&s.goal.WaitPeers, "wait-peers", false, "wait until the peers have followed; if one does not, its name is printed and the exit code is 1")
	s.key = f.String("authority-file", "", "`file` with the authority that arming asks for; without it, the value of $"+authorityVariable)
	s.cancels = f.Bool("cancel", false, "let Ctrl-C also cancel a goal that lowers; without it, Ctrl-C only stops waiting for such a goal")
	s.patience = f.Duration("timeout", client.Patience, "how long to wait for an unresponsive daemon, a `time` like 30s")
	s.output = f.output("how to print the result; with json and yaml, progress goes to stderr")
	return s
}

// run lets does send the goal, and prints how it ended: the result for people, or what does returns for programs.
func (s *sending) run(does func(conn *client.Client, stop <-chan os.Signal) (end *client.Ending, shown any, err error)) int {
	var err error
	if s.goal.Within <= 0 {
		err = fmt.Errorf("cannot arm with a --patience of %v: write a time above 0, like 2s", s.goal.Within)
		return s.answer(*s.output, s.fail(exitBadInput, "%v", err), err)
	}
	if s.goal.Authority, err = authority(*s.key); err != nil {
		return s.answer(*s.output, s.fail(exitBadInput, "%v", err), err)
	}
	if again := s.again; again != nil && s.goal.Authority != "" {
		s.again = func(more ...string) error { return again(append(more, authorityVariable+"="+s.goal.Authority)...) }
	}
	stop, quiet := signals() // before the client exists, so that it leaves ROS in any case
	defer quiet()
	conn, err := connect(s.env, func() (*client.Client, error) { return client.NewBrief(*s.daemon, s.ros, zap.NewNop()) })
	if err != nil {
		return s.answer(*s.output, codeOf(s.env, err), err)
	}
	defer conn.Close()
	conn.Patience = *s.patience
	end, shown, err := does(conn, stop)
	if err != nil {
		return s.answer(*s.output, codeOf(s.env, err), err)
	}
	if *s.output == asTable {
		printResult(s.out, end.Result)
	} else if code := s.print(*s.output, shown); code != exitDone {
		return code
	}
	return codeOfEnding(end)
}

// follow sends the goal and waits for its end.
func (s *sending) follow(conn *client.Client, stop <-chan os.Signal) (*client.Ending, error) {
	beside := s.out
	if *s.output != asTable {
		beside = s.err
	}
	return follow(conn, s.goal, *s.cancels, newTeller(beside), stop)
}

// noResult is what send prints for programs if there is no result. Its first fields are those of a
// result.
type noResult struct {
	Success bool     `json:"success"`
	Outcome string   `json:"outcome"`
	Message string   `json:"message"`
	Legal   []string `json:"legal"`
}

// outcomes maps exit codes to the outcome of noResult.
var outcomes = map[int]string{
	exitBadInput: "bad_input", exitRejected: "rejected", exitNoROS: "no_daemon", exitCancelled: "unknown", exitFailed: "unknown",
}

// answer prints for programs why there is no result, and returns the exit code.
func (e *env) answer(form string, code int, err error) int {
	if form == asTable {
		return code
	}
	answer := noResult{Outcome: outcomes[code], Message: clean.Text(err.Error()), Legal: []string{}}
	if rejected := new(client.Rejected); errors.As(err, &rejected) && rejected.Legal != nil {
		answer.Legal = rejected.Legal
	}
	if code := e.print(form, answer); code != exitDone {
		return code
	}
	return code
}

// authorityVariable holds the authority if no file is named. The authority is never an argument,
// because every user of the machine can read command lines.
const authorityVariable = "RSTATE_AUTHORITY"

// authority reads the authority for a goal, without the line break at its end.
func authority(file string) (string, error) {
	if file == "" || client.Widened() && os.Getenv(authorityVariable) != "" { // a pipe can be read once
		return strings.TrimRight(os.Getenv(authorityVariable), "\r\n"), nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("cannot read the authority: %w; name the file that holds it with --authority-file", err)
	}
	secret := strings.TrimRight(string(text), "\r\n")
	if secret == "" {
		return "", fmt.Errorf("cannot use authority file %q: it is empty; put the authority in it, on a line", file)
	}
	return secret, nil
}

// learnsIn is how long Ctrl-C waits to learn the machine of the daemon. A preset is known as soon
// as the client runs.
const learnsIn = 2 * time.Second * patient.Factor

// follow sends the goal and waits for its end. Ctrl-C cancels a goal that raises the network, or
// any goal with cancels; a second Ctrl-C ends the waiting. Ctrl-C on a goal that lowers ends only
// the waiting. So does any other signal, because the end of a client cancels nothing.
func follow(conn *client.Client, goal client.Goal, cancels bool, t teller, stop <-chan os.Signal) (*client.Ending, error) {
	ctx, leave := context.WithCancelCause(context.Background())
	defer leave(nil)
	i := &interrupts{
		command: goal.Command, lowers: func() bool { return conn.Lowers(goal.Command) }, cancels: cancels,
		teller: t, stop: stop, leave: leave,
		taken: make(chan struct{}), cancel: make(chan struct{}), learned: make(chan struct{}),
	}
	go func() {
		conn.LearnMachine(ctx)
		close(i.learned)
	}()
	var obeying sync.WaitGroup
	obeying.Go(func() { i.obey(ctx) })
	defer t.end()
	conn.Waits = t.say
	end, err := conn.Send(ctx, goal, client.Following{
		Progress: t.progress,
		State:    t.state,
		Taken: func(id string) {
			t.taken(id)
			close(i.taken)
		},
		Cancel: i.cancel,
		Answered: func(accepted bool) {
			if !accepted {
				t.say("too late to cancel; waiting for the end")
			}
		},
	})
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	leave(nil)
	obeying.Wait() // so that nothing is printed after the result
	if end != nil {
		t.result(end.Result)
	}
	return end, err
}

// interrupts is what signals do while the client follows a goal.
type interrupts struct {
	command string
	lowers  func() bool // as far as the machine of the daemon is known
	cancels bool
	teller  teller
	stop    <-chan os.Signal
	leave   context.CancelCauseFunc // ends the waiting
	taken   chan struct{}           // closed when the daemon has taken the goal
	cancel  chan struct{}           // closed to cancel the goal
	learned chan struct{}           // closed when the machine of the daemon is known
}

// obey waits for signals until ctx ends.
func (i *interrupts) obey(ctx context.Context) {
	var s os.Signal
	select {
	case <-ctx.Done():
		return
	case s = <-i.stop:
	}
	i.learn(ctx, s)
	switch {
	case ctx.Err() != nil:
		return // the goal has ended meanwhile
	case !i.toCancel(s):
		i.depart(ctx)
		return
	}
	i.teller.say("cancelling, and waiting for the rollback; press Ctrl-C again to stop waiting")
	close(i.cancel)
	select {
	case <-ctx.Done():
	case <-i.stop:
		i.leave(fmt.Errorf("left %s while it ran; look with rstate status", i.command))
	}
}

// learn waits until the machine of the daemon is known, for at most learnsIn, if it decides what
// the signal does.
func (i *interrupts) learn(ctx context.Context, s os.Signal) {
	if s != os.Interrupt || i.cancels {
		return
	}
	select {
	case <-i.learned:
	case <-time.After(learnsIn):
	case <-ctx.Done():
	}
}

// toCancel reports whether a signal cancels the goal.
func (i *interrupts) toCancel(s os.Signal) bool {
	return s == os.Interrupt && (i.cancels || !i.lowers())
}

// depart ends the waiting as soon as the daemon has taken the goal.
func (i *interrupts) depart(ctx context.Context) {
	goesOn := fmt.Errorf("not waiting any more; %s goes on: look with rstate status", i.command)
	select {
	case <-i.taken:
		i.leave(goesOn)
		return
	default:
		i.teller.say(i.command + " is sent first; press Ctrl-C again to give it up")
	}
	select {
	case <-i.taken:
		i.leave(goesOn)
	case <-ctx.Done():
	case <-i.stop:
		i.leave(fmt.Errorf("stopped before the daemon answered; it may have taken %s: look with rstate status", i.command))
	}
}

func codeOfEnding(end *client.Ending) int {
	switch {
	case end.Status == rclgo.GoalCanceled:
		return exitCancelled
	case end.Status == rclgo.GoalSucceeded && end.Result.Success:
		return exitDone
	}
	return exitFailed
}

// printResult prints the result in one line, and a line for each node that failed.
func printResult(out io.Writer, r *rstate_msgs_action.Transition_Result) {
	style := term.Plain
	if !r.Success {
		style = term.Red
	}
	text := fmt.Sprintf("%s (%s, %v)", r.Message, labelOf(r.State), durationOf(r.Elapsed).Round(time.Millisecond))
	term.Print(out, term.Text(text, style))
	for _, n := range r.Nodes {
		switch n.Verdict {
		case "done", "skipped", "undone":
			continue
		}
		term.Print(out, term.Text(fmt.Sprintf("  %s: %s", n.Name, outcome(n)), style))
	}
}
