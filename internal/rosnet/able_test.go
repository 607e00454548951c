//go:build ros

package rosnet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"rstate/internal/engine"
	"rstate/internal/network"
	"rstate/internal/selftest"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
	"rstate/test/bed"
	"rstate/test/shim"
)

// gives is the test of a middleware that gives everything, and partial of one whose messages carry other GIDs.
var (
	gives   = selftest.Given(Abilities{Liveliness: true, GIDs: true, Processes: true, ProcessIDs: true, Requests: true})
	partial = selftest.Given(Abilities{Liveliness: true})
)

// TestS10AWorldUnderAllFaults: peers hear and lose each other, and reports of nodes arrive, where the middleware gives
// none of what a start asks it for.
func TestS10AWorldUnderAllFaults(t *testing.T) {
	library, err := shim.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	again(t, library, "no_events", "other_gids", "hidden_requests", "take_401")
}

// TestS10WorldsUnderFaults: the same under each fault alone.
func TestS10WorldsUnderFaults(t *testing.T) {
	library, err := shim.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range []string{"no_events", "lying_events", "half_events", "other_gids", "scattered_gids"} {
		t.Run(fault, func(t *testing.T) { again(t, library, fault) })
	}
}

// again runs the tests of a world that depend on the middleware once more, under faults.
func again(t *testing.T, library string, faults ...string) {
	t.Helper()
	shim.Again(t, library, []string{"TestPeersTellEachOther", "TestPeerThatStandsStillIsLostAndComesBack",
		"TestPeersChangesComeIn", "TestS6ReportsOfANodeAreHeard", "TestS6ReportsOfPlainNodes",
		"TestNodeIsSeenWhenItCanBeDrivenAndAnswersAtOnce", "TestS10StateIsRepeatedWithoutEvents"}, faults...)
}

// TestS10StateIsRepeatedWithoutEvents: the same message comes again and again while the loop turns, unless an event
// tells that it does.
func TestS10StateIsRepeatedWithoutEvents(t *testing.T) {
	w, _ := newWorld(t, "  /camera: {}\n")
	heard := published(t, w)
	<-w.tested.Over()
	w.Show(engine.Snapshot{State: "unconfigured"})
	l := turn(t, w)
	another, _ := newWorld(t, "  /camera: {}\n")
	others := published(t, another)
	another.Show(engine.Snapshot{State: "unconfigured"})
	turn(t, another)
	wanted := 4
	if w.able().Liveliness {
		wanted = 1
	}
	came := func(messages func() []*rstate_msgs_msg.InstanceState, n int) {
		t.Helper()
		bed.Eventually(t, fmt.Sprintf("%d messages", n), func() (string, bool) {
			return fmt.Sprint(len(messages())), len(messages()) >= n
		})
	}
	came(heard, wanted)
	l.stop()
	if !w.able().Liveliness { // what was on its way has come before the first of these, and the others take their time
		came(others, len(others())+2)
		wanted = len(heard())
		came(others, len(others())+3)
	}
	w.Show(engine.Snapshot{State: "inactive"})
	came(heard, wanted+1)
	all := heard()
	for k, m := range all[:wanted] {
		if m.Stamp != all[0].Stamp || m.State.Label != "unconfigured" {
			t.Errorf("message %d is another one: %v", k+1, m)
		}
	}
	if last := all[wanted]; last.State.Label != "inactive" {
		t.Errorf("it was repeated while the loop stood still: %v", last)
	}
}

// published collects what a world publishes on ~/state.
func published(t *testing.T, w *World) func() []*rstate_msgs_msg.InstanceState {
	t.Helper()
	var mu sync.Mutex
	var heard []*rstate_msgs_msg.InstanceState
	opts := rclgo.NewDefaultSubscriptionOptions()
	opts.Qos.Durability = rclgo.DurabilityTransientLocal
	sub, err := rstate_msgs_msg.NewInstanceStateSubscription(w.node, "~/state", opts,
		func(m *rstate_msgs_msg.InstanceState, _ *rclgo.MessageInfo, err error) {
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				heard = append(heard, m)
			}
		})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sub.Close() })
	return func() []*rstate_msgs_msg.InstanceState {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(heard)
	}
}

// silentIn is the reason for which a world loses a peer that says nothing any more.
func silentIn(w *World) string {
	if w.able().Liveliness {
		return lostSilent
	}
	return lostQuiet
}

