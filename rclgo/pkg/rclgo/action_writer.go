package rclgo

import (
	"errors"
	"sync"
	"time"

	"github.com/tiiuae/rclgo/internal/rcl"
)

const (
	// A client keeps 10 responses that it has not taken, unless it asks for more: rclpy and
	// rclcpp use that depth, and a server does not learn what a client has taken. If answers
	// arrive faster than the client takes them, the oldest are lost without an error. So the
	// writer sends a client answerBurst answers at once, then one per answerPace.
	answerBurst = 4
	answerPace  = 20 * time.Millisecond
	// After manyAnswers in a row the pause is longer.
	manyAnswers = 20
	manyPace    = 40 * time.Millisecond
	// A client that asks for the result of a goal has taken its acceptance. If unackedMost
	// acceptances are open, the writer delays the next one, up to ackPatience. After a client
	// has exceeded that once without asking for a result, the writer no longer delays for it.
	unackedMost = 5
	ackPatience = 200 * time.Millisecond
	// On a busy machine clients take less often. The delay with which the writer itself is
	// woken shows the load: the pause is at least lateFactor times that, at most longestPace.
	lateFactor  = 8
	longestPace = 200 * time.Millisecond
	// A client that is still sending requests does not take answers yet. After the burst its
	// answers wait until it has sent none for askingEnds, but at most askingAtMost.
	askingEnds   = 50 * time.Millisecond
	askingAtMost = 3 * time.Second
	// answersHeld bounds the answers that wait for the pace of their clients. Beyond it the
	// oldest are sent at once.
	answersHeld = 1000
	// replyPatience is how long the middleware may take to discover a client. A lost
	// announcement is repeated after 3 s, and the repetition may be lost too.
	replyPatience = 10 * time.Second
	// replyAgain is the pause between two tries to reach such a client.
	replyAgain = 10 * time.Millisecond
	// maxGreeters bounds the goroutines that try to reach clients for the first time.
	maxGreeters = 8
	// A client in Python needs time for each goal of each status array. So the minimum interval
	// between two arrays grows with the number of goals, from statusPace for one goal.
	statusPace    = 5 * time.Millisecond
	statusPerGoal = 2 * time.Millisecond
	// Each change of a goal is published as a status of its own while the server knows at
	// most statusGoals goals and at most statusesHeld arrays wait. Otherwise the newest
	// array covers several changes.
	statusesHeld = 8
	statusGoals  = 8
)

// statusAgain is when the status is published again after the answer of an accepted goal was
// sent. rclpy drops the status of a goal whose acceptance it has not taken yet, and the two
// arrive over different endpoints, so the first array may be too early for it. It may also
// be too early for a new client, whose readers are discovered one after the other.
var statusAgain = []time.Duration{
	5 * time.Millisecond, 15 * time.Millisecond, 30 * time.Millisecond, 60 * time.Millisecond,
	120 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond, time.Second,
}

// actionWriter sends the answers and the status of one action server, from one goroutine,
// so that the loop never waits for the middleware. Answers to one client keep their order.
// The status that shows a goal as accepted is sent after the answer that accepts it.
//
// Sending blocks while the middleware has not found the client's reader. A greeter, on a
// goroutine of its own, therefore sends the first answer to each client.
type actionWriter struct {
	server *ActionServer
	wake   chan struct{} // holds a token when there may be something to do
	ended  chan struct{}
	clock  func() time.Time

	mu        sync.Mutex
	lanes     map[laneKey]*lane
	greeters  sync.WaitGroup
	greeting  int
	status    *rcl.StatusArray   // newest; nil before the first goal
	older     []*rcl.StatusArray // not published yet, oldest first
	statusNew bool               // status was never published
	statusDue bool
	statusAt  time.Time   // of the last array
	again     []time.Time // when the status is due again
	closed    bool
}

// laneKey is one client of one of the services.
type laneKey struct {
	service rcl.ActionService
	client  [16]int8
}

// lane holds the answers to one client, oldest first.
type lane struct {
	waiting []*answer
	asked   time.Time // when the newest answer was queued
	due     time.Time // no answer is sent before
	paid    time.Time // when the burst is available in full again
	paced   bool      // the burst is used up
	row     int       // answers since the burst was used up
	unacked int       // acceptances that the client has not acknowledged by asking for the result
	deaf    bool      // the client does not ask for results
	sentAt  time.Time
	late    time.Duration // how long after due the writer looked
	known   bool          // an answer has reached the client's reader
	busy    bool          // a greeter is sending
}

