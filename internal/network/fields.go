package network

import (
	"fmt"
	"strings"
	"time"

	"rstate/internal/machine"
	"rstate/internal/strict"
)

// file is a network file as it is written; what refers to other parts is kept raw until those are known.
type file struct {
	Network
	root     strict.Value
	machine  strict.Value
	source   machine.Source
	defaults strict.Value
	nodes    strict.Value
	groups   strict.Value
	peers    strict.Value
}

// fileFields are the keys of the network file.
func fileFields() []strict.Field[file] {
	fields := []strict.Field[file]{
		strict.Key("simulation", "the id of the simulation: instances with the same id are peers", simulationID(),
			func(f *file) *string { return &f.Simulation }).Required(),
		strict.Key("machine", "the states and commands of the network: the name of a preset, a YAML file beside this one, or a mapping", strict.Raw(machineSchema()), func(f *file) *strict.Value { return &f.machine }).Else(DefaultMachine),
		strict.Key("startup", "what a start does with nodes that it finds: adopt them, hold (adopt, lower nothing), reset them, or refuse to start unless they fit", strict.Enum(Adopt, Hold, Reset, Refuse), func(f *file) *Startup { return &f.Startup }),
		strict.Key("on_exit", "what a stop does: disarm, shutdown, or leave (which disarms too)",
			strict.Enum(ExitDisarm, ExitShutdown, ExitLeave), func(f *file) *OnExit { return &f.OnExit }),
		strict.Key("last_resort", "what follows when neither the origin nor unconfigured can be reached: shutdown or hold", strict.Enum(ResortShutdown, ResortHold), func(f *file) *LastResort { return &f.LastResort }),
		strict.Key("journal", "required refuses to arm without a journal that can be written",
			strict.Enum(JournalOptional, JournalRequired), func(f *file) *Journal { return &f.Journal }),
		strict.Key("proof", "while armed: the greatest age of the proof that a node is as it should be",
			proofKind(), func(f *file) *time.Duration { return &f.Proof }),
		strict.Key("topic", "the lifecycle topic", rosName("topic", "/simulation/demo/lifecycle"),
			func(f *file) *string { return &f.Topic }).Else("/simulation/<simulation>/lifecycle"),
		strict.Key("peers", "other instances of this simulation", strict.Record(peerFields(), Defaults().Peers),
			func(f *file) *Peers { return &f.Peers }),
		strict.Key("arming", "what a goal that arms has to show", strict.Record(armingFields(), Defaults().Arming),
			func(f *file) *Arming { return &f.Arming }),
		strict.Key("stop", "stop inputs: topics that disarm at once, until a person acknowledges", stopsKind(),
			func(f *file) *Stops { return &f.Stops }).Plain(),
		strict.Key("defaults", "what the nodes below have where they do not say otherwise",
			strict.Raw(strict.Record(sharedFields(), DefaultNode("")).Schema),
			func(f *file) *strict.Value { return &f.defaults }),
		strict.Key("nodes", "the managed nodes, by full name", strict.Raw(nodesKind(Node{}).Schema),
			func(f *file) *strict.Value { return &f.nodes }).Required(),
		strict.Key("groups", "names for some of the nodes, for the states of a machine of one's own",
			strict.Raw(groupsKind().Schema), func(f *file) *strict.Value { return &f.groups }),
		strict.Key("exception_group", "the group that goes to exception with one of its nodes that errs; left out: every node", word("group"), func(f *file) *string { return &f.Exception }).Plain(),
	}
	fields = append(fields,
		strict.Key("loop", "the stepped loop of a simulation",
			strict.Pointer(strict.Record(loopFields(), defaultLoop()), defaultLoop),
			func(f *file) **Loop { return &f.Loop }),
		strict.Key("data", "simulation data that clients read over HTTP, by name; while a step runs, readers wait for its end", dataKind(), func(f *file) *[]Datum { return &f.Data }).Plain(),
		strict.Key("expect", "the outcome of the simulation with which rstate batch is content",
			strict.Enum(Success, Stopped, Failure, Aborted, NoStart), func(f *file) *Outcome { return &f.Expect }),
	)
	return append(fields, strict.Within(machine.Fields(), func(f *file) *machine.Source { return &f.source })...)
}

// LeastProof is the least proof of a network: the time of two messages of the arm lease. With less, each of them would
// have to arrive at once.
const LeastProof = 200 * time.Millisecond

func proofKind() strict.Kind[time.Duration] {
	k := strict.Duration(false)
	read := k.Read
	k.Read = func(v strict.Value, into *time.Duration) {
		d := *into
		if read(v, &d); d < LeastProof {
			v.Fault(fmt.Sprintf("%v is too short: the arm lease is renewed every 100ms, and ends if one renewal is late", d),
				fmt.Sprintf("write %v or more", LeastProof))
			return
		}
		*into = d
	}
	return k
}

func machineSchema() strict.Schema {
	return strict.Schema{"anyOf": []strict.Schema{{"type": "string"},
		strict.Record(machine.FileFields(), machine.Source{}).Schema}}
}

