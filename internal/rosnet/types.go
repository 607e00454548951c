//go:build ros

package rosnet

import (
	"fmt"
	"strings"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"

	"rstate/internal/measure"
	"rstate/internal/network"
)

// TypeFault says why a daemon could not use a type of the network file, and what to write instead. It says nothing
// where no ROS 2 is sourced: the file may be meant for another machine.
func TypeFault(use network.Use, name string) (problem, hint string) {
	if use == network.ToArm && name != setBool {
		return fmt.Sprintf("a service of type %s cannot be called yet", name), "use " + setBool
	}
	if introspection.Load(setBool) != nil {
		return "", ""
	}
	err := introspection.Load(name)
	if err == nil && use == network.ToCheck && strings.Contains(name, "/srv/") {
		_, err = loadCheck(name)
	}
	if err != nil {
		return err.Error(), "or correct its name"
	}
	return "", ""
}

// FieldFault says why a field of messages of a type, which a daemon can use, cannot be compared with a bound, and what to
// write instead. It says nothing where no ROS 2 is sourced.
func FieldFault(kind, field string, bound network.Bound) (problem, hint string) {
	if introspection.Load(setBool) != nil {
		return "", ""
	}
	pkg, name, _ := strings.Cut(kind, "/")
	support, err := rclgo.LoadDynamicMessageTypeSupport(pkg, name)
	if err != nil {
		return err.Error(), "or correct its name"
	}
	if fault := measure.Unfit(kind, support, field, bound); fault != "" {
		problem, hint, _ = strings.Cut(field+" "+fault, "; ")
	}
	return problem, hint
}

// loadCheck loads the type of a service that checks a node.
func loadCheck(kind string) (*introspection.ServiceType, error) {
	pkg, name, _ := strings.Cut(kind, "/")
	support, err := introspection.LoadDynamicService(pkg, name)
	if err != nil {
		return nil, err
	}
	if _, ok := field(support.Response().New(), "success"); !ok {
		return nil, fmt.Errorf("%s has no field `success` in its answer; a check needs one to pass", kind)
	}
	return support, nil
}
