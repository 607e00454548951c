package nav2

import (
	"fmt"
	"path"
	"strings"
	"time"
)

// Manager is one manager with its parameters.
type Manager struct {
	Name string // full
	Params
	SimulatedTime bool
	Unknown       []string // parameters that rstate does not have
}

// namespace is that of the manager.
func (m Manager) namespace() string { return path.Dir(m.Name) }

// simulation is the id of the manager's network.
func (m Manager) simulation() string {
	return strings.ReplaceAll(strings.Trim(m.Name, "/"), "/", "_")
}

// File returns the network file of managers, and notes what it cannot say. Each manager's nodes come up in the order of
// their names; the managers have no order between them.
func File(from string, managers ...Manager) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	simulation := managers[0].simulation()
	if len(managers) > 1 {
		simulation = "nav2"
	}
	line("# From %s.", from)
	for _, m := range managers {
		m.note(line)
	}
	line("simulation: %s", simulation)
	line("")
	line("defaults:")
	line("  # If a node is lost, the nodes that come after it are deactivated with it.")
	line("  on_loss: {do: %s, with: dependents}", managers[0].onLoss())
	line("")
	line("nodes:")
	for _, m := range managers {
		if len(managers) > 1 {
			line("  # %s", m.Name)
		}
		for i := range m.NodeNames {
			line("  %s: %s", FullName(m.namespace(), m.NodeNames[i]), m.node(i, m.onLoss() != managers[0].onLoss()))
		}
	}
	return b.String()
}

func (m Manager) onLoss() string {
	if m.Respawn {
		return "restore"
	}
	return "report"
}

// node writes the keys of one node.
func (m Manager) node(i int, differs bool) string {
	var keys []string
	if i > 0 && !m.Parallel {
		keys = append(keys, fmt.Sprintf("after: [%s]", FullName(m.namespace(), m.NodeNames[i-1])))
	}
	if t := m.ServiceTimeout; t > 0 {
		var list []string
		for _, step := range []string{"configure", "activate", "deactivate", "cleanup", "shutdown"} {
			list = append(list, fmt.Sprintf("%s: %v", step, t.Round(time.Millisecond)))
		}
		keys = append(keys, "deadline: {"+strings.Join(list, ", ")+"}")
	}
	switch last := m.Parallel || i == len(m.NodeNames)-1; {
	case differs && last:
		keys = append(keys, "on_loss: "+m.onLoss())
	case differs:
		keys = append(keys, fmt.Sprintf("on_loss: {do: %s, with: dependents}", m.onLoss()))
	}
	return "{" + strings.Join(keys, ", ") + "}"
}

// note writes what the file cannot say, as comments.
func (m Manager) note(line func(string, ...any)) {
	if m.Autostart {
		line("# %s: autostart: true has no key here. Start rstate with --ros-args -p autostart:=active.", m.Name)
	}
	if m.SimulatedTime {
		line("# %s: use_sim_time: true has no key here. Start rstate with --ros-args -p use_sim_time:=true.", m.Name)
	}
	if m.BondTimeout > 0 {
		line("# %s: bonds have no key here. rstate run watches nodes without them; rstate nav2 has them.", m.Name)
	}
	if len(m.Unknown) > 0 {
		line("# %s: without counterpart: %s.", m.Name, strings.Join(m.Unknown, ", "))
	}
}
