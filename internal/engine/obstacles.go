package engine

import (
	"strings"

	"rstate/internal/checking"
	"rstate/internal/machine"
)

// What stands against arming, as a list: the door refuses an Arm with it, an arming that has gathered its proofs fails
// with it, and readiness shows it. So what is shown and what Arm does cannot differ.

// Obstacle is one reason against arming.
type Obstacle struct {
	Node string // empty: it is about the network as a whole
	Why  string
	Do   string // what a person can do; empty: Why says it
	Kind ObstacleKind
}

// ObstacleKind says what Arm does with an obstacle.
type ObstacleKind uint8

// The kinds of obstacles.
const (
	// Bars refuses the command.
	Bars ObstacleKind = iota
	// Awaited lets the arming begin. It gathers its proofs anew, and fails if the obstacle is still there.
	Awaited
	// Measured is not decided yet. The arming waits for it.
	Measured
)

func (o Obstacle) String() string {
	text := strings.TrimPrefix(o.Node+" "+o.Why, " ")
	if o.Do != "" {
		text += " (" + o.Do + ")"
	}
	return text
}

// obstacleWords joins obstacles to one sentence, those first that bar the way.
func obstacleWords(list []Obstacle) string {
	var words []string
	for _, kind := range [...]ObstacleKind{Bars, Awaited} {
		for _, o := range list {
			if o.Kind == kind {
				words = append(words, o.String())
			}
		}
	}
	return strings.Join(words, "; ")
}

// barred reports whether one of the obstacles refuses the command.
func barred(list []Obstacle) bool {
	for _, o := range list {
		if o.Kind == Bars {
			return true
		}
	}
	return false
}

// againstArming lists what stands against the way from a state to one that arms, before any request. For a state that
// the network has not reached yet it lists little; it is called again there.
func (co *course) againstArming(from string, to machine.State) []Obstacle {
	// A peer may have nodes that can be armed.
	if why := co.net.Unarmable(to); why != "" && len(co.peers.book.Living()) == 0 {
		return []Obstacle{{Why: why, Do: "add it to one, and start rstate again"}}
	}
	list := co.stopObstacles()
	if !co.intact() {
		list = append(list, co.strayObstacles()...)
	}
	here := from == co.settled
	if names := co.strayArms(from); len(names) > 0 {
		list = append(list, Obstacle{Why: "not known to be disarmed: " + strings.Join(names, ", "),
			Do: "send disarm, or start those that are gone again"})
	}
	for _, o := range [...]Obstacle{
		{Why: co.hold.leftoversForbid(), Do: leftoverDo},
		{Why: co.withoutJournal(co.disk.journal), Do: journalDo},
	} {
		if o.Why != "" {
			list = append(list, o)
		}
	}
	if !here {
		return list
	}
	if why := co.absentToArm(to); why != "" {
		list = append(list, Obstacle{Why: why, Do: "start it"})
	}
	return append(list, co.unmetByAll(to)...)
}

// strayObstacles lists the nodes that are not as the settled state says.
func (ro *roster) strayObstacles() []Obstacle {
	var list []Obstacle
	for i := range ro.nodes {
		if why := ro.strayWords(i); why != "" {
			list = append(list, Obstacle{Why: why, Do: ro.remedy(i)})
		}
	}
	return list
}

// lacksOthers lists the required peers and guards that a command lacks; none if it does not arm.
func (co *course) lacksOthers(t machine.Transition) []Obstacle {
	return append(co.lacksPeers(t), co.guardObstacles(t)...)
}

// unmetByAll lists what Arm would wait for and then fail with: checks that do not pass, and nodes that do not answer.
func (co *course) unmetByAll(to machine.State) []Obstacle {
	var list []Obstacle
	for i := range co.nodes {
		n := &co.nodes[i]
		if !n.there() || n.spec.Optional {
			continue
		}
		if co.net.Arms(to, i) {
			list = append(list, co.serverObstacles(i)...)
		}
		if co.checkable(i) {
			list = append(list, co.unmet(i)...)
		}
		if n.reading.monitor.unresponsive || n.reading.probing.lostAfter > 0 {
			list = append(list, co.unanswering(i))
		}
	}
	return append(list, co.againstOptional(to)...)
}

