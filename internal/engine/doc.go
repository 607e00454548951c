// Package engine decides what an instance does. It is one pure function, Step: the believed state
// of a network and one input give the next state and a list of effects. It has no goroutine, clock,
// channel, random number or map order, so a failed run can be replayed from its inputs.
//
// Inputs are facts: a goal came, a node answered, time has passed. Effects are requests: call this
// node, publish that state. Package coordinator feeds Step and carries out the effects in a World:
// real ROS 2 (package rosnet) or the simulated one (package simnet).
//
// The engine imports machine, network, plan, stepper and lifecycle: data and pure functions. It must not
// import anything that reads a clock, logs, or uses ROS.
//
// The files, by what they are about:
//
// A step.
//
//	step.go        Step: one input in, effects out; which conclusions follow it
//	state.go       the believed state, and one node in it
//	agenda.go      what a step leaves behind, and which nodes it looks at
//	wakeups.go     when to look again
//	inputs.go      every input; inputs_string.go has each as a sentence
//	effects.go     every effect
//
// The layers of the state, the lowest first. Each file says what its layer owns and what it does not know.
//
//	facts.go     what an instance knows from its start on
//	standing.go  where the network stands
//	roster.go    the nodes
//	league.go    the instances of one simulation
//	course.go    what runs
//	clients.go   who asked for what
//
// The start, and other instances.
//
//	start.go       reads nodes and writes nothing until the name is certain
//	adoption.go    finds the state of the network, or lowers what is higher than the rest
//	name.go        one instance per name; which of two stays
//	children.go    nodes that are networks themselves, or have another coordinator
//
// What is known of nodes.
//
//	presence.go      processes that appear, are replaced and are lost
//	process_ends.go  processes that have ended and are still in the graph
//	losses.go        nodes that give no sign of life
//	evidence.go      what announcements and answers say of a node's state
//	reads.go         how a node's state is read, and when a read is fresh
//	sub_states.go    what nodes report of themselves
//	watch.go         the default watch over silent nodes
//	deviations.go    whether a node is as the settled state says
//	drift.go         what the policies of a node say when it strayed or was lost
//	reconciling.go   phase: nodes are restored while nothing runs
//	reactions.go     commands that the machine runs without a client
//
// Goals.
//
//	goal_requests.go        accepted, rejected, and what each begins
//	refusals.go             what the journal says of clients that are refused again and again
//	legal_commands.go       which commands are legal now, and why one is rejected
//	ids.go                  what a repeated id gets
//	joins.go                several clients of one goal
//	goals.go                open goals: how they go on and end
//	goals_around_stalls.go  goals that are too old, or wait for reads
//	results.go              results of nodes and goals, and the last failure
//	cancel.go               phases: a cancelled command drains and is rolled back
//
// The running work.
//
//	work.go         how it begins, and gives each node its part
//	phases.go       the table of phases, and the commit
//	part.go         one node's part
//	next_step.go    the next step of a node
//	order.go        which node waits for which
//	calls.go        one request to a node, until its end is certain
//	done_parts.go   nodes that wait for the others in their target
//	deadlines.go    deadlines of nodes, and the time that is left
//	clock.go        the clock that deadlines count
//	stalls.go       the process did not run
//	late_loop.go    the loop did not turn
//
// Failure and end.
//
//	recovery.go       a failed command: which rung, and how it ends
//	restoring.go      phases: back to the origin
//	unconfiguring.go  phase: the second rung; the last resort
//	logged.go         what a node logs when it fails
//	waits.go          what a rollback waits for
//	shutdown.go       phase: the network is finalized
//	stopping.go       the end of the process
//
// Arming.
//
//	arming_conditions.go  what has to hold before a node is armed
//	arm.go                a node is asked to arm
//	disarm.go             a node is disarmed, or lowered if it does not confirm
//	disarm_commands.go    disarms by clients, for safety and for peers
//	turning_back.go       phase: a commanded disarm leads back to armed
//	arms_noted.go         what the journal notes of armed nodes
//	abandoned.go          absent nodes that may stay armed
//	leftovers.go          nodes that an earlier run may have left armed
//	lease.go              the arm lease
//	proofs.go             probes, and the age of proofs
//	checks.go             checks of topics and services
//	rates.go              rates of topics
//	unsafe_names.go       names that only an armed node may offer
//
// The stepped loop.
//
//	loop.go        how commands start and stop it, and what is shown of it
//	loop_end.go    what follows its end; the outcome of a simulation
//	loop_goals.go  goals that wait for it
//	loop_peers.go  which instance has it
//
// Peers.
//
//	peers.go           what peers report, and the status for peers
//	changes.go         changes on the lifecycle topic
//	following.go       changes of peers that this instance follows
//	peer_waits.go      goals that wait for peers
//	required_peers.go  peers without which nothing is armed
//
// What is written and shown.
//
//	journal.go          when the engine waits for the disk
//	journal_entries.go  the lines of the journal
//	show.go             snapshots
package engine
