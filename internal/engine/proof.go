package engine

import (
	"fmt"
	"time"
)

// Proofs: while something is armed a node has to show again and again that it is as it should be. A node that can be armed,
// or has a `probe:`, is asked; what others do is announced or seen in the graph.

const (
	probesPerProof = 5                     // so many questions may go without an answer before the proof is too old
	probeFloor     = 10 * time.Millisecond // the least time between two questions
	probesLost     = 3                     // so many that failed in a row make a node lost
	probeFails     = time.Second           // the least time after which one has failed
)

// probing is how one node is asked again and again.
type probing struct {
	last   time.Duration // when it was asked last
	heard  time.Duration // when anything came of the process
	missed int           // questions in a row after which nothing came
	left   int           // how many there were when it was taken for lost; 0: it is not
}

// asks says whether the node is probed while something is armed. Only a lifecycle node can say where it is.
func (n *node) asks() bool { return n.spec.Lifecycle && (n.spec.Arm != nil || n.spec.Probe > 0) }

// proving says whether nodes have to prove themselves now: the network is armed, or about to be.
func (s *State) proving() bool {
	if s.work != nil && !s.work.phase.rests {
		return s.work.proves()
	}
	here, _ := s.machine.State(s.settled)
	return here.Armed.Any()
}

// probeEvery is how often node i is asked where it is; 0: it is not.
func (s *State) probeEvery(i int) time.Duration {
	n := &s.nodes[i]
	every := n.spec.Probe
	switch {
	case !n.asks() || s.settled == "" || s.closing.ended != nil:
		return 0
	case s.proving() && every > 0:
		every = min(every, s.net.Proof/probesPerProof)
	case s.proving():
		every = s.net.Proof / probesPerProof
	case every == 0:
		return 0
	}
	return max(every, probeFloor)
}

// probe asks node i where it is, if it is time.
func (s *State) probe(i int) {
	n := &s.nodes[i]
	p := &n.probing
	every := s.probeEvery(i)
	if every == 0 || !n.there() {
		p.missed = 0
		return
	}
	if next := p.last + every; p.last > 0 && s.now.Steady < next {
		s.at(i, next)
		return
	}
	s.missed(i, every)
	p.last = s.now.Steady
	s.at(i, s.now.Steady+every)
	if n.call != nil {
		return // it may be busy with what we asked for
	}
	s.ask(i, false)
}

// proven notes that node i has a new proof, whoever asked for it: the moment at which that is too old is looked at, and not
// only the next question after it.
func (s *State) proven(i int) {
	if n := &s.nodes[i]; n.asks() && s.proving() {
		s.at(i, max(n.proof, n.arm.Vouched())+s.net.Proof+1)
	}
}

// missed counts questions that were not answered, while nothing is armed and nothing is asked of the node that it could be
// busy with.
func (s *State) missed(i int, every time.Duration) {
	n := &s.nodes[i]
	p := &n.probing
	if p.last == 0 || p.heard >= p.last || n.call != nil || n.arm.Open() || s.busy() || s.proving() {
		p.missed = 0
		return
	}
	p.missed++
	if p.missed >= probesLost && s.now.Steady-p.heard >= probesLost*max(every, probeFails) && p.left == 0 {
		p.left, n.mending.lost = p.missed, true
		s.report.changed = true
		s.touch(i)
	}
}

// heardFrom notes that a process has shown that it lives.
func (s *State) heardFrom(i int) {
	p := &s.nodes[i].probing
	p.heard, p.missed = s.now.Steady, 0
	s.suspected(i)
	if p.left > 0 {
		p.left = 0
		s.report.changed = true
		s.touch(i)
	}
}

// proofAge is the age of the newest proof that node i is where it is believed to be; ok is false where there is none, or
// none is needed.
func (s *State) proofAge(i int) (age time.Duration, ok bool) {
	n := &s.nodes[i]
	if !n.asks() || !n.there() || n.proof == 0 {
		return 0, false
	}
	return s.now.Steady - n.proof, true
}

// stale says why node i has not proven lately enough that it is as it should be; empty: it has. One that is just being
// asked to arm may be busy with that, and gets as long again to show itself after it.
func (s *State) stale(i int) string {
	n := &s.nodes[i]
	if !n.asks() || !n.there() || n.arm.Open() || s.rereadsLate() {
		return ""
	}
	age := s.now.Steady - max(n.proof, n.arm.Vouched())
	if age <= s.net.Proof {
		return ""
	}
	return fmt.Sprintf("has not shown for %v that it is %v", age.Round(time.Millisecond), n.state)
}

// unfit says why node i, as it should be as far as is known, may not stay armed or let others be; empty: it may.
func (s *State) unfit(i int) string {
	if why := s.stale(i); why != "" {
		return why
	}
	if list := s.failing(i); len(list) > 0 {
		return "does not pass its check: " + list[0]
	}
	return ""
}

// unproven says whether somebody still owes the proof with which armed may be said to be true.
func (s *State) unproven() bool {
	for i := range s.nodes {
		n := &s.nodes[i]
		if age, ok := s.proofAge(i); n.asks() && n.there() && n.leg.verdict == VerdictDone && (!ok || age > s.net.Proof) {
			return true
		}
	}
	return false
}

// oldestProof is when the oldest of the proofs was made that the network's being armed rests on. Who is just being asked to
// arm is not counted: it is not armed yet, and may be busy. A yes to that is a proof from when it was asked.
func (s *State) oldestProof() time.Duration {
	oldest := s.now.Steady
	for i := range s.nodes {
		n := &s.nodes[i]
		if !n.asks() || !n.there() || n.arm.Open() || (n.spec.Optional && !n.wasArmed) {
			continue
		}
		proof := n.proof
		if n.arm.Vouched() > 0 {
			proof = max(proof, n.arm.ArmSentAt())
		}
		oldest = min(oldest, proof)
	}
	return oldest
}
