//go:build ros

package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/session"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

// Factory asks one factory, over its services.
type Factory struct {
	// Patience is how long it waits for a factory that does not answer. Set it before using the
	// client.
	Patience time.Duration

	session *session.Session
	node    *rclgo.Node
	factory string // full name of its node
	create  *rstate_msgs_srv.CreateSimulationClient
	remove  *rstate_msgs_srv.RemoveSimulationClient
	list    *rstate_msgs_srv.ListSimulationsClient
}

// Refused is the error of a request that a factory did not carry out.
type Refused struct{ Text string }

func (e *Refused) Error() string { return e.Text }

// NewFactory makes a client of the factory of that name. It does not look for it yet.
func NewFactory(factory string, rosArgs []string, log *zap.Logger) (*Factory, error) {
	s, err := session.OpenToAsk(rosArgs, log)
	if err != nil {
		return nil, err
	}
	c := &Factory{session: s, factory: path.Join("/", factory), Patience: Patience}
	s.LookOnlyFor(c.factory)
	if err := c.build(); err != nil {
		s.End()
		return nil, err
	}
	return c, nil
}

func (c *Factory) build() (err error) {
	if c.node, err = c.session.Node(fmt.Sprintf("rstate_client_%d", os.Getpid()), ""); err != nil {
		return err
	}
	if c.create, err = rstate_msgs_srv.NewCreateSimulationClient(c.node, c.factory+"/create_simulation",
		nil); err != nil {
		return &session.NoROS{Cause: err}
	}
	if c.remove, err = rstate_msgs_srv.NewRemoveSimulationClient(c.node, c.factory+"/remove_simulation",
		nil); err != nil {
		return &session.NoROS{Cause: err}
	}
	if c.list, err = rstate_msgs_srv.NewListSimulationsClient(c.node, c.factory+"/list_simulations", nil); err != nil {
		return &session.NoROS{Cause: err}
	}
	c.session.Serve()
	return nil
}

// Close ends the client.
func (c *Factory) Close() { c.session.End() }

// Create makes a simulation of an experiment. Its error is *NoDaemon, *Refused or another.
func (c *Factory) Create(ctx context.Context, experiment, id, owner string) (*rstate_msgs_srv.CreateSimulation_Response,
	error) {
	req := rstate_msgs_srv.NewCreateSimulation_Request()
	req.Experiment, req.Simulation, req.Owner = experiment, id, owner
	resp, err := act(ctx, c, c.create.Client,
		func(ctx context.Context) (*rstate_msgs_srv.CreateSimulation_Response, error) {
			resp, _, err := c.create.Send(ctx, req)
			return resp, err
		})
	if err == nil && !resp.Success {
		err = &Refused{resp.Message}
	}
	return resp, err
}

// Remove ends a simulation. Its error is *NoDaemon, *Refused or another.
func (c *Factory) Remove(ctx context.Context, id, onExit, reason string) (*rstate_msgs_srv.RemoveSimulation_Response,
	error) {
	req := rstate_msgs_srv.NewRemoveSimulation_Request()
	req.Simulation, req.OnExit, req.Reason = id, onExit, reason
	resp, err := act(ctx, c, c.remove.Client,
		func(ctx context.Context) (*rstate_msgs_srv.RemoveSimulation_Response, error) {
			resp, _, err := c.remove.Send(ctx, req)
			return resp, err
		})
	if err == nil && !resp.Success {
		err = &Refused{resp.Message}
	}
	return resp, err
}

// List returns the simulations. Its error is *NoDaemon or another. The request is repeated until the
// factory answers.
func (c *Factory) List(ctx context.Context) (*rstate_msgs_srv.ListSimulations_Response, error) {
	within, cancel := context.WithTimeout(ctx, c.Patience)
	defer cancel()
	if err := c.find(within, c.list.Client); err != nil {
		return nil, err
	}
	resp, err := session.Insist(within, c.sendList)
	if within.Err() != nil && err != nil {
		return nil, c.noAnswer(ctx, "no simulations are known")
	}
	return resp, err
}

func (c *Factory) sendList(ctx context.Context) (*rstate_msgs_srv.ListSimulations_Response, error) {
	resp, _, err := c.list.Send(ctx, rstate_msgs_srv.NewListSimulations_Request())
	return resp, err
}

// act calls a service that may not act twice. All of it takes Patience at most.
func act[T any](ctx context.Context, c *Factory, service *rclgo.Client, call func(context.Context) (T, error)) (T,
	error) {
	var none T
	within, cancel := context.WithTimeout(ctx, c.Patience)
	defer cancel()
	for _, each := range []*rclgo.Client{c.list.Client, service} {
		if err := c.find(within, each); err != nil {
			return none, err
		}
	}
	value, err := session.AskOnce(within, c.sendList, call)
	switch {
	case errors.Is(err, session.ErrUnsure):
		return none, c.noAnswer(ctx, "it may have carried out the request, or still do so: look with rstate sim list before you repeat it")
	case errors.Is(err, session.ErrNotAsked) && within.Err() != nil:
		return none, c.noAnswer(ctx, "nothing was asked of it")
	}
	return value, err
}

// noAnswer is the error of a client that has waited in vain, or was stopped.
func (c *Factory) noAnswer(ctx context.Context, so string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("stopped before the factory %q answered; %s: %w", c.factory, so, err)
	}
	return &NoDaemon{fmt.Sprintf("the factory %q is there, but has not answered within %v; %s; wait longer with --timeout", c.factory, c.Patience, so)}
}

func (c *Factory) find(ctx context.Context, service *rclgo.Client) error {
	tick := time.NewTicker(findStep)
	defer tick.Stop()
	for began := time.Now(); !available(service); {
		if time.Since(began) >= min(findIn, c.Patience) {
			return c.notFound()
		}
		select {
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return c.notFound()
			}
			return fmt.Errorf("stopped before %q was found: %w", c.factory, ctx.Err())
		case <-tick.C:
		}
	}
	return nil
}

func available(c *rclgo.Client) bool {
	ok, err := c.Available()
	return err == nil && ok
}

// notFound returns an error that names what the client looked for, where, and what exists instead.
func (c *Factory) notFound() error {
	text := fmt.Sprintf("cannot find %q: no factory of that name answers within %v (%s); ", c.factory,
		min(findIn, c.Patience), c.session.Where())
	services, err := c.node.GetServiceNamesAndTypes()
	if err != nil {
		return err
	}
	var others []string
	for service, kinds := range services {
		if name, is := strings.CutSuffix(service, "/create_simulation"); is &&
			slices.Contains(kinds, "rstate_msgs/srv/CreateSimulation") && name != c.factory {
			others = append(others, name)
		}
	}
	if slices.Sort(others); len(others) > 0 {
		return &NoDaemon{text + "there is " + strings.Join(others, ", ") + ": name it with --factory"}
	}
	return &NoDaemon{text + "start one with rstate factory --experiments FOLDER, in the same domain"}
}
