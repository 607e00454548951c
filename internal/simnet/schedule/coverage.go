package schedule

import (
	"fmt"
	"slices"
	"strings"

	"rstate/internal/simnet"
)

// What may happen in the lives that are drawn, as tables of cells. A cell that can occur and has not, in as many lives as
// Enough, is a failure of the drawing: a story of schedule has to be made to draw it.

// Few is how many lives are worth a table. Enough is how many have every cell that can occur.
const (
	Few    = 1000
	Enough = 10_000
)

// Describe is a cell for a person.
func Describe(c simnet.Cell) string {
	text := c.Table + ": " + c.A
	for _, more := range []string{c.B, c.C} {
		if more != "" {
			text += ", " + more
		}
	}
	return text
}

// Coverage counts what happens in lives.
type Coverage = simnet.Coverage

// NewCoverage returns counters for lives of one instance, or of several.
func NewCoverage(peers bool) *simnet.Coverage {
	return &simnet.Coverage{Count: map[simnet.Cell]int{}, Words: wordsOf(peers)}
}

// axes are the tables: each cell is one value of each axis.
type axes struct {
	table   string
	a, b, c []string
	of      byte // a: lives of one instance, p: lives of several
}

var (
	settled = []string{"", "unconfigured", "inactive", "active", "mapping", "armed", "finalized"}
	aims    = []string{"starting", "at rest", "raising", "lowering", "arming", "disarming", "back or repair", "ending",
		"recovery: restore", "recovery: unconfigure", "recovery: shutdown"}
	inputs = strings.Split("Tick,GoalAsked raising,GoalAsked lowering,CancelAsked,NodeSeen,NodeLost,NodeEnded,StateRead,EventHeard,CallAnswered yes,"+
		"CallAnswered no,ArmAnswered arm yes,ArmAnswered arm no,ArmAnswered disarm yes,ArmAnswered disarm no,StopAsked,NameSeen,NameTaken,NameShared,"+
		"ChildSeen,ChildFound,JournalSynced,JournalChanged,LeftAnswered,Stalled,Late,TopicCounted,CheckAnswered,LeaseHeard,LeaseUnsent,UnsafeSeen", ",")
	peerPhases = []string{"not there", "stopped", "reading again", "starting", "unconfigured", "configuring", "inactive", "activating", "active", "arming", "armed",
		"disarming", "deactivating", "cleaningup", "errorprocessing", "shuttingdown", "finalized"}
	acts = strings.Split("Send,Cancel,Kill,Respawn,Freeze,Thaw,Part,Join,Move,Advertise,Publish,Fail,Stop,Stall,Late,Crash,StopClock,StartClock,JumpClock,"+
		"UseClock,SetDisk,OtherLease", ",")
	tables = []axes{
		{table: "input", a: inputs, b: aims, c: settled, of: 'a'},
		{table: "input", a: []string{"PeerChanged", "PeerTold", "PeerLost"}, b: aims, c: settled, of: 'p'},
		{table: "act", a: slices.Concat(acts, []string{"Restart", "Rise", "HoldUp", "Rival", "Share", "Child"}), of: 'a'},
		{table: "act", a: slices.Concat(acts, []string{"Restart", "Rise", "Cut", "Heal", "Plain"}), of: 'p'},
		{table: "id", a: []string{"while it is open", "after its end", "after another transition", "after it was rejected"},
			b: []string{"same command", "another command"}, c: []string{"accepted", "rejected"}, of: 'a'},
		{table: "restart", a: []string{"is killed", "starts", "is stopped"}, b: peerPhases, of: 'p'},
		{table: "file", a: []string{"a node is left out", "a node is added", "a node is not armed", "a node is armed", "another machine", "another simulation",
			"another order of the same nodes"}, b: aims, of: 'a'},
		{table: "step", a: []string{"configure", "activate", "deactivate", "cleanup", "shutdown", "arm", "disarm"},
			b: []string{"done", "refused", "errored", "late", "gone", "unknown", "skipped", "undone"}, of: 'a'},
	}
)

// wordsOf are sentences of the journal that no table has.
func wordsOf(peers bool) []string {
	if peers {
		return []string{"mirrored from", "catching up with", "both take the lower", "peers behind", "superseded by", "follows another machine",
			"speaks without an instance id", "required peers: ", "is driven by", "joins the goal of its id"}
	}
	return []string{"is unresponsive: it left", " answers again", "2 of its name)", "arming asks for authority", "although it is not armed",
		"bears our name", "rstate yields", "Hz, not", "did not answer in", "has not shown for", "is lost: it left 3 questions", "goes on: ",
		"gets the result of the goal of its id", "id used before, for ", "and the state has changed since", "not confirmed to be disarmed",
		"does not count: it is of another", "its process has ended"}
}

// impossible are cells that cannot occur, with the reason. An axis that is empty stands for any value, and | for or.
var impossible = []struct {
	simnet.Cell
	why string
}{}

// can reports whether a cell can occur.
func can(c simnet.Cell) bool {
	fits := func(is, pattern string) bool {
		return pattern == "" || slices.Contains(strings.Split(pattern, "|"), is)
	}
	for _, i := range impossible {
		if fits(c.Table, i.Table) && fits(c.A, i.A) && fits(c.B, i.B) && fits(c.C, i.C) {
			return false
		}
	}
	return true
}

func orNone(axis []string) []string {
	if len(axis) == 0 {
		return []string{""}
	}
	return axis
}

// Cover prints what has happened, a line for each value of the first axis, and returns what can occur and has not.
func Cover(v *simnet.Coverage, peers bool) (table string, missing []simnet.Cell) {
	var b strings.Builder
	of := byte('a')
	if peers {
		of = 'p'
	}
	for _, t := range tables {
		if t.of != of {
			continue
		}
		fmt.Fprintf(&b, "%s: %s\n", t.table, strings.Join(t.b, ", "))
		for _, first := range t.a {
			fmt.Fprintf(&b, "  %-24s", first)
			for _, second := range orNone(t.b) {
				seen, possible, count := 0, 0, 0
				for _, third := range orNone(t.c) {
					c := simnet.Cell{Table: t.table, A: first, B: second, C: third}
					n := v.Count[c]
					count += n
					if n > 0 {
						seen++
					}
					if can(c) {
						if possible++; n == 0 {
							missing = append(missing, c)
						}
					}
				}
				switch {
				case len(t.c) > 0:
					fmt.Fprintf(&b, " %5s", fmt.Sprintf("%d/%d", seen, possible))
				default:
					fmt.Fprintf(&b, " %5d", count)
				}
			}
			b.WriteString("\n")
		}
	}
	for _, words := range wordsOf(peers) {
		c := simnet.Cell{Table: "words", A: words}
		if v.Count[c] == 0 {
			missing = append(missing, c)
		}
	}
	fmt.Fprintf(&b, "words of the journal: %d\n", len(wordsOf(peers)))
	return b.String(), missing
}
