//go:build ros

package ros

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// What the NRP says of its closed loop engine and of its ROS server, and Cloe of its simulations, over participants in
// rclpy that know nothing of rstate but the service that they offer.

const loopOf = `machine: %s
nodes:
  ~/physics: {}
  ~/pilot: {after: [~/physics]}
loop:
  dt: 20ms
  participants: {~/physics: {as: simulator, deadline: 10s}, ~/pilot: {deadline: 10s}}
`

// newLoop returns a stand with a simulator and a controller that rests in the state of a preset.
func newLoop(t *testing.T, machine, ready string, more ...string) *stand {
	t.Helper()
	t.Parallel()
	s := newStand(t, setup{network: patient + fmt.Sprintf(loopOf, machine) + strings.Join(more, ""), ready: ready})
	return s
}

// ends checks how a goal ends, and that its message contains the words.
func (s *stand) ends(g *bed.Goal, want string, words ...string) {
	s.t.Helper()
	r := s.End(g)
	if got := r.String(); got != want {
		s.t.Errorf("the goal ended %s, want %s: %s", got, want, r.Message)
	}
	for _, w := range words {
		if !strings.Contains(r.Message, s.spell(w)) {
			s.t.Errorf("the result does not say %q: %s", s.spell(w), r.Message)
		}
	}
}

func (s *stand) spell(text string) string { return strings.ReplaceAll(text, "~", s.space) }

// stepped waits until a participant has taken part in so many calls.
func (s *stand) stepped(name string, calls int) {
	s.t.Helper()
	bed.Eventually(s.t, fmt.Sprintf("%s was called %d times", name, calls), func() (string, bool) {
		n := len(s.nodes[name].Truth().Steps)
		return fmt.Sprint(n), n >= calls
	})
}

// phases lists what a participant was called for, a word for each call: the number of the step and the phase.
func (s *stand) phases(name string) string {
	var words []string
	for _, c := range s.nodes[name].Truth().Steps {
		words = append(words, fmt.Sprintf("%d%c", c[0], "bscer"[c[1]]))
	}
	return strings.Join(words, " ")
}

// TestCLELife: created –initialize→ stopped –start→ running –stop→ stopping → stopped –shutdown→ released. Nothing is
// allowed before initialize; start stays open, and stop returns at once.
func TestCLELife(t *testing.T) {
	s := newLoop(t, "cle", "created")
	for _, command := range []string{"start", "run_step", "stop", "reset"} {
		s.Rejected(command)
	}
	s.Do("initialize", "succeeded done stopped")
	s.wantWhere("active active")
	start := s.Goal("start")
	s.stepped("pilot", 30)
	s.Await("its goal stays open", func(v daemon.View) bool { return len(v.OpenGoals) == 1 && v.Step > 0 && v.State.Label == "running" })
	s.Do("stop", "succeeded done stopping")
	s.ends(start, "succeeded done stopped", "stop")
	s.Do("shutdown", "succeeded done released")
	s.wantWhere("finalized finalized")
	s.Settled("released")
	if got := s.Passed(); !slices.Equal(got[len(got)-5:], []string{"stopped", "running", "stopping", "stopped", "released"}) {
		t.Errorf("it passed %v", got)
	}
}

// TestCLERunStep: run_step(dt) runs one step, or as many as it is given, in stopping, and then the engine is stopped.
// Time goes on from where it was, and a reset sets it to zero.
func TestCLERunStep(t *testing.T) {
	s := newLoop(t, "cle", "created")
	s.Do("initialize", "succeeded done stopped")
	s.ends(s.Goal("run_step"), "succeeded done stopped", "after a step")
	s.ends(s.GoalWith("run_step", "2 50ms"), "succeeded done stopped", "after 2 steps")
	if got := s.phases("physics"); got != "1b 1s 1e 2b 2s 2e 3b 3s 3e" {
		t.Errorf("the simulator was called for %s", got)
	}
	if got := s.phases("pilot"); got != "1b 1c 1e 2b 2c 2e 3b 3c 3e" {
		t.Errorf("the controller was called for %s", got)
	}
	last := s.nodes["pilot"].Truth().Steps[8]
	if last[2] != int64(70*time.Millisecond) || last[3] != int64(50*time.Millisecond) {
		t.Errorf("the last call was for %v", last)
	}
	s.Do("reset", "succeeded done stopped")
	s.ends(s.Goal("run_step"), "succeeded done stopped")
	if got := s.nodes["pilot"].Truth().Steps[9]; got[0] != 1 || got[2] != 0 {
		t.Errorf("after a reset the call was for %v", got)
	}
	for _, bad := range []string{"soon", "0", "1 2"} {
		if g := s.GoalWith("run_step", bad); g.Accepted {
			t.Errorf("the argument %q is taken", bad)
		}
	}
}

