package rcl

// #include "action.h"
import "C"

import (
	"sync/atomic"
	"time"
	"unsafe"
)

// ActionClient is an rcl_action_client_t. Send and Name may run concurrently with everything
// but Close; all other methods must not run concurrently with anything.
type ActionClient struct{ c C.rcl_action_client_t }

// ActionServer is an rcl_action_server_t. Respond, AnswerCancel, PublishFeedback,
// PublishStatus and Name may run concurrently with everything but Close; all other methods
// must not run concurrently with anything. While the middleware has not discovered the client
// of a request, Respond and AnswerCancel may block for a while and time out.
type ActionServer struct{ c C.rcl_action_server_t }

// Goal is an accepted goal of an action server, which keeps it until it has expired.
type Goal struct{ c C.rcl_action_goal_handle_t }

// ActionQoS holds the profiles of an action's services and topics.
type ActionQoS struct{ Goal, Cancel, Result, Feedback, Status QoS }

// ActionService is one of the three services of an action.
type ActionService C.int

// The services of an action. Cancel requests are taken with TakeCancel.
const (
	GoalService   ActionService = C.RCLGO_GOAL
	CancelService ActionService = C.RCLGO_CANCEL
	ResultService ActionService = C.RCLGO_RESULT
)

// The bits for the ready parts of an action client or server.
const (
	ReadyGoal     = C.RCLGO_READY_GOAL
	ReadyCancel   = C.RCLGO_READY_CANCEL
	ReadyResult   = C.RCLGO_READY_RESULT
	ReadyFeedback = C.RCLGO_READY_FEEDBACK
	ReadyStatus   = C.RCLGO_READY_STATUS
	ReadyExpired  = C.RCLGO_READY_EXPIRED
)

// GoalEvent is an event of a goal's state machine.
type GoalEvent C.int

// The events of goals.
const (
	GoalExecute  GoalEvent = C.GOAL_EVENT_EXECUTE
	GoalCancel   GoalEvent = C.GOAL_EVENT_CANCEL_GOAL
	GoalSucceed  GoalEvent = C.GOAL_EVENT_SUCCEED
	GoalAbort    GoalEvent = C.GOAL_EVENT_ABORT
	GoalCanceled GoalEvent = C.GOAL_EVENT_CANCELED
)

// The codes of answers to cancel requests.
const (
	CancelAccepted   = C.action_msgs__srv__CancelGoal_Response__ERROR_NONE
	CancelRejected   = C.action_msgs__srv__CancelGoal_Response__ERROR_REJECTED
	CancelTerminated = C.action_msgs__srv__CancelGoal_Response__ERROR_GOAL_TERMINATED
)

// CancelRequest is a cancel request, as rcl interprets it.
type CancelRequest struct {
	Header Header
	Asked  [16]byte   // the requested goal; zero if the request selects others
	Code   int8       // the answer, if all goals are cancelled
	Goals  [][16]byte // the selected goals that can be cancelled
}

func (q ActionQoS) c() C.rclgo_action_qos {
	return C.rclgo_action_qos{
		goal: q.Goal.c(), cancel: q.Cancel.c(), result: q.Result.c(),
		feedback: q.Feedback.c(), status: q.Status.c(),
	}
}

// NewActionClient makes an action client.
func NewActionClient(n *Node, typeSupport unsafe.Pointer, name string, qos ActionQoS) (*ActionClient, error) {
	cname, free := cString(name)
	defer free()
	profiles := qos.c()
	makeMu.Lock()
	defer makeMu.Unlock()
	return made[ActionClient](C.rclgo_action_client_new(&n.c, typeSupport, cname, &profiles))
}

// Close finalises and frees c.
func (c *ActionClient) Close(n *Node) error {
	makeMu.Lock()
	defer makeMu.Unlock()
	return freed(C.rclgo_action_client_free(&c.c, &n.c))
}

// StatusTopic returns the topic on which servers publish status, expanded and remapped.
func (c *ActionClient) StatusTopic(n *Node) (string, error) {
	r := C.rclgo_action_status_topic(&n.c, &c.c)
	if err := check(r.ret); err != nil {
		return "", err
	}
	defer C.free(r.p)
	return C.GoString((*C.char)(r.p)), nil
}

