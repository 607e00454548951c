package httpapi

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
)

// busy is a simulation of which everything is known that metrics tell.
func busy(s *Simulation) *Figures {
	number, age := 9.5, 0.1
	s.Readiness, s.MayBeArmed = "not ready", List[string]{"/arm"}
	s.Obstacles = List[Obstacle]{{Name: "/arm", Why: "no guard"}, {Name: "/arm", Why: "no reading"}, {Why: "stopped"}}
	s.Nodes = List[Node]{
		{Name: "/arm", Lifecycle: true, Present: true, State: "active", Armable: true, Armed: true, MayBeArmed: true,
			DeadMan: "none"},
		{Name: "/lidar", Lifecycle: true, Optional: true, State: "configuring"},
		{Name: "/plain", Present: true},
	}
	s.Deviations = List[Deviation]{{Name: "/lidar", Expected: "active", Found: "lost"}}
	s.Guards = List[Guard]{{ID: "host:1", Nodes: List[string]{"/arm"}, Alive: true},
		{ID: "host:2", Nodes: List[string]{"/arm"}}, {ID: "host:3", Nodes: List[string]{"/other"}, Alive: true}}
	s.Checks = List[Check]{{Name: "/arm", Subject: "/scan", Kind: "rate", Known: true, Passes: true, Number: &number},
		{Name: "/arm", Subject: "/scan", Kind: "rate", Known: true}, {Name: "/arm", Subject: "/free", Kind: "service"}}
	s.Stops = &Stops{Inputs: List[StopInput]{{Topic: "/estop", Kind: "clear", Age: &age}, {Topic: "/estop", Kind: "stop"}},
		Open: List[Stop]{{Origin: "/rstate"}}}
	s.Peers = List[Peer]{{Name: "/base/rstate", Required: true, Alive: true, Intact: true},
		{Name: "/made_up", Alive: true}}
	s.Lease, s.Warnings, s.Broke = &Lease{Term: 1}, List[string]{"the disk is full"}, true
	var took Durations
	took.Add(30 * time.Millisecond)
	took.Add(2 * time.Second)
	took.Add(time.Hour)
	return &Figures{
		Steps:       map[NodeStep]Durations{{"/arm", "configure", "done"}: took},
		Transitions: map[Transition]Durations{{"arm", Failed}: took},
		Losses:      map[string]uint64{"/lidar": 2}, Deviations: map[string]uint64{"/lidar": 3},
		Arms: map[string]uint64{"/arm": 4}, Goals: map[string]uint64{"done": 5},
		Refused: 6, Stops: 7, Stalls: 8, Lag: took, Turned: 50 * time.Millisecond, Lease: 100 * time.Millisecond,
	}
}

// TestMetricsOfASimulation: every metric of the list is given, with its labels, and says what it says.
func TestMetricsOfASimulation(t *testing.T) {
	b := start(t)
	b.fake.set(func() { b.fake.figures = busy(b.fake.all["0"]) })
	of := func(labels string) string { return `{` + strings.TrimPrefix(labels+`,simulation="0"}`, ",") }
	b.want(b.send("GET", "/metrics", ""), 200,
		"rstate_node_present"+of(`node="/arm"`)+" 1", "rstate_node_present"+of(`node="/lidar"`)+" 0",
		`rstate_node_state{node="/arm",simulation="0",state="active"} 1`,
		`rstate_node_state{node="/arm",simulation="0",state="changing"} 0`,
		`rstate_node_state{node="/lidar",simulation="0",state="changing"} 1`,
		`rstate_node_deviates{node="/lidar",optional="true",simulation="0"} 1`,
		`rstate_node_deviates{node="/arm",optional="false",simulation="0"} 0`,
		"rstate_node_armed"+of(`node="/arm"`)+" 1",
		`rstate_node_may_be_armed{dead_man="none",node="/arm",simulation="0"} 1`,
		"rstate_node_guards"+of(`node="/arm"`)+" 1", "rstate_simulation_guards"+of("")+" 2",
		"rstate_node_obstacles"+of(`node="/arm"`)+" 2", "rstate_simulation_obstacles"+of("")+" 3",
		`rstate_check_passes{check="/scan",kind="rate",node="/arm",simulation="0"} 0`,
		`rstate_check_value{check="/scan",kind="rate",node="/arm",simulation="0"} 9.5`,
		`rstate_peer_alive{peer="/base/rstate",simulation="0"} 1`,
		"rstate_lease_age_seconds"+of("")+" 0.1", "rstate_loop_age_seconds"+of("")+" 0.05",
		`rstate_loop_lag_seconds_bucket{simulation="0",le="0.05"} 1`,
		`rstate_loop_lag_seconds_bucket{simulation="0",le="2.5"} 2`,
		`rstate_loop_lag_seconds_bucket{simulation="0",le="+Inf"} 3`,
		`rstate_transition_duration_seconds_count{command="arm",result="failed",simulation="0"} 3`,
		`rstate_node_step_duration_seconds_sum{node="/arm",simulation="0",step="configure",verdict="done"} 3602.03`,
		"rstate_node_losses_total"+of(`node="/lidar"`)+" 2", "rstate_node_losses_total"+of(`node="/arm"`)+" 0",
		"rstate_node_deviations_total"+of(`node="/lidar"`)+" 3", "rstate_node_arms_total"+of(`node="/arm"`)+" 4",
		`rstate_commands_total{outcome="done",simulation="0"} 5`, "rstate_commands_refused_total"+of("")+" 6",
		"rstate_stops_latched_total"+of("")+" 7", "rstate_loop_stalls_total"+of("")+" 8",
		"rstate_simulation_warnings"+of("")+" 1", "rstate_simulation_ended"+of("")+" 0",
		"rstate_simulation_broke"+of("")+" 1", "rstate_build_info{version=")

	families, err := b.server.metrics.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range Metrics {
		k := 0
		for k < len(families) && families[k].GetName() != m.Name {
			k++
		}
		if k == len(families) {
			t.Errorf("%s is in the list and is not given", m.Name)
			continue
		}
		f := families[k]
		if got := strings.ToLower(f.GetType().String()); got != m.Type {
			t.Errorf("%s is a %s, not a %s", m.Name, got, m.Type)
		}
		for _, one := range f.GetMetric() {
			var labels []string
			for _, l := range one.GetLabel() {
				labels = append(labels, l.GetName())
			}
			if want := slices.Sorted(slices.Values(m.Labels)); !slices.Equal(labels, want) {
				t.Errorf("%s has the labels %v, not %v", m.Name, labels, want)
			}
		}
	}
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("against the conventions of Prometheus: %+v, %v", problems, err)
	}
}