func peerFields() []strict.Field[Peers] {
	names := strict.List(rosName("node", "/rstate_base"), "a list of full node names")
	return []strict.Field[Peers]{
		strict.Key("required", "instances without which nothing is armed", names,
			func(p *Peers) *[]string { return &p.Required }),
		strict.Key("plain", "instances that speak only the four fields of the lifecycle message and are followed all the same", names, func(p *Peers) *[]string { return &p.Plain }),
		strict.Key("deadline", "how long a goal with wait_peers waits for them", strict.Duration(false),
			func(p *Peers) *time.Duration { return &p.Deadline }),
	}
}

func armingFields() []strict.Field[Arming] {
	path := strict.Text("the path of a file", "", func(string) (string, string) { return "", "" })
	return []strict.Field[Arming]{
		strict.Key("secret_file", "a file whose content a goal must bring as its authority; empty: none is asked for",
			path, func(a *Arming) *string { return &a.SecretFile }),
		guardField(),
		strict.Key("unseen", "refuse: a goal that arms and brings no seen is rejected, unless its client is on this host and sent it after the newest disarm; allow: it arms, also if it waited",
			strict.Enum(UnseenRefuse, UnseenAllow), func(a *Arming) *Unseen { return &a.Unseen }),
	}
}

// sharedFields are the keys of a node that the defaults have too.
func sharedFields() []strict.Field[Node] {
	return []strict.Field[Node]{
		strict.Key("deadline", "how long each kind of step may take",
			strict.Record(deadlineFields(), DefaultNode("").Deadline), func(n *Node) *Deadlines { return &n.Deadline }),
		strict.Key("retry", "how often a node is asked again for a step that it refuses: 2 of every step, or {activate: 2}; the step's deadline covers all requests", retryKind(), func(n *Node) *Retries { return &n.Retry }),
		strict.Key("lifecycle", "false: a plain node, which must be there but is never driven", strict.Bool(),
			func(n *Node) *bool { return &n.Lifecycle }),
		strict.Key("probe", "how often the node is asked for its state; 0s: never, where it is not armed",
			strict.Duration(true), func(n *Node) *time.Duration { return &n.Probe }),
		strict.Key("late", "what becomes of an optional node that appears late: join or leave",
			strict.Enum(Join, Leave), func(n *Node) *Late { return &n.Late }),
		strict.Key("on_drift", "what follows when the node left its state by itself or by another's hand: report, restore or error", strict.Enum(Report, Restore, ToError), func(n *Node) *Policy { return &n.OnDrift }),
		strict.Key("on_loss", "what follows when the node is gone: report, restore or error; or {do: restore, with: dependents}, and the nodes that come after it go down with it", lossKind(), func(n *Node) *Loss { return &n.OnLoss }),
		strict.Key("clock", "what deadlines count: ros (simulated time under use_sim_time) or steady",
			strict.Enum(ROSClock, SteadyClock), func(n *Node) *Clock { return &n.Clock }),
		strict.Key("needs_configuration",
			"false: the node may stay unconfigured where the others are inactive, and is configured when it is activated", strict.Bool(), func(n *Node) *bool { return &n.NeedsConfiguration }),
	}
}

// nodeFields are the keys of a node.
func nodeFields() []strict.Field[Node] {
	nodes := strict.List(rosName("node", "/slam"), "a list of full node names")
	subStates := strict.List(word("sub-state"), "a list of sub-states")
	unsafe := strict.List(rosName("topic, service or action", "/arm_driver/move"), "a list of full names")
	return append([]strict.Field[Node]{
		strict.Key("after", "the nodes that come before it on the way up, and after it on the way down", nodes,
			func(n *Node) *[]string { return &n.After }),
		strict.Key("optional", "true: the network does without it on the way up", strict.Bool(),
			func(n *Node) *bool { return &n.Optional }),
		strict.Key("arm", "how the node is armed; without it there is nothing to arm",
			strict.Pointer(strict.Record(armFields(), DefaultArm()), DefaultArm),
			func(n *Node) **Arm { return &n.Arm }),
		strict.Key("checks", "what must hold before and while the network is armed", checksKind(),
			func(n *Node) *[]Check { return &n.Checks }),
		strict.Key("unsafe", "actions, services and topics that must not be there unless armed", unsafe,
			func(n *Node) *[]string { return &n.Unsafe }),
		strict.Key("runtime_states", "sub-states of running that the node reports on <node>/report", subStates,
			func(n *Node) *[]string { return &n.RuntimeStates }),
		strict.Key("exception_states", "sub-states that count as an error of the node", subStates,
			func(n *Node) *[]string { return &n.ExceptionStates }),
		strict.Key("fatal_states", "sub-states from which only a new process of the node recovers", subStates,
			func(n *Node) *[]string { return &n.FatalStates }),
		strict.Key("process", "the shell command with which rstate batch starts the process of the node; left out: it runs already", shellCommand(), func(n *Node) *string { return &n.Process }).Plain(),
	}, sharedFields()...)
}

