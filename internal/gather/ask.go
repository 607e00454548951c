//go:build ros

package gather

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"

	"rstate/internal/doctor"
	"rstate/internal/middleware"
	"rstate/internal/network"
	lifecycle_msgs_srv "rstate/msgs/gen/lifecycle_msgs/srv"
	rcl_interfaces_srv "rstate/msgs/gen/rcl_interfaces/srv"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

const (
	// askAgain is when a question is repeated: the first answer may get lost while its two ends find each other.
	askAgain = 700 * time.Millisecond
	// askedInAtMost is how long all nodes together have. The doctor has little time.
	askedInAtMost = 6 * time.Second
	// believed is how long a daemon that is silent is taken to live; it renews its life far more often.
	believed = time.Second
)

// watched is a daemon whose state is listened to.
type watched struct {
	name  string
	node  *rclgo.Node
	sub   *rstate_msgs_msg.InstanceStateSubscription
	began time.Time

	mu    sync.Mutex
	state *rstate_msgs_msg.InstanceState
	pulse middleware.Pulse
	heard chan struct{} // closed when there is a state
}

// watch begins to listen to a daemon, once.
func (l *looker) watch(name string) {
	if slices.ContainsFunc(l.daemons, func(d *watched) bool { return d.name == name }) {
		return
	}
	if n, err := l.node.CountPublishers(name + "/state"); err != nil || n == 0 {
		return
	}
	d := &watched{name: name, node: l.node, began: time.Now(), heard: make(chan struct{})}
	opts := rclgo.NewDefaultSubscriptionOptions()
	opts.Qos.Durability, opts.Qos.Depth = rclgo.DurabilityTransientLocal, 1
	opts.Qos.Liveliness, opts.Qos.LivelinessLeaseDuration = rclgo.LivelinessManualByTopic, believed
	sub, err := rstate_msgs_msg.NewInstanceStateSubscription(l.node, name+"/state", opts, d.take)
	if err != nil {
		return // its type is not installed; another check reports that
	}
	d.sub = sub
	// Without events, the age of its messages decides.
	if err := sub.OnLivelinessChanged(d.lives); err != nil && !errors.As(err, new(*rclgo.Unsupported)) {
		l.facts.Stack.Fault = "cannot watch over " + name + ": " + err.Error()
	}
	l.aging.Go(func() { d.age(l.over) })
	l.daemons = append(l.daemons, d)
}

func (d *watched) take(msg *rstate_msgs_msg.InstanceState, _ *rclgo.MessageInfo, err error) {
	if err != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	before := d.state
	d.state = msg
	switch {
	case before == nil:
		close(d.heard)
	case msg.InstanceId != before.InstanceId:
		d.pulse = middleware.Pulse{} // what the one before has repeated says nothing of this one
	}
	d.pulse.Heard(before != nil && msg.InstanceId == before.InstanceId && msg.Stamp == before.Stamp)
}

func (d *watched) lives(c rclgo.LivelinessChanged) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pulse.Event(c.AliveCount)
}

// age lets the age of the newest message decide where no liveliness event fires and the daemon repeats it,
// until the look around is over.
func (d *watched) age(over <-chan struct{}) {
	look := time.NewTicker(middleware.Look)
	defer look.Stop()
	for {
		select {
		case <-over:
			return
		case <-look.C:
			d.mu.Lock()
			d.pulse.Tick()
			d.mu.Unlock()
		}
	}
}

func (d *watched) fact() doctor.Daemon {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := doctor.Daemon{Name: d.name, Alive: d.pulse.Alive}
	f.Writers, _ = d.node.CountPublishers(d.name + "/state")
	if s := d.state; s != nil {
		f.Simulation, f.State, f.Intact, f.Settled, f.Cause, f.Warnings = s.Simulation, s.State.Label, s.Intact,
			s.Settled, s.Cause, s.Warnings
		for _, n := range s.Nodes {
			f.Nodes = append(f.Nodes, n.Name)
		}
	}
	return f
}

// ofAsked returns the newest state of the daemon that is asked for, or nothing.
func (l *looker) ofAsked() *rstate_msgs_msg.InstanceState {
	for _, d := range l.daemons {
		if d.name == l.wish.Daemon {
			d.mu.Lock()
			defer d.mu.Unlock()
			return d.state
		}
	}
	return nil
}

// askNetwork takes the nodes from the daemon: all of its file if it tells, else what its state names.
func (l *looker) askNetwork(ctx context.Context) {
	at := slices.IndexFunc(l.daemons, func(d *watched) bool { return d.name == l.wish.Daemon })
	if at < 0 {
		return
	}
	soon, cancel := context.WithTimeout(ctx, wordIn)
	defer cancel()
	select {
	case <-soon.Done():
	case <-l.daemons[at].heard:
	}
	if l.offered(l.wish.Daemon + "/get_network") {
		l.askFile(soon)
	}
	if s := l.ofAsked(); s != nil && l.wish.Network == nil {
		l.facts.Network.Simulation = s.Simulation
		for _, n := range s.Nodes {
			l.facts.Network.Nodes = append(l.facts.Network.Nodes,
				doctor.Node{Name: n.Name, Lifecycle: n.Lifecycle, Optional: n.Optional})
		}
	}
}

