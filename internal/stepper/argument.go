package stepper

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Span is the argument of a command that starts the loop.
type Span struct {
	Steps uint64        // 0: no limit
	DT    time.Duration // 0: as before
}

// ParseEnd reads the argument of a command that ends the loop: the want that says how the run has ended. None: the
// argument is empty.
func ParseEnd(text string) (Want, error) {
	for _, w := range []Want{Succeed, Fail} {
		if text == w.String() {
			return w, nil
		}
	}
	if text != "" {
		return None, fmt.Errorf("the argument %q does not say how the run has ended: write succeed or fail, or leave it out", text)
	}
	return None, nil
}

// mostSteps keeps the count of cycles from an overflow.
const mostSteps = 1 << 62

// ParseSpan reads a number of steps, the simulated time of a step, or both: "100", "20ms", "100 20ms".
func ParseSpan(text string) (Span, error) {
	var a Span
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		if n, err := strconv.ParseUint(word, 10, 64); err == nil && 0 < n && n <= mostSteps && a.Steps == 0 {
			a.Steps = n
			continue
		}
		if d, err := time.ParseDuration(word); err == nil && 0 < d && d <= Latest && a.DT == 0 {
			a.DT = d
			continue
		}
		return Span{}, fmt.Errorf("the argument %q is neither a number of steps nor the simulated time of a step: write 100, 20ms, or 100 20ms", text)
	}
	return a, nil
}
