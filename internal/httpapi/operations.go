package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"go.uber.org/zap"
)

// caller is what an operation knows of the request.
type caller struct {
	name  string // for the history
	local bool
	may   access

	ignored []string // the keys of its body that rstate does not know
}

type callerKey struct{}

func callerOf(ctx context.Context) caller { c, _ := ctx.Value(callerKey{}).(caller); return c }

// ByID is the part of a request that names a simulation. It is exported because huma fills in
// embedded types only if they are.
type ByID struct {
	ID string `path:"id" doc:"The id of the simulation." example:"0"`
}

type (
	listOutput struct {
		Body List[Summary]
	}
	simulationOutput struct {
		Body Simulation
	}
	createInput struct {
		Body Creation
	}
	createOutput struct {
		Location string `header:"Location" doc:"The path of the new simulation."`
		Body     Simulation
	}
	removeInput struct {
		ByID
		Removal
	}
	stateOutput struct {
		Body State
	}
	orderInput struct {
		ByID
		Body Order
	}
	orderOutput struct {
		Body Result
	}
	challengeInput struct {
		ByID
		Body *Look
	}
	challengeOutput struct {
		Body Challenge
	}
	historyInput struct {
		ByID
		HistoryQuery
	}
	dataInput struct {
		ByID
		Name string `path:"name" maxLength:"200" doc:"A name of data, from the network file."`
	}
	dataOutput    struct{ Body Datum }
	networkOutput struct{ Body Network }
	whyOutput     struct{ Body Why }
	historyOutput struct {
		Body List[Entry]
	}
	triggerInput struct {
		ByNumber
		Body Trigger
	}
	eventsInput struct {
		Simulation string `query:"simulation" minLength:"1" doc:"Only events of this simulation."`
	}
	healthOutput struct {
		Body Health
	}
)

// register offers the operations and describes them.
func (s *Server) register(mux *http.ServeMux) {
	s.api = humago.New(mux, huma.Config{
		OpenAPI: &huma.OpenAPI{
			Info: &huma.Info{
				Title: "rstate", Version: s.config.Version,
				Description: "Simulations and networks of ROS 2 lifecycle nodes, their states and commands.",
			},
			Components: &huma.Components{
				Schemas: huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer),
				SecuritySchemes: map[string]*huma.SecurityScheme{"token": {
					Type: "http", Scheme: "bearer",
					Description: "Needed for writing if the server was started with --token-file.",
				}},
			},
		},
		// huma finds the format of problems as that of +json. Negotiation never chooses it, because
		// ServeHTTP removes the header Accept: there is one format.
		Formats: map[string]huma.Format{"application/json": huma.DefaultJSONFormat,
			"json": huma.DefaultJSONFormat},
		DefaultFormat:                "application/json",
		RejectUnknownQueryParameters: true,
	})
	s.api.UseMiddleware(checkQuery)
	offer(s, "GET /simulation", "list", "List the simulations", nil, s.list)
	offer(s, "GET /simulation/{id}", "get", "Everything about a simulation", notFound, s.get)
	offer(s, "GET /simulation/{id}/state", "getState", "The state of a simulation", notFound, s.getState)
	offer(s, commandRoute, "putState", "Command a simulation, and wait until it has settled", outcomes{
		400: "The command is not legal now; legal names those that are.",
		403: "The command can arm a node, and its challenge is not valid.",
		404: "There is no such simulation.",
		409: "Another transition runs; Retry-After says when to try again. Or another command has replaced this one, or the permission to arm has ended since seen; then there is no Retry-After.",
		500: "A node or a check has failed; state and nodes say how.",
	}, s.putState)
	offer(s, challengeRoute, "challenge", "Get a challenge, which a command that arms needs", outcomes{
		404: "There is no such simulation.",
		409: "The permission to arm has ended since seen, by a disarm or something else. Look again.",
	}, s.challenge)
	s.registerAcknowledge()
	offer(s, "GET /simulation/{id}/history", "history", "Entries of the journal, the oldest first", notFound, s.history)
	offer(s, "GET /simulation/{id}/why", "why", "Why a simulation is in its state, from its journal", notFound, s.why)
	offer(s, "GET /simulation/{id}/network", "network", "The network file of a simulation", notFound, s.network)
	offer(s, "GET /simulation/{id}/data/{name}", "data", "Simulation data, as they are between two steps", outcomes{
		404: "There is no such simulation, or it has no data of this name.",
		413: "The data are larger than an answer may be.",
		503: "The data are not there, or the step did not end within 5 s.",
	}, s.data)
	offer(s, "PUT /simulation/{id}/trigger/{number}", "putTrigger",
		"Set a trigger of a stepped loop, or replace the one of this number", outcomes{
			400: "The simulation has no stepped loop, or too many triggers.",
			404: "There is no such simulation.",
		}, s.putTrigger)
	offer(s, "DELETE /simulation/{id}/trigger/{number}", "removeTrigger", "Remove a trigger of a stepped loop",
		outcomes{
			400: "The simulation has no stepped loop.",
			404: "There is no such simulation.",
		}, s.removeTrigger)
	if s.factory != nil {
		offer(s, createRoute, "create", "Create a simulation from an experiment", outcomes{
			400: "There is no such experiment, or it has faults.",
			409: "There are too many simulations.",
		}, s.create)
		offer(s, "DELETE /simulation/{id}", "remove", "End a simulation and remove it", outcomes{
			404: "There is no such simulation.",
			500: "The simulation did not end cleanly.",
		}, s.remove)
	}
	offer(s, "GET /events", "events", "Follow the simulations by server-sent events", notFound, s.follow)
	offer(s, "GET /healthz", "health", "Whether the process serves simulations", outcomes{
		503: "The process does not serve simulations as it should.",
	}, s.health)
	s.plain(mux, "/openapi.json", "openapi", "This document", "application/openapi+json", http.HandlerFunc(s.openapi))
	s.plain(mux, "/metrics", "metrics", "Metrics for Prometheus", "text/plain", s.scrape())
}

