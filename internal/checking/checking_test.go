package checking

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/network"
)

const ms = time.Millisecond

func number(n float64) *float64 { return &n }

func value(n float64) network.Scalar { return network.Number(n) }

func text(s string) network.Scalar { return network.Text(s) }

func truth(b bool) network.Scalar { return network.Truth(b) }

// take is a sample, and when it came.
type take struct {
	at time.Duration
	Sample
}

// TestA11Kinds: what each kind of check says of what was measured, at a moment.
func TestA11Kinds(t *testing.T) {
	age := network.Check{Topic: "/gps", Age: 200 * ms}
	battery := network.Check{Topic: "/battery", Field: "percentage", Age: time.Second,
		Bound: network.Bound{Above: number(0.2)}}
	speed := network.Check{Parameter: "max_speed", Bound: network.Bound{Above: number(0), Below: number(2)}}
	mode := network.Check{Parameter: "mode", Bound: network.Bound{Is: &network.Scalar{Kind: network.TextScalar, Text: "auto"}}}
	door := network.Check{Parameter: "door", Bound: network.Bound{Is: &network.Scalar{Kind: network.TruthScalar}}}
	file := network.Check{File: "/run/calibrated"}
	service := network.Check{Service: "/test"}
	for _, r := range []struct {
		name  string
		check network.Check
		takes []take
		at    time.Duration
		known bool
		fault string // is part of the fault; empty: it passes
		value string
	}{
		{"an age of which nothing is known", age, nil, 0, false, "looked for", ""},
		{"a message that is new", age, []take{{100 * ms, Sample{Age: 50 * ms}}}, 150 * ms, true, "", "100ms old of 200ms"},
		{"one that becomes old without a sample", age, []take{{100 * ms, Sample{Age: 50 * ms}}}, 301 * ms, true,
			"came last 250ms ago, and may be 200ms old", ""},
		{"one that is just not too old", age, []take{{100 * ms, Sample{Age: 200 * ms}}}, 100 * ms, true, "", ""},
		{"one that is just too old", age, []take{{100 * ms, Sample{Age: 201 * ms}}}, 100 * ms, true, "came last 200ms ago", ""},
		{"one before the next sample, for a short age", network.Check{Topic: "/gps", Age: 20 * ms},
			[]take{{100 * ms, Sample{Age: 5 * ms}}}, 200 * ms, true, "", ""},
		{"samples that do not come any more", network.Check{Topic: "/gps", Age: time.Minute},
			[]take{{0, Sample{}}}, 1100 * ms, true, "was counted last 1.1s ago", ""},
		{"no message yet", age, []take{{0, Sample{Age: -1}}}, 100 * ms, false, "has not come yet", ""},
		{"no message in the age", age, []take{{0, Sample{Age: -1}}, {200 * ms, Sample{Age: -1}}}, 201 * ms, true,
			"has not come yet; its newest message may be 200ms old", ""},
		{"no publisher", age, []take{{0, Sample{Age: -1, Fault: "has no publisher"}}}, 0, true, "has no publisher", ""},
		{"a field within its bound", battery, []take{{0, Sample{Value: value(0.83)}}}, 0, true, "", "0.83, above 0.2"},
		{"one at its bound", battery, []take{{0, Sample{Value: value(0.2)}}}, 0, true, "is now 0.2, not above 0.2", ""},
		{"no number", battery, []take{{0, Sample{Value: value(math.NaN())}}}, 0, true, "no number (NaN)", ""},
		{"infinite", battery, []take{{0, Sample{Value: value(math.Inf(1))}}}, 0, true, "", ""},
		{"of another kind", battery, []take{{0, Sample{Value: text("full")}}}, 0, true,
			"is a text, and the network file compares it with a number; correct the network file", ""},
		{"without a value", battery, []take{{0, Sample{}}}, 0, true, "is without a value", ""},
		{"a good field in an old message", battery, []take{{0, Sample{Value: value(0.83)}},
			{1001 * ms, Sample{Age: 1001 * ms, Value: value(0.83)}}}, 1001 * ms, true, "came last 1s ago", ""},
		{"a field that is not there", battery, []take{{0, Sample{Fault: "has no field percentage"}}}, 0, true,
			"has no field percentage", ""},
		{"a parameter in a range", speed, []take{{0, Sample{Value: value(1)}}}, time.Hour, true, "", "1, above 0 and below 2"},
		{"below it", speed, []take{{0, Sample{Value: value(0)}}}, 0, true, "is now 0, not above 0 and below 2", ""},
		{"above it", speed, []take{{0, Sample{Value: value(2)}}}, 0, true, "is now 2, not above 0 and below 2", ""},
		{"not asked yet", speed, nil, 0, false, "has not answered yet", ""},
		{"not set", speed, []take{{0, Sample{Fault: "is not set"}}}, 0, true, "is not set", ""},
		{"a text", mode, []take{{0, Sample{Value: text("auto")}}}, 0, true, "", `"auto", "auto"`},
		{"another text", mode, []take{{0, Sample{Value: text("manual")}}}, 0, true, `is now "manual", not "auto"`, ""},
		{"a truth value", door, []take{{0, Sample{Value: truth(false)}}}, 0, true, "", ""},
		{"the other one", door, []take{{0, Sample{Value: truth(true)}}}, 0, true, "is now true, not false", ""},
		{"a number for a truth value", door, []take{{0, Sample{Value: value(0)}}}, 0, true,
			"is a number, and the network file compares it with true or false", ""},
		{"a file", file, []take{{0, Sample{}}}, 0, true, "", "exists"},
		{"no file", file, []take{{0, Sample{Fault: "does not exist"}}}, 0, true, "does not exist", ""},
		{"a service", service, []take{{0, Sample{}}}, 0, true, "", "answers yes"},
		{"a service that says no", service, []take{{0, Sample{Fault: "answered no"}}}, 0, true, "answered no", ""},
	} {
		t.Run(r.name, func(t *testing.T) {
			g := Of(&r.check)
			for _, s := range r.takes {
				s.Every = 100 * ms
				g.Take(s.Sample, Moment{s.at, s.at})
			}
			v := g.Judge(r.at)
			if v.Known != r.known || (v.Fault == "") != (r.fault == "") || !strings.Contains(v.Fault, r.fault) ||
				r.value != "" && v.Value != r.value {
				t.Errorf("it says %+v", v)
			}
			if again := g.Clone().Judge(r.at); again != v {
				t.Errorf("a clone says %+v, not %+v", again, v)
			}
			g.Restart()
			if v := g.Judge(r.at); v.Known && r.check.Kind() != network.CheckRate {
				t.Errorf("after a restart it is known: %+v", v)
			}
		})
	}
}

