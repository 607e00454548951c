//go:build patient

package bed

// Tags are the build tags of programs that a test starts: those of the test itself. See internal/patient.
const Tags = "ros,patient"

// Patient reports whether the programs of this test have limits that a busy machine does not reach.
const Patient = true
