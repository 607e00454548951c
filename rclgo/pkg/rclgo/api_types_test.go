package rclgo_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// The fields of structs, with their types.
var (
	_ = func(o rclgo.ActionClientOptions) [5]rclgo.QosProfile {
		return [...]rclgo.QosProfile{o.GoalServiceQos, o.CancelServiceQos, o.ResultServiceQos, o.FeedbackTopicQos,
			o.StatusTopicQos}
	}
	_ = func(o rclgo.ActionServerOptions) ([5]rclgo.QosProfile, time.Duration, *rclgo.Clock) {
		return [...]rclgo.QosProfile{o.GoalServiceQos, o.CancelServiceQos, o.ResultServiceQos, o.FeedbackTopicQos,
				o.StatusTopicQos},
			o.ResultTimeout, o.Clock
	}
	_ = [...]rclgo.QosProfile{
		rclgo.ClientOptions{}.Qos, rclgo.PublisherOptions{}.Qos, rclgo.ServiceOptions{}.Qos,
		rclgo.SubscriptionOptions{}.Qos,
	}
	_ = func(o rclgo.ContextOptions) (rclgo.ClockType, uint) { return o.ClockType, o.DomainID }
	_ = func(g *rclgo.GoalHandle) (types.GoalID, types.Message) { return g.ID, g.Description }
	_ = func(i rclgo.MessageInfo) (_, _ time.Time, _ bool) {
		return i.SourceTimestamp, i.ReceivedTimestamp, i.FromIntraProcess
	}
	_ = func(p *rclgo.Publisher) string { return p.TopicName }
	_ = func(q rclgo.QosProfile) (rclgo.HistoryPolicy, int, rclgo.ReliabilityPolicy, rclgo.DurabilityPolicy,
		[3]time.Duration, rclgo.LivelinessPolicy, bool) {
		return q.History, q.Depth, q.Reliability, q.Durability,
			[...]time.Duration{q.Deadline, q.Lifespan, q.LivelinessLeaseDuration}, q.Liveliness,
			q.AvoidRosNamespaceConventions
	}
	_ = func(id rclgo.RequestID) ([16]int8, int64) { return id.WriterGUID, id.SequenceNumber }
	_ = func(i rclgo.ServiceInfo) (_, _ time.Time, _ rclgo.RequestID) {
		return i.SourceTimestamp, i.ReceivedTimestamp, i.RequestID
	}
	_ = func(s *rclgo.Subscription) (string, types.MessageTypeSupport, rclgo.SubscriptionCallback) {
		return s.TopicName, s.Ros2MsgType, s.Callback
	}
	_ = func(t *rclgo.Timer) func(*rclgo.Timer) { return t.Callback }
	_ = func(i rclgo.TopicEndpointInfo) ([3]string, rclgo.EndpointType, rclgo.GID, rclgo.QosProfile) {
		return [...]string{i.NodeName, i.NodeNamespace, i.TopicType}, i.EndpointType, i.EndpointGID, i.QosProfile
	}
	_ = func(w *rclgo.WaitSet) ([]*rclgo.Subscription, []*rclgo.Timer, []*rclgo.Service, []*rclgo.Client,
		[]*rclgo.ActionClient, []*rclgo.ActionServer) {
		return w.Subscriptions, w.Timers, w.Services, w.Clients, w.ActionClients, w.ActionServers
	}
)

// The function types; the first two are aliases.
var (
	_ = (*func(unsafe.Pointer, int, unsafe.Pointer, int64, unsafe.Pointer,
		unsafe.Pointer))((*rclgo.LoggingOutputHandler)(nil))
	_ = (*func(context.Context, *rclgo.GoalHandle) (types.Message, error))((*rclgo.ExecuteGoalFunc)(nil))
	_ = rclgo.FeedbackHandler(func(context.Context, types.Message) {})
	_ = rclgo.StatusHandler(func(context.Context, types.Message) {})
	_ = rclgo.ServiceRequestHandler(func(*rclgo.ServiceInfo, types.Message, rclgo.ServiceResponseSender) {})
	_ = rclgo.SubscriptionCallback(func(*rclgo.Subscription) {})
)