// TestA1Rates: a rate is known after a second or four periods, and passes at four fifths.
func TestA1Rates(t *testing.T) {
	for _, r := range []struct {
		name         string
		wanted, real float64 // Hz
		known        time.Duration
		passes       bool
	}{
		{"as wanted", 10, 10, time.Second, true},
		{"a little slower", 10, 8.5, time.Second, true},
		{"too slow", 50, 35, time.Second, false},
		{"a slow topic", 1, 1, 4 * time.Second, true},
		{"one that does not come", 1, 0, 4 * time.Second, false},
	} {
		t.Run(r.name, func(t *testing.T) {
			g := Of(&network.Check{Topic: "/x", Rate: r.wanted})
			known := time.Duration(-1)
			for at := time.Duration(0); at <= 2*r.known; at += 100 * ms {
				g.Take(Sample{Count: uint64(r.real * at.Seconds())}, Moment{at, at})
				if g.Judge(at).Known && known < 0 {
					known = at
				}
			}
			if v := g.Judge(2 * r.known); known != r.known || (v.Fault == "") != r.passes || v.Value == "" {
				t.Errorf("known after %v, and then %+v", known, v)
			}
			if v := g.Judge(2*r.known + countStale + 1); v.Fault == "" || g.Due() != 2*r.known+countStale+1 {
				t.Errorf("without samples it passes for ever; it is due at %v", g.Due())
			}
		})
	}
}

// TestDue: between two samples a check changes its word at Due, and not before.
func TestDue(t *testing.T) {
	for _, c := range []network.Check{{Topic: "/x", Age: 200 * ms}, {Topic: "/x", Age: 3 * time.Second},
		{Topic: "/x", Rate: 10}, {Topic: "/x", Field: "y", Age: 300 * ms, Bound: network.Bound{Above: number(0)}}} {
		for _, s := range []Sample{{Value: value(1)}, {Age: 150 * ms, Value: value(1)}, {Age: -1}, {Fault: "no"}} {
			g := Of(&c)
			s.Every = 100 * ms
			for at := time.Duration(0); at <= 1500*ms; at += 100 * ms {
				g.Take(s, Moment{at, at})
			}
			due, now := g.Due(), 1500*ms
			if due <= now {
				t.Fatalf("%+v of %+v is due at %v", c, s, due)
			}
			same := func(at time.Duration) bool {
				was, is := g.Judge(now), g.Judge(at)
				return was.Known == is.Known && (was.Fault == "") == (is.Fault == "")
			}
			if !same(due - 1) {
				t.Errorf("%+v of %+v changes before %v", c, s, due)
			}
			if s.Fault == "" && s.Age >= 0 && c.Rate == 0 && same(due) {
				t.Errorf("%+v of %+v does not change at %v", c, s, due)
			}
		}
	}
}

// TestCloneIsApart: what a clone takes does not change the original.
func TestCloneIsApart(t *testing.T) {
	g := Of(&network.Check{Topic: "/x", Rate: 10})
	for k := range 20 {
		at := time.Duration(k) * 100 * ms
		g.Take(Sample{Count: uint64(k)}, Moment{at, at})
	}
	before, c := g.Judge(1900*ms), g.Clone()
	for k := range 20 {
		at := 1900*ms + time.Duration(k)*100*ms
		c.Take(Sample{Count: 20}, Moment{at, at})
	}
	if after := g.Judge(1900 * ms); after != before || c.Judge(3800*ms).Fault == "" {
		t.Errorf("%+v became %+v, and the clone says %+v", before, after, c.Judge(3800*ms))
	}
}

// TestUnmeasured: a text that is compared holds no number that changes with each look (V10).
func TestUnmeasured(t *testing.T) {
	var words []string
	for _, text := range []string{"/x comes at 3 Hz, not 10 Hz", "/x comes at 3.1 Hz, not 10 Hz", "/x came last 2s ago, and may be 1s old",
		"/x came last 3s ago, and may be 1s old", "/x y is now 4, not above 5", "/x y is now 4.5, not above 5", "/x has no publisher"} {
		words = append(words, Unmeasured(text))
	}
	if got := slices.Compact(words); len(got) != 4 {
		t.Errorf("%q", got)
	}
}

// TestEveryKindHasAdvice: a check that does not pass says what to do.
func TestEveryKindHasAdvice(t *testing.T) {
	for _, c := range []network.Check{{Topic: "/x", Rate: 1}, {Topic: "/x", Age: 1}, {Topic: "/x", Field: "y"}, {Service: "/x"},
		{Parameter: "x"}, {File: "/x"}} {
		if Advice(&c, "/n") == "" {
			t.Errorf("%+v has none", c)
		}
	}
}
