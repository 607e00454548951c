package introspection

import (
	"fmt"
	"regexp"
	"strings"
)

// typeName is a ROS type name in its parts.
type typeName struct {
	pkg  string
	kind string // msg, srv or action: the folder of the interface file
	name string // with suffix, such as SetBool_Request
}

var identifier = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// parseName accepts pkg/msg/Name, pkg/srv/Name, pkg/action/Name. The parts become names of
// libraries and symbols, so it refuses everything else.
func parseName(s string) (typeName, error) {
	parts := strings.Split(s, "/")
	ok := len(parts) == 3 && identifier.MatchString(parts[0]) && identifier.MatchString(parts[2])
	if ok {
		switch parts[1] {
		case "msg", "srv", "action":
			return typeName{parts[0], parts[1], parts[2]}, nil
		}
	}
	return typeName{}, fmt.Errorf("it is not of the form package/msg/Name (or srv, action)")
}

func (n typeName) String() string { return n.pkg + "/" + n.kind + "/" + n.name }

// symbol returns the name of the getter of a type support of one kind (message,
// service, action) in one of the package's type support libraries.
func (n typeName) symbol(library, kind string) string {
	return fmt.Sprintf("%s__get_%s_type_support_handle__%s__%s__%s", library, kind, n.pkg, n.kind, n.name)
}
