package rclgo

import (
	"errors"
	"reflect"

	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// wire makes a message from a plain struct, whose yaml tags name the ROS fields. This
// package uses some types itself and cannot use generated bindings for them, since those
// import this package.
type wire[T any] struct {
	Body T `yaml:",inline"`
}

// wireTypes is filled while the package is initialised, and only read afterwards.
var wireTypes = map[reflect.Type]*introspection.MessageType{}

// wireType names the ROS type of a plain struct.
func wireType[T any](name string) *introspection.MessageType {
	ts := introspection.NewMessageType(name, func() types.Message { return &wire[T]{} })
	wireTypes[reflect.TypeFor[T]()] = ts
	return ts
}

// wireService names a service type whose messages are plain structs.
func wireService[Request, Response any](name string) *introspection.ServiceType {
	return introspection.NewServiceType(name,
		wireType[Request](name+"_Request"), wireType[Response](name+"_Response"))
}

// CloneMsg shares the contents of slices, which this package never changes.
func (m *wire[T]) CloneMsg() types.Message { c := *m; return &c }

// SetDefaults sets the zero value: none of the types has other defaults.
func (m *wire[T]) SetDefaults() { *m = wire[T]{} }

// GetTypeSupport returns what wireType made.
func (m *wire[T]) GetTypeSupport() types.MessageTypeSupport { return wireTypes[reflect.TypeFor[T]()] }

// serveWire makes a service of n whose messages are plain structs.
func serveWire[Request, Response any](
	n *Node, name string, ts *introspection.ServiceType, qos QosProfile, answer func(*Request) Response,
) error {
	_, err := n.NewService(name, ts, &ServiceOptions{Qos: qos},
		func(_ *ServiceInfo, req types.Message, out ServiceResponseSender) {
			resp := &wire[Response]{answer(&req.(*wire[Request]).Body)}
			if err := out.SendResponse(resp); err != nil && !errors.Is(err, &ServiceInvalid{}) {
				_ = n.Logger().Warn(err)
			}
		})
	return err
}

// timeMsg is builtin_interfaces/msg/Time.
type timeMsg struct {
	Sec     int32  `yaml:"sec"`
	Nanosec uint32 `yaml:"nanosec"`
}
