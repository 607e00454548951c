//go:build ros

package rosnet

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
	"go.uber.org/zap"

	"rstate/internal/clean"
	"rstate/internal/engine"
	"rstate/internal/looper"
	"rstate/internal/network"
	"rstate/internal/stepper"
	"rstate/internal/tally"
	builtin_interfaces_msg "rstate/msgs/gen/builtin_interfaces/msg"
	rosgraph_msgs_msg "rstate/msgs/gen/rosgraph_msgs/msg"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

// The stepped loop: its participants as services, simulated time on a topic, its statistics on a topic, and its
// triggers.

// lookEvery is how often a participant is looked for whose service is not there yet.
const lookEvery = 10 * time.Millisecond

// stepsTopic is the topic of the statistics. The node that publishes there has the loop of the simulation.
func (w *World) stepsTopic() string { return w.net.Topic + "/steps" }

// openLoop makes the driver of the loop, if the network has one.
func (w *World) openLoop() error {
	if w.net.Loop == nil {
		return nil
	}
	conf := looper.Config{Network: w.net, Post: w.post, Claim: w.claimsLoop, Gate: &w.gate, Go: w.goes}
	for i, p := range w.net.Loop.Participants {
		if p.Speaks == network.SpeaksStandard {
			conf.Callers = append(conf.Callers, w.openSimulator(&w.net.Loop.Participants[i]))
			continue
		}
		client, err := rstate_msgs_srv.NewStepClient(w.node, p.Node+"/step", nil)
		if err != nil {
			return fmt.Errorf("cannot reach the participant %q: %w", p.Node, err)
		}
		w.owns(client.Close)
		data, err := rstate_msgs_srv.NewStepDataClient(w.node, p.Node+"/step_data", nil)
		if err != nil {
			return fmt.Errorf("cannot reach the data of the participant %q: %w", p.Node, err)
		}
		w.owns(data.Close)
		conf.Callers = append(conf.Callers,
			&participant{client: client, data: data, name: p.Node, req: rstate_msgs_srv.NewStep_Request()})
	}
	if w.net.Loop.Clock != "" {
		publisher, err := rosgraph_msgs_msg.NewClockPublisher(w.node, w.net.Loop.Clock, nil)
		if err != nil {
			return fmt.Errorf("cannot publish simulated time: %w", err)
		}
		w.owns(publisher.Close)
		conf.Other = func() string { other, _ := w.rival.Load().(string); return other }
		msg := rosgraph_msgs_msg.NewClock()
		conf.Tick = func(now time.Duration) {
			msg.Clock = simulated(now)
			if err := publisher.Publish(msg); err != nil {
				w.log.Warn("cannot publish simulated time", zap.Error(err))
			}
		}
	}
	if err := w.openRecorder(&conf); err != nil {
		return err
	}
	times, err := rstate_msgs_msg.NewStepTimePublisher(w.node, w.stepsTopic(), nil)
	if err != nil {
		return fmt.Errorf("cannot publish the statistics of the loop: %w", err)
	}
	w.owns(times.Close)
	conf.Tick = w.tells(conf.Tick)
	conf.Waits = func(why string) { w.log.Info("the loop does not begin yet", zap.String("cause", why)) }
	conf.Seen = func(v engine.LoopView) {
		for _, t := range v.Times {
			if err := times.Publish(stepTime(t)); err != nil {
				w.log.Warn("cannot publish the statistics of the loop", zap.Error(err))
			}
		}
	}
	w.looper = looper.New(conf)
	return nil
}

// startLoop lets the driver run.
func (w *World) startLoop() {
	if w.looper != nil {
		w.goes(func() { w.looper.Run(w.ctx) })
	}
}

