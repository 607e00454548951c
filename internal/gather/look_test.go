//go:build ros

package gather

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/internal/doctor"
	"rstate/internal/network"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
	"rstate/test/bed"
)

func TestMain(m *testing.M) { os.Exit(bed.Main(m)) }

// newNode makes a node that is served until the test ends.
func newNode(t *testing.T, base string) *rclgo.Node {
	t.Helper()
	ctx, err := rclgo.NewContext(rclgo.ClockTypeROSTime, nil)
	if err != nil {
		t.Fatal(err)
	}
	node, err := ctx.NewNode(bed.Unique(t, base), "")
	if err != nil {
		t.Fatal(err)
	}
	run, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- ctx.Spin(run) }()
	t.Cleanup(func() {
		cancel()
		<-ended
		if err := ctx.Close(); err != nil {
			t.Error(err)
		}
	})
	return node
}

// examine gathers facts with a node of its own, as the command does, and judges them.
func examine(t *testing.T, wish Wish) doctor.Report {
	t.Helper()
	f := doctor.Facts{Stack: doctor.Stack{}, Host: doctor.Host{Loopback: true, Shared: -1}}
	ctx, cancel := context.WithTimeout(t.Context(), bed.Deadline)
	defer cancel()
	Look(ctx, newNode(t, "doctor"), wish, &f)
	if ctx.Err() != nil {
		t.Fatal("it did not end by itself")
	}
	return doctor.Judge(f)
}

