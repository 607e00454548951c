package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics counts what the service does, and describes the simulations when it is asked.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
	refused  prometheus.Counter
	panics   prometheus.Counter
}

func newMetrics(s *Server, registry *prometheus.Registry) *metrics {
	m := &metrics{
		registry: registry,
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "rstate_http_request_seconds",
			Help:    "Time from a request to the end of its answer. Streams of events are not counted.",
			Buckets: []float64{.001, .005, .025, .1, .5, 2.5, 10, 60},
		}, []string{"route", "method", "status"}),
		refused: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "rstate_http_connections_refused_total", Help: "Connections beyond the limit.",
		}),
		panics: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "rstate_http_panics_total", Help: "Requests that ended by a panic.",
		}),
	}
	registry.MustRegister(m.requests, m.refused, m.panics, simulationsCollector{s.simulations},
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "rstate_http_connections", Help: "Open connections."},
			s.connections.inUse),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "rstate_http_streams", Help: "Open streams of events."},
			s.streams.inUse),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "rstate_http_orders",
			Help: "Commands, creations and removals whose clients wait."}, s.orders.inUse),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// scrape answers GET /metrics. Its own limit and the panic on an error replace those of promhttp, which
// answers in plain text.
func (s *Server) scrape() http.Handler {
	handler := promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.PanicOnError})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		giveBack, ok := s.scrapes.take(local(r))
		if !ok {
			s.full("readers of the metrics").write(w)
			return
		}
		defer giveBack()
		handler.ServeHTTP(w, r)
	})
}

// count notes a request. The route is a pattern and never a path, and the method is a known one, so
// that a client cannot make new series.
func (m *metrics) count(route, method string, status int, took time.Duration) {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPut, http.MethodPost, http.MethodDelete:
	default:
		method = "other"
	}
	m.requests.WithLabelValues(route, method, strconv.Itoa(status)).Observe(took.Seconds())
}

// simulationsCollector describes each simulation at the time of the scrape.
type simulationsCollector struct{ simulations Simulations }

var (
	infoDesc = prometheus.NewDesc("rstate_simulation_info", "1 for the state of each simulation.",
		[]string{"simulation", "machine", "state"}, nil)
	intactDesc = prometheus.NewDesc("rstate_simulation_intact", "1 if every required node is as the state says.",
		[]string{"simulation"}, nil)
	settledDesc = prometheus.NewDesc("rstate_simulation_settled", "0 while a transition runs.",
		[]string{"simulation"}, nil)
	stopsDesc = prometheus.NewDesc("rstate_simulation_stops", "Stops that are not acknowledged.",
		[]string{"simulation"}, nil)
	stopInputDesc = prometheus.NewDesc("rstate_simulation_stop_input_clear", "1 if the stop input is clear.",
		[]string{"simulation", "topic"}, nil)
	armedDesc = prometheus.NewDesc("rstate_simulation_may_be_armed", "Nodes that may be armed.",
		[]string{"simulation"}, nil)
	guardsDesc = prometheus.NewDesc("rstate_simulation_guards", "Guards that cover nodes which follow no lease.",
		[]string{"simulation"}, nil)
	readyDesc = prometheus.NewDesc("rstate_simulation_ready",
		"1 if the command that arms would arm the simulation now. None if nothing can be armed.",
		[]string{"simulation"}, nil)
	checkDesc = prometheus.NewDesc("rstate_check_passes",
		"1 if a check passes, 0 if it does not. None while that is not known.",
		[]string{"simulation", "node", "check", "kind"}, nil)
)

func (simulationsCollector) Describe(c chan<- *prometheus.Desc) {
	c <- infoDesc
	c <- intactDesc
	c <- settledDesc
	c <- armedDesc
	c <- guardsDesc
	c <- stopsDesc
	c <- stopInputDesc
	c <- readyDesc
	c <- checkDesc
}

func (s simulationsCollector) Collect(c chan<- prometheus.Metric) {
	for _, one := range s.simulations.List() {
		full, err := s.simulations.Get(one.ID)
		if err != nil {
			continue // removed since
		}
		gauge := func(d *prometheus.Desc, v float64, labels ...string) {
			c <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, append([]string{one.ID}, labels...)...)
		}
		gauge(infoDesc, 1, full.Machine, full.State)
		gauge(intactDesc, number(full.Intact))
		gauge(settledDesc, number(full.Settled))
		gauge(armedDesc, float64(len(full.MayBeArmed)))
		gauge(guardsDesc, float64(full.guards()))
		if full.Stops != nil {
			full.Stops.measure(gauge)
		}
		if full.Readiness != "" {
			gauge(readyDesc, number(full.Readiness == "ready"))
		}
		told := map[[3]string]bool{}
		for _, k := range full.Checks {
			labels := [3]string{k.Name, k.Subject, k.Kind}
			if !k.Known || told[labels] { // two checks may differ in their bounds only, and no series comes twice
				continue
			}
			told[labels] = true
			gauge(checkDesc, number(k.Passes), labels[:]...)
		}
	}
}

// measure reports the stops of a simulation.
func (v *Stops) measure(gauge func(d *prometheus.Desc, value float64, labels ...string)) {
	gauge(stopsDesc, float64(len(v.Open)))
	seen := map[string]bool{}
	for _, in := range v.Inputs {
		if !seen[in.Topic] { // two inputs may be fields of one topic
			seen[in.Topic] = true
			gauge(stopInputDesc, number(in.Kind == "clear"), in.Topic)
		}
	}
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