// claimsLoop says why the loop must not run now: another node publishes simulated time, or has the loop.
func (w *World) claimsLoop() error {
	if clock := w.net.Loop.Clock; clock != "" {
		if other := w.otherPublisher(clock); other != "" {
			return fmt.Errorf("%s publishes %s already; stop it, or write loop: {clock: false}", other, clock)
		}
	}
	if other := w.otherPublisher(w.stepsTopic()); other != "" {
		return fmt.Errorf("%s has the loop of simulation %s already; remove loop: from one of the two network files",
			other, w.net.Simulation)
	}
	return nil
}

// lookForClocks looks for a node that publishes simulated time beside ours: one may appear while the loop runs. Watcher
// only.
func (w *World) lookForClocks() {
	if w.net.Loop != nil && w.net.Loop.Clock != "" {
		if other := w.otherPublisher(w.net.Loop.Clock); other != unnamed { // its name is on its way
			w.rival.Store(other)
		}
	}
}

// unnamed stands for a node whose name has not arrived.
const unnamed = "another node"

// otherPublisher names a node beside ours that publishes on the topic; empty: none does.
func (w *World) otherPublisher(topic string) string {
	infos, err := w.node.GetPublishersInfoByTopic(topic, true)
	if err != nil {
		w.log.Warn("cannot read the graph", zap.String("topic", topic), zap.Error(err))
	}
	other := ""
	for _, i := range infos {
		switch name := path.Join(i.NodeNamespace, i.NodeName); {
		case strings.HasPrefix(i.NodeName, nameless):
			other = unnamed
		case name != w.name:
			return clean.Text(name)
		}
	}
	return other
}

// participant calls one node of the loop. The driver has one goroutine, so the request is used again.
type participant struct {
	client *rstate_msgs_srv.StepClient
	data   *rstate_msgs_srv.StepDataClient
	name   string
	req    *rstate_msgs_srv.Step_Request
}

// Ready waits until the graph shows the service.
func (p *participant) Ready(ctx context.Context) error {
	if appears(ctx, p.client) {
		return nil
	}
	return fmt.Errorf("%s does not offer %s/step (rstate_msgs/srv/Step); start a node that does, or take it out of participants", p.name, p.name)
}

// appears reports whether the graph shows the service of a client, or shows it before ctx ends.
func appears(ctx context.Context, client interface{ Available() (bool, error) }) bool {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		if there, err := client.Available(); there && err == nil {
			return true
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return false
		}
	}
}

// Counts reports whether the graph shows the service of a participant that counts its messages. A participant makes
// that service before the other one, so that it is there when Ready is true.
func (p *participant) Counts() bool {
	there, err := p.data.Available()
	return there && err == nil
}

// Ask asks a participant that counts.
func (p *participant) Ask(ctx context.Context, q looper.Question) (looper.Reply, error) {
	req := rstate_msgs_srv.NewStepData_Request()
	req.Stage, req.Epoch = uint8(q.Stage), q.Epoch
	for _, t := range q.Topics {
		req.Topics = append(req.Topics, rstate_msgs_msg.StepTopic{Topic: t.Name, Type: t.Type, Publishers: t.Publishers,
			Subscribers: t.Subscribers})
	}
	resp, _, err := p.data.Send(ctx, req)
	if err != nil {
		return looper.Reply{}, err
	}
	r := looper.Reply{OK: resp.Ok, Why: clean.Short(resp.Message), Incarnation: resp.Incarnation}
	for _, t := range resp.Topics {
		topic := tally.Topic{Name: clean.Text(t.Topic), Type: clean.Text(t.Type)}
		if slices.Contains(t.Publishers, p.name) { // it speaks for itself only
			topic.Publishers = []string{p.name}
		}
		if slices.Contains(t.Subscribers, p.name) {
			topic.Subscribers = []string{p.name}
		}
		r.Topics = append(r.Topics, topic)
	}
	return r, nil
}

