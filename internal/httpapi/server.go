package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
)

// Config is what a server needs.
type Config struct {
	Simulations Simulations
	Factory     Factory              // nil: simulations are neither made nor removed
	Page        http.Handler         // answers GET and HEAD of paths that are not of the API; may be nil
	Registry    *prometheus.Registry // for further metrics; nil: a new one
	Log         *zap.Logger          // nil: none
	Version     string               // of rstate
	Hosts       []string             // names under which clients call the server, besides addresses and localhost
	Token       string               // that other hosts need for writing; empty: they cannot write
	Limits      Limits               // none: DefaultLimits
}

// Server serves simulations over HTTP. New, Start and Stop are called once each, in this order.
type Server struct {
	config      Config
	simulations Simulations // of config, shielded; so is the factory
	factory     Factory
	guard       *guard
	mux         *http.ServeMux
	api         huma.API
	document    []byte          // OpenAPI
	bodies      map[string]body // by route
	hub         *hub
	metrics     *metrics
	challenges  *challenges
	connections *pool
	streams     *pool
	orders      *pool
	lowering    *lowering
	histories   *pool
	readers     *pool // of data: they wait for the end of a step
	scrapes     *pool
	http        *http.Server
	stopping    chan struct{}
	stop        func()
	background  sync.WaitGroup
}

// New makes a server, which does not listen yet.
func New(c Config) *Server {
	c.Log, c.Limits = cmp.Or(c.Log, zap.NewNop()), cmp.Or(c.Limits, DefaultLimits())
	c.Registry = cmp.Or(c.Registry, prometheus.NewRegistry())
	s := &Server{
		config: c, guard: newGuard(c.Hosts, c.Token), mux: http.NewServeMux(), bodies: map[string]body{},
		challenges:  &challenges{now: time.Now},
		connections: newPool(c.Limits.Connections), streams: newPool(c.Limits.Streams),
		orders: newPool(c.Limits.Orders), lowering: newLowering(c.Limits.Disarms), histories: newPool(c.Limits.Histories),
		readers:  newPool(c.Limits.Histories),
		scrapes:  newPool(c.Limits.Scrapes),
		stopping: make(chan struct{}),
	}
	shield := &shield{c.Simulations, c.Factory, c.Log, func() { s.metrics.panics.Inc() }}
	if s.simulations = shield; c.Factory != nil {
		s.factory = shield
	}
	s.hub = newHub(s.simulations)
	s.stop = sync.OnceFunc(func() { close(s.stopping) })
	s.metrics = newMetrics(s, c.Registry)
	s.register(s.mux)
	s.document, _ = json.Marshal(s.api.OpenAPI()) // made of types that have been encoded before
	log, _ := zap.NewStdLogAt(c.Log, zap.DebugLevel)
	s.http = &http.Server{
		Handler: s, ErrorLog: log, MaxHeaderBytes: c.Limits.Header,
		ReadHeaderTimeout: c.Limits.Head, ReadTimeout: c.Limits.Read, IdleTimeout: c.Limits.Idle,
		ConnContext: connected,
	}
	return s
}

// Start serves connections of the listener until Stop. The channel tells that serving has failed.
func (s *Server) Start(l net.Listener) (failed <-chan error) {
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	s.background.Go(func() { s.hub.run(ctx) })
	s.background.Go(func() {
		defer cancel()
		err := s.http.Serve(&listener{Listener: l, pool: s.connections, refused: s.metrics.refused.Inc})
		if !errors.Is(err, http.ErrServerClosed) {
			ended <- fmt.Errorf("cannot serve HTTP any longer: %w", err)
		}
	})
	return ended
}

// Stop ends all streams and lets requests end until the context ends; then it closes the
// connections. Work that clients began goes on.
func (s *Server) Stop(ctx context.Context) {
	s.stop()
	if s.http.Shutdown(ctx) != nil {
		s.http.Close()
	}
	s.background.Wait()
}