// nameScript plays the events on a shared topic whose messages do not carry the ids of the graph. Writers are
// instances, a/1 is the first run of node a. "graph a a _" shows two writers of a, and one without a name.
type nameScript struct {
	roll roll
	now  time.Time
	told []string
}

func (s *nameScript) do(line string) {
	words := strings.Fields(line)
	switch words[0] {
	case "graph":
		graph := map[rclgo.GID]string{}
		for i, node := range words[1:] {
			graph[rclgo.GID{1, byte(i)}] = strings.TrimPrefix(node, "_")
		}
		left, waits := s.roll.look(s.now, s.roll.byName(graph))
		for _, w := range left {
			s.told = append(s.told, "left "+w.name)
		}
		if waits {
			s.told = append(s.told, "waits")
		}
	case "dead":
		s.roll.count(int(words[1][0]-'0'), s.now)
		lost, _ := s.roll.missing(s.now)
		for _, w := range lost {
			s.told = append(s.told, "lost "+w.name)
		}
	case "looks":
		n, _ := strconv.Atoi(words[1])
		for range n {
			for _, w := range s.roll.grow() {
				s.told = append(s.told, "silent "+w.name)
			}
		}
	default:
		d, _ := time.ParseDuration(words[0] + "ms")
		s.now = s.now.Add(d)
		for _, w := range words[1:] {
			node, instance, _ := strings.Cut(w, "/")
			one := s.roll.ofInstance(node, instance, s.now)
			one.name = w
			if !one.speaks(node, s.now, func() { s.told = append(s.told, "takes "+w) }) {
				s.told = append(s.told, "refuses "+w)
			}
		}
	}
}

func TestS10WhoSpeaksWhereIDsDoNotMatch(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"known by the graph":                     {"0 a/1|graph a|100 a/1", "takes a/1|takes a/1"},
		"not known yet":                          {"0 a/1|graph|graph _|graph a", "waits|waits|takes a/1"},
		"never named":                            {"0 a/1|graph _|1990|graph _|10|graph _", "waits|waits|takes a/1"},
		"played by a node of another name":       {"0 a/1|graph bag|2000|graph bag", "waits|left a/1"},
		"two peers":                              {"0 a/1 b/1|graph a b|100 b/1", "takes a/1|takes b/1|takes b/1"},
		"two runs of a name":                     {"0 a/1 a/2|graph a a", "takes a/1|takes a/2"},
		"a run takes the place of another":       {"0 a/1|graph a|100 a/2|graph a", "takes a/1|takes a/2|left a/1"},
		"it leaves the graph":                    {"0 a/1 b/1|graph a b|100|graph b", "takes a/1|takes b/1|left a/1"},
		"one dies, as events tell":               {"0 a/1 b/1|graph a b|400 b/1|100|dead 1", "takes a/1|takes b/1|takes b/1|lost a/1"},
		"one that never spoke dies":              {"0 a/1|graph a b|500|dead 1", "takes a/1"},
		"one is silent":                          {"0 a/1 b/1|graph a b|looks 9|900 b/1|looks 1", "takes a/1|takes b/1|takes b/1|silent a/1"},
		"it is lost once":                        {"0 a/1|graph a|looks 30", "takes a/1|silent a/1"},
		"it speaks again":                        {"0 a/1|graph a|looks 10|1000 a/1|looks 9", "takes a/1|silent a/1|takes a/1"},
		"this process was suspended for an hour": {"0 a/1|graph a|3600000|looks 9", "takes a/1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := nameScript{now: time.Unix(1000, 0)}
			for _, line := range strings.Split(c.script, "|") {
				s.do(line)
			}
			if got := strings.Join(s.told, "|"); got != c.want {
				t.Errorf("got\n  %s\nwant\n  %s", got, c.want)
			}
		})
	}
}

