package rcl

// #include "seam.h"
import "C"

import (
	"math"
	"time"
)

// QoS is rmw_qos_profile_t with rmw's own numbers.
type QoS struct {
	History, Reliability, Durability, Liveliness int
	Depth                                        int
	Deadline, Lifespan, Lease                    time.Duration
	AvoidROSNames                                bool
}

// The numbers of rmw that differ from plain counting, or that outsiders need.
const (
	LivelinessManualByTopic = C.RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC
	LivelinessUnknown       = C.RMW_QOS_POLICY_LIVELINESS_UNKNOWN
)

func (q QoS) c() C.rmw_qos_profile_t {
	return C.rmw_qos_profile_t{
		history:                         uint32(q.History),
		depth:                           C.size_t(q.Depth),
		reliability:                     uint32(q.Reliability),
		durability:                      uint32(q.Durability),
		deadline:                        cTime(q.Deadline),
		lifespan:                        cTime(q.Lifespan),
		liveliness:                      uint32(q.Liveliness),
		liveliness_lease_duration:       cTime(q.Lease),
		avoid_ros_namespace_conventions: C.bool(q.AvoidROSNames),
	}
}

func goQoS(q C.rmw_qos_profile_t) QoS {
	return QoS{
		History:       int(q.history),
		Depth:         int(q.depth),
		Reliability:   int(q.reliability),
		Durability:    int(q.durability),
		Deadline:      goTime(q.deadline),
		Lifespan:      goTime(q.lifespan),
		Liveliness:    int(q.liveliness),
		Lease:         goTime(q.liveliness_lease_duration),
		AvoidROSNames: bool(q.avoid_ros_namespace_conventions),
	}
}

func cTime(d time.Duration) C.struct_rmw_time_s {
	return C.struct_rmw_time_s{sec: C.uint64_t(d / time.Second), nsec: C.uint64_t(d % time.Second)}
}

// goTime saturates: middlewares encode infinity in several ways.
func goTime(t C.struct_rmw_time_s) time.Duration {
	sec, nsec := uint64(t.sec), uint64(t.nsec)
	if sec >= math.MaxInt32 || nsec > math.MaxInt64/2 {
		return math.MaxInt64
	}
	return time.Duration(sec)*time.Second + time.Duration(nsec)
}
