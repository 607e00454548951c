// Package stepper is the stepped loop of a simulation: cycles of four phases in which participants
// are called, simulated time, and what ends the loop. A cycle is one step of the simulation; the
// field step of rstate_msgs/srv/Step has its number.
//
// One method, Loop.Step, takes the time and one input and returns effects. It has no goroutine,
// clock, channel, random number or map order, so a run can be replayed from its inputs. It knows no
// machine and no ROS. The caller carries out the effects, and decides what the network does when
// the loop has ended.
//
// # Phases
//
//	phase            is called            ends when
//	step_begin       every participant    all have answered
//	step_simulator   the simulators       all have answered
//	step_controller  the controllers      all have answered
//	step_end         every participant    all have answered
//	reset            every participant    all have answered; then step_begin of the first cycle follows
//
// The participants of a phase are called side by side. A phase without participants ends at once.
// With Config.Asks no cycle begins without the input Begin, so that a caller can use the time between
// two cycles. Between them no deadline runs, and a want of the caller ends the loop at once.
//
// # Ends
//
// When step_end has ended, simulated time advances by dt and triggers are looked at. Then the loop
// ends if anything asks for it, or the next cycle begins:
//
//	pause, stop, reset, fail, wanted by a participant, the caller or a trigger: end after step_end
//	succeed
//	abort                     wanted by a participant or the caller: ends at once; by a trigger:
//	                          ends after step_end
//	an error                  of a participant that fails, hangs, is lost or respawned, or of something
//	                          beside the participants: ends at once
//	the number of cycles      that the start gave: ends after step_end
//
// If several are wanted in one cycle the strongest counts (wants.go). A want that the machine lacks
// becomes another one when the loop ends, not before. So an abort ends the loop at once even where
// the machine only knows stop. What the caller wants does not outlive the loop: a caller that keeps a
// stop until the loop is resumed sends it after the Start. Triggers do, until they act or are cleared.
//
// What participants and triggers want outlives an end at once that the caller wants, and an end that
// the caller has not acted on (Overtaken). The next start ends the loop with it: at once if the cycle
// had ended, and otherwise after that cycle has run again. An abort never waits for a cycle. A pause
// has come about, and a reset forgets what was wanted.
//
// Calls that are open when the loop ends no longer count. Late and repeated answers are recognised
// by the number of the call, ignored and counted. A cycle in which the loop ended too early is not
// counted: the next start runs it again, with the same number and the same simulated time.
//
// # Simulated time
//
// Simulated time is the time at which dt last changed plus dt for each cycle since, in whole
// nanoseconds, so it does not drift. A start goes on with the time and the cycle at which the last
// run ended. A reset sets both to zero. The next cycle begins with the phase reset if a cycle has begun
// before; a participant that fails in it ends the loop, and hears of the reset again.
//
// # Statistics
//
// Cloe resets its statistics of a cycle at step_begin. Here there are two kinds, both reset at
// step_begin: Last is the duration in this cycle, and each cycle resets it; count, sum and maximum
// cover the run, and the first cycle after a start resets them. So one slow phase can be seen while
// it matters, and a user reads means and maxima of what runs, not of what ran before a pause. A
// reader that wants a whole cycle takes it when Effects.Ticked is set. Cycles per second are the
// difference of two values of Cycles over the time between them.
//
// # Files
//
// Reading order: a file uses mostly files below it.
//
//	loop.go      Loop, Step, and what the caller can read
//	cycle.go     phases, answers, the end of a cycle, the end of the loop
//	deadline.go  participants that hang or are lost, and the next wake-up
//	clock.go     simulated time
//	trigger.go   triggers
//	argument.go  the argument of a command that starts the loop
//	stat.go      durations
//	inputs.go    every input
//	effects.go   effects
//	wants.go     wants: which is the strongest, and what becomes of one that the machine lacks
//	types.go     participants, roles, phases
//
// It may import the standard library only.
package stepper
