package network

import (
	"cmp"
	"time"

	"rstate/internal/machine"
	"rstate/internal/patient"
)

// UsualName is the default name of a daemon's node.
const UsualName = "rstate"

// DefaultMachine is the machine of a network that names none.
const DefaultMachine = "rstate"

// The types of the calls that arm and check, where the file names none.
const (
	DefaultArmType   = "std_srvs/srv/SetBool"
	DefaultCheckType = "std_srvs/srv/Trigger"
)

// DefaultSettles is how long after a disarm a request to arm that was not answered may still take effect.
const DefaultSettles = 5 * time.Second

// Defaults returns a network without nodes in which every key has its default. Two depend on other keys and are empty
// here: Topic (see DefaultTopic) and Machine (see DefaultMachine).
func Defaults() Network {
	return Network{
		Startup:    Adopt,
		OnExit:     ExitDisarm,
		LastResort: ResortShutdown,
		Journal:    JournalOptional,
		Proof:      500 * time.Millisecond * patient.Factor,
		Arming:     Arming{Guard: GuardOptional, Unseen: UnseenRefuse},
		Peers:      Peers{Deadline: 30 * time.Second},
		Stops:      Stops{AfterGap: GapLatches},
		Expect:     Success,
	}
}

// DefaultNode returns a node of that name in which every key has its default.
func DefaultNode(name string) Node {
	return Node{
		Name:      name,
		Lifecycle: true,
		Deadline: Deadlines{
			Configure:  30 * time.Second,
			Activate:   10 * time.Second,
			Deactivate: 10 * time.Second,
			Cleanup:    10 * time.Second,
			Shutdown:   10 * time.Second,
			Arm:        2 * time.Second * patient.Factor,
			Disarm:     2 * time.Second * patient.Factor,
			Discover:   10 * time.Second,
			Recover:    0,
		},
		Late:    Join,
		OnDrift: Report,
		OnLoss:  Loss{Report, NoOther},
		Clock:   ROSClock,

		NeedsConfiguration: true,
	}
}

// DefaultArm returns how a node is armed whose file says only that it is; DefaultArmService says where.
func DefaultArm() Arm {
	return Arm{Type: DefaultArmType, DeadMan: DeadManLease, Settles: DefaultSettles}
}

// DefaultArmService is the service that arms a node.
func DefaultArmService(node string) string { return node + "/arm" }

// DefaultTopic is the lifecycle topic of a simulation: that of its machine.
func DefaultTopic(m *machine.Machine, simulation string) string {
	return cmp.Or(m.Folder, "/simulation") + "/" + NameToken(simulation) + "/lifecycle"
}

// TopicOf is DefaultTopic for a preset. Of a machine that is no preset it is the usual one.
func TopicOf(preset, simulation string) string {
	if m, err := machine.Preset(preset); err == nil {
		return DefaultTopic(m, simulation)
	}
	return DefaultTopic(&machine.Machine{}, simulation)
}

// PeersTopic is where the instances of a simulation tell each other how they are.
func PeersTopic(simulation string) string { return "/simulation/" + NameToken(simulation) + "/peers" }

// NameToken is a simulation id as a part of a ROS name, which must not start with a digit. The ids of the NRP backend
// are integers.
func NameToken(simulation string) string {
	if simulation != "" && simulation[0] >= '0' && simulation[0] <= '9' {
		return "sim_" + simulation
	}
	return simulation
}
