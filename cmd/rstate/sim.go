//go:build ros

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"path"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"go.uber.org/zap"

	"rstate/internal/clean"
	"rstate/internal/client"
	"rstate/internal/session"
	"rstate/internal/strict"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

// simVerb is the client of a factory.
func simVerb(e *env, f *options) action {
	name := f.String("factory", "/"+session.FactoryName, "full `name` of the factory")
	owner := f.String("owner", "", "create: `name` of the person or program that asks, for the list")
	onExit := f.oneOf("on-exit", "remove: what becomes of the nodes; file is what the experiment says", asFile,
		"disarm", "leave", "shutdown")
	send := sendVerb(e, f) // its options are those of sim send; node is the simulation's
	_ = f.MarkHidden("node")
	return func(words []string) int {
		s := simulations{e: e, factory: *name, output: f.Lookup("output").Value.String(),
			reason: f.Lookup("reason").Value.String()}
		s.patience, _ = f.GetDuration("timeout")
		least, most := map[string]int{"create": 1, "remove": 1, "list": 0, "send": 2},
			map[string]int{"create": 2, "remove": 1, "list": 0, "send": 2}
		do, rest := words[0], words[1:]
		names := []string{"create", "list", "remove", "send"}
		switch {
		case !slices.Contains(names, do):
			return e.fail(exitBadInput, "cannot do %q with a simulation: %s", do,
				strict.Suggest(do, names, "write one of "+strings.Join(names, ", ")))
		case len(rest) < least[do]:
			return e.fail(exitBadInput, "cannot do \"sim %s\": %s is missing; rstate help sim", do,
				map[bool]string{true: "EXPERIMENT", false: "ID or COMMAND"}[do == "create"])
		case len(rest) > most[do]:
			return e.fail(exitBadInput, "cannot do \"sim %s\": %q is too much; rstate help sim", do, rest[most[do]])
		}
		if do == "send" {
			if err := f.Set("node", path.Join(path.Dir(path.Join("/", *name)), "sim_"+rest[0],
				session.NodeName)); err != nil {
				return e.fail(exitBadInput, "%v", err)
			}
			return send(rest[1:])
		}
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		conn, err := client.NewFactory(*name, e.ros, zap.NewNop())
		if err != nil {
			return e.answer(s.output, codeOf(e, err), err)
		}
		defer conn.Close()
		conn.Patience = s.patience
		switch do {
		case "create":
			return s.create(ctx, conn, rest, *owner)
		case "remove":
			return s.remove(ctx, conn, rest[0], strings.TrimPrefix(*onExit, asFile))
		}
		return s.list(ctx, conn)
	}
}

// asFile leaves the nodes of a simulation as its file says.
const asFile = "file"

// simulations are the options that the words of sim share.
type simulations struct {
	e                       *env
	factory, output, reason string
	patience                time.Duration
}

// failed prints an error. What the factory refuses is a rejection.
func (s *simulations) failed(err error) int {
	if refused := (*client.Refused)(nil); errors.As(err, &refused) {
		return s.e.answer(s.output, s.e.fail(exitRejected, "%v", err), err)
	}
	return s.e.answer(s.output, codeOf(s.e, err), err)
}

func (s *simulations) create(ctx context.Context, conn *client.Factory, words []string, owner string) int {
	id := ""
	if len(words) > 1 {
		id = words[1]
	}
	made, err := conn.Create(ctx, words[0], id, owner)
	if err != nil {
		return s.failed(err)
	}
	if s.output != asTable {
		return s.e.print(s.output, message{made})
	}
	fmt.Fprintln(s.e.out, clean.Text(made.Message))
	return exitDone
}

func (s *simulations) remove(ctx context.Context, conn *client.Factory, id, onExit string) int {
	gone, err := conn.Remove(ctx, id, onExit, s.reason)
	if err != nil {
		return s.failed(err)
	}
	if s.output != asTable {
		return s.e.print(s.output, message{gone})
	}
	fmt.Fprintln(s.e.out, clean.Text(gone.Message))
	return exitDone
}

func (s *simulations) list(ctx context.Context, conn *client.Factory) int {
	all, err := conn.List(ctx)
	if err != nil {
		return s.failed(err)
	}
	if s.output != asTable {
		return s.e.print(s.output, message{all})
	}
	printSimulations(s.e.out, s.factory, all)
	return exitDone
}

// printSimulations prints the list for people.
func printSimulations(out io.Writer, factory string, all *rstate_msgs_srv.ListSimulations_Response) {
	if len(all.Simulations) == 0 {
		fmt.Fprintf(out, "%s has no simulations; rstate sim create EXPERIMENT makes one\n", factory)
		return
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tSTATE\tMACHINE\tNODE\tCREATED\tOWNER\t")
	for i := range all.Simulations {
		one := &all.Simulations[i]
		state := labelOf(one.State)
		switch {
		case one.Cause != "":
			state += ", ended"
		case !one.Intact:
			state += ", not intact"
		}
		created := time.Unix(int64(one.Created.Sec), int64(one.Created.Nanosec)).Format(time.DateTime)
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t\n", clean.Text(one.Simulation), state, clean.Text(one.Machine),
			clean.Text(one.Name), created, clean.Text(one.Owner))
	}
	table.Flush()
	for i := range all.Simulations {
		if one := &all.Simulations[i]; one.Cause != "" {
			fmt.Fprintf(out, "%s has ended: %s\n", clean.Text(one.Simulation), clean.Text(one.Cause))
		}
	}
}
