package bed

import (
	"encoding/json"
	"fmt"
	"time"
)

// Call waits until a service is matched and calls it. Request and answer have the field names of
// the interface file; answer is a pointer, or nil.
func (h *Host) Call(kind, name string, request map[string]any, timeout time.Duration, answer any) error {
	h.uses(name)
	return h.p.call("call", map[string]any{"kind": kind, "name": name, "request": request,
		"timeout": timeout.Seconds()}, answer)
}

// CallBurst calls a service many times at once, from one client, and decodes the list of the answers. An answer that has
// not come after Deadline is null.
func (h *Host) CallBurst(kind, name string, requests []map[string]any, answers any) {
	h.t.Helper()
	h.uses(name)
	h.must("call_burst", map[string]any{"kind": kind, "name": name, "requests": requests, "timeout": Deadline.Seconds()},
		answers)
}

// Topic selects a topic and its QoS.
type Topic struct {
	Kind, Name string // rstate_msgs/msg/State, /rstate/state
	Depth      int    // 100 if it is 0
	Latched    bool   // transient local
	BestEffort bool
}

func (topic Topic) arguments(handle string) map[string]any {
	depth := topic.Depth
	if depth == 0 {
		depth = 100
	}
	return map[string]any{"handle": handle, "kind": topic.Kind, "name": topic.Name, "depth": depth,
		"latched": topic.Latched, "best_effort": topic.BestEffort}
}

// Message is one received message, as JSON, with the wall clock in nanoseconds.
type Message struct {
	At      int64
	Message json.RawMessage
}

// Subscription keeps all received messages.
type Subscription struct {
	host   *Host
	handle string
	heard  []Message
}

// Subscribe subscribes until the test ends.
func (h *Host) Subscribe(topic Topic) *Subscription {
	h.t.Helper()
	s := &Subscription{host: h, handle: Unique(h.t, "topic")}
	h.must("subscribe", topic.arguments(s.handle), nil)
	h.cleanup("forget", s.handle)
	return s
}

// Messages returns all messages received so far, in order.
func (s *Subscription) Messages() []Message {
	s.host.t.Helper()
	return s.within(0)
}

// Pause returns when there are more messages than Messages has returned, or after a second.
func (s *Subscription) Pause() {
	s.host.t.Helper()
	s.within(patience)
}

func (s *Subscription) within(patience time.Duration) []Message {
	s.host.t.Helper()
	var fresh []Message
	s.host.must("messages", map[string]any{"handle": s.handle, "skip": len(s.heard), "patience": patience.Seconds()},
		&fresh)
	s.heard = append(s.heard, fresh...)
	return s.heard
}

// Last decodes the newest message, and reports whether there is one.
func (s *Subscription) Last(into any) bool {
	s.host.t.Helper()
	all := s.Messages()
	if len(all) == 0 {
		return false
	}
	s.host.Decode(all[len(all)-1].Message, into)
	return true
}

// Publishers returns how many publishers are matched with it.
func (s *Subscription) Publishers() int { return s.host.matched(s.handle) }

// Nodes returns the full names of the nodes whose publishers are discovered; a node that is not
// known yet has a name of the middleware's.
func (s *Subscription) Nodes() (names []string) {
	s.host.t.Helper()
	s.host.must("publishers", map[string]any{"handle": s.handle}, &names)
	return names
}

// Subscribers returns how many subscriptions of a topic the host's process has discovered.
func (h *Host) Subscribers(topic string) (n int) {
	h.t.Helper()
	h.must("subscribers", map[string]any{"topic": topic}, &n)
	return n
}

// Publisher publishes on a topic until the test ends.
type Publisher struct {
	host   *Host
	handle string
}

// Advertise makes a publisher.
func (h *Host) Advertise(topic Topic) *Publisher {
	h.t.Helper()
	p := &Publisher{host: h, handle: Unique(h.t, "topic")}
	h.must("advertise", topic.arguments(p.handle), nil)
	h.cleanup("forget", p.handle)
	return p
}

// Publish sends a message; fields that are not given have their defaults.
func (p *Publisher) Publish(message map[string]any) {
	p.host.t.Helper()
	p.host.must("publish", map[string]any{"handle": p.handle, "message": message}, nil)
}

// Close ends it. Its host goes on.
func (p *Publisher) Close() {
	p.host.t.Helper()
	p.host.must("forget", map[string]any{"handle": p.handle}, nil)
}

// Subscribers returns how many subscriptions are matched with it.
func (p *Publisher) Subscribers() int { return p.host.matched(p.handle) }

func (h *Host) matched(handle string) int {
	h.t.Helper()
	var count int
	h.must("matched", map[string]any{"handle": handle}, &count)
	return count
}

// Goal is a goal that was sent.
type Goal struct {
	Accepted bool
	host     *Host
	handle   string

	kind, name string
	fields     map[string]any
}

// The final states of a goal, as in action_msgs/msg/GoalStatus.
const (
	StatusSucceeded = 4
	StatusCanceled  = 5
	StatusAborted   = 6
)

