package bond

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

const ms = time.Millisecond

var timing = Usual(100*ms, 4*time.Second)

// TestB3ABondLivesAsBondcpp tells the life of one bond, line by line: the time in milliseconds, what happens, and what is
// published (+ for a heartbeat, - for a farewell), the state and the cause after it.
func TestB3ABondLivesAsBondcpp(t *testing.T) {
	for name, story := range map[string]string{
		"formed, and ended by us": `
			0 tick +: waiting for sister
			50 alive: alive
			100 tick +: alive
			200 tick +: alive
			250 end -: awaiting death
			260 tick: awaiting death
			300 tick -: awaiting death
			310 alive: awaiting death
			320 dead: dead, this side ended the bond
			400 tick: dead, this side ended the bond`,
		"an end that the sister does not confirm": `
			0 alive: alive
			0 end -: awaiting death
			1999 tick -: awaiting death
			2000 tick: dead, this side ended the bond`,
		"ended before it formed": `
			0 tick +: waiting for sister
			10 end -: dead, this side ended the bond`,
		"never formed": `
			0 tick +: waiting for sister
			9999 tick +: waiting for sister
			10000 tick: dead, the other side did not appear
			10001 alive: dead, the other side did not appear`,
		"the heartbeats cease": `
			10 alive: alive
			2000 alive: alive
			5999 tick +: alive
			6000 tick: dead, the heartbeats ceased`,
		"the sister ends it": `
			10 alive: alive
			20 dead -: dead, the other side ended the bond
			30 tick: dead, the other side ended the bond`,
		"the other side ends before its first heartbeat": `
			10 dead -: dead, the other side ended the bond`,
		"another process takes the sister's place": `
			10 alive: alive
			20 alive2: alive
			30 dead: alive
			40 dead2 -: dead, the other side ended the bond`,
		"messages of ours and of other bonds mean nothing": `
			10 own: waiting for sister
			20 other: waiting for sister`,
		"messages that were missed are not made up for": `
			0 tick +: waiting for sister
			5000 tick +: waiting for sister
			5001 tick: waiting for sister
			5100 tick +: waiting for sister`,
	} {
		t.Run(name, func(t *testing.T) {
			b := New("lidar", "us", timing, 0, 0)
			for _, line := range strings.Split(strings.TrimSpace(story), "\n") {
				line = strings.TrimSpace(line)
				var at int
				var what string
				if _, err := fmt.Sscan(line, &at, &what); err != nil {
					t.Fatal(err)
				}
				now := time.Duration(at) * ms
				out := happens(t, b, strings.TrimSuffix(what, ":"), now)
				told := fmt.Sprintf("%d %s", at, strings.TrimSuffix(what, ":"))
				if out != "" {
					told += " " + out
				}
				told += ": " + string(b.State())
				if b.State() == Dead {
					told += ", " + string(b.Cause())
				}
				if told != line {
					t.Errorf("got  %s\nwant %s", told, line)
				}
			}
		})
	}
}

// happens does what a word says, and returns what is published.
func happens(t *testing.T, b *Bond, what string, now time.Duration) (out string) {
	t.Helper()
	heard := map[string]Status{
		"alive": {"lidar", "sister", true}, "dead": {"lidar", "sister", false}, "alive2": {"lidar", "heir", true},
		"dead2": {"lidar", "heir", false}, "own": {"lidar", "us", true}, "other": {"camera", "it", true},
	}
	var sent []Status
	switch m, is := heard[what]; {
	case is:
		sent = b.Hear(m, now)
	case what == "tick":
		sent = b.Tick(now)
	case what == "end":
		sent = b.End(now)
	default:
		t.Fatalf("there is no word %q", what)
	}
	for _, m := range sent {
		if m.ID != "lidar" || m.Instance != "us" {
			t.Errorf("it publishes %+v", m)
		}
		out += map[bool]string{true: "+", false: "-"}[m.Active]
	}
	return out
}