// askFile asks the daemon for its file.
func (l *looker) askFile(ctx context.Context) {
	client, err := rstate_msgs_srv.NewGetNetworkClient(l.node, l.wish.Daemon+"/get_network", nil)
	if err != nil {
		return
	}
	defer client.Close()
	resp, err := ask(ctx, client.Client, func() types.Message { return rstate_msgs_srv.NewGetNetwork_Request() })
	if err != nil {
		return
	}
	answer := resp.(*rstate_msgs_srv.GetNetwork_Response)
	if net, err := network.Parse(answer.File, []byte(answer.Network)); err == nil {
		l.wish.Network, l.facts.Network = net, fromFile(net)
	}
}

// expect adds what the daemon wants of each node, and what it waits for.
func (l *looker) expect() {
	s := l.ofAsked()
	if s == nil {
		return
	}
	for i := range l.facts.Network.Nodes {
		n := &l.facts.Network.Nodes[i]
		for _, told := range s.Nodes {
			if told.Name == n.Name {
				n.Running = told.Running
				n.Silent = strings.Contains(told.Cause, "is unresponsive")
				if s.Settled {
					n.Expected = told.Expected.Label
				}
			}
		}
		if n.Expected == "unknown" {
			n.Expected = ""
		}
	}
}

// askNodes asks every node of the network that is there, and the daemon.
func (l *looker) askNodes(ctx context.Context) {
	soon, cancel := context.WithTimeout(ctx, believed/2+inAll(1+len(l.facts.Network.Nodes), askedInAtMost))
	defer cancel()
	q := newQuestions(soon)
	names := []string{l.wish.Daemon}
	for _, n := range l.facts.Network.Nodes {
		names = append(names, n.Name)
	}
	answers := make([]doctor.Answer, len(names))
	for i, name := range names {
		a := &answers[i]
		a.Node = name
		if !slices.Contains(l.facts.Nodes, name) {
			continue
		}
		state, time := i > 0 && l.offered(name+"/get_state"), l.offered(name+"/get_parameters")
		q.ask(func(ctx context.Context) {
			if state {
				l.askState(ctx, a)
			}
			if time {
				l.askTime(ctx, a)
			}
		})
	}
	q.wait()
	l.facts.Answers = slices.DeleteFunc(answers, func(a doctor.Answer) bool { return a.State == "" && a.SimTime == "" })
	for _, d := range l.daemons { // liveliness that is not renewed expires only now
		pause(soon, believed+believed/2-time.Since(d.began))
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(max(d, 0))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

func (l *looker) askState(ctx context.Context, a *doctor.Answer) {
	client, err := lifecycle_msgs_srv.NewGetStateClient(l.node, a.Node+"/get_state", nil)
	if err != nil {
		return // of another type
	}
	defer client.Close()
	began := time.Now()
	resp, err := ask(ctx, client.Client, func() types.Message { return lifecycle_msgs_srv.NewGetState_Request() })
	if err == nil {
		a.State, a.Within = resp.(*lifecycle_msgs_srv.GetState_Response).CurrentState.Label, time.Since(began)
	}
}

func (l *looker) askTime(ctx context.Context, a *doctor.Answer) {
	client, err := rcl_interfaces_srv.NewGetParametersClient(l.node, a.Node+"/get_parameters", nil)
	if err != nil {
		return
	}
	defer client.Close()
	resp, err := ask(ctx, client.Client, func() types.Message {
		req := rcl_interfaces_srv.NewGetParameters_Request()
		req.Names = []string{"use_sim_time"}
		return req
	})
	if err != nil {
		return
	}
	if values := resp.(*rcl_interfaces_srv.GetParameters_Response).Values; len(values) == 1 &&
		values[0].Type == isBool {
		a.SimTime = "false"
		if values[0].BoolValue {
			a.SimTime = "true"
		}
	}
}

// isBool is rcl_interfaces' number of a parameter that is true or false.
const isBool = 1

// ask repeats a request until a server answers or ctx is done, and returns the first answer.
func ask(ctx context.Context, client *rclgo.Client, request func() types.Message) (types.Message, error) {
	first, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	for ok, err := client.Available(); err != nil || !ok; ok, err = client.Available() {
		if pause(ctx, 10*time.Millisecond); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	answers := make(chan types.Message, 1)
	tick := time.NewTicker(askAgain)
	defer tick.Stop()
	for {
		all.Go(func() {
			if resp, _, err := client.Send(first, request()); err == nil {
				select {
				case answers <- resp:
				default: // not the first
				}
			}
		})
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case resp := <-answers:
			return resp, nil
		case <-tick.C:
		}
	}
}
