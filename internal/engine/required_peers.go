package engine

import (
	"strings"

	"rstate/internal/machine"
	"rstate/internal/mirror"
)

// Required peers: the conditions before arming, and what follows if a peer no longer meets them.

// needsPeers reports whether required peers have to prove themselves now.
func (co *course) needsPeers() bool {
	return len(co.net.Peers.Required) > 0 && co.proving() && co.closing.ended == nil
}

// unfitPeers lists the reasons of required peers against being in an armed state.
func (pe *peering) unfitPeers(ag *agenda, armed string) []mirror.Unfit {
	if len(pe.net.Peers.Required) == 0 {
		return nil
	}
	return pe.book.Unfit(ag.now.Steady, pe.machine.Disarmed(armed))
}

// lacksPeers lists the required peers that forbid a command; none if it does not arm.
func (le *league) lacksPeers(t machine.Transition) []Obstacle {
	if to, _ := le.machine.State(t.To); !to.Armed.Any() || t.To == le.settled {
		return nil
	}
	var list []Obstacle
	for _, u := range le.peers.unfitPeers(&le.agenda, t.To) {
		list = append(list, Obstacle{Why: "required peer " + u.String(), Do: u.Do})
	}
	return list
}

func sentence(list []mirror.Unfit) string {
	if len(list) == 0 {
		return ""
	}
	words := make([]string, len(list))
	for k, u := range list {
		words[k] = u.String()
	}
	return "required peers: " + strings.Join(words, "; ")
}

// allowPeers gives required peers time to reach the state where arming begins: they have just
// learnt of the command before it.
func (co *course) allowPeers() {
	if w := co.work; w.arms && len(co.net.Peers.Required) > 0 {
		w.arm.peersBy = co.now.Steady + co.net.Peers.Deadline
		co.wakeWhole(w.arm.peersBy)
	}
}

// peersPending reports whether arming still waits for a required peer.
func (co *course) peersPending() bool {
	w := co.work
	return co.now.Steady < w.arm.peersBy && len(co.peers.unfitPeers(&co.agenda, w.target)) > 0
}

// judgePeers fails an arming whose required peers are not fit.
func (co *course) judgePeers() {
	for _, u := range co.peers.unfitPeers(&co.agenda, co.work.target) {
		v := VerdictRefused
		if u.Lost {
			v = VerdictGone
		}
		co.work.fault.blame = append(co.work.fault.blame, NodeResult{Node: u.Name, Verdict: v, Evidence: advised(u.Why, u.Do)})
		co.work.fault.failing = true
	}
}

// disarmForPeers disarms, or ends an arming, if a required peer is no longer fit, and reports
// whether it did. A command from a peer is followed first.
func (s *State) disarmForPeers() bool {
	if !s.needsPeers() || s.closing.stop != nil {
		return false
	}
	switch w := s.work; {
	case w != nil && w.phase != reconciling:
		if !w.arm.judged || w.fault.failing {
			return false
		}
		s.judgePeers()
		return w.fault.failing
	default:
		if list := s.peers.unfitPeers(&s.agenda, s.settled); len(list) > 0 {
			s.disarmForSafety(sentence(list))
		}
		return s.busy()
	}
}
