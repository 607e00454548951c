package httpapi

import (
	"cmp"
	"encoding/json"
	"net/http"
	"time"
)

// List is a list that is [] in JSON when it is empty, never null.
type List[T any] []T

// MarshalJSON writes the list.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]T(l))
}

// Summary is one simulation in the list.
type Summary struct {
	ID      string `json:"id" doc:"The id. A factory never uses one again."`
	Name    string `json:"name" doc:"The full name of the ROS node."`
	Run     string `json:"run" doc:"The run of the simulation: new at each start."`
	Machine string `json:"machine" doc:"The name of the machine." example:"nrp"`
	State   string `json:"state" doc:"The state that the simulation is in, or passes through." example:"paused"`
	Settled bool   `json:"settled" doc:"False while a transition runs, or while the state is unknown."`
	Intact  bool   `json:"intact" doc:"True if every required node is as the state says."`
	Ended   bool   `json:"ended" doc:"True if the simulation has ended. Its last state and its history stay readable until it is removed."`
	Stalled bool   `json:"stalled" doc:"True if the loop of the simulation has not turned for a second. Its data may be outdated then."`

	MayBeArmed List[string] `json:"may_be_armed" doc:"The nodes that are armed, or have not confirmed to be disarmed."`

	Cause   string    `json:"cause" doc:"Why it is in this state, for a person."`
	Outcome string    `json:"outcome,omitempty" enum:"success,failure,stopped,aborted,no_start" doc:"The outcome of a stepped simulation; left out while it is undecided, or if the machine has no outcomes."`
	Owner   string    `json:"owner,omitempty" doc:"The person or program that asked for it."`
	Created time.Time `json:"created" doc:"When it was created."`
}

// Simulation is everything about one simulation.
type Simulation struct {
	Summary
	Version     string          `json:"version" doc:"The version of rstate."`
	MachineHash string          `json:"machine_hash" doc:"Simulations mirror each other only if their machines have the same hash."`
	Target      string          `json:"target" doc:"The state that the simulation goes to, or rests in."`
	Seen        string          `json:"seen" doc:"What a command that arms has to bring. Everything that ends a permission to arm changes it."`
	Commands    List[Command]   `json:"commands" doc:"The commands that are legal now."`
	AllCommands List[Command]   `json:"all_commands" doc:"Every command of the machine that a client can send, legal now or not, in an order that never changes."`
	Disarm      string          `json:"disarm,omitempty" doc:"The command that disarms, which is accepted in every state; left out if the machine has no armed state."`
	Authority   bool            `json:"authority" doc:"True if a command that arms needs an authority."`
	Progress    *Progress       `json:"progress,omitempty" doc:"The transition that runs now."`
	Deviations  List[Deviation] `json:"deviations" doc:"What is not as the state says, newest last."`
	Nodes       List[Node]      `json:"nodes" doc:"Every node, in the order of the network file."`
	Lease       *Lease          `json:"lease,omitempty" doc:"The arm lease that is held."`
	Guards      List[Guard]     `json:"guards" doc:"The guards that were heard lately. They disarm nodes that follow no lease, if the coordinator dies."`
	Failure     *Failure        `json:"failure,omitempty" doc:"What failed last."`
	Refusal     *Refusal        `json:"refusal,omitempty" doc:"The command that was rejected last."`
	Data        List[string]    `json:"data" doc:"The names of the data that can be read."`
	Loop        *Loop           `json:"loop,omitempty" doc:"The stepped loop."`
	Peers       List[Peer]      `json:"peers" doc:"Other instances of this simulation."`
	Stops       *Stops          `json:"stops,omitempty" doc:"The stop inputs, and the stops that are not acknowledged; left out if there are none."`
	Warnings    List[string]    `json:"warnings" doc:"What a person should know although it stops nothing."`
	Stamp       time.Time       `json:"stamp" doc:"When this became so, and from when its ages count."`
	Readiness   string          `json:"readiness,omitempty" enum:"ready,not ready,measuring,armed" doc:"Whether the command that arms would arm the simulation now; left out if nothing can be armed."`
	Obstacles   List[Obstacle]  `json:"obstacles" doc:"Every reason why not."`
	Checks      List[Check]     `json:"checks" doc:"Every check of the network file, with what it says now."`
	Broke       bool            `json:"-"` // for the metrics: it has ended by a fault of rstate or of ROS
}

