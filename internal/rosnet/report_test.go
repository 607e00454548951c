//go:build ros

package rosnet

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"rstate/internal/engine"
	"rstate/internal/network"
	"rstate/internal/selftest"
	"rstate/test/bed"
)

// words are what was posted, with the epoch.
func words(e *posted) (list []string) {
	for _, r := range all[engine.NodeReported](e) {
		list = append(list, fmt.Sprintf("%s %d", r.Word, r.Epoch))
	}
	return list
}

// TestS6ReportsOfANodeAreHeard: in order, with the epoch of the node's process. A report that is older than the
// subscription comes with its age.
func TestS6ReportsOfANodeAreHeard(t *testing.T) {
	host, name := bed.StartHost(t), "/"+bed.Unique(t, "motion")
	node := host.Node(bed.NodeSpec{Name: name, Reports: true})
	node.Report("MOVING")
	const before = time.Second
	time.Sleep(before)
	_, e := newWorld(t, fmt.Sprintf("  %s: {runtime_states: [MOVING]}\n", name))
	kept := hears[engine.NodeReported](t, e, 1)
	if kept.Word != "MOVING" || kept.Epoch != 1 || kept.Age < before || kept.Age > before+bed.Deadline {
		t.Errorf("kept: %+v", kept)
	}
	for _, word := range []string{"TURNING", "TURNING", "MOVING"} {
		node.Report(word)
	}
	hears[engine.NodeReported](t, e, 4)
	if got, want := words(e), []string{"MOVING 1", "TURNING 1", "TURNING 1", "MOVING 1"}; !slices.Equal(got, want) {
		t.Errorf("heard %v, want %v", got, want)
	}
	if last := all[engine.NodeReported](e)[3]; last.Age < 0 || last.Age >= kept.Age {
		t.Errorf("the newest is %v old", last.Age)
	}
	node.Destroy()
	hears[engine.NodeLost](t, e, 1)
	host.Node(bed.NodeSpec{Name: name, Reports: true}).Report("MOVING")
	hears[engine.NodeReported](t, e, 5)
	if got := words(e)[4]; got != "MOVING 2" {
		t.Errorf("of the next process is heard %s", got)
	}
}

// TestS6ReportsOfPlainNodes: a node without a lifecycle reports, too.
func TestS6ReportsOfPlainNodes(t *testing.T) {
	host, name := bed.StartHost(t), "/"+bed.Unique(t, "map")
	host.Node(bed.NodeSpec{Name: name, Plain: true, Reports: true}).Report("LOST")
	_, e := newWorld(t, fmt.Sprintf("  %s: {lifecycle: false, exception_states: [LOST]}\n", name))
	if got := hears[engine.NodeReported](t, e, 1); got.Word != "LOST" || got.Epoch != 1 {
		t.Errorf("heard %+v", got)
	}
}

// TestS6ReportsOfOthersAreIgnored: a publisher of another node, also one of the same process, counts for nothing.
func TestS6ReportsOfOthersAreIgnored(t *testing.T) {
	host, name := bed.StartHost(t), "/"+bed.Unique(t, "motion")
	node := host.Node(bed.NodeSpec{Name: name, Reports: true})
	other := host.Advertise(bed.Topic{Kind: "rstate_msgs/msg/NodeReport", Name: name + "/report", Latched: true})
	_, e := newWorld(t, fmt.Sprintf("  %s: {fatal_states: [BROKEN]}\n", name))
	hears[engine.NodeSeen](t, e, 1)
	bed.Eventually(t, "the other publisher is matched", func() (string, bool) { return "", other.Subscribers() > 0 })
	for range 3 {
		other.Publish(map[string]any{"node": name, "state": "BROKEN"})
	}
	node.Report("MOVING")
	hears[engine.NodeReported](t, e, 1)
	other.Publish(map[string]any{"node": name, "state": "BROKEN"})
	node.Report("TURNING")
	hears[engine.NodeReported](t, e, 2)
	time.Sleep(2 * namelessIn)
	if got, want := words(e), []string{"MOVING 1", "TURNING 1"}; !slices.Equal(got, want) {
		t.Errorf("heard %v, want %v", got, want)
	}
}

// TestS6OnlyDeclaredReportsAreSubscribed: nothing is heard of a node that declares no sub-states.
func TestS6OnlyDeclaredReportsAreSubscribed(t *testing.T) {
	w, _ := newWorld(t, "  /quiet: {}\n  /speaks: {runtime_states: [MOVING]}\n")
	for _, c := range []struct {
		node string
		want int
	}{{"/quiet", 0}, {"/speaks", 1}} {
		if got, err := w.node.CountSubscribers(c.node + "/report"); err != nil || got != c.want {
			t.Errorf("%s has %d subscriptions, want %d (%v)", c.node, got, c.want, err)
		}
	}
}

