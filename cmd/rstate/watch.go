//go:build ros

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"rstate/internal/clean"
	"rstate/internal/client"
	"rstate/internal/machine"
	"rstate/internal/strict"
	"rstate/internal/term"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// watching is one run of rstate watch.
type watching struct {
	env    *env
	daemon string
	until  string
	form   string
	page   *page // nil: changes are printed line by line
	warned bool

	state *rstate_msgs_msg.InstanceState // the newest
	known *rstate_msgs_msg.InstanceState // the newest that is not unknown, as a new daemon is
	alive bool

	reached reached // whether the state of --until is reached
	over    bool    // the time of --for is over
}

func watchVerb(e *env, f *options) action {
	w := &watching{env: e}
	daemon := f.daemon("full `name` of the daemon")
	f.StringVar(&w.until, "until", "", "end when the network is intact and settled in that `state`")
	limit := f.Duration("for", 0, "end after that `time`, like 10s")
	wait := f.Bool("wait", false, "wait for a daemon that does not run yet")
	output := f.output("how to print it; table is live on a terminal, else a line for each change")
	return func(words []string) int {
		if *limit < 0 {
			return e.fail(exitBadInput, "cannot watch for %v: write --for with a time above 0, like 10s", *limit)
		}
		w.form, w.daemon = *output, *daemon
		stop, quiet := signals()
		defer quiet()
		conn, err := connect(e, func() (*client.Client, error) { return client.New(w.daemon, e.ros, zap.NewNop()) })
		if err != nil {
			return codeOf(e, err)
		}
		defer conn.Close()
		var over <-chan time.Time
		if *limit > 0 {
			timer := time.NewTimer(*limit)
			defer timer.Stop()
			over = timer.C
		}
		return w.follow(conn, *wait, stop, over)
	}
}

// follow shows states until a signal, the end of the time, or the state of --until.
func (w *watching) follow(conn *client.Client, wait bool, stop <-chan os.Signal, over <-chan time.Time) int {
	ctx, cancel := context.WithCancel(context.Background())
	sights, failed, ended := make(chan client.Sight), make(chan error, 2), make(chan struct{})
	go func() {
		defer close(ended)
		failed <- w.look(ctx, conn, wait, sights, failed)
	}()
	defer func() {
		cancel()
		<-ended
	}()
	if w.form == asTable && term.Is(w.env.out) {
		w.page = newPage(w.env.out)
		defer pausable(w.page.screen)()
	}
	tick := time.NewTicker(redrawEvery)
	defer tick.Stop()
	for {
		select {
		case s := <-sights:
			if w.see(s, time.Now()); w.reached.proven(time.Now()) {
				w.close()
				return exitDone
			}
		case now := <-tick.C:
			w.draw(now)
			switch {
			case w.reached.proven(now):
				w.close()
				return exitDone
			case w.over && !w.holds():
				w.close()
				return w.tooLate()
			}
		case err := <-failed:
			w.close()
			if unknown := new(noSuchState); errors.As(err, &unknown) {
				return w.env.fail(exitBadInput, "%v", err)
			}
			return codeOf(w.env, err)
		case <-stop:
			w.close()
			return exitDone
		case <-over:
			if w.over = w.holds(); w.over {
				continue // reached decides within provenIn
			}
			w.close()
			return w.tooLate()
		}
	}
}

// look finds the daemon and passes on its states.
func (w *watching) look(ctx context.Context, conn *client.Client, wait bool, sights chan<- client.Sight,
	failed chan<- error) error {
	_, err := conn.State(ctx)
	if missing := new(client.NoDaemon); wait && errors.As(err, &missing) {
		fmt.Fprintf(w.env.err, "rstate: waiting: %v\n", err)
		err = conn.Await(ctx)
	}
	if err != nil {
		return err
	}
	if w.until != "" { // on a goroutine of its own, so that no state is missed meanwhile
		var asking sync.WaitGroup
		defer asking.Wait()
		asking.Go(func() {
			if err := w.comes(ctx, conn); err != nil {
				failed <- err
			}
		})
	}
	return conn.Watch(ctx, func(s client.Sight) {
		select {
		case sights <- s:
		case <-ctx.Done():
		}
	})
}

// noSuchState is the error for a state of --until in which no network of the daemon's machine
// rests.
type noSuchState struct{ text string }

func (e *noSuchState) Error() string { return e.text }

