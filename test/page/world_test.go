package page

import (
	"context"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"rstate/internal/httpapi"
	"rstate/internal/machine"
	"rstate/internal/page"
)

// world is a process whose simulations are what a test makes of them.
type world struct {
	mu           sync.Mutex
	order        []string
	all          map[string]httpapi.Simulation
	entries      []httpapi.Entry
	why          httpapi.Why
	yaml         string
	token        string // what writing needs
	watchers     []func(string)
	orders       []httpapi.Asked
	acknowledged []string                                    // the simulations
	answer       func(httpapi.Asked) (httpapi.Result, error) // nil: the order is done
	held         chan struct{}                               // not nil: Get answers when it is closed
	server       *httpapi.Server
	address      string
}

// serve begins to serve a world.
func serve(t testing.TB, sims ...httpapi.Simulation) *world {
	t.Helper()
	w := &world{all: map[string]httpapi.Simulation{}}
	for _, s := range sims {
		w.put(s)
	}
	w.start(t, "127.0.0.1:0")
	t.Cleanup(func() { w.stop() })
	return w
}

// start serves on an address; after stop it can be served there again.
func (w *world) start(t testing.TB, address string) {
	t.Helper()
	site, err := page.New()
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	w.address = l.Addr().String()
	w.server = httpapi.New(httpapi.Config{Simulations: w, Page: site, Version: "0.1.0", Token: w.token})
	w.server.Start(l)
}

// stop ends the server as if its process was killed.
func (w *world) stop() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	w.server.Stop(ctx)
}

// hold makes requests for a simulation wait. The function that it returns lets them go on.
func (w *world) hold(t testing.TB) (open func()) {
	t.Helper()
	held := make(chan struct{})
	w.mu.Lock()
	w.held = held
	w.mu.Unlock()
	open = sync.OnceFunc(func() { close(held) })
	t.Cleanup(open)
	return open
}

// put shows a simulation as it is now.
func (w *world) put(s httpapi.Simulation) {
	w.mu.Lock()
	if s.Stamp.IsZero() {
		s.Stamp = time.Now()
	}
	if _, known := w.all[s.ID]; !known {
		w.order = append(w.order, s.ID)
	}
	w.all[s.ID] = s
	watchers := slices.Clone(w.watchers)
	w.mu.Unlock()
	for _, changed := range watchers {
		changed(s.ID)
	}
}

// hides makes a simulation other than what pages have been told.
func (w *world) hides(s httpapi.Simulation) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all[s.ID] = s
}

// becomes shows these simulations and no others, as they are now.
func (w *world) becomes(sims ...httpapi.Simulation) {
	w.mu.Lock()
	w.order, w.all = nil, map[string]httpapi.Simulation{}
	w.mu.Unlock()
	for _, s := range sims {
		w.put(s)
	}
}

// asked returns the orders that came.
func (w *world) asked() []httpapi.Asked {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.orders)
}

// sent returns the words of the orders that came.
func (w *world) sent() (words []string) {
	for _, o := range w.asked() {
		words = append(words, o.Word.String())
	}
	return words
}

func (w *world) List() (list []httpapi.Summary) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range w.order {
		list = append(list, w.all[id].Summary)
	}
	return list
}

func (w *world) Get(id string) (httpapi.Simulation, error) {
	w.mu.Lock()
	held := w.held
	w.mu.Unlock()
	if held != nil {
		<-held
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s, ok := w.all[id]
	if !ok {
		return s, httpapi.ErrUnknown
	}
	return s, nil
}

func (w *world) Figures(string) (httpapi.Figures, error) { return httpapi.Figures{}, nil }

func (w *world) Read(_ string, o httpapi.Order) (httpapi.Asked, error) {
	word := machine.ReadWord(o.State)
	return httpapi.Asked{Word: word, Arms: word == "arm", Disarms: word == "disarm", Reason: o.Reason, ID: o.ID,
		Authority: o.Authority, Seen: o.Seen}, nil
}

func (w *world) Command(_, _ string, a httpapi.Asked) httpapi.Wait {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.orders = append(w.orders, a)
	answer := w.answer
	return func(context.Context) (httpapi.Result, error) {
		if answer != nil {
			return answer(a)
		}
		return httpapi.Result{Success: true, Outcome: "done", Message: "the network is as asked"}, nil
	}
}

func (w *world) History(context.Context, string, httpapi.HistoryQuery) ([]httpapi.Entry, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.entries, nil
}

func (w *world) Why(context.Context, string) (httpapi.Why, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.why, nil
}

func (w *world) Network(string) (httpapi.Network, error) {
	return httpapi.Network{File: "robot.yaml", YAML: w.yaml}, nil
}

func (w *world) Data(context.Context, string, string, int64) (httpapi.Datum, error) {
	return httpapi.Datum{}, &httpapi.Missing{Why: "there are none"}
}

func (w *world) Trigger(context.Context, string, uint64, *httpapi.Trigger) error { return nil }

func (w *world) Watch(ctx context.Context, changed func(string)) {
	w.mu.Lock()
	w.watchers = append(w.watchers, changed)
	w.mu.Unlock()
	<-ctx.Done()
}

func (w *world) Acknowledge(_ context.Context, id, _ string, _ httpapi.Acknowledgement) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.acknowledged = append(w.acknowledged, id)
	return "the stop by /rstate is acknowledged", nil
}

// acknowledgements returns how many came.
func (w *world) acknowledgements() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.acknowledged)
}

func (w *world) Health(context.Context) error { return nil }
