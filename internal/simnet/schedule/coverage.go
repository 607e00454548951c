package schedule

import (
	"fmt"
	"slices"
	"strings"

	"rstate/internal/simnet"
)

// What may happen in the lives that are drawn, as tables of cells. A cell that can occur and has not, in as many lives
// as Enough, is a failure of the drawing: a story of schedule has to be made to draw it.

// Few is how many lives are worth a table. Enough is how many have every cell that can occur.
const (
	Few    = 1000
	Enough = 10_000
)

// Describe names a cell of the coverage table.
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
	settled = []string{"", "unconfigured", "inactive", "active", "armed", "finalized"}
	aims    = []string{"starting", "at rest", "raising", "lowering", "arming", "disarming", "back or repair", "ending",
		"recovery: restore", "recovery: unconfigure", "recovery: shutdown"}
	inputs = strings.Split("Tick,GoalAsked raising,GoalAsked lowering,CancelAsked,NodeSeen,NodeLost,NodeEnded,StateRead,EventHeard,CallAnswered yes,"+
		"CallAnswered no,ArmAnswered arm yes,ArmAnswered arm no,ArmAnswered disarm yes,ArmAnswered disarm no,StopAsked,NameSeen,NameTaken,NameShared,"+
		"ChildSeen,ChildFound,JournalSynced,JournalChanged,LeftoverAnswered,Stalled,Late,TopicCounted,CheckAnswered,LeaseHeard,LeaseUnsent,UnsafeSeen", ",")
	peerPhases = []string{"not there", "stopped", "reading again", "starting", "unconfigured", "configuring",
		"inactive", "activating", "active", "arming", "armed",
		"disarming", "deactivating", "cleaningup", "errorprocessing", "shuttingdown", "finalized"}
	acts = strings.Split("Send,Cancel,Kill,Respawn,Freeze,Thaw,Part,Join,Move,Advertise,Publish,Fail,Stop,Stall,Late,Crash,StopClock,StartClock,EndClock,JumpClock,"+
		"UseClock,SetDisk,OtherLease,Press,Hush,Garble,KillButton,UnplugButton,PlugButton,AddButton,Acknowledge", ",")
	tables = []axes{
		{table: "input", a: inputs, b: aims, c: settled, of: 'a'},
		{table: "input", a: []string{"PeerChanged", "PeerTold", "PeerLost"}, b: aims, c: settled, of: 'p'},
		{table: "act", a: slices.Concat(acts,
			[]string{"CancelOpen", "Restart", "Rise", "HoldUp", "Rival", "Share", "Child", "LateGoal",
				"Hold"}), of: 'a'},
		{table: "wait", a: []string{"a goal that arms"}, b: []string{"accepted", "rejected"}, of: 'a'},
		{table: "wait", a: []string{"a message of a node"}, of: 'a'},
		{table: "server", a: []string{"starts", "ends", "hangs", "goes on", "refuses", "agrees"},
			b: []string{"by name", "beside its node"}, of: 'a'},
		{table: "act", a: slices.Concat(acts, []string{"Restart", "Rise", "Cut", "Heal", "Plain"}), of: 'p'},
		{table: "id", a: []string{"while it is open", "after its end", "after another transition",
			"after it was rejected"},
			b: []string{"same command", "another command"}, c: []string{"accepted", "rejected"}, of: 'a'},
		{table: "restart", a: []string{"is killed", "starts", "is stopped"}, b: peerPhases, of: 'p'},
		{table: "stop", a: []string{"latched", "acknowledged", "refused"}, of: 'a'},
		{table: "stop", a: []string{"latched", "acknowledged", "refused"}, of: 'p'},
		{table: "file", a: []string{"a node is left out", "a node is added", "a node is not armed", "a node is armed",
			"another machine", "another simulation",
			"another order of the same nodes"}, b: aims, of: 'a'},
		{table: "step", a: []string{"configure", "activate", "deactivate", "cleanup", "shutdown", "arm", "disarm"},
			b: []string{"done", "refused", "errored", "late", "gone", "unknown", "skipped", "undone"}, of: 'a'},
	}
)

