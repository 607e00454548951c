//go:build ros

package rosnet

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
	"go.uber.org/zap"

	"rstate/internal/engine"
	"rstate/internal/engine/stopinput"
	"rstate/internal/latch"
	"rstate/internal/measure"
	"rstate/internal/network"
	"rstate/internal/procs"
)

const (
	// lookForButtons is the period at which the graph is asked for the publishers of stop inputs.
	lookForButtons = 200 * time.Millisecond
	// stopDepth is how many messages of a stop input wait while this process is not scheduled. A press must not be
	// pushed out by the clear messages of other buttons.
	stopDepth = 200
)

// stopInput reads one stop input. It subscribes as a volatile reader, so that no message that a publisher has kept
// counts, and with best effort, which matches every publisher.
type stopInput struct {
	w       *World
	k       int
	spec    *network.Stop
	support types.MessageTypeSupport
	fault   string // why it cannot be read; empty: it can

	mu      sync.Mutex // held while a word is posted, so that none follows the end of its writer
	buttons buttons
	writers []procs.Participant // that the graph shows

	looks sync.Mutex      // held by a look
	shown *stopinput.Seen // that was posted; nil: nothing was
}

func (w *World) openStops() {
	for k := range w.net.Stop {
		s := &stopInput{w: w, k: k, spec: &w.net.Stop[k], buttons: newButtons(w.net.Stop[k].Silent)}
		if err := s.open(); err != nil {
			s.fault = "cannot be read: " + err.Error()
			w.log.Error("a stop input cannot be read, so nothing is armed", zap.String("topic", s.spec.Topic),
				zap.Error(err))
		}
		w.stops = append(w.stops, s)
	}
}

// open subscribes to the topic, if its type is installed and has the field. Its name may be remapped, so from here on the
// network has the real one.
func (s *stopInput) open() error {
	pkg, name, _ := strings.Cut(s.spec.Type, "/")
	support, err := rclgo.LoadDynamicMessageTypeSupport(pkg, name)
	if err != nil {
		return fmt.Errorf("the type %s is not installed here: install its package, or correct `type`: %w", s.spec.Type,
			err)
	}
	s.support = support
	if fault := measure.Unfit(s.spec.Type, support, s.spec.Field, s.spec.Bound()); fault != "" {
		return fmt.Errorf("%s %s", s.spec.Field, fault)
	}
	opts := rclgo.NewDefaultSubscriptionOptions()
	opts.Qos.Reliability, opts.Qos.Durability = rclgo.ReliabilityBestEffort, rclgo.DurabilityVolatile
	opts.Qos.Depth = stopDepth
	sub, err := s.w.node.NewSubscription(s.spec.Topic, support, opts, s.heard)
	if err != nil {
		return err
	}
	s.spec.Topic = sub.TopicName
	s.w.owns(sub.Close)
	return nil
}

