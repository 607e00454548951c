package journal

import "time"

// LastRun is what the lines say of the newest run, for the question since when nothing has listened to stop inputs.
type LastRun struct {
	Instance string        // empty: there is none
	Boot     string        // of the machine; empty: the run had no stop input, or was of a former version
	Listens  string        // the topics of its stop inputs, separated by spaces
	Ended    bool          // in good order
	Last     time.Time     // its newest line, by the wall clock
	Touched  time.Time     // when its file was changed last, if that is later; the lines do not say
	Up       time.Duration // when it ended, since the boot; 0: that is not known
}

// lastRun reads what lines say of the newest run.
func lastRun(lines []Line) (r LastRun) {
	for k := len(lines) - 1; k >= 0; k-- {
		l := &lines[k]
		if r.Instance == "" {
			r = LastRun{Instance: l.Instance, Last: l.At, Up: l.Up, Ended: l.Kind == KindEnd && l.Event == EventEnded}
		}
		if l.Instance != r.Instance {
			break
		}
		r.Boot, r.Listens = or(r.Boot, l.Boot), or(r.Listens, l.Listens)
		if r.Boot != "" && r.Listens != "" {
			break
		}
	}
	return r
}
