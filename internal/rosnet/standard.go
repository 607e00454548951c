//go:build ros

package rosnet

import (
	"errors"
	"fmt"
	"os"

	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"

	"rstate/internal/siminterfaces"
)

// The types of simulation_interfaces. rstate is not linked to the package: its libraries are
// loaded by name if it is installed.

// loadStandard returns service types by their names, or why they cannot be used.
func loadStandard(names ...string) (map[string]*introspection.ServiceType, error) {
	kinds := map[string]*introspection.ServiceType{}
	for _, name := range names {
		kind, err := introspection.LoadDynamicService(siminterfaces.Package, name)
		if err != nil {
			return nil, notInstalled(err)
		}
		kinds[name] = kind
	}
	return kinds, nil
}

// notInstalled says what to install if a type of the package is missing.
func notInstalled(err error) error {
	if !errors.Is(err, introspection.ErrNotInstalled) {
		return err
	}
	distro := os.Getenv("ROS_DISTRO")
	if distro == "" {
		distro = "<distro>"
	}
	return &missingPackage{fmt.Sprintf("%s is not installed where rstate runs; "+
		"install it (apt-get install ros-%s-simulation-interfaces), "+
		"or source the workspace that has it before you start rstate",
		siminterfaces.Package, distro)}
}

// missingPackage says that the package is not installed.
type missingPackage struct{ words string }

func (e *missingPackage) Error() string { return e.words }

// readField reads a field of a message into a value of its type.
func readField[T any](msg types.Message, path string, into *T) error {
	m, ok := msg.(*introspection.DynamicMessage)
	if !ok {
		return fmt.Errorf("there is no message to read %s from", path)
	}
	value, err := m.Get(path)
	if err != nil {
		return fmt.Errorf("the installed version of %s does not fit rstate: %w", siminterfaces.Package, err)
	}
	if *into, ok = value.(T); !ok {
		return fmt.Errorf("the installed version of %s does not fit rstate: %s is a %T", siminterfaces.Package, path,
			value)
	}
	return nil
}

// numbers reads a list of numbers, whatever their size: version 1.0 had fewer bits.
func numbers(msg types.Message, path string) (list []siminterfaces.Feature, err error) {
	var wide []uint16
	if err = readField(msg, path, &wide); err != nil {
		var narrow []uint8
		if readField(msg, path, &narrow) != nil {
			return nil, err
		}
		for _, n := range narrow {
			wide = append(wide, uint16(n))
		}
	}
	for _, n := range wide {
		list = append(list, siminterfaces.Feature(n))
	}
	return list, nil
}

// verdict returns why the answer of a simulator is a failure; nil: it is none.
func verdict(msg types.Message) error {
	var code uint8
	var message string
	if err := readField(msg, "result.result", &code); err != nil {
		return err
	}
	if err := readField(msg, "result.error_message", &message); err != nil {
		return err
	}
	return siminterfaces.Failure(siminterfaces.Code(code), message)
}

// filled makes a message with the fields.
func filled(kind types.MessageTypeSupport, fields map[string]any) (*introspection.DynamicMessage, error) {
	msg := kind.New().(*introspection.DynamicMessage)
	for path, value := range fields {
		if err := msg.Set(path, value); err != nil {
			return nil, fmt.Errorf("the installed version of %s does not fit rstate: %w", siminterfaces.Package, err)
		}
	}
	return msg, nil
}
