// Package typemap finds type supports by the name of their ROS type. Generated bindings
// register themselves when they are imported, under both forms of their name
// ("std_msgs/String" and "std_msgs/msg/String"). It imports types only.
package typemap

import (
	"fmt"
	"sync"

	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

var (
	messages = registry[types.MessageTypeSupport]{kind: "message"}
	services = registry[types.ServiceTypeSupport]{kind: "service"}
	actions  = registry[types.ActionTypeSupport]{kind: "action"}
)

// registry maps names to type supports of one kind; it may be used from any goroutine.
type registry[T any] struct {
	kind string
	mu   sync.RWMutex
	byID map[string]T
}

func (r *registry[T]) register(alias string, ts T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byID == nil {
		r.byID = map[string]T{}
	}
	r.byID[alias] = ts
}

func (r *registry[T]) get(name string) (T, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	ts, ok := r.byID[name]
	return ts, ok
}

func (r *registry[T]) must(name string) T {
	ts, ok := r.get(name)
	if !ok {
		panic(fmt.Sprintf("cannot find %s type %q: no binding of it is registered; import its generated package",
			r.kind, name))
	}
	return ts
}

// RegisterMessage registers msgType as alias; the last registration takes precedence.
func RegisterMessage(alias string, msgType types.MessageTypeSupport) {
	messages.register(alias, msgType)
}

// GetMessage returns the message type registered under msgType.
func GetMessage(msgType string) (types.MessageTypeSupport, bool) { return messages.get(msgType) }

// GetMessageMust is like GetMessage, but panics if the type is not registered.
func GetMessageMust(msgType string) types.MessageTypeSupport { return messages.must(msgType) }

// RegisterService registers srvType as alias; the last registration takes precedence.
func RegisterService(alias string, srvType types.ServiceTypeSupport) {
	services.register(alias, srvType)
}

// GetService returns the service type registered under srvType.
func GetService(srvType string) (types.ServiceTypeSupport, bool) { return services.get(srvType) }

// GetServiceMust is like GetService, but panics if the type is not registered.
func GetServiceMust(srvType string) types.ServiceTypeSupport { return services.must(srvType) }

// RegisterAction registers actionType as alias; the last registration takes precedence.
func RegisterAction(alias string, actionType types.ActionTypeSupport) {
	actions.register(alias, actionType)
}

// GetAction returns the action type registered under actionType.
func GetAction(actionType string) (types.ActionTypeSupport, bool) { return actions.get(actionType) }

// GetActionMust is like GetAction, but panics if the type is not registered.
func GetActionMust(actionType string) types.ActionTypeSupport { return actions.must(actionType) }