// Send sends the C message msg and returns the request's number.
func (c *ActionClient) Send(service ActionService, msg unsafe.Pointer) (int64, error) {
	r := C.rclgo_action_send(&c.c, C.int(service), msg)
	return int64(r.v), check(r.ret)
}

// SetCancelRequest makes msg, a C action_msgs/srv/CancelGoal_Request, name one goal.
func SetCancelRequest(msg unsafe.Pointer, id [16]byte) {
	r := (*C.action_msgs__srv__CancelGoal_Request)(msg)
	r.goal_info.goal_id.uuid = cUUID(id).b
}

// TakeResponse moves the next response of a service into the C message msg.
func (c *ActionClient) TakeResponse(service ActionService, msg unsafe.Pointer) (Header, error) {
	return goHeader(C.rclgo_action_take_response(&c.c, C.int(service), msg))
}

// TakeFeedback moves the next feedback into the C message msg.
func (c *ActionClient) TakeFeedback(msg unsafe.Pointer) error {
	return check(C.rclgo_action_take_topic(&c.c, C.RCLGO_FEEDBACK, msg))
}

// TakeStatus moves the next array of status into the C message msg.
func (c *ActionClient) TakeStatus(msg unsafe.Pointer) error {
	return check(C.rclgo_action_take_topic(&c.c, C.RCLGO_STATUS, msg))
}

// ActionServerAvailable reports whether the graph shows a server for c with all its parts.
func (n *Node) ActionServerAvailable(c *ActionClient) (bool, error) {
	r := C.rclgo_action_available(&n.c, &c.c)
	return r.v != 0, check(r.ret)
}

// GoalStatus is an element of an array of status.
type GoalStatus struct {
	ID     [16]byte
	Status int8
}

// GoalStatuses reads a C array of status, in its order.
func GoalStatuses(msg unsafe.Pointer) []GoalStatus {
	list := (*C.action_msgs__msg__GoalStatusArray)(msg).status_list
	out := make([]GoalStatus, list.size)
	for i, s := range unsafe.Slice(list.data, list.size) {
		out[i] = GoalStatus{goUUID(s.goal_info.goal_id.uuid), int8(s.status)}
	}
	return out
}

func goUUID(c [16]C.uint8_t) [16]byte { return *(*[16]byte)(unsafe.Pointer(&c)) }

func cUUID(id [16]byte) C.rclgo_uuid {
	return C.rclgo_uuid{b: *(*[16]C.uint8_t)(unsafe.Pointer(&id))}
}

// GoalInfo identifies a goal and holds the time of its acceptance.
type GoalInfo struct {
	ID    [16]byte
	Stamp time.Duration
}

// NewActionServer makes an action server. The clock must outlive it. Results are kept
// for timeout.
func NewActionServer(n *Node, clock *Clock, typeSupport unsafe.Pointer, name string,
	qos ActionQoS, timeout time.Duration) (*ActionServer, error) {
	cname, free := cString(name)
	defer free()
	profiles := qos.c()
	makeMu.Lock()
	defer makeMu.Unlock()
	return made[ActionServer](C.rclgo_action_server_new(&n.c, &clock.c, typeSupport, cname, &profiles,
		C.int64_t(timeout)))
}

// Close finalises and frees s. Its goals are left to be closed.
func (s *ActionServer) Close(n *Node) error {
	makeMu.Lock()
	defer makeMu.Unlock()
	return freed(C.rclgo_action_server_free(&s.c, &n.c))
}

// Name returns the action's name in rcl.
func (s *ActionServer) Name() string { return C.GoString(C.rcl_action_server_get_action_name(&s.c)) }

// Name returns the action's name in rcl.
func (c *ActionClient) Name() string { return C.GoString(C.rcl_action_client_get_action_name(&c.c)) }

// TakeRequest moves the next request for a goal or a result into the C message msg.
func (s *ActionServer) TakeRequest(service ActionService, msg unsafe.Pointer) (Header, error) {
	return goHeader(C.rclgo_action_take_request(&s.c, C.int(service), msg))
}

// Respond answers a request for a goal or a result.
func (s *ActionServer) Respond(service ActionService, h Header, msg unsafe.Pointer) error {
	return check(C.rclgo_action_respond(&s.c, C.int(service), cRequestID(h), msg))
}