// TestS10NamesThatAreMadeUp: where messages alone tell writers apart, anyone can make up any number of them. Those that
// the graph does not show are forgotten. Known peers and new ones are heard meanwhile.
func TestS10NamesThatAreMadeUp(t *testing.T) {
	var r roll
	now := time.Unix(1000, 0)
	later := func() time.Time { now = now.Add(time.Millisecond); return now }
	look := func(nodes ...string) {
		graph := map[rclgo.GID]string{}
		for i, node := range nodes {
			graph[rclgo.GID{1, byte(i)}] = node
		}
		r.look(now, r.byName(graph))
	}
	flood := func() {
		for i := range 2 * mostClaims {
			if r.ofInstance("/forged", strconv.Itoa(i), later()) == nil {
				t.Fatal("a message is refused although most writers are forged")
			}
		}
	}
	known := r.ofInstance("/a", "1", now)
	look("/a")
	flood()
	if len(r.writers) != mostClaims || r.ofInstance("/a", "1", now) != known {
		t.Errorf("%d writers are kept, or a known one is not", len(r.writers))
	}
	fresh := r.ofInstance("/b", "1", later())
	if fresh == nil {
		t.Fatal("a new peer is not heard after the flood")
	}
	look("/a", "/b")
	taken := false
	if flood(); r.ofInstance("/b", "1", later()) != fresh || !fresh.speaks("/b", now, func() { taken = true }) || !taken {
		t.Error("the new peer is not heard")
	}
	now = now.Add(namelessIn)
	if look("/a", "/b"); len(r.writers) != 2 {
		t.Errorf("%d writers are left, want 2", len(r.writers))
	}
	look()
	var all []string
	for i := range mostClaims {
		all = append(all, "/real"+strconv.Itoa(i))
		r.ofInstance(all[i], "1", later())
	}
	if look(all...); len(r.writers) != mostClaims || r.ofInstance("/c", "1", now) != nil {
		t.Errorf("of %d writers that the graph shows one is dropped", len(r.writers))
	}
}

// TestS10WhoseReportItIsWhereIDsDoNotMatch: the publishers of the topic decide.
func TestS10WhoseReportItIsWhereIDsDoNotMatch(t *testing.T) {
	infos := func(names ...string) (list []rclgo.TopicEndpointInfo) {
		for i, name := range names {
			list = append(list, rclgo.TopicEndpointInfo{NodeName: name, NodeNamespace: "/", EndpointGID: rclgo.GID{2, byte(i)}})
		}
		return list
	}
	for name, c := range map[string]struct {
		late        bool
		graph       []string
		epochs      []uint64
		posted      string // of two reports: the epochs
		waits, told bool
	}{
		"the node's own":                 {false, []string{"arm"}, []uint64{3}, "[3 3]", false, false},
		"of one of two processes":        {false, []string{"arm", "arm"}, []uint64{3, 4}, "[]", false, true},
		"of a process that is not known": {false, []string{"arm"}, nil, "[]", true, false},
		"another node publishes too":     {false, []string{"arm", "leg"}, []uint64{3}, "[]", false, true},
		"only another node publishes":    {false, []string{"leg"}, []uint64{3}, "[]", false, true},
		"without a name yet":             {false, []string{"arm", nameless}, []uint64{3}, "[]", true, false},
		"without a name for long":        {true, []string{nameless}, []uint64{3}, "[3 3]", false, false},
		"not in the graph yet":           {false, nil, []uint64{3}, "[]", true, false},
		"gone from the graph":            {true, nil, []uint64{3}, "[]", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			logs, told := observer.New(zapcore.WarnLevel)
			e := &posted{}
			w := &World{log: zap.New(logs), sink: e.post, started: make(chan struct{}), ctx: t.Context(), tested: partial}
			close(w.started)
			r := &remote{w: w, spec: &network.Node{Name: "/arm"}}
			r.presence.epochs = c.epochs
			arrived := time.Now()
			h := heldReport{writer: rclgo.GID{9}, word: "MOVING", arrived: arrived}
			r.reports.writers, r.reports.held = map[rclgo.GID]*reporter{}, []heldReport{h, h}
			now := arrived
			if c.late {
				now = arrived.Add(namelessIn)
			}
			r.match(now, infos(c.graph...))
			epochs := []uint64{}
			for _, in := range all[engine.NodeReported](e) {
				epochs = append(epochs, in.Epoch)
			}
			if got := fmt.Sprint(epochs); got != c.posted || len(r.reports.held) > 0 != c.waits ||
				(told.Len() == 1) != c.told {
				t.Errorf("posted %s, want %s; %d wait, want any: %v; told %d times, want once: %v", got, c.posted,
					len(r.reports.held), c.waits, told.Len(), c.told)
			}
		})
	}
}

