package rclgo

import (
	"time"

	"github.com/tiiuae/rclgo/internal/rcl"
)

// HistoryPolicy says how many messages are kept.
type HistoryPolicy int

// The history policies.
const (
	HistorySystemDefault HistoryPolicy = iota
	HistoryKeepLast
	HistoryKeepAll
	HistoryUnknown
)

// ReliabilityPolicy says whether the middleware resends lost messages.
type ReliabilityPolicy int

// The reliability policies.
const (
	ReliabilitySystemDefault ReliabilityPolicy = iota
	ReliabilityReliable
	ReliabilityBestEffort
	ReliabilityUnknown
)

// DurabilityPolicy says whether late subscriptions get earlier messages.
type DurabilityPolicy int

// The durability policies.
const (
	DurabilitySystemDefault DurabilityPolicy = iota
	DurabilityTransientLocal
	DurabilityVolatile
	DurabilityUnknown
)

// LivelinessPolicy says which component asserts that a publisher is alive.
type LivelinessPolicy int

// The liveliness policies.
const (
	LivelinessSystemDefault LivelinessPolicy = iota
	LivelinessAutomatic
	LivelinessManualByTopic
	LivelinessUnknown
)

// Durations with a special meaning.
const (
	DurationInfinite    = 9223372036*time.Second + 854775807*time.Nanosecond
	DurationUnspecified = time.Duration(0)

	DeadlineDefault                = DurationUnspecified
	LifespanDefault                = DurationUnspecified
	LivelinessLeaseDurationDefault = DurationUnspecified
)

// QosProfile is the quality of service of a topic or service.
type QosProfile struct {
	History                      HistoryPolicy     `yaml:"history"`
	Depth                        int               `yaml:"depth"`
	Reliability                  ReliabilityPolicy `yaml:"reliability"`
	Durability                   DurabilityPolicy  `yaml:"durability"`
	Deadline                     time.Duration     `yaml:"deadline"`
	Lifespan                     time.Duration     `yaml:"lifespan"`
	Liveliness                   LivelinessPolicy  `yaml:"liveliness"`
	LivelinessLeaseDuration      time.Duration     `yaml:"liveliness_lease_duration"`
	AvoidRosNamespaceConventions bool              `yaml:"avoid_ros_namespace_conventions"`
}

// NewDefaultQosProfile returns the profile for topics: reliable, volatile, keep last 10.
func NewDefaultQosProfile() QosProfile {
	return QosProfile{
		History:     HistoryKeepLast,
		Depth:       10,
		Reliability: ReliabilityReliable,
		Durability:  DurabilityVolatile,
	}
}

// NewDefaultServiceQosProfile returns the profile for services.
func NewDefaultServiceQosProfile() QosProfile { return NewDefaultQosProfile() }

// NewDefaultStatusQosProfile returns the profile for the status topic of actions: latched.
func NewDefaultStatusQosProfile() QosProfile {
	q := NewDefaultQosProfile()
	q.Depth, q.Durability = 1, DurabilityTransientLocal
	return q
}

// rcl converts to the numbers of rmw, which has one more policy.
func (q QosProfile) rcl() rcl.QoS {
	liveliness := int(q.Liveliness)
	switch q.Liveliness {
	case LivelinessManualByTopic:
		liveliness = rcl.LivelinessManualByTopic
	case LivelinessUnknown:
		liveliness = rcl.LivelinessUnknown
	}
	return rcl.QoS{
		History: int(q.History), Depth: q.Depth,
		Reliability: int(q.Reliability), Durability: int(q.Durability),
		Deadline: q.Deadline, Lifespan: q.Lifespan,
		Liveliness: liveliness, Lease: q.LivelinessLeaseDuration,
		AvoidROSNames: q.AvoidRosNamespaceConventions,
	}
}

func qosFrom(q rcl.QoS) QosProfile {
	liveliness := LivelinessUnknown
	switch q.Liveliness {
	case rcl.LivelinessManualByTopic:
		liveliness = LivelinessManualByTopic
	case int(LivelinessSystemDefault), int(LivelinessAutomatic):
		liveliness = LivelinessPolicy(q.Liveliness)
	}
	return QosProfile{
		History: HistoryPolicy(q.History), Depth: q.Depth,
		Reliability: ReliabilityPolicy(q.Reliability), Durability: DurabilityPolicy(q.Durability),
		Deadline: q.Deadline, Lifespan: q.Lifespan,
		Liveliness: liveliness, LivelinessLeaseDuration: q.Lease,
		AvoidRosNamespaceConventions: q.AvoidROSNames,
	}
}
