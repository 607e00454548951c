package engine

import (
	"strings"

	"rstate/internal/machine"
	"rstate/internal/mirror"
)

// Required peers: the conditions before arming, and what follows if a peer no longer meets them.

// needsPeers reports whether required peers have to prove themselves now.
func (s *State) needsPeers() bool {
	return len(s.net.Peers.Required) > 0 && s.proving() && s.closing.ended == nil
}

// unfitPeers lists the reasons of required peers against being in an armed state.
func (s *State) unfitPeers(armed string) []mirror.Unfit {
	if len(s.net.Peers.Required) == 0 {
		return nil
	}
	return s.peers.book.Unfit(s.now.Steady, s.machine.Disarmed(armed))
}

// lacksPeers says which required peers forbid a command; empty: none does, or it does not arm.
func (s *State) lacksPeers(t machine.Transition) string {
	if to, _ := s.machine.State(t.To); !to.Armed.Any() || t.To == s.settled {
		return ""
	}
	return sentence(s.unfitPeers(t.To))
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
func (s *State) allowPeers() {
	if w := s.work; w.arms && len(s.net.Peers.Required) > 0 {
		w.arm.peersBy = s.now.Steady + s.net.Peers.Deadline
		s.wakeWhole(w.arm.peersBy)
	}
}

// peersPending reports whether arming still waits for a required peer.
func (s *State) peersPending() bool {
	w := s.work
	return s.now.Steady < w.arm.peersBy && len(s.unfitPeers(w.target)) > 0
}

// judgePeers fails an arming whose required peers are not fit.
func (s *State) judgePeers() {
	for _, u := range s.unfitPeers(s.work.target) {
		v := VerdictRefused
		if u.Lost {
			v = VerdictGone
		}
		s.work.fault.blame = append(s.work.fault.blame, NodeResult{Node: u.Name, Verdict: v, Evidence: u.Why})
		s.work.fault.failing = true
	}
}

// watchRequired disarms, or ends an arming, if a required peer is no longer fit, and reports
// whether it did. A command from a peer is followed first.
func (s *State) watchRequired() bool {
	if !s.needsPeers() || s.closing.stop != nil {
		return false
	}
	switch w := s.work; {
	case w != nil && !w.phase.rests:
		if !w.arm.judged || w.fault.failing {
			return false
		}
		s.judgePeers()
		return w.fault.failing
	default:
		if list := s.unfitPeers(s.settled); len(list) > 0 {
			s.disarmForSafety(sentence(list))
		}
		return s.busy()
	}
}