// TestCLEReset: from stopped, running and stopping; from running through stopped. The nodes are not lowered.
func TestCLEReset(t *testing.T) {
	s := newLoop(t, "cle", "created")
	s.Do("initialize", "succeeded done stopped")
	s.Do("reset", "succeeded done stopped")
	start := s.Goal("start")
	s.stepped("pilot", 9)
	s.Do("reset", "succeeded done stopped")
	s.ends(start, "succeeded done stopped")
	for _, name := range []string{"physics", "pilot"} {
		if n := s.nodes[name].Truth().Count("deactivate"); n != 0 {
			t.Errorf("%s was deactivated", name)
		}
	}
}

// TestCLEShutdownEndsTheStep: a shutdown while the loop runs lets the step end, and passes through stopped.
func TestCLEShutdownEndsTheStep(t *testing.T) {
	s := newLoop(t, "cle", "created")
	s.Do("initialize", "succeeded done stopped")
	start := s.Goal("start")
	s.stepped("pilot", 9)
	s.Do("shutdown", "succeeded done released")
	s.ends(start, "succeeded done stopped")
	for _, name := range []string{"physics", "pilot"} {
		if got := s.phases(name); !strings.HasSuffix(got, "e") {
			t.Errorf("the last step of %s has not ended: %s", name, got)
		}
	}
	s.Settled("released") // published before the goal ended, but received over another topic
	if got := s.Passed(); !slices.Equal(got[len(got)-3:], []string{"running", "stopped", "released"}) {
		t.Errorf("it passed %v", got)
	}
}

// TestCLEASecondShutdown: it waits for nothing, also while a participant hangs.
func TestCLEASecondShutdown(t *testing.T) {
	s := newLoop(t, "cle", "created")
	s.Do("initialize", "succeeded done stopped")
	s.script("physics", "step_simulator", frozen()...)
	start := s.Goal("start")
	s.busy("physics", "step_simulator")
	first := s.Goal("shutdown")
	s.Do("shutdown", "succeeded done released")
	s.ends(first, "succeeded done released")
	s.ends(start, "aborted held released")
}

// TestCLEFaults: a participant that fails, hangs or dies in a phase stops the loop; the goal names it, the network is
// not intact, and another start goes on. So it does after a new process of the participant was raised, and if answers
// come twice.
func TestCLEFaults(t *testing.T) {
	for _, phase := range []string{"step_begin", "step_simulator", "step_controller", "step_end"} {
		victim, other := "physics", "pilot"
		if phase == "step_controller" {
			victim, other = other, victim
		}
		t.Run("fails in "+phase, func(t *testing.T) {
			s := newLoop(t, "cle", "created")
			s.Do("initialize", "succeeded done stopped")
			s.script(victim, phase, bed.Behaviour{}, bed.Behaviour{Result: bed.Failure}, bed.Behaviour{})
			s.ends(s.Goal("start"), "aborted held stopped", "~/"+victim+" failed in "+phase+" of cycle 2")
			v := s.Await("it is not intact", func(v daemon.View) bool { return v.StepFault != "" })
			if v.Intact {
				t.Errorf("it is intact after %s", v.StepFault)
			}
			s.ends(s.GoalWith("start", "2"), "succeeded done stopped")
			s.Await("it is intact again", func(v daemon.View) bool { return v.StepFault == "" && v.Intact })
			if got, word := s.phases(other), map[string]string{"physics": "s", "pilot": "c"}[other]; !strings.HasSuffix(got, fmt.Sprintf("2b 2%[1]s 2e 3b 3%[1]s 3e", word)) {
				t.Errorf("the step in which it failed is not run again: %s", got)
			}
		})
		t.Run("hangs in "+phase, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(fmt.Sprintf(loopOf, "cle"), "~/"+victim+": {as: simulator, deadline: 10s}", "~/"+victim+": {as: simulator, deadline: 8s}", 1)
			text = strings.Replace(text, "~/"+victim+": {deadline: 10s}", "~/"+victim+": {deadline: 8s}", 1)
			s := newStand(t, setup{network: patient + text, ready: "created"})
			s.Do("initialize", "succeeded done stopped")
			s.script(victim, phase, append([]bed.Behaviour{{}}, frozen()...)...)
			s.ends(s.Goal("start"), "aborted held stopped", "~/"+victim+" did not answer "+phase+" of cycle 2 within 8s")
			s.nodes[victim].Thaw() // its late answer changes nothing
			s.honestSteps()
			s.ends(s.GoalWith("start", "1"), "succeeded done stopped")
		})
		t.Run("dies in "+phase, func(t *testing.T) {
			t.Parallel()
			s := newStand(t, setup{network: patient + fmt.Sprintf(loopOf, "cle"), away: []string{victim}, ready: "-"})
			host := bed.NewHost(t, bed.ShortLease(t)...)
			s.appear(host, victim, bed.NodeSpec{})
			s.Intact("created")
			s.Do("initialize", "succeeded done stopped")
			s.script(victim, phase, append([]bed.Behaviour{{}}, frozen()...)...)
			start := s.Goal("start")
			s.busy(victim, phase)
			host.Process().Signal(syscall.SIGKILL)
			delete(s.nodes, victim)
			s.ends(start, "aborted held stopped", "~/"+victim)
			s.back(victim)
			s.Await("its new process is unconfigured", func(v daemon.View) bool {
				return strings.Contains(v.Deviation(s.full(victim)), "unconfigured")
			})
			s.Do("reset", "succeeded done stopped") // which raises it
			s.ends(s.GoalWith("start", "2"), "succeeded done stopped", "after 2 steps")
			s.Intact("stopped")
		})
	}
	t.Run("answers twice", func(t *testing.T) {
		s := newLoop(t, "cle", "created")
		s.host.Node(bed.NodeSpec{Name: s.full("physics") + "_again", Plain: true, Steps: true, StepsAs: s.full("physics")})
		s.Do("initialize", "succeeded done stopped")
		s.ends(s.Goal("run_step"), "succeeded done stopped")
		bed.Eventually(t, "both answer", func() (string, bool) {
			s.ends(s.GoalWith("run_step", "5"), "succeeded done stopped", "after 5 steps")
			n := len(s.nodes["physics"].Truth().Steps)
			return fmt.Sprint(n), n > 6
		})
	})
}

