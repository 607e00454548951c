package stepper

import "fmt"

// Want is what a participant, the caller or a trigger wants to happen to the loop. The values are
// those of rstate_msgs/srv/Step.
type Want uint8

// The wants.
const (
	None    Want = iota // go on
	Stop                // end the simulation, without a judgement
	Reset               // start it over
	Abort               // end it at once, for a fault that cannot be repaired
	Pause               // interrupt it
	Fail                // end it, for a fault
	Succeed             // end it, well
	wants
)

func (w Want) String() string {
	if w < wants {
		return [wants]string{"none", "stop", "reset", "abort", "pause", "fail", "succeed"}[w]
	}
	return fmt.Sprintf("want %d", uint8(w))
}

// known reports whether the value has a meaning.
func (w Want) known() bool { return w < wants }

// strength orders the wants of one cycle; the strongest counts.
//
//   - Abort is first: after it no participant may be called again.
//   - Fail comes before all ends that are no faults: none of them may hide a fault.
//   - Stop comes before Succeed: a simulation that was stopped may not pass for one that reached its end.
//   - Stop and Succeed come before Reset and Pause: these go on with a simulation that was to end.
//   - Reset comes before Pause: a pause keeps the simulation for a resume, and after the reset there
//     is nothing to keep.
var strength = [wants]uint8{None: 0, Pause: 1, Reset: 2, Succeed: 3, Stop: 4, Fail: 5, Abort: 6}

// Stronger reports whether w counts if both are wanted.
func (w Want) Stronger(o Want) bool { return strength[w] > strength[o] }

// WantOf returns the want for which a command stands: that of its name, or else Stop.
func WantOf(command string) Want {
	for w := Stop; w < wants; w++ {
		if w.String() == command {
			return w
		}
	}
	return Stop
}

// Wants is a set of wants.
type Wants uint8

// WantsOf returns a set.
func WantsOf(list ...Want) Wants {
	var set Wants
	for _, w := range list {
		set |= 1 << w
	}
	return set
}

// Has reports whether a want is in the set.
func (s Wants) Has(w Want) bool { return s&(1<<w) != 0 }

// Nearest returns what a machine that has this set of wants does for w. The two wants for a fault
// stand in for each other. All others become Stop, which every machine with a loop has.
func (s Wants) Nearest(w Want) Want {
	switch {
	case w == None, s.Has(w):
		return w
	case w == Abort && s.Has(Fail):
		return Fail
	case w == Fail && s.Has(Abort):
		return Abort
	}
	return Stop
}