// The interfaces have these methods and no more, so that other packages can implement them,
// as bindings of the original's generator do.
var (
	_ rclgo.Action                = apiAction(nil)
	_ apiAction                   = rclgo.Action(nil)
	_ rclgo.ServiceResponseSender = apiServiceResponseSender(nil)
	_ apiServiceResponseSender    = rclgo.ServiceResponseSender(nil)
	_ types.Message               = apiMessage(nil)
	_ apiMessage                  = types.Message(nil)
	_ types.MessageTypeSupport    = apiMessageTypeSupport(nil)
	_ apiMessageTypeSupport       = types.MessageTypeSupport(nil)
	_ types.ServiceTypeSupport    = apiServiceTypeSupport(nil)
	_ apiServiceTypeSupport       = types.ServiceTypeSupport(nil)
	_ types.ActionTypeSupport     = apiActionTypeSupport(nil)
	_ apiActionTypeSupport        = types.ActionTypeSupport(nil)
)

type (
	apiAction interface {
		ExecuteGoal(context.Context, *rclgo.GoalHandle) (types.Message, error)
		TypeSupport() types.ActionTypeSupport
	}
	apiServiceResponseSender interface {
		SendResponse(types.Message) error
	}
	apiMessage interface {
		CloneMsg() types.Message
		SetDefaults()
		GetTypeSupport() types.MessageTypeSupport
	}
	apiMessageTypeSupport interface {
		New() types.Message
		PrepareMemory() unsafe.Pointer
		ReleaseMemory(unsafe.Pointer)
		AsCStruct(unsafe.Pointer, types.Message)
		AsGoStruct(types.Message, unsafe.Pointer)
		TypeSupport() unsafe.Pointer
	}
	apiServiceTypeSupport interface {
		Request() types.MessageTypeSupport
		Response() types.MessageTypeSupport
		TypeSupport() unsafe.Pointer
	}
	apiActionTypeSupport interface {
		Goal() types.MessageTypeSupport
		SendGoal() types.ServiceTypeSupport
		NewSendGoalResponse(bool, time.Duration) types.Message
		Result() types.MessageTypeSupport
		GetResult() types.ServiceTypeSupport
		NewGetResultResponse(int8, types.Message) types.Message
		CancelGoal() types.ServiceTypeSupport
		Feedback() types.MessageTypeSupport
		FeedbackMessage() types.MessageTypeSupport
		NewFeedbackMessage(*types.GoalID, types.Message) types.Message
		GoalStatusArray() types.MessageTypeSupport
		TypeSupport() unsafe.Pointer
	}
)

