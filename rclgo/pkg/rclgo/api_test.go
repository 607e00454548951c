package rclgo_test

import (
	"context"
	"time"
	"unsafe"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/typemap"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// The compiler checks this file and api_types_test.go, which list the exported API of the
// original by name: a program that was written for it must still compile. Additions have
// their tests elsewhere.

// The methods.
var (
	_ apiArgs           = (*rclgo.Args)(nil)
	_ apiContext        = (*rclgo.Context)(nil)
	_ apiNode           = (*rclgo.Node)(nil)
	_ apiPublisher      = (*rclgo.Publisher)(nil)
	_ apiSubscription   = (*rclgo.Subscription)(nil)
	_ apiClient         = (*rclgo.Client)(nil)
	_ apiService        = (*rclgo.Service)(nil)
	_ apiActionClient   = (*rclgo.ActionClient)(nil)
	_ apiActionServer   = (*rclgo.ActionServer)(nil)
	_ apiGoalHandle     = (*rclgo.GoalHandle)(nil)
	_ apiFeedbackSender = (*rclgo.FeedbackSender)(nil)
	_ apiClock          = (*rclgo.Clock)(nil)
	_ apiTimer          = (*rclgo.Timer)(nil)
	_ apiWaitSet        = (*rclgo.WaitSet)(nil)
	_ apiLogger         = (*rclgo.Logger)(nil)
	_ apiLogSeverity    = rclgo.LogSeverity(0)
	_ apiGoalStatus     = rclgo.GoalStatus(0)
	_ apiGoalID         = (*types.GoalID)(nil)
)

type (
	apiArgs interface {
		String() string
	}
	apiContext interface {
		Clock() *rclgo.Clock
		Close() error
		NewClock(rclgo.ClockType) (*rclgo.Clock, error)
		NewNode(string, string) (*rclgo.Node, error)
		NewTimer(time.Duration, func(*rclgo.Timer)) (*rclgo.Timer, error)
		NewWaitSet() (*rclgo.WaitSet, error)
		SetClock(*rclgo.Clock)
		Spin(context.Context) error
	}
	apiNode interface {
		Close() error
		Context() *rclgo.Context
		FullyQualifiedName() string
		GetActionClientNamesAndTypesByNode(string, string) (map[string][]string, error)
		GetActionServerNamesAndTypesByNode(string, string) (map[string][]string, error)
		GetClientNamesAndTypesByNode(string, string) (map[string][]string, error)
		GetNodeNames() ([]string, []string, error)
		GetPublisherNamesAndTypesByNode(bool, string, string) (map[string][]string, error)
		GetPublishersInfoByTopic(string, bool) ([]rclgo.TopicEndpointInfo, error)
		GetServiceNamesAndTypesByNode(string, string) (map[string][]string, error)
		GetSubscriberNamesAndTypesByNode(bool, string, string) (map[string][]string, error)
		GetSubscriptionsInfoByTopic(string, bool) ([]rclgo.TopicEndpointInfo, error)
		GetTopicNamesAndTypes(bool) (map[string][]string, error)
		Logger() *rclgo.Logger
		Name() string
		Namespace() string
		NewActionClient(string, types.ActionTypeSupport, *rclgo.ActionClientOptions) (*rclgo.ActionClient, error)
		NewActionServer(string, rclgo.Action, *rclgo.ActionServerOptions) (*rclgo.ActionServer, error)
		NewClient(string, types.ServiceTypeSupport, *rclgo.ClientOptions) (*rclgo.Client, error)
		NewPublisher(string, types.MessageTypeSupport, *rclgo.PublisherOptions) (*rclgo.Publisher, error)
		NewService(string, types.ServiceTypeSupport, *rclgo.ServiceOptions,
			rclgo.ServiceRequestHandler) (*rclgo.Service, error)
		NewSubscription(string, types.MessageTypeSupport, *rclgo.SubscriptionOptions,
			rclgo.SubscriptionCallback) (*rclgo.Subscription, error)
		Spin(context.Context) error
	}
	apiPublisher interface {
		Close() error
		GetSubscriptionCount() (int, error)
		Node() *rclgo.Node
		Publish(types.Message) error
		PublishSerialized([]byte) error
	}
	apiSubscription interface {
		Close() error
		GetPublisherCount() (int, error)
		Node() *rclgo.Node
		TakeMessage(types.Message) (*rclgo.MessageInfo, error)
		TakeSerializedMessage() ([]byte, *rclgo.MessageInfo, error)
	}
	apiClient interface {
		Close() error
		Node() *rclgo.Node
		Send(context.Context, types.Message) (types.Message, *rclgo.ServiceInfo, error)
	}
	apiService interface {
		Close() error
		Node() *rclgo.Node
	}
	apiActionClient interface {
		CancelGoal(context.Context, types.Message) (types.Message, error)
		Close() error
		GetResult(context.Context, *types.GoalID) (types.Message, error)
		Node() *rclgo.Node
		SendGoal(context.Context, types.Message) (types.Message, *types.GoalID, error)
		SendGoalRequest(context.Context, types.Message) (types.Message, error)
		WatchFeedback(context.Context, *types.GoalID, rclgo.FeedbackHandler) <-chan error
		WatchGoal(context.Context, types.Message, rclgo.FeedbackHandler) (types.Message, *types.GoalID, error)
		WatchStatus(context.Context, *types.GoalID, rclgo.StatusHandler) <-chan error
	}
	apiActionServer interface {
		Close() error
		Node() *rclgo.Node
	}
	apiGoalHandle interface {
		Accept() (*rclgo.FeedbackSender, error)
		Logger() *rclgo.Logger
		Server() *rclgo.ActionServer
	}
	apiFeedbackSender interface {
		Send(types.Message) error
	}
	apiClock interface {
		Close() error
		Context() *rclgo.Context
	}
	apiTimer interface {
		Close() error
		Context() *rclgo.Context
		GetTimeUntilNextCall() (int64, error)
		Reset() error
	}
	apiWaitSet interface {
		AddActionClients(...*rclgo.ActionClient)
		AddActionServers(...*rclgo.ActionServer)
		AddClients(...*rclgo.Client)
		AddServices(...*rclgo.Service)
		AddSubscriptions(...*rclgo.Subscription)
		AddTimers(...*rclgo.Timer)
		Close() error
		Context() *rclgo.Context
		Run(context.Context) error
	}
	apiLogger interface {
		Child(string) *rclgo.Logger
		Debug(...any) error
		Debugf(string, ...any) error
		Debugln(...any) error
		EffectiveLevel() (rclgo.LogSeverity, error)
		Error(...any) error
		Errorf(string, ...any) error
		Errorln(...any) error
		Fatal(...any) error
		Fatalf(string, ...any) error
		Fatalln(...any) error
		Info(...any) error
		Infof(string, ...any) error
		Infoln(...any) error
		IsEnabledFor(rclgo.LogSeverity) bool
		Level() (rclgo.LogSeverity, error)
		Log(rclgo.LogSeverity, ...any) error
		Logf(rclgo.LogSeverity, string, ...any) error
		Logln(rclgo.LogSeverity, ...any) error
		Name() string
		Parent() *rclgo.Logger
		SetLevel(rclgo.LogSeverity) error
		Warn(...any) error
		Warnf(string, ...any) error
		Warnln(...any) error
	}
	apiLogSeverity interface {
		String() string
	}
	apiGoalStatus interface {
		String() string
	}
	apiGoalID interface {
		String() string
	}
)

// The functions.
var _ func() *rclgo.Context = rclgo.DefaultContext
var _ func(unsafe.Pointer, int, unsafe.Pointer, int64, unsafe.Pointer,
	unsafe.Pointer) = rclgo.DefaultLoggingOutputHandler
var _ func([]byte, types.MessageTypeSupport) (types.Message, error) = rclgo.Deserialize
var _ func(string, string, string, map[string]string) (string, error) = rclgo.ExpandTopicName
var _ func(string) *rclgo.Logger = rclgo.GetLogger
var _ func() rclgo.LoggingOutputHandler = rclgo.GetLoggingOutputHandler
var _ func(*rclgo.Args) error = rclgo.Init
var _ func(*rclgo.Args) error = rclgo.InitLogging
var _ func(*rclgo.Args, *rclgo.ContextOptions) error = rclgo.InitWithOpts
var _ func(string, string) (types.MessageTypeSupport, error) = rclgo.LoadDynamicMessageTypeSupport
var _ func(types.ActionTypeSupport, rclgo.ExecuteGoalFunc) rclgo.Action = rclgo.NewAction
var _ func(rclgo.ClockType) (*rclgo.Clock, error) = rclgo.NewClock
var _ func(rclgo.ClockType, *rclgo.Args) (*rclgo.Context, error) = rclgo.NewContext
var _ func(*rclgo.Args, *rclgo.ContextOptions) (*rclgo.Context, error) = rclgo.NewContextWithOpts
var _ func() *rclgo.ActionClientOptions = rclgo.NewDefaultActionClientOptions
var _ func() *rclgo.ActionServerOptions = rclgo.NewDefaultActionServerOptions
var _ func() *rclgo.ClientOptions = rclgo.NewDefaultClientOptions
var _ func() *rclgo.ContextOptions = rclgo.NewDefaultContextOptions
var _ func() *rclgo.PublisherOptions = rclgo.NewDefaultPublisherOptions
var _ func() rclgo.QosProfile = rclgo.NewDefaultQosProfile
var _ func() *rclgo.ServiceOptions = rclgo.NewDefaultServiceOptions
var _ func() rclgo.QosProfile = rclgo.NewDefaultServiceQosProfile
var _ func() rclgo.QosProfile = rclgo.NewDefaultStatusQosProfile
var _ func() *rclgo.SubscriptionOptions = rclgo.NewDefaultSubscriptionOptions
var _ func(string, string) (*rclgo.Node, error) = rclgo.NewNode
var _ func(time.Duration, func(*rclgo.Timer)) (*rclgo.Timer, error) = rclgo.NewTimer
var _ func() (*rclgo.WaitSet, error) = rclgo.NewWaitSet
var _ func([]string) (*rclgo.Args, []string, error) = rclgo.ParseArgs
var _ func(types.Message) ([]byte, error) = rclgo.Serialize
var _ func(rclgo.LoggingOutputHandler) = rclgo.SetLoggingOutputHandler
var _ func(context.Context) error = rclgo.Spin
var _ func() error = rclgo.Uninit
var _ func(string) (types.ActionTypeSupport, bool) = typemap.GetAction
var _ func(string) types.ActionTypeSupport = typemap.GetActionMust
var _ func(string) (types.MessageTypeSupport, bool) = typemap.GetMessage
var _ func(string) types.MessageTypeSupport = typemap.GetMessageMust
var _ func(string) (types.ServiceTypeSupport, bool) = typemap.GetService
var _ func(string) types.ServiceTypeSupport = typemap.GetServiceMust
var _ func(string, types.ActionTypeSupport) = typemap.RegisterAction
var _ func(string, types.MessageTypeSupport) = typemap.RegisterMessage
var _ func(string, types.ServiceTypeSupport) = typemap.RegisterService
