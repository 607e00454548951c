//go:build ros

package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"rstate/test/bed"
)

const (
	// safeLimit is how long a node may stay armed after another node, or the coordinator, has died
	// or was suspended.
	safeLimit = time.Second
	// checkedLimit is the same limit for a failed check. A service is called every second; a rate
	// is measured over a second (or four periods, which are less here) and counted every 100 ms;
	// then the disarm is sent.
	checkedLimit = time.Second + 200*time.Millisecond
	// silentLimit is the same limit for a check that does not answer: it is called within a second,
	// and may take deadline.arm.
	silentLimit = checkedLimit + 2*time.Second
)

// p99 is the share of the measurements that must be within the limit.
const p99 = 0.99

// armedRig is a network that is armed repeatedly, with proofs of the default age.
type armedRig struct {
	b       *testing.B
	daemon  *daemon
	all     []drivers // the armed nodes
	unasked int       // how often they were disarmed before the test did anything
}

// newArmedRig starts the daemon over nodes, each a line of the network file. A killed daemon leaves
// the graph soon, so that it does not receive the goals for the next one.
func newArmedRig(b *testing.B, c *caller, name string, nodes []string, armed ...drivers) *armedRig {
	b.Helper()
	simulation := bed.Unique(b, "armed")
	text := fmt.Sprintf("simulation: %s\nnodes:\n  %s\n", simulation, strings.Join(nodes, "\n  "))
	file := filepath.Join(b.TempDir(), "network.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	return &armedRig{b: b, daemon: c.startDaemonOn(b, name, simulation, file, bed.ShortLease(b)...), all: armed}
}

// arms arms the network, which may still be recovering from the last round. It counts the times
// that the network is disarmed before it can be used, because the machine is too busy for its
// proofs.
func (r *armedRig) arms() {
	r.b.Helper()
	r.ready()
	bed.Eventually(r.b, "the network is armed", func() (string, bool) {
		result, err := r.daemon.try("arm")
		return fmt.Sprintf("%v %+v", err, result), err == nil && result.Success && r.armed()
	})
}

// strikes arms the network and causes an event, and repeats that until all were armed at the event.
func (r *armedRig) strikes(happens func() int64, over func()) (at int64) {
	r.b.Helper()
	for {
		r.arms()
		if at = happens(); r.stood(at) {
			return at
		}
		over()
	}
}

// stood reports whether all were armed at a moment shortly before. On a busy machine something else
// may have disarmed them just before it, and then the event disarms nothing.
func (r *armedRig) stood(at int64) bool {
	for _, d := range r.all {
		if !d.armedAt(at) {
			r.unasked++
			return false
		}
	}
	return true
}

// ready brings the network to a state in which it can be armed.
func (r *armedRig) ready() {
	r.b.Helper()
	bed.Eventually(r.b, "the network is active", func() (string, bool) {
		result, err := r.daemon.try("active")
		return fmt.Sprintf("%v %+v", err, result), err == nil && result.Success
	})
}

func (r *armedRig) armed() bool {
	for _, d := range r.all {
		if !d.armed() {
			r.unasked++
			return false
		}
	}
	return true
}

// rows reports distributions and their limits, each as a benchmark of its own.
func rows(b *testing.B, title string, unasked int, list []row) {
	b.Helper()
	for _, one := range list {
		b.Run(one.name, func(b *testing.B) {
			once(b, func() outcome {
				t := tableOf(title, "what", "n", "median", "p90", "p99", "most", "limit of p99", "")
				o := outcome{"ns/op": float64(one.took.median()), "p99-ns": float64(one.took.quantile(p99))}
				if one.limit == 0 {
					t.row(one.name, count(len(one.took)), one.took.spread(), "", "")
					return o
				}
				o[ofBound] = float64(one.took.quantile(p99)) / float64(one.limit)
				t.row(one.name, count(len(one.took)), one.took.spread(), ms(one.limit), verdict(o[ofBound]))
				if unasked > 0 {
					t.note(fmt.Sprintf("%d times the network was disarmed before the test did anything: a busy machine",
						unasked))
				}
				return o
			})
		})
	}
}

// row is one distribution. Without a limit it is only printed.
type row struct {
	name  string
	took  series
	limit time.Duration
}

// BenchmarkUnfit measures how long two armed nodes stay armed after an event that forbids it: from
// the time stamp of the event, at its source, to the beginning of the later of the two disarm
// callbacks. Proofs have the default age of 500 ms, and nodes are probed every 100 ms.
func BenchmarkUnfit(b *testing.B) {
	c := newCaller(b)
	rigs := beside(b, times(b, "RSTATE_BENCH_RUNS", 10, 3), func() *unfit { return newUnfit(b, c) }, (*unfit).round)
	list := make([]row, len(rigs[0].tried))
	unasked := 0
	for _, u := range rigs {
		unasked += u.unasked
		for i, cause := range u.tried {
			list[i].name, list[i].limit = cause.name, cause.limit
			list[i].took = append(list[i].took, cause.took...)
		}
	}
	rows(b, "From the event that forbids arming to disarmed, in ms", unasked, list)
}

// unfit is the network of BenchmarkUnfit.
type unfit struct {
	*armedRig
	movers drivers // both armed; the first has a check of each kind
	victim drivers // armed; frozen, and killed
	still  drivers // only probed; frozen, or deactivated by another tool
	tester drivers // only probed; its check does not answer
	tool   *hand   // the other tool
	tried  []*cause
}

func newUnfit(b *testing.B, c *caller) *unfit {
	b.Helper()
	u := &unfit{movers: startDrivers(b, driverSpec{count: 2}), still: startDrivers(b, driverSpec{count: 1})}
	u.victim = startDrivers(b, driverSpec{count: 1, env: bed.ShortLease(b)})
	u.tester = startDrivers(b, driverSpec{count: 1, slow: true})
	u.tool = c.hand(u.still.group())
	m := "/" + u.movers.prefix + "_1"
	u.armedRig = newArmedRig(b, c, bed.Unique(b, "rstate"), []string{
		fmt.Sprintf("%[1]s: {arm: {dead_man: none}, checks: [{topic: %[1]s/joints, rate: 40Hz}, {service: %[1]s/check}]}", m),
		fmt.Sprintf("/%s_2: {arm: {dead_man: none}}", u.movers.prefix),
		fmt.Sprintf("/%s_1: {arm: {dead_man: none}}", u.victim.prefix),
		fmt.Sprintf("/%s_1: {probe: 100ms}", u.still.prefix),
		fmt.Sprintf("/%[1]s_1: {probe: 100ms, checks: [{service: /%[1]s_1/check}]}", u.tester.prefix),
	}, u.movers)
	u.tried = u.causes()
	return u
}

// round causes each event once.
func (u *unfit) round() {
	for _, c := range u.tried {
		at := u.strikes(c.happens, c.over)
		took := last(at, disarmed(at, u.movers).begun)
		c.took = append(c.took, took)
		u.late(c.name, at, took, c.limit)
		c.over()
	}
}

// cause is an event that forbids staying armed.
type cause struct {
	name    string
	happens func() (at int64)
	over    func()
	limit   time.Duration
	took    series
}

// fast is the rate of the topic, whose check requires 40 Hz, and slow is half of the required rate.
const fast, slow = 50, 20

func (u *unfit) causes() []*cause {
	paced := func() { u.movers.pace(fast) }
	return []*cause{
		{name: "an armed node is killed", limit: safeLimit,
			happens: func() int64 { return u.movers.signal(u.victim.process, syscall.SIGKILL) },
			over: func() {
				u.victim = startDrivers(u.b, driverSpec{prefix: u.victim.prefix, count: 1, env: bed.ShortLease(u.b)})
			}},
		{name: "an armed node is suspended", limit: safeLimit,
			happens: func() int64 { return u.movers.signal(u.victim.process, syscall.SIGSTOP) },
			over:    func() { u.victim.process.Thaw() }},
		{name: "a probed node is suspended", limit: safeLimit,
			happens: func() int64 { return u.movers.signal(u.still.process, syscall.SIGSTOP) },
			over:    u.still.process.Thaw},
		{name: "another tool deactivates a node", limit: safeLimit,
			happens: func() int64 {
				u.tool.change("deactivate")
				return u.still.at("left", nil)
			}, over: func() {}},
		{name: "a check answers no", limit: checkedLimit,
			happens: func() int64 { return u.movers.check(false) }, over: func() { u.movers.check(true) }},
		{name: "a check does not answer", limit: silentLimit,
			happens: func() int64 { return u.tester.takes(0, time.Hour) }, over: func() { u.tester.takes(0, 0) }},
		{name: "a topic falls silent", limit: checkedLimit, happens: func() int64 { return u.movers.pace(0) },
			over: paced},
		{name: "a topic is too slow", limit: checkedLimit, happens: func() int64 { return u.movers.pace(slow) },
			over: paced},
	}
}

// BenchmarkAlone measures how long nodes stay armed when the coordinator is killed or suspended: a
// node that follows the lease, and one that does not and has a guard.
func BenchmarkAlone(b *testing.B) {
	c := newCaller(b)
	rigs := beside(b, times(b, "RSTATE_BENCH_RUNS", 10, 3), func() *aloneRig { return newAlone(b, c) },
		(*aloneRig).round)
	list := make([]row, 2*len(rigs[0].ends))
	unasked := 0
	for _, a := range rigs {
		unasked += a.unasked
		for i, e := range a.ends {
			for k, who := range []string{", the node follows the lease", ", a guard follows it"} {
				r := &list[2*i+k]
				r.name, r.limit, r.took = e.name+who, safeLimit, append(r.took, e.took[k]...)
			}
		}
	}
	rows(b, "From the coordinator's end to disarmed, in ms", unasked, list)
}

// aloneRig is the network of BenchmarkAlone: a node that follows the lease, one that does not, and
// its guard.
type aloneRig struct {
	*armedRig
	guard *bed.Process
	ends  []*daemonEnd
}

// daemonEnd is a way in which a coordinator ends or stops.
type daemonEnd struct {
	name   string
	signal syscall.Signal
	over   func()
	took   [2]series // for each of the nodes
}

// round ends the coordinator in each way, once.
func (a *aloneRig) round() {
	for _, e := range a.ends {
		a.held()
		at := a.all[0].signal(a.daemon.process, e.signal)
		if !a.stood(at) {
			e.over()
			continue
		}
		for k, d := range a.all {
			took := last(at, disarmed(at, d).begun)
			e.took[k] = append(e.took[k], took)
			a.late(e.name, at, took, safeLimit)
		}
		e.over()
	}
}

func newAlone(b *testing.B, c *caller) *aloneRig {
	b.Helper()
	name := bed.Unique(b, "rstate")
	leased := startDrivers(b, driverSpec{count: 1, coordinator: "/" + name})
	guarded := startDrivers(b, driverSpec{count: 1})
	r := newArmedRig(b, c, name, []string{
		fmt.Sprintf("/%s_1: {arm: {dead_man: lease}}", leased.prefix),
		fmt.Sprintf("/%s_1: {arm: {dead_man: none}}", guarded.prefix),
	}, leased, guarded)
	a := &aloneRig{armedRig: r, guard: bed.StartCommand(b, "guard",
		shipped([]string{binary(b), "guard", "--node", "/" + name, r.daemon.file}))}
	a.ends = []*daemonEnd{
		{name: "killed", signal: syscall.SIGKILL, over: func() { a.daemon.process.Kill(); a.daemon.start() }},
		{name: "stopped", signal: syscall.SIGSTOP, over: func() { a.daemon.process.Thaw() }},
	}
	return a
}

// held arms the network, and returns when the guard has received the lease.
func (a *aloneRig) held() {
	a.b.Helper()
	const heard = "a lease holds"
	before := strings.Count(a.guard.Log(), heard)
	a.arms()
	bed.Eventually(a.b, "the guard knows of the lease", func() (string, bool) {
		return a.guard.Log(), strings.Count(a.guard.Log(), heard) > before
	})
}
