package grant

import (
	"strings"
	"testing"
	"time"
)

// day is a day of a coordinator: moments in seconds since its start, by its steady clock.
type day struct {
	r   Register
	off time.Duration // what the wall clock is ahead
}

var midnight = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func wall(s float64) time.Time { return midnight.Add(seconds(s)) }

func (d *day) look(at float64) {
	d.r.Look(Moment{Steady: seconds(at), Wall: wall(at).Add(d.off)})
}

// TestA1AnArmRestsOnWhatItsClientSaw: each row is a day. "end 5" ends the era, "set 6 -3600" sets the wall clock
// by so many seconds, "drift 6 -0.004" slews it, and "look 7" is a step without any of it. The request arrives
// at 100 s, unless the row says otherwise.
func TestA1AnArmRestsOnWhatItsClientSaw(t *testing.T) {
	here := func(sent float64) Basis { return Basis{Sent: wall(sent), Here: true} }
	type event struct {
		what   string
		at, by float64
	}
	end := func(at float64) event { return event{what: "end", at: at} }
	set := func(at, by float64) event { return event{"set", at, by} }
	for name, c := range map[string]struct {
		day  []event
		b    Basis
		at   float64 // when it arrives; 0: 100 s
		want string  // in the reason; empty: it may arm
	}{
		"nothing at all":             {b: Basis{}, want: "not known to be on this host"},
		"the present seen":           {b: Basis{Seen: "r/1"}},
		"the present seen from afar": {day: []event{end(5)}, b: Basis{Seen: "r/2"}},
		"a seen of an earlier era": {day: []event{end(5)}, b: Basis{Seen: "r/1"},
			want: "since you looked: era ended"},
		"a seen of a later era":    {day: []event{end(5)}, b: Basis{Seen: "r/3"}, want: "since you looked"},
		"a seen of an earlier run": {b: Basis{Seen: "q/1"}, want: "rstate was started again"},
		"no seen of any network":   {b: Basis{Seen: "r/9"}, want: "not one of this network"},
		"an old seen, sent since": {day: []event{end(5)}, b: Basis{Seen: "r/1", Sent: wall(99), Here: true},
			want: "since you looked"},
		"sent since, here": {day: []event{end(5)}, b: here(6)},
		"sent since, elsewhere": {day: []event{end(5)}, b: Basis{Sent: wall(6)},
			want: "not known to be on this host"},
		"sent before, here": {day: []event{end(5)}, b: here(4.999),
			want: "was sent before the newest disarm, stop or other change: era ended"},
		"sent at the end":         {day: []event{end(5)}, b: here(5), want: "was sent before"},
		"between two ends":        {day: []event{end(5), end(9)}, b: here(7), want: "was sent before"},
		"sent at an unknown time": {b: Basis{Here: true}, want: "does not know when"},
		"before any era ended":    {b: here(1)},
		"before the start":        {b: here(-1), want: "before rstate was started"},
		"from the future":         {b: here(101), want: "in the future"},
		"set back since the end": {day: []event{end(5), set(6, -3600)}, b: here(7 - 3600),
			want: "was sent before"},
		"set back a little since": {day: []event{end(5), set(6, -1)}, b: here(7),
			want: "clock of this host was set"},
		"set forward since the end": {day: []event{end(5), set(6, 3600)}, b: here(7 + 3600),
			want: "clock of this host was set"},
		"sent, set back, ended": {day: []event{set(50, -10), end(51)}, b: here(49),
			want: "clock of this host was set"},
		"set long before the end":    {day: []event{set(5, -10), end(51)}, b: here(49)},
		"sent, set far back, ended":  {day: []event{set(50, -3600), end(51)}, b: here(49), want: "in the future"},
		"set before the last minute": {day: []event{set(39, 10), end(51)}, b: here(75)},
		"set within the last minute": {day: []event{set(41, 10), end(51)}, b: here(75),
			want: "clock of this host was set"},
		"set in the step of the end": {day: []event{{"set and end", 20, 10}}, b: here(75)},
		"slewed for a day":           {day: []event{end(5), {"drift", 86400, 40}}, b: here(86400 + 41), at: 86400 + 1},
		"slewed in steps": {day: []event{end(5), {"drift", 30, .015}, {"drift", 60, .015}, {"drift", 90, .015}},
			b: here(91)},
		"set by little, often": {day: []event{end(5), set(30, .02), set(30.1, .02)}, b: here(91),
			want: "clock of this host was set"},
		"noise of readings": {day: []event{end(5), {"drift", 6, .004}, {"drift", 6.1, -.004}}, b: here(91)},
		"a machine that was suspended": {day: []event{end(5), set(50, 600)}, b: here(660),
			want: "clock of this host was set"},
	} {
		d := day{}
		d.look(0)
		for _, e := range c.day {
			d.off += seconds(e.by)
			d.look(e.at)
			if strings.Contains(e.what, "end") {
				d.r.End("era ended")
			}
		}
		if c.at == 0 {
			c.at = 100
		}
		d.look(c.at)
		got := d.r.Outdated("r", c.b)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestA1SeenChangesWithTheEra and with the run.
func TestA1SeenChangesWithTheEra(t *testing.T) {
	var r Register
	first := r.Seen("a")
	r.End("era ended")
	if second := r.Seen("a"); first == second || second == r.Seen("b") {
		t.Errorf("%s, then %s, of another run %s", first, second, r.Seen("b"))
	}
}

// TestA1WithoutAClockNoTimeIsKnown: a register that was never told the time compares none.
func TestA1WithoutAClockNoTimeIsKnown(t *testing.T) {
	var r Register
	if why := r.Outdated("r", Basis{Sent: midnight, Here: true}); why == "" {
		t.Error("it may arm")
	}
}