// honestSteps resets the scripts of the participants.
func (s *stand) honestSteps() {
	for _, n := range s.nodes {
		for _, word := range []string{"step_begin", "step_simulator", "step_controller", "step_end"} {
			n.Script(word, bed.Behaviour{})
		}
	}
}

// TestCLEWants: what a participant wants acts at the end of the step; what the machine lacks becomes stop.
func TestCLEWants(t *testing.T) {
	for want, name := range map[uint8]string{1: "stop", 2: "reset", 4: "pause", 5: "fail"} {
		t.Run(name, func(t *testing.T) {
			s := newLoop(t, "cle", "created")
			s.Do("initialize", "succeeded done stopped")
			s.script("pilot", "step_controller", bed.Behaviour{}, bed.Behaviour{Want: want}, bed.Behaviour{})
			ended := "succeeded done stopped"
			if name == "fail" {
				ended = "aborted held stopped"
			}
			s.ends(s.Goal("start"), ended, "~/pilot wants "+name+" in step_controller of cycle 2")
			if got := s.phases("pilot"); got != "1b 1c 1e 2b 2c 2e" {
				t.Errorf("the controller was called for %s", got)
			}
		})
	}
}

// TestCLEAStartAdoptsStopped: a daemon that was killed in the middle of a run takes no state of the loop.
func TestCLEAStartAdoptsStopped(t *testing.T) {
	s := newLoop(t, "cle", "created")
	s.Do("initialize", "succeeded done stopped")
	s.Goal("start")
	s.stepped("pilot", 9)
	s.restart(true)
	s.Settled("stopped")
	s.Alone()
	s.ends(s.GoalWith("run_step", "2"), "succeeded done stopped")
}

// TestCLEParticipantIsMissing: a node that offers no step is named, with what to do.
func TestCLEParticipantIsMissing(t *testing.T) {
	t.Parallel()
	text := patient + strings.Replace(fmt.Sprintf(loopOf, "cle"), "~/pilot: {deadline: 10s}", "~/pilot: {deadline: 500ms}", 1)
	s := newStand(t, setup{network: text, away: []string{"pilot"}, ready: "-"})
	s.loops = false
	s.appear(s.host, "pilot", bed.NodeSpec{})
	s.Intact("created")
	s.Do("initialize", "succeeded done stopped")
	s.ends(s.Goal("start"), "aborted held stopped", "~/pilot does not offer ~/pilot/step (rstate_msgs/srv/Step)")
}

// TestROSCLELife: created → initial –start→ running ⇄ paused; start answers at once; stop is final. There is no
// run_step and no shutdown.
func TestROSCLELife(t *testing.T) {
	s := newLoop(t, "roscle", "created")
	s.Do("initialize", "succeeded done initial")
	s.Rejected("run_step")
	s.Rejected("shutdown")
	s.Rejected("pause")
	s.Do("start", "succeeded done running")
	s.stepped("pilot", 9)
	s.Do("pause", "succeeded done paused")
	n := len(s.nodes["pilot"].Truth().Steps)
	s.Do("start", "succeeded done running")
	s.stepped("pilot", n+9)
	s.Do("stop", "succeeded done stopped")
	s.wantWhere("finalized finalized")
}

