//go:build ros

package ros

import (
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// What Rock says of the life of a component, over lifecycle nodes in rclpy. Each test bears the name of a statement of
// docs/conformance.md.

const components = `machine: rock
nodes:
  ~/camera: {}
  ~/gripper: {}
  ~/motion: {after: [~/camera, ~/gripper]}
`

// TestRockLife: preoperational, stopped, running, and back. Each command runs one hook of each component.
func TestRockLife(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{network: components, ready: "preoperational"})
	for _, c := range []struct{ command, state, nodes string }{
		{"configure", "stopped", "inactive"}, {"start", "running", "active"}, {"stop", "stopped", "inactive"},
		{"cleanup", "preoperational", "unconfigured"},
		{"shutdown", "finalized", "finalized"},
	} {
		s.Do(c.command, "succeeded done "+c.state)
		s.wantWhere(s.all(c.nodes))
	}
	for name, n := range s.nodes {
		if got := strings.Join(n.Truth().Words(), " "); got != "configure activate deactivate cleanup shutdown" {
			t.Errorf("%s ran its hooks %s", name, got)
		}
	}
	if code := s.Process.Wait(t); code != 0 {
		t.Errorf("the daemon ended with %d", code)
	}
}

// TestRockRefusedHooks: a configure or start hook that says no, errs or throws is refused. The state is unchanged, and
// so are the other components.
func TestRockRefusedHooks(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{network: components, ready: "preoperational"})
	for _, c := range []struct{ command, hook, origin, nodes, reached string }{
		{"configure", "configure", "preoperational", "unconfigured", "stopped"},
		{"start", "activate", "stopped", "inactive", "running"},
	} {
		for _, fault := range []bed.Result{bed.Failure, bed.Fault, bed.Thrown} {
			t.Run(c.command+" "+string(fault), func(t *testing.T) {
				s := s.in(t)
				s.bring(c.origin)
				s.script("gripper", c.hook, then(bed.Behaviour{Result: fault})...)
				r := s.Do(c.command, "aborted restored "+c.origin)
				verdict := map[bed.Result]string{bed.Failure: "refused", bed.Fault: "errored",
					bed.Thrown: "errored"}[fault]
				if c.command == "start" { // a component that errs in configure is where it was, like one that says no
					s.wantNodes(r, map[string]string{"gripper": c.hook + " " + verdict})
				}
				s.wantWhere(s.all(c.nodes))
				s.Intact(c.origin)
				s.Do(c.command, "succeeded done "+c.reached) // the next time it agrees
			})
		}
	}
}

// TestRockErrorsLeadToException: an error that leaks from a stop or cleanup hook, or a component that errs while it
// runs, takes the network to exception. The stop hook of what runs and the cleanup hook of what is configured run
// first.
func TestRockErrorsLeadToException(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{network: components, ready: "preoperational"})
	gripper := func() string {
		words := s.nodes["gripper"].Truth().Words()
		return strings.Join(words[max(0, len(words)-2):], " ")
	}
	for _, c := range []struct{ name, origin, command, hook string }{
		{"an error in stop", "running", "stop", "deactivate"}, {"a throw in stop", "running", "stop", "deactivate"},
		{"an error in cleanup", "stopped", "cleanup", "cleanup"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := s.in(t)
			s.bring(c.origin)
			fault := bed.Behaviour{Result: bed.Fault}
			if strings.Contains(c.name, "throw") {
				fault.Result = bed.Thrown
			}
			s.script("motion", c.hook, then(fault)...)
			r := s.Do(c.command, "aborted restored exception")
			s.wantNodes(r, map[string]string{"motion": c.hook + " errored"})
			s.wantWhere(s.all("unconfigured"))
			s.Intact("exception")
			if got := gripper(); !strings.HasSuffix(got, "cleanup") ||
				c.origin == "running" && got != "deactivate cleanup" {
				t.Errorf("the hooks of /gripper before exception are %s", got)
			}
			s.Do("reset", "succeeded done preoperational")
		})
	}
	t.Run("an error while running", func(t *testing.T) {
		s := s.in(t)
		s.bring("running")
		s.script("motion", "deactivate", then(bed.Behaviour{Result: bed.Fault})...)
		if _, err := s.host.ChangeState(s.full("motion"), "deactivate", bed.Deadline); err != nil {
			t.Fatal(err)
		}
		s.Intact("exception")
		s.wantWhere(s.all("unconfigured"))
		if got := gripper(); got != "deactivate cleanup" {
			t.Errorf("the last hooks of /gripper are %s", got)
		}
	})
	t.Run("an error while stopped", func(t *testing.T) {
		s := s.in(t)
		s.Do("reset", "succeeded done preoperational")
		s.bring("stopped")
		s.script("motion", "cleanup", then(bed.Behaviour{Result: bed.Fault})...)
		if _, err := s.host.ChangeState(s.full("motion"), "cleanup", bed.Deadline); err != nil {
			t.Fatal(err)
		}
		s.Intact("exception")
		s.wantWhere(s.all("unconfigured"))
		if got := gripper(); got != "configure cleanup" {
			t.Errorf("the last hooks of /gripper are %s", got)
		}
	})
	t.Run("exception is left by reset, then configure and start", func(t *testing.T) {
		s := s.in(t)
		for _, command := range []string{"configure", "start", "stop", "cleanup"} {
			s.Rejected(command, "not legal in exception", "reset")
		}
		s.Do("reset", "succeeded done preoperational")
		s.Do("configure", "succeeded done stopped")
		s.Do("start", "succeeded done running")
		s.wantWhere(s.all("active"))
	})
	t.Run("an exception from the code", func(t *testing.T) {
		s := s.in(t)
		s.Do("exception", "succeeded done exception")
		s.wantWhere(s.all("unconfigured"))
	})
}