// TakeCancel takes the next cancel request. It does not change any goal.
func (s *ActionServer) TakeCancel() (CancelRequest, error) {
	r := C.rclgo_action_take_cancel(&s.c)
	if err := check(r.ret); err != nil {
		return CancelRequest{}, err
	}
	defer C.free(unsafe.Pointer(r.ids))
	out := CancelRequest{Asked: goUUID(r.asked.b), Code: int8(r.code)}
	out.Header, _ = goHeader(C.rclgo_header{info: C.rmw_service_info_t{request_id: r.id}})
	for _, id := range unsafe.Slice(r.ids, r.n) {
		out.Goals = append(out.Goals, goUUID(id.b))
	}
	return out, nil
}

// AnswerCancel answers with the goals that are being cancelled.
func (s *ActionServer) AnswerCancel(h Header, code int8, goals []GoalInfo) error {
	list := make([]C.rclgo_goal_info, len(goals))
	for i, g := range goals {
		list[i] = C.rclgo_goal_info{id: cUUID(g.ID), stamp: C.int64_t(g.Stamp)}
	}
	return check(C.rclgo_action_answer_cancel(&s.c, cRequestID(h), C.int8_t(code),
		C.size_t(len(list)), unsafe.SliceData(list)))
}

// Accept registers a goal with the server and returns the time of the acceptance, by the
// server's clock. The goal must be closed after it has expired or the server was closed. A
// goal that is returned with an error is valid as well, but its time is unknown.
func (s *ActionServer) Accept(id [16]byte) (goal *Goal, stamp time.Duration, err error) {
	r := C.rclgo_action_accept(&s.c, cUUID(id))
	err = check(r.ret)
	if r.p == nil {
		return nil, 0, err
	}
	live.Add(1)
	return (*Goal)(unsafe.Pointer(r.p)), time.Duration(r.stamp), err
}

// Close finalises and frees g.
func (g *Goal) Close() error { return freed(C.rclgo_goal_free(&g.c)) }

// Update applies an event to g.
func (g *Goal) Update(event GoalEvent) error { return check(C.rclgo_goal_update(&g.c, C.int(event))) }

// Status returns g's status with the numbers of action_msgs.
func (g *Goal) Status() int8 { return int8(C.rclgo_goal_state(&g.c)) }

// GoalDone must be called after the end of a goal; it starts the goal's result timeout.
func (s *ActionServer) GoalDone() error { return check(C.rclgo_action_goal_done(&s.c)) }

// Expire returns a goal whose result timeout has passed and forgets it; ok is false if there
// is none.
func (s *ActionServer) Expire() (id [16]byte, ok bool, err error) {
	r := C.rclgo_action_expire(&s.c)
	return goUUID(r.id.b), r.n > 0, check(r.ret)
}

// PublishFeedback publishes a C message.
func (s *ActionServer) PublishFeedback(msg unsafe.Pointer) error {
	return check(C.rclgo_action_publish_feedback(&s.c, msg))
}

// StatusArray is the status of every goal of a server at one moment. It counts its owners,
// so that one goroutine can publish it while another replaces it.
type StatusArray struct {
	c      *C.rcl_action_goal_status_array_t
	owners atomic.Int32
}

// Status returns a copy of the status of every goal of the server.
func (s *ActionServer) Status() (*StatusArray, error) {
	r := C.rclgo_action_status(&s.c)
	if err := check(r.ret); err != nil {
		return nil, err
	}
	a := &StatusArray{c: (*C.rcl_action_goal_status_array_t)(r.p)}
	a.owners.Store(1)
	return a, nil
}

// Len returns the number of goals.
func (a *StatusArray) Len() int { return int(a.c.msg.status_list.size) }

// Share returns a with one more owner.
func (a *StatusArray) Share() *StatusArray {
	a.owners.Add(1)
	return a
}

// Close removes one owner; the last one frees a.
func (a *StatusArray) Close() {
	if a.owners.Add(-1) == 0 {
		C.rclgo_action_status_free(a.c)
	}
}

// PublishStatus publishes an array.
func (s *ActionServer) PublishStatus(a *StatusArray) error {
	return check(C.rclgo_action_publish_status(&s.c, a.c))
}

func cRequestID(h Header) C.rmw_request_id_t {
	id := C.rmw_request_id_t{sequence_number: C.int64_t(h.Sequence)}
	copy(unsafe.Slice((*int8)(unsafe.Pointer(&id.writer_guid[0])), len(id.writer_guid)), h.GUID[:])
	return id
}
