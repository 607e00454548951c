package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"rstate/internal/doctor"
)

// pair is two instances in accord, of which the first requires the second.
func pair() doctor.Circle {
	one := func(name, id string, nodes ...string) doctor.Instance {
		return doctor.Instance{Name: name, Instance: id, Alive: true, Age: 300 * time.Millisecond, State: "active",
			Settled: true, Intact: true, Common: "active",
			Seen: map[string]uint64{"1": 2}, Machine: "rstate", Hash: "aaaa", Nodes: nodes}
	}
	c := doctor.Circle{Simulation: "duo",
		Instances: []doctor.Instance{one("/arm/rstate", "2", "/driver"), one("/base/rstate", "1", "/lidar")}}
	c.Instances[1].Requires = []string{"/arm/rstate"}
	return c
}

func TestPeersTable(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*doctor.Circle)
		asked  string
		sights []sight
		ok     bool
		want   []string
	}{
		"in accord, as one of them sees it": {func(*doctor.Circle) {}, "/base/rstate",
			[]sight{{"/arm/rstate", true, 80 * time.Millisecond}}, true, []string{
				"simulation duo: 2 instances\n",
				"  /arm/rstate   active  active           2 of 2  80ms  now    required by /base/rstate\n",
				"  /base/rstate  active  active           2 of 2  -     now    asked\n",
				"  /base/rstate drives /lidar\n", "all have seen the same changes"}},
		"no daemon was asked": {func(*doctor.Circle) {}, "", nil, true,
			[]string{"  /base/rstate  active  active           2 of 2  -    now    \n"}},
		"the daemon that was asked does not hear the other": {func(*doctor.Circle) {}, "/base/rstate",
			[]sight{{"/arm/rstate", false, -1}}, false,
			[]string{"\nfault: /base/rstate does not hear /arm/rstate\n  seen: "}},
		"a required one is not there": {func(c *doctor.Circle) { c.Instances = c.Instances[1:] }, "", nil, false,
			[]string{
				"simulation duo: 1 instance\n",
				"  /arm/rstate   not there  -                -       -    never  required by /base/rstate\n",
				"\nfault: /arm/rstate is required and not there\n"}},
		"split brain": {func(c *doctor.Circle) { c.Instances[0].Seen = map[string]uint64{"2": 1} }, "", nil, false,
			[]string{
				"1 of 3", "2 of 3", "\nfault: split brain: /arm/rstate and /base/rstate have changes that the other has not seen\n"}},
		"a node of two": {func(c *doctor.Circle) { c.Instances[0].Nodes = []string{"/lidar"} }, "", nil, false,
			[]string{
				"\nfault: /lidar is driven by /arm/rstate and /base/rstate\n"}},
		"diverged": {func(c *doctor.Circle) {
			i := &c.Instances[0]
			i.State, i.Behind, i.Cause, i.Age = "inactive", true, "/driver refused", 3*time.Second
		}, "", nil, false, []string{"inactive, behind", "3s ago", "; /driver refused\n",
			"\nfault: diverged: /arm/rstate is inactive, /base/rstate is active\n"}},
		"at work, armed and ending": {func(c *doctor.Circle) {
			i := &c.Instances[1]
			i.State, i.Settled, i.Intact, i.Leaving, i.MayBeArmed = "disarming", false, false, true, []string{"/lidar"}
		}, "", nil, true, []string{"disarming, at work, not intact, ends", "armed: /lidar"}},
		"what a terminal must not see": {func(c *doctor.Circle) { c.Instances[0].Name = "/\x1b[2J" }, "", nil, false,
			[]string{"/"}},
		"nobody": {func(c *doctor.Circle) { c.Instances = nil }, "", nil, true,
			[]string{"simulation duo: no instance is heard\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			heard := pair()
			c.change(&heard)
			view := circleOf(heard, c.asked, c.sights)
			var out bytes.Buffer
			printCircle(&out, view)
			if view.OK != c.ok {
				t.Errorf("ok is %v", view.OK)
			}
			for _, part := range c.want {
				if !strings.Contains(out.String(), part) {
					t.Errorf("%q is not in\n%s", part, out.String())
				}
			}
			if strings.Contains(out.String(), "\x1b") {
				t.Errorf("it is not clean: %q", out.String())
			}
		})
	}
}

func TestPeersForPrograms(t *testing.T) {
	var out bytes.Buffer
	if err := printAs(&out, asJSON, circleOf(pair(), "/base/rstate",
		[]sight{{"/arm/rstate", true, 80 * time.Millisecond}})); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Simulation string
		OK         bool
		Instances  []struct {
			Name       string
			InstanceID string `json:"instance_id"`
			State      string
			Common     string
			Seen       map[string]int
			Heard, Lag string
			RequiredBy []string `json:"required_by"`
			Asked      bool
		}
		Findings []any
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	arm := got.Instances[0]
	if got.Simulation != "duo" || !got.OK || len(got.Instances) != 2 || got.Findings == nil ||
		arm.Name != "/arm/rstate" || arm.InstanceID != "2" ||
		arm.State != "active" || arm.Common != "active" || arm.Seen["1"] != 2 || arm.Heard != "300ms" ||
		arm.Lag != "80ms" || len(arm.RequiredBy) != 1 || arm.Asked {
		t.Errorf("got %s", out.String())
	}
}
