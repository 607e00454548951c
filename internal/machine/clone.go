package machine

// Clone returns a judge of the same machine in the same state. The two share what they have until one of them fires.
func (j *Judge) Clone() *Judge {
	j.shared = true
	c := *j
	return &c
}

// own makes a machine that no other judge has.
func (j *Judge) own() {
	if j.shared {
		state := j.fsm.Current()
		j.fsm, j.shared = j.machine.Start().fsm, false
		j.fsm.SetState(state)
	}
}
