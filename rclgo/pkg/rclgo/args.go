package rclgo

import (
	"strings"

	"github.com/tiiuae/rclgo/internal/rcl"
)

// Args holds the ROS arguments of a command line.
type Args struct{ list []string }

// ParseArgs splits args, such as os.Args[1:], into the ROS arguments ("--ros-args …")
// and the rest. Faulty or unknown ROS arguments are an error.
func ParseArgs(args []string) (*Args, []string, error) {
	const op = "parse ROS arguments"
	rest, unknown, err := rcl.ParseArgs(args)
	if err != nil {
		return nil, nil, fail(op, err)
	}
	if len(unknown) > 0 {
		return nil, nil, newError(codeInvalidRosArgs, op, "unknown: "+strings.Join(pick(args, unknown), " "))
	}
	others := map[int]bool{}
	for _, i := range rest {
		others[i] = true
	}
	a := &Args{}
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

// String returns the arguments as they were given.
func (a *Args) String() string { return strings.Join(a.strings(), " ") }

// strings also works for nil, which stands for no arguments.
func (a *Args) strings() []string {
	if a == nil {
		return nil
	}
	return a.list
}