// GoalRecord is everything that the client has received about a goal.
type GoalRecord struct {
	ID       string // its UUID, with dashes; empty until it was answered
	Answered bool   // it was accepted or rejected
	Accepted bool
	Status   int             // 0 until it has ended
	Ended    int64           // when the result came, by CLOCK_MONOTONIC in nanoseconds
	Feedback []Message       // in order; rclpy drops feedback that it takes after the result
	Result   json.RawMessage // null until it has ended
}

// SendGoal sends a goal of an action, such as rstate_msgs/action/Transition, and waits for its
// acceptance or rejection.
func (h *Host) SendGoal(kind, name string, goal map[string]any) *Goal {
	h.t.Helper()
	g := &Goal{host: h, kind: kind, name: name, fields: goal}
	h.uses(name)
	g.Send()
	return g
}

// Send sends the goal of a client that has sent it before, as a goal of its own.
func (g *Goal) Send() {
	h := g.host
	h.t.Helper()
	g.handle = Unique(h.t, "goal")
	h.must("send_goal", map[string]any{"handle": g.handle, "kind": g.kind, "name": g.name, "goal": g.fields,
		"timeout": Deadline.Seconds()},
		&g.Accepted)
	h.cleanup("forget_goal", g.handle)
}

// Beside sends another goal to the action of a goal.
func (g *Goal) Beside(fields map[string]any) *Goal {
	g.host.t.Helper()
	return g.host.SendGoal(g.kind, g.name, fields)
}

// PostGoals sends goals at once, in order, and does not wait for acceptances or rejections: see Answered.
func (h *Host) PostGoals(kind, name string, goals ...map[string]any) (posted []*Goal) {
	h.t.Helper()
	h.uses(name)
	var handles []string
	for _, fields := range goals {
		g := &Goal{host: h, kind: kind, name: name, fields: fields, handle: Unique(h.t, "goal")}
		posted, handles = append(posted, g), append(handles, g.handle)
	}
	h.must("post_goals", map[string]any{"handles": handles, "kind": kind, "name": name, "goals": goals,
		"timeout": Deadline.Seconds()}, nil)
	for _, handle := range handles {
		h.cleanup("forget_goal", handle)
	}
	return posted
}

// Answered waits until a posted goal was accepted or rejected.
func (g *Goal) Answered() (accepted bool) {
	g.host.t.Helper()
	EventuallyAfter(g.host.t, func() { g.after("answered") }, "the goal is accepted or rejected",
		func() (string, bool) {
			record := g.Record()
			g.Accepted = record.Accepted
			return fmt.Sprintf("%+v", record), record.Answered
		})
	return g.Accepted
}

// Record returns everything received so far.
func (g *Goal) Record() GoalRecord {
	g.host.t.Helper()
	var record GoalRecord
	g.host.must("goal", map[string]any{"handle": g.handle}, &record)
	return record
}

// after returns when a field of the record is set, or after a second.
func (g *Goal) after(field string) {
	g.host.t.Helper()
	g.host.must("goal", map[string]any{"handle": g.handle, "patience": patience.Seconds(), "until": field}, nil)
}

// Result waits for the goal's end, decodes its result, and returns its status.
func (g *Goal) Result(into any) (status int) {
	g.host.t.Helper()
	EventuallyAfter(g.host.t, func() { g.after("status") }, "the goal ends", func() (string, bool) {
		record := g.Record()
		status = record.Status
		if status != 0 && into != nil {
			g.host.Decode(record.Result, into)
		}
		text, _ := json.Marshal(record)
		return string(text), status != 0
	})
	return status
}

// Cancel requests to cancel the goal, and reports whether the server accepted.
func (g *Goal) Cancel() bool {
	g.host.t.Helper()
	var taken bool
	g.host.must("cancel_goal", map[string]any{"handle": g.handle, "timeout": Deadline.Seconds()}, &taken)
	return taken
}

// CancelBurst sends count cancel requests at once. It returns how often each return code of
// action_msgs/srv/CancelGoal was the answer; -1 counts the requests without an answer.
func (g *Goal) CancelBurst(count int) map[int]int {
	g.host.t.Helper()
	var answers []*int
	g.host.must("cancel_burst", map[string]any{"handle": g.handle, "count": count, "timeout": Deadline.Seconds()},
		&answers)
	codes := map[int]int{}
	for _, code := range answers {
		if code == nil {
			codes[-1]++
		} else {
			codes[*code]++
		}
	}
	return codes
}

// GoalAnswer is what a client received about one goal of a burst.
type GoalAnswer struct {
	Accepted *bool // nil if there was no answer
	Status   *int  // the status of the result; nil if there was none
}

// GoalBurst sends goals to an action at once, from one client, and requests the result of each that
// is accepted. It returns when all are answered, or after Deadline.
func (h *Host) GoalBurst(kind, name string, goals []map[string]any) (answers []GoalAnswer) {
	h.t.Helper()
	h.uses(name)
	h.must("goal_burst", map[string]any{"kind": kind, "name": name, "goals": goals, "timeout": Deadline.Seconds()},
		&answers)
	return answers
}

// Decode decodes JSON from the host.
func (h *Host) Decode(text json.RawMessage, into any) {
	h.t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		h.t.Fatalf("cannot read %s: %v", text, err)
	}
}
