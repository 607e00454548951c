package engine_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/simnet"
)

// team is a network in which a required and an optional node do all that a node can be asked for.
const team = `
simulation: team
defaults: {deadline: {configure: 10s}}
nodes:
  /base: {}
  /must: {after: [/base], arm: {}}
  /may: {after: [/base], optional: true, arm: {}}
  /top: {after: [/must, /may]}
`

// faults are the ways in which a node does its part of a transition, or does not.
var faults = map[string]simnet.On{
	"does":          {},
	"refuses":       {End: simnet.Refuse},
	"errs":          {End: simnet.Err},
	"errs for good": {End: simnet.ErrFatal},
	"is silent":     {End: simnet.Hang},
	"is late":       {Takes: 15 * time.Second}, // past the deadline, before that of recovery
	"dies":          {End: simnet.Die},
	"lies":          {End: simnet.Lie},
}

// armFaults are the same of requests to arm and to disarm.
var armFaults = map[string]simnet.Reply{
	"does":         {},
	"refuses":      {No: true},
	"is silent":    {Silent: true},
	"is late":      {Takes: 3 * time.Second},
	"does, unsaid": {Mute: true},
}

// TestF1EveryTransitionWithEveryFault is each transition with each fault of one node, /must or
// /may. A row lists what is shown and published from the command on, the result of the goal, where
// the node and the other nodes end, and the exit code of rstate if it ends.
func TestF1EveryTransitionWithEveryFault(t *testing.T) {
	seen := map[string]bool{}
	for _, cells := range table(t, transitions, 7) {
		command, fault, node := cells[0], cells[1], "/must"
		if strings.HasPrefix(fault, "may: ") {
			fault, node = fault[5:], "/may"
		}
		seen[command+" "+node+" "+fault] = true
		t.Run(command+", "+node[1:]+" "+fault, func(t *testing.T) {
			s := story{
				net: team, first: before[command], scripts: one(node, script(t, command, fault)),
				tell:   []simnet.Beat{here, send(command)},
				states: cells[2], published: cells[3], goals: command + ": " + cells[4], ends: ends(cells[5], node),
				exit: codes[cells[6]],
				opt:  simnet.Options{Rest: 10 * time.Second},
			}
			s.run(t)
		})
	}
	for command := range before {
		for _, node := range []string{"/must", "/may"} {
			for _, fault := range faultsOf(command) {
				if !seen[command+" "+node+" "+fault] {
					t.Errorf("there is no row: %s where %s %s", command, node, fault)
				}
			}
		}
	}
}

// undoing is the step that takes a command's step back, and the node whose step is the last one of the command.
var undoing = map[string]struct{ step, last string }{
	"configure":  {"cleanup", "/top"},
	"cleanup":    {"configure", "/base"},
	"activate":   {"deactivate", "/top"},
	"deactivate": {"activate", "/base"},
	"arm":        {"disarm", "/must"},
}

// TestF4EveryUndoWithEveryFault is each command, cancelled in its last step, where a node that has done its step does
// not go back, or not as it should.
func TestF4EveryUndoWithEveryFault(t *testing.T) {
	for _, cells := range table(t, undos, 7) {
		command, fault, node := cells[0], cells[1], "/must"
		if strings.HasPrefix(fault, "may: ") {
			fault, node = fault[5:], "/may"
		}
		undo := undoing[command]
		t.Run(command+", "+node[1:]+" "+fault, func(t *testing.T) {
			bad := script(t, undo.step, fault)
			if undo.step == "configure" || undo.step == "activate" { // it does so once, before the story begins
				bad.On = append([]simnet.On{{Do: undo.step, Times: 1}}, bad.On...)
			}
			scripts := one(node, bad)
			slow := scripts[undo.last]
			moment := simnet.Begun(command, undo.last)
			if command == "arm" {
				slow.Arm = []simnet.Reply{{Takes: 100 * ms}}
				moment = simnet.Called(command, undo.last).Later(50 * ms)
			} else {
				slow.On = append(slow.On, simnet.On{Do: command, Takes: 100 * ms})
			}
			scripts[undo.last] = slow
			story{
				net: team, first: before[command], scripts: scripts,
				tell:   []simnet.Beat{here, send(command), when(moment, simnet.Cancel{Handle: command})},
				states: cells[2], published: cells[3], goals: command + ": " + cells[4], ends: ends(cells[5], node),
				exit: codes[cells[6]],
				opt:  simnet.Options{Rest: 10 * time.Second},
			}.run(t)
		})
	}
}

