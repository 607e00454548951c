//go:build !ros

package main

// builtWith says what is in this binary.
const (
	builtWith = "built without ROS"
	hasROS    = false
)

func withoutROS(e *env, verb string) int {
	return e.fail(exitNoROS, "cannot do %q: this rstate was built without ROS; run make build", verb)
}

func runVerb(e *env, _ []string) int    { return withoutROS(e, "run") }
func upVerb(e *env, _ []string) int     { return withoutROS(e, "up") }
func sendVerb(e *env, _ []string) int   { return withoutROS(e, "send") }
func statusVerb(e *env, _ []string) int { return withoutROS(e, "status") }
func peersVerb(e *env, _ []string) int  { return withoutROS(e, "peers") }
func watchVerb(e *env, _ []string) int  { return withoutROS(e, "watch") }
func nodeVerb(e *env, _ []string) int   { return withoutROS(e, "node") }
func doctorVerb(e *env, _ []string) int { return withoutROS(e, "doctor") }
func guardVerb(e *env, _ []string) int  { return withoutROS(e, "guard") }
func demoVerb(e *env, _ []string) int   { return withoutROS(e, "demo") }