// TestL6StepWaitsForItsSteps: rstate step returns when its steps have run, also where the goal of the machine ends at
// once, or when the loop has ended before.
func TestL6StepWaitsForItsSteps(t *testing.T) {
	for machine, c := range map[string]struct{ ready, rests string }{"roscle": {"initial", "paused"}, "cle": {"stopped", "stopped"}} {
		t.Run(machine, func(t *testing.T) {
			s := newLoop(t, machine, "created")
			s.Do("initialize", "succeeded done "+c.ready)
			step := func(steps string, code int, want string, words ...string) {
				t.Helper()
				var out, log strings.Builder
				cmd := exec.Command(binary, "step", steps, "-o", "json", "--node", s.Name)
				cmd.Stdout, cmd.Stderr = &out, &log
				_ = cmd.Run() // the exit code says more
				var r struct {
					Success          bool
					Outcome, Message string
					State            struct{ Label string }
					Asked            uint64 `json:"steps_asked"`
					Ran              uint64 `json:"steps_run"`
				}
				if err := json.Unmarshal([]byte(out.String()), &r); err != nil {
					t.Fatalf("step %s prints %q (%v): %s", steps, out.String(), err, log.String())
				}
				got := fmt.Sprintf("%v %s %s %d of %d", r.Success, r.Outcome, r.State.Label, r.Ran, r.Asked)
				if got != want || cmd.ProcessState.ExitCode() != code {
					t.Errorf("step %s: %s, exit code %d; want %s, %d: %s", steps, got, cmd.ProcessState.ExitCode(), want, code, out.String())
				}
				for _, w := range words {
					if !strings.Contains(r.Message, s.spell(w)) {
						t.Errorf("step %s does not say %q: %s", steps, s.spell(w), r.Message)
					}
				}
			}
			step("3", 0, "true done "+c.rests+" 3 of 3")
			step("1", 0, "true done "+c.rests+" 1 of 1")
			if got := s.phases("pilot"); !strings.HasSuffix(got, "4b 4c 4e") {
				t.Errorf("it returned after the phases %s", got)
			}
			s.script("pilot", "step_end", bed.Behaviour{}, bed.Behaviour{}, bed.Behaviour{Result: bed.Failure}, bed.Behaviour{})
			step("5", 1, "false held "+c.rests+" 2 of 5", "~/pilot failed in step_end of cycle 7")
			step("2", 0, "true done "+c.rests+" 2 of 2")
		})
	}
}

// TestROSCLEPausedIsStopped: a start adopts paused after a run, and initial before the first one.
func TestROSCLEPausedIsStopped(t *testing.T) {
	s := newLoop(t, "roscle", "created")
	s.Do("initialize", "succeeded done initial")
	s.restart(true)
	s.Settled("initial")
	s.Alone()
	s.Do("start", "succeeded done running")
	s.stepped("pilot", 9)
	s.restart(true)
	s.Settled("paused")
	s.Alone()
}

// TestCloeLife: connect → start → the step's phases → stop → disconnect, with the simulator before the controller in
// each step.
func TestCloeLife(t *testing.T) {
	s := newLoop(t, "cloe", "idle")
	s.Do("connect", "succeeded done connect")
	s.wantWhere("inactive inactive")
	start := s.Goal("start")
	s.stepped("pilot", 30)
	s.Do("stop", "succeeded done stop")
	s.ends(start, "succeeded done stop")
	if code := s.Process.Wait(t); code != 13 {
		t.Errorf("rstate ends with %d, want the code of stopped", code)
	}
	s.wantWhere("finalized finalized")
	s.inOrder()
}

// inOrder checks that the simulator has ended its part of each step before the controller began.
func (s *stand) inOrder() {
	s.t.Helper()
	ends, begins := []int64{}, []int64{}
	for _, c := range s.nodes["physics"].Truth().Calls {
		if c.What == "step_simulator" {
			ends = append(ends, c.End)
		}
	}
	for _, c := range s.nodes["pilot"].Truth().Calls {
		if c.What == "step_controller" {
			begins = append(begins, c.Begin)
		}
	}
	if len(ends) < len(begins) || len(begins) == 0 {
		s.t.Fatalf("%d simulator steps, %d controller steps", len(ends), len(begins))
	}
	for i := range begins {
		if begins[i] < ends[i] {
			s.t.Errorf("step %d: the controller began before the simulator ended", i+1)
		}
	}
}

// TestCloePause: pause acts at the end of a step, pause → pause is refused as a repeat, resume goes on, and a stop in a
// pause is kept until resume.
func TestCloePause(t *testing.T) {
	s := newLoop(t, "cloe", "idle")
	s.Do("connect", "succeeded done connect")
	start := s.Goal("start")
	s.stepped("pilot", 9)
	s.Do("pause", "succeeded done pause")
	s.ends(start, "succeeded done pause")
	n := len(s.nodes["pilot"].Truth().Steps)
	if got := s.phases("pilot"); !strings.HasSuffix(got, "e") {
		t.Errorf("it paused in the middle of a step: %s", got)
	}
	resume := s.GoalWith("resume", "2")
	s.ends(resume, "succeeded done pause", "after 2 steps")
	if got := len(s.nodes["pilot"].Truth().Steps); got != n+6 {
		t.Errorf("two steps made %d calls", got-n)
	}
	kept := func(v daemon.View) bool { return len(v.OpenGoals) == 1 && v.State.Label == "pause" }
	stop := s.Goal("stop")
	s.Await("the stop is kept", kept)
	if !stop.Cancel() {
		t.Error("the kept stop cannot be cancelled")
	}
	s.ends(stop, "canceled canceled pause")
	stop = s.Goal("stop")
	s.Await("another stop is kept", kept)
	resume = s.Goal("resume")
	s.ends(stop, "succeeded done stop")
	s.ends(resume, "succeeded done stop")
	if code := s.Process.Wait(t); code != 13 {
		t.Errorf("rstate ends with %d", code)
	}
}