// TestS6WhoseReportItIs: what the graph says of a publisher decides, and a publisher that it does not name yet waits.
func TestS6WhoseReportItIs(t *testing.T) {
	gid := func(participant, entity byte) (g rclgo.GID) {
		g[0], g[15] = participant, entity
		return g
	}
	type look struct {
		after time.Duration // the arrival of the report
		infos []rclgo.TopicEndpointInfo
		seen  []uint64 // the epochs that the engine knows
	}
	graph := func(participant byte, node string) []rclgo.TopicEndpointInfo {
		return []rclgo.TopicEndpointInfo{{NodeName: "tool", NodeNamespace: "/", EndpointGID: gid(1, 8)},
			{NodeName: node, NodeNamespace: "/", EndpointGID: gid(participant, 9)}}
	}
	const soon, late = lookSoon, namelessIn
	one, both := []uint64{1}, []uint64{1, 2}
	without := selftest.Given(Abilities{Liveliness: true, GIDs: true})
	for name, c := range map[string]struct {
		participant byte
		looks       []look
		posted      string // of two reports: the epochs
		waits, told bool
	}{
		"without processes":                   {3, []look{{soon, graph(3, "arm"), one}}, "[1 1]", false, false},
		"without processes, of one of two":    {3, []look{{soon, graph(3, "arm"), both}}, "[]", true, false},
		"without processes, another node's":   {3, []look{{soon, graph(3, "leg"), one}}, "[]", false, true},
		"without processes and a name":        {3, []look{{soon, graph(3, nameless), one}}, "[]", true, false},
		"the node's own":                      {1, []look{{soon, graph(1, "arm"), one}}, "[1 1]", false, false},
		"of the second process":               {2, []look{{soon, graph(2, "arm"), both}}, "[2 2]", false, false},
		"of a process that is not posted yet": {2, []look{{soon, graph(2, "arm"), one}}, "[]", true, false},
		"which is posted in the end": {2,
			[]look{{soon, graph(2, "arm"), nil}, {2 * late, graph(2, "arm"), both}}, "[2 2]", false, false},
		"of a process known by its name only": {3, []look{{soon, graph(3, "arm"), one}, {late, graph(3, "arm"), one}},
			"[1 1]", false, false},
		"which may be one of two": {3, []look{{late, graph(3, "arm"), both}}, "[]", true, false},
		"another node's":          {1, []look{{soon, graph(1, "leg"), one}}, "[]", false, true},
		"without a name yet":      {1, []look{{soon, graph(1, nameless), one}}, "[]", true, false},
		"without a name for long": {1,
			[]look{{soon, graph(1, nameless), one}, {late, graph(1, nameless), one}}, "[1 1]", false, false},
		"without a name, of another process": {3, []look{{late, graph(3, nameless), one}}, "[]", true, false},
		"not in the graph yet":               {1, []look{{soon, nil, one}}, "[]", true, false},
		"in the graph at last": {1, []look{{soon, nil, one}, {2 * soon, graph(1, "arm"), one}}, "[1 1]",
			false, false},
		"gone from the graph": {1, []look{{soon, nil, one}, {late, nil, one}}, "[]", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			logs, told := observer.New(zapcore.WarnLevel)
			e := &posted{}
			w := &World{log: zap.New(logs), sink: e.post, started: make(chan struct{}), ctx: t.Context(), tested: gives}
			close(w.started)
			if strings.HasPrefix(name, "without processes") {
				w.tested = without
			}
			r := &remote{w: w, spec: &network.Node{Name: "/arm"},
				epochs: map[rclgo.GID]uint64{gid(1, 1): 1, gid(2, 1): 2}}
			arrived := time.Now()
			h := heldReport{writer: gid(c.participant, 9), word: "MOVING", arrived: arrived}
			r.reports.writers, r.reports.held = map[rclgo.GID]*reporter{}, []heldReport{h, h}
			whole := false
			for _, l := range c.looks {
				r.presence.epochs = l.seen
				whole = r.match(arrived.Add(l.after), l.infos)
			}
			posted := []uint64{}
			for _, in := range all[engine.NodeReported](e) {
				posted = append(posted, in.Epoch)
			}
			if got := fmt.Sprint(posted); got != c.posted || len(r.reports.held) > 0 != c.waits ||
				(told.Len() == 1) != c.told {
				t.Errorf("posted %s, want %s; %d wait, want any: %v; told %d times, want once: %v", got, c.posted,
					len(r.reports.held), c.waits, told.Len(), c.told)
			}
			if hurries := c.waits && c.looks[len(c.looks)-1].after < late; whole == hurries {
				t.Errorf("the next look is late: %v, want %v", whole, !hurries)
			}
		})
	}
}

// TestS6AgeOfAReport: the source timestamp counts only while the middleware may deliver what the publisher had kept.
func TestS6AgeOfAReport(t *testing.T) {
	first := time.Unix(1000, 0)
	for name, c := range map[string]struct {
		arrived, sent, now time.Duration // after the first message
		want               time.Duration
	}{
		"kept":                              {0, -time.Hour, 0, time.Hour},
		"kept, and waited for the graph":    {0, -time.Hour, time.Second, time.Hour + time.Second},
		"published now":                     {0, 0, 0, 0},
		"by a clock that is ahead":          {0, time.Hour, time.Second, time.Second},
		"one of several that were kept":     {time.Second, -time.Minute, time.Second, time.Minute + time.Second},
		"later, by a clock that is behind":  {keptIn, -time.Hour, keptIn, 0},
		"later, and waited for the watcher": {keptIn, keptIn, keptIn + time.Second, time.Second},
	} {
		h := heldReport{arrived: first.Add(c.arrived), sent: first.Add(c.sent)}
		if got := h.age(first.Add(c.now), &reporter{epoch: 1, first: first}); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	h := heldReport{arrived: first}
	if got := h.age(first.Add(time.Second), &reporter{epoch: 1, first: first}); got != time.Second {
		t.Errorf("without a source timestamp: %v", got)
	}
}
