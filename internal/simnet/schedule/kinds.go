package schedule

import (
	"strings"

	"rstate/internal/simnet"
)

// kinds are what may happen in a schedule, each with words that are in the telling of a run in which it did.
var kinds = []struct{ name, sign string }{
	{"a node dies", " dies"},
	{"the end of a process is told at once", "its process has ended"},
	{"a living process is said to have ended", "is mistaken for one that ends"},
	{"a node is born", " is born"},
	{"a node is frozen", "story: freeze "},
	{"a node is unresponsive", "is unresponsive: it left"},
	{"an unresponsive node answers again", " answers again"},
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
	{"a goal joins another of its id", "joins the goal of its id"},
	{"one of those who joined a goal cancels", "goes on: "},
	{"a goal gets the result of an earlier one of its id", "gets the result of the goal of its id"},
	{"an id is used again for something else", "id used before, for "},
	{"an id is used again after the state has changed", "and the state has changed since"},
	{"a goal names a lower state, and a node does not confirm its disarm", stubbornly},
	{"all that can be armed is absent", absently},
	{"the next file leaves a node out", "reads another file: a node is left out"},
	{"the next file adds a node", "reads another file: a node is added"},
	{"the next file arms another node", "reads another file: a node is armed"},
	{"the next file arms a node no more", "reads another file: a node is not armed"},
	{"the next file has another machine", "reads another file: another machine"},
	{"the next file is of another simulation", "reads another file: another simulation"},
	{"the next file has another order", "reads another file: another order"},
	{"a file is read while a node that it does not arm is armed", "is not armed by the file that is read now, and is armed"},
	{"a node that the file does not arm is asked to disarm", "< disarm /"},
	{"the last state of another file does not count", "does not count: it is of another"},
	{"the middleware takes no message of the lease", "the middleware takes no lease for "},
	{"the coordinator learns that the lease does not leave", "that has left says it was proven at "},
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
	stubbornly   = "stubborn"
	absently     = "absent"
)

// Kinds lists what may happen in a schedule.
func Kinds() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return names
}

// Meetings lists what may happen among several instances: signs that are in the telling of a run in which it did.
func Meetings() []string {
	signs := []string{
		"cut the instances into sides", "join all instances", "is lost: it is cut off", "is lost: it has left", "is lost: it does not renew",
		"while this process stood still", "the coordinator is killed", "the coordinator starts again", "stop the coordinator", "the coordinator is stopped for",
		"mirrored from", "catching up with", "both take the lower", "peers behind", "superseded by", "errorprocessing", "the network is armed",
		"follows another machine", "speaks without an instance id", "/plain says", "required peers: ", "is driven by", "the network is mapping", "finalized",
		"had latched when it was killed comes", "(goal at its start", "the next start reads another file", "joins the goal of its id",
	}
	for _, phase := range []string{"starting", "unconfigured", "configuring", "inactive", "activating", "active", "arming", "armed", "disarming", "deactivating",
		"cleaningup", "errorprocessing", "shuttingdown", "finalized", "reading again", "stopped", "not there"} {
		for _, what := range []string{"is killed", "starts", "is stopped"} {
			signs = append(signs, "it "+what+" while another is "+phase+"\n")
		}
	}
	return signs
}

// Kinds lists what of Meetings did happen in a run.
func (p *Peers) Kinds(trace *simnet.PeersTrace) []string {
	told := trace.String()
	var names []string
	for _, sign := range Meetings() {
		if strings.Contains(told, sign) {
			names = append(names, sign)
		}
	}
	return names
}

// Kinds lists what did happen in a run of the schedule.
func (s *Schedule) Kinds(trace *simnet.Trace) []string {
	told := trace.String()
	special := map[string]bool{calm: s.Calm, modal: s.Network.Machine == presets.modes, apart: s.options.Apart > 0,
		stubbornly: s.tale == stubborn && strings.Contains(told, "not confirmed to be disarmed"), absently: s.tale == absent && strings.Contains(told, "is not there")}
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