// wordsOf are sentences of the journal that no table has.
func wordsOf(peers bool) []string {
	if peers {
		return []string{"mirrored from", "catching up with", "both go to", "peers behind", "superseded by",
			"follows another machine",
			"speaks without an instance id", "required peer", "is driven by", "joins the goal of its id"}
	}
	return []string{"is unresponsive: it left", " answers again", "times: end all but one", "arming asks for authority",
		"although it is not armed",
		"rstate yields", "Hz, not", "did not answer in", "has not shown for", "is lost: it left 3 questions",
		"goes on: ",
		"gets the result of the goal of its id", "id used before, for ", "and the state has changed since",
		"not confirmed to be disarmed",
		"its process has ended"}
}

const (
	recoveries = "recovery: restore|recovery: unconfigure|recovery: shutdown"
	working    = "raising|lowering|arming|disarming|back or repair|" + recoveries
)

// exempt are cells that need not occur: not at all, or not in fewer than so many lives. An axis that is empty stands
// for any value, and | for or.
var exempt = []struct {
	simnet.Cell
	lives uint64
	why   string
}{
	{simnet.Cell{Table: "input", B: "starting", C: "unconfigured|inactive|active|armed|finalized"}, never,
		"S2: nothing has settled before the start has ended"},
	{simnet.Cell{Table: "input", B: working, C: "|finalized"}, never,
		"before the first state only a start or an end runs, after the last nothing"},
	{simnet.Cell{Table: "input", B: "at rest", C: "|"}, never, "S2: until a state has settled the network is starting"},
	{simnet.Cell{Table: "input", B: "raising", C: "armed"}, never, "nothing is above armed"},
	{simnet.Cell{Table: "input", B: "lowering", C: "unconfigured|armed"}, never,
		"unconfigured is the lowest; from armed it is a disarming"},
	{simnet.Cell{Table: "input", B: "arming", C: "unconfigured|inactive|armed"}, never,
		"C5, M1: armed is entered from its disarmed state"},
	{simnet.Cell{Table: "input", B: "disarming", C: "unconfigured|inactive|active"}, never,
		"only what is armed is disarmed by a transition"},
	{simnet.Cell{Table: "input", B: "ending", C: "finalized"}, never, "an end that has settled is at rest"},
	{simnet.Cell{Table: "input", B: recoveries, C: "armed"}, never, "A4: what is armed is disarmed first"},
	{simnet.Cell{Table: "input", B: "recovery: unconfigure", C: "unconfigured"}, seldom,
		"F1: mostly the state to restore is the same"},
	{simnet.Cell{Table: "input", A: "GoalAsked lowering", C: "|finalized"}, never,
		"nothing is below, or nothing is known"},
	{simnet.Cell{Table: "step", A: "shutdown", B: "skipped|undone"}, never,
		"F5: every node is shut down, and nothing is undone"},
	{simnet.Cell{Table: "step", A: "arm", B: "undone"}, never, "what was armed is disarmed by a step of its own"},

	{simnet.Cell{Table: "input", A: "ArmAnswered arm yes|ArmAnswered arm no|ArmAnswered disarm no|LeftoverAnswered",
		B: "starting|at rest|ending|" + working}, seldom,
		"an answer that outlives its work takes several losses in one life"},
	{simnet.Cell{Table: "input", A: "CallAnswered yes|CallAnswered no|EventHeard", B: "disarming|back or repair",
		C: "armed"}, seldom, "every step has ended before the network is armed"},
	{simnet.Cell{Table: "input", A: "TopicCounted|CheckAnswered", C: "|unconfigured|inactive|finalized"}, seldom,
		"A1: checks are looked at from active up; what comes then is late"},
	{simnet.Cell{Table: "input", A: "TopicCounted|CheckAnswered|JournalSynced",
		B: "raising|recovery: unconfigure|recovery: shutdown|ending"}, seldom,
		"nothing is checked, kept or armed then; what comes is late"},
	{simnet.Cell{Table: "input", A: "LeaseUnsent",
		B: "starting|raising|lowering|disarming|ending|back or repair|" + recoveries}, seldom,
		"A6: the lease is renewed while the network is armed"},
	{simnet.Cell{Table: "input", A: "LeaseUnsent", B: "at rest", C: "unconfigured|inactive|active|finalized"}, seldom,
		"A6: the same"},
	{simnet.Cell{Table: "input", B: "ending", C: "|armed"}, seldom, "S1, A4: such an end is over at once"},
	{simnet.Cell{Table: "step", A: "arm|disarm", B: "errored|unknown"}, seldom,
		"A3: a request to arm or disarm is answered, or late"},

	{simnet.Cell{Table: "input", B: "recovery: unconfigure|recovery: shutdown"}, rare, "the lower rungs are short"},
	{simnet.Cell{Table: "input", B: "back or repair", C: "armed"}, rare, "A5: a disarm that turns back is short"},
	{simnet.Cell{Table: "input", B: "raising", C: "active"}, rare, "only machines with modes raise from active"},
	{simnet.Cell{Table: "input", B: "ending"}, rare, "the network ends once in a life"},
	{simnet.Cell{Table: "input", A: "NameSeen|NameTaken|NameShared|ChildSeen|ChildFound|UnsafeSeen|LeaseHeard|JournalChanged|CheckAnswered", B: working}, rare, "these come seldom, and not in each of the short phases"},
	{simnet.Cell{Table: "input", A: "NameSeen|NameTaken|NameShared", B: "recovery: shutdown"}, rarest,
		"both come seldom"},
	{simnet.Cell{Table: "input", A: "CallAnswered no|ArmAnswered disarm yes", B: "at rest", C: "armed"}, rare,
		"what is armed is asked for nothing but proofs"},
	{simnet.Cell{Table: "file", B: "lowering|disarming|ending|recovery: restore"}, rare,
		"the file is read in a moment of what is short"},
	{simnet.Cell{Table: "file", B: "recovery: unconfigure|recovery: shutdown"}, seldom, "the same"},
	{simnet.Cell{Table: "input", A: "ArmAnswered disarm yes", B: "raising", C: "active"}, seldom,
		"only machines with modes raise from active, and what is not disarmed there holds them up"},
	{simnet.Cell{Table: "step", A: "arm|disarm", B: "skipped|gone"}, rare, "arming is over before"},
}