// TestRockReportsInAHook: a component that calls exception() or fatal() in a hook ends there, whether the hook returns
// true or not. In fatal no component that answers is active or configured.
func TestRockReportsInAHook(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{ready: "preoperational", network: `machine: rock
nodes:
  ~/camera: {}
  ~/motion: {after: [~/camera], exception_states: [BLOCKED], fatal_states: [BROKEN]}
`})
	for _, word := range []string{"BLOCKED", "BROKEN"} {
		for _, c := range []struct{ command, hook, origin string }{{"configure", "configure", "preoperational"},
			{"start", "activate", "stopped"}} {
			for _, result := range []bed.Result{bed.Success, bed.Failure} {
				t.Run(word+" in "+c.hook+" "+string(result), func(t *testing.T) {
					s := s.in(t)
					s.bring(c.origin)
					s.script("motion", c.hook, then(bed.Behaviour{Result: result, Report: word})...)
					s.End(s.Goal(c.command)) // the report may be heard after the answer, when the command has ended
					end := map[string]string{"BLOCKED": "exception", "BROKEN": "fatal"}[word]
					s.Intact(end)
					s.wantWhere(s.all("unconfigured"))
				})
				if word == "BLOCKED" {
					s.Do("reset", "succeeded done preoperational")
					continue
				}
				s.vanish("motion")
				s.back("motion")
				s.Intact("preoperational")
			}
		}
	}
}

// TestRockFatal: an error on the way to exception is fatal. Only a new process of the component leads out of it; no
// client can, but for shutdown.
func TestRockFatal(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{network: components, away: []string{"motion"}, ready: "-"})
	first := bed.NewHost(t, bed.LongLease(t)...)
	s.appear(first, "motion", bed.NodeSpec{})
	s.Intact("preoperational")
	s.bring("running")
	s.script("motion", "deactivate", bed.Behaviour{Result: bed.Fault})
	s.Do("exception", "aborted restored fatal")
	s.wantWhere(s.all("unconfigured"))
	for _, command := range []string{"reset", "configure", "start", "exception", "restarted"} {
		if g := s.Goal(command); g.Accepted {
			t.Errorf("%s is accepted in fatal", command)
		}
	}
	first.Process().Kill()
	delete(s.nodes, "motion")
	s.Await("the component is lost, and the network is fatal", func(v daemon.View) bool {
		return v.State.Label == "fatal" && v.Settled && !v.Node(s.full("motion")).Present
	})
	s.back("motion")
	s.Intact("preoperational")
	s.wantWhere(s.all("unconfigured"))
	s.bring("running")
	s.script("motion", "deactivate", bed.Behaviour{Result: bed.Fault})
	s.Do("exception", "aborted restored fatal")
	s.Do("shutdown", "succeeded done finalized")
	s.wantWhere(s.all("finalized"))
}

// TestRockUnusedComponents: a component that a state does not use is stopped, not cleaned up.
func TestRockUnusedComponents(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{ready: "preoperational", network: `extends: rock
nodes:
  ~/camera: {}
  ~/gripper: {}
  ~/motion: {after: [~/camera]}
groups: {drive: [~/camera, ~/motion]}
states:
  driving: {nodes: {drive: active, others: inactive}}
transitions:
  drive: {from: [stopped, running], to: driving, on_failure: stay}
  stop: {from: [driving, running]}
  grip: {from: [driving], to: running, on_failure: stay}
`})
	s.bring("running")
	s.Do("drive", "succeeded done driving")
	s.wantWhere("active inactive active")
	if n := s.nodes["gripper"].Truth().Count("cleanup"); n != 0 {
		t.Errorf("the unused component was cleaned up %d times", n)
	}
	s.Do("grip", "succeeded done running")
	s.wantWhere(s.all("active"))
	if n := s.nodes["gripper"].Truth().Count("configure"); n != 1 {
		t.Errorf("the component was configured %d times, want once", n)
	}
}

// TestRockNeedsNoConfiguration: such a component stays unconfigured where the others are stopped. Start configures and
// activates it, and stop leaves it stopped.
func TestRockNeedsNoConfiguration(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{ready: "preoperational",
		network: "machine: rock\nnodes:\n  ~/camera: {}\n  ~/motion: {after: [~/camera], needs_configuration: false}\n"})
	s.Do("configure", "succeeded done stopped")
	s.wantWhere("inactive unconfigured")
	s.Intact("stopped")
	s.Do("start", "succeeded done running")
	s.wantWhere("active active")
	s.Do("stop", "succeeded done stopped")
	s.wantWhere("inactive inactive")
	s.Do("cleanup", "succeeded done preoperational")
	s.wantWhere("unconfigured unconfigured")
}

// TestRockReactions: a network reacts to a sub-state by its name. The same one twice in a row is counted and not passed
// on.
func TestRockReactions(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{ready: "preoperational", network: `extends: rock
nodes:
  ~/camera: {}
  ~/motion: {after: [~/camera], runtime_states: [MOVING, DONE]}
auto: [{in: running, on: {report: DONE}, from: ~/motion, do: stop}]
`})
	motion := s.full("motion")
	s.bring("running")
	for k := range 3 {
		s.nodes["motion"].Report("MOVING")
		s.Await("the report is counted", func(v daemon.View) bool { return v.Node(motion).ReportCount == k+1 })
	}
	if got := strings.Count(s.Process.Log(), motion+" reports MOVING"); got != 1 {
		t.Errorf("the same sub-state is passed on %d times", got)
	}
	s.nodes["motion"].Report("DONE")
	s.Intact("stopped")
	s.wantWhere("inactive inactive")
}
