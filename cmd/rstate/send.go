//go:build ros

package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/app"
	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
)

func sendVerb(e *env, args []string) int {
	own, ros := splitROS(args)
	f := newFlags(e, "send", "COMMAND [--ros-args …]")
	daemon := f.String("node", "/"+app.NodeName, "full `name` of the daemon")
	var goal app.Goal
	f.StringVar(&goal.Reason, "reason", "", "why, for the history; a `text`")
	f.StringVar(&goal.ID, "id", "", "a `name` of your own for the goal: one that ran or runs is not run again")
	f.BoolVar(&goal.WaitPeers, "wait-peers", false, "wait for the peers to follow, too")
	output := f.oneOf("o", "how the result is printed", "text", "json", "yaml")
	words, code, ok := f.parse(own, 1, 1)
	if !ok {
		return code
	}
	goal.Command = words[0]
	client, err := app.NewClient(*daemon, ros, zap.NewNop())
	if err != nil {
		return codeOf(e, err)
	}
	defer client.Close()
	progress := e.out
	if *output != "text" {
		progress = e.err
	}
	end, err := follow(client, goal, &teller{out: progress})
	if err != nil {
		return codeOf(e, err)
	}
	if *output == "text" {
		printResult(e.out, end.Result)
	} else if err := printAs(e.out, *output, end.Result); err != nil {
		return e.fail(exitFailed, "%v", err)
	}
	return codeOfEnding(end)
}

// follow sends the goal; the first signal cancels it, the second one leaves it alone.
func follow(client *app.Client, goal app.Goal, t *teller) (*app.Ending, error) {
	ctx, leave := context.WithCancelCause(context.Background())
	defer leave(nil)
	stop, quiet := signals()
	defer quiet()
	cancel := make(chan struct{})
	go func() {
		for n := 0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-stop:
			}
			if n == 0 {
				t.say("cancelling, and waiting for what is undone; press Ctrl-C again to leave that alone")
				close(cancel)
				continue
			}
			leave(fmt.Errorf("left %s while it ran; look with rstate status", goal.Command))
		}
	}()
	end, err := client.Send(ctx, goal, app.Following{
		Progress: t.progress,
		Cancel:   cancel,
		Answered: func(accepted bool) {
			if !accepted {
				t.say("it cannot be cancelled any more; waiting for its end")
			}
		},
	})
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	return end, err
}

func codeOfEnding(end *app.Ending) int {
	switch {
	case end.Status == rclgo.GoalCanceled:
		return exitCancelled
	case end.Status == rclgo.GoalSucceeded && end.Result.Success:
		return exitDone
	}
	return exitFailed
}

// teller prints the progress of a goal, a line for each thing that is new.
type teller struct {
	mu    sync.Mutex
	out   io.Writer
	state string
	last  string
}

func (t *teller) say(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintln(t.out, text)
}

func (t *teller) progress(f *rstate_msgs_action.Transition_Feedback) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f.State.Label != t.state {
		t.state = f.State.Label
		fmt.Fprintf(t.out, "%s\n", t.state)
	}
	last := fmt.Sprintf("  %-24s %s %s", f.Last.Name, f.Last.Step, f.Last.Verdict)
	if f.Last.Step == "" {
		last = fmt.Sprintf("  %-24s is as it must be", f.Last.Name)
	}
	if f.Last.Name == "" || last == t.last {
		return
	}
	t.last = last
	fmt.Fprintf(t.out, "%s (%d of %d)\n", last, f.Done, f.Total)
}

// printResult prints what became of it as a person would say it, with what the nodes that failed have to say.
func printResult(out io.Writer, r *rstate_msgs_action.Transition_Result) {
	took := time.Duration(r.Elapsed.Sec)*time.Second + time.Duration(r.Elapsed.Nanosec)
	fmt.Fprintf(out, "%s (%s, %v)\n", r.Message, r.State.Label, took.Round(time.Millisecond))
	for _, n := range r.Nodes {
		switch n.Verdict {
		case "done", "skipped", "undone":
			continue
		}
		fmt.Fprintln(out, strings.TrimRight(fmt.Sprintf("  %s: %s %s: %s", n.Name, n.Step, n.Verdict, n.Evidence), ": "))
	}
}
