package engine

func (s *State) loopIdle(LoopIdle) {}
func (s *State) loopSeen(LoopSeen) {}
