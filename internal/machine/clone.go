package machine

// Clone returns a judge of its own that is in the same state.
func (j *Judge) Clone() *Judge {
	c := j.machine.Start()
	c.fsm.SetState(j.State())
	return c
}