// TestConstantsAreTheOriginals: programs store some of them and send others.
func TestConstantsAreTheOriginals(t *testing.T) {
	for want, got := range map[string][]string{
		"0 1 2 3": {
			numbers[rclgo.ClockType](rclgo.ClockTypeUninitialized, rclgo.ClockTypeROSTime, rclgo.ClockTypeSystemTime,
				rclgo.ClockTypeSteadyTime),
			numbers[rclgo.DurabilityPolicy](rclgo.DurabilitySystemDefault, rclgo.DurabilityTransientLocal,
				rclgo.DurabilityVolatile, rclgo.DurabilityUnknown),
			numbers[rclgo.HistoryPolicy](rclgo.HistorySystemDefault, rclgo.HistoryKeepLast, rclgo.HistoryKeepAll,
				rclgo.HistoryUnknown),
			numbers[rclgo.LivelinessPolicy](rclgo.LivelinessSystemDefault, rclgo.LivelinessAutomatic,
				rclgo.LivelinessManualByTopic, rclgo.LivelinessUnknown),
			numbers[rclgo.ReliabilityPolicy](rclgo.ReliabilitySystemDefault, rclgo.ReliabilityReliable,
				rclgo.ReliabilityBestEffort, rclgo.ReliabilityUnknown),
		},
		"0 1 2": {numbers[rclgo.EndpointType](rclgo.EndpointInvalid, rclgo.EndpointPublisher,
			rclgo.EndpointSubscription)},
		"0 1 2 3 4 5 6": {numbers[rclgo.GoalStatus](rclgo.GoalUnknown, rclgo.GoalAccepted, rclgo.GoalExecuting,
			rclgo.GoalCanceling, rclgo.GoalSucceeded, rclgo.GoalCanceled, rclgo.GoalAborted)},
		"0 10 20 30 40 50": {numbers[rclgo.LogSeverity](rclgo.LogSeverityUnset, rclgo.LogSeverityDebug,
			rclgo.LogSeverityInfo,
			rclgo.LogSeverityWarn, rclgo.LogSeverityError, rclgo.LogSeverityFatal)},
		"9223372036854775807 0 0 0 0": {numbers[time.Duration](rclgo.DurationInfinite, rclgo.DurationUnspecified,
			rclgo.DeadlineDefault, rclgo.LifespanDefault, rclgo.LivelinessLeaseDurationDefault)},
		"18446744073709551615": {numbers[uint](rclgo.DefaultDomainID)},
		"24 16 24 16":          {numbers(rclgo.GIDSize, types.GoalIDLen, len(rclgo.GID{}), len(types.GoalID{}))},
	} {
		for i, list := range got {
			if list != want {
				t.Errorf("row %d of those that are %q is %q", i, want, list)
			}
		}
	}
}

func numbers[T ~int | ~int8 | ~int64 | ~uint | ~uint32](list ...T) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = fmt.Sprintf("%d", v)
	}
	return strings.Join(words, " ")
}

// TestProfilesAreTheOriginals: options that the program leaves out have the ROS defaults.
func TestProfilesAreTheOriginals(t *testing.T) {
	topic := rclgo.QosProfile{
		History: rclgo.HistoryKeepLast, Depth: 10, Reliability: rclgo.ReliabilityReliable,
		Durability: rclgo.DurabilityVolatile,
	}
	status := topic
	status.Depth, status.Durability = 1, rclgo.DurabilityTransientLocal
	action := rclgo.ActionClientOptions{
		GoalServiceQos: topic, CancelServiceQos: topic, ResultServiceQos: topic, FeedbackTopicQos: topic,
		StatusTopicQos: status,
	}
	server := rclgo.NewDefaultActionServerOptions()
	for name, same := range map[string]bool{
		"topic":             rclgo.NewDefaultQosProfile() == topic,
		"service":           rclgo.NewDefaultServiceQosProfile() == topic,
		"status":            rclgo.NewDefaultStatusQosProfile() == status,
		"publisher":         rclgo.NewDefaultPublisherOptions().Qos == topic,
		"subscription":      rclgo.NewDefaultSubscriptionOptions().Qos == topic,
		"client":            rclgo.NewDefaultClientOptions().Qos == topic,
		"service's options": rclgo.NewDefaultServiceOptions().Qos == topic,
		"action client":     *rclgo.NewDefaultActionClientOptions() == action,
		"action server": server.GoalServiceQos == topic && server.CancelServiceQos == topic &&
			server.ResultServiceQos == topic &&
			server.FeedbackTopicQos == topic && server.StatusTopicQos == status,
		"context": *rclgo.NewDefaultContextOptions() == rclgo.ContextOptions{ClockType: rclgo.ClockTypeROSTime,
			DomainID: rclgo.DefaultDomainID},
	} {
		if !same {
			t.Errorf("%s: other defaults", name)
		}
	}
}

