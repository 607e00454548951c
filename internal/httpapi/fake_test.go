package httpapi

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"rstate/internal/machine"
	"rstate/internal/runnable"
)

// fake is a factory of NRP simulations without nodes. Its commands wait while a test holds them.
type fake struct {
	mu       sync.Mutex
	all      map[string]*Simulation
	next     int
	most     int                      // simulations
	hold     chan struct{}            // commands wait until it is closed; nil: they do not wait
	fail     Result                   // what a command returns in place of success
	panics   bool                     // in Command and Get
	handed   func(string, Asked) Wait // gets each order first; nil, or what it returns: as usual
	got      func()                   // what happens right after a simulation was looked at; nil: nothing
	sick     error
	orders   []Asked // that were carried out
	clients  []string
	entries  []Entry
	watchers []func(string)
	asked    []string // ids that Get was asked for
	triggers map[uint64]*Trigger
	figures  *Figures // of every simulation; nil: nothing has happened
	stopped  bool     // a stop is to be acknowledged
	acks     []Acknowledgement
}

// edges are the triggers of the NRP backend by state, and armed and disarm, which the NRP does not have.
var edges = map[string]map[string]string{
	"created": {"initialized": "paused", "stopped": "stopped", "failed": "failed"},
	"paused":  {"started": "started", "stopped": "stopped", "failed": "halted", "reset": "paused"},
	"started": {"paused": "paused", "stopped": "stopped", "failed": "halted", "reset": "paused", "arm": "armed"},
	"halted":  {"stopped": "failed"},
	"armed":   {"paused": "paused", "failed": "halted", "disarm": "started"},
}

func newFake() *fake {
	f := &fake{all: map[string]*Simulation{}, most: 100}
	f.Create(context.Background(), "test", Creation{Experiment: "demo"})
	return f
}

func (f *fake) List() []Summary {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []Summary
	for id := range f.next {
		if s := f.all[strconv.Itoa(id)]; s != nil {
			all = append(all, s.Summary)
		}
	}
	return all
}

func (f *fake) Get(id string) (Simulation, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, id)
	if f.panics {
		panic("Get")
	}
	s := f.all[id]
	if s == nil {
		return Simulation{}, ErrUnknown
	}
	one := *s
	if f.got != nil {
		f.got()
	}
	one.Commands = nil
	for _, name := range legal(s.State) {
		one.Commands = append(one.Commands, Command{Name: name, To: edges[s.State][name], Arms: name == "arm"})
	}
	return one, nil
}