// TestCloeReset: reset goes through stop and starts again at step 1; a component that cannot restart aborts the run.
func TestCloeReset(t *testing.T) {
	s := newLoop(t, "cloe", "idle")
	s.Do("connect", "succeeded done connect")
	s.Goal("start")
	s.stepped("pilot", 30)
	s.script("physics", "step_simulator", bed.Behaviour{Want: 2}, bed.Behaviour{})
	bed.Eventually(t, "the simulation has ended its first step again", func() (string, bool) {
		physics, pilot := s.phases("physics"), s.phases("pilot")
		return physics + "; " + pilot, strings.Count(physics, " 1e") == 2 && strings.Count(pilot, " 1e") == 2
	})
	if n := s.nodes["physics"].Truth().Count("deactivate"); n != 1 {
		t.Errorf("the simulator was deactivated %d times", n)
	}
	for name, want := range map[string]string{"physics": "1r 1b 1s 1e", "pilot": "1r 1b 1c 1e"} {
		if got := s.phases(name); strings.Count(got, "r") != 1 || !strings.Contains(got, want) {
			t.Errorf("%s was not told of the reset before its first step: %s", name, got)
		}
	}
	s.script("pilot", "deactivate", bed.Behaviour{Result: bed.Failure})
	s.Goal("reset")
	if code := s.Process.Wait(t); code != 12 {
		t.Errorf("rstate ends with %d, want the code of aborted", code)
	}
}

// TestL9AResetThatFails: a participant that cannot go back ends the run.
func TestL9AResetThatFails(t *testing.T) {
	s := newLoop(t, "cloe", "idle")
	s.Do("connect", "succeeded done connect")
	s.Goal("start")
	s.stepped("pilot", 9)
	s.script("physics", "reset", bed.Behaviour{Result: bed.Failure})
	s.ends(s.Goal("reset"), "aborted held stop", "~/physics failed in reset of cycle 1")
	if code := s.Process.Wait(t); code != 12 {
		t.Errorf("rstate ends with %d, want the code of aborted", code)
	}
}

// TestCloeAbort: at once and from everywhere; a run that never started has the outcome no_start.
func TestCloeAbort(t *testing.T) {
	t.Run("in a step", func(t *testing.T) {
		s := newLoop(t, "cloe", "idle")
		s.Do("connect", "succeeded done connect")
		s.script("pilot", "step_controller", bed.Behaviour{}, bed.Behaviour{Delay: 20 * time.Second})
		start := s.Goal("start")
		s.busy("pilot", "step_controller")
		abort := s.Goal("abort")
		s.ends(start, "aborted held stop")
		s.nodes["pilot"].Thaw()
		s.ends(abort, "succeeded done stop")
		if code := s.Process.Wait(t); code != 12 {
			t.Errorf("rstate ends with %d", code)
		}
		bed.Eventually(t, "it has passed abort", func() (string, bool) { return fmt.Sprint(s.Passed()), slices.Contains(s.Passed(), "abort") })
	})
	t.Run("before a start", func(t *testing.T) {
		s := newLoop(t, "cloe", "idle")
		s.Do("connect", "succeeded done connect")
		s.Do("abort", "succeeded done disconnect")
		if code := s.Process.Wait(t); code != 10 {
			t.Errorf("rstate ends with %d", code)
		}
	})
	t.Run("by a participant that cannot go on", func(t *testing.T) {
		s := newLoop(t, "cloe", "idle")
		s.Do("connect", "succeeded done connect")
		s.script("physics", "step_simulator", bed.Behaviour{}, bed.Behaviour{Result: bed.Failure})
		s.ends(s.Goal("start"), "aborted held stop", "~/physics failed in step_simulator of cycle 2")
		if code := s.Process.Wait(t); code != 12 {
			t.Errorf("rstate ends with %d", code)
		}
	})
}

