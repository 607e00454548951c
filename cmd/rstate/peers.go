//go:build ros

package main

import (
	"context"
	"errors"
	"os/signal"
	"syscall"

	"go.uber.org/zap"

	"rstate/internal/client"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

func peersVerb(e *env, f *options) action {
	daemon := f.daemon("full `name` of a daemon of the simulation")
	simulation := f.String("simulation", "", "`id` of the simulation; no daemon is asked then")
	output := f.output("how to print them")
	return func(words []string) int {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		conn, err := connect(e, func() (*client.Client, error) { return client.New(*daemon, e.ros, zap.NewNop()) })
		if err != nil {
			return codeOf(e, err)
		}
		defer conn.Close()
		asked := ""
		if *simulation == "" {
			state, err := conn.State(ctx)
			if missing := new(client.NoDaemon); errors.As(err, &missing) {
				return e.fail(exitNoROS, "%v; or name the simulation with --simulation", err)
			}
			if err != nil {
				return codeOf(e, err)
			}
			*simulation, asked = state.Simulation, state.Name
		}
		heard, err := conn.Peers(ctx, *simulation)
		if err != nil {
			return codeOf(e, err)
		}
		var sights []sight
		if asked != "" {
			state, err := conn.State(ctx) // the newest: the daemon may have lost a peer meanwhile
			if err != nil {
				return codeOf(e, err)
			}
			sights = sightsOf(state)
		}
		view := circleOf(heard, asked, sights)
		if *output == asTable {
			printCircle(e.out, view)
		} else if code := e.print(*output, view); code != exitDone {
			return code
		}
		switch {
		case len(heard.Instances) == 0:
			return e.fail(exitNoROS, "no instance of simulation %s is heard; start one with rstate run FILE, in the same domain", *simulation)
		case !view.OK:
			return exitFailed
		}
		return exitDone
	}
}

func sightsOf(s *rstate_msgs_msg.InstanceState) []sight {
	var list []sight
	for _, p := range s.Peers {
		list = append(list, sight{p.Name, p.Alive, durationOf(p.Lag)})
	}
	return list
}
