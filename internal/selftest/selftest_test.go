//go:build ros

package selftest

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/internal/middleware"
	"rstate/test/bed"
	"rstate/test/shim"
)

func TestMain(m *testing.M) { os.Exit(bed.Main(m)) }

// newNode makes a node that is served from serve on.
func newNode(t *testing.T) (node *rclgo.Node, serve func()) {
	t.Helper()
	ctx, err := rclgo.NewContext(rclgo.ClockTypeROSTime, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ctx.Close() })
	if node, err = ctx.NewNode(bed.Unique(t, "tested"), ""); err != nil {
		t.Fatal(err)
	}
	return node, func() {
		spin, stop := context.WithCancel(context.Background())
		spun := make(chan struct{})
		go func() { defer close(spun); _ = ctx.Spin(spin) }()
		t.Cleanup(func() { stop(); <-spun })
	}
}

// want names the abilities that TestS10Abilities must find, for the process of a fault.
const want = "SELFTEST_WANT"

// TestS10Abilities: Fast DDS gives everything. Under a fault, the test program runs again.
func TestS10Abilities(t *testing.T) {
	node, serve := newNode(t)
	wanted := "Liveliness GIDs Processes ProcessIDs Requests"
	text, faulty := os.LookupEnv(want)
	if faulty {
		wanted = text
	}
	within := patient
	if !strings.Contains(wanted, "Liveliness") {
		within.event = usual.event
	}
	test, err := begin(node, within)
	if err != nil {
		t.Fatal(err)
	}
	if test.Abilities().Liveliness {
		t.Error("an event fires although nothing is served")
	}
	serve()
	<-test.Over()
	if missed := test.Missed(); missed != "" {
		t.Errorf("not found in time: %s", missed)
	}
	if !faulty && !strings.Contains(test.Abilities().Name, "fastrtps") {
		t.Skip("the middleware is another one: " + test.Abilities().String())
	}
	if got := given(test.Abilities()); got != wanted {
		t.Errorf("found %q, want %q", got, wanted)
	}
	if test.Eventless() == strings.Contains(wanted, "Liveliness") {
		t.Errorf("events are missing: %v", test.Eventless())
	}
	if err := test.Close(); err != nil {
		t.Error(err)
	}
	bed.Eventually(t, "nothing of the test is left", func() (string, bool) {
		topics, err := node.GetTopicNamesAndTypes(true)
		left := ""
		for topic := range topics {
			if strings.Contains(topic, "_self_test_") {
				left += topic
			}
		}
		return left, err == nil && left == ""
	})
}

// patient are limits that no stall of a test exceeds.
var patient = limits{message: bed.Deadline, event: bed.Deadline}

// TestS10AServedNodeIsTested: the event may fire at any moment of the test, also at the very first.
func TestS10AServedNodeIsTested(t *testing.T) {
	node, serve := newNode(t)
	serve()
	var tests []*Test
	for range 200 {
		test, err := begin(node, patient)
		if err != nil {
			t.Fatal(err)
		}
		tests = append(tests, test)
	}
	for k, test := range tests {
		<-test.Over()
		if found, first := given(test.Abilities()), given(tests[0].Abilities()); found != first || test.Eventless() {
			t.Errorf("test %d found %q, and the first %q", k+1, found, first)
		}
		if err := test.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestS10WhatRunsOutCountsAsMissing: a test whose own message does not come in time says so.
func TestS10WhatRunsOutCountsAsMissing(t *testing.T) {
	node, _ := newNode(t)
	test, err := begin(node, limits{})
	if err != nil {
		t.Fatal(err)
	}
	if test.Abilities().GIDs || !strings.Contains(test.Missed(), "its own message") {
		t.Errorf("found %q, and missed %q", given(test.Abilities()), test.Missed())
	}
	if <-test.Over(); !test.Eventless() {
		t.Error("events count although none told of a loss")
	}
	if err := test.Close(); err != nil {
		t.Error(err)
	}
}

func given(a middleware.Abilities) string {
	var list []string
	for _, one := range []struct {
		name string
		has  bool
	}{{"Liveliness", a.Liveliness}, {"GIDs", a.GIDs}, {"Processes", a.Processes}, {"ProcessIDs", a.ProcessIDs},
		{"Requests", a.Requests}} {
		if one.has {
			list = append(list, one.name)
		}
	}
	return strings.Join(list, " ")
}

func TestS10EachFaultIsFound(t *testing.T) {
	library, err := shim.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for fault, wanted := range map[string]string{
		"no_events": "GIDs Processes ProcessIDs Requests", "silent_events": "GIDs Processes ProcessIDs Requests",
		"lying_events":    "GIDs Processes ProcessIDs Requests",
		"half_events":     "GIDs Processes ProcessIDs Requests",
		"scattered_gids":  "Liveliness GIDs Requests",
		"other_gids":      "Liveliness Processes ProcessIDs Requests",
		"hidden_requests": "Liveliness GIDs Processes ProcessIDs",
		"take_401":        "Liveliness GIDs Processes ProcessIDs Requests",
		"all":             "Processes ProcessIDs",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Setenv(want, wanted)
			shim.Again(t, library, []string{"TestS10Abilities"}, fault)
		})
	}
}
