//go:build ros

package ros

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/test/bed"
)

// cart is a network with a machine in the words of a stranger, over real nodes.
type cart struct {
	*robot
	nodes []*bed.Node
}

// newCart starts a daemon and rclpy nodes for a network file. The file has the names of the nodes; the first state is
// the one that the network must be found in.
func newCart(t *testing.T, text, first string, scripts map[string]map[string][]bed.Behaviour, names ...string) *cart {
	t.Helper()
	c := &cart{robot: &robot{t: t, host: bed.StartHost(t), name: "/" + bed.Unique(t, "rstate")}}
	file := text
	if !strings.Contains(text, "defaults:") {
		text = patient + text
	}
	for _, name := range names {
		spec := bed.NodeSpec{Name: bed.Unique(t, name), Threads: 2, Script: scripts[name]}
		if regexp.MustCompile(`(?m)^  ` + name + `: .*arm: \{\}`).MatchString(file) {
			spec.Arm = spec.Name + "/arm"
		}
		text = strings.ReplaceAll(text, name+"]", spec.Name+"]")
		text = strings.ReplaceAll(text, name+":", spec.Name+":")
		c.nodes = append(c.nodes, c.host.Node(spec))
	}
	c.states = c.host.Subscribe(bed.Topic{Kind: "rstate_msgs/msg/InstanceState", Name: c.name + "/state",
		Latched: true})
	c.file = filepath.Join(t.TempDir(), "network.yaml")
	if err := os.WriteFile(c.file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c.daemon = bed.Start(t, "rstate", binary, "run", c.file, "--ros-args", "-r",
		"__node:="+strings.TrimPrefix(c.name, "/"))
	c.intact(first)
	return c
}

// wantAll checks the state of each node, as the nodes themselves say.
func (c *cart) wantAll(want string) {
	c.t.Helper()
	var list []string
	for _, n := range c.nodes {
		truth := n.Truth()
		if truth.Armed {
			truth.State += "+armed"
		}
		list = append(list, truth.State)
	}
	if got := strings.Join(list, " "); got != want {
		c.t.Errorf("nodes are %s, want %s", got, want)
	}
}

// tool runs a verb of rstate for the daemon of the cart, and returns what it prints.
func (c *cart) tool(code int, args ...string) string {
	c.t.Helper()
	p := bed.Start(c.t, "rstate "+args[0], append([]string{binary}, args...)...)
	if got := p.Wait(c.t); got != code {
		c.t.Errorf("rstate %v ended with %d, want %d; its output:\n%s", args, got, code, p.Log())
	}
	return p.Log()
}

// offers lists what completion offers for the word after send.
func (c *cart) offers() []string {
	c.t.Helper()
	said := c.tool(0, "__complete", "send", "--node", c.name, "")
	var words []string
	for _, line := range strings.Split(said, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, ":") &&
			!strings.HasPrefix(line, "Completion ended") {
			words = append(words, line)
		}
	}
	slices.Sort(words)
	return words
}

// labels lists the transitions that a lifecycle tool finds now.
func (c *cart) labels(service string) []string {
	c.t.Helper()
	var answer struct {
		AvailableTransitions []struct {
			Transition struct {
				ID    int
				Label string
			}
		} `json:"available_transitions"`
	}
	if err := c.host.Call("lifecycle_msgs/srv/GetAvailableTransitions", c.name+service, map[string]any{}, inTime,
		&answer); err != nil {
		c.t.Fatal(err)
	}
	var list []string
	for _, a := range answer.AvailableTransitions {
		list = append(list, fmt.Sprintf("%d %s", a.Transition.ID, a.Transition.Label))
	}
	return list
}

func (c *cart) wantLabels(want ...string) {
	c.t.Helper()
	if got := c.labels("/get_available_transitions"); !slices.Equal(got, want) {
		c.t.Errorf("a lifecycle tool finds %q, want %q", got, want)
	}
}