type answer struct {
	send    func(*rcl.ActionServer) error
	queued  time.Time
	until   time.Time // when to give up; zero before the first try
	accepts bool      // the answer accepts a goal
}

func newActionWriter(s *ActionServer) *actionWriter {
	return &actionWriter{
		server: s, wake: make(chan struct{}, 1), ended: make(chan struct{}), clock: time.Now,
		lanes: map[laneKey]*lane{},
	}
}

// put queues an answer. It never blocks.
func (w *actionWriter) put(service rcl.ActionService, header rcl.Header, a answer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	key := laneKey{service, header.GUID}
	l := w.lanes[key]
	if l == nil {
		l = &lane{}
		w.lanes[key] = l
	}
	a.queued = w.clock()
	l.asked = a.queued
	l.waiting = append(l.waiting, &a)
	w.mark()
}

// show makes status the newest one; now reports whether it is due already. The previous one
// is still published first, unless that would delay the newest one for long.
func (w *actionWriter) show(status *rcl.StatusArray, now bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.status == nil:
	case w.statusNew && len(w.older) < statusesHeld && status.Len() <= statusGoals:
		w.older = append(w.older, w.status)
	default:
		w.status.Close()
		w.dropOlder()
	}
	w.status, w.statusNew = status, true
	w.statusDue = w.statusDue || now
	w.mark()
}

func (w *actionWriter) dropOlder() {
	for _, s := range w.older {
		s.Close()
	}
	w.older = nil
}

// mark puts the token in place.
func (w *actionWriter) mark() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// run is the writer's goroutine.
func (w *actionWriter) run() {
	defer close(w.ended)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		w.mu.Lock()
		if w.closed {
			w.mu.Unlock()
			return
		}
		now := w.clock()
		l, next := w.choose(now)
		switch {
		case w.publishes(now):
			w.publish(now) // unlocks
			continue
		case l != nil && l.known:
			w.send(l) // unlocks
			continue
		case l != nil:
			w.greet(l)
			w.mu.Unlock()
			continue
		}
		next = w.statusNext(next)
		w.mu.Unlock()
		if next.IsZero() {
			timer.Stop()
		} else {
			timer.Reset(next.Sub(now))
		}
		select {
		case <-w.wake:
		case <-timer.C:
		}
	}
}

// choose returns the lane that has waited longest among those that may send now, or else when
// the next lane may send. It forgets the lanes of clients that have all their answers. w.mu
// is held.
func (w *actionWriter) choose(now time.Time) (chosen *lane, next time.Time) {
	for key, l := range w.lanes {
		switch {
		case l.busy:
		case len(l.waiting) == 0:
			if !now.Before(l.paid) {
				delete(w.lanes, key)
			}
		case !l.known && w.greeting >= maxGreeters: // a greeter that ends wakes the writer
		case len(l.waiting) <= answersHeld && now.Before(l.ready()):
			next = sooner(next, l.ready())
		case chosen == nil || l.due.Before(chosen.due):
			chosen = l
		}
	}
	if chosen != nil && chosen.paced {
		chosen.late = now.Sub(chosen.ready())
		chosen.deaf = chosen.deaf || chosen.unacked >= unackedMost
	}
	return chosen, next
}

// sooner returns the earlier of two times, of which the first may be zero.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// ready returns when the oldest answer may be sent.
func (l *lane) ready() time.Time {
	if !l.paced {
		return l.due
	}
	quiet, most := l.asked.Add(askingEnds), l.waiting[0].queued.Add(askingAtMost)
	if most.Before(quiet) {
		quiet = most
	}
	at := l.due
	if quiet.After(at) {
		at = quiet
	}
	if acked := l.sentAt.Add(ackPatience); l.unacked >= unackedMost && !l.deaf && acked.After(at) {
		at = acked
	}
	return at
}

// acked notes that a client has taken the acceptance that answered goal, since it has asked
// for the result. Clients take from their services in turn, so the client has also taken one
// result, if there was one, and one more of each may be sent. A client that sends one goal
// after another is therefore never delayed.
func (w *actionWriter) acked(goal, result rcl.Header) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.clock()
	if l := w.lanes[laneKey{rcl.GoalService, goal.GUID}]; l != nil && l.unacked > 0 {
		l.unacked--
		l.refund(now)
		w.mark()
	}
	if l := w.lanes[laneKey{rcl.ResultService, result.GUID}]; l != nil {
		l.refund(now)
		w.mark()
	}
}