// ServeHTTP lets a request in, or answers with the problem.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	a := &answer{ResponseWriter: w, write: s.config.Limits.Write}
	route := "other"
	defer func() {
		if fault := recover(); fault != nil {
			s.panicked(a, r, fault)
		}
		if route != "GET /events" {
			s.metrics.count(route, r.Method, a.status, time.Since(began))
		}
	}()
	a.Header().Set("Cache-Control", "no-store")
	a.Header().Set("X-Content-Type-Options", "nosniff")
	may, p := s.guard.check(r)
	if p != nil {
		p.write(a)
		return
	}
	handler, known, p := s.route(r)
	if p != nil {
		p.write(a)
		return
	}
	if route = known; may == disarms && route != commandRoute {
		needsToken().write(a)
		return
	}
	if route != "GET /metrics" {
		r.Header.Del("Accept")
	}
	ignored, p := s.bodies[route].read(a, r, s.config.Limits.Body)
	if p != nil {
		p.write(a)
		return
	}
	defer working(r)()
	by := caller{clientName(r), local(r), may, ignored}
	handler.ServeHTTP(a, r.WithContext(context.WithValue(r.Context(), callerKey{}, by)))
}

// route finds the handler of a request. ServeMux would redirect unclean paths and answer unknown
// ones in plain text.
func (s *Server) route(r *http.Request) (http.Handler, string, *Problem) {
	if raw := r.URL.EscapedPath(); path.Clean(raw) != raw {
		return nil, "", problem(http.StatusNotFound,
			"there is no such path; write it without a slash at the end, //, . and ..")
	}
	handler, route := s.mux.Handler(r)
	if route != "" {
		return s.mux, route, nil
	}
	var probe recorder
	handler.ServeHTTP(&probe, r)
	switch allow := probe.Header().Get("Allow"); {
	case allow != "":
		p := problem(http.StatusMethodNotAllowed, r.Method+" is not allowed here; use "+allow)
		p.allow = allow
		return nil, "", p
	case s.config.Page != nil && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		return s.config.Page, "page", nil
	}
	return nil, "", problem(http.StatusNotFound, "there is no such path; GET /openapi.json describes all")
}

// panicked answers a request whose handler panicked. One panic does not harm other requests. A
// panic after the answer began is how a handler ends an answer that it cannot write.
func (s *Server) panicked(a *answer, r *http.Request, fault any) {
	if a.status != 0 || fault == http.ErrAbortHandler {
		s.config.Log.Debug("http answer cut off", zap.String("path", r.URL.Path),
			zap.String("fault", fmt.Sprint(fault)))
		panic(http.ErrAbortHandler)
	}
	s.metrics.panics.Inc()
	s.config.Log.Error("http panic", zap.String("method", r.Method), zap.String("path", r.URL.Path),
		zap.String("fault", fmt.Sprint(fault)), zap.ByteString("stack", debug.Stack()))
	problem(http.StatusInternalServerError, "internal error; the log of the daemon has more").write(a)
}

// openapi answers the whole document. It ignores Range, as every operation does.
func (s *Server) openapi(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/openapi+json")
	w.Header().Set("Content-Length", strconv.Itoa(len(s.document)))
	_, _ = w.Write(s.document) // a client that is away gets no answer
}

// clientName names the client for the history.
func clientName(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	agent, _, _ := strings.Cut(r.UserAgent(), " ")
	if agent == "" {
		agent = "unknown program"
	}
	return fmt.Sprintf("%s (HTTP, %.60s)", host, agent)
}

// answer notes the status of an answer and limits the time for writing it. The time begins with the
// answer and not with the request, because a command may take long.
type answer struct {
	http.ResponseWriter
	write  time.Duration
	status int
}

func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= 200 {
		a.status = status
		a.limit()
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(text []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
		a.limit()
	}
	return a.ResponseWriter.Write(text)
}

func (a *answer) limit() {
	// It fails only on a connection that has ended.
	_ = http.NewResponseController(a.ResponseWriter).SetWriteDeadline(time.Now().Add(a.write))
}

// Unwrap lets http.ResponseController find the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// recorder finds out what ServeMux would answer.
type recorder struct{ header http.Header }

func (r *recorder) Header() http.Header {
	if r.header == nil {
		r.header = http.Header{}
	}
	return r.header
}
func (r *recorder) Write(text []byte) (int, error) { return len(text), nil }
func (r *recorder) WriteHeader(int)                {}