// TestProfilesAreReadByTheirTags: programs keep profiles in YAML files.
func TestProfilesAreReadByTheirTags(t *testing.T) {
	var tags []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[rclgo.QosProfile]()) {
		tags = append(tags, f.Tag.Get("yaml"))
	}
	want := "history depth reliability durability deadline lifespan liveliness liveliness_lease_duration avoid_ros_namespace_conventions"
	if got := strings.Join(tags, " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The codes that have two names.
var (
	_ *rclgo.RmwBadAlloc        = (*rclgo.BadAlloc)(nil)
	_ *rclgo.RmwError           = (*rclgo.Error)(nil)
	_ *rclgo.RmwInvalidArgument = (*rclgo.InvalidArgument)(nil)
	_ *rclgo.RmwOk              = (*rclgo.Ok)(nil)
	_ *rclgo.RmwTimeout         = (*rclgo.Timeout)(nil)
	_ *rclgo.RmwUnsupported     = (*rclgo.Unsupported)(nil)
)

// TestEachErrorIsItselfAlone: no error matches another type. The exception is a missing node,
// for which rcl and rmw have the same code.
func TestEachErrorIsItselfAlone(t *testing.T) {
	all := []error{
		&rclgo.ActionClientInvalid{}, &rclgo.ActionClientTakeFailed{}, &rclgo.ActionGoalAccepted{},
		&rclgo.ActionGoalEventInvalid{},
		&rclgo.ActionGoalHandleInvalid{}, &rclgo.ActionGoalRejected{}, &rclgo.ActionNameInvalid{},
		&rclgo.ActionServerInvalid{},
		&rclgo.ActionServerTakeFailed{}, &rclgo.AlreadyInit{}, &rclgo.AlreadyShutdown{}, &rclgo.ClientInvalid{},
		&rclgo.ClientTakeFailed{}, &rclgo.EventInvalid{}, &rclgo.EventTakeFailed{}, &rclgo.InvalidLogLevelRule{},
		&rclgo.InvalidParamRule{}, &rclgo.InvalidRemapRule{}, &rclgo.InvalidRosArgs{},
		&rclgo.LifecycleStateNotRegistered{},
		&rclgo.LifecycleStateRegistered{}, &rclgo.MismatchedRmwId{}, &rclgo.NodeInvalid{}, &rclgo.NodeInvalidName{},
		&rclgo.NodeInvalidNamespace{}, &rclgo.NodeNameNonExistent{}, &rclgo.NotInit{}, &rclgo.PublisherInvalid{},
		&rclgo.RmwBadAlloc{},
		&rclgo.RmwError{}, &rclgo.RmwIncorrectRmwImplementation{}, &rclgo.RmwInvalidArgument{},
		&rclgo.RmwNodeNameNonExistent{},
		&rclgo.RmwOk{}, &rclgo.RmwTimeout{}, &rclgo.RmwUnsupported{}, &rclgo.ServiceInvalid{},
		&rclgo.ServiceNameInvalid{},
		&rclgo.ServiceTakeFailed{}, &rclgo.SubscriptionInvalid{}, &rclgo.SubscriptionTakeFailed{},
		&rclgo.TimerCanceled{},
		&rclgo.TimerInvalid{}, &rclgo.TopicNameInvalid{}, &rclgo.UnknownReturnCode{}, &rclgo.UnknownSubstitution{},
		&rclgo.WaitSetEmpty{}, &rclgo.WaitSetFull{}, &rclgo.WaitSetInvalid{}, &rclgo.WrongLexeme{},
	}
	absent := []error{&rclgo.NodeNameNonExistent{}, &rclgo.RmwNodeNameNonExistent{}}
	for i, one := range all {
		if one.Error() == "" {
			t.Errorf("%T has no text", one)
		}
		for k, other := range all {
			wrapped := fmt.Errorf("so: %w", one)
			both := slices.ContainsFunc(absent, isTypeOf(one)) && slices.ContainsFunc(absent, isTypeOf(other))
			target := reflect.New(reflect.TypeOf(other).Elem()).Interface().(error)
			if is := errors.Is(wrapped, target); is != (i == k || both) {
				t.Errorf("a %T is a %T: %v", one, other, is)
			}
		}
	}
}

func isTypeOf(one error) func(error) bool {
	return func(other error) bool { return reflect.TypeOf(one) == reflect.TypeOf(other) }
}