// unmet lists the checks of node i that forbid to arm, decided or not.
func (ro *roster) unmet(i int) []Obstacle {
	n := &ro.nodes[i]
	var list []Obstacle
	for k := range n.checks {
		c := &n.checks[k]
		if !c.spec.Enters() {
			continue
		}
		v := ro.judgeCheck(i, k)
		if v.Fault == "" {
			continue
		}
		o := Obstacle{Node: n.spec.Name, Why: checkWords + c.spec.Subject() + " " + v.Fault,
			Do: checking.Advice(c.spec, n.spec.Name), Kind: Awaited}
		if !v.Known {
			o.Kind, o.Do = Measured, waitForThat
		}
		list = append(list, o)
	}
	return list
}

// checkWords stand before the reason of a check.
const checkWords = "does not pass its check: "

// againstOptional lists what stands against the optional nodes that a state arms, if it arms no other one: an arming
// leaves out an optional node, but not all that it would arm. It lists nothing if one of them would be armed.
func (co *course) againstOptional(to machine.State) []Obstacle {
	if len(co.peers.book.Living()) > 0 {
		return nil
	}
	var list []Obstacle
	for _, i := range co.armable {
		n := &co.nodes[i]
		if !n.there() || !co.net.Arms(to, i) {
			continue
		}
		against := co.leavesOut(i)
		if !n.spec.Optional || len(against) == 0 {
			return nil
		}
		list = append(list, against...)
	}
	return list
}

// leavesOut lists why an arming would leave out optional node i as it is.
func (ro *roster) leavesOut(i int) []Obstacle {
	n := &ro.nodes[i]
	var list []Obstacle
	switch {
	case n.place.deviant != "":
		list = append(list, Obstacle{Node: n.spec.Name, Why: n.place.deviant, Do: ro.remedy(i), Kind: Awaited})
	case n.reading.monitor.unresponsive:
		list = append(list, ro.unanswering(i))
	}
	for _, o := range ro.serverObstacles(i) {
		o.Kind = Awaited // the arming may do without this node
		list = append(list, o)
	}
	if !ro.checkable(i) {
		return list
	}
	for _, o := range ro.unmet(i) {
		if o.Kind == Awaited {
			list = append(list, o)
		}
	}
	return list
}

// unanswering is the obstacle of a node that does not answer: an arming reads it anew.
func (ro *roster) unanswering(i int) Obstacle {
	return Obstacle{Node: ro.nodes[i].spec.Name, Why: unresponsiveWords, Do: startAgain, Kind: Awaited}
}

// judgeChecks gives up every node whose checks do not pass. A check that stays undecided does not
// pass.
func (co *course) judgeChecks() {
	co.work.arm.judged = true
	co.judgePeers()
	co.judgeGuards()
	for _, i := range co.checked {
		n := &co.nodes[i]
		if !n.there() || n.part.status == partNone {
			continue
		}
		faults := co.faults(i)
		if len(faults) == 0 {
			continue
		}
		v := VerdictRefused
		if n.part.status == partGivenUp { // a lost node ends the arming at once
			v, faults = n.part.result.verdict, append([]string{n.part.result.evidence}, faults...)
		}
		if !n.part.open() {
			co.reopen(i)
		}
		co.giveUpWith(i, v, "is not fit to arm: "+strings.Join(faults, ", "), "") // each fault has its advice
	}
	co.blameLeftOut()
}

// faults lists the reasons against arming with node i as it is. An undecided check is a reason.
func (ro *roster) faults(i int) []string {
	var list []string
	for _, o := range ro.unmet(i) {
		o.Node, o.Why = "", strings.TrimPrefix(o.Why, checkWords)
		list = append(list, o.String())
	}
	if ro.offersUnarmed(i) {
		list = append(list, advised(ro.exposed(i, machine.State{}), exposedDo))
	}
	return list
}

// failingNow lists the checks of node i that do not pass and count now, each with its reason.
func (co *course) failingNow(i int) []string {
	if !co.checkable(i) || co.proving() {
		return co.failing(i)
	}
	var list []string
	for _, o := range co.unmet(i) {
		if o.Kind == Awaited {
			list = append(list, strings.TrimPrefix(o.Why, checkWords))
		}
	}
	return list
}