func legal(state string) []string {
	names := []string{}
	for name := range edges[state] {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (f *fake) Figures(id string) (Figures, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.figures == nil {
		return Figures{Turned: -1, Lease: -1}, nil
	}
	return f.figures.Clone(), nil
}

func (f *fake) Read(id string, o Order) (Asked, error) {
	if _, err := f.Get(id); err != nil {
		return Asked{}, err
	}
	word := machine.ReadWord(o.State)
	plain := strings.ToLower(word.String())
	return Asked{Word: word, Arms: strings.HasPrefix(plain, "arm"), Disarms: plain == "disarm",
		Argument: o.Argument, Reason: o.Reason, ID: o.ID, Authority: o.Authority, Seen: o.Seen}, nil
}

func (f *fake) Command(id, client string, a Asked) Wait {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.handed != nil {
		if wait := f.handed(id, a); wait != nil {
			return wait
		}
	}
	s, hold := f.all[id], f.hold
	done := func(r Result, err error) Wait { return func(context.Context) (Result, error) { return r, err } }
	if s == nil {
		return done(Result{}, ErrUnknown)
	}
	if f.panics {
		panic("Command")
	}
	f.clients = append(f.clients, client)
	word := a.Word.String()
	to, ok := edges[s.State][word]
	switch {
	case word == s.State:
		return done(Result{Success: true, Outcome: "already", State: s.State}, nil)
	case !ok:
		return done(Result{}, &Rejected{word + " is not legal in " + s.State, legal(s.State)})
	case !s.Settled && word != "failed":
		return done(Result{}, &Busy{"a transition to " + s.Target + " runs", 2500 * time.Millisecond})
	}
	f.orders = append(f.orders, a)
	s.Settled, s.Target = false, to
	f.changed(id)
	return func(ctx context.Context) (Result, error) {
		if hold != nil && word != "failed" {
			select {
			case <-hold:
			case <-ctx.Done(): // a test fails if this happens: the order is not carried out
				return Result{}, ctx.Err()
			}
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		s.Settled = true
		if f.fail.Outcome != "" {
			return f.fail, nil
		}
		s.State = to
		f.changed(id)
		return Result{Success: true, Outcome: "done", State: to, Elapsed: 0.5}, nil
	}
}

// Data are "now" (there), "large" (2 MiB), "later" (not there yet), and nothing else.
func (f *fake) Data(_ context.Context, _, name string, most int64) (Datum, error) {
	switch name {
	case "now":
		return Datum{Name: name, Type: "std_msgs/msg/Int32", Value: map[string]any{"data": 7}}, nil
	case "scan":
		far, none := math.Inf(1), float32(math.NaN())
		return Datum{Name: name, Type: "sensor_msgs/msg/LaserScan", Value: map[string]any{
			"least": math.Inf(-1), "ranges": []float64{1.5, far}, "pair": [2]float32{none, 0.1}, "empty": []float64{},
			"parts": []any{map[string]any{"x": far, "y": none}}, "bytes": []uint8{1}, "on": true,
		}}, nil
	case "large":
		if most < 2<<20 {
			return Datum{}, ErrTooLarge
		}
	case "later":
		return Datum{}, &Missing{"nothing was published on /x yet"}
	}
	return Datum{}, &Rejected{Why: "there are no data"}
}

func (f *fake) History(_ context.Context, id string, q HistoryQuery) ([]Entry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var found []Entry
	for _, e := range f.entries {
		if q.Kind == "" || q.Kind == e.Kind {
			found = append(found, e)
		}
	}
	return found[max(0, len(found)-q.Last):], nil
}

func (f *fake) Why(_ context.Context, id string) (Why, error) {
	return Why{Text: "simulation " + id + " is where it is.", Because: List[Why]{{Text: "nothing happened."}}}, nil
}

func (f *fake) Network(id string) (Network, error) {
	return Network{File: id + ".yaml", YAML: "nodes: {}\n"}, nil
}

// changed tells watchers of a change; the caller holds the lock.
func (f *fake) changed(id string) {
	for _, w := range f.watchers {
		w(id)
	}
}

func (f *fake) Watch(ctx context.Context, changed func(string)) {
	f.mu.Lock()
	f.watchers = append(f.watchers, changed)
	f.mu.Unlock()
	<-ctx.Done()
}

func (f *fake) Acknowledge(_ context.Context, _, client string, a Acknowledgement) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.stopped {
		return "", &Rejected{Why: "nothing is stopped"}
	}
	f.stopped, f.acks, f.clients = false, append(f.acks, a), append(f.clients, client)
	return "acknowledged", nil
}

func (f *fake) Trigger(_ context.Context, id string, number uint64, t *Trigger) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.triggers == nil:
		return &Rejected{Why: "simulation " + id + " has no loop"}
	case t == nil:
		delete(f.triggers, number)
	default:
		f.triggers[number] = t
	}
	return nil
}

func (f *fake) Health(context.Context) error { return f.sick }

func (f *fake) Create(_ context.Context, _ string, c Creation) (Simulation, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c.Experiment != "demo" {
		return Simulation{}, &Rejected{Why: "there is no experiment " + c.Experiment}
	}
	if len(f.all) == f.most {
		return Simulation{}, &Busy{Why: "there are as many simulations as are allowed; remove one"}
	}
	id := strconv.Itoa(f.next)
	f.next++
	s := &Simulation{Summary: Summary{ID: id, Name: "/sim_" + id + "/rstate", Run: "run" + id, Machine: "nrp",
		State: "created", Settled: true, Intact: true, Owner: c.Owner}, Target: "created", Seen: "run" + id + "/0"}
	f.all[id] = s
	f.changed(id)
	return *s, nil
}

func (f *fake) Remove(_ context.Context, id, _ string, _ Removal) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if hold := f.hold; hold != nil {
		f.mu.Unlock()
		<-hold
		f.mu.Lock()
	}
	delete(f.all, id)
	f.changed(id)
	return nil
}

// set changes the fake under its lock.
func (f *fake) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// until waits for a condition on the fake.
func (f *fake) until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	wait(t, what, func() bool { f.mu.Lock(); defer f.mu.Unlock(); return holds() })
}

func wait(t *testing.T, what string, holds func() bool) {
	t.Helper()
	limit := runnable.Within(20 * time.Second)
	defer limit.Stop()
	for ; !holds(); time.Sleep(time.Millisecond) {
		if limit.IsOver() {
			t.Fatal("waited in vain until " + what)
		}
	}
}
