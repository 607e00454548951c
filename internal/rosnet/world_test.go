//go:build ros

package rosnet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap/zaptest"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/network"
	rcl_interfaces_msg "rstate/msgs/gen/rcl_interfaces/msg"
	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
	"rstate/test/bed"
)

func TestMain(m *testing.M) { os.Exit(bed.Main(m)) }

// posted keeps the inputs that the world posts.
type posted struct {
	mu    sync.Mutex
	heard []engine.Input
}

func (e *posted) post(in engine.Input) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard = append(e.heard, in)
}

// all returns the received inputs of one kind.
func all[T engine.Input](e *posted) []T {
	e.mu.Lock()
	defer e.mu.Unlock()
	var list []T
	for _, in := range e.heard {
		if one, ok := in.(T); ok {
			list = append(list, one)
		}
	}
	return list
}

// hears waits for the n-th input of a kind.
func hears[T engine.Input](t *testing.T, e *posted, n int) T {
	t.Helper()
	var list []T
	bed.Eventually(t, fmt.Sprintf("the %d. %T is heard", n, *new(T)), func() (string, bool) {
		list = all[T](e)
		return fmt.Sprint(list), len(list) >= n
	})
	return list[n-1]
}

// matched waits until a process of nodes has found all that a world has made so far. A server that has not found the
// reader of its answers drops them.
func matched(t *testing.T, w *World, host *bed.Host) {
	t.Helper()
	last := "/" + bed.Unique(t, "last") // what a participant makes is announced in that order
	sub, err := w.node.NewSubscription(last, rcl_interfaces_msg.LogTypeSupport, nil, func(*rclgo.Subscription) {})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	bed.Eventually(t, "the process has found the world",
		func() (string, bool) { return "", host.Subscribers(last) == 1 })
}

// newWorld makes the world of a network with these nodes.
func newWorld(t *testing.T, nodes string) (*World, *posted) {
	t.Helper()
	return newInstance(t, "this", fmt.Sprintf("simulation: %s\nnodes:\n%s", bed.Unique(t, "sim"), nodes))
}

