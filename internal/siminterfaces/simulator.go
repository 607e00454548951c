package siminterfaces

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"rstate/internal/clean"
)

// Lacks returns why a simulator with these features cannot take part in a loop; nil: it can. steps
// is how many of its own steps are one of the loop.
func Lacks(has []Feature, steps int) error {
	needed := []Feature{StepSimulationSingle}
	if steps > 1 {
		needed = []Feature{StepSimulationMultiple}
	}
	var missing []string
	for _, f := range needed {
		if !slices.Contains(has, f) {
			missing = append(missing, f.String())
		}
	}
	if missing == nil {
		return nil
	}
	return errors.New("its features lack " + strings.Join(missing, " and "))
}

// Failure returns why an answer is a failure; nil: it is none. A simulator that is in the state
// already that is asked for has not failed.
func Failure(code Code, message string) error {
	if code == OK || code == AlreadyInTargetState {
		return nil
	}
	if message = clean.Short(message); message != "" {
		return fmt.Errorf("%v: %s", code, message)
	}
	return errors.New(code.String())
}
