package engine

import (
	"cmp"

	"rstate/internal/machine"
)

// Which commands are legal now, and why a legal one is rejected.

// Barred is a command that the state allows and that would be rejected now.
type Barred struct {
	Command, Why string
}

// legal lists the commands that would be accepted now, in the order of the file, and those that are barred.
func (s *State) legal() (legal []string, barred []Barred) {
	if s.closing.ended != nil || s.closing.stop != nil {
		return nil, nil
	}
	may := len(s.mayBeArmed())+len(s.hold.armedLeftovers()) > 0
	for _, t := range s.machine.Transitions {
		if t.Hidden {
			continue
		}
		t = s.command(t.Name, s.origin())
		switch takes, why := s.takes(t, may); {
		case takes:
			legal = append(legal, t.Name)
		case why != "":
			barred = append(barred, Barred{t.Name, why})
		}
	}
	return legal, barred
}

// takes reports whether a command would be accepted now, and if the state allows it, why not.
func (s *State) takes(t machine.Transition, may bool) (takes bool, why string) {
	switch {
	case !s.startup.named:
		return false, ""
	case t.Always:
		return !s.endsElsewhere(t), ""
	case s.isDisarm(t.Name) && (may || s.settled == "" || s.peers.armedElsewhere()):
		return true, ""
	case s.settled == "" || s.busy():
		return s.interrupts(t.Name), ""
	case s.judge.Can(t.Name):
		why := s.refuses(t)
		return why == "", why
	}
	_, ok := s.repairs(t)
	return ok && !s.armedHere(), ""
}

// refuses says why a legal command is rejected now; empty: it is not.
func (s *State) refuses(t machine.Transition) string {
	return cmp.Or(s.noLoop(t), s.refusesMirrored(t))
}

// refusesMirrored is refuses for a change that a peer has made: this instance may have no loop.
func (co *course) refusesMirrored(t machine.Transition) string {
	return co.refusesWith(co.settled, t, co.lacksOthers(t))
}

// refusesFrom is refuses for a command that begins in a state, perhaps later. Peers have time until then.
func (co *course) refusesFrom(from string, t machine.Transition) string {
	return co.refusesWith(from, t, nil)
}

// refusesWith says why a command is rejected, with what else stands against it; empty: it is not. A command that arms
// gets every reason, also those for which the arming would wait.
func (co *course) refusesWith(from string, t machine.Transition, more []Obstacle) string {
	if co.machine.Lowers(from, t.To) || !co.machine.RaisesFrom(t.Name, from) {
		return obstacleWords(more)
	}
	to, _ := co.machine.State(t.To)
	var list []Obstacle
	switch {
	case to.Armed.Any():
		list = co.againstArming(from, to)
	case !co.intact():
		list = co.strayObstacles()
	default:
		list = co.heldObstacles(to)
	}
	list = append(list, more...)
	switch {
	case !barred(list):
		return ""
	case !co.intact():
		return "the network is not intact, so it is not raised: " + obstacleWords(list)
	}
	return obstacleWords(list)
}
