package rclgo_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo"
)

// open makes a spun node that serves its parameters and describes its types.
func openNode(t *testing.T) *rclgo.Node {
	t.Helper()
	opts := rclgo.NewDefaultNodeOptions()
	opts.StartParameterServices, opts.StartTypeDescriptionService = true, true
	n := must[*rclgo.Node](t)(newContext(t).NewNodeWithOpts(unique("open"), "/t", opts))
	spin(t, n.Spin)
	return n
}

// parameterClient is rclpy's client of the parameters of a node.
type parameterClient struct {
	*host
	id string
}

func rclpyClientOf(t *testing.T, n *rclgo.Node) *parameterClient {
	t.Helper()
	c := &parameterClient{pyhost(t), unique("parameters")}
	until(t, c.do(t, "parameters", c.id, map[string]any{"node": n.FullyQualifiedName()}), "done")
	return c
}

// ask returns the answer of a service.
func (c *parameterClient) ask(t *testing.T, do string, args map[string]any) any {
	t.Helper()
	cmd := map[string]any{"client": c.id, "do": do}
	for k, v := range args {
		cmd[k] = v
	}
	return until(t, c.do(t, "ask", unique("ask"), cmd), "answered").Msg["answer"]
}

// result returns the result of one set.
func result(t *testing.T, answer any) (ok bool, reason string) {
	t.Helper()
	m, isMap := answer.(map[string]any)
	if !isMap {
		t.Fatalf("answer %v", answer)
	}
	return m["successful"].(bool), m["reason"].(string)
}

func names(list ...string) map[string]any { return map[string]any{"names": list} }