// heard takes a message. Its own goroutine, messages in order.
func (s *stopInput) heard(sub *rclgo.Subscription) {
	text, info, err := sub.TakeSerializedMessage()
	if err != nil {
		return
	}
	word, fault := s.read(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.buttons.says(info.PublisherGID, word, time.Now()) {
		s.w.post(engine.StopHeard{Stop: s.k, Writer: writerID(info.PublisherGID), Word: word, Fault: fault})
	}
}

// read returns what a message says.
func (s *stopInput) read(text []byte) (word stopinput.Word, fault string) {
	decoded, err := rclgo.Deserialize(text, s.support)
	if err != nil {
		return stopinput.Garbled, err.Error()
	}
	value, fault := measure.Field(s.spec.Type, decoded, s.spec.Field)
	stop := false
	if fault == "" {
		stop, fault = s.spec.Says(value)
	}
	switch {
	case fault != "":
		return stopinput.Garbled, s.spec.Field + " " + fault
	case stop:
		return stopinput.Stop, ""
	}
	return stopinput.Clear, ""
}

func writerID(gid rclgo.GID) string { return fmt.Sprintf("%x", gid) }

// startStops begins to look for the publishers of stop inputs.
func (w *World) startStops() {
	if len(w.stops) > 0 {
		w.goes(w.watchStops)
	}
}

func (w *World) watchStops() {
	tick := time.NewTicker(lookForButtons)
	defer tick.Stop()
	for {
		for _, s := range w.stops {
			s.look()
		}
		select {
		case <-w.ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// processEnded notes that the process of a participant has ended. A button of it has left at once.
func (s *stopInput) processEnded(p procs.Participant) {
	s.mu.Lock()
	known := slices.Contains(s.writers, p)
	if known {
		s.buttons.ends(p, time.Now())
	}
	s.mu.Unlock()
	if known {
		s.look()
	}
}

// processes returns the participants that the graph shows as writers.
func (s *stopInput) processes() []procs.Participant {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writers
}

// look posts what the graph shows of the topic, if that has changed. A writer whose process has ended is not shown.
func (s *stopInput) look() {
	s.looks.Lock()
	defer s.looks.Unlock()
	seen := stopinput.Seen{Unsigned: !s.w.able().GIDs, Fault: s.fault}
	infos, err := s.w.node.GetPublishersInfoByTopic(s.spec.Topic, true)
	if err != nil {
		s.w.log.Warn("cannot read the graph", zap.String("topic", s.spec.Topic), zap.Error(err))
		return // its silence is noticed all the same
	}
	gone := s.gone(infos)
	for k, info := range infos {
		if gone[k] {
			continue
		}
		node := full(info.NodeNamespace, info.NodeName)
		if info.TopicType != s.spec.Type && seen.Fault == "" {
			seen.Fault = fmt.Sprintf("%s publishes it as %s, not as %s: correct `type`, or end that node", node,
				info.TopicType, s.spec.Type)
		}
		seen.Writers = append(seen.Writers, stopinput.Writer{ID: writerID(info.EndpointGID), Node: node})
	}
	slices.SortFunc(seen.Writers, func(a, b stopinput.Writer) int { return strings.Compare(a.ID, b.ID) })
	if s.shown != nil && reflect.DeepEqual(*s.shown, seen) {
		return
	}
	s.shown = &seen
	s.w.post(engine.StopSeen{Stop: s.k, Seen: seen})
}

// gone notes which participants write the topic, and says of each endpoint whether its process has ended.
func (s *stopInput) gone(infos []rclgo.TopicEndpointInfo) []bool {
	gone := make([]bool, len(infos))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writers = nil
	for k, info := range infos {
		s.writers = append(s.writers, participantOf(info.EndpointGID))
		gone[k] = !s.buttons.lives(info.EndpointGID)
	}
	s.buttons.forgets(s.writers)
	return gone
}

// Acknowledge asks the engine to acknowledge all stops that were shown, and waits for the answer. message says what
// was acknowledged, or why nothing was.
func (w *World) Acknowledge(ctx context.Context, who, authority string,
	shown []latch.Latch) (accepted bool, message string) {
	return w.acks.hand(w, engine.AcknowledgeAsked{Who: who, Authorized: w.secret.Fits(authority), Shown: shown,
		ShownOnly: true})(ctx)
}

// acks are the requests to acknowledge that have no answer yet.
type acks struct {
	mu   sync.Mutex
	last uint64
	open map[string]chan engine.AnswerAcknowledge
}

// hand asks the engine before it returns. wait waits for the answer, and is called once.
func (a *acks) hand(w *World, in engine.AcknowledgeAsked) (wait func(context.Context) (accepted bool, message string)) {
	answer := make(chan engine.AnswerAcknowledge, 1)
	a.mu.Lock()
	if a.open == nil {
		a.open = map[string]chan engine.AnswerAcknowledge{}
	}
	a.last++
	in.Handle = fmt.Sprintf("acknowledge %d", a.last)
	a.open[in.Handle] = answer
	a.mu.Unlock()
	w.post(in)
	return func(ctx context.Context) (bool, string) { return a.await(ctx, w, in.Handle, answer) }
}

func (a *acks) await(ctx context.Context, w *World, handle string,
	answer <-chan engine.AnswerAcknowledge) (accepted bool, message string) {
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.open, handle)
	}()
	select {
	case e := <-answer:
		return e.Accepted, e.Message
	case <-ctx.Done():
		return false, "the request was given up before rstate has answered"
	case <-w.asking.Done():
		return false, errOver.Error()
	}
}

func (a *acks) answer(e engine.AnswerAcknowledge) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if to := a.open[e.Handle]; to != nil {
		to <- e
	}
}