// TestCloeTriggers: of the network file, by service, command line and HTTP; they act at the end of a step.
func TestCloeTriggers(t *testing.T) {
	t.Parallel()
	text := patient + fmt.Sprintf(loopOf, "cloe") + "  triggers: [{after: 5, do: pause}, {at: 200ms, do: succeed}]\n"
	s := newStand(t, setup{network: text, ready: "idle", config: daemon.Config{HTTP: true}})
	s.Do("connect", "succeeded done connect")
	s.ends(s.Goal("start"), "succeeded done pause", "after 5 steps", "trigger")
	set := func(fields map[string]any) (answer struct {
		Success bool
		Message string
	}) {
		t.Helper()
		if err := s.host.Call("rstate_msgs/srv/SetTrigger", s.Name+"/set_trigger", fields, bed.Deadline, &answer); err != nil {
			t.Fatal(err)
		}
		return answer
	}
	if a := set(map[string]any{"id": 0, "steps": 1, "want": 4}); a.Success || !strings.Contains(a.Message, "write one from 1") {
		t.Errorf("a trigger without an id: %+v", a)
	}
	if a := set(map[string]any{"id": 7, "steps": 2, "want": 4, "reason": "look"}); !a.Success {
		t.Errorf("a trigger: %+v", a)
	}
	s.ends(s.Goal("resume"), "succeeded done pause", "after 2 steps", "trigger 7: look")
	cli := func(args ...string) (code int, text string) {
		out, err := exec.Command(binary, append([]string{"trigger", "--node", s.Name}, args...)...).CombinedOutput()
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			return exit.ExitCode(), string(out)
		}
		return 0, string(out)
	}
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"8 --after 2 --do pause --reason again", 0, "trigger 8: pause after 2 steps"},
		{"9 --after 1 --do abort", 0, "trigger 9: abort after 1 step"},
		{"9 --remove", 0, "trigger 9 is removed"},
		{"0 --after 1", 2, "write one from 1"},
		{"9", 2, "write --after STEPS, --at TIME, or both"},
		{"9 --remove --after 1", 2, "leave out --remove"},
	} {
		if code, text := cli(strings.Fields(c.args)...); code != c.code || !strings.Contains(text, c.says) {
			t.Errorf("trigger %s: %d, want %d and %q: %s", c.args, code, c.code, c.says, text)
		}
	}
	s.ends(s.Goal("resume"), "succeeded done pause", "after 2 steps", "trigger 8: again")
	w := &web{t, s.Address(), s.Simulation}
	if a, body := w.calls("PUT", "/simulation/"+w.id+"/trigger/8", `{"after": 1, "do": "fail"}`); a.status != 204 {
		t.Errorf("a trigger over HTTP: %d: %s", a.status, body)
	}
	if a, body := w.calls("DELETE", "/simulation/"+w.id+"/trigger/8", ""); a.status != 204 {
		t.Errorf("its removal: %d: %s", a.status, body)
	}
	s.ends(s.Goal("resume"), "succeeded done stop", "after")
	if code := s.Process.Wait(t); code != 0 {
		t.Errorf("rstate ends with %d, want the code of success", code)
	}
}

// TestExamplesOfParticipants: a ball falls equally long in Python and in Go, in one run and in two. As a
// controller it does not fall.
func TestExamplesOfParticipants(t *testing.T) {
	compiled := filepath.Join(t.TempDir(), "stepped_node")
	if out, err := exec.Command("go", "build", "-tags", bed.Tags, "-o", compiled, "rstate/ros/rstate/examples/stepped_node").CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	script := filepath.Join(inPackage, "examples", "stepped_node.py")
	for language, command := range map[string][]string{"Go": {compiled}, "Python": {"python3", "-B", script}} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			s := newStand(t, setup{network: patient + fmt.Sprintf(loopOf, "cle"), ready: "-", away: []string{"physics", "pilot"}})
			for _, name := range []string{"physics", "pilot"} {
				args := append(slices.Clone(command), "--ros-args", "-r", "__ns:="+s.space, "-r", "__node:="+name)
				bed.StartCommand(t, name, bed.Command{Args: args, Env: modules(t)})
			}
			s.Intact("created")
			s.Do("initialize", "succeeded done stopped")
			s.ends(s.GoalWith("run_step", "30"), "succeeded done stopped", "after 30 steps")
			s.ends(s.Goal("start"), "succeeded done stopped", "after 41 steps: ~/physics wants succeed in step_end of cycle 71: the ball has hit the ground")
			s.Do("reset", "succeeded done stopped")
			s.ends(s.Goal("start"), "succeeded done stopped", "after 71 steps")
		})
	}
}

// TestL2OneInstanceHasTheLoop: a second instance with a loop is refused, by the name of the first.
func TestL2OneInstanceHasTheLoop(t *testing.T) {
	s := newLoop(t, "cle", "created")
	s.Do("initialize", "succeeded done stopped")
	other := newStand(t, setup{network: patient + fmt.Sprintf(loopOf, "cle"), ready: "-", config: daemon.Config{Simulation: s.Simulation}})
	other.Intact("stopped")
	other.ends(other.Goal("start"), "aborted held stopped", s.Name+" has the loop of simulation")
}