// checkQuery refuses what huma passes over: it takes an empty parameter as a missing one, and the
// first of several. A query that cannot be read would lose parameters.
func checkQuery(ctx huma.Context, next func(huma.Context)) {
	r, w := humago.Unwrap(ctx)
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		problem(http.StatusBadRequest, "cannot read the query: "+err.Error()).write(w)
		return
	}
	for name, values := range query {
		if len(values) != 1 || values[0] == "" {
			problem(http.StatusBadRequest, fmt.Sprintf("query.%.100s needs one value", name)).write(w)
			return
		}
	}
	next(ctx)
}

// outcomes are the statuses of an operation that a client should know apart.
type outcomes map[int]string

var notFound = outcomes{404: "There is no such simulation."}

// offer registers one operation.
func offer[I, O any](s *Server, route, id, summary string, bad outcomes, f func(context.Context, *I) (*O, error)) {
	method, path, _ := strings.Cut(route, " ")
	op := huma.Operation{
		OperationID: id, Method: method, Path: path, Summary: summary,
		MaxBodyBytes: -1, BodyReadTimeout: -1, // readBody limits both
		Responses: map[string]*huma.Response{"default": s.problemResponse("The request was not let in, is invalid or has failed.")},
	}
	for status, text := range bad {
		op.Responses[strconv.Itoa(status)] = s.problemResponse(text)
	}
	switch method {
	case http.MethodPost:
		op.DefaultStatus = http.StatusCreated
		if route == acknowledgeRoute { // it makes nothing
			op.DefaultStatus = http.StatusOK
		}
	case http.MethodDelete:
		op.DefaultStatus = http.StatusNoContent
	}
	if method != http.MethodGet {
		op.Security = []map[string][]string{{}, {"token": {}}}
	}
	field, expected := reflect.TypeFor[I]().FieldByName("Body")
	s.bodies[route] = body{expected: expected, untyped: route == createRoute || route == commandRoute,
		optional: expected && field.Type.Kind() == reflect.Pointer}
	if route == createRoute {
		s.bodies[route] = body{expected: true, untyped: true, keys: keysOf(field.Type)}
	}
	huma.Register(s.api, op, f)
}

