package rclgo

import (
	"slices"
	"strings"

	"github.com/tiiuae/rclgo/internal/rcl"
)

// Args holds the ROS arguments of a command line.
type Args struct {
	list    []string // as given, for rcl
	unknown []string // of list, what rcl does not know
}

// ParseArgs splits args, such as os.Args[1:], into the ROS arguments ("--ros-args …")
// and the rest. Faulty ROS arguments are an error. Unknown ones are not: rcl ignores
// them, and [Args.Unknown] names them.
func ParseArgs(args []string) (*Args, []string, error) {
	const op = "parse ROS arguments"
	if err := noNUL(op, codeInvalidRosArgs, args...); err != nil {
		return nil, nil, err
	}
	rest, unknown, err := rcl.ParseArgs(args)
	if err != nil {
		return nil, nil, fail(op, err)
	}
	others := map[int]bool{}
	for _, i := range rest {
		others[i] = true
	}
	a := &Args{unknown: pick(args, unknown)}
	for i, arg := range args {
		if !others[i] {
			a.list = append(a.list, arg)
		}
	}
	return a, pick(args, rest), nil
}

func pick(args []string, places []int) []string {
	out := make([]string, 0, len(places))
	for _, i := range places {
		out = append(out, args[i])
	}
	return out
}

// Unknown returns the ROS arguments that rcl does not know. A program that refuses them
// tells its user about a misspelt flag.
func (a *Args) Unknown() []string {
	if a == nil {
		return nil
	}
	return slices.Clone(a.unknown)
}

// String returns the ROS arguments that rcl has parsed, without the markers "--ros-args"
// and "--" and without the unknown arguments.
func (a *Args) String() string {
	if a == nil {
		return ""
	}
	unknown := slices.Clone(a.unknown)
	var parsed []string
	for _, arg := range a.list {
		if i := slices.Index(unknown, arg); i >= 0 {
			unknown = slices.Delete(unknown, i, i+1)
		} else if arg != "--ros-args" && arg != "--" {
			parsed = append(parsed, arg)
		}
	}
	return strings.Join(parsed, " ")
}

// strings also works for nil, which stands for no arguments.
func (a *Args) strings() []string {
	if a == nil {
		return nil
	}
	return a.list
}