// newInstance makes the world of one run of a network, without a loop. An earlier run may have left some nodes armed.
func newInstance(t *testing.T, instance, text string, left ...engine.Leftover) (*World, *posted) {
	t.Helper()
	net, err := network.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := rclgo.NewContext(rclgo.ClockTypeROSTime, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ctx.Close(); err != nil {
			t.Error(err)
		}
	})
	node, err := ctx.NewNode(bed.Unique(t, "rstate"), "")
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(Options{Network: net, Node: node, Instance: instance, Began: time.Now(), Version: "test",
		Log: zaptest.NewLogger(t), Broken: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	spin, stop := context.WithCancel(context.Background())
	spun := make(chan struct{})
	go func() { defer close(spun); _ = ctx.Spin(spin) }()
	t.Cleanup(func() { w.Close(); stop(); <-spun })
	e := &posted{}
	w.Remember(left)
	w.Start(e.post)
	w.Carry(engine.TakeName{})
	return w, e
}

func TestNodeIsSeenWhenItCanBeDrivenAndAnswersAtOnce(t *testing.T) {
	host, name := bed.StartHost(t), "/"+bed.Unique(t, "lidar")
	w, e := newWorld(t, fmt.Sprintf("  %s: {arm: {}}\n", name))
	node := host.Node(bed.NodeSpec{Name: name, Arm: name + "/arm"})
	if seen := hears[engine.NodeSeen](t, e, 1); seen.Epoch != 1 || seen.Count != 1 {
		t.Errorf("seen as %+v", seen)
	}
	w.Carry(engine.ReadState{Node: 0, Ticket: 7})
	if read := hears[engine.StateRead](t, e, 1); read.Ticket != 7 || read.State != lifecycle.Unconfigured {
		t.Errorf("read %+v", read)
	}
	bed.Eventually(t, "the node has found the reader of its announcements", func() (string, bool) {
		n := host.Subscribers(name + "/transition_event")
		return strconv.Itoa(n), n == 1
	})
	w.Carry(engine.CallNode{Node: 0, Call: 8, Transition: lifecycle.Configure})
	if answer := hears[engine.CallAnswered](t, e, 1); answer.Call != 8 || !answer.Success {
		t.Errorf("answered %+v", answer)
	}
	if event := hears[engine.EventHeard](t, e, 2); event.Epoch != 1 || event.From != lifecycle.Configuring ||
		event.To != lifecycle.Inactive {
		t.Errorf("announced %+v", event)
	}
	w.Carry(engine.ArmNode{Node: 0, Call: 9, Permit: permit()})
	if answer := hears[engine.ArmAnswered](t, e, 1); answer.Call != 9 || !answer.Success {
		t.Errorf("answered %+v", answer)
	}
	if truth := node.Truth(); truth.State != "inactive" || !truth.Armed {
		t.Errorf("the node is %+v", truth)
	}
}

func TestRefusalIsAnAnswer(t *testing.T) {
	host, name := bed.StartHost(t), "/"+bed.Unique(t, "lidar")
	refuse := []bed.Behaviour{{Result: bed.Failure}}
	host.Node(bed.NodeSpec{Name: name, Arm: name + "/arm",
		Script: map[string][]bed.Behaviour{"configure": refuse, "arm": refuse}})
	w, e := newWorld(t, fmt.Sprintf("  %s: {arm: {}}\n", name))
	hears[engine.NodeSeen](t, e, 1)
	matched(t, w, host)
	w.Carry(engine.CallNode{Node: 0, Call: 1, Transition: lifecycle.Configure})
	w.Carry(engine.ArmNode{Node: 0, Call: 2, Permit: permit()})
	if answer := hears[engine.CallAnswered](t, e, 1); answer.Success {
		t.Errorf("answered %+v", answer)
	}
	if answer := hears[engine.ArmAnswered](t, e, 1); answer.Success {
		t.Errorf("answered %+v", answer)
	}
}

func TestNodeThatComesBackIsANewEpoch(t *testing.T) {
	host, name := bed.StartHost(t), "/"+bed.Unique(t, "lidar")
	_, e := newWorld(t, fmt.Sprintf("  %s: {}\n", name))
	node := host.Node(bed.NodeSpec{Name: name})
	hears[engine.NodeSeen](t, e, 1)
	node.Destroy()
	hears[engine.NodeLost](t, e, 1)
	host.Node(bed.NodeSpec{Name: name})
	if seen := hears[engine.NodeSeen](t, e, 2); seen.Epoch != 2 || seen.Count != 1 {
		t.Errorf("seen as %+v", seen)
	}
}

func TestTwoNodesOfOneNameAreCounted(t *testing.T) {
	host, name := bed.StartHost(t), "/"+bed.Unique(t, "lidar")
	_, e := newWorld(t, fmt.Sprintf("  %s: {}\n", name))
	first := host.Node(bed.NodeSpec{Name: name})
	hears[engine.NodeSeen](t, e, 1)
	bed.NewHost(t).Node(bed.NodeSpec{Name: name})
	if seen := hears[engine.NodeSeen](t, e, 2); seen.Epoch != 2 || seen.Count != 2 {
		t.Errorf("seen as %+v", seen)
	}
	first.Destroy()
	if seen := hears[engine.NodeSeen](t, e, 3); seen.Epoch != 2 || seen.Count != 1 {
		t.Errorf("seen as %+v", seen)
	}
}

func TestPlainNodeIsThereWhenItIsInTheGraph(t *testing.T) {
	host, name := bed.StartHost(t), "/"+bed.Unique(t, "map")+"/server"
	_, e := newWorld(t, fmt.Sprintf("  %s: {lifecycle: false}\n", name))
	node := host.Node(bed.NodeSpec{Name: name, Plain: true})
	if seen := hears[engine.NodeSeen](t, e, 1); seen.Epoch != 1 || seen.Count != 1 {
		t.Errorf("seen as %+v", seen)
	}
	node.Destroy()
	hears[engine.NodeLost](t, e, 1)
}

func TestNodeWithoutItsArmingServiceIsSeenAllTheSame(t *testing.T) {
	host, name := bed.StartHost(t), "/"+bed.Unique(t, "lidar")
	host.Node(bed.NodeSpec{Name: name})
	_, e := newWorld(t, fmt.Sprintf("  %s: {arm: {}}\n", name))
	hears[engine.NodeSeen](t, e, 1)
}

func TestBusyNodeHoldsUpNobody(t *testing.T) {
	host, busy, other := bed.StartHost(t), "/"+bed.Unique(t, "busy"), "/"+bed.Unique(t, "other")
	node := host.Node(bed.NodeSpec{Name: busy, Script: map[string][]bed.Behaviour{"configure": {{Result: bed.Frozen}}}})
	host.Node(bed.NodeSpec{Name: other})
	w, e := newWorld(t, fmt.Sprintf("  %s: {}\n  %s: {}\n", busy, other))
	hears[engine.NodeSeen](t, e, 2)
	matched(t, w, host)
	w.Carry(engine.CallNode{Node: 0, Call: 1, Transition: lifecycle.Configure})
	bed.Eventually(t, "the node is busy", func() (string, bool) {
		words := node.Truth().Words()
		return fmt.Sprint(words), len(words) == 1
	})
	for i := range uint64(3 * maxInFlight) { // more than are kept waiting
		w.Carry(engine.ReadState{Node: 0, Ticket: 100 + i})
	}
	w.Carry(engine.CallNode{Node: 1, Call: 2, Transition: lifecycle.Configure})
	if answer := hears[engine.CallAnswered](t, e, 1); answer.Node != 1 || !answer.Success {
		t.Errorf("answered %+v", answer)
	}
	node.Thaw()
	if answer := hears[engine.CallAnswered](t, e, 2); answer.Call != 1 || !answer.Success {
		t.Errorf("answered %+v", answer)
	}
}

func TestDisarmAllReachesEveryNode(t *testing.T) {
	host, name := bed.StartHost(t), "/"+bed.Unique(t, "arm")
	node := host.Node(bed.NodeSpec{Name: name, Arm: name + "/arm"})
	w, e := newWorld(t, fmt.Sprintf("  %s: {arm: {}}\n", name))
	hears[engine.NodeSeen](t, e, 1)
	matched(t, w, host)
	w.Carry(engine.ArmNode{Node: 0, Call: 1, Permit: permit()})
	hears[engine.ArmAnswered](t, e, 1)
	if !node.Truth().Armed {
		t.Fatal("the node is not armed")
	}
	ctx, cancel := context.WithTimeout(t.Context(), bed.Deadline)
	defer cancel()
	w.DisarmAll(ctx)
	if node.Truth().Armed {
		t.Error("the node is still armed")
	}
}

// arming is a world with a node that arms in this way, beside everything else that it does, and has begun to.
func arming(t *testing.T, settles string, how bed.Behaviour) (*World, *bed.Node) {
	t.Helper()
	host, name := bed.StartHost(t), "/"+bed.Unique(t, "arm")
	node := host.Node(bed.NodeSpec{Name: name, Arm: name + "/arm", Beside: true, Threads: 4,
		Script: map[string][]bed.Behaviour{"arm": {how}}})
	t.Cleanup(node.Thaw)
	w, e := newWorld(t, fmt.Sprintf("  %s: {arm: {settles: %s}}\n", name, settles))
	hears[engine.NodeSeen](t, e, 1)
	matched(t, w, host)
	w.Carry(engine.ArmNode{Node: 0, Call: 1, Permit: permit()})
	bed.Eventually(t, "the node arms", func() (string, bool) {
		words := node.Truth().Words()
		return fmt.Sprint(words), len(words) == 1
	})
	return w, node
}

// TestA3DisarmAllOutlastsAnArm that the node still runs, and answers after the disarm. A later arm does not leave.
func TestA3DisarmAllOutlastsAnArm(t *testing.T) {
	w, node := arming(t, "20s", bed.Behaviour{Delay: time.Second})
	ctx, cancel := context.WithTimeout(t.Context(), bed.Deadline)
	defer cancel()
	if doubt := w.DisarmAll(ctx); len(doubt) > 0 || node.Truth().Armed {
		t.Errorf("in doubt: %v, and the node is %+v", doubt, node.Truth())
	}
	w.Carry(engine.ArmNode{Node: 0, Call: 2, Permit: permit()})
	if doubt := w.DisarmAll(ctx); len(doubt) > 0 {
		t.Errorf("in doubt: %v", doubt)
	}
	if words := node.Truth().Words(); !slices.Equal(words, []string{"arm", "disarm", "disarm", "disarm"}) {
		t.Errorf("the node was asked for %v", words)
	}
}

// TestA3DisarmAllDoubtsANodeWithAnOpenArm, until that has settled.
func TestA3DisarmAllDoubtsANodeWithAnOpenArm(t *testing.T) {
	w, node := arming(t, "2s", bed.Behaviour{Result: bed.Frozen})
	short, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if doubt := w.DisarmAll(short); !slices.Equal(doubt, []string{node.Name}) {
		t.Errorf("in doubt: %v", doubt)
	}
	bed.Eventually(t, "it has settled", func() (string, bool) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		doubt := w.DisarmAll(ctx)
		return fmt.Sprint(doubt), len(doubt) == 0
	})
}