// keysOf returns the keys of a struct in JSON.
func keysOf(t reflect.Type) []string {
	var keys []string
	for i := range t.NumField() {
		if key, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); key != "-" {
			keys = append(keys, key)
		}
	}
	return keys
}

func (s *Server) problemResponse(text string) *huma.Response {
	schema := s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Problem](), true, "Problem")
	return &huma.Response{Description: text, Content: map[string]*huma.MediaType{problemType: {Schema: schema}},
		Headers: map[string]*huma.Param{"Retry-After": {Description: "Seconds until another attempt makes sense.",
			Schema: &huma.Schema{Type: "integer"}}}}
}

// plain registers a page whose content has no schema.
func (s *Server) plain(mux *http.ServeMux, path, id, summary, kind string, h http.Handler) {
	mux.Handle("GET "+path, h)
	s.api.OpenAPI().AddOperation(&huma.Operation{
		OperationID: id, Method: http.MethodGet, Path: path, Summary: summary,
		Responses: map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{kind: {}}},
			"default": s.problemResponse("The request was not let in.")},
	})
}

func (s *Server) list(context.Context, *struct{}) (*listOutput, error) {
	return &listOutput{s.simulations.List()}, nil
}

var idForm = regexp.MustCompile(`^[A-Za-z0-9_]{1,100}$`)

// find returns a simulation, or the problem that there is none. An id that cannot be one never gets
// further than here.
func (s *Server) find(id string) (Simulation, error) {
	if !idForm.MatchString(id) {
		return Simulation{}, problemOf(ErrUnknown)
	}
	one, err := s.simulations.Get(id)
	return one, problemOf(err)
}

func (s *Server) get(_ context.Context, in *ByID) (*simulationOutput, error) {
	one, err := s.find(in.ID)
	if err != nil {
		return nil, err
	}
	return &simulationOutput{one}, nil
}

func (s *Server) getState(_ context.Context, in *ByID) (*stateOutput, error) {
	one, err := s.find(in.ID)
	if err != nil {
		return nil, err
	}
	state := State{State: one.State, Settled: one.Settled, Intact: one.Intact, Target: one.Target,
		MayBeArmed: one.MayBeArmed}
	for _, c := range one.Commands {
		state.Commands = append(state.Commands, c.Name)
	}
	return &stateOutput{state}, nil
}

func (s *Server) putState(ctx context.Context, in *orderInput) (*orderOutput, error) {
	one, err := s.find(in.ID)
	if err != nil {
		return nil, err
	}
	asked, err := s.simulations.Read(in.ID, in.Body)
	if err != nil {
		return nil, problemOf(err)
	}
	if callerOf(ctx).may != commands && !asked.Disarms {
		return nil, needsToken()
	}
	var result Result
	if asked.Disarms {
		result, err = s.disarm(ctx, one.ID, asked)
	} else {
		result, err = s.command(ctx, &one, in.Body.Challenge, asked)
	}
	if err != nil {
		return nil, err
	}
	if !result.Success {
		return nil, failed(result)
	}
	return &orderOutput{result}, nil
}

// command carries out an order that does not disarm. One that arms is handed over before a disarm that ends its
// challenge, or not at all.
func (s *Server) command(ctx context.Context, one *Simulation, challenge string, asked Asked) (Result, error) {
	by := callerOf(ctx)
	giveBack, ok := s.orders.take(by.local)
	if !ok {
		return Result{}, s.full("commands")
	}
	var wait Wait
	handOver := func() { wait = s.simulations.Command(one.ID, by.name, asked) }
	if !asked.Arms {
		handOver()
	} else if brought := asked.Seen; !s.challenges.redeem(challenge, situationOf(one), brought, func() {
		asked.Seen = one.Seen // that of the challenge
		handOver()
	}) {
		giveBack()
		if brought != "" && brought != one.Seen {
			return Result{}, outlived()
		}
		if challenge == "" {
			return Result{}, problem(http.StatusForbidden, fmt.Sprintf("%q can arm a node, and needs a challenge: "+
				"POST /simulation/%s/challenge, then send it within %.0f s", asked.Word, one.ID, challengeLife.Seconds()))
		}
		return Result{}, problem(http.StatusForbidden, fmt.Sprintf("%q needs a valid challenge: %s, or the challenge is "+
			"older than %.0f s or not of this server (%s)", asked.Word, changed, challengeLife.Seconds(), lookAgain))
	}
	return await(s, ctx, giveBack, "command", wait,
		zap.String("simulation", one.ID), zap.Stringer("command", asked.Word))
}