// Call asks for a part of a phase.
func (p *participant) Call(c looper.Call, answer func(looper.Answer, error)) (forget func()) {
	r := p.req
	r.Step, r.Now, r.Dt, r.Phase = c.Cycle, simulated(c.Now), duration(c.DT), uint8(c.Phase)
	r.Deadline, r.Epoch, r.Visible = duration(c.Deadline), c.Epoch, r.Visible[:0]
	for _, v := range c.Visible {
		r.Visible = append(r.Visible, rstate_msgs_msg.StepCount{Topic: v.Topic, Participant: v.Node, Count: v.N})
	}
	gives, err := p.client.SendFunc(r, func(msg types.Message, _ *rclgo.ServiceInfo, err error) {
		if resp, ok := msg.(*rstate_msgs_srv.Step_Response); ok {
			a := looper.Answer{Counts: resp.Counts}
			a.OK, a.Want, a.Message = resp.Ok, stepper.Want(resp.Want), clean.Short(resp.Message)
			for _, s := range resp.Sent {
				a.Sent = append(a.Sent, tally.Count{Topic: s.Topic, N: s.Count})
			}
			answer(a, nil)
			return
		}
		answer(looper.Answer{}, err)
	})
	if err != nil {
		answer(looper.Answer{}, err)
		return func() {}
	}
	return func() { gives() }
}

// simulated is simulated time as ROS writes it.
func simulated(t time.Duration) builtin_interfaces_msg.Time {
	return builtin_interfaces_msg.Time{Sec: int32(t / time.Second), Nanosec: uint32(t % time.Second)}
}

func stepTime(t engine.StepTime) *rstate_msgs_msg.StepTime {
	return &rstate_msgs_msg.StepTime{
		Node: t.Node, Phase: uint8(t.Phase), Count: t.Count, Mean: duration(t.Mean), Max: duration(t.Max),
		Last: duration(t.Last),
	}
}

// describeLoop puts the loop into the words of ~/state.
func describeLoop(m *rstate_msgs_msg.InstanceState, l *engine.LoopView) {
	m.Phase, m.Step, m.StepTime, m.StepRate, m.StepFault = l.Phase, l.Step, simulated(l.Now), l.Rate, l.Fault
	m.StepOverruns = l.Overruns
	if n := len(l.Recordings); n > 0 {
		m.Recording = l.Recordings[n-1]
	}
	for _, t := range l.Times {
		m.StepTimes = append(m.StepTimes, *stepTime(t))
	}
}

// startTriggers offers ~/set_trigger.
func (w *World) startTriggers() error {
	if w.looper == nil {
		return nil
	}
	service, err := rstate_msgs_srv.NewSetTriggerService(w.node, "~/set_trigger", deep(),
		func(_ *rclgo.ServiceInfo, req *rstate_msgs_srv.SetTrigger_Request,
			to rstate_msgs_srv.SetTriggerServiceResponseSender) {
			resp := rstate_msgs_srv.NewSetTrigger_Response()
			resp.Message = w.setTrigger(req)
			resp.Success = resp.Message == ""
			w.sent(to.SendResponse(resp))
		})
	if err != nil {
		return fmt.Errorf("cannot offer ~/set_trigger: %w", err)
	}
	w.owns(service.Close)
	return nil
}

func (w *World) setTrigger(req *rstate_msgs_srv.SetTrigger_Request) string {
	at := time.Duration(req.At.Sec)*time.Second + time.Duration(req.At.Nanosec)
	if at < 0 {
		return "simulated time begins at 0; write a time after it"
	}
	return w.SetTrigger(stepper.Trigger{ID: req.Id, Cycles: req.Steps, At: at, Want: stepper.Want(req.Want),
		Why: clean.Short(req.Reason)})
}

// SetTrigger sets a trigger of the stepped loop, or removes it with the want None. It returns why not; empty: it did.
func (w *World) SetTrigger(t stepper.Trigger) string {
	if w.looper == nil {
		return "the network file has no loop:, so nothing is stepped"
	}
	return w.looper.Trigger(w.ctx, t)
}
