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
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "rstate_build_info", Help: "1 for the version of rstate.",
		ConstLabels: prometheus.Labels{"version": s.config.Version}})
	build.Set(1)
	registry.MustRegister(build, m.requests, m.refused, m.panics, simulationsCollector{s.simulations},
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