// moments are when a cancel comes, after the step was asked for: a step takes 20 ms.
var moments = map[string]time.Duration{"before": 0, "during": 10 * ms, "after": 25 * ms}

// TestF4CancelBeforeDuringAndAfterEveryStep: a cancel is taken until the commit, whatever has begun by then; a shutting
// down is never cancelled.
func TestF4CancelBeforeDuringAndAfterEveryStep(t *testing.T) {
	slow := simnet.Script{On: []simnet.On{{Takes: 20 * ms}}, Arm: []simnet.Reply{{Takes: 20 * ms}},
		Disarm: []simnet.Reply{{Takes: 20 * ms}}}
	scripts := map[string]simnet.Script{"/base": slow, "/must": slow, "/may": slow, "/top": slow}
	rows := table(t, cancels, 9)
	if len(rows) != (5*4+2*2)*3 {
		t.Errorf("there are %d rows, not one for every step of every command, before, during and after it", len(rows))
	}
	for _, cells := range rows {
		command, node, moment := cells[0], cells[1], cells[2]
		t.Run(command+", "+moment+" the step of "+node[1:], func(t *testing.T) {
			trace := story{
				net: team, first: before[command], scripts: scripts,
				tell: []simnet.Beat{here, send(command),
					when(simnet.Called(command, node).Later(moments[moment]), simnet.Cancel{Handle: command})},
				states: cells[4], published: cells[5], goals: command + ": " + cells[6], ends: ends(cells[7], node),
				exit: codes[cells[8]],
			}.run(t)
			answer := "never"
			if c := trace.Goal(command).Cancels; len(c) == 1 {
				answer = map[bool]string{true: "taken", false: "refused"}[c[0].Accepted]
			}
			if answer != cells[3] {
				t.Errorf("the cancel was answered: %s, want %s", answer, cells[3])
			}
		})
	}
}

// table reads rows of cells.
func table(t *testing.T, text string, width int) (rows [][]string) {
	t.Helper()
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		cells := strings.Split(line, "|")
		for k := range cells {
			cells[k] = strings.TrimSpace(cells[k])
		}
		if len(cells) != width {
			t.Fatalf("a row has %d cells: %s", len(cells), line)
		}
		rows = append(rows, cells)
	}
	return rows
}

// here is where the story of a table begins.
var here = when(simnet.Then(), simnet.Mark{})

// codes are the exit codes of a table, as a story wants them.
var codes = map[string]int{"": 0, "0": 1, "5": 6}

// before brings the network where a transition begins.
var before = map[string][]string{
	"configure": nil, "activate": ways[1].way, "cleanup": ways[1].way, "deactivate": ways[2].way, "arm": ways[2].way,
	"disarm":   ways[3].way,
	"shutdown": ways[2].way,
}

// faultsOf lists the ways in which a node can do its part of a command.
func faultsOf(command string) []string {
	if command == "arm" || command == "disarm" {
		return slices.Sorted(maps.Keys(armFaults))
	}
	return slices.Sorted(maps.Keys(faults))
}

func script(t *testing.T, command, fault string) simnet.Script {
	t.Helper()
	if !slices.Contains(faultsOf(command), fault) {
		t.Fatalf("there is no such way to %s: %s", command, fault)
	}
	switch command {
	case "arm":
		return simnet.Script{Arm: []simnet.Reply{armFaults[fault]}}
	case "disarm":
		return simnet.Script{Disarm: []simnet.Reply{armFaults[fault]}}
	}
	return on(command, faults[fault])
}

// ends spells out where the nodes of the team end: one word for all, or two: the node's and the others'.
func ends(cell, node string) string {
	words := strings.Fields(cell)
	if len(words) > 2 {
		return cell
	}
	all := make([]string, 4)
	for i, name := range []string{"/base", "/must", "/may", "/top"} {
		if all[i] = words[len(words)-1]; name == node {
			all[i] = words[0]
		}
	}
	return strings.Join(all, " ")
}