// Obstacle is one reason against arming.
type Obstacle struct {
	Name      string `json:"name,omitempty" doc:"The node that it is about; left out if it is about the network as a whole."`
	Why       string `json:"why" doc:"The reason, for a person."`
	Do        string `json:"what_to_do,omitempty" doc:"What a person can do about it."`
	Measuring bool   `json:"measuring" doc:"True if it is not decided yet: a command that arms would wait for it."`
}

// Check is one check of the network file.
type Check struct {
	Name    string   `json:"name" doc:"The node that has the check."`
	Subject string   `json:"subject" doc:"What it looks at." example:"/scan"`
	Kind    string   `json:"kind" enum:"rate,age,field,service,parameter,file" doc:"What it asks."`
	Value   string   `json:"value,omitempty" doc:"What was measured." example:"9.8 Hz of 10 Hz"`
	Number  *float64 `json:"-"` // the same as a number, for the metrics; nil: it is none
	Known   bool     `json:"known" doc:"False while it is not decided."`
	Passes  bool     `json:"passes" doc:"True if it passes."`
	Fault   string   `json:"fault,omitempty" doc:"Why it does not pass."`
	Do      string   `json:"what_to_do,omitempty" doc:"What a person can do about it."`
	When    string   `json:"when,omitempty" enum:"enter,stay" doc:"When it counts; left out: before and while the simulation is armed."`
	Warn    bool     `json:"warn" doc:"True if it forbids nothing."`
}

// Datum is simulation data as they were between two steps.
type Datum struct {
	Name  string         `json:"name" doc:"The name in the network file."`
	Type  string         `json:"type" doc:"The type of the message." example:"nav_msgs/msg/Odometry"`
	Stamp time.Time      `json:"stamp" doc:"When the message came."`
	Value map[string]any `json:"value" doc:"The message. Numbers that JSON does not have are the texts NaN, Infinity and -Infinity."`
}

// Loop is the stepped loop of a simulation.
type Loop struct {
	Phase    string  `json:"phase,omitempty" doc:"The phase that runs; left out if the loop stands." example:"step_simulator"`
	Step     uint64  `json:"step" doc:"The number of the step, from 1 at each reset."`
	Time     float64 `json:"time_s" doc:"Simulated time at its beginning."`
	Rate     float64 `json:"rate_hz" doc:"How many steps end in a second."`
	Overruns uint64  `json:"overruns" doc:"How many steps of this run ended later than the rate of the loop allows."`
	Fault    string  `json:"fault,omitempty" doc:"Why the loop stopped by a fault."`

	Participants List[Participant] `json:"participants" doc:"How long each participant takes for each phase."`

	Recordings []string `json:"recordings,omitempty" doc:"The files of the recording, one for each beginning of the loop. The last one is being written."`
}

// Participant is how long a node of a stepped loop takes for one phase, in this run of the loop.
type Participant struct {
	Node  string  `json:"node" doc:"The full name of the node."`
	Phase string  `json:"phase" doc:"The phase." example:"step_simulator"`
	Count uint64  `json:"count" doc:"How many calls it has answered."`
	Mean  float64 `json:"mean_s" doc:"How long a call takes on average."`
	Max   float64 `json:"max_s" doc:"How long the longest call took."`
	Last  float64 `json:"last_s" doc:"How long the last call took."`
}

// Command is one command of the machine.
type Command struct {
	Name   string `json:"name" doc:"The command." example:"started"`
	To     string `json:"to" doc:"The state that it leads to; empty if that depends on where it begins, and it cannot begin now."`
	Arms   bool   `json:"arms" doc:"True if it can arm a node, and so needs a challenge."`
	Ends   bool   `json:"ends" doc:"True if it can end the simulation: it leads to a final state from here or from another state."`
	Role   string `json:"role,omitempty" doc:"What the command is for in every machine." example:"shutdown"`
	WhyNot string `json:"why_not,omitempty" doc:"Why it is not legal now; left out if it is." example:"legal in: inactive"`
}

// Progress tells how far the running transition has come.
type Progress struct {
	Command    string       `json:"command" doc:"The command; empty if rstate acts by itself."`
	Origin     string       `json:"origin" doc:"Where the command came from: goal, parent, peer, policy, autostart or exit."`
	Client     string       `json:"client,omitempty" doc:"The person or program that asked for it."`
	From       string       `json:"from" doc:"The state in which it began."`
	Via        string       `json:"via" doc:"The state that it passes through now."`
	Recovery   string       `json:"recovery,omitempty" doc:"What it does to recover from a failure: restore, unconfigure or shutdown."`
	Done       int          `json:"done" doc:"Steps of nodes that have ended."`
	Total      int          `json:"total" doc:"Steps of nodes altogether."`
	WaitingFor List[string] `json:"waiting_for" doc:"What it waits for, in words."`
	Elapsed    float64      `json:"elapsed_s" doc:"Seconds since it began."`
	TimeLeft   *float64     `json:"time_left_s,omitempty" doc:"The longest that it can still take by the deadlines of its nodes; absent while a stopped clock holds them."`
}