const (
	never  = 1 << 63 // where it happens, this list is wrong
	seldom = 1 << 62 // it may happen, and is counted
	rare   = 50_000
	rarest = 500_000
)

func after(c simnet.Cell) (lives uint64) {
	fits := func(is, pattern string) bool {
		return pattern == "" || slices.Contains(strings.Split(pattern, "|"), is)
	}
	lives = Enough
	for _, e := range exempt {
		if fits(c.Table, e.Table) && fits(c.A, e.A) && fits(c.B, e.B) && fits(c.C, e.C) {
			lives = max(lives, e.lives)
		}
	}
	return lives
}

func orNone(axis []string) []string {
	if len(axis) == 0 {
		return []string{""}
	}
	return axis
}

// Cover prints what has happened in so many lives, a line for each value of the first axis, and returns what should
// have and has not.
func Cover(v *simnet.Coverage, lives uint64, peers bool) (table string, missing []simnet.Cell) {
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
					needs := after(c)
					if needs < seldom || n > 0 {
						possible++
					}
					if n == 0 && lives >= needs || n > 0 && needs == never {
						missing = append(missing, c)
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
		if v.Count[c] == 0 && lives >= Enough {
			missing = append(missing, c)
		}
	}
	fmt.Fprintf(&b, "words of the journal: %d\n", len(wordsOf(peers)))
	return b.String(), missing
}