// robot is a table of many bonds in a world of made-up time, with a sister for each.
type robot struct {
	t      *testing.T
	table  *Table
	now    time.Duration
	ids    map[string]bool
	silent map[string]bool // sisters that have died
	events map[string]Event
	lowers bool // the network is being lowered
	sent   int
	burst  int // messages that one Tick has published, at most
}

func newRobot(t *testing.T, nodes int) *robot {
	r := &robot{t: t, ids: map[string]bool{}, silent: map[string]bool{}, events: map[string]Event{}}
	r.table = NewTable(timing, "us")
	for i := range nodes {
		r.ids[fmt.Sprint("node_", i)] = true
	}
	r.take(r.table.Want(r.ids, 0))
	return r
}

func (r *robot) take(out []Status) { r.sent += len(out) }

// run lets time pass, in steps of 10 ms. Each sister publishes every 100 ms.
func (r *robot) run(until time.Duration) {
	for ; r.now < until; r.now += 10 * ms {
		if r.now%(100*ms) == 0 {
			for id := range r.ids {
				if !r.silent[id] {
					r.take(r.table.Hear(Status{id, "sister of " + id, true}, r.now))
				}
			}
		}
		if r.lowers {
			r.table.Excuse(r.now)
		}
		out, events := r.table.Tick(r.now)
		r.take(out)
		r.burst = max(r.burst, len(out))
		for _, e := range events {
			r.events[e.ID] = e
		}
	}
}

// broken lists the bonds that are dead.
func (r *robot) broken() (list []string) {
	for id, e := range r.events {
		if e.State == Dead {
			list = append(list, id)
		}
	}
	return list
}

// TestB3TwoHundredBondsHold for a minute, with as many heartbeats as their period asks for and never many at once.
func TestB3TwoHundredBondsHold(t *testing.T) {
	r := newRobot(t, 200)
	r.run(time.Minute)
	if list := r.broken(); len(list) > 0 || len(r.events) != 200 {
		t.Errorf("%d bonds have formed, and broken are %v", len(r.events), list)
	}
	if want := 200 * 600; r.sent < want-200 || r.sent > want+200 {
		t.Errorf("%d heartbeats were sent, want %d", r.sent, want)
	}
	if r.burst > 50 {
		t.Errorf("%d heartbeats are sent at once", r.burst)
	}
}

// TestB4SilenceBreaksOneBond and no other.
func TestB4SilenceBreaksOneBond(t *testing.T) {
	r := newRobot(t, 20)
	r.run(10 * time.Second)
	r.silent["node_7"] = true
	r.run(13900 * ms)
	if list := r.broken(); len(list) > 0 {
		t.Errorf("broken too early: %v", list)
	}
	r.run(14100 * ms)
	if e := r.events["node_7"]; len(r.broken()) != 1 || e.Cause != Silence {
		t.Errorf("broken are %v, %+v", r.broken(), e)
	}
}

// TestB4SilenceWhileTheNetworkIsLowered breaks no bond before that ends. Then a node that is still silent is lost: it may
// have died meanwhile.
func TestB4SilenceWhileTheNetworkIsLowered(t *testing.T) {
	r := newRobot(t, 4)
	r.run(10 * time.Second)
	r.lowers = true
	r.silent["node_0"], r.silent["node_1"], r.silent["node_2"] = true, true, true
	r.run(19 * time.Second)
	if list := r.broken(); len(list) > 0 {
		t.Fatalf("broken while the network is lowered: %v", list)
	}
	delete(r.ids, "node_2") // it is down
	r.take(r.table.Want(r.ids, r.now))
	r.lowers, r.silent["node_1"] = false, false
	r.run(20 * time.Second)
	if list := r.broken(); len(list) > 0 {
		t.Fatalf("broken before a node can be heard: %v", list)
	}
	r.run(30 * time.Second)
	if e := r.events["node_0"]; !slices.Equal(r.broken(), []string{"node_0"}) || e.Cause != Silence {
		t.Errorf("broken are %v, %+v", r.broken(), e)
	}
}

