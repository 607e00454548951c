package schedule

import (
	"strings"

	"rstate/internal/simnet"
)

// kinds are what may happen in a schedule, each with words that are in the telling of a run in which it did.
var kinds = []struct{ name, sign string }{
	{"a node dies", " dies"},
	{"a node is born", " is born"},
	{"a node is frozen", "story: freeze "},
	{"a node is continued", "story: thaw "},
	{"a node is cut off", "is cut off"},
	{"a node is joined again", "is joined again"},
	{"another tool moves a node", "story: move /"},
	{"two nodes bear one name", "2 of its name)"},
	{"a goal is cancelled", "story: cancel "},
	{"the network is armed", "show that the network is armed"},
	{"the network is mapping", "show that the network is mapping"},
	{"a failure is put right", "show that the network is errorprocessing"},
	{"arming asks for authority", "arming asks for authority"},
	{"somebody may be armed although the network is not", "although it is not armed"},
	{"the coordinator is stopped (SIGSTOP)", "the coordinator is stopped for "},
	{"it is stopped after or before what it does", "what it "},
	{"it is stopped while armed", stoppedArmed},
	{"its process stood still for too long", "record the process did not run for "},
	{"its loop was late", "record the loop was busy for "},
	{"a request or a lease is not sent after a gap", "not done after a gap"},
	{"an arming or a lease is not sent after a gap", armedLate},
	{"the coordinator is killed", "the coordinator is killed"},
	{"it is killed while armed", killedArmed},
	{"the coordinator ends (SIGTERM)", "story: stop the coordinator"},
	{"it starts again after it has ended", "story: start the coordinator again"},
	{"clocks are apart by hours", apart},
	{"a node disarms by itself, its lease has ended", "disarms by itself"},
	{"a message of the lease comes late, or twice", "comes late to /"},
	{"a kept message of the lease is given to who comes late", "which was kept for it"},
	{"somebody else holds a lease", "somebody else holds lease"},
	{"the simulated clock is held", "story: hold the clock"},
	{"the simulated clock jumps", "story: move the clock"},
	{"use_sim_time changes", "story: set use_sim_time"},
	{"the disk changes", "story: the disk is now"},
	{"another bears our name", "bears our name"},
	{"others of our name are no rstate", "others of its name"},
	{"a node is a network itself", "is a network itself"},
	{"rstate yields to another", "rstate yields"},
	{"a check fails", "does not pass its check"},
	{"a check that is a service passes", " passes ("},
	{"a checked topic becomes slow", "publishes at 0.3"},
	{"a checked topic comes too slowly", "Hz, not"},
	{"a check does not answer", "did not answer in"},
	{"a proof is too old", "has not shown for"},
	{"a node is lost that leaves questions open", "is lost: it left 3 questions"},
	{"something unsafe is offered", "offers what is unsafe"},
	{"nothing goes wrong", calm},
	{"the network has modes", modal},
}

// Those that no words tell.
const (
	calm         = "calm"
	modal        = "modes"
	apart        = "apart"
	stoppedArmed = "stopped while armed"
	killedArmed  = "killed while armed"
	armedLate    = "armed late"
)

// Kinds lists what may happen in a schedule.
func Kinds() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return names
}

// Kinds lists what did happen in a run of the schedule.
func (s *Schedule) Kinds(trace *simnet.Trace) []string {
	told := trace.String()
	special := map[string]bool{calm: s.Calm, modal: s.Network.Machine == presets.modes, apart: s.options.Apart > 0}
	armed := false
	for line := range strings.Lines(told) {
		_, shown, ok := strings.Cut(line, "show that the network is ")
		switch {
		case ok:
			armed = strings.HasPrefix(shown, "armed")
		case !armed && !strings.Contains(line, "not done after a gap"):
		case strings.Contains(line, "the coordinator is stopped for "):
			special[stoppedArmed] = true
		case strings.Contains(line, "the coordinator is killed"):
			special[killedArmed], armed = true, false
		case strings.Contains(line, "gap: arm node"), strings.Contains(line, "gap: say of lease"):
			special[armedLate] = true
		}
	}
	var names []string
	for _, k := range kinds {
		if special[k.sign] || strings.Contains(told, k.sign) {
			names = append(names, k.name)
		}
	}
	return names
}