// TestL2PeersOfALoop: a peer without the key loop follows the instance that has it, and shows the state that adopt_as
// names while the loop runs. It cannot start the loop, and ends with it.
func TestL2PeersOfALoop(t *testing.T) {
	s := newLoop(t, "cle", "created", "peers: {}\n")
	peer := newStand(t, setup{network: patient + "machine: cle\nnodes:\n  ~/camera: {}\npeers: {}\n", ready: "created", config: daemon.Config{Simulation: s.Simulation}})
	s.Await("it knows its peer", func(v daemon.View) bool { return len(v.Peers) == 1 })
	s.Do("initialize", "succeeded done stopped")
	peer.Intact("stopped")
	peer.wantWhere("active")
	start := s.Goal("start")
	s.stepped("pilot", 9)
	peer.Await("it stays stopped, and is not behind", func(v daemon.View) bool { return v.State.Label == "stopped" && v.Settled && !v.Behind })
	peer.Rejected("start", "has no loop:")
	s.Do("stop", "succeeded done stopping")
	s.ends(start, "succeeded done stopped")
	s.Do("shutdown", "succeeded done released")
	peer.Settled("released")
	peer.wantWhere("finalized")
}

// TestL2PeersRaiseTheirNodes: the state of the loop is higher than the one before, so a peer follows to the state that
// stands for it. A client that waits for peers waits for that.
func TestL2PeersRaiseTheirNodes(t *testing.T) {
	s := newLoop(t, "cloe", "idle", "peers: {}\n")
	peer := newStand(t, setup{network: patient + "machine: cloe\nnodes:\n  ~/camera: {}\npeers: {}\n", ready: "idle", config: daemon.Config{Simulation: s.Simulation}})
	s.Await("it knows its peer", func(v daemon.View) bool { return len(v.Peers) == 1 })
	s.Do("connect", "succeeded done connect")
	peer.Intact("connect")
	start := s.Goal("start")
	s.stepped("pilot", 9)
	peer.Intact("pause")
	peer.wantWhere("active")
	s.Do("pause", "succeeded done pause")
	s.ends(start, "succeeded done pause")
	s.Goal("resume")
	s.stepped("pilot", 30)
	s.Do("stop", "succeeded done stop")
	peer.Settled("disconnect")
	peer.wantWhere("finalized")
}

// TestReadersWaitForTheEndOfAStep: data are held from step_begin until step_end, for 5 s at most, and answered at once
// while no step runs. A reader that asks all the time reads beside a loop that runs.
func TestReadersWaitForTheEndOfAStep(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{network: patient + fmt.Sprintf(loopOf, "cloe") + "data: {ticks: {topic: ~/ticks}, dump: {service: ~/dump}, odd: {topic: ~/odd}}\n", ready: "idle", config: daemon.Config{HTTP: true}})
	w := &web{t, s.Address(), s.Simulation}
	s.host.Node(bed.NodeSpec{Name: s.full("meter"), Plain: true, Topic: s.full("ticks"), Rate: 20, Check: s.full("dump")})
	type datum struct {
		Type  string
		Value map[string]any
	}
	reads := func(name string) (status int, d datum, text string) {
		a, body := w.calls("GET", "/simulation/"+w.id+"/data/"+name, "")
		json.Unmarshal(body, &d)
		return a.status, d, string(body)
	}
	for name, want := range map[string]string{"ticks": "std_msgs/msg/Int32", "dump": "std_srvs/srv/Trigger"} {
		bed.Eventually(t, name+" can be read", func() (string, bool) {
			status, d, text := reads(name)
			return text, status == 200 && d.Type == want && len(d.Value) > 0
		})
	}
	if status, _, text := reads("nothing"); status != 404 || !strings.Contains(text, "ticks, dump, odd") {
		t.Errorf("%d: %s", status, text)
	}
	if status, _, text := reads("odd"); status != 503 || !strings.Contains(text, s.full("odd")) {
		t.Errorf("%d: %s", status, text)
	}
	s.Do("connect", "succeeded done connect")
	s.Goal("start")
	s.stepped("pilot", 9)
	for before := len(s.nodes["pilot"].Truth().Steps); len(s.nodes["pilot"].Truth().Steps) < before+60; {
		if daemon.Stalls(s.Process) > 0 {
			t.Fatal("the daemon did not run for a while, so the loop has stopped") // and this one would not end
		}
		for _, name := range []string{"ticks", "dump"} {
			late := context.DeadlineExceeded.Error() // a service is not waited for long
			if status, _, text := reads(name); status != 200 && !strings.Contains(text, late) {
				t.Fatalf("while the loop runs: %d: %s", status, text)
			}
		}
	}
	s.script("pilot", "step_controller", bed.Behaviour{Result: bed.Frozen}, bed.Behaviour{})
	s.busy("pilot", "step_controller")
	if status, _, text := reads("ticks"); (status != 503 || !strings.Contains(text, "did not end in time")) &&
		daemon.Stalls(s.Process) == 0 { // a stall stops the loop
		t.Errorf("in a step that hangs: %d: %s", status, text)
	}
	held := make(chan int)
	go func() { status, _, _ := reads("ticks"); held <- status }()
	s.nodes["pilot"].Thaw()
	if status := <-held; status != 200 {
		t.Errorf("after the end of the step: %d", status)
	}
}

