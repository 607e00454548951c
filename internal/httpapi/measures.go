package httpapi

import (
	"cmp"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// The metrics of simulations. Labels have values that come from the network file, from its machine or from a list of
// this program. Text of nodes and clients is never a label: anyone could make series with it.

// Metric is a metric of each simulation.
type Metric struct {
	Name, Type, Help string
	Labels           []string // the first is simulation
	desc             *prometheus.Desc
}

// Metrics lists them, in the order of docs/observe.md.
var Metrics []*Metric

// metric adds one to the list.
func metric(name, kind, help string, labels ...string) *Metric {
	labels = append([]string{"simulation"}, labels...)
	m := &Metric{name, kind, help, labels, prometheus.NewDesc(name, help, labels, nil)}
	Metrics = append(Metrics, m)
	return m
}

// The types of metrics.
const (
	gauge     = "gauge"
	counter   = "counter"
	histogram = "histogram"
	summary   = "summary"
)

var (
	infoMetric = metric("rstate_simulation_info", gauge, "1 for the state of each simulation.", "machine", "state")

	intactMetric = metric("rstate_simulation_intact", gauge, "1 if every required node is as the state says.")

	settledMetric = metric("rstate_simulation_settled", gauge, "0 while a transition runs.")

	endedMetric = metric("rstate_simulation_ended", gauge,
		"1 if the simulation has ended. What its other metrics say was so at its end.")

	brokeMetric = metric("rstate_simulation_broke", gauge, "1 if the simulation has ended by a fault of rstate or of ROS.")

	warningsMetric = metric("rstate_simulation_warnings", gauge, "Warnings that hold now; rstate status names them.")

	readyMetric = metric("rstate_simulation_ready", gauge,
		"1 if the command that arms would arm the simulation now. None if nothing can be armed.")

	obstaclesMetric = metric("rstate_simulation_obstacles", gauge,
		"Reasons against arming; rstate status names them. None if nothing can be armed.")

	armedMetric = metric("rstate_simulation_may_be_armed", gauge, "Nodes that may be armed.")

	guardsMetric = metric("rstate_simulation_guards", gauge, "Guards that cover nodes which follow no lease.")

	stopsMetric = metric("rstate_simulation_stops", gauge, "Stops that are not acknowledged.")

	stopInputMetric = metric("rstate_simulation_stop_input_clear", gauge, "1 if the stop input is clear.", "topic")

	presentMetric = metric("rstate_node_present", gauge, "1 while the node is in the graph or answers.", "node")

	stateMetric = metric("rstate_node_state", gauge,
		"1 for the lifecycle state that was read or heard last, 0 for the others; changing during a transition.",
		"node", "state")

	deviatesMetric = metric("rstate_node_deviates", gauge, "1 if the node is not as the state of the simulation says.",
		"node", "optional")

	nodeArmedMetric = metric("rstate_node_armed", gauge, "1 if the node is armed, with its proof and its lease.", "node")

	mayBeArmedMetric = metric("rstate_node_may_be_armed", gauge,
		"1 from the request to arm until the node has confirmed that it is disarmed.", "node", "dead_man")

	nodeGuardsMetric = metric("rstate_node_guards", gauge, "Guards that cover a node which follows no lease.", "node")

	nodeObstaclesMetric = metric("rstate_node_obstacles", gauge, "Reasons against arming that are about this node.",
		"node")

	checkMetric = metric("rstate_check_passes", gauge,
		"1 if a check passes, 0 if it does not. None while that is not known.", "node", "check", "kind")

	valueMetric = metric("rstate_check_value", gauge,
		"What a check measured last: Hz, an age in seconds, or the number in a field or a parameter.",
		"node", "check", "kind")

	peerAliveMetric = metric("rstate_peer_alive", gauge, "1 while a required peer renews its liveliness.", "peer")

	peerIntactMetric = metric("rstate_peer_intact", gauge,
		"1 if the nodes of a required peer are as its state says, and it is not behind.", "peer")

	leaseMetric = metric("rstate_lease_age_seconds", gauge,
		"Time since the newest message of the arm lease left. None while no lease is held.")

	turnMetric = metric("rstate_loop_age_seconds", gauge,
		"Time since the loop turned last. It turns at least every 0.1 s.")

	lagMetric = metric("rstate_loop_lag_seconds", histogram, "How much later than planned the loop turned.")

	stallsMetric = metric("rstate_loop_stalls_total", counter, "How often the process or its loop did not run.")

	transitionMetric = metric("rstate_transition_duration_seconds", histogram,
		"Time from the beginning of a command to the state in which the network rests: reached, failed or replaced.",
		"command", "result")

	stepMetric = metric("rstate_node_step_duration_seconds", summary,
		"Time from a request to the evidence that the step of a node has ended, by its verdict.",
		"node", "step", "verdict")

	lossesMetric = metric("rstate_node_losses_total", counter, "How often no process of the node was left.", "node")

	deviationsMetric = metric("rstate_node_deviations_total", counter,
		"How often the node was not as the state of the simulation says.", "node")

	armsMetric = metric("rstate_node_arms_total", counter, "How often the node has confirmed that it is armed.", "node")

	goalsMetric = metric("rstate_commands_total", counter, "Commands of clients that have ended.", "outcome")

	refusedMetric = metric("rstate_commands_refused_total", counter, "Commands of clients that were rejected.")

	latchedMetric = metric("rstate_stops_latched_total", counter,
		"Stops that this run has learned of, also from peers and from its journal.")
)

// simulationsCollector describes each simulation at the time of the scrape.
type simulationsCollector struct{ simulations Simulations }

func (simulationsCollector) Describe(c chan<- *prometheus.Desc) {
	for _, m := range Metrics {
		c <- m.desc
	}
}

func (s simulationsCollector) Collect(c chan<- prometheus.Metric) {
	for _, one := range s.simulations.List() {
		full, err := s.simulations.Get(one.ID)
		if err != nil {
			continue // removed since
		}
		m := measuring{c: c, id: one.ID, told: map[string]bool{}}
		m.network(&full)
		m.arming(&full)
		for k := range full.Nodes {
			m.node(&full, &full.Nodes[k])
		}
		m.others(&full)
		if f, err := s.simulations.Figures(one.ID); err == nil {
			m.figures(&full, &f)
		}
	}
}

// measuring gives the metrics of one simulation.
type measuring struct {
	c    chan<- prometheus.Metric
	id   string
	told map[string]bool // series that were given; a scrape has none twice
}

// is gives a gauge, or a counter.
func (m *measuring) is(of *Metric, value float64, labels ...string) {
	kind := prometheus.GaugeValue
	if of.Type == counter {
		kind = prometheus.CounterValue
	}
	if m.first(of, labels) {
		m.c <- prometheus.MustNewConstMetric(of.desc, kind, value, append([]string{m.id}, labels...)...)
	}
}

// took gives a histogram, or a summary.
func (m *measuring) took(of *Metric, d Durations, labels ...string) {
	all := append([]string{m.id}, labels...)
	switch {
	case !m.first(of, labels):
	case of.Type == summary:
		m.c <- prometheus.MustNewConstSummary(of.desc, d.Count, d.Sum.Seconds(), nil, all...)
	default:
		m.c <- prometheus.MustNewConstHistogram(of.desc, d.Count, d.Sum.Seconds(), d.cumulative(), all...)
	}
}

// first reports whether a series was not given yet. Of things that share one, the worst has to come first.
func (m *measuring) first(of *Metric, labels []string) bool {
	key := of.Name
	for _, l := range labels {
		key += "\x00" + l
	}
	before := m.told[key]
	m.told[key] = true
	return !before
}

// leaveOut gives no value of a series, so that a better one of the same series is not given either.
func (m *measuring) leaveOut(of *Metric, labels ...string) { m.first(of, labels) }

// worstFirst sorts things by how good they are. Two checks may differ in their bounds only, two stop inputs in the field
// of one topic, and two peers in their process.
func worstFirst[T any](all []T, good func(*T) float64) []T {
	return slices.SortedStableFunc(slices.Values(all), func(a, b T) int { return cmp.Compare(good(&a), good(&b)) })
}

// clearness is 1 for a stop input that does not forbid to arm.
func clearness(in *StopInput) float64 { return number(in.Kind == "clear") }

// passing orders checks. One that fails is worse than one that is not decided.
func passing(k *Check) float64 {
	if !k.Known {
		return 0.5
	}
	return number(k.Passes)
}

// soundness orders peers. One that is lost is worse than one that is not intact.
func soundness(p *Peer) float64 { return 2*number(p.Alive) + number(sound(p)) }

// sound reports whether a peer is as rstate_peer_intact says.
func sound(p *Peer) bool { return p.Alive && p.Intact && !p.Behind }

func (m *measuring) network(s *Simulation) {
	m.is(infoMetric, 1, s.Machine, s.State)
	m.is(intactMetric, number(s.Intact))
	m.is(settledMetric, number(s.Settled))
	m.is(endedMetric, number(s.Ended))
	m.is(brokeMetric, number(s.Broke))
	m.is(warningsMetric, float64(len(s.Warnings)))
}

func (m *measuring) arming(s *Simulation) {
	m.is(armedMetric, float64(len(s.MayBeArmed)))
	m.is(guardsMetric, float64(s.guards()))
	if s.Stops != nil {
		m.is(stopsMetric, float64(len(s.Stops.Open)))
		for _, in := range worstFirst(s.Stops.Inputs, clearness) {
			m.is(stopInputMetric, clearness(&in), in.Topic)
		}
	}
	if s.Readiness != "" {
		m.is(readyMetric, number(s.Readiness == "ready"))
		m.is(obstaclesMetric, float64(len(s.Obstacles)))
	}
	for _, k := range worstFirst(s.Checks, passing) {
		if k.Known {
			m.is(checkMetric, number(k.Passes), k.Name, k.Subject, k.Kind)
		} else {
			m.leaveOut(checkMetric, k.Name, k.Subject, k.Kind)
		}
		if k.Number != nil {
			m.is(valueMetric, *k.Number, k.Name, k.Subject, k.Kind)
		}
	}
}

// restful are the states that a node rests in, as rstate_node_state has them.
var restful = []string{"unknown", "unconfigured", "inactive", "active", "finalized"}

func (m *measuring) node(s *Simulation, n *Node) {
	m.is(presentMetric, number(n.Present), n.Name)
	if n.Lifecycle {
		for _, state := range restful {
			m.is(stateMetric, number(n.State == state), n.Name, state)
		}
		m.is(stateMetric, number(!slices.Contains(restful, n.State)), n.Name, "changing")
	}
	deviates := slices.ContainsFunc(s.Deviations, func(d Deviation) bool { return d.Name == n.Name })
	m.is(deviatesMetric, number(deviates), n.Name, word(n.Optional))
	if s.Readiness != "" {
		against := 0
		for _, o := range s.Obstacles {
			if o.Name == n.Name {
				against++
			}
		}
		m.is(nodeObstaclesMetric, float64(against), n.Name)
	}
	if !n.Armable {
		return
	}
	m.is(nodeArmedMetric, number(n.Armed), n.Name)
	m.is(mayBeArmedMetric, number(n.MayBeArmed), n.Name, n.DeadMan)
	if n.DeadMan == "none" {
		guards := 0
		for _, g := range s.Guards {
			if g.Alive && slices.Contains(g.Nodes, n.Name) {
				guards++
			}
		}
		m.is(nodeGuardsMetric, float64(guards), n.Name)
	}
}

// others gives the required peers. Other peers can be made up by anyone.
func (m *measuring) others(s *Simulation) {
	for _, p := range worstFirst(s.Peers, soundness) {
		if p.Required {
			m.is(peerAliveMetric, number(p.Alive), p.Name)
			m.is(peerIntactMetric, number(sound(&p)), p.Name)
		}
	}
}

func (m *measuring) figures(s *Simulation, f *Figures) {
	if s.Lease != nil && f.Lease >= 0 {
		m.is(leaseMetric, f.Lease.Seconds())
	}
	if f.Turned >= 0 {
		m.is(turnMetric, f.Turned.Seconds())
	}
	m.took(lagMetric, f.Lag)
	m.is(stallsMetric, float64(f.Stalls))
	for key, took := range f.Transitions {
		m.took(transitionMetric, took, key.Command, key.Result)
	}
	for key, took := range f.Steps {
		m.took(stepMetric, took, key.Node, key.Step, key.Verdict)
	}
	for k := range s.Nodes {
		n := &s.Nodes[k]
		m.is(lossesMetric, float64(f.Losses[n.Name]), n.Name)
		m.is(deviationsMetric, float64(f.Deviations[n.Name]), n.Name)
		if n.Armable {
			m.is(armsMetric, float64(f.Arms[n.Name]), n.Name)
		}
	}
	for outcome, n := range f.Goals {
		m.is(goalsMetric, float64(n), outcome)
	}
	m.is(refusedMetric, float64(f.Refused))
	m.is(latchedMetric, float64(f.Stops))
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func word(b bool) string {
	if b {
		return "true"
	}
	return "false"
}