func parse(t *testing.T, text string) *network.Network {
	t.Helper()
	net, err := network.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// finding is what a report is to have, with parts of its texts.
type finding struct {
	level          doctor.Level
	about          string
	what, evidence string
}

func (want finding) is(f doctor.Finding) bool {
	return f.Level == want.level && f.About == want.about && strings.Contains(f.What, want.what) &&
		strings.Contains(f.Evidence, want.evidence)
}

// finds examines until a report has all findings, and returns it. A node may answer too late for one look.
func finds(t *testing.T, wish Wish, all ...finding) (r doctor.Report) {
	t.Helper()
	bed.Eventually(t, "the doctor finds all", func() (string, bool) {
		r = examine(t, wish)
		missed := slices.DeleteFunc(slices.Clone(all), func(want finding) bool {
			return slices.ContainsFunc(r.Findings, want.is)
		})
		return fmt.Sprintf("%+v, without %+v", r.Findings, missed), len(missed) == 0
	})
	return r
}

// TestEachWrongNodeIsFound: a process of rclpy nodes with one fault each, and a network file that
// describes them correctly.
func TestEachWrongNodeIsFound(t *testing.T) {
	ns := "/" + bed.Unique(t, "wrong")
	wrong := bed.Start(t, "wrong nodes", "python3", filepath.Join("testdata", "wrong.py"), ns)
	bed.Eventually(t, "the wrong nodes are there",
		func() (string, bool) { return "", strings.Contains(wrong.Log(), "all are there") })
	host := bed.StartHost(t)
	frozen := host.Node(bed.NodeSpec{Name: ns + "/frozen",
		Script: map[string][]bed.Behaviour{"configure": {{Result: bed.Frozen}}}})
	host.Ready(frozen)
	asked := make(chan struct{})
	go func() { defer close(asked); _, _ = host.ChangeState(frozen.Name, "configure", bed.Deadline) }()
	t.Cleanup(func() { frozen.Thaw(); <-asked })
	bed.Eventually(t, "the node is frozen",
		func() (string, bool) { truth := frozen.Truth(); return truth.State, truth.Count("configure") == 1 })
	text := strings.ReplaceAll(`simulation: demo
nodes:
  NS/plain: {}
  NS/half: {}
  NS/strange: {}
  NS/managed: {lifecycle: false}
  NS/lidar: {}
  NS/slam: {}
  NS/twin: {}
  NS/done: {}
  NS/frozen: {}
  NS/nobody: {optional: true}
  NS/unarmed: {arm: {}}
  NS/armed_otherwise: {arm: {}}
  NS/simulated: {}
  NS/checked:
    checks:
      - {topic: NS/talker/strange, type: std_msgs/msg/Empty, rate: 1Hz}
      - {topic: NS/talker/faint, type: std_msgs/msg/Empty, rate: 1Hz}
      - {topic: NS/silence, type: std_msgs/msg/Empty, rate: 1Hz}
      - {service: NS/checked/self_test}
`, "NS", ns)
	finds(t, Wish{Network: parse(t, text), Daemon: ns + "/rstate"}, []finding{
		{doctor.Warning, "daemon", "there is no daemon " + ns + "/rstate", ""},
		{doctor.Fault, ns + "/plain", "is no lifecycle node", ""},
		{doctor.Fault, ns + "/half", "half a lifecycle node", "change_state"},
		{doctor.Fault, ns + "/strange", "another kind", "std_srvs/srv/Trigger"},
		{doctor.Warning, ns + "/managed", "is a lifecycle node, and listed as none", ""},
		{doctor.Fault, ns + "/lidar", "is not there", "there is " + ns + "/lidra"},
		{doctor.Fault, ns + "/slam", "is not there", "there is " + ns + "/robot/slam"},
		{doctor.Fault, ns + "/twin", "2 nodes have this name", ""},
		{doctor.Fault, ns + "/done", "finalized", ""},
		{doctor.Fault, ns + "/frozen", "does not answer", "get_state"},
		{doctor.Warning, ns + "/nobody", "is not there", ""},
		{doctor.OK, ns + "/unarmed", "unconfigured, answers in", ""},
		{doctor.Fault, ns + "/unarmed", "armed by a service that is not there", ""},
		{doctor.Fault, ns + "/armed_otherwise", "armed by a service of another type", "std_srvs/srv/Trigger"},
		{doctor.Fault, ns + "/checked", "topic of another type", "std_msgs/msg/String by " + ns + "/talker"},
		{doctor.OK, ns + "/checked", "is checked by " + ns + "/talker/faint", ""},
		{doctor.OK, ns + "/checked", ns + "/silence, which has no publisher while it is unconfigured", ""},
		{doctor.Fault, ns + "/checked", "checked by a service that is not there", "self_test"},
		{doctor.Fault, "topics", ns + "/checked does not hear " + ns + "/talker",
			"best effort is offered, reliable is asked for; durability: volatile"},
		{doctor.Fault, "clock", "stands still", "true on " + ns + "/simulated"},
		{doctor.Warning, "clock", "some nodes use simulated time", ns + "/done"},
	}...)
}

func TestClockThatStands(t *testing.T) {
	ns := "/" + bed.Unique(t, "wrong")
	wrong := bed.Start(t, "wrong nodes", "python3", filepath.Join("testdata", "wrong.py"), ns, "clock")
	bed.Eventually(t, "the wrong nodes are there",
		func() (string, bool) { return "", strings.Contains(wrong.Log(), "all are there") })
	net := parse(t, "simulation: demo\nnodes: {"+ns+"/simulated: {}}\n")
	finds(t, Wish{Network: net, Daemon: ns + "/rstate"},
		finding{doctor.Warning, "clock", "stands still", "nothing came"})
}

func TestNobodyAnswersAndItEndsByItself(t *testing.T) {
	names := "/" + bed.Unique(t, "nobody")
	finds(t, Wish{Network: parse(t, "simulation: demo\nnodes: {"+names+": {}}\n"), Daemon: names + "/rstate"},
		finding{doctor.Fault, names, "is not there", ""})
}

// TestDaemonTellsItsFile: if a daemon answers get_network, its answer completes its state.
func TestDaemonTellsItsFile(t *testing.T) {
	node := newNode(t, "rstate")
	daemon := node.FullyQualifiedName()
	opts := rclgo.NewDefaultPublisherOptions()
	opts.Qos.Durability, opts.Qos.Liveliness, opts.Qos.LivelinessLeaseDuration = rclgo.DurabilityTransientLocal,
		rclgo.LivelinessManualByTopic, time.Second/2
	state, err := rstate_msgs_msg.NewInstanceStatePublisher(node, "~/state", opts)
	if err != nil {
		t.Fatal(err)
	}
	err = state.Publish(&rstate_msgs_msg.InstanceState{Simulation: "demo",
		State: rstate_msgs_msg.State{Id: 1, Label: "unconfigured"}, Settled: true, Intact: true,
		Nodes: []rstate_msgs_msg.NodeState{{Name: daemon + "/only", Lifecycle: true}}})
	if err != nil {
		t.Fatal(err)
	}
	finds(t, Wish{Daemon: daemon}, finding{doctor.Fault, daemon + "/only", "is not there", ""})
	_, err = rstate_msgs_srv.NewGetNetworkService(node, "~/get_network", nil,
		func(_ *rclgo.ServiceInfo, _ *rstate_msgs_srv.GetNetwork_Request,
			to rstate_msgs_srv.GetNetworkServiceResponseSender) {
			resp := rstate_msgs_srv.NewGetNetwork_Response()
			resp.File, resp.Network = "told.yaml", "simulation: demo\nnodes: {"+daemon+"/told: {arm: {}}}\n"
			_ = to.SendResponse(resp)
		})
	if err != nil {
		t.Fatal(err)
	}
	r := finds(t, Wish{Daemon: daemon}, finding{doctor.Fault, daemon + "/told", "is not there", ""},
		finding{doctor.Fault, "daemon", daemon + " is silent", ""}) // it does not renew its liveliness
	if slices.ContainsFunc(r.Findings, func(f doctor.Finding) bool { return f.About == daemon+"/only" }) {
		t.Error("it still takes the nodes from the state")
	}
}

func TestFirstAnswerCounts(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	client, err := rstate_msgs_srv.NewGetNetworkClient(newNode(t, "asker"), "/"+bed.Unique(t, "nobody"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ask(ctx, client.Client, nil); err == nil {
		t.Error("no daemon runs, but there was an answer")
	}
}
