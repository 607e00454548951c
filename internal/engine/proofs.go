package engine

import (
	"fmt"
	"slices"
	"time"

	"rstate/internal/network"
	"rstate/internal/patient"
)

// Proofs: while something is armed, each node has to show repeatedly that it is as it should be.
// The daemon asks nodes with `arm:` or `probe:`. Other nodes announce their changes, or the graph
// shows them.

const (
	// So many reads may stay unanswered before the proof is too old.
	probesPerProof = 5
	probeFloor     = 10 * time.Millisecond        // least time between two reads
	probesLost     = 3                            // failed reads in a row that make a node lost
	probeFails     = time.Second * patient.Factor // least time after which a read has failed
)

// probing is the state of the probes of one node.
type probing struct {
	last      time.Duration // when the newest probe was sent
	heard     time.Duration // when anything was heard from the process
	missed    int           // failed probes in a row
	lostAfter int           // missed when the node was declared lost; 0: it is not
}

// asks reports whether the daemon probes the node while something is armed. Only a lifecycle node
// can report its state.
func (n *node) asks() bool {
	return n.spec.Lifecycle && (n.spec.Arm != nil || n.spec.Probe > 0 || len(n.spec.Serves) > 0)
}

// proving reports whether nodes have to prove themselves now: the network is armed, or about to be.
func (co *course) proving() bool {
	if co.busy() {
		return co.work.proves()
	}
	return co.armedHere()
}

// probeEvery is the time between two probes of node i; 0: the daemon does not probe it.
func (co *course) probeEvery(i int) time.Duration {
	n := &co.nodes[i]
	every := n.spec.Probe
	switch {
	case !n.asks() || co.settled == "" || co.closing.ended != nil:
		return 0
	case co.proving() && every > 0:
		every = min(every, co.net.Proof/probesPerProof)
	case co.proving():
		every = co.net.Proof / probesPerProof
	case every == 0:
		return 0
	}
	return max(every, probeFloor)
}

// probe reads the state of node i if a probe is due.
func (co *course) probe(i int) {
	n := &co.nodes[i]
	p := &n.reading.probing
	every := co.probeEvery(i)
	if every == 0 || !n.there() {
		p.missed = 0
		return
	}
	if p.last > 0 && co.waitUntil(i, p.last+every) {
		return
	}
	co.missed(i, every)
	p.last = co.now.Steady
	co.at(i, co.now.Steady+every)
	if n.call != nil {
		return // the node may be busy with our request
	}
	co.ask(i, false)
}

// noteProof notes a new proof of node i, whatever asked for it. It schedules a look at the moment when
// the proof is too old, not only at the next probe.
func (co *course) noteProof(i int) {
	if n := &co.nodes[i]; n.asks() && co.proving() {
		co.at(i, max(n.provenAt, n.armVouched())+co.net.Proof+1)
	}
}

// missed counts unanswered probes while nothing is armed and no request is open with which the node
// could be busy.
func (co *course) missed(i int, every time.Duration) {
	n := &co.nodes[i]
	p := &n.reading.probing
	if p.last == 0 || p.heard >= p.last || n.call != nil || co.armOpen(i) || co.busy() || co.proving() {
		p.missed = 0
		return
	}
	p.missed++
	if p.missed >= probesLost && co.now.Steady-p.heard >= probesLost*max(every, probeFails) && p.lostAfter == 0 {
		p.lostAfter, n.place.repairs.lost = p.missed, true
		co.changed = true
		co.touch(i)
	}
}

// heardFrom notes that a process has shown that it lives.
func (co *course) heardFrom(i int) {
	p := &co.nodes[i].reading.probing
	p.heard, p.missed = co.now.Steady, 0
	co.suspected(i)
	if p.lostAfter > 0 {
		p.lostAfter = 0
		co.changed = true
		co.touch(i)
	}
}

// proofAge is the age of the newest proof that node i is in the believed state. ok is false if
// there is no proof, or none is needed.
func (ro *roster) proofAge(i int) (age time.Duration, ok bool) {
	n := &ro.nodes[i]
	if !n.asks() || !n.there() || n.provenAt == 0 {
		return 0, false
	}
	return ro.now.Steady - n.provenAt, true
}

