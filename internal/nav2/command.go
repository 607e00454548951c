package nav2

import (
	"fmt"
	"strings"
)

// Command is a command of ~/manage_nodes, by its number.
type Command uint8

// The commands.
const (
	Startup Command = iota
	Pause
	Resume
	Reset
	Shutdown
	Configure
	Cleanup
)

var commandNames = [...]string{"STARTUP", "PAUSE", "RESUME", "RESET", "SHUTDOWN", "CONFIGURE", "CLEANUP"}

func (c Command) String() string {
	if int(c) < len(commandNames) {
		return commandNames[c]
	}
	return fmt.Sprintf("command %d", uint8(c))
}

// Raises reports whether a command brings nodes up.
func (c Command) Raises() bool { return c == Startup || c == Resume || c == Configure }

// The states of the preset rstate.
const (
	unconfigured = "unconfigured"
	inactive     = "inactive"
	active       = "active"
	finalized    = "finalized"
)

// Goal returns the goal that a command is in a state of the network, or why there is none.
//
// STARTUP and RESET lead to their state from everywhere. The other commands never do more than their name says: PAUSE
// configures nothing, and CLEANUP deactivates nothing.
func (c Command) Goal(settled string) (goal string, err error) {
	to, from := "", []string(nil)
	switch c {
	case Startup:
		to, from = active, []string{unconfigured, inactive, active}
	case Pause:
		to, from = inactive, []string{active, inactive}
	case Resume:
		to, from = active, []string{inactive, active}
	case Reset:
		to, from = unconfigured, []string{active, inactive, unconfigured}
	case Configure:
		to, from = inactive, []string{unconfigured, inactive}
	case Cleanup:
		to, from = unconfigured, []string{inactive, unconfigured}
	case Shutdown:
		return finalized, nil
	default:
		return "", fmt.Errorf("%v is no command: nav2 has 0 to %d", c, len(commandNames)-1)
	}
	for _, state := range from {
		if state == settled {
			return to, nil
		}
	}
	return "", fmt.Errorf("%v does nothing in %s", c, settled)
}

// Network is what ~/is_active says about.
type Network struct {
	State       string
	WantsActive bool // the state wants its nodes active
	Rests       bool // nothing runs, and no node is restored
	Deviations  []string
}

// Active reports whether all nodes are active, and says in which state the network is.
func (n Network) Active() (is bool, words string) {
	words = "the network is " + n.State
	switch {
	case !n.WantsActive:
		return false, words
	case len(n.Deviations) > 0:
		return false, words + ", but " + strings.Join(n.Deviations, "; ")
	case !n.Rests:
		return false, words + ", and nodes are being restored"
	}
	return true, words
}