// undos: command | what the node does when it is taken back | shown | published | goal | the node's end, the others' |
// exit
const undos = `
configure  | refuses            | configuring errorprocessing shuttingdown finalized | errorprocessing shuttingdown finalized | aborted finalized | finalized | 5
configure  | errs               | configuring unconfigured | unconfigured | canceled canceled | unconfigured |
configure  | errs for good      | configuring errorprocessing shuttingdown finalized | errorprocessing shuttingdown finalized | aborted finalized | finalized | 5
configure  | is silent          | configuring unconfigured | unconfigured | canceled canceled | cleaningup unconfigured |
configure  | is late            | configuring unconfigured | unconfigured | canceled canceled | unconfigured |
configure  | dies               | configuring unconfigured | unconfigured | canceled canceled | - unconfigured |
configure  | lies               | configuring errorprocessing shuttingdown finalized | errorprocessing shuttingdown finalized | aborted finalized | finalized | 5
configure  | may: refuses       | configuring errorprocessing shuttingdown finalized | errorprocessing shuttingdown finalized | aborted finalized | finalized | 5
configure  | may: errs          | configuring unconfigured | unconfigured | canceled canceled | unconfigured |
configure  | may: errs for good | configuring errorprocessing shuttingdown finalized | errorprocessing shuttingdown finalized | aborted finalized | finalized | 5
configure  | may: is silent     | configuring unconfigured | unconfigured | canceled canceled | cleaningup unconfigured |
configure  | may: is late       | configuring unconfigured | unconfigured | canceled canceled | unconfigured |
configure  | may: dies          | configuring unconfigured | unconfigured | canceled canceled | - unconfigured |
configure  | may: lies          | configuring errorprocessing shuttingdown finalized | errorprocessing shuttingdown finalized | aborted finalized | finalized | 5
cleanup    | refuses            | cleaningup errorprocessing unconfigured | cleaningup+ errorprocessing unconfigured | aborted unconfigured | unconfigured |
cleanup    | errs               | cleaningup errorprocessing unconfigured | cleaningup+ errorprocessing unconfigured | aborted unconfigured | unconfigured |
cleanup    | errs for good      | cleaningup errorprocessing shuttingdown finalized | cleaningup+ errorprocessing shuttingdown finalized | aborted finalized | finalized | 5
cleanup    | is silent          | cleaningup errorprocessing unconfigured | cleaningup+ errorprocessing unconfigured | aborted unconfigured | configuring unconfigured |
cleanup    | is late            | cleaningup inactive | cleaningup+ inactive+ | canceled canceled | inactive |
cleanup    | dies               | cleaningup errorprocessing unconfigured | cleaningup+ errorprocessing unconfigured | aborted unconfigured | - unconfigured |
cleanup    | lies               | cleaningup errorprocessing unconfigured | cleaningup+ errorprocessing unconfigured | aborted unconfigured | unconfigured |
cleanup    | may: refuses       | cleaningup inactive | cleaningup+ inactive+ | canceled canceled | unconfigured inactive |
cleanup    | may: errs          | cleaningup inactive | cleaningup+ inactive+ | canceled canceled | unconfigured inactive |
cleanup    | may: errs for good | cleaningup inactive | cleaningup+ inactive+ | canceled canceled | finalized inactive |
cleanup    | may: is silent     | cleaningup inactive | cleaningup+ inactive+ | canceled canceled | configuring inactive |
cleanup    | may: is late       | cleaningup inactive | cleaningup+ inactive+ | canceled canceled | inactive |
cleanup    | may: dies          | cleaningup inactive | cleaningup+ inactive+ | canceled canceled | - inactive |
cleanup    | may: lies          | cleaningup inactive | cleaningup+ inactive+ | canceled canceled | unconfigured inactive |
activate   | refuses            | activating errorprocessing shuttingdown finalized | errorprocessing shuttingdown finalized | aborted finalized | finalized | 5
activate   | errs               | activating errorprocessing unconfigured | errorprocessing unconfigured | aborted unconfigured | unconfigured |
activate   | errs for good      | activating errorprocessing shuttingdown finalized | errorprocessing shuttingdown finalized | aborted finalized | finalized | 5
activate   | is silent          | activating errorprocessing unconfigured | errorprocessing unconfigured | aborted unconfigured | deactivating unconfigured |
activate   | is late            | activating inactive | inactive | canceled canceled | inactive |
activate   | dies               | activating errorprocessing unconfigured | errorprocessing unconfigured | aborted unconfigured | - unconfigured |
activate   | lies               | activating errorprocessing shuttingdown finalized | errorprocessing shuttingdown finalized | aborted finalized | finalized | 5
activate   | may: refuses       | activating errorprocessing shuttingdown finalized | errorprocessing shuttingdown finalized | aborted finalized | finalized | 5
activate   | may: errs          | activating errorprocessing unconfigured | errorprocessing unconfigured | aborted unconfigured | unconfigured |
activate   | may: errs for good | activating errorprocessing unconfigured | errorprocessing unconfigured | aborted unconfigured | finalized unconfigured |
activate   | may: is silent     | activating errorprocessing unconfigured | errorprocessing unconfigured | aborted unconfigured | deactivating unconfigured |
activate   | may: is late       | activating inactive | inactive | canceled canceled | inactive |
activate   | may: dies          | activating inactive | inactive | canceled canceled | - inactive |
activate   | may: lies          | activating errorprocessing shuttingdown finalized | errorprocessing shuttingdown finalized | aborted finalized | finalized | 5
deactivate | refuses            | deactivating errorprocessing unconfigured | deactivating+ errorprocessing unconfigured | aborted unconfigured | unconfigured |
deactivate | errs               | deactivating errorprocessing unconfigured | deactivating+ errorprocessing unconfigured | aborted unconfigured | unconfigured |
deactivate | errs for good      | deactivating errorprocessing shuttingdown finalized | deactivating+ errorprocessing shuttingdown finalized | aborted finalized | finalized | 5
deactivate | is silent          | deactivating errorprocessing unconfigured | deactivating+ errorprocessing unconfigured | aborted unconfigured | activating unconfigured |
deactivate | is late            | deactivating active | deactivating+ active+ | canceled canceled | active |
deactivate | dies               | deactivating errorprocessing unconfigured | deactivating+ errorprocessing unconfigured | aborted unconfigured | - unconfigured |
deactivate | lies               | deactivating errorprocessing unconfigured | deactivating+ errorprocessing unconfigured | aborted unconfigured | unconfigured |
deactivate | may: refuses       | deactivating active | deactivating+ active+ | canceled canceled | inactive active |
deactivate | may: errs          | deactivating active | deactivating+ active+ | canceled canceled | unconfigured active |
deactivate | may: errs for good | deactivating active | deactivating+ active+ | canceled canceled | finalized active |
deactivate | may: is silent     | deactivating active | deactivating+ active+ | canceled canceled | activating active |
deactivate | may: is late       | deactivating active | deactivating+ active+ | canceled canceled | active |
deactivate | may: dies          | deactivating active | deactivating+ active+ | canceled canceled | - active |
deactivate | may: lies          | deactivating active | deactivating+ active+ | canceled canceled | inactive active |
arm        | refuses            | arming active | active | aborted held | finalized active |
arm        | is silent          | arming active | active | aborted held | finalized active |
arm        | is late            | arming active | active | canceled canceled | active |
arm        | may: refuses       | arming active | active | aborted held | finalized active |
arm        | may: is silent     | arming active | active | aborted held | finalized active |
arm        | may: is late       | arming active | active | canceled canceled | active |
`