// stale says why the proof of node i is too old; empty: it is not. A node that is being asked to
// arm may be busy with that, and gets as long again afterwards.
func (co *course) stale(i int) string {
	n := &co.nodes[i]
	if !n.asks() || !n.there() || co.busyArming(i) || co.rereadsLate() {
		return ""
	}
	newest := max(n.provenAt, n.armVouched())
	if n.spec.Optional { // one that appears while others are armed gets time for its first proof
		newest = max(newest, n.reading.several)
	}
	if co.now.Steady-newest <= co.net.Proof {
		return ""
	}
	return "has not shown for more than " + co.net.Proof.String() + " that it is " + n.state.String()
}

// busyArming reports whether the process of node i may be busy with the newest request to arm or disarm, its own or that
// of a node whose arm it serves.
func (ro *roster) busyArming(i int) bool { return slices.ContainsFunc(ro.serves[i], ro.busyServing) }

// busyServing reports whether what serves the arm of node i may be busy with the newest request. When the
// deadline of that request has passed, or the node was given up, it owes its proofs like any other,
// because it may be armed.
func (ro *roster) busyServing(i int) bool {
	n := &ro.nodes[i]
	allow := n.spec.Deadline.Arm
	if n.arm.ToDisarm() {
		allow = n.spec.Deadline.Disarm
	}
	return n.arm.Open() && n.part.status != partGivenUp && ro.waitUntil(i, n.arm.Sent()+allow+1)
}

// unfit says why node i may not stay armed, or keeps others from being armed, although its state is
// right; empty: it does not.
func (co *course) unfit(i int) string {
	if why := co.stale(i); why != "" {
		return why
	}
	if why := co.nodes[i].unfitServer(); why != "" {
		return why
	}
	if list := co.failing(i); len(list) > 0 {
		return "does not pass its check: " + list[0]
	}
	return ""
}

// unproven reports whether some node still owes the proof that armed rests on.
func (ro *roster) unproven() bool {
	for i := range ro.nodes {
		n := &ro.nodes[i]
		if age, ok := ro.proofAge(i); n.asks() && n.there() && n.part.result.verdict == VerdictDone &&
			(!ok || age > ro.net.Proof) {
			return true
		}
	}
	return false
}

// oldestProof is the time of the oldest proof on which the armed network rests.
func (ro *roster) oldestProof() time.Duration {
	oldest, _ := ro.oldestProver()
	return oldest
}

// oldestProver is the time of the oldest proof on which the armed network rests, and the name of its node;
// empty: the daemon asks no node for a proof. A node that is
// being asked to arm does not count: it is not armed yet, and may be busy. Its yes is a proof from
// the time of the request.
func (ro *roster) oldestProver() (oldest time.Duration, name string) {
	oldest = ro.now.Steady
	for i := range ro.nodes {
		n := &ro.nodes[i]
		spared := n.spec.Optional && !n.place.wasArmed && n.arm.Belief() == Disarmed
		if !n.asks() || !n.there() || ro.busyArming(i) || spared {
			continue
		}
		proof := n.provenAt
		if n.armVouched() > 0 {
			proof = max(proof, n.arm.ArmSentAt())
		}
		if n.spec.Optional && n.arm.Belief() == MayBeArmed {
			proof = max(proof, n.reading.several)
		}
		if name == "" || proof < oldest {
			oldest, name = min(oldest, proof), n.spec.Name
		}
	}
	return oldest, name
}

// unwatched names the required nodes that the daemon does not probe while others are armed; empty:
// none, or nothing is armed.
func (co *course) unwatched() string {
	if !co.holds() {
		return ""
	}
	names := co.named(func(n *node) bool { return n.there() && n.spec.Unwatched() })
	if len(names) == 0 {
		return ""
	}
	return network.UnwatchedWords(names, fmt.Sprintf("%.0f s", co.silent().Seconds()))
}