// TestB4APauseOfOursBreaksNoBond: heartbeats that came while this process did not run are heard after it goes on.
func TestB4APauseOfOursBreaksNoBond(t *testing.T) {
	r := newRobot(t, 5)
	r.run(10 * time.Second)
	r.now += time.Minute
	out, events := r.table.Tick(r.now)
	if r.take(out); len(events) > 0 {
		t.Fatalf("after a pause: %+v", events)
	}
	r.run(r.now + 10*time.Second)
	if list := r.broken(); len(list) > 0 {
		t.Errorf("broken: %v", list)
	}
}

// TestB4AShortTimeoutOutlastsAPauseOfOurs: a pause that is shorter than half a second, and longer than the timeout.
func TestB4AShortTimeoutOutlastsAPauseOfOurs(t *testing.T) {
	const timeout = 400 * ms
	table := NewTable(Usual(100*ms, timeout), "us")
	table.Want(map[string]bool{"lidar": true}, 0)
	now := time.Duration(0)
	lives := func(until time.Duration, sister bool) (broken []Event) {
		for ; now < until; now += 10 * ms {
			if sister {
				table.Hear(Status{"lidar", "sister", true}, now)
			}
			_, events := table.Tick(now)
			broken = append(broken, slices.DeleteFunc(events, func(e Event) bool { return e.State != Dead })...)
		}
		return broken
	}
	broken := lives(time.Second, true)
	now += 450 * ms
	if broken = append(broken, lives(now+10*ms, false)...); len(broken) > 0 {
		t.Fatalf("after a pause: %+v", broken)
	}
	if broken = lives(now+2*timeout, false); len(broken) != 1 || broken[0].Cause != Silence {
		t.Errorf("a sister that is silent after the pause: %+v", broken)
	}
}

// TestB3BondsFollowTheNodes: a node that is not active has no bond, and one that comes back gets a new one.
func TestB3BondsFollowTheNodes(t *testing.T) {
	r := newRobot(t, 2)
	r.run(time.Second)
	out := r.table.Want(map[string]bool{"node_1": true}, r.now)
	if len(out) != 1 || out[0].ID != "node_0" || out[0].Active {
		t.Fatalf("a node that goes down gets %+v", out)
	}
	first := out[0].Instance
	if out, _ = r.table.Tick(r.now + 50*ms); len(out) == 0 || out[0].ID == "node_0" && out[0].Active {
		t.Errorf("the farewell is not repeated: %+v", out)
	}
	r.table.Hear(Status{"node_0", "sister of node_0", false}, r.now)
	r.table.Want(r.ids, r.now)
	found := false
	for range 20 {
		r.now += 10 * ms
		out, _ := r.table.Tick(r.now)
		for _, m := range out {
			found = found || m.ID == "node_0" && m.Active && m.Instance != first
		}
	}
	if !found {
		t.Error("a node that is active again gets no new bond")
	}
}

// TestB3AFarewellOfOursEndsNoOtherBond: what this side says comes back on the shared topic, also after the node has bonded
// anew.
func TestB3AFarewellOfOursEndsNoOtherBond(t *testing.T) {
	r := newRobot(t, 2)
	r.run(time.Second)
	farewells := r.table.Want(map[string]bool{"node_1": true}, r.now)
	r.table.Want(r.ids, r.now)
	if len(farewells) != 1 {
		t.Fatalf("a node that goes down gets %+v", farewells)
	}
	if out := r.table.Hear(farewells[0], r.now); len(out) > 0 {
		t.Errorf("a farewell of ours is answered: %+v", out)
	}
	r.run(r.now + 10*time.Second)
	if e := r.events["node_0"]; e.State != Alive {
		t.Errorf("the new bond is %q: %s", e.State, e.Cause)
	}
}