// transitions: command | what the node does | shown | published, + where peers follow | goal | the node's end, the
// others' | exit
const transitions = `
configure  | does               | configuring inactive | inactive+ | succeeded done | inactive |
configure  | refuses            | configuring errorprocessing unconfigured | errorprocessing unconfigured | aborted restored | unconfigured |
configure  | errs               | configuring errorprocessing unconfigured | errorprocessing unconfigured | aborted restored | unconfigured |
configure  | errs for good      | configuring errorprocessing shuttingdown finalized | errorprocessing shuttingdown finalized | aborted finalized | finalized | 5
configure  | is silent          | configuring errorprocessing unconfigured | errorprocessing unconfigured | aborted unconfigured | configuring unconfigured |
configure  | is late            | configuring errorprocessing unconfigured | errorprocessing unconfigured | aborted restored | unconfigured |
configure  | dies               | configuring errorprocessing unconfigured | errorprocessing unconfigured | aborted restored | - unconfigured |
configure  | lies               | configuring errorprocessing unconfigured | errorprocessing unconfigured | aborted restored | unconfigured |
configure  | may: does          | configuring inactive | inactive+ | succeeded done | inactive |
configure  | may: refuses       | configuring inactive | inactive+ | succeeded done | unconfigured inactive |
configure  | may: errs          | configuring inactive | inactive+ | succeeded done | unconfigured inactive |
configure  | may: errs for good | configuring inactive | inactive+ | succeeded done | finalized inactive |
configure  | may: is silent     | configuring inactive | inactive+ | succeeded done | configuring inactive |
configure  | may: is late       | configuring inactive | inactive+ | succeeded done | inactive |
configure  | may: dies          | configuring inactive | inactive+ | succeeded done | - inactive |
configure  | may: lies          | configuring inactive | inactive+ | succeeded done | unconfigured inactive |
cleanup    | does               | cleaningup unconfigured | cleaningup+ unconfigured | succeeded done | unconfigured |
cleanup    | refuses            | cleaningup errorprocessing inactive | cleaningup+ errorprocessing inactive | aborted restored | inactive |
cleanup    | errs               | cleaningup unconfigured | cleaningup+ unconfigured | succeeded done | unconfigured |
cleanup    | errs for good      | cleaningup errorprocessing shuttingdown finalized | cleaningup+ errorprocessing shuttingdown finalized | aborted finalized | finalized | 5
cleanup    | is silent          | cleaningup errorprocessing unconfigured | cleaningup+ errorprocessing unconfigured | aborted unconfigured | cleaningup unconfigured |
cleanup    | is late            | cleaningup errorprocessing inactive | cleaningup+ errorprocessing inactive | aborted restored | inactive |
cleanup    | dies               | cleaningup errorprocessing unconfigured | cleaningup+ errorprocessing unconfigured | aborted unconfigured | - unconfigured |
cleanup    | lies               | cleaningup errorprocessing inactive | cleaningup+ errorprocessing inactive | aborted restored | inactive |
cleanup    | may: does          | cleaningup unconfigured | cleaningup+ unconfigured | succeeded done | unconfigured |
cleanup    | may: refuses       | cleaningup errorprocessing inactive | cleaningup+ errorprocessing inactive | aborted restored | inactive |
cleanup    | may: errs          | cleaningup unconfigured | cleaningup+ unconfigured | succeeded done | unconfigured |
cleanup    | may: errs for good | cleaningup errorprocessing inactive | cleaningup+ errorprocessing inactive | aborted restored | finalized inactive |
cleanup    | may: is silent     | cleaningup errorprocessing inactive | cleaningup+ errorprocessing inactive | aborted restored | cleaningup inactive |
cleanup    | may: is late       | cleaningup errorprocessing inactive | cleaningup+ errorprocessing inactive | aborted restored | inactive |
cleanup    | may: dies          | cleaningup unconfigured | cleaningup+ unconfigured | succeeded done | - unconfigured |
cleanup    | may: lies          | cleaningup errorprocessing inactive | cleaningup+ errorprocessing inactive | aborted restored | inactive |
activate   | does               | activating active | active+ | succeeded done | active |
activate   | refuses            | activating errorprocessing inactive | errorprocessing inactive | aborted restored | inactive |
activate   | errs               | activating errorprocessing inactive | errorprocessing inactive | aborted restored | inactive |
activate   | errs for good      | activating errorprocessing shuttingdown finalized | errorprocessing shuttingdown finalized | aborted finalized | finalized | 5
activate   | is silent          | activating errorprocessing unconfigured | errorprocessing unconfigured | aborted unconfigured | activating unconfigured |
activate   | is late            | activating errorprocessing inactive | errorprocessing inactive | aborted restored | inactive |
activate   | dies               | activating errorprocessing unconfigured | errorprocessing unconfigured | aborted unconfigured | - unconfigured |
activate   | lies               | activating errorprocessing inactive | errorprocessing inactive | aborted restored | inactive |
activate   | may: does          | activating active | active+ | succeeded done | active |
activate   | may: refuses       | activating active | active+ | succeeded done | inactive active |
activate   | may: errs          | activating active | active+ | succeeded done | unconfigured active |
activate   | may: errs for good | activating active | active+ | succeeded done | finalized active |
activate   | may: is silent     | activating active | active+ | succeeded done | activating active |
activate   | may: is late       | activating active | active+ | succeeded done | active |
activate   | may: dies          | activating active | active+ | succeeded done | - active |
activate   | may: lies          | activating active | active+ | succeeded done | inactive active |
deactivate | does               | deactivating inactive | deactivating+ inactive | succeeded done | inactive |
deactivate | refuses            | deactivating errorprocessing active | deactivating+ errorprocessing active | aborted restored | active |
deactivate | errs               | deactivating errorprocessing active | deactivating+ errorprocessing active | aborted restored | active |
deactivate | errs for good      | deactivating errorprocessing shuttingdown finalized | deactivating+ errorprocessing shuttingdown finalized | aborted finalized | finalized | 5
deactivate | is silent          | deactivating errorprocessing unconfigured | deactivating+ errorprocessing unconfigured | aborted unconfigured | deactivating unconfigured |
deactivate | is late            | deactivating errorprocessing active | deactivating+ errorprocessing active | aborted restored | active |
deactivate | dies               | deactivating errorprocessing unconfigured | deactivating+ errorprocessing unconfigured | aborted unconfigured | - unconfigured |
deactivate | lies               | deactivating errorprocessing active | deactivating+ errorprocessing active | aborted restored | active |
deactivate | may: does          | deactivating inactive | deactivating+ inactive | succeeded done | inactive |
deactivate | may: refuses       | deactivating errorprocessing active | deactivating+ errorprocessing active | aborted restored | active |
deactivate | may: errs          | deactivating errorprocessing active | deactivating+ errorprocessing active | aborted restored | active |
deactivate | may: errs for good | deactivating errorprocessing active | deactivating+ errorprocessing active | aborted restored | finalized active |
deactivate | may: is silent     | deactivating errorprocessing active | deactivating+ errorprocessing active | aborted restored | deactivating active |
deactivate | may: is late       | deactivating errorprocessing active | deactivating+ errorprocessing active | aborted restored | active |
deactivate | may: dies          | deactivating inactive | deactivating+ inactive | succeeded done | - inactive |
deactivate | may: lies          | deactivating errorprocessing active | deactivating+ errorprocessing active | aborted restored | active |
arm        | does               | arming armed | armed+ | succeeded done | active active* active* active |
arm        | does, unsaid       | arming errorprocessing active | errorprocessing active | aborted restored | active |
arm        | refuses            | arming errorprocessing active | errorprocessing active | aborted restored | active |
arm        | is silent          | arming errorprocessing active | errorprocessing active | aborted restored | active |
arm        | is late            | arming errorprocessing active | errorprocessing active | aborted restored | active |
arm        | may: does          | arming armed | armed+ | succeeded done | active active* active* active |
arm        | may: does, unsaid  | arming armed | armed+ | succeeded done | active active* active* active |
arm        | may: refuses       | arming armed | armed+ | succeeded done | active active* active active |
arm        | may: is silent     | arming armed | armed+ | succeeded done | active active* active active |
arm        | may: is late       | arming errorprocessing active | errorprocessing active | aborted restored | active |
disarm     | does               | disarming active | disarming+ active | succeeded done | active |
disarm     | does, unsaid       | disarming active | disarming+ active | aborted held | finalized active |
disarm     | refuses            | disarming arming armed | disarming+ armed | aborted restored | active active* active* active |
disarm     | is silent          | disarming active | disarming+ active | aborted held | finalized active |
disarm     | is late            | disarming active | disarming+ active | aborted held | active |
disarm     | may: does          | disarming active | disarming+ active | succeeded done | active |
disarm     | may: does, unsaid  | disarming active | disarming+ active | aborted held | finalized active |
disarm     | may: refuses       | disarming arming armed | disarming+ armed | aborted restored | active active* active* active |
disarm     | may: is silent     | disarming active | disarming+ active | aborted held | finalized active |
disarm     | may: is late       | disarming active | disarming+ active | aborted held | active |
shutdown   | does               | shuttingdown finalized | shuttingdown+ finalized | succeeded done | finalized | 0
shutdown   | refuses            | shuttingdown finalized | shuttingdown+ finalized | succeeded done | finalized | 0
shutdown   | errs               | shuttingdown finalized | shuttingdown+ finalized | aborted finalized | unconfigured finalized | 5
shutdown   | errs for good      | shuttingdown finalized | shuttingdown+ finalized | succeeded done | finalized | 0
shutdown   | is silent          | shuttingdown finalized | shuttingdown+ finalized | aborted finalized | shuttingdown finalized | 5
shutdown   | is late            | shuttingdown finalized | shuttingdown+ finalized | aborted finalized | shuttingdown finalized | 5
shutdown   | dies               | shuttingdown finalized | shuttingdown+ finalized | succeeded done | - finalized | 0
shutdown   | lies               | shuttingdown finalized | shuttingdown+ finalized | aborted finalized | active finalized | 5
shutdown   | may: does          | shuttingdown finalized | shuttingdown+ finalized | succeeded done | finalized | 0
shutdown   | may: refuses       | shuttingdown finalized | shuttingdown+ finalized | succeeded done | finalized | 0
shutdown   | may: errs          | shuttingdown finalized | shuttingdown+ finalized | succeeded done | unconfigured finalized | 0
shutdown   | may: errs for good | shuttingdown finalized | shuttingdown+ finalized | succeeded done | finalized | 0
shutdown   | may: is silent     | shuttingdown finalized | shuttingdown+ finalized | succeeded done | shuttingdown finalized | 0
shutdown   | may: is late       | shuttingdown finalized | shuttingdown+ finalized | succeeded done | shuttingdown finalized | 0
shutdown   | may: dies          | shuttingdown finalized | shuttingdown+ finalized | succeeded done | - finalized | 0
shutdown   | may: lies          | shuttingdown finalized | shuttingdown+ finalized | succeeded done | active finalized | 0
`