func TestRclpyReadsParameters(t *testing.T) {
	n := openNode(t)
	for name, v := range map[string]any{
		"flag": true, "count": 5, "rate": 2.5, "label": "grüße", "raw": []byte{0, 255},
		"flags": []bool{true, false}, "counts": []int64{1, -2}, "rates": []float64{0.5}, "labels": []string{"a", ""},
		"camera.left.rate": 1, "camera.right.rate": 2, "camera.on": true,
	} {
		must[any](t)(n.Parameters().Declare(name, v, nil))
	}
	must[any](t)(n.Parameters().Declare("nothing", nil, &descriptor{Type: rclgo.ParameterString}))
	c := rclpyClientOf(t, n)

	for _, tc := range []struct {
		name string
		do   string
		args map[string]any
		want []any
	}{
		{name: "get", do: "get_parameters",
			args: names("flag", "count", "rate", "label", "raw", "flags", "counts", "rates", "labels", "nothing"),
			want: []any{true, 5.0, 2.5, "grüße", []any{0.0, 255.0}, []any{true, false}, []any{1.0, -2.0}, []any{0.5},
				[]any{"a", ""}, nil}},
		{name: "get one that is not declared", do: "get_parameters", args: names("flag", "who"), want: []any{}},
		{name: "types", do: "get_parameter_types",
			args: names("flag", "count", "rate", "label", "raw", "flags", "counts", "rates", "labels", "nothing"),
			want: []any{1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 4.0}},
		{name: "types of one that is not declared", do: "get_parameter_types", args: names("who"), want: []any{}},
		{name: "describe one that is not declared", do: "describe_parameters", args: names("flag", "who"),
			want: []any{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := c.ask(t, tc.do, tc.args); !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
	top := []string{"count", "counts", "flag", "flags", "label", "labels", "nothing", "rate", "rates", "raw",
		"start_type_description_service", "use_sim_time"}
	camera := []string{"camera.left.rate", "camera.on", "camera.right.rate"}
	for _, tc := range []struct {
		name     string
		prefixes []string
		depth    int
		want     []string
		below    []string
	}{
		{"list all", []string{}, 0, slices.Concat(camera, top), []string{"camera.left", "camera", "camera.right"}},
		{"list the top", []string{}, 1, top, []string{}},
		{"list a prefix", []string{"camera"}, 0, camera, []string{"camera.left", "camera", "camera.right"}},
		{"list a prefix, not deep", []string{"camera"}, 1, []string{"camera.on"}, []string{"camera"}},
		{"list a name", []string{"rate", "camera.left"}, 0, []string{"camera.left.rate", "rate"},
			[]string{"camera.left"}},
		{"list nothing", []string{"cam"}, 0, []string{}, []string{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := c.ask(t, "list", map[string]any{"prefixes": tc.prefixes, "depth": tc.depth}).(map[string]any)
			if g, w := fmt.Sprint(got["names"], got["prefixes"]), fmt.Sprint(tc.want, tc.below); g != w {
				t.Errorf("got %v, want %v", g, w)
			}
		})
	}
}

func TestRclpyReadsDescriptors(t *testing.T) {
	n := openNode(t)
	for name, tc := range map[string]struct {
		value any
		d     descriptor
	}{
		"plain":   {"x", descriptor{Description: "what it is for", AdditionalConstraints: "no spaces", ReadOnly: true}},
		"integer": {3, descriptor{IntegerRange: &rclgo.IntegerRange{From: -3, To: 9, Step: 3}}},
		"double":  {0.5, descriptor{FloatingPointRange: &rclgo.FloatingPointRange{From: 0, To: 1, Step: 0.25}}},
		"dynamic": {true, descriptor{DynamicTyping: true}},
	} {
		must[any](t)(n.Parameters().Declare(name, tc.value, &tc.d))
	}
	got := rclpyClientOf(t, n).ask(t, "describe_parameters", names("plain", "integer", "double", "dynamic")).([]any)
	none := []any{}
	for i, want := range []map[string]any{
		{"name": "plain", "type": 4.0, "description": "what it is for", "additional_constraints": "no spaces",
			"read_only":      true,
			"dynamic_typing": false, "integer_range": none, "floating_point_range": none},
		{"name": "integer", "type": 2.0, "description": "", "additional_constraints": "", "read_only": false,
			"dynamic_typing": false, "floating_point_range": none,
			"integer_range": []any{map[string]any{"from_value": -3.0, "to_value": 9.0, "step": 3.0}}},
		{"name": "double", "type": 3.0, "description": "", "additional_constraints": "", "read_only": false,
			"dynamic_typing": false, "integer_range": none,
			"floating_point_range": []any{map[string]any{"from_value": 0.0, "to_value": 1.0, "step": 0.25}}},
		{"name": "dynamic", "type": 1.0, "description": "", "additional_constraints": "", "read_only": false,
			"dynamic_typing": true, "integer_range": none, "floating_point_range": none},
	} {
		if !reflect.DeepEqual(got[i], want) {
			t.Errorf("got  %v\nwant %v", got[i], want)
		}
	}
}

func TestRclpySetsParameters(t *testing.T) {
	n := openNode(t)
	p := n.Parameters()
	for name, tc := range map[string]struct {
		value any
		d     *descriptor
	}{
		"flag": {false, nil}, "count": {0, &descriptor{IntegerRange: &rclgo.IntegerRange{To: 10}}}, "rate": {1.0, nil},
		"label": {"", nil}, "raw": {[]byte{}, nil}, "flags": {[]bool{}, nil}, "counts": {[]int64{}, nil},
		"rates": {[]float64{}, nil}, "labels": {[]string{}, nil},
		"fixed": {"x", &descriptor{ReadOnly: true}}, "dynamic": {1, &descriptor{DynamicTyping: true}},
	} {
		must[any](t)(p.Declare(name, tc.value, tc.d))
	}
	p.OnSet(func(list []param) error {
		if list[0].Value == "bad" {
			return errors.New("the robot does not like it")
		}
		return nil
	})
	changed := make(chan []param, 100)
	p.OnChange(func(list []param) { changed <- list })
	c := rclpyClientOf(t, n)
	for _, tc := range []struct {
		name    string
		value   any
		want    any
		refused string
	}{
		{"flag", true, true, ""},
		{"count", 7, int64(7), ""},
		{"rate", 0.25, 0.25, ""},
		{"label", "grüße", "grüße", ""},
		{"raw", map[string]any{"bytes": []int{1, 255}}, []byte{1, 255}, ""},
		{"flags", []bool{true}, []bool{true}, ""},
		{"counts", []int{1, 2}, []int64{1, 2}, ""},
		{"rates", []float64{1.5}, []float64{1.5}, ""},
		{"labels", []string{"a"}, []string{"a"}, ""},
		{"dynamic", "now a text", "now a text", ""},
		{"count", 11, int64(7), "11 is out of range, which is from 0 to 10"},
		{"count", "x", int64(7), "it is of type integer, and x is of type string"},
		{"count", nil, int64(7), "cannot be unset"},
		{"fixed", "y", "x", "it is read-only"},
		{"label", "bad", "grüße", "the robot does not like it"},
		{"who", 1, nil, `cannot set parameter "who": it is not declared`},
	} {
		t.Run(fmt.Sprint(tc.name, " ", tc.value), func(t *testing.T) {
			answer := c.ask(t, "set_parameters", map[string]any{"values": map[string]any{tc.name: tc.value}}).([]any)
			ok, reason := result(t, answer[0])
			if ok != (tc.refused == "") || !strings.Contains(reason, tc.refused) {
				t.Errorf("answer %v", answer)
			}
			if got, _ := p.Get(tc.name); !reflect.DeepEqual(got, tc.want) {
				t.Errorf("it became %v", got)
			}
			if tc.refused == "" {
				if got := await(t, "the program hears", changed); !reflect.DeepEqual(got, []param{{tc.name, tc.want}}) {
					t.Errorf("the program heard %v", got)
				}
			}
		})
	}
	t.Run("atomically", func(t *testing.T) {
		ok, reason := result(t, c.ask(t, "set_parameters_atomically",
			map[string]any{"values": map[string]any{"rate": 5.5, "count": 99}}))
		if rate, _ := p.Get("rate"); ok || !strings.Contains(reason, "99 is out of range") || rate != 0.25 {
			t.Errorf("%v, %q, rate %v", ok, reason, rate)
		}
		ok, reason = result(t, c.ask(t, "set_parameters_atomically",
			map[string]any{"values": map[string]any{"rate": 5.5, "count": 9}}))
		if rate, _ := p.Get("rate"); !ok || reason != "" || rate != 5.5 {
			t.Errorf("%v, %q, rate %v", ok, reason, rate)
		}
		if got := await(t, "the program hears", changed); len(got) != 2 {
			t.Errorf("the program heard %v", got)
		}
	})
	t.Run("unset", func(t *testing.T) {
		answer := c.ask(t, "set_parameters", map[string]any{"values": map[string]any{"dynamic": nil}}).([]any)
		if ok, reason := result(t, answer[0]); !ok {
			t.Error(reason)
		}
		if _, declared := p.Get("dynamic"); declared {
			t.Error("it is still declared")
		}
	})
	if len(changed) > 0 {
		t.Errorf("the program heard %v too", <-changed)
	}
}

func TestRclpyHearsParameterEvents(t *testing.T) {
	h := pyhost(t)
	id := unique("events")
	events := h.do(t, "subscribe", id, map[string]any{
		"type": "rcl_interfaces/msg/ParameterEvent", "topic": "/parameter_events", "depth": 1000,
	})
	until(t, events, "done")
	n := openNode(t)
	p := n.Parameters()
	// The first event that is heard shows that rclpy is connected.
	must[any](t)(p.Declare("probe", 0, nil))
	next := func() map[string]any {
		t.Helper()
		for {
			if m := until(t, events, "heard").Msg; m["node"] == n.FullyQualifiedName() {
				return m
			}
		}
	}
	tries, heard := 0, false
	eventually(t, "rclpy hears events", func() bool {
		tries++
		check(t, p.Set(param{"probe", tries}))
		for len(events) > 0 {
			if e := <-events; e.Msg["node"] == n.FullyQualifiedName() {
				heard = true
			}
		}
		return heard
	})
	must[any](t)(p.Declare("a", 1, nil))
	check(t, p.Set(param{"a", 2}, param{"probe", -1}))
	check(t, p.Undeclare("a"))
	kinds := []string{"new_parameters", "changed_parameters", "deleted_parameters"}
	summary := func(m map[string]any) (s []string) {
		for _, kind := range kinds {
			for _, q := range m[kind].([]any) {
				q := q.(map[string]any)
				s = append(s, fmt.Sprintf("%.3s %v %v", kind, q["name"], q["value"].(map[string]any)["integer_value"]))
			}
		}
		return s
	}
	first := next()
	for !slices.Contains(summary(first), "new a 1") {
		if stamp := first["stamp"].(map[string]any)["sec"]; stamp == 0.0 {
			t.Fatal("an event has no time")
		}
		first = next()
	}
	for _, want := range [][]string{{"cha a 2", "cha probe -1"}, {"del a 2"}} {
		if got := summary(next()); !slices.Equal(got, want) {
			t.Errorf("rclpy heard %v, want %v", got, want)
		}
	}
}

func TestParameterServicesAreOptional(t *testing.T) {
	quiet, open := newNode(t), openNode(t)
	six := []string{"describe_parameters", "get_parameter_types", "get_parameters", "list_parameters",
		"set_parameters", "set_parameters_atomically"}
	var served map[string][]string
	eventually(t, "the services are in the graph", func() bool {
		var err error
		served, err = quiet.GetServiceNamesAndTypesByNode(open.Name(), open.Namespace())
		return err == nil && len(served) == len(six)+1
	})
	for _, name := range append(six, "get_type_description") {
		if served[open.FullyQualifiedName()+"/"+name] == nil {
			t.Errorf("%s is not served: %v", name, served)
		}
	}
	must[any](t)(quiet.Parameters().Declare("own", 1, nil))
	served = must[map[string][]string](t)(quiet.GetServiceNamesAndTypesByNode(quiet.Name(), quiet.Namespace()))
	if len(served) > 0 {
		t.Errorf("a node without options serves %v", served)
	}
}