// TestS10AReportOfOneOfTwoIsNotTheSurvivors: a report that came while two processes of the node were there is not
// attributed to the one that is left.
func TestS10AReportOfOneOfTwoIsNotTheSurvivors(t *testing.T) {
	logs, told := observer.New(zapcore.WarnLevel)
	e := &posted{}
	w := &World{log: zap.New(logs), sink: e.post, started: make(chan struct{}), ctx: t.Context(), tested: partial,
		graph: make(chan struct{}, 1)}
	close(w.started)
	r := &remote{w: w, spec: &network.Node{Name: "/arm"}, epochs: map[rclgo.GID]uint64{{1}: 3, {2}: 4}}
	r.reports.writers = map[rclgo.GID]*reporter{}
	report := func(word string) {
		r.reported(&rstate_msgs_msg.NodeReport{State: word}, &rclgo.MessageInfo{PublisherGID: rclgo.GID{9}}, nil)
	}
	r.presence.epochs = []uint64{3, 4}
	report("ENDED")
	r.epochs, r.presence.epochs = map[rclgo.GID]uint64{{2}: 4}, []uint64{4}
	report("MOVING")
	r.match(time.Now(), []rclgo.TopicEndpointInfo{{NodeName: "arm", NodeNamespace: "/"}})
	if got := words(e); !slices.Equal(got, []string{"MOVING 4"}) || len(r.reports.held) > 0 || told.Len() != 1 {
		t.Errorf("heard %v, %d wait, and it told %d times", got, len(r.reports.held), told.Len())
	}
}

// TestS10ARenewalIsOfOurName: a message renews only where no event tells, and, where messages carry the GIDs of the
// graph, only if its publisher is of our name.
func TestS10ARenewalIsOfOurName(t *testing.T) {
	there, _ := newWorld(t, "  /camera: {}\n")
	var own rclgo.GID
	bed.Eventually(t, "the own publisher is in the graph", func() (string, bool) {
		infos, err := there.node.GetPublishersInfoByTopic(there.out.state.TopicName, true)
		if err == nil && len(infos) == 1 {
			own = infos[0].EndpointGID
		}
		return fmt.Sprint(infos), own != rclgo.GID{}
	})
	since := time.Now()
	for name, c := range map[string]struct {
		gives  Abilities
		alive  int64
		writer rclgo.GID
		want   bool
	}{
		"an event tells":                            {Abilities{Liveliness: true, GIDs: true}, 2, rclgo.GID{}, true},
		"events exist, and only a message came":     {Abilities{Liveliness: true, GIDs: true}, 1, own, false},
		"no events, and one told of a life only":    {Abilities{GIDs: true}, 2, rclgo.GID{9}, false},
		"no events, and a message of our name":      {Abilities{GIDs: true}, 1, own, true},
		"no events, and a message of another":       {Abilities{GIDs: true}, 1, rclgo.GID{9}, false},
		"no events, and messages do not carry GIDs": {Abilities{}, 1, rclgo.GID{9}, true},
	} {
		w := &World{node: there.node, ctx: t.Context(), name: there.name, tested: selftest.Given(c.gives)}
		w.out.state = there.out.state
		w.naming.alive.Store(c.alive)
		w.naming.renewed.Store(&renewal{"other", c.writer, since.Add(time.Second)})
		if got := w.renewed("other", since); got != c.want {
			t.Errorf("%s: renewed is %v", name, got)
		}
		if w.naming.alive.Store(1); w.renewed("third", since) || w.renewed("other", since.Add(time.Minute)) {
			t.Errorf("%s: a message of another instance, or an old one, renews", name)
		}
	}
}

// TestS10EpochOfAMessage: an event of a node with one process is of that process, whatever id it carries, if ids do not
// match.
func TestS10EpochOfAMessage(t *testing.T) {
	a, b, other := rclgo.GID{1}, rclgo.GID{2}, rclgo.GID{9}
	for name, c := range map[string]struct {
		tested *selftest.Test
		epochs map[rclgo.GID]uint64
		writer rclgo.GID
		want   uint64
	}{
		"ids match":                              {gives, map[rclgo.GID]uint64{a: 1, b: 2}, b, 2},
		"ids match, of another":                  {gives, map[rclgo.GID]uint64{a: 1}, other, 0},
		"ids do not match":                       {partial, map[rclgo.GID]uint64{a: 1}, other, 1},
		"ids do not match, of two":               {partial, map[rclgo.GID]uint64{a: 1, b: 2}, other, 0},
		"ids do not match, and nothing is there": {partial, nil, other, 0},
	} {
		r := &remote{w: &World{tested: c.tested}, epochs: c.epochs}
		if got := r.epochOf(c.writer); got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
}
