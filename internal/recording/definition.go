package recording

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// separator precedes each type that a message type needs, as in files of rosbag2.
var separator = "\n" + strings.Repeat("=", 80) + "\nMSG: "

// primitives are the types of fields that need no definition.
var primitives = strings.Fields("bool byte char float32 float64 int8 uint8 int16 uint16 int32 uint32 int64 uint64 string wstring")

// fieldType is the type at the beginning of a line of a .msg file, without bounds: geometry_msgs/Point of
// geometry_msgs/Point[3] at.
var fieldType = regexp.MustCompile(`^\s*([A-Za-z][A-Za-z0-9_/]*)`)

// Definition returns the definition of a message type, such as std_msgs/msg/Header, and of all types that it needs. It
// looks for the .msg files in each of the prefixes.
func Definition(prefixes []string, typ string) (string, error) {
	root, err := readType(typ)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for todo, done := []messageType{root}, []messageType{}; len(todo) > 0; {
		t := todo[0]
		todo = todo[1:]
		if slices.Contains(done, t) {
			continue
		}
		one, err := t.read(prefixes)
		if err != nil {
			return "", err
		}
		if len(done) > 0 {
			text.WriteString(separator + t.pkg + "/" + t.name + "\n")
		}
		text.WriteString(one)
		done = append(done, t)
		todo = append(todo, t.needs(one)...)
	}
	return text.String(), nil
}

type messageType struct{ pkg, name string }

func readType(typ string) (messageType, error) {
	parts := strings.Split(typ, "/")
	if len(parts) != 3 || parts[1] != "msg" {
		return messageType{}, fmt.Errorf("%s is no message type", typ)
	}
	return messageType{parts[0], parts[2]}, nil
}

func (t messageType) read(prefixes []string) (string, error) {
	file := filepath.Join("share", t.pkg, "msg", t.name+".msg")
	for _, prefix := range prefixes {
		text, err := os.ReadFile(filepath.Join(prefix, file))
		if err == nil {
			return string(text), nil
		}
		if !os.IsNotExist(err) {
			return "", fmt.Errorf("cannot read the definition of %s/msg/%s: %w", t.pkg, t.name, err)
		}
	}
	return "", fmt.Errorf("cannot find the definition of %s/msg/%s: no folder of AMENT_PREFIX_PATH has %s; install %s",
		t.pkg, t.name, file, t.pkg)
}

// needs returns the types of the fields, in their order.
func (t messageType) needs(text string) (list []messageType) {
	for line := range strings.Lines(text) {
		found := fieldType.FindStringSubmatch(line)
		if found == nil || slices.Contains(primitives, found[1]) {
			continue
		}
		need := messageType{t.pkg, found[1]}
		if pkg, name, ok := strings.Cut(found[1], "/"); ok {
			need = messageType{pkg, strings.TrimPrefix(name, "msg/")}
		}
		list = append(list, need)
	}
	return list
}
