//go:build ros

package rosnet

import (
	"rstate/internal/measure"
	"rstate/internal/network"
	rcl_interfaces_srv "rstate/msgs/gen/rcl_interfaces/srv"
)

// parameterCheck reads one parameter of a node.
type parameterCheck struct {
	name   string
	client *rcl_interfaces_srv.GetParametersClient
}

func (w *World) openParameter(node *network.Node, spec *network.Check) (asking, error) {
	client, err := rcl_interfaces_srv.NewGetParametersClient(w.node, node.Name+"/get_parameters", nil)
	if err != nil {
		return nil, err
	}
	w.owns(client.Close)
	return &parameterCheck{spec.Parameter, client}, nil
}

// ask reads the parameter. A node answers for a parameter that it has not declared with a value that is not set, or with
// no value at all.
func (p *parameterCheck) ask(req *request) (value network.Scalar, fault string) {
	if !await(req.ctx, func() bool { return available(p.client.Client) }) {
		return value, "cannot be read: the node has no parameter services; start it with them, or use another check"
	}
	if !req.turn() {
		return value, ""
	}
	ask := rcl_interfaces_srv.NewGetParameters_Request()
	ask.Names = []string{p.name}
	answer, err := send[*rcl_interfaces_srv.GetParameters_Response](req, p.client.Client, ask)
	switch {
	case err != nil:
		return value, err.Error()
	case len(answer.Values) != 1:
		return value, "is not set; set it, or correct its name in the network file"
	}
	return measure.Parameter(&answer.Values[0])
}
