//go:build ros

package factory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"weak"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest"

	"rstate/internal/daemon"
	"rstate/internal/engine"
	"rstate/internal/httpapi"
	"rstate/internal/machine"
	"rstate/internal/network"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
	"rstate/test/bed"
	"rstate/test/bed/stall"
)

// works is a factory in this process. U in its experiments is a name that no other test has.
type works struct {
	t       *testing.T
	f       *Factory
	u       string
	config  Config
	stopped bool
}

const (
	// An experiment whose node is not there, which is known at once.
	nobody = "simulation: $(sim)\nnodes: {/U_$(sim): {deadline: {discover: 1ms}}}\n"
	// lab has a node that can be armed, and one below it.
	lab = "simulation: $(sim)\nproof: 10s\nnodes:\n  /U_lidar_$(sim): {}\n  /U_arm_$(sim): {after: [/U_lidar_$(sim)], arm: {}}\n"
)

func newWorks(t *testing.T, experiments map[string]string) *works {
	t.Helper()
	w := &works{t: t, u: bed.Unique(t, "works")}
	dir := t.TempDir()
	for name, text := range experiments {
		if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(strings.ReplaceAll(text, "U", w.u)),
			0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.config = Config{
		Experiments: dir, Most: 100, Journal: t.TempDir(), Version: "test", Log: zaptest.NewLogger(t),
		ROSArgs: []string{"--ros-args", "-r", "__ns:=/" + w.u},
	}
	w.start()
	return w
}

func (w *works) start() {
	w.t.Helper()
	f, err := New(w.config)
	if err != nil {
		w.t.Fatal(err)
	}
	w.f, w.stopped = f, false
	w.t.Cleanup(w.stop)
}

func (w *works) stop() {
	if !w.stopped {
		w.stopped = true
		if clean := w.f.Stop("the test is over"); clean != w.f.IsClean() {
			w.t.Errorf("it ends clean: %v; and it says %v", clean, w.f.IsClean())
		}
	}
}

func (w *works) create(experiment string) (id string) {
	w.t.Helper()
	s, err := w.f.Create(w.t.Context(), "a test", httpapi.Creation{Experiment: experiment})
	if err != nil {
		w.t.Fatal(err)
	}
	return s.ID
}

// refuses checks that a creation is rejected, for a reason that contains the words.
func (w *works) refuses(c httpapi.Creation, words ...string) {
	w.t.Helper()
	s, err := w.f.Create(w.t.Context(), "a test", c)
	if err == nil {
		w.t.Fatalf("%+v is created as %s", c, s.ID)
	}
	for _, part := range words {
		if !strings.Contains(err.Error(), part) {
			w.t.Errorf("%+v is refused without %q: %v", c, part, err)
		}
	}
}

// command asks for a state. What it shows that its client has seen is the newest: the client has just looked.
func (w *works) command(id, state string) (httpapi.Result, error) {
	shown, _ := w.f.all.Get(id)
	return w.f.all.Command(id, "a test", httpapi.Asked{Word: machine.ReadWord(state), Seen: shown.Seen})(w.t.Context())
}

// reach sends a simulation to a state. An order that arms is not kept until the nodes are read, so reach waits for
// that. An order that failed because the process did not run for a while is sent again, as the answer asks for.
func (w *works) reach(id, state string) {
	w.t.Helper()
	if state == "armed" {
		bed.Eventually(w.t, "all nodes of simulation "+id+" have been read", func() (string, bool) {
			s := w.get(id)
			return fmt.Sprintf("%+v", s), s.Settled && s.Intact
		})
	}
	var r httpapi.Result
	var err error
	stall.Again(w.t, "simulation "+id, func() string {
		if r, err = w.command(id, state); err == nil && r.Success && r.State == state {
			return ""
		}
		return fmt.Sprintf("%+v, %v", r, err)
	}, func(lower string) { _, _ = w.command(id, lower) })
	if err != nil || !r.Success || r.State != state {
		w.t.Fatalf("simulation %s is to be %s: %+v, %v", id, state, r, err)
	}
}

func (w *works) get(id string) httpapi.Simulation {
	w.t.Helper()
	s, err := w.f.all.Get(id)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// hasStood reports whether the process did not run for a while, which ends the goals of a simulation.
func (w *works) hasStood(id string) bool {
	w.t.Helper()
	entries, err := w.f.all.History(w.t.Context(), id, httpapi.HistoryQuery{Last: 100})
	if err != nil {
		w.t.Fatal(err)
	}
	return slices.ContainsFunc(entries, func(e httpapi.Entry) bool { return stall.Said(e.Text) })
}

func (w *works) app(id string) *daemon.Daemon {
	w.t.Helper()
	a, err := w.f.all.Find(id)
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

// people are the nodes of a simulation of the lab.
type people struct{ lidar, arm *bed.Node }

func (w *works) people(h *bed.Host, id string) people {
	arm := "/" + w.u + "_arm_" + id
	return people{
		h.Node(bed.NodeSpec{Name: "/" + w.u + "_lidar_" + id}), h.Node(bed.NodeSpec{Name: arm, Arm: arm + "/arm"}),
	}
}

// TestS7OfAHundredSimulationsOneBreaks: a panic in one simulation disarms its nodes and aborts its goals. The others do
// not notice; their goals go on.
func TestS7OfAHundredSimulationsOneBreaks(t *testing.T) {
	w := newWorks(t, map[string]string{"lab": lab, "nobody": nobody})
	h := bed.StartHost(t)
	var all []people
	for i := range 3 {
		all = append(all, w.people(h, strconv.Itoa(i)))
		if id := w.create("lab"); id != strconv.Itoa(i) {
			t.Fatalf("simulation %d has the id %s", i, id)
		}
	}
	for range 97 {
		w.create("nobody")
	}
	w.refuses(httpapi.Creation{Experiment: "nobody"}, "this factory has 100 simulations")
	const armed, goes, breaks = "0", "1", "2"
	w.reach(armed, "armed")
	type end struct {
		result httpapi.Result
		err    error
	}
	asks := func(id string) <-chan end {
		t.Helper()
		n := all[id[0]-'0'].lidar
		n.Script("configure", bed.Behaviour{Result: bed.Frozen})
		ended := make(chan end, 1)
		go func() {
			r, err := w.command(id, "inactive")
			ended <- end{r, err}
		}()
		bed.Eventually(t, "the node is asked to configure", func() (string, bool) {
			count := n.Truth().Count("configure")
			return fmt.Sprint(count), count == 1
		})
		return ended
	}
	survives, aborts := asks(goes), asks(breaks)

	for _, id := range []string{armed, breaks} {
		w.app(id).Post(nil) // the engine cannot step with that
	}
	if e := <-aborts; !isFault(e.err) {
		t.Errorf("the goal of the broken simulation ends with %+v, %v", e.result, e.err)
	}
	bed.Eventually(t, "the armed node of the broken simulation is disarmed", func() (string, bool) {
		truth := all[0].arm.Truth()
		return fmt.Sprintf("%+v", truth), !truth.Armed
	})
	for _, id := range []string{armed, breaks} {
		bed.Eventually(t, "the simulation is known as broken", func() (string, bool) {
			s := w.get(id)
			return fmt.Sprintf("%+v", s.Summary),
				s.Ended && s.Broke && strings.Contains(s.Cause, "panicked") && len(s.MayBeArmed) == 0 && len(s.Commands) == 0
		})
		if r, err := w.command(id, "inactive"); !isFault(err) {
			t.Errorf("the broken simulation %s answers a command with %+v, %v", id, r, err)
		}
		if entries, err := w.f.all.History(t.Context(), id, httpapi.HistoryQuery{Last: 10}); err != nil ||
			len(entries) == 0 {
			t.Errorf("the history of the broken simulation %s: %d entries, %v", id, len(entries), err)
		}
	}
	all[1].lidar.Thaw()
	if e := <-survives; stall.Said(fmt.Sprint(e)) { // which ends it, as the others do not
		w.reach(goes, "inactive")
	} else if e.err != nil || !e.result.Success {
		t.Errorf("the goal of a simulation that is well ends with %+v, %v", e.result, e.err)
	}
	w.reach(goes, "armed")
	list := w.f.all.List()
	if n := len(slices.DeleteFunc(list, func(s httpapi.Summary) bool { return s.Ended })); n != 98 {
		t.Errorf("%d simulations go on, want 98", n)
	}
	if err := w.f.all.Health(t.Context()); err != nil {
		t.Errorf("the factory is not well: %v", err)
	}
	all[2].lidar.Thaw()
	for _, id := range []string{breaks, goes} {
		if err := w.f.Remove(t.Context(), id, "a test", httpapi.Removal{}); err != nil {
			t.Error(err)
		}
		if _, err := w.f.all.Get(id); !errors.Is(err, httpapi.ErrUnknown) {
			t.Errorf("the removed simulation %s: %v", id, err)
		}
	}
	if truth := all[1].arm.Truth(); truth.Armed {
		t.Errorf("a removal leaves %+v", truth)
	}
}

// isFault reports whether HTTP answers an error with 500.
func isFault(err error) bool {
	rejected, busy := (*httpapi.Rejected)(nil), (*httpapi.Busy)(nil)
	return err != nil && !errors.As(err, &rejected) && !errors.As(err, &busy) && !errors.Is(err, httpapi.ErrUnknown) &&
		strings.Contains(err.Error(), "panicked")
}

// TestS7ASimulationThatHangsIsRemovedAllTheSame: its nodes are disarmed from outside of the loop that hangs.
func TestS7ASimulationThatHangsIsRemovedAllTheSame(t *testing.T) {
	w := newWorks(t, map[string]string{"lab": lab})
	nodes := w.people(bed.StartHost(t), "0")
	w.create("lab")
	w.reach("0", "armed")
	a := w.app("0")
	hangs, goOn := make(chan struct{}), make(chan struct{})
	defer close(goOn)
	first := true
	a.Watch(func() { // the loop calls it
		if first {
			first = false
			close(hangs)
			<-goOn
		}
	})
	a.Post(engine.ConsoleClosed{Err: "so that something is shown"})
	<-hangs
	if err := w.f.Remove(t.Context(), "0", "a test", httpapi.Removal{Reason: "it hangs"}); err != nil {
		t.Error(err)
	}
	if truth := nodes.arm.Truth(); truth.Armed {
		t.Errorf("its node is left as %+v", truth)
	}
	if _, err := w.f.all.Get("0"); !errors.Is(err, httpapi.ErrUnknown) {
		t.Errorf("it is not removed: %v", err)
	}
}

// TestS7ABrokenSimulationDisarmsUntilItIsConfirmed: a node that does not confirm is asked again.
func TestS7ABrokenSimulationDisarmsUntilItIsConfirmed(t *testing.T) {
	w := newWorks(t, map[string]string{"lab": lab})
	nodes := w.people(bed.StartHost(t), "0")
	w.create("lab")
	w.reach("0", "armed")
	nodes.arm.Script("disarm", bed.Behaviour{Result: bed.Failure})
	w.app("0").Post(nil)
	bed.Eventually(t, "the node is asked again", func() (string, bool) {
		truth := nodes.arm.Truth()
		return fmt.Sprintf("%+v", truth), truth.Count("disarm") >= 2
	})
	arm := "/" + w.u + "_arm_0"
	s, list := w.get("0"), w.f.all.List()
	if !slices.Equal(s.MayBeArmed, []string{arm}) || !slices.Equal(list[0].MayBeArmed, []string{arm}) ||
		!s.Nodes[1].MayBeArmed || s.Nodes[1].Armed {
		t.Errorf("while the node has not confirmed, %v may be armed, in the list %v", s.MayBeArmed, list[0].MayBeArmed)
	}
	if cause := w.f.listed().Simulations[0].Cause; !strings.Contains(cause, "may be armed: "+arm) {
		t.Errorf("over ROS it says %q", cause)
	}
	nodes.arm.Script("disarm", bed.Behaviour{})
	bed.Eventually(t, "the node has confirmed", func() (string, bool) {
		s := w.get("0")
		return fmt.Sprintf("%+v, may be armed: %v", nodes.arm.Truth(), s.MayBeArmed), len(s.MayBeArmed) == 0
	})
	if truth := nodes.arm.Truth(); truth.Armed || truth.Count("disarm") < 3 {
		t.Errorf("it is %+v", truth)
	}
}

// TestAnEarlyOrderWaitsUntilTheNodesAreRead: a client need not wait after a creation. An order that arms is not kept.
func TestAnEarlyOrderWaitsUntilTheNodesAreRead(t *testing.T) {
	w := newWorks(t, map[string]string{"lab": lab + "defaults: {deadline: {discover: 10m}}\n"})
	h := bed.StartHost(t)
	w.create("lab")
	if _, err := w.command("0", "armed"); err == nil || !strings.Contains(err.Error(), "have not all been read yet") {
		t.Errorf("an order that arms is kept: %v", err)
	}
	if _, err := w.command("0", "actve"); err == nil ||
		!strings.Contains(err.Error(), "neither a command nor a state") {
		t.Errorf("a typo: %v", err)
	}
	id := "0"
	bed.Eventually(t, "the process runs as long as the order", func() (string, bool) {
		ended := make(chan error, 1)
		go func() {
			r, err := w.command(id, "active")
			if err == nil && r.State != "active" {
				err = fmt.Errorf("the simulation is %+v", r)
			}
			ended <- err
		}()
		w.people(h, id)
		err := <-ended
		if err == nil {
			return "", true
		}
		if !stall.Said(err.Error()) {
			t.Fatal(err)
		}
		id = w.create("lab")
		return err.Error(), false
	})
}

// TestS8IDsAreNeverUsedAgain: not after a removal, nor by a later run of the factory.
func TestS8IDsAreNeverUsedAgain(t *testing.T) {
	w := newWorks(t, map[string]string{"nobody": nobody})
	var got []string
	got = append(got, w.create("nobody"), w.create("nobody"))
	for _, id := range got {
		if err := w.f.Remove(t.Context(), id, "a test", httpapi.Removal{}); err != nil {
			t.Error(err)
		}
	}
	got = append(got, w.create("nobody"))
	w.stop()
	w.start()
	if list := w.f.all.List(); len(list) != 0 {
		t.Errorf("a new factory has %+v", list)
	}
	got = append(got, w.create("nobody"))
	w.refuses(httpapi.Creation{Experiment: "nobody", ID: "2"}, "used before", "the next one is 4")
	w.refuses(httpapi.Creation{Experiment: "nobody", ID: "x"}, "is no id")
	w.refuses(httpapi.Creation{Experiment: "nobody", ID: "007"}, "is no id")
	w.refuses(httpapi.Creation{Experiment: "nobody", ID: "9999999999999999"}, "is no id")
	if s, err := w.f.Create(t.Context(), "a test",
		httpapi.Creation{Experiment: "nobody", ID: "9", Owner: "somebody"}); err != nil || s.ID != "9" ||
		s.Owner != "somebody" {
		t.Errorf("the id 9: %+v, %v", s.Summary, err)
	}
	got = append(got, w.create("nobody"))
	if want := []string{"0", "1", "2", "3", "10"}; !slices.Equal(got, want) {
		t.Errorf("the ids are %v, want %v", got, want)
	}
}

// TestS9ANodeOfTwoSimulationsIsRefused: by the factory itself, by another one, and beside a daemon.
func TestS9ANodeOfTwoSimulationsIsRefused(t *testing.T) {
	one := bed.Unique(t, "one")
	fixed := "simulation: $(sim)\nnodes: {/" + one + ": {deadline: {discover: 1ms}}}\n"
	topic := "simulation: $(sim)\ntopic: /U_topic\nnodes: {/U_$(sim): {deadline: {discover: 1ms}}}\n"
	w := newWorks(t, map[string]string{"fixed": fixed, "topic": topic})
	o := newWorks(t, map[string]string{"fixed": fixed})
	id := w.create("fixed")
	drives := "/" + w.u + "/sim_" + id + "/rstate"
	w.refuses(httpapi.Creation{Experiment: "fixed"}, drives+" drives the node /"+one, "$(sim)")
	o.refuses(httpapi.Creation{Experiment: "fixed"}, "drives the node /"+one, "$(sim)")
	bed.Eventually(t, "a factory on another host sees it, too", func() (string, bool) {
		seen := daemon.Driver(o.f.node, o.f.tested.Abilities(), &network.Node{Name: "/" + one})
		return seen, seen == drives
	})
	if err := w.f.Remove(t.Context(), id, "a test", httpapi.Removal{}); err != nil {
		t.Error(err)
	}
	o.create("fixed")
	w.refuses(httpapi.Creation{Experiment: "fixed"}, "drives the node /"+one)
	w.create("topic")
	w.refuses(httpapi.Creation{Experiment: "topic"}, "has the topic", "$(sim)")
	if n := len(w.f.all.List()); n != 1 {
		t.Errorf("what was refused is listed: %d simulations", n)
	}
}

// TestS8AnIDOfAnotherFactoryIsLeftOut: simulations of one id are peers.
func TestS8AnIDOfAnotherFactoryIsLeftOut(t *testing.T) {
	w := newWorks(t, map[string]string{"nobody": nobody})
	o := newWorks(t, map[string]string{"nobody": nobody})
	id := w.create("nobody")
	file := filepath.Join(o.config.Experiments, "nobody.yaml")
	bed.Eventually(t, "the other factory sees the simulation",
		func() (string, bool) { return "", o.f.isTaken(id, file) })
	if got := o.create("nobody"); got != "1" {
		t.Errorf("the other factory takes the id %s, want 1", got)
	}
	if s, err := o.f.Create(t.Context(), "a test", httpapi.Creation{Experiment: "nobody", ID: "5"}); err != nil ||
		s.ID != "5" {
		t.Errorf("an id that is asked for: %+v, %v", s, err)
	}
}

// TestAnEndedSimulationStaysReadable until it is removed.
func TestAnEndedSimulationStaysReadable(t *testing.T) {
	w := newWorks(t, map[string]string{"nrp": "simulation: $(sim)\nmachine: nrp\nnodes: {/U_$(sim): {deadline: {discover: 1ms}}}\n"})
	id := w.create("nrp")
	if s := w.get(id); s.State != "created" || s.Machine != "nrp" || s.Ended {
		t.Errorf("a new simulation is %+v", s.Summary)
	}
	w.reach(id, "stopped")
	<-w.app(id).Done()
	if s := w.get(id); s.State != "stopped" || !s.Ended {
		t.Errorf("an ended one is %+v", s.Summary)
	}
	w.reach(id, "stopped")
	if _, err := w.command(id, "started"); err == nil || !strings.Contains(err.Error(), "has ended") {
		t.Errorf("one that has ended answers another command with %v", err)
	}
	if entries, err := w.f.all.History(t.Context(), id, httpapi.HistoryQuery{Kind: "command"}); err != nil ||
		len(entries) == 0 {
		t.Errorf("its history has %d commands: %v", len(entries), err)
	}
	if err := w.f.Remove(t.Context(), id, "a test", httpapi.Removal{}); err != nil {
		t.Error(err)
	}
	if err := w.f.Remove(t.Context(), id, "a test", httpapi.Removal{}); !errors.Is(err, httpapi.ErrUnknown) {
		t.Errorf("a second removal: %v", err)
	}
}

// TestWhatCannotBeCreatedSaysWhy, and leaves nothing behind.
func TestWhatCannotBeCreatedSaysWhy(t *testing.T) {
	w := newWorks(t, map[string]string{"nobody": nobody, "faulty": "simulation: $(sim)\nnods: {}\n",
		"same": "simulation: 5\nnodes: {/a: {}}\n"})
	w.refuses(httpapi.Creation{Experiment: "faulty"}, "faults at faulty.yaml:1, faulty.yaml:2", "rstate check")
	w.refuses(httpapi.Creation{Experiment: "same"}, "faults at same.yaml:1", "rstate check")
	for _, name := range []string{"none", "", "..", "../nobody", "/etc/passwd", ".hidden", "nobody/../nobody",
		strings.Repeat("x", 300)} {
		w.refuses(httpapi.Creation{Experiment: name}, "there is no experiment", "faulty, nobody, same")
	}
	if n := w.f.all.Count(); n != 0 {
		t.Errorf("%d simulations are left", n)
	}
	w.create("nobody.yaml")
	w.f.Stop("a test")
	w.stopped = true
	w.refuses(httpapi.Creation{Experiment: "nobody"}, "the factory ends")
}

// TestWhoeverWatchesHearsOfRemovals and of creations.
func TestWhoeverWatchesHearsOfRemovals(t *testing.T) {
	w := newWorks(t, map[string]string{"nobody": nobody})
	heard := make(chan string, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		w.f.all.Watch(ctx, func(id string) { heard <- id })
	}()
	id := w.create("nobody")
	if got := <-heard; got != id {
		t.Errorf("heard of %s, want %s", got, id)
	}
	if err := w.f.Remove(t.Context(), id, "a test", httpapi.Removal{}); err != nil {
		t.Error(err)
	}
	bed.Eventually(t, "it is heard of after its removal", func() (string, bool) {
		_, err := w.f.all.Get(<-heard)
		return fmt.Sprint(err), errors.Is(err, httpapi.ErrUnknown)
	})
	cancel()
	<-over
}

// TestS7APanicFailsItsCreationAlone: the client learns of it, and nothing of the simulation is left.
func TestS7APanicFailsItsCreationAlone(t *testing.T) {
	w := newWorks(t, map[string]string{"nobody": nobody})
	log := w.f.log
	for _, at := range []string{"rstate begins", "simulation created"} {
		w.f.log = log.WithOptions(zap.Hooks(func(e zapcore.Entry) error {
			if e.Message == at {
				panic("for a test")
			}
			return nil
		}))
		req := rstate_msgs_srv.NewCreateSimulation_Request()
		req.Experiment = "nobody"
		if resp := w.f.created(req); resp.Success || !strings.Contains(resp.Message, "panicked: for a test") {
			t.Errorf("at %q it answers %+v", at, resp)
		}
		if at == "rstate begins" && w.f.all.Count() != 0 {
			t.Errorf("%d simulations are left", w.f.all.Count())
		}
	}
	w.f.log = log
	w.create("nobody")
}

// TestARemovedSimulationIsForgotten: nothing of a simulation stays in memory, also while a client follows all of them.
func TestARemovedSimulationIsForgotten(t *testing.T) {
	w := newWorks(t, map[string]string{"nobody": nobody})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go w.f.all.Watch(ctx, func(string) {})
	id := w.create("nobody")
	app := weak.Make(w.app(id))
	if err := w.f.Remove(t.Context(), id, "a test", httpapi.Removal{}); err != nil {
		t.Fatal(err)
	}
	bed.Eventually(t, "it is forgotten", func() (string, bool) {
		runtime.GC()
		return "it is still in memory", app.Value() == nil
	})
}

// TestACreationIsAnsweredAtRest: a machine that initializes itself has done so, or the answer shows that it has not.
func TestACreationIsAnsweredAtRest(t *testing.T) {
	w := newWorks(t, map[string]string{"server": "simulation: $(sim)\nmachine: roscle\nnodes: {/U_$(sim): {deadline: {discover: 25s}}}\n",
		"nobody": "simulation: $(sim)\nmachine: roscle\nnodes: {/U_$(sim): {deadline: {discover: 1ms}}}\n"})
	h := bed.StartHost(t)
	made := 0
	for _, result := range []bed.Result{bed.Success, bed.Failure} {
		want := map[bed.Result]string{bed.Success: "initial", bed.Failure: "created"}[result]
		bed.Eventually(t, "the process runs as long as it initializes", func() (string, bool) {
			n := h.Node(bed.NodeSpec{Name: "/" + w.u + "_" + strconv.Itoa(made)})
			n.Script("configure", bed.Behaviour{Delay: time.Second, Result: result})
			s, err := w.f.Create(t.Context(), "a test", httpapi.Creation{Experiment: "server"})
			made++
			if err == nil && s.State != want && w.hasStood(s.ID) {
				return fmt.Sprintf("%+v", s.Summary), false
			}
			if err != nil || !s.Settled || s.State != want {
				t.Errorf("where the node says %v it is %+v, %v", result, s.Summary, err)
			}
			return "", true
		})
	}
	s, err := w.f.Create(t.Context(), "a test", httpapi.Creation{Experiment: "nobody"})
	if err != nil || s.State != "created" || s.Intact || !s.Settled {
		t.Errorf("without its node it is %+v, %v", s.Summary, err)
	}
	if words := madeWords(s); !strings.Contains(words,
		"simulation "+s.ID+" was made, as "+s.Name+"; its network is created, but not intact") {
		t.Errorf("it says %q", words)
	}
	if words := madeWords(httpapi.Simulation{Summary: httpapi.Summary{ID: "0", Name: "/sim_0/rstate",
		State: "unknown"}}); words != "simulation 0 was made, as /sim_0/rstate; the state of its network is not known yet" {
		t.Errorf("of an unknown one it says %q", words)
	}
}