// TestNoMetricForWhatAnyoneMayMakeUp: a peer that the file does not name, a guard and a text make no series.
func TestNoMetricForWhatAnyoneMayMakeUp(t *testing.T) {
	b := start(t)
	b.fake.set(func() { b.fake.figures = busy(b.fake.all["0"]) })
	a := b.want(b.send("GET", "/metrics", ""), 200)
	for _, text := range []string{"/made_up", "host:1", "no guard", "disk is full", `"/other"`} {
		if strings.Contains(a.text, text) {
			t.Errorf("%q is in a label", text)
		}
	}
}

// TestMetricsOfWhatIsNotKnown: what is not there has no series, which says more than a zero.
func TestMetricsOfWhatIsNotKnown(t *testing.T) {
	b := start(t)
	a := b.want(b.send("GET", "/metrics", ""), 200, `rstate_commands_refused_total{simulation="0"} 0`)
	for _, name := range []string{"rstate_simulation_ready", "rstate_simulation_obstacles", "rstate_lease_age_seconds",
		"rstate_loop_age_seconds", "rstate_simulation_stops", "rstate_check_", "rstate_peer_", "rstate_node_"} {
		if strings.Contains(a.text, "\n"+name) {
			t.Errorf("%s has a series", name)
		}
	}
}

// TestMetricsShowTheWorse: of checks, stop inputs and peers with the same labels, in whatever order they are listed.
func TestMetricsShowTheWorse(t *testing.T) {
	b := start(t)
	low, high := 1.5, 9.5
	checks := List[Check]{
		{Name: "/arm", Subject: "/scan", Kind: "rate", Known: true, Passes: true, Number: &high},
		{Name: "/arm", Subject: "/scan", Kind: "rate"},
		{Name: "/arm", Subject: "/scan", Kind: "rate", Known: true, Number: &low},
		{Name: "/arm", Subject: "/slow", Kind: "rate", Known: true, Passes: true},
		{Name: "/arm", Subject: "/slow", Kind: "rate"},
	}
	inputs := List[StopInput]{{Topic: "/estop", Kind: "clear"}, {Topic: "/estop", Kind: "stop"}}
	peers := List[Peer]{{Name: "/base", Required: true, Alive: true, Intact: true},
		{Name: "/base", Required: true, Alive: true, Intact: true, Behind: true}, {Name: "/base", Required: true}}
	for range 2 {
		b.fake.set(func() {
			s := b.fake.all["0"]
			s.Checks, s.Stops, s.Peers = slices.Clone(checks), &Stops{Inputs: slices.Clone(inputs)}, slices.Clone(peers)
		})
		a := b.want(b.send("GET", "/metrics", ""), 200,
			`rstate_check_passes{check="/scan",kind="rate",node="/arm",simulation="0"} 0`,
			`rstate_check_value{check="/scan",kind="rate",node="/arm",simulation="0"} 1.5`,
			`rstate_simulation_stop_input_clear{simulation="0",topic="/estop"} 0`,
			`rstate_peer_alive{peer="/base",simulation="0"} 0`, `rstate_peer_intact{peer="/base",simulation="0"} 0`)
		if strings.Contains(a.text, `rstate_check_passes{check="/slow"`) {
			t.Error("a check passes while another one with its labels is not known")
		}
		slices.Reverse(checks)
		slices.Reverse(inputs)
		slices.Reverse(peers)
	}
}