func shellCommand() strict.Kind[string] {
	const wanted = "a shell command, like rstate node /sim_$(sim)/world --step"
	return strict.Text(wanted, "", func(s string) (string, string) {
		if strings.TrimSpace(s) == "" {
			return "is empty", "write " + wanted
		}
		return "", ""
	})
}

func deadlineFields() []strict.Field[Deadlines] {
	d := strict.Duration(false)
	return []strict.Field[Deadlines]{
		strict.Key("configure", "to configure", d, func(d *Deadlines) *time.Duration { return &d.Configure }),
		strict.Key("activate", "to activate", d, func(d *Deadlines) *time.Duration { return &d.Activate }),
		strict.Key("deactivate", "to deactivate", d, func(d *Deadlines) *time.Duration { return &d.Deactivate }),
		strict.Key("cleanup", "to clean up", d, func(d *Deadlines) *time.Duration { return &d.Cleanup }),
		strict.Key("shutdown", "to shut down", d, func(d *Deadlines) *time.Duration { return &d.Shutdown }),
		strict.Key("arm", "to arm", d, func(d *Deadlines) *time.Duration { return &d.Arm }),
		strict.Key("disarm", "to confirm disarming, before the node counts as late", d,
			func(d *Deadlines) *time.Duration { return &d.Disarm }),
		strict.Key("recover", "to answer a late call when a failure is put right; 0s: twice the step's own, and 25s without a sign of life", strict.Duration(true), func(d *Deadlines) *time.Duration { return &d.Recover }),
		strict.Key("discover", "to be found at the start", d, func(d *Deadlines) *time.Duration { return &d.Discover }),
	}
}

func retryFields() []strict.Field[Retries] {
	times := strict.Int(0, mostRetries)
	return []strict.Field[Retries]{
		strict.Key("configure", "of configure", times, func(r *Retries) *int { return &r.Configure }),
		strict.Key("activate", "of activate", times, func(r *Retries) *int { return &r.Activate }),
		strict.Key("deactivate", "of deactivate", times, func(r *Retries) *int { return &r.Deactivate }),
		strict.Key("cleanup", "of cleanup", times, func(r *Retries) *int { return &r.Cleanup }),
	}
}

// mostRetries is the largest number of repetitions of a step.
const mostRetries = 100

// retryKind reads one number for every step, or a mapping with a number for some.
func retryKind() strict.Kind[Retries] {
	all, each := strict.Int(0, mostRetries), strict.Record(retryFields(), Retries{})
	k := each
	k.Schema = strict.Schema{"anyOf": []strict.Schema{all.Schema, each.Schema}}
	k.Read = func(v strict.Value, into *Retries) {
		if !v.IsText() {
			each.Read(v, into)
			return
		}
		n := into.Configure
		all.Read(v, &n)
		*into = Retries{n, n, n, n}
	}
	return k
}

func armFields() []strict.Field[Arm] {
	return []strict.Field[Arm]{
		strict.Key("service", "the service to call", rosName("service", "/arm_driver/arm"),
			func(a *Arm) *string { return &a.Service }).Else("<node>/arm"),
		strict.Key("type", "its type", interfaceType("srv", DefaultArmType), func(a *Arm) *string { return &a.Type }),
		strict.Key("served_by", "the node whose process serves that service; it may be a node of the network or not",
			rosName("node", "/hw_manager"), func(a *Arm) *string { return &a.ServedBy }).Else("the node itself"),
		strict.Key("dead_man", "what disarms the node when rstate dies: lease (it follows the arm lease) or none",
			strict.Enum(DeadManLease, DeadManNone), func(a *Arm) *DeadMan { return &a.DeadMan }),
		strict.Key("settles", "how long after a disarm a request to arm that got no answer may still take effect",
			strict.Duration(false),
			func(a *Arm) *time.Duration { return &a.Settles }),
	}
}

func nodesKind(defaults Node) strict.Kind[[]Node] {
	one := strict.Record(nodeFields(), DefaultNode(""))
	return strict.Table(one, rosPattern, true, func(e strict.Entry) (Node, bool) {
		n := defaults
		n.Name = e.Name
		problem, hint := NodeName(e.Name)
		if problem != "" {
			e.Key.Fault(problem, hint)
		}
		return n, problem == ""
	})
}

func groupsKind() strict.Kind[[]Group] {
	members := strict.List(rosName("node", "/slam"), "a list of full node names")
	one := strict.Kind[Group]{Schema: members.Schema,
		Read: func(v strict.Value, into *Group) { members.Read(v, &into.Nodes) }}
	return strict.Table(one, tokenPattern, false, func(e strict.Entry) (Group, bool) {
		problem, hint := wordFault(e.Name, "group")
		if e.Name == "others" {
			problem, hint = "is the word for the nodes of no group", "choose another name"
		}
		if problem != "" {
			e.Key.Fault(problem, hint)
		}
		return Group{Name: e.Name}, problem == ""
	})
}
