//go:build ros

package demo

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
	"go.uber.org/zap"

	"rstate/internal/session"
)

// Service is a service of a demo node that answers every request with success, as a check wants
// it.
type Service struct{ Name, Type string }

func (b *body) openService(node *rclgo.Node, s Service) error {
	pkg, name, _ := strings.Cut(s.Type, "/srv/")
	support, err := introspection.LoadDynamicService(pkg, name)
	if err != nil {
		return &session.NoROS{Cause: fmt.Errorf("cannot serve %q: %w", s.Name, err)}
	}
	yes := func() (types.Message, bool) {
		message := support.Response().New()
		dynamic, ok := message.(*introspection.DynamicMessage)
		if !ok {
			return nil, false
		}
		body, _ := dynamic.MarshalYAML() // a pointer to a struct
		success := reflect.ValueOf(body).Elem().FieldByName("F_success")
		if success.Kind() != reflect.Bool {
			return nil, false
		}
		success.SetBool(true)
		return message, true
	}
	if _, ok := yes(); !ok {
		return &session.NoROS{Cause: fmt.Errorf("cannot serve %q: %s has no field `success` in its answer", s.Name,
			s.Type)}
	}
	_, err = node.NewService(s.Name, support, nil,
		func(_ *rclgo.ServiceInfo, _ types.Message, answer rclgo.ServiceResponseSender) {
			message, _ := yes()
			if err := answer.SendResponse(message); err != nil && b.ctx.Err() == nil {
				b.log.Warn("cannot answer", zap.String("service", s.Name), zap.Error(err))
			}
		})
	if err != nil {
		return &session.NoROS{Cause: err}
	}
	return nil
}