// Deviation is something that is not as the state says.
type Deviation struct {
	Name     string `json:"name" doc:"The full name of a node or peer."`
	Expected string `json:"expected" doc:"What the state says of it."`
	Found    string `json:"found" doc:"What was found."`
	Optional bool   `json:"optional" doc:"True if the simulation is intact without it."`
	Cause    string `json:"cause,omitempty" doc:"What is wrong, for a person: a predicate after the name." example:"is lost: its process has ended"`
}

// Node is one node as its coordinator knows it.
type Node struct {
	Name        string       `json:"name" doc:"The full name."`
	After       List[string] `json:"after" doc:"The nodes that are raised before it and lowered after it."`
	Lifecycle   bool         `json:"lifecycle" doc:"False for a plain node, which is never started or stopped."`
	Optional    bool         `json:"optional" doc:"True if the simulation can do without it."`
	Present     bool         `json:"present" doc:"True while it is in the graph or answers."`
	State       string       `json:"state" doc:"The state that was read or heard last; unknown until then."`
	Expected    string       `json:"expected" doc:"What the state, or the target of the running transition, asks of it."`
	Armable     bool         `json:"armable" doc:"True if the network file arms this node."`
	Armed       bool         `json:"armed" doc:"True if it confirmed arming, and its proof and lease hold."`
	MayBeArmed  bool         `json:"may_be_armed" doc:"True until it has confirmed disarming, or cannot be armed any more."`
	DeadMan     string       `json:"dead_man,omitempty" doc:"Lease if it disarms by itself when its coordinator dies; none if it does not."`
	ArmServedBy string       `json:"arm_served_by,omitempty" doc:"The node whose process serves its arming service, if the network file names one."`
	ProofAge    *float64     `json:"proof_age_s,omitempty" doc:"The age of the newest proof of its state."`
	Running     string       `json:"running,omitempty" doc:"The call that it has not answered yet."`
	TimeLeft    *float64     `json:"time_left_s,omitempty" doc:"Seconds to the deadline of that call."`
	Failing     List[string] `json:"failing" doc:"The checks that do not pass, each with its reason."`
	Report      string       `json:"report,omitempty" doc:"The sub-state that it reported last."`
	Cause       string       `json:"cause,omitempty" doc:"Why it is as it is, for a person."`
}

// Lease is the arm lease that is held.
type Lease struct {
	Term uint64  `json:"term" doc:"The number of the lease."`
	Age  float64 `json:"age_s" doc:"The age of its newest message."`
	Left float64 `json:"left_s" doc:"The time until it ends if it is not renewed."`
}

// Guard is a program that disarms nodes that follow no lease, if the coordinator dies.
type Guard struct {
	ID    string       `json:"id" doc:"Its host and process."`
	Nodes List[string] `json:"nodes" doc:"The nodes whose disarm it can call."`
	Alive bool         `json:"alive" doc:"True if it covers these nodes: it speaks, hears this run, and hears the arm lease while one is held."`
	Age   float64      `json:"age_s" doc:"The age of its newest message."`
	Cause string       `json:"cause,omitempty" doc:"Why it does not cover them, or what it cannot call."`
}

// Failure is what failed last.
type Failure struct {
	Command string    `json:"command" doc:"The command that failed."`
	Origin  string    `json:"origin" doc:"Where it came from."`
	Client  string    `json:"client,omitempty" doc:"The person or program that asked for it."`
	Outcome string    `json:"outcome" doc:"How it ended."`
	From    string    `json:"from" doc:"The state in which it began."`
	Cause   string    `json:"cause" doc:"Why it failed, for a person."`
	Stamp   time.Time `json:"stamp" doc:"When it failed."`
}

// Refusal is the command that was rejected last.
type Refusal struct {
	Command string    `json:"command" doc:"The command."`
	Why     string    `json:"why" doc:"Why it was rejected, and what to do."`
	Client  string    `json:"client,omitempty" doc:"The person or program that asked for it."`
	Stamp   time.Time `json:"stamp" doc:"When it was rejected."`
}