// TestAStrangersWords: a machine that extends nothing, with the words park, unpark and drive, works with lifecycle
// tools by its roles, and by its own words with rstate send, completion, the log and rstate watch.
func TestAStrangersWords(t *testing.T) {
	text, err := os.ReadFile("../../config/delivery_cart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	slow := "proof: 10s\n" + strings.Replace(string(text), "probe: 1s", "probe: 10s\n  deadline: {discover: 25s}", 1)
	c := newCart(t, slow, "stored", nil, "/lidar", "/planner", "/wheels")
	events := c.host.Subscribe(bed.Topic{Kind: "lifecycle_msgs/msg/TransitionEvent",
		Name: c.name + "/transition_event"})
	bed.Eventually(t, "its events are matched", func() (string, bool) { return "", events.Publishers() == 1 })
	watch := bed.Start(t, "rstate watch", binary, "watch", "--node", c.name)
	until := bed.Start(t, "rstate watch --until", binary, "watch", "--node", c.name, "--until", "driving", "--for",
		"60s")

	bed.Eventually(t, "rstate watch shows the first state",
		func() (string, bool) { return watch.Log(), strings.Contains(watch.Log(), "stored") })

	// A lifecycle tool: the roles of the commands.
	c.shows("unconfigured")
	c.wantLabels("1 configure", "5 shutdown")
	c.byLabel("unpack", false) // no word of ROS 2
	c.byLabel("activate", false)
	c.change(map[string]any{"id": 1}, true)
	c.await("parked")
	c.shows("inactive")
	c.wantAll("inactive inactive inactive")
	c.wantLabels("2 cleanup", "3 activate", "6 shutdown")
	c.byLabel("activate", true)
	c.await("unparked")
	c.setArm(true, true)
	c.await("driving")
	c.shows("active")
	c.wantAll("active active active+armed")
	c.byLabel("deactivate", true) // disarms first
	c.await("parked")
	c.wantAll("inactive inactive inactive")
	c.setArm(true, false)

	// The stranger: the words of the file.
	if got, want := c.offers(), strings.Fields("brake drive driving pack park parked scrap scrapped stored unpack unpark unparked"); !slices.Equal(got, want) {
		t.Errorf("completion offers %v, want %v", got, want)
	}
	if said := c.tool(3, "send", "drive", "--node", c.name); !strings.Contains(said, "unpark") {
		t.Errorf("the refusal does not say what is legal:\n%s", said)
	}
	for _, word := range []string{"arm", "configure", "active", "changing"} {
		if said := c.tool(3, "send", word, "--node", c.name); !strings.Contains(said,
			"neither a command nor a state of machine cart") {
			t.Errorf("send %s is refused with:\n%s", word, said)
		}
	}
	c.tool(0, "send", "unpark", "--node", c.name)
	c.tool(0, "send", "drive", "--node", c.name)
	c.wantAll("active active active+armed")
	if code := until.Wait(t); code != 0 {
		t.Errorf("watch --until driving ended with %d:\n%s", code, until.Log())
	}
	c.tool(0, "send", "brake", "--node", c.name)
	c.wantAll("active active active")
	c.tool(0, "send", "park", "--node", c.name)
	c.wantAll("inactive inactive inactive")
	c.tool(0, "send", "scrap", "--node", c.name)
	c.wantAll("finalized finalized finalized")
	if code := c.daemon.Wait(t); code != 0 {
		t.Errorf("the daemon ended with %d", code)
	}

	bed.Eventually(t, "rstate watch shows the last state",
		func() (string, bool) { return watch.Log(), strings.Contains(watch.Log(), "scrapped") })
	wantMoves(t, events, "1 configuring, 10 inactive, 3 activating, 30 active, 4 deactivating, 40 inactive, "+
		"3 activating, 30 active, 4 deactivating, 40 inactive, 6 shuttingdown, 50 finalized")
	for place, log := range map[string]string{"the log": c.daemon.Log(), "rstate watch": watch.Log()} {
		for _, word := range []string{"stored", "parked", "unparked", "driving", "unpark", "drive", "scrapped"} {
			if !strings.Contains(log, word) {
				t.Errorf("%s does not have the word %s:\n%s", place, word, log)
			}
		}
		for _, word := range []string{"is armed", "network is active", "network is inactive", "network is finalized"} {
			if strings.Contains(log, word) {
				t.Errorf("%s has words of another machine, %q:\n%s", place, word, log)
			}
		}
	}
}

// wantMoves waits for what a lifecycle node announces: the ids of its transitions and the states to which they lead.
func wantMoves(t *testing.T, events *bed.Subscription, want string) {
	t.Helper()
	bed.Eventually(t, "the lifecycle node has announced "+want, func() (string, bool) {
		var went []string
		for _, m := range events.Messages() {
			var e struct {
				Transition struct{ ID int }
				GoalState  State `json:"goal_state"`
			}
			if err := json.Unmarshal(m.Message, &e); err != nil {
				t.Fatal(err)
			}
			went = append(went, fmt.Sprint(e.Transition.ID, " ", e.GoalState.Label))
		}
		got := strings.Join(went, ", ")
		return got, got == want
	})
}

// lamp has two commands with a role, two without, and one that no client can give.
const lamp = `simulation: lamp
nodes:
  /supply: {}
  /bulb: {after: [/supply]}
groups: {power: [/supply]}
machine:
  initial: off
  states:
    gone: {nodes: finalized, final: true}
    broken: {nodes: finalized, final: true, exit: 1}
    off: {nodes: unconfigured}
    warm: {nodes: {power: active, others: inactive}}
    lit: {nodes: active}
  transitions:
    switch_on: {from: [off, warm], to: lit, role: activate}
    switch_off: {from: [lit, warm], to: off, role: deactivate}
    dim: {from: [lit], to: warm}
    smash: {from: [off, warm, lit], to: broken}
    end: {from: any, to: gone, hidden: true}
`

// TestM7MissingRolesAreNotOffered: a lifecycle tool finds the roles that the machine has, and nothing else. The machine
// has no passing states, so the lifecycle node shows those of ROS 2, and a mode shows its highest nodes.
func TestM7MissingRolesAreNotOffered(t *testing.T) {
	refuse := map[string]map[string][]bed.Behaviour{"/bulb": {"activate": {{Result: bed.Failure}, {}}}}
	c := newCart(t, lamp, "off", refuse, "/supply", "/bulb")
	events := c.host.Subscribe(bed.Topic{Kind: "lifecycle_msgs/msg/TransitionEvent",
		Name: c.name + "/transition_event"})
	bed.Eventually(t, "its events are matched", func() (string, bool) { return "", events.Publishers() == 1 })
	c.wantLabels("3 activate")
	for _, label := range []string{"configure", "cleanup", "deactivate", "shutdown", "end", "switch_on"} {
		c.byLabel(label, false)
	}
	c.change(map[string]any{"id": 5}, false) // nor shutdown by its id
	c.byLabel("activate", false)             // the node refuses
	c.wantAll("unconfigured unconfigured")
	c.shows("unconfigured")
	c.byLabel("activate", true)
	c.await("lit")
	c.wantAll("active active")
	c.tool(0, "send", "dim", "--node", c.name)
	c.wantAll("active inactive")
	c.shows("active")
	c.wantLabels("3 activate", "4 deactivate")
	for word, why := range map[string]string{"end": "neither a command nor a state",
		"gone": "no way leads from warm to gone"} {
		if said := c.tool(3, "send", word, "--node", c.name); !strings.Contains(said, why) {
			t.Errorf("send %s is refused with:\n%s", word, said)
		}
	}
	if got, want := c.offers(), strings.Fields("broken dim lit off smash switch_off switch_on warm"); !slices.Equal(got,
		want) {
		t.Errorf("completion offers %v, want %v", got, want)
	}
	c.byLabel("deactivate", true)
	c.wantAll("unconfigured unconfigured")
	var none struct{ Success bool }
	if err := c.host.Call("std_srvs/srv/SetBool", c.name+"/arm", map[string]any{"data": true}, 2*time.Second,
		&none); err == nil {
		t.Error("~/arm is offered, and nothing arms")
	}
	wantMoves(t, events, "3 activating, 31 unconfigured, 3 activating, 30 active, 4 deactivating, 40 unconfigured")
}
