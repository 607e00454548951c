package rclgo

import (
	"errors"
	"slices"
	"strings"
	"time"
)

// parametersQos is the profile that ROS uses for the services and the topic of parameters.
func parametersQos() QosProfile {
	q := NewDefaultServiceQosProfile()
	q.Depth = 1000
	return q
}

// serve makes the node's six services. Their answer for an undeclared name is empty, as
// everywhere in ROS.
func (p *Parameters) serve() error {
	n, qos := p.node, parametersQos()
	return errors.Join(
		serveWire(n, "~/get_parameters", getParametersType, qos, p.answerGet),
		serveWire(n, "~/get_parameter_types", getParameterTypesType, qos, p.answerTypes),
		serveWire(n, "~/describe_parameters", describeParametersType, qos, p.answerDescribe),
		serveWire(n, "~/list_parameters", listParametersType, qos, p.answerList),
		serveWire(n, "~/set_parameters", setParametersType, qos, p.answerSet),
		serveWire(n, "~/set_parameters_atomically", setAtomicallyType, qos, p.answerSetAtomically),
	)
}

func (p *Parameters) answerGet(req *getParametersRequest) (resp getParametersResponse) {
	for _, name := range req.Names {
		q := p.find(name)
		if q == nil {
			return getParametersResponse{}
		}
		resp.Values = append(resp.Values, valueMsg(q.value))
	}
	return resp
}

func (p *Parameters) answerTypes(req *getParameterTypesRequest) (resp getParameterTypesResponse) {
	for _, name := range req.Names {
		d, ok := p.Describe(name)
		if !ok {
			return getParameterTypesResponse{}
		}
		resp.Types = append(resp.Types, byte(d.Type))
	}
	return resp
}

func (p *Parameters) answerDescribe(req *describeParametersRequest) (resp describeParametersResponse) {
	for _, name := range req.Names {
		d, ok := p.Describe(name)
		if !ok {
			return describeParametersResponse{}
		}
		resp.Descriptors = append(resp.Descriptors, descriptorMsg(d))
	}
	return resp
}

func (p *Parameters) answerSet(req *setParametersRequest) (resp setParametersResponse) {
	for _, param := range parametersFrom(req.Parameters) {
		resp.Results = append(resp.Results, resultMsg(p.Set(param)))
	}
	return resp
}

func (p *Parameters) answerSetAtomically(req *setAtomicallyRequest) setAtomicallyResponse {
	return setAtomicallyResponse{resultMsg(p.Set(parametersFrom(req.Parameters)...))}
}

func (p *Parameters) answerList(req *listParametersRequest) listParametersResponse {
	return listParametersResponse{listParameters(p.Names(), req.Prefixes, req.Depth)}
}

// listParameters selects the names below one of the prefixes, or all names without prefixes,
// that have less than depth more dots; 0 is any number.
func listParameters(names, prefixes []string, depth uint64) (out listParametersResultMsg) {
	shallow := func(s string) bool { return depth == 0 || uint64(strings.Count(s, ".")) < depth }
	for _, name := range names {
		chosen := len(prefixes) == 0 && shallow(name)
		for _, prefix := range prefixes {
			rest, below := strings.CutPrefix(name, prefix+".")
			chosen = chosen || name == prefix || below && shallow(rest)
		}
		if !chosen {
			continue
		}
		out.Names = append(out.Names, name)
		if i := strings.LastIndexByte(name, '.'); i >= 0 && !slices.Contains(out.Prefixes, name[:i]) {
			out.Prefixes = append(out.Prefixes, name[:i])
		}
	}
	return out
}

// publish publishes the changes on /parameter_events. Calls do not overlap.
func (p *Parameters) publish(c parameterChange) {
	if err := p.tryPublish(c); err != nil && !errors.Is(err, &NodeInvalid{}) && !errors.Is(err, &PublisherInvalid{}) {
		_ = p.node.Logger().Warn(err)
	}
}

func (p *Parameters) tryPublish(c parameterChange) (err error) {
	if p.events == nil {
		opts := &PublisherOptions{Qos: parametersQos()}
		if p.events, err = p.node.NewPublisher("/parameter_events", parameterEventType, opts); err != nil {
			return err
		}
	}
	now, err := p.node.clock.Now()
	if err != nil {
		now = time.Unix(0, 0) // the program has closed the clock
	}
	return p.events.Publish(&wire[parameterEventMsg]{parameterEventMsg{
		Stamp:      timeMsg{int32(now.Unix()), uint32(now.Nanosecond())},
		Node:       p.node.fqn,
		Declared:   parameterMsgs(c.declared),
		Changed:    parameterMsgs(c.set),
		Undeclared: parameterMsgs(c.undeclared),
	}})
}