// TestSimulatedTimeIsPublished: on /clock, a message for each step. Another publisher of /clock is named while the
// loop runs, and then the loop does not start. No other test runs beside it: there is one /clock.
func TestSimulatedTimeIsPublished(t *testing.T) {
	s := newStand(t, setup{network: patient + fmt.Sprintf(loopOf, "cle") + "  clock: true\n", ready: "created"})
	heard := s.host.Subscribe(bed.Topic{Kind: "rosgraph_msgs/msg/Clock", Name: "/clock"})
	s.Do("initialize", "succeeded done stopped")
	start := s.Goal("start")
	bed.Eventually(t, "simulated time is heard", func() (string, bool) {
		n := len(heard.Messages())
		return fmt.Sprint(n), n > 20
	})
	s.Do("stop", "succeeded done stopping")
	s.ends(start, "succeeded done stopped")
	var last int64
	for _, m := range heard.Messages() {
		var c struct{ Clock struct{ Sec, Nanosec int64 } }
		if err := json.Unmarshal(m.Message, &c); err != nil {
			t.Fatal(err)
		}
		at := c.Clock.Sec*1e9 + c.Clock.Nanosec
		if at <= last || at%int64(20*time.Millisecond) != 0 {
			t.Fatalf("simulated time goes from %d to %d", last, at)
		}
		last = at
	}
	start = s.Goal("start")
	s.host.Advertise(bed.Topic{Kind: "rosgraph_msgs/msg/Clock", Name: "/clock"})
	s.Await("the other publisher is named", func(v daemon.View) bool {
		return slices.ContainsFunc(v.Warnings, func(w string) bool { return strings.Contains(w, "publishes /clock beside the loop") })
	})
	s.Do("stop", "succeeded done stopping")
	s.ends(start, "succeeded done stopped")
	s.Await("the other publisher is known", func(daemon.View) bool { return heard.Publishers() == 2 })
	bed.Eventually(t, "a start is refused", func() (string, bool) {
		r := s.End(s.GoalWith("start", "1"))
		return r.Message, r.Ended == "aborted" && strings.Contains(r.Message, "publishes /clock already; stop it, or write loop: {clock: false}")
	})
}

// TestL1AClockOfASimulation: simulated time is published on the topic that the file names. No step can keep the highest
// rate, so steps are counted as overruns.
func TestL1AClockOfASimulation(t *testing.T) {
	s := newLoop(t, "cle", "created", "  clock: ~/clock\n  rate: 1000\n")
	heard := s.host.Subscribe(bed.Topic{Kind: "rosgraph_msgs/msg/Clock", Name: s.spell("~/clock")})
	s.Do("initialize", "succeeded done stopped")
	start := s.Goal("start")
	bed.Eventually(t, "simulated time is heard", func() (string, bool) {
		n := len(heard.Messages())
		return fmt.Sprint(n), n > 20
	})
	s.Await("overruns are shown", func(v daemon.View) bool { return v.StepOverruns > 0 })
	s.Do("stop", "succeeded done stopping")
	s.ends(start, "succeeded done stopped")
}

// TestA3ADisarmWaitsForNoStep: while a step hangs, a disarm is carried out at once.
func TestA3ADisarmWaitsForNoStep(t *testing.T) {
	t.Parallel()
	const armed = `extends: cle
proof: 10s
nodes:
  ~/physics: {}
  ~/arm: {after: [~/physics], arm: {}}
loop: {participants: {~/physics: {as: simulator, deadline: 600s}}}
states:
  armed: {nodes: active, armed: true, disarmed: running, loop: running, adopt_as: stopped}
  arming: {transition: true}
  disarming: {transition: true}
  releasing: {transition: true}
transitions:
  arm: {from: [running], via: arming, to: armed, role: arm}
  disarm: {from: [armed], via: disarming, to: running, role: disarm}
  shutdown: {from: any, via: releasing, to: released, role: shutdown}
`
	s := newStand(t, setup{network: patient + armed, ready: "created"})
	s.Do("initialize", "succeeded done stopped")
	start := s.Goal("start")
	s.stepped("physics", 9)
	s.Do("arm", "succeeded done armed")
	s.script("physics", "step_simulator", frozen()...)
	s.busy("physics", "step_simulator")
	s.Do("disarm", "succeeded done running")
	if s.nodes["arm"].Truth().Armed {
		t.Error("it is armed")
	}
	s.Do("shutdown", "succeeded done released")
	s.ends(start, "aborted held released")
}