// refund gives back one answer of the burst.
func (l *lane) refund(now time.Time) {
	l.paid = l.paid.Add(-answerPace)
	if l.paid.Before(now) {
		l.paid = now
	}
	if due := l.paid.Add(-answerBurst * answerPace); l.paced && !due.After(now) {
		l.paced, l.row, l.due = false, 0, due
	}
}

// publishes reports whether the status is sent next: it is due, and the last one was long
// enough ago. w.mu is held.
func (w *actionWriter) publishes(now time.Time) bool {
	for len(w.again) > 0 && !now.Before(w.again[0]) {
		w.again, w.statusDue = w.again[1:], true
	}
	return w.statusDue && w.status != nil && !now.Before(w.statusReady())
}

// statusReady returns when the next array may be published. w.mu is held.
func (w *actionWriter) statusReady() time.Time {
	return w.statusAt.Add(max(statusPace, time.Duration(w.status.Len())*statusPerGoal))
}

// statusNext returns the earlier of next and the time at which the status is due again.
// w.mu is held.
func (w *actionWriter) statusNext(next time.Time) time.Time {
	at := time.Time{}
	switch {
	case w.statusDue && w.status != nil:
		at = w.statusReady()
	case len(w.again) > 0:
		at = w.again[0]
	}
	if at.IsZero() || !next.IsZero() && next.Before(at) {
		return next
	}
	return at
}

// publish publishes the oldest unpublished status, or else the newest again. It unlocks w.mu.
func (w *actionWriter) publish(now time.Time) {
	var status *rcl.StatusArray
	if len(w.older) > 0 {
		status, w.older = w.older[0], w.older[1:]
	} else {
		status = w.status.Share()
		w.statusDue, w.statusNew = false, false
	}
	w.statusAt = now
	w.mu.Unlock()
	defer status.Close()
	if err := w.server.h.PublishStatus(status); err != nil {
		w.server.complain("publish status", err)
	}
}

// send sends the oldest answer of a lane. It unlocks w.mu.
func (w *actionWriter) send(l *lane) {
	a := l.waiting[0]
	w.mu.Unlock()
	err := a.send(w.server.h)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent(l, a, err)
}

// greet sends the first answer to a client. w.mu is held.
func (w *actionWriter) greet(l *lane) {
	a := l.waiting[0]
	l.busy = true
	w.greeting++
	w.greeters.Go(func() {
		err := a.send(w.server.h)
		w.mu.Lock()
		defer w.mu.Unlock()
		l.busy = false
		w.greeting--
		w.sent(l, a, err)
		w.mark()
	})
}

// sent removes an answer from its lane, unless it is to be retried. w.mu is held.
func (w *actionWriter) sent(l *lane, a *answer, err error) {
	now := w.clock()
	late := errors.Is(err, &Timeout{})
	if a.until.IsZero() {
		a.until = now.Add(replyPatience)
	}
	if late && now.Before(a.until) && !w.closed {
		l.known, l.due = false, now.Add(replyAgain)
		return
	}
	if err != nil {
		w.server.complain("answer a client", err)
	}
	l.known = err == nil
	l.waiting[0] = nil
	if l.waiting = l.waiting[1:]; len(l.waiting) == 0 {
		l.waiting = nil
	}
	if l.paid.Before(now) {
		l.paid = now
	}
	l.paid = l.paid.Add(answerPace)
	l.due = l.paid.Add(-answerBurst * answerPace)
	if l.paced = l.due.After(now); l.paced {
		pace := answerPace
		if l.row++; l.row > manyAnswers {
			pace = manyPace
		}
		l.due = now.Add(min(max(pace, lateFactor*l.late), longestPace))
		l.paid = l.due.Add(answerBurst * answerPace)
	} else {
		l.row = 0
	}
	l.late, l.sentAt = 0, now
	if a.accepts {
		l.unacked++
		w.statusDue = true
		w.again = w.again[:0]
		for _, after := range statusAgain {
			w.again = append(w.again, now.Add(after))
		}
	}
}

// close ends the writer. It sends the answers to reachable clients without a pause and drops
// the others. Loop only, before the handle is closed.
func (w *actionWriter) close() {
	w.mu.Lock()
	w.closed = true
	w.mark()
	w.mu.Unlock()
	<-w.ended
	w.greeters.Wait()
	for _, l := range w.lanes {
		for _, a := range l.waiting {
			if l.known {
				_ = a.send(w.server.h)
			}
		}
	}
	clear(w.lanes)
	w.dropOlder()
	if w.status != nil {
		w.status.Close()
		w.status = nil
	}
}
