package engine

// The agenda of a step: which nodes to look at, and which effects leave.

// turn is the agenda of Step: which nodes to look at, when to look again, and which effects leave.
type turn struct {
	queue  []int // nodes that may have something to do
	ending []int // nodes with a process that may have ended
	wakes  wakes
	looks  uint64 // at the order
	number uint64 // of the last ticket or call
	out    []Effect
	reacts reaction

	listening bool // the topics of checks are being counted
}

// look is whether the engine has to look at a node.
type look struct {
	queued bool
	looked uint64 // the last look at the order that came by
}

// touch marks node i for a look.
func (s *State) touch(i int) {
	if !s.nodes[i].look.queued {
		s.nodes[i].look.queued = true
		s.turn.queue = append(s.turn.queue, i)
	}
}

// touchAround marks the nodes that wait for node i.
func (s *State) touchAround(i int) {
	for _, j := range s.fixed.order.Before[i] {
		s.touch(j)
	}
	s.turn.looks++
	s.touchBelow(i)
}

// touchBelow marks the nodes below node i, through those that do not hold back what is below them;
// see heldFromAbove.
func (s *State) touchBelow(i int) {
	for _, j := range s.fixed.order.After[i] {
		s.touch(j)
		if n := &s.nodes[j]; n.look.looked != s.turn.looks && (!n.there() || s.work != nil && n.part.open() && !s.goesDown(j)) {
			n.look.looked = s.turn.looks
			s.touchBelow(j)
		}
	}
}

func (s *State) touchAll() {
	for i := range s.nodes {
		s.touch(i)
	}
}

func (s *State) do(e Effect) { s.turn.out = append(s.turn.out, e) }

func (s *State) next() uint64 {
	s.turn.number++
	return s.turn.number
}
