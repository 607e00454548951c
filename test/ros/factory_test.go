//go:build ros

package ros

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// works is a factory of the built binary. Its ids are numbers that no other test has: simulations of one id are peers.
type works struct {
	t       *testing.T
	host    *bed.Host
	space   string // namespace
	args    []string
	first   int
	process *bed.Process
	web     *web
}

const (
	factoryOfNRP = patient + "simulation: $(sim)\nmachine: nrp\n" +
		"nodes:\n  /world_$(sim): {}\n  /engine_$(sim): {after: [/world_$(sim)]}\n"
	factoryOfArm = patient + "simulation: $(sim)\nproof: 10s\nnodes: {/arm_$(sim): {arm: {}}}\n"
)

// newFactory starts a factory of experiments, by name.
func newFactory(t *testing.T, experiments map[string]string) *works {
	t.Helper()
	t.Parallel()
	number := strings.NewReplacer("sim", "", "_", "").Replace(bed.Unique(t, "sim"))
	first, err := strconv.Atoi(number + "000")
	if err != nil {
		t.Fatal(err)
	}
	w := &works{t: t, host: bed.StartHost(t), first: first, space: "/" + bed.Unique(t, "lab")}
	dir := t.TempDir()
	for name, text := range experiments {
		if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.args = []string{
		binary, "factory", "--experiments", dir, "--journal", t.TempDir(), "--http", "0", "--first-id",
		strconv.Itoa(first),
		"--ros-args", "-r", "__ns:=" + w.space,
	}
	w.start()
	return w
}

func (w *works) start() {
	w.t.Helper()
	w.process = bed.StartCommand(w.t, "factory "+w.space, bed.Command{Args: w.args})
	w.web = &web{t: w.t, address: daemon.AddressOf(w.t, w.process)}
}

// id is that of the nth simulation, from 0.
func (w *works) id(n int) string { return strconv.Itoa(w.first + n) }

func (w *works) nodeOf(n int) string { return w.space + "/sim_" + w.id(n) + "/rstate" }

// simulation is the nth one, as ROS shows it.
func (w *works) simulation(n int) *daemon.Daemon {
	w.t.Helper()
	return daemon.Watch(w.t, w.host, w.nodeOf(n), w.id(n), w.process)
}

func (w *works) posts(body string) (told, []byte) {
	w.t.Helper()
	return w.web.calls(http.MethodPost, "/simulation", body)
}

func (w *works) of(n int) *web { return &web{w.t, w.web.address, w.id(n)} }

// people are the nodes of the nth simulation of factoryOfNRP.
func (w *works) people(n int) [2]*bed.Node {
	w.t.Helper()
	return [2]*bed.Node{
		w.host.Node(bed.NodeSpec{Name: "/world_" + w.id(n), Threads: 2}),
		w.host.Node(bed.NodeSpec{Name: "/engine_" + w.id(n), Threads: 2}),
	}
}

// ask calls a service of the factory.
func (w *works) ask(kind, service string, request map[string]any, answer any) {
	w.t.Helper()
	if err := w.host.Call("rstate_msgs/srv/"+kind, w.space+"/rstate_factory/"+service, request, bed.Deadline,
		answer); err != nil {
		w.t.Fatalf("%s: %v", service, err)
	}
}

// TestPOSTSimulationCreatesASimulation: in state created, under an id that was never used, on the topic of the NRP
// backend.
func TestPOSTSimulationCreatesASimulation(t *testing.T) {
	w := newFactory(t, map[string]string{"nrp": factoryOfNRP})
	first, second := w.people(0), w.people(1)
	topic := w.host.Subscribe(bed.Topic{Kind: "rstate_msgs/msg/NetworkState",
		Name: "/ros_cle_simulation/sim_" + w.id(0) + "/lifecycle", Latched: true})
	a, text := w.posts(`{"experiment": "nrp", "owner": "a test"}`)
	var made struct{ ID, Name, Owner, State string }
	if err := json.Unmarshal(text, &made); err != nil || a.status != http.StatusCreated || made.ID != w.id(0) ||
		made.Name != w.nodeOf(0) || made.Owner != "a test" {
		t.Fatalf("%v: %s", a, text)
	}
	s := w.simulation(0)
	s.Intact("created")
	w.of(0).wants("initialized", "200 done paused")
	var said struct{ Simulation, Event string }
	bed.Eventually(t, "the trigger is published", func() (string, bool) {
		return fmt.Sprintf("%+v", said), topic.Last(&said) && said.Simulation == w.id(0) && said.Event == "initialized"
	})
	if a, text := w.posts(`{"experiment": "nrp"}`); a.status != http.StatusCreated {
		t.Errorf("the second: %s", text)
	}
	w.simulation(1).Intact("created")
	w.of(1).wants("initialized", "200 done paused")
	w.of(1).wants("started", "200 done started")
	if got := first[0].Truth().State + " " + second[1].Truth().State; got != "inactive active" {
		t.Errorf("the nodes of the two are %s", got)
	}
	for body, words := range map[string]string{
		`{"experiment": "none"}`:   "there are nrp",
		`{"experiment": "../nrp"}`: "there is no experiment",
		`{"experiment": ""}`:       "",
		`{}`:                       "",
		`{"experimnt": "nrp"}`:     "",
		`{"experiment":"nrp","id":"` + w.id(0) + `"}`: "used before",
	} {
		if a, text := w.posts(body); a.status != http.StatusBadRequest || !strings.Contains(string(text), words) {
			t.Errorf("%s: %d %s", body, a.status, text)
		}
	}
	if a, text := w.web.calls(http.MethodDelete, "/simulation/"+w.id(0)+"?on_exit=shutdown&reason=enough",
		""); a.status != http.StatusNoContent {
		t.Errorf("the removal: %d %s", a.status, text)
	}
	if got := first[0].Truth().State + " " + first[1].Truth().State; got != "finalized finalized" {
		t.Errorf("a removal with on_exit=shutdown leaves %s", got)
	}
	for _, path := range []string{"", "/state", "/history"} {
		if a, _ := w.web.calls(http.MethodGet, "/simulation/"+w.id(0)+path, ""); a.status != http.StatusNotFound {
			t.Errorf("the removed simulation%s: %d", path, a.status)
		}
	}
	var list []struct{ ID, State string }
	if _, text := w.web.calls(http.MethodGet, "/simulation", ""); json.Unmarshal(text, &list) != nil ||
		len(list) != 1 || list[0].State != "started" {
		t.Errorf("the list is %s", text)
	}
	w.posts(`{"experiment": "nrp"}`)
	if a, _ := w.web.calls(http.MethodGet, "/simulation/"+w.id(2), ""); a.status != http.StatusOK {
		t.Errorf("the id of the removed simulation is used again, or the next one is left out: %v", a)
	}
}

// TestTheFactorySpawnsServersFromExperiments: over ROS, each with its own action, and removes them.
func TestTheFactorySpawnsServersFromExperiments(t *testing.T) {
	w := newFactory(t, map[string]string{"nrp": factoryOfNRP, "faulty": "simulation: $(sim)\nnods: {}\n"})
	nodes := w.people(0)
	var made struct {
		Success                   bool
		Message, Simulation, Name string
	}
	w.ask("CreateSimulation", "create_simulation", map[string]any{"experiment": "nrp", "owner": "a test"}, &made)
	if !made.Success || made.Name != w.nodeOf(0) || made.Simulation != w.id(0) {
		t.Fatalf("created %+v", made)
	}
	s := w.simulation(0)
	s.Intact("created")
	s.Do("initialized", "succeeded done paused")
	s.Do("started", "succeeded done started")
	for _, c := range []struct{ experiment, words string }{{"faulty", "has faults at faulty.yaml:1"},
		{"none", "there are faulty, nrp"}, {"", "there are faulty, nrp"}} {
		var refused struct {
			Success bool
			Message string
		}
		w.ask("CreateSimulation", "create_simulation", map[string]any{"experiment": c.experiment}, &refused)
		if refused.Success || !strings.Contains(refused.Message, c.words) {
			t.Errorf("%q: %+v", c.experiment, refused)
		}
	}
	type list struct {
		Simulations []struct {
			Simulation, Name, Machine, Owner, Cause string
			State                                   struct{ Label string }
			Intact                                  bool
		}
	}
	lists := func() (l list) {
		t.Helper()
		w.ask("ListSimulations", "list_simulations", nil, &l)
		return l
	}
	if l := lists(); len(l.Simulations) != 1 || l.Simulations[0].State.Label != "started" || !l.Simulations[0].Intact ||
		l.Simulations[0].Owner != "a test" {
		t.Errorf("the list is %+v", l)
	}
	var gone struct {
		Success bool
		Message string
	}
	w.ask("RemoveSimulation", "remove_simulation", map[string]any{"simulation": w.id(0), "on_exit": "explode"}, &gone)
	if gone.Success || !strings.Contains(gone.Message, "disarm, leave or shutdown") {
		t.Errorf("a removal of a strange kind: %+v", gone)
	}
	w.ask("RemoveSimulation", "remove_simulation", map[string]any{"simulation": w.id(0), "reason": "enough"}, &gone)
	if !gone.Success {
		t.Errorf("the removal: %+v", gone)
	}
	if got := nodes[0].Truth().State; got != "active" {
		t.Errorf("a removal without on_exit leaves the node %s", got)
	}
	w.ask("RemoveSimulation", "remove_simulation", map[string]any{"simulation": w.id(0)}, &gone)
	if gone.Success || !strings.Contains(gone.Message, "there is no simulation") {
		t.Errorf("the second removal: %+v", gone)
	}
	if l := lists(); len(l.Simulations) != 0 {
		t.Errorf("the list is %+v", l)
	}
}

// TestAPeerOfASimulationOfAFactory: a daemon of the same id mirrors it, and is mirrored, as a peer of any other daemon.
func TestAPeerOfASimulationOfAFactory(t *testing.T) {
	w := newFactory(t, map[string]string{"nrp": factoryOfNRP})
	w.people(0)
	w.posts(`{"experiment": "nrp"}`)
	s := w.simulation(0)
	s.Intact("created")
	other := w.host.Node(bed.NodeSpec{Name: "/" + bed.Unique(t, "view"), Threads: 2})
	peer := daemon.Start(t, w.host, daemon.Config{Binary: binary, Simulation: w.id(0),
		Network: fmt.Sprintf("machine: nrp\nnodes: {%s: {}}\n", other.Name)})
	peer.Intact("created")
	s.Await("it knows its peer", func(v daemon.View) bool { return v.Peer(peer.Name).Alive })
	peer.Await("it knows the simulation of the factory", func(v daemon.View) bool { return v.Peer(s.Name).Alive })
	s.Do("initialized", "succeeded done paused")
	peer.Intact("paused")
	peer.Do("started", "succeeded done started")
	s.Intact("started")
	if got := other.Truth().State; got != "active" {
		t.Errorf("the node of the peer is %s", got)
	}
}

// newFactoryFrom starts another factory of the same experiments, in a namespace of its own.
func newFactoryFrom(w *works, first int) *works {
	w.t.Helper()
	o := &works{t: w.t, host: w.host, first: first, space: "/" + bed.Unique(w.t, "lab"), args: slices.Clone(w.args)}
	o.args[slices.Index(o.args, "--journal")+1] = w.t.TempDir()
	o.args[slices.Index(o.args, "--first-id")+1] = strconv.Itoa(first)
	o.args[len(o.args)-1] = "__ns:=" + o.space
	o.start()
	return o
}

// TestTwoFactoriesThatDriveTheSameNode: the second is refused, and so is a second factory of one name.
func TestTwoFactoriesThatDriveTheSameNode(t *testing.T) {
	node := "/" + bed.Unique(t, "one")
	w := newFactory(t, map[string]string{"fixed": "simulation: $(sim)\nnodes: {" + node + ": {}}\n"})
	n := w.host.Node(bed.NodeSpec{Name: node})
	if a, text := w.posts(`{"experiment": "fixed"}`); a.status != http.StatusCreated {
		t.Fatalf("the first: %s", text)
	}
	w.simulation(0).Intact("unconfigured")
	o := newFactoryFrom(w, w.first+500)
	for _, f := range []*works{o, w} {
		if a, _ := f.posts(`{"experiment": "fixed"}`); a.status != http.StatusBadRequest ||
			!strings.Contains(a.Detail, node) || !strings.Contains(a.Detail, "$(sim)") {
			t.Errorf("the node is driven twice: %+v", a)
		}
	}
	w.of(0).wants("inactive", "200 done inactive")
	if words := n.Truth().Words(); !slices.Equal(words, []string{"configure"}) {
		t.Errorf("the node was asked for %v", words)
	}
	same := bed.StartCommand(t, "factory of the same name", bed.Command{Args: w.args})
	if code := same.Wait(t); code != 3 || !strings.Contains(same.Log(), "has the name "+w.space+"/rstate_factory") {
		t.Errorf("it ends with %d: %s", code, same.Log())
	}
}

// TestAFactoryThatEnds disarms all nodes; one that is killed starts again with new ids.
func TestAFactoryThatEnds(t *testing.T) {
	w := newFactory(t, map[string]string{"arm": factoryOfArm})
	arms := func(n int) *bed.Node {
		t.Helper()
		name := "/arm_" + w.id(n)
		node := w.host.Node(bed.NodeSpec{Name: name, Arm: name + "/arm"})
		if a, text := w.posts(`{"experiment": "arm"}`); a.status != http.StatusCreated {
			t.Fatalf("simulation %d: %s", n, text)
		}
		s := w.simulation(n)
		s.Intact("unconfigured")
		s.Do("armed", "succeeded done armed")
		return node
	}
	arms(0)
	w.process.Kill()
	w.start()
	if _, text := w.web.calls(http.MethodGet, "/simulation", ""); strings.TrimSpace(string(text)) != "[]" {
		t.Errorf("it begins with %s", text)
	}
	first, second := arms(1), arms(2)
	stream, err := http.Get(w.web.address + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	atEnd := make(chan []bed.Truth, 1)
	go func() { // HTTP closes after the nodes are disarmed
		_, _ = io.Copy(io.Discard, stream.Body)
		atEnd <- []bed.Truth{first.Truth(), second.Truth()}
	}()
	w.process.Signal(syscall.SIGTERM)
	for _, truth := range <-atEnd {
		if truth.Armed {
			t.Errorf("HTTP closes while a node is %+v", truth)
		}
	}
	if code := w.process.Wait(t); code != 0 {
		t.Errorf("it ends with %d", code)
	}
	for _, n := range []*bed.Node{first, second} {
		if truth := n.Truth(); truth.Armed || truth.State != "active" {
			t.Errorf("it leaves %+v", truth)
		}
	}
}

// TestFactoryAsDocumented: each line of docs/factory.md works as the page says.
func TestFactoryAsDocumented(t *testing.T) {
	w := newFactory(t, map[string]string{"nrp": factoryOfNRP})
	nodes := w.people(0)
	ran := w.of(0).curls("factory.md", func(method, _ string) int {
		switch method {
		case http.MethodPost:
			return http.StatusCreated
		case http.MethodDelete:
			return http.StatusNoContent
		}
		return http.StatusOK
	})
	if got := nodes[0].Truth().State; got != "finalized" || ran < 5 {
		t.Errorf("after %d lines the node is %s", ran, got)
	}
}

// TestAServerOfTheNRPIsInitialisedByItsFactory: created → initial when the factory has made it. It starts over HTTP,
// answers at once, and ends with stop.
func TestAServerOfTheNRPIsInitialisedByItsFactory(t *testing.T) {
	w := newFactory(t, map[string]string{"server": "simulation: $(sim)\nmachine: roscle\nnodes: {/physics_$(sim): {}}\n" +
		"loop: {participants: {/physics_$(sim): {as: simulator, deadline: 10s}}}\ndefaults: {deadline: {discover: 25s}}\n"})
	n := w.host.Node(bed.NodeSpec{Name: "/physics_" + w.id(0), Steps: true})
	if a, text := w.posts(`{"experiment": "server"}`); a.status != http.StatusCreated {
		t.Fatalf("it is not created: %s", text)
	}
	s := w.simulation(0)
	s.Intact("initial")
	w.of(0).wants("start", "200 done running")
	bed.Eventually(t, "it steps", func() (string, bool) {
		count := len(n.Truth().Steps)
		return fmt.Sprint(count), count > 20
	})
	w.of(0).wants("pause", "200 done paused")
	w.of(0).wants("stop", "200 done stopped")
	if state := n.Truth().State; state != "finalized" {
		t.Errorf("the node is %s", state)
	}
}