// Peer is another instance of the same simulation.
type Peer struct {
	Name     string `json:"name" doc:"The full name of its ROS node."`
	Required bool   `json:"required" doc:"True if this simulation asks for it."`
	Alive    bool   `json:"alive" doc:"True while it renews its liveliness."`
	State    string `json:"state" doc:"Its state."`
	Target   string `json:"target" doc:"The state that it goes to."`
	Intact   bool   `json:"intact" doc:"True if its nodes are as its state says."`
	Behind   bool   `json:"behind" doc:"True if it could not follow a change."`
	Cause    string `json:"cause,omitempty" doc:"Why it is not as it should be."`
}

// State is the state of a simulation, for clients that need no more.
type State struct {
	State    string       `json:"state" doc:"The state that the simulation is in, or passes through." example:"paused"`
	Settled  bool         `json:"settled" doc:"False while a transition runs."`
	Intact   bool         `json:"intact" doc:"True if every required node is as the state says."`
	Target   string       `json:"target" doc:"The state that the simulation goes to, or rests in."`
	Commands List[string] `json:"commands" doc:"The commands that are legal now."`

	MayBeArmed List[string] `json:"may_be_armed" doc:"The nodes that are armed, or have not confirmed to be disarmed."`
}

// Order is a command to a simulation. Only state has a limited length: a command that lowers the
// simulation is not refused because of what else comes with it.
type Order struct {
	State     string `json:"state" minLength:"1" maxLength:"200" example:"started" doc:"A command, or the state to reach. A command comes before a state of the same name."`
	Reason    string `json:"reason,omitempty" doc:"Why, in the words of the client; kept in the history."`
	ID        string `json:"id,omitempty" doc:"Chosen by the client. A request with the id of a running request joins it, and nothing runs twice."`
	Argument  string `json:"argument,omitempty" doc:"For a command that takes one: a number of steps, the simulated time of a step, or both (100 20ms)."`
	Authority string `json:"authority,omitempty" doc:"The authority to arm, where the network file asks for one."`
	Seen      string `json:"seen,omitempty" doc:"For a command that arms: seen of the simulation when the person, or the program, decided to arm."`
	Challenge string `json:"challenge,omitempty" doc:"A challenge of this server; a command that arms needs one."`
}

// Trigger makes something happen to a stepped loop, once: at the first end of a step at which both conditions hold.
type Trigger struct {
	After  uint64  `json:"after,omitempty" doc:"So many steps have ended since now."`
	At     float64 `json:"at_s,omitempty" minimum:"0" maximum:"2147483647" doc:"Simulated time has reached this, in seconds."`
	Do     string  `json:"do" enum:"succeed,stop,fail,reset,abort,pause" doc:"What happens then."`
	Reason string  `json:"reason,omitempty" maxLength:"200" doc:"Why, for a person."`
}

// Result tells how a command ended.
type Result struct {
	Success bool             `json:"success" doc:"True if the simulation did what was asked, or was there already."`
	Outcome string           `json:"outcome" doc:"How it ended, as in the action of rstate." example:"done"`
	Message string           `json:"message" doc:"One sentence for a person."`
	State   string           `json:"state" doc:"The state of the simulation now."`
	Nodes   List[NodeResult] `json:"nodes" doc:"What each node did; first the nodes that made it fail."`
	Elapsed float64          `json:"elapsed_s" doc:"Seconds from its acceptance to its end."`
}

// NodeResult is what one node did.
type NodeResult struct {
	Name     string  `json:"name" doc:"The full name."`
	Step     string  `json:"step" doc:"The step, such as configure."`
	Verdict  string  `json:"verdict" doc:"How it ended: done, refused, errored, late, gone, unknown, skipped or undone."`
	Evidence string  `json:"evidence" doc:"What the verdict rests on, in words."`
	From     string  `json:"from" doc:"The state in which the node was found."`
	State    string  `json:"state" doc:"The state in which it was seen last."`
	Elapsed  float64 `json:"elapsed_s" doc:"Seconds from the request to the evidence."`
}

// Creation asks for a new simulation. Clients of the NRP name the experiment by experimentID, and send more keys.
type Creation struct {
	_ struct{} `json:"-" additionalProperties:"true"`

	Experiment   string `json:"experiment,omitempty" minLength:"1" maxLength:"200" doc:"The name of an experiment of the factory." example:"demo"`
	ExperimentID string `json:"experimentID,omitempty" minLength:"1" maxLength:"200" doc:"The same, as clients of the NRP call it. One of the two is needed."`
	ID           string `json:"id,omitempty" maxLength:"15" pattern:"^(0|[1-9][0-9]*)?$" doc:"The id, a number that the factory has not used yet; without it, the next one."`
	Owner        string `json:"owner,omitempty" maxLength:"200" doc:"The person or program that asks, for the list."`
}