func TestArmingCallOfAnotherTypeIsRefusedAtTheStart(t *testing.T) {
	net, err := network.Parse("test.yaml", []byte("simulation: x\nnodes: {/a: {arm: {type: std_srvs/srv/Trigger}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := rclgo.NewContext(rclgo.ClockTypeROSTime, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ctx.Close()
	node, err := ctx.NewNode(bed.Unique(t, "rstate"), "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = New(Options{Network: net, Node: node, Log: zaptest.NewLogger(t)})
	if err == nil || !strings.Contains(err.Error(), `"/a"`) || !strings.Contains(err.Error(), setBool) {
		t.Errorf("got %v", err)
	}
}

func TestGoalIsAcceptedFedAndEndedAsTheEngineSays(t *testing.T) {
	host := bed.StartHost(t)
	for name, c := range map[string]struct {
		ending engine.Ending
		status int
	}{
		"succeeded": {engine.Succeeded, bed.StatusSucceeded},
		"aborted":   {engine.Aborted, bed.StatusAborted},
	} {
		t.Run(name, func(t *testing.T) {
			w, e := newWorld(t, "  /absent: {}\n")
			go func() {
				g := hears[engine.GoalAsked](t, e, 1)
				if g.Command != "arm" || g.Reason != "because" || g.ID != "mine" {
					t.Errorf("asked %+v", g)
				}
				w.Carry(engine.AcceptGoal{Handle: g.Handle})
				w.Carry(engine.SendFeedback{Handle: g.Handle, State: "arming", Done: 1, Total: 2})
				w.Carry(engine.FinishGoal{Handle: g.Handle, Ending: c.ending,
					Result: engine.Result{Message: "so it is", State: "armed"}})
			}()
			goal := host.SendGoal("rstate_msgs/action/Transition", w.name+"/transition", map[string]any{
				"command": "arm", "reason": "because", "id": "mine",
			})
			var result struct {
				Message string
				State   struct{ ID int }
			}
			if status := goal.Result(&result); status != c.status || result.Message != "so it is" ||
				result.State.ID != 5 {
				t.Errorf("ended %d with %+v", status, result)
			}
		})
	}
}

func TestGoalThatTheEngineRejectsIsNotAccepted(t *testing.T) {
	host := bed.StartHost(t)
	w, e := newWorld(t, "  /absent: {}\n")
	go func() {
		g := hears[engine.GoalAsked](t, e, 1)
		w.Carry(engine.RejectGoal{Handle: g.Handle, Why: "no"})
	}()
	if goal := host.SendGoal("rstate_msgs/action/Transition", w.name+"/transition", nil); goal.Accepted {
		t.Error("it was accepted")
	}
}

func TestCancelIsAnsweredByTheEngineAndMayBeOverAtOnce(t *testing.T) {
	host := bed.StartHost(t)
	w, e := newWorld(t, "  /absent: {}\n")
	go func() {
		g := hears[engine.GoalAsked](t, e, 1)
		w.Carry(engine.AcceptGoal{Handle: g.Handle})
		hears[engine.CancelAsked](t, e, 1)
		w.Carry(engine.AnswerCancel{Handle: g.Handle, Why: "not now"})
		hears[engine.CancelAsked](t, e, 2)
		w.Carry(engine.AnswerCancel{Handle: g.Handle, Accepted: true})
		w.Carry(engine.FinishGoal{Handle: g.Handle, Ending: engine.Canceled, Result: engine.Result{Message: "back"}})
	}()
	goal := host.SendGoal("rstate_msgs/action/Transition", w.name+"/transition", nil)
	if goal.Cancel() {
		t.Error("the first cancel was accepted")
	}
	if !goal.Cancel() {
		t.Error("the second cancel was refused")
	}
	var result struct{ Message string }
	if status := goal.Result(&result); status != bed.StatusCanceled || result.Message != "back" {
		t.Errorf("ended %d with %+v", status, result)
	}
}

// TestC2ASlowClientGetsItsResult: the end waits until a client has asked for the result of its goal, or for its limit.
func TestC2ASlowClientGetsItsResult(t *testing.T) {
	w, e := newWorld(t, "  /absent: {}\n")
	go func() {
		g := hears[engine.GoalAsked](t, e, 1)
		w.Carry(engine.AcceptGoal{Handle: g.Handle})
		w.Carry(engine.FinishGoal{Handle: g.Handle, Ending: engine.Succeeded})
	}()
	ctx, err := rclgo.NewContext(rclgo.ClockTypeROSTime, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ctx.Close()
	node, err := ctx.NewNode(bed.Unique(t, "client"), "")
	if err != nil {
		t.Fatal(err)
	}
	client, err := rstate_msgs_action.NewTransitionClient(node, w.name+"/transition", nil)
	if err != nil {
		t.Fatal(err)
	}
	within, cancel := context.WithTimeout(t.Context(), bed.Deadline)
	defer cancel()
	go func() { _ = ctx.Spin(within) }()
	bed.Eventually(t, "the client has found the server", func() (string, bool) {
		yes, err := client.Available()
		return fmt.Sprint(err), yes
	})
	resp, id, err := client.SendGoal(within, rstate_msgs_action.NewTransition_Goal())
	if err != nil || !resp.Accepted {
		t.Fatalf("%+v, %v", resp, err)
	}
	bed.Eventually(t, "the goal has ended", func() (string, bool) { return "", w.goals.ended() == 1 })
	if w.AwaitFetched(0) {
		t.Error("the end does not wait for a client that has not asked")
	}
	if result, err := client.GetResult(within, id); err != nil || result.Status != int8(rclgo.GoalSucceeded) {
		t.Errorf("%+v, %v", result, err)
	}
	if !w.AwaitFetched(bed.Deadline) {
		t.Error("the end waits though the client has asked")
	}
}

func TestGoalsThatAreOpenAtTheEndAreAborted(t *testing.T) {
	host := bed.StartHost(t)
	w, e := newWorld(t, "  /absent: {}\n")
	go func() {
		first := hears[engine.GoalAsked](t, e, 1)
		w.Carry(engine.AcceptGoal{Handle: first.Handle})
		w.Carry(engine.FinishGoal{Handle: first.Handle, Ending: engine.Succeeded})
		w.Carry(engine.AcceptGoal{Handle: hears[engine.GoalAsked](t, e, 2).Handle})
	}()
	ask := func() *bed.Goal {
		return host.SendGoal("rstate_msgs/action/Transition", w.name+"/transition", nil)
	}
	if status := ask().Result(nil); status != bed.StatusSucceeded { // now all parts of the action are matched
		t.Fatalf("the first ended %d", status)
	}
	open := ask()
	w.Close()
	if status := open.Result(nil); status != bed.StatusAborted {
		t.Errorf("ended %d", status)
	}
}

// TestS7AGoalOfABrokenWorldIsAborted, with the reason; a later one is rejected, and nodes are disarmed all the same.
func TestS7AGoalOfABrokenWorldIsAborted(t *testing.T) {
	host, name := bed.StartHost(t), "/"+bed.Unique(t, "arm")
	w, e := newWorld(t, fmt.Sprintf("  %s: {arm: {}}\n", name))
	node := host.Node(bed.NodeSpec{Name: name, Arm: name + "/arm"})
	hears[engine.NodeSeen](t, e, 1)
	matched(t, w, host)
	w.Carry(engine.ArmNode{Node: 0, Call: 1, Permit: permit()})
	hears[engine.ArmAnswered](t, e, 1)
	go func() { w.Carry(engine.AcceptGoal{Handle: hears[engine.GoalAsked](t, e, 1).Handle}) }()
	open := host.SendGoal("rstate_msgs/action/Transition", w.name+"/transition", nil)
	if !open.Accepted {
		t.Fatal("the goal is not accepted")
	}
	w.Fail(errors.New("the engine is gone"))
	var result struct{ Message string }
	if status := open.Result(&result); status != bed.StatusAborted ||
		!strings.Contains(result.Message, "the engine is gone") {
		t.Errorf("ended %d with %+v", status, result)
	}
	if late := host.SendGoal("rstate_msgs/action/Transition", w.name+"/transition", nil); late.Accepted {
		t.Error("a goal is accepted after that")
	}
	ctx, cancel := context.WithTimeout(t.Context(), bed.Deadline)
	defer cancel()
	if doubt := w.DisarmAll(ctx); len(doubt) > 0 || node.Truth().Armed {
		t.Errorf("disarmed: %v, and the node is %+v", doubt, node.Truth())
	}
}

// TestS7APanicBreaksItsWorldAlone: in a handler of the node, and in a goroutine of the world.
func TestS7APanicBreaksItsWorldAlone(t *testing.T) {
	broken := make(chan error, 10)
	w, _ := newWorld(t, "  /absent: {}\n")
	w.broken = func(err error) { broken <- err }
	well, _ := newWorld(t, "  /absent: {}\n") // newWorld fails the test if it breaks
	for where, panics := range map[string]func(){
		"a goroutine": func() { w.goes(func() { panic("on purpose") }) },
		"timer": func() {
			timer, err := w.node.NewTimer(time.Millisecond, func(*rclgo.Timer) { panic("on purpose") })
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { timer.Close() })
		},
	} {
		panics()
		var p *Panicked
		if err := <-broken; !errors.As(err, &p) || !strings.HasPrefix(p.Where, where) || p.Value != "on purpose" {
			t.Errorf("%s: %v", where, err)
		}
	}
	if _, err := well.node.GetTopicNamesAndTypes(true); err != nil {
		t.Error(err)
	}
}
