package lease

import (
	"slices"
	"time"
)

// Receiver computes when the lease ends that it has heard of. All times are of its own steady clock. The zero value has
// no lease.
//
// A lease belongs to its source: one instance and one writer. No source extends the lease of another one, or ends it.
// Which of several sources armed the node is unknown, so the lease holds only until the first of them ends, also if that
// one does not give a lease yet. Then it holds no more for a Pause, whatever the others say.
type Receiver struct {
	sources []Source // the one that was heard last is the last
	ends    time.Duration
	evicted time.Duration // when a source that held was forgotten; 0: never
	lapses  uint64
}

// Take takes a message that was received at a moment, and says whether it counts.
func (r *Receiver) Take(at time.Duration, m Message) bool {
	defer r.Holds(at)
	r.look(at)
	var s Source
	k := slices.IndexFunc(r.sources, func(s Source) bool { return s.Is(m) })
	if k >= 0 {
		s = r.sources[k]
	}
	taken := s.Take(at, m)
	if !taken && !m.Idle() {
		return false
	}
	if taken && s.lapsed {
		r.lapse(s)
	}
	if k < 0 && len(r.sources) == Sources {
		if k = r.forget(at, taken); k < 0 {
			return false
		}
	}
	if k >= 0 {
		r.sources = slices.Delete(r.sources, k, k+1)
	}
	r.sources = append(r.sources, s)
	return taken
}

// forget chooses the source to forget: of those without a lease that holds the one that was heard first, else for a
// lease the first of all. The end of that one will not be seen, so it counts as over now.
func (r *Receiver) forget(at time.Duration, leased bool) int {
	k := slices.IndexFunc(r.sources, func(s Source) bool { return !s.Holds(at) })
	if k < 0 && leased {
		r.evicted, r.ends = at, at
		r.lapses++
		k = 0
	}
	return k
}

func (r *Receiver) lapse(s Source) {
	r.lapses++
	r.ends = s.Ends()
}

// look notes which leases have run out.
func (r *Receiver) look(at time.Duration) {
	for k := range r.sources {
		s := &r.sources[k]
		if s.lapsed || !s.leased() {
			continue
		}
		if holds := s.Holds(at); !holds {
			r.lapse(*s)
		}
	}
}

// Holds says whether there is a lease that has not run out. One that has is over for good.
func (r *Receiver) Holds(at time.Duration) bool {
	r.look(at)
	if r.evicted > 0 && at < r.evicted+Pause {
		return false
	}
	holds, gives, first := false, false, time.Duration(0)
	for _, s := range r.sources {
		switch {
		case !s.leased():
		case s.lapsed && at < s.Ends()+Pause:
			return false
		case !s.lapsed:
			if !holds || s.Ends() < first {
				first = s.Ends()
			}
			holds, gives = true, gives || s.gives
		}
	}
	if gives {
		r.ends = first
	}
	return gives
}

// Ends is when the lease ends, or ended.
func (r *Receiver) Ends() time.Duration { return r.ends }

// Lapses counts the leases that have run out. A node that may be suspended compares it with what it was when it was
// armed: an end and its pause may both be over when it looks again.
func (r *Receiver) Lapses() uint64 { return r.lapses }
