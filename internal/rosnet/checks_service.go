//go:build ros

package rosnet

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"

	"rstate/internal/network"
)

// serviceCheck asks one service.
type serviceCheck struct {
	w       *World
	spec    *network.Check
	client  *rclgo.Client
	request func() *introspection.DynamicMessage
}

func (w *World) openService(spec *network.Check) (asking, error) {
	support, err := loadCheck(spec.Type)
	if err != nil {
		return nil, err
	}
	s := &serviceCheck{w: w, spec: spec, request: func() *introspection.DynamicMessage {
		return support.Request().New().(*introspection.DynamicMessage)
	}}
	if s.client, err = w.node.NewClient(spec.Service, support, nil); err != nil {
		return nil, err
	}
	w.owns(s.client.Close)
	return s, nil
}

// field returns a field of a message whose type is known only at run time.
func field(msg any, name string) (reflect.Value, bool) {
	dynamic, ok := msg.(*introspection.DynamicMessage)
	if !ok {
		return reflect.Value{}, false
	}
	body, _ := dynamic.MarshalYAML() // a pointer to a struct
	f := reflect.ValueOf(body).Elem().FieldByName("F_" + name)
	return f, f.IsValid()
}

// ask calls the service and returns why the check does not pass.
func (s *serviceCheck) ask(req *request) (none network.Scalar, fault string) {
	if !await(req.ctx, func() bool { return available(s.client) }) {
		return none, s.missing()
	}
	if !req.turn() {
		return none, ""
	}
	answer, err := send[types.Message](req, s.client, s.request())
	if err != nil {
		return none, err.Error()
	}
	success, _ := field(answer, "success")
	if success.Kind() == reflect.Bool && success.Bool() {
		return none, ""
	}
	if said, ok := field(answer, "message"); ok && said.Kind() == reflect.String && said.String() != "" {
		return none, "answered no: " + said.String()
	}
	return none, "answered no"
}

func (s *serviceCheck) missing() string {
	services, err := s.w.node.GetServiceNamesAndTypes()
	if err != nil {
		return "cannot be looked for: " + err.Error()
	}
	ours := func(kind string) bool { return kind == s.spec.Type } // the graph lists our client too
	kinds := slices.DeleteFunc(services[s.spec.Service], ours)
	if len(kinds) == 0 {
		return "has no server"
	}
	return fmt.Sprintf("is a %s, not a %s", strings.Join(kinds, " and a "), s.spec.Type)
}