// cancels: command | the step's node | when the cancel comes | the cancel is | shown | published | goal | nodes' end |
// exit
const cancels = `
configure  | /base | before | taken   | configuring unconfigured | unconfigured | canceled canceled | unconfigured |
configure  | /base | during | taken   | configuring unconfigured | unconfigured | canceled canceled | unconfigured |
configure  | /base | after  | taken   | configuring unconfigured | unconfigured | canceled canceled | unconfigured |
configure  | /must | before | taken   | configuring unconfigured | unconfigured | canceled canceled | unconfigured |
configure  | /must | during | taken   | configuring unconfigured | unconfigured | canceled canceled | unconfigured |
configure  | /must | after  | taken   | configuring unconfigured | unconfigured | canceled canceled | unconfigured |
configure  | /may  | before | taken   | configuring unconfigured | unconfigured | canceled canceled | unconfigured |
configure  | /may  | during | taken   | configuring unconfigured | unconfigured | canceled canceled | unconfigured |
configure  | /may  | after  | taken   | configuring unconfigured | unconfigured | canceled canceled | unconfigured |
configure  | /top  | before | taken   | configuring unconfigured | unconfigured | canceled canceled | unconfigured |
configure  | /top  | during | taken   | configuring unconfigured | unconfigured | canceled canceled | unconfigured |
configure  | /top  | after  | refused | configuring inactive | inactive+ | succeeded done | inactive |
cleanup    | /top  | before | taken   | cleaningup inactive | cleaningup+ inactive+ | canceled canceled | inactive |
cleanup    | /top  | during | taken   | cleaningup inactive | cleaningup+ inactive+ | canceled canceled | inactive |
cleanup    | /top  | after  | taken   | cleaningup inactive | cleaningup+ inactive+ | canceled canceled | inactive |
cleanup    | /must | before | taken   | cleaningup inactive | cleaningup+ inactive+ | canceled canceled | inactive |
cleanup    | /must | during | taken   | cleaningup inactive | cleaningup+ inactive+ | canceled canceled | inactive |
cleanup    | /must | after  | taken   | cleaningup inactive | cleaningup+ inactive+ | canceled canceled | inactive |
cleanup    | /may  | before | taken   | cleaningup inactive | cleaningup+ inactive+ | canceled canceled | inactive |
cleanup    | /may  | during | taken   | cleaningup inactive | cleaningup+ inactive+ | canceled canceled | inactive |
cleanup    | /may  | after  | taken   | cleaningup inactive | cleaningup+ inactive+ | canceled canceled | inactive |
cleanup    | /base | before | taken   | cleaningup inactive | cleaningup+ inactive+ | canceled canceled | inactive |
cleanup    | /base | during | taken   | cleaningup inactive | cleaningup+ inactive+ | canceled canceled | inactive |
cleanup    | /base | after  | refused | cleaningup unconfigured | cleaningup+ unconfigured | succeeded done | unconfigured |
activate   | /base | before | taken   | activating inactive | inactive | canceled canceled | inactive |
activate   | /base | during | taken   | activating inactive | inactive | canceled canceled | inactive |
activate   | /base | after  | taken   | activating inactive | inactive | canceled canceled | inactive |
activate   | /must | before | taken   | activating inactive | inactive | canceled canceled | inactive |
activate   | /must | during | taken   | activating inactive | inactive | canceled canceled | inactive |
activate   | /must | after  | taken   | activating inactive | inactive | canceled canceled | inactive |
activate   | /may  | before | taken   | activating inactive | inactive | canceled canceled | inactive |
activate   | /may  | during | taken   | activating inactive | inactive | canceled canceled | inactive |
activate   | /may  | after  | taken   | activating inactive | inactive | canceled canceled | inactive |
activate   | /top  | before | taken   | activating inactive | inactive | canceled canceled | inactive |
activate   | /top  | during | taken   | activating inactive | inactive | canceled canceled | inactive |
activate   | /top  | after  | refused | activating active | active+ | succeeded done | active |
deactivate | /top  | before | taken   | deactivating active | deactivating+ active+ | canceled canceled | active |
deactivate | /top  | during | taken   | deactivating active | deactivating+ active+ | canceled canceled | active |
deactivate | /top  | after  | taken   | deactivating active | deactivating+ active+ | canceled canceled | active |
deactivate | /must | before | taken   | deactivating active | deactivating+ active+ | canceled canceled | active |
deactivate | /must | during | taken   | deactivating active | deactivating+ active+ | canceled canceled | active |
deactivate | /must | after  | taken   | deactivating active | deactivating+ active+ | canceled canceled | active |
deactivate | /may  | before | taken   | deactivating active | deactivating+ active+ | canceled canceled | active |
deactivate | /may  | during | taken   | deactivating active | deactivating+ active+ | canceled canceled | active |
deactivate | /may  | after  | taken   | deactivating active | deactivating+ active+ | canceled canceled | active |
deactivate | /base | before | taken   | deactivating active | deactivating+ active+ | canceled canceled | active |
deactivate | /base | during | taken   | deactivating active | deactivating+ active+ | canceled canceled | active |
deactivate | /base | after  | refused | deactivating inactive | deactivating+ inactive | succeeded done | inactive |
arm        | /must | before | taken   | arming active | active | canceled canceled | active |
arm        | /must | during | taken   | arming active | active | canceled canceled | active |
arm        | /must | after  | refused | arming armed | armed+ | succeeded done | active active* active* active |
arm        | /may  | before | taken   | arming active | active | canceled canceled | active |
arm        | /may  | during | taken   | arming active | active | canceled canceled | active |
arm        | /may  | after  | refused | arming armed | armed+ | succeeded done | active active* active* active |
disarm     | /must | before | taken   | disarming arming armed | disarming+ armed+ | canceled canceled | active active* active* active |
disarm     | /must | during | taken   | disarming arming armed | disarming+ armed+ | canceled canceled | active active* active* active |
disarm     | /must | after  | refused | disarming active | disarming+ active | succeeded done | active |
disarm     | /may  | before | taken   | disarming arming armed | disarming+ armed+ | canceled canceled | active active* active* active |
disarm     | /may  | during | taken   | disarming arming armed | disarming+ armed+ | canceled canceled | active active* active* active |
disarm     | /may  | after  | refused | disarming active | disarming+ active | succeeded done | active |
shutdown   | /top  | before | refused | shuttingdown finalized | shuttingdown+ finalized | succeeded done | finalized | 0
shutdown   | /top  | during | refused | shuttingdown finalized | shuttingdown+ finalized | succeeded done | finalized | 0
shutdown   | /top  | after  | refused | shuttingdown finalized | shuttingdown+ finalized | succeeded done | finalized | 0
shutdown   | /must | before | refused | shuttingdown finalized | shuttingdown+ finalized | succeeded done | finalized | 0
shutdown   | /must | during | refused | shuttingdown finalized | shuttingdown+ finalized | succeeded done | finalized | 0
shutdown   | /must | after  | refused | shuttingdown finalized | shuttingdown+ finalized | succeeded done | finalized | 0
shutdown   | /may  | before | refused | shuttingdown finalized | shuttingdown+ finalized | succeeded done | finalized | 0
shutdown   | /may  | during | refused | shuttingdown finalized | shuttingdown+ finalized | succeeded done | finalized | 0
shutdown   | /may  | after  | refused | shuttingdown finalized | shuttingdown+ finalized | succeeded done | finalized | 0
shutdown   | /base | before | refused | shuttingdown finalized | shuttingdown+ finalized | succeeded done | finalized | 0
shutdown   | /base | during | refused | shuttingdown finalized | shuttingdown+ finalized | succeeded done | finalized | 0
shutdown   | /base | after  | refused | shuttingdown finalized | shuttingdown+ finalized | succeeded done | finalized | 0
`
