package gen

import (
	"slices"
	"strings"
)

// goName turns a ROS field name into an exported Go name: goal_id becomes GoalId. As in
// the original, initialisms are treated like other words.
func goName(ros string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(ros, "_") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

// methods are the names that a field cannot have.
var methods = []string{
	"Clone", "CloneMsg", "SetDefaults", "GetTypeSupport", "GetGoalID", "SetGoalID", "GetGoalDescription",
	"SetGoalDescription", "GetGoalAccepted", "GetGoalStatus", "GetGoalResult", "GetGoalFeedback",
	"CallForEach",
}

// partGoalID is the Go name of the field goal_id in the messages that every action has. In
// these the original writes the initialism in capitals.
const partGoalID = "GoalID"

// fieldNames returns the Go names of a message's fields; a name that is taken gets an
// underscore.
func fieldNames(m *Message) []string {
	taken := slices.Clone(methods)
	names := make([]string, len(m.Fields))
	for i, f := range m.Fields {
		name := goName(f.Name)
		if m.Part && f.Name == "goal_id" {
			name = partGoalID
		}
		for slices.Contains(taken, name) {
			name += "_"
		}
		taken = append(taken, name)
		names[i] = name
	}
	return names
}

// goPackage returns the name of the Go package of a ROS package's interfaces of one
// kind.
func goPackage(pkg, kind string) string { return pkg + "_" + kind }
