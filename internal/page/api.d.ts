// Made from internal/httpapi by: go test ./internal/page -update

export interface Command {
  /** The command. */
  name: string;
  /** The state that it leads to; empty if that depends on where it begins, and it cannot begin now. */
  to: string;
  /** True if it can arm a node, and so needs a challenge. */
  arms: boolean;
  /** True if it can end the simulation: it leads to a final state from here or from another state. */
  ends: boolean;
  /** What the command is for in every machine. */
  role?: string;
  /** Why it is not legal now; left out if it is. */
  why_not?: string;
}

export interface Progress {
  /** The command; empty if rstate acts by itself. */
  command: string;
  /** Where the command came from: goal, parent, peer, policy, autostart or exit. */
  origin: string;
  /** The person or program that asked for it. */
  client?: string;
  /** The state in which it began. */
  from: string;
  /** The state that it passes through now. */
  via: string;
  /** What it does to recover from a failure: restore, unconfigure or shutdown. */
  recovery?: string;
  /** Steps of nodes that have ended. */
  done: number;
  /** Steps of nodes altogether. */
  total: number;
  /** What it waits for, in words. */
  waiting_for: string[];
  /** Seconds since it began. */
  elapsed_s: number;
  /** The longest that it can still take by the deadlines of its nodes; absent while a stopped clock holds them. */
  time_left_s?: number;
}

export interface Deviation {
  /** The full name of a node or peer. */
  name: string;
  /** What the state says of it. */
  expected: string;
  /** What was found. */
  found: string;
  /** True if the simulation is intact without it. */
  optional: boolean;
  /** What is wrong, for a person: a predicate after the name. */
  cause?: string;
}

export interface Node {
  /** The full name. */
  name: string;
  /** The nodes that are raised before it and lowered after it. */
  after: string[];
  /** False for a plain node, which is never started or stopped. */
  lifecycle: boolean;
  /** True if the simulation can do without it. */
  optional: boolean;
  /** True while it is in the graph or answers. */
  present: boolean;
  /** The state that was read or heard last; unknown until then. */
  state: string;
  /** What the state, or the target of the running transition, asks of it. */
  expected: string;
  /** True if the network file arms this node. */
  armable: boolean;
  /** True if it confirmed arming, and its proof and lease hold. */
  armed: boolean;
  /** True until it has confirmed disarming, or cannot be armed any more. */
  may_be_armed: boolean;
  /** Lease if it disarms by itself when its coordinator dies; none if it does not. */
  dead_man?: string;
  /** The node whose process serves its arming service, if the network file names one. */
  arm_served_by?: string;
  /** The age of the newest proof of its state. */
  proof_age_s?: number;
  /** The call that it has not answered yet. */
  running?: string;
  /** Seconds to the deadline of that call. */
  time_left_s?: number;
  /** The checks that do not pass, each with its reason. */
  failing: string[];
  /** The sub-state that it reported last. */
  report?: string;
  /** Why it is as it is, for a person. */
  cause?: string;
}

export interface Lease {
  /** The number of the lease. */
  term: number;
  /** The age of its newest message. */
  age_s: number;
  /** The time until it ends if it is not renewed. */
  left_s: number;
}

export interface Guard {
  /** Its host and process. */
  id: string;
  /** The nodes whose disarm it can call. */
  nodes: string[];
  /** True if it covers these nodes: it speaks, hears this run, and hears the arm lease while one is held. */
  alive: boolean;
  /** The age of its newest message. */
  age_s: number;
  /** Why it does not cover them, or what it cannot call. */
  cause?: string;
}

export interface Failure {
  /** The command that failed. */
  command: string;
  /** Where it came from. */
  origin: string;
  /** The person or program that asked for it. */
  client?: string;
  /** How it ended. */
  outcome: string;
  /** The state in which it began. */
  from: string;
  /** Why it failed, for a person. */
  cause: string;
  /** When it failed. */
  stamp: string;
}

export interface Refusal {
  /** The command. */
  command: string;
  /** Why it was rejected, and what to do. */
  why: string;
  /** The person or program that asked for it. */
  client?: string;
  /** When it was rejected. */
  stamp: string;
}

export interface Participant {
  /** The full name of the node. */
  node: string;
  /** The phase. */
  phase: string;
  /** How many calls it has answered. */
  count: number;
  /** How long a call takes on average. */
  mean_s: number;
  /** How long the longest call took. */
  max_s: number;
  /** How long the last call took. */
  last_s: number;
}