// comes returns an error if the daemon's machine has no such state to rest in. It returns nil if
// the daemon does not tell its machine.
func (w *watching) comes(ctx context.Context, conn *client.Client) error {
	m, err := conn.Machine(ctx)
	if err != nil {
		return nil
	}
	var names []string
	for _, s := range m.States {
		if strings.EqualFold(s.Name, w.until) && !s.Passing {
			return nil
		}
		if !s.Passing {
			names = append(names, s.Name)
		}
	}
	advice := strict.Suggest(w.until, names, "write one of "+strings.Join(names, ", "))
	if name, isState, ok := m.Command(machine.ReadWord(w.until)); ok && !isState {
		if ends := m.Targets(name); len(ends) > 0 {
			advice = fmt.Sprintf("%s is a command; write the state to which it leads, %s", name,
				strings.Join(ends, " or "))
		}
	}
	return &noSuchState{fmt.Sprintf("cannot wait for %q: no network of machine %s rests in it; %s", w.until, m.Name,
		advice)}
}

// see stores a new state and shows it.
func (w *watching) see(s client.Sight, now time.Time) {
	before, wasAlive := w.state, w.alive
	if w.alive = s.Alive; s.State != nil {
		w.state = s.State
	}
	if w.state == nil {
		return
	}
	w.reached.note(w.holds(), s.State != nil, now)
	var news []string
	if before != nil && wasAlive != w.alive {
		news = append(news, w.daemon+map[bool]string{true: " is back",
			false: " has fallen silent; what follows is not known until it is back"}[w.alive])
	}
	if s.State != nil {
		news = append(news, changes(before, w.known, s.State)...)
	}
	w.show(s, news, now)
	if s.State != nil && s.State.State.Label != machine.Unknown {
		w.known = s.State
	}
	w.warn()
}

// show prints a new state, in the form that the user asked for.
func (w *watching) show(s client.Sight, news []string, now time.Time) {
	switch {
	case w.page != nil:
		w.page.note(w.known, s.State, news, now)
		w.draw(now)
	case w.form == asTable:
		for _, line := range news {
			fmt.Fprintf(w.env.out, "%s  %s\n", now.Format(clock), clean.Text(line))
		}
	default:
		if s.State == nil {
			for _, line := range news {
				fmt.Fprintln(w.env.err, "rstate: "+clean.Text(line))
			}
		}
		if err := printNext(w.env.out, w.form, sighted{message{w.state}, w.alive}); err != nil {
			w.env.fail(exitFailed, "%v", err)
		}
	}
}

// sighted is a state for programs, with whether the daemon gives a sign of life. Without one the state is the last that
// was known.
type sighted struct {
	message
	alive bool
}

// MarshalJSON puts the field alive after those of the message.
func (s sighted) MarshalJSON() ([]byte, error) {
	text, err := s.message.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(text[:len(text)-1], `,"alive":%t}`, s.alive), nil
}

// clock is the format of times of day.
const clock = "15:04:05.000"

// warn prints once if no command leads to the state of --until.
func (w *watching) warn() {
	s := w.state
	if w.until == "" || w.warned || s == nil || !s.Settled {
		return
	}
	w.warned = true
	if strings.EqualFold(w.until, s.State.Label) ||
		slices.ContainsFunc(s.Reachable, func(r string) bool { return strings.EqualFold(r, w.until) }) {
		return
	}
	text := fmt.Sprintf("warning: no command leads from %s to %q; reachable: %s", labelOf(s.State), w.until,
		strings.Join(s.Reachable, ", "))
	if w.page != nil {
		w.page.news = append(w.page.news, text)
		return
	}
	fmt.Fprintln(w.env.err, "rstate: "+text)
}

// holds reports whether the network is in the state of --until, by the newest state of the daemon.
func (w *watching) holds() bool {
	s := w.state
	return w.until != "" && w.alive && s != nil && s.Settled && s.Intact && strings.EqualFold(s.State.Label, w.until)
}

func (w *watching) tooLate() int {
	switch {
	case w.until == "":
		return exitDone
	case w.state == nil:
		return w.env.fail(exitNoROS, "cannot wait for %s any longer: no daemon %s was found; start one with rstate run FILE, in the same domain", w.until, w.daemon)
	}
	return w.env.fail(exitFailed, "cannot wait for %s any longer: the network is %s; rstate why says why", w.until,
		standing(w.state))
}

func (w *watching) draw(now time.Time) {
	if w.page != nil && w.state != nil {
		w.page.draw(w.state, w.alive, now)
	}
}

// close restores the terminal and prints the last state in one line.
func (w *watching) close() {
	if w.page == nil {
		return
	}
	w.page.screen.Close()
	if w.state != nil {
		fmt.Fprintln(w.env.out, headline(w.state))
	}
}
