package httpapi

// guards counts the guards that cover nodes now.
func (s *Simulation) guards() (n int) {
	for _, g := range s.Guards {
		if g.Alive && len(g.Nodes) > 0 {
			n++
		}
	}
	return n
}