export interface Loop {
  /** The phase that runs; left out if the loop stands. */
  phase?: string;
  /** The number of the step, from 1 at each reset. */
  step: number;
  /** Simulated time at its beginning. */
  time_s: number;
  /** How many steps end in a second. */
  rate_hz: number;
  /** How many steps of this run ended later than the rate of the loop allows. */
  overruns: number;
  /** Why the loop stopped by a fault. */
  fault?: string;
  /** How long each participant takes for each phase. */
  participants: Participant[];
  /** The files of the recording, one for each beginning of the loop. The last one is being written. */
  recordings?: string[];
}

export interface Peer {
  /** The full name of its ROS node. */
  name: string;
  /** True if this simulation asks for it. */
  required: boolean;
  /** True while it renews its liveliness. */
  alive: boolean;
  /** Its state. */
  state: string;
  /** The state that it goes to. */
  target: string;
  /** True if its nodes are as its state says. */
  intact: boolean;
  /** True if it could not follow a change. */
  behind: boolean;
  /** Why it is not as it should be. */
  cause?: string;
}

export interface StopInput {
  /** The topic. */
  topic: string;
  /** How it is. */
  kind: string;
  /** Why it is not clear, for a person. */
  why?: string;
  /** Seconds since the button that was heard least lately was heard; left out if none was. */
  age_s?: number;
  /** The full names of the nodes that are heard. */
  writers: string[];
}

export interface Stop {
  /** The full name of the instance whose stop input has stopped the simulation. */
  origin: string;
  /** Which input, and what it said. */
  why: string;
  /** When it came. */
  stamp: string;
}

export interface Stops {
  /** The stop inputs, in the order of the network file. */
  inputs: StopInput[];
  /** The stops of this simulation and of its peers that are not acknowledged. */
  open: Stop[];
  /** Why stop inputs forbid to arm, and what to do. */
  forbids?: string;
}

export interface Obstacle {
  /** The node that it is about; left out if it is about the network as a whole. */
  name?: string;
  /** The reason, for a person. */
  why: string;
  /** What a person can do about it. */
  what_to_do?: string;
  /** True if it is not decided yet: a command that arms would wait for it. */
  measuring: boolean;
}

export interface Check {
  /** The node that has the check. */
  name: string;
  /** What it looks at. */
  subject: string;
  /** What it asks. */
  kind: string;
  /** What was measured. */
  value?: string;
  /** False while it is not decided. */
  known: boolean;
  /** True if it passes. */
  passes: boolean;
  /** Why it does not pass. */
  fault?: string;
  /** What a person can do about it. */
  what_to_do?: string;
  /** When it counts; left out: before and while the simulation is armed. */
  when?: string;
  /** True if it forbids nothing. */
  warn: boolean;
}

export interface Simulation {
  /** The id. A factory never uses one again. */
  id: string;
  /** The full name of the ROS node. */
  name: string;
  /** The run of the simulation: new at each start. */
  run: string;
  /** The name of the machine. */
  machine: string;
  /** The state that the simulation is in, or passes through. */
  state: string;
  /** False while a transition runs, or while the state is unknown. */
  settled: boolean;
  /** True if every required node is as the state says. */
  intact: boolean;
  /** True if the simulation has ended. Its last state and its history stay readable until it is removed. */
  ended: boolean;
  /** True if the loop of the simulation has not turned for a second. Its data may be outdated then. */
  stalled: boolean;
  /** The nodes that are armed, or have not confirmed to be disarmed. */
  may_be_armed: string[];
  /** Why it is in this state, for a person. */
  cause: string;
  /** The outcome of a stepped simulation; left out while it is undecided, or if the machine has no outcomes. */
  outcome?: string;
  /** The person or program that asked for it. */
  owner?: string;
  /** When it was created. */
  created: string;
  /** The version of rstate. */
  version: string;
  /** Simulations mirror each other only if their machines have the same hash. */
  machine_hash: string;
  /** The state that the simulation goes to, or rests in. */
  target: string;
  /** What a command that arms has to bring. Everything that ends a permission to arm changes it. */
  seen: string;
  /** The commands that are legal now. */
  commands: Command[];
  /** Every command of the machine that a client can send, legal now or not, in an order that never changes. */
  all_commands: Command[];
  /** The command that disarms, which is accepted in every state; left out if the machine has no armed state. */
  disarm?: string;
  /** True if a command that arms needs an authority. */
  authority: boolean;
  /** The transition that runs now. */
  progress?: Progress;
  /** What is not as the state says, newest last. */
  deviations: Deviation[];
  /** Every node, in the order of the network file. */
  nodes: Node[];
  /** The arm lease that is held. */
  lease?: Lease;
  /** The guards that were heard lately. They disarm nodes that follow no lease, if the coordinator dies. */
  guards: Guard[];
  /** What failed last. */
  failure?: Failure;
  /** The command that was rejected last. */
  refusal?: Refusal;
  /** The names of the data that can be read. */
  data: string[];
  /** The stepped loop. */
  loop?: Loop;
  /** Other instances of this simulation. */
  peers: Peer[];
  /** The stop inputs, and the stops that are not acknowledged; left out if there are none. */
  stops?: Stops;
  /** What a person should know although it stops nothing. */
  warnings: string[];
  /** When this became so, and from when its ages count. */
  stamp: string;
  /** Whether the command that arms would arm the simulation now; left out if nothing can be armed. */
  readiness?: string;
  /** Every reason why not. */
  obstacles: Obstacle[];
  /** Every check of the network file, with what it says now. */
  checks: Check[];
}

