package stepper

import "time"

// Stat is the statistics of one duration. An answer that ends the loop is not counted.
type Stat struct {
	Count    uint64        // in this run
	Sum, Max time.Duration // in this run
	Last     time.Duration // in this cycle; 0: not yet
}

// Mean returns the mean of the run.
func (s Stat) Mean() time.Duration {
	if s.Count == 0 {
		return 0
	}
	return s.Sum / time.Duration(s.Count)
}

func (s *Stat) add(d time.Duration) {
	s.Count++
	s.Sum += d
	s.Max = max(s.Max, d)
	s.Last = d
}

// resetStats resets what step_begin resets.
func (l *Loop) resetStats() {
	l.run.began = l.now
	for i := range l.parts {
		stats := &l.parts[i].stats
		if l.run.cycles == 0 {
			*stats = [phases]Stat{}
		}
		for k := range stats {
			stats[k].Last = 0
		}
	}
}
