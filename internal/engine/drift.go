package engine

import (
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/network"
)

// What the network file wants done with a node that strayed or was lost.

// choosePolicy returns the policy that applies now to a node that deviates, and notes that it is applied.
func (ro *roster) choosePolicy(i int) network.Policy {
	n := &ro.nodes[i]
	m := &n.place.repairs
	policy := ro.policyOf(n)
	switch {
	case n.misled() != "":
		return network.Report
	case policy != network.ToError && ro.heldDown(i):
		return network.Report
	case n.joinsLate():
		m.epoch = n.epoch
		return network.Restore
	case n.spec.Optional && n.place.fell.with == 0, n.owesDisarm(), !n.curable(policy):
		return network.Report
	}
	ro.forgetTries(i)
	if !ro.mayTry(i) {
		return network.Report
	}
	m.told = policy == network.ToError
	if n.wasLost() {
		m.owed, m.drift = "", 0
	} else {
		m.drift = ro.now.Steady
	}
	return policy
}

// joinsLate reports whether an optional node has a new process, which is to be brought to its
// place.
func (n *node) joinsLate() bool {
	return n.spec.Lifecycle && n.spec.Optional && n.spec.Late == network.Join && n.readable() &&
		n.place.repairs.epoch != n.epoch
}

// curable reports whether a policy can be applied to the node as it is.
func (n *node) curable(policy network.Policy) bool {
	switch policy {
	case network.Restore:
		return n.readable() && n.spec.Lifecycle && n.state != lifecycle.Finalized
	case network.ToError:
		return !n.place.repairs.told && (n.firm || !n.there()) && (n.there() || n.absence.lost != "")
	}
	return false
}

// policyOf returns on_loss for a node that was lost, on_loss of the node with which it went down, and on_drift for
// a node that strayed.
func (f *facts) policyOf(n *node) network.Policy {
	switch {
	case n.wasLost():
		return n.spec.OnLoss.Do
	case n.place.fell.with != 0:
		return f.net.Nodes[n.place.fell.with-1].OnLoss.Do
	}
	return n.spec.OnDrift
}

// wasLost reports whether a node is lost, or was and is not in its place since.
func (n *node) wasLost() bool { return n.absence.lost != "" || n.place.repairs.lost }

// toError starts the recovery of F1 because a node strayed or was lost, as its policy says.
func (s *State) toError(i int) {
	n := &s.nodes[i]
	w := s.newWork("", s.settled, s.settled)
	w.why = n.spec.Name + " " + n.place.deviant
	verdict := VerdictErrored
	if !n.there() {
		verdict = VerdictGone
	}
	w.fault.blame = append(w.fault.blame,
		NodeResult{Node: n.spec.Name, Verdict: verdict, Evidence: n.place.deviant, From: w.foundIn(i), State: n.state})
	here, _ := s.machine.State(s.settled)
	want, _ := s.net.WantAt(here, i, n.state)
	// The state to restore.
	w.parts.began[i] = beginning{there: true, silent: n.silent(), firm: true, state: want}
	s.work = w
	s.report.cause = w.why
	s.enterError()
	w.target = s.machine.Disarmed(w.origin)
	s.lay(restoring, w.target)
}

// A node that dies and is started again may answer before the graph shows its new process. Its
// answer then looks like a drift, and on_drift applies. The discovery of the new process shows that
// the node was lost, and then on_loss applies.

// discoveredIn is how long the discovery of a process may take after its first answer.
const discoveredIn = 30 * time.Second

// rebornAsDrift undoes what on_drift did to node i, whose process was replaced, and applies
// on_loss.
func (co *course) rebornAsDrift(i int) {
	n := &co.nodes[i]
	m := &n.place.repairs
	if m.drift == 0 || co.now.Steady-m.drift > discoveredIn {
		return
	}
	m.drift, m.told = 0, false
	if n.spec.OnLoss.Do == network.ToError && !n.spec.Optional {
		m.owed = "was lost: another process took its place"
	}
	if w := co.work; w != nil && w.phase == reconciling && w.parts.only[i] && n.spec.OnLoss.Do == network.Report {
		co.concludeReconciling()
	}
}