export interface Alive {
  /** The time of the server. */
  stamp: string;
  /** The ids of simulations whose loop has not turned for a second. */
  stalled: string[];
}

export interface Entry {
  /** When. */
  stamp: string;
  /** The run of the simulation. */
  run: string;
  /** The number of the entry in that run. */
  n: number;
  /** What the entry is about: command, refusal, step, state, drift, peer, instance or stop. */
  kind: string;
  /** The command that it belongs to. */
  command?: string;
  /** The id of the request that it belongs to. */
  goal_id?: string;
  /** The person or program that asked for it. */
  client?: string;
  /** The full name of the node or peer. */
  node?: string;
  /** What was asked of the node. */
  step?: string;
  /** How long that took, or a command that has ended; the entry is of the end. */
  took_s?: number;
  /** The state before. */
  from?: string;
  /** The state after. */
  to?: string;
  /** The verdict of a step, or the outcome of a command. */
  verdict?: string;
  /** One sentence for a person. */
  text: string;
}

export interface NodeResult {
  /** The full name. */
  name: string;
  /** The step, such as configure. */
  step: string;
  /** How it ended: done, refused, errored, late, gone, unknown, skipped or undone. */
  verdict: string;
  /** What the verdict rests on, in words. */
  evidence: string;
  /** The state in which the node was found. */
  from: string;
  /** The state in which it was seen last. */
  state: string;
  /** Seconds from the request to the evidence. */
  elapsed_s: number;
}

export interface Result {
  /** True if the simulation did what was asked, or was there already. */
  success: boolean;
  /** How it ended, as in the action of rstate. */
  outcome: string;
  /** One sentence for a person. */
  message: string;
  /** The state of the simulation now. */
  state: string;
  /** What each node did; first the nodes that made it fail. */
  nodes: NodeResult[];
  /** Seconds from its acceptance to its end. */
  elapsed_s: number;
}

export interface Fault {
  /** The place in the request. */
  where: string;
  /** What is wrong there. */
  what: string;
}

export interface Problem {
  /** The meaning of the status. */
  title: string;
  /** The status of the answer. */
  status: number;
  /** What is wrong, and what to do. */
  detail: string;
  /** Each fault of the request. */
  faults?: Fault[];
  /** The commands that are legal now, if the command was not. */
  legal?: string[];
  /** The state of the simulation after a command that failed. */
  state?: string;
  /** How a command that failed has ended. */
  outcome?: string;
  /** What each node did in a command that failed. */
  nodes?: NodeResult[];
  /** A challenge that the same request has to bring. */
  challenge?: string;
}

export interface Look {
  /** seen of the simulation when the person, or the program, decided to arm. There is no challenge if it has changed since. */
  seen?: string;
}

export interface Challenge {
  /** To be sent with the command. It is valid once. */
  challenge: string;
  /** Seconds until it expires. */
  valid_for_s: number;
}

export interface Why {
  /** When. */
  at?: string;
  /** The node concerned; left out if it is the simulation. */
  node?: string;
  /** One sentence for a person. */
  text: string;
  /** Commands of the tool rstate that help. */
  try: string[];
  /** What it comes from. */
  because: Why[];
}

export interface Network {
  /** The path of the file, on the host of the daemon; empty if it was given as text. */
  file: string;
  /** The network with every default filled in, as a file of its own. */
  yaml: string;
}

export interface Order {
  /** A command, or the state to reach. A command comes before a state of the same name. */
  state: string;
  /** Why, in the words of the client; kept in the history. */
  reason?: string;
  /** Chosen by the client. A request with the id of a running request joins it, and nothing runs twice. */
  id?: string;
  /** For a command that takes one: a number of steps, the simulated time of a step, or both (100 20ms). */
  argument?: string;
  /** The authority to arm, where the network file asks for one. */
  authority?: string;
  /** For a command that arms: seen of the simulation when the person, or the program, decided to arm. */
  seen?: string;
  /** A challenge of this server; a command that arms needs one. */
  challenge?: string;
}
