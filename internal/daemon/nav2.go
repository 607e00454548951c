//go:build ros

package daemon

import (
	"errors"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/internal/bond"
	"rstate/internal/nav2"
	"rstate/internal/network"
	"rstate/internal/rosnet"
	"rstate/internal/session"
)

// A daemon in place of nav2's lifecycle manager: its network comes from the parameters of that.

// manager reads the parameters and the network that they describe.
func (d *Daemon) manager(node *rclgo.Node) error {
	name := node.FullyQualifiedName()
	params, err := managerParameters(node)
	if err != nil {
		return err
	}
	if err := params.Check(); err != nil {
		return &session.BadParameter{Name: nav2.NodeNames, Cause: err}
	}
	from := "the parameters of " + name
	net, err := network.Parse(from, []byte(nav2.File(from, nav2.Manager{Name: name, Params: params})))
	if err != nil {
		return err
	}
	d.nav2 = &rosnet.Manager{Autostart: params.Autostart}
	if params.BondTimeout > 0 {
		d.nav2.Bonds = bond.Usual(params.Heartbeat(), params.BondTimeout)
	}
	return d.takeNetwork(net)
}

// managerParameters declares and reads the parameters.
func managerParameters(node *rclgo.Node) (p nav2.Params, err error) {
	p = nav2.Defaults()
	if p.NodeNames, err = declareFixed(node, nav2.NodeNames, []string{},
		"the nodes to manage, in the order in which they come up"); err != nil {
		return p, err
	}
	for _, b := range []struct {
		name, what string
		into       *bool
	}{
		{nav2.Autostart, "bring the nodes to active as soon as all are there", &p.Autostart},
		{nav2.Respawn, "raise a node again that was lost and comes back", &p.Respawn},
		{nav2.Parallel, "the nodes take their steps side by side, not in the order of node_names (only rstate has it)",
			&p.Parallel},
	} {
		if *b.into, err = declareFixed(node, b.name, *b.into, b.what); err != nil {
			return p, err
		}
	}
	within := time.Duration(0)
	for _, t := range []struct {
		name, what string
		into       *time.Duration
	}{
		{nav2.BondTimeout, "seconds without a heartbeat after which a node is lost; 0: no bonds", &p.BondTimeout},
		{nav2.BondHeartbeat, "seconds between our heartbeats", &p.BondHeartbeat},
		{nav2.ServiceTimeout, "seconds that each step of a node may take; 0: the deadlines of rstate", &p.ServiceTimeout},
		{nav2.RespawnWithin, "not used: rstate raises a node whenever it comes back", &within},
	} {
		if *t.into, err = declareSeconds(node, t.name, *t.into, t.what); err != nil {
			return p, err
		}
	}
	return p, nil
}

// declareSeconds declares a time in seconds, which may be a whole number.
func declareSeconds(node *rclgo.Node, name string, value time.Duration, description string) (time.Duration, error) {
	given, err := node.Parameters().Declare(name, value.Seconds(), &rclgo.ParameterDescriptor{
		Description: description, ReadOnly: true, DynamicTyping: true, AdditionalConstraints: fixedAtStart,
	})
	if err != nil {
		return 0, badParameter(name, err)
	}
	switch v := given.(type) {
	case float64:
		value, err = nav2.Seconds(v)
	case int64:
		value, err = nav2.Seconds(float64(v))
	default:
		err = errors.New("it is no number; write seconds")
	}
	if err != nil {
		return 0, &session.BadParameter{Name: name, Cause: err}
	}
	return value, nil
}