// challenge gives a challenge. A request that waited on its way brings what its client saw, and gets none after that.
func (s *Server) challenge(_ context.Context, in *challengeInput) (*challengeOutput, error) {
	one, err := s.find(in.ID)
	if err != nil {
		return nil, err
	}
	if in.Body != nil && in.Body.Seen != "" && in.Body.Seen != one.Seen {
		return nil, outlived()
	}
	return &challengeOutput{s.challenges.issue(situationOf(&one))}, nil
}

// The words for a request to arm that rests on what is over are those of the engine (A1), which also knows why.
const (
	changed   = "a disarm, a stop or another change has come since you looked"
	lookAgain = "look at the robot, then begin anew"
)

// outlived says that a request to arm rests on what is over.
func outlived() *Problem { return problem(http.StatusConflict, changed+" ("+lookAgain+")") }

func (s *Server) putTrigger(ctx context.Context, in *triggerInput) (*struct{}, error) {
	return nil, s.trigger(ctx, in.ByNumber, &in.Body)
}

func (s *Server) removeTrigger(ctx context.Context, in *ByNumber) (*struct{}, error) {
	return nil, s.trigger(ctx, *in, nil)
}

// trigger sets a trigger, or removes it.
func (s *Server) trigger(ctx context.Context, in ByNumber, t *Trigger) error {
	if _, err := s.find(in.ID); err != nil {
		return err
	}
	_, err := finish(s, ctx, "trigger", func(ctx context.Context, _ string) (struct{}, error) {
		return struct{}{}, s.simulations.Trigger(ctx, in.ID, in.Number, t)
	}, zap.String("simulation", in.ID), zap.Uint64("number", in.Number))
	return err
}

func (s *Server) create(ctx context.Context, in *createInput) (*createOutput, error) {
	if err := in.Body.named(); err != nil {
		return nil, err
	}
	one, err := finish(s, ctx, "creation", func(ctx context.Context, client string) (Simulation, error) {
		return s.factory.Create(ctx, client, in.Body)
	}, zap.String("experiment", in.Body.Experiment))
	if err != nil {
		return nil, err
	}
	if names := callerOf(ctx).ignored; len(names) > 0 {
		warning := "the creation had keys that rstate does not know, and they were ignored: " + quoteKeys(names)
		s.config.Log.Warn("http creation", zap.String("simulation", one.ID), zap.String("warning", warning))
		one.Warnings = append(slices.Clone(one.Warnings), warning)
	}
	return &createOutput{"/simulation/" + one.ID, one}, nil
}

func (s *Server) remove(ctx context.Context, in *removeInput) (*struct{}, error) {
	if _, err := s.find(in.ID); err != nil {
		return nil, err
	}
	_, err := finish(s, ctx, "removal", func(ctx context.Context, client string) (struct{}, error) {
		return struct{}{}, s.factory.Remove(ctx, in.ID, client, in.Removal)
	}, zap.String("simulation", in.ID))
	return nil, err
}

func (s *Server) follow(_ context.Context, in *eventsInput) (*huma.StreamResponse, error) {
	if in.Simulation != "" {
		if _, err := s.find(in.Simulation); err != nil {
			return nil, err
		}
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		s.events(w, r, in.Simulation)
	}}, nil
}

func (s *Server) health(ctx context.Context, _ *struct{}) (*healthOutput, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if err := s.simulations.Health(ctx); err != nil {
		return nil, problem(http.StatusServiceUnavailable, err.Error())
	}
	return &healthOutput{Health{"ok"}}, nil
}