// named brings the name of the experiment into its field.
func (c *Creation) named() error {
	switch name := cmp.Or(c.Experiment, c.ExperimentID); {
	case name == "":
		return problem(http.StatusBadRequest,
			"the creation names no experiment; send its name as experiment or experimentID")
	case c.ExperimentID != "" && c.ExperimentID != name:
		return problem(http.StatusBadRequest, "experiment and experimentID name two experiments; leave one out")
	default:
		c.Experiment, c.ExperimentID = name, ""
	}
	return nil
}

// Removal says how a simulation ends.
type Removal struct {
	OnExit string `query:"on_exit" enum:"disarm,leave,shutdown" doc:"What becomes of its nodes; without it, what the network file says."`
	Reason string `query:"reason" minLength:"1" doc:"Why, for the history."`
}

// HistoryQuery selects entries of the journal.
type HistoryQuery struct {
	Last  int       `query:"last" minimum:"1" maximum:"1000" default:"100" doc:"At most so many entries, the newest ones."`
	Since time.Time `query:"since" doc:"Only entries that are not older."`
	Node  string    `query:"node" minLength:"1" doc:"Only entries about this node or peer."`
	Kind  string    `query:"kind" enum:"command,refusal,step,state,drift,peer,instance" doc:"Only entries of this kind."`
}

// Entry is one line of the journal.
type Entry struct {
	Stamp   time.Time `json:"stamp" doc:"When."`
	Run     string    `json:"run" doc:"The run of the simulation."`
	N       uint64    `json:"n" doc:"The number of the entry in that run."`
	Kind    string    `json:"kind" doc:"What the entry is about: command, refusal, step, state, drift, peer, instance or stop."`
	Command string    `json:"command,omitempty" doc:"The command that it belongs to."`
	GoalID  string    `json:"goal_id,omitempty" doc:"The id of the request that it belongs to."`
	Client  string    `json:"client,omitempty" doc:"The person or program that asked for it."`
	Node    string    `json:"node,omitempty" doc:"The full name of the node or peer."`
	Step    string    `json:"step,omitempty" doc:"What was asked of the node."`
	Took    *float64  `json:"took_s,omitempty" doc:"How long that took, or a command that has ended; the entry is of the end."`
	From    string    `json:"from,omitempty" doc:"The state before."`
	To      string    `json:"to,omitempty" doc:"The state after."`
	Verdict string    `json:"verdict,omitempty" doc:"The verdict of a step, or the outcome of a command."`
	Text    string    `json:"text" doc:"One sentence for a person."`
}

// Network is the network file of a simulation.
type Network struct {
	File string `json:"file" doc:"The path of the file, on the host of the daemon; empty if it was given as text."`
	YAML string `json:"yaml" doc:"The network with every default filled in, as a file of its own."`
}

// Why is why something is so: a sentence, what it comes from, and what to try.
type Why struct {
	At      time.Time    `json:"at,omitzero" doc:"When."`
	Node    string       `json:"node,omitempty" doc:"The node concerned; left out if it is the simulation."`
	Text    string       `json:"text" doc:"One sentence for a person."`
	Try     List[string] `json:"try" doc:"Commands of the tool rstate that help."`
	Because List[Why]    `json:"because" doc:"What it comes from."`
}

// Alive is sent once a second to those that follow the events.
type Alive struct {
	Stamp   time.Time    `json:"stamp" doc:"The time of the server."`
	Stalled List[string] `json:"stalled" doc:"The ids of simulations whose loop has not turned for a second."`
}

// Look is what a client that asks for a challenge saw.
type Look struct {
	Seen string `json:"seen,omitempty" doc:"seen of the simulation when the person, or the program, decided to arm. There is no challenge if it has changed since."`
}

// Challenge lets one command arm.
type Challenge struct {
	Challenge string  `json:"challenge" doc:"To be sent with the command. It is valid once."`
	ValidFor  float64 `json:"valid_for_s" doc:"Seconds until it expires."`
}

// Health says that the process serves simulations.
type Health struct {
	Status string `json:"status" doc:"Always ok; a process that is not well answers with a problem."`
}
