package rclgo_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo"
)

type (
	descriptor = rclgo.ParameterDescriptor
	param      = rclgo.Parameter
)

// nodeWith makes a node with ROS arguments of its own.
func nodeWith(t *testing.T, name, namespace string, args ...string) *rclgo.Node {
	t.Helper()
	return must[*rclgo.Node](t)(tryNodeWith(t, name, namespace, args...))
}

func tryNodeWith(t *testing.T, name, namespace string, args ...string) (*rclgo.Node, error) {
	t.Helper()
	own, _, err := rclgo.ParseArgs(append([]string{"--ros-args"}, args...))
	check(t, err)
	opts := rclgo.NewDefaultNodeOptions()
	opts.Arguments = own
	return newContext(t).NewNodeWithOpts(name, namespace, opts)
}

// refusal checks that an error contains these parts, in this order.
func refusal(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, wanted %q", parts)
	}
	rest := err.Error()
	for _, part := range parts {
		_, after, found := strings.Cut(rest, part)
		if !found {
			t.Fatalf("error %q lacks %q", err, part)
		}
		rest = after
	}
}

func TestParameterDeclared(t *testing.T) {
	ten, tenths := &rclgo.IntegerRange{From: 0, To: 10, Step: 5}, &rclgo.FloatingPointRange{From: 0, To: 1, Step: 0.1}
	for name, tc := range map[string]struct {
		value      any
		descriptor *descriptor
		override   string
		want       any
		refused    string
	}{
		"bool":                       {true, nil, "", true, ""},
		"int":                        {7, nil, "", int64(7), ""},
		"float32":                    {float32(0.5), nil, "", 0.5, ""},
		"string":                     {"a", nil, "", "a", ""},
		"bytes":                      {[]byte{1}, nil, "", []byte{1}, ""},
		"ints":                       {[]int{1, 2}, nil, "", []int64{1, 2}, ""},
		"no elements":                {[]string{}, nil, "", []string{}, ""},
		"overridden":                 {7, nil, "8", int64(8), ""},
		"overridden list":            {[]string{}, nil, "[a, b]", []string{"a", "b"}, ""},
		"overridden list of doubles": {[]float64{}, nil, "[1.0, 2.5]", []float64{1, 2.5}, ""},
		"overridden list of bools":   {[]bool{}, nil, "[true, false]", []bool{true, false}, ""},
		"overridden read-only":       {"a", &descriptor{ReadOnly: true}, "b", "b", ""},
		"dynamic":                    {"a", &descriptor{DynamicTyping: true}, "5", int64(5), ""},
		"not set":                    {nil, &descriptor{Type: rclgo.ParameterString}, "", nil, ""},
		"not set, overridden":        {nil, &descriptor{Type: rclgo.ParameterDouble}, "2.5", 2.5, ""},
		"end of range":               {10, &descriptor{IntegerRange: ten}, "", int64(10), ""},
		"step of range":              {0.3, &descriptor{FloatingPointRange: tenths}, "", 0.3, ""},
		"list in range":              {[]int{0, 5}, &descriptor{IntegerRange: ten}, "", []int64{0, 5}, ""},

		"no type":   {nil, nil, "", nil, "give it a default value"},
		"odd value": {struct{}{}, nil, "", nil, "a struct {} is no value"},
		"override of a type": {1.5, nil, "8", nil,
			"the value given for it does not fit: it is of type double, and 8 is of type integer; write 8.0"},
		"default of a type": {"a", &descriptor{Type: rclgo.ParameterBool}, "", nil, "it is of type bool"},
		"unknown type":      {"a", &descriptor{Type: 77}, "", nil, "unknown type ParameterType(77)"},
		"out of range": {11, &descriptor{IntegerRange: ten}, "", nil,
			"11 is out of range, which is from 0 to 10 in steps of 5"},
		"between steps": {7, &descriptor{IntegerRange: ten}, "", nil, "7 is out of range"},
		"override out of range": {0.5, &descriptor{FloatingPointRange: tenths}, "0.25", nil,
			"the value given for it does not fit: 0.25 is out of range, which is from 0 to 1 in steps of 0.1"},
		"list out of range": {[]int{0, 11}, &descriptor{IntegerRange: ten}, "", nil, "11 is out of range"},
		"two ranges":        {1, &descriptor{IntegerRange: ten, FloatingPointRange: tenths}, "", nil, "two ranges"},
		"empty range": {1, &descriptor{IntegerRange: &rclgo.IntegerRange{From: 2, To: 1}}, "", nil,
			"its range is empty: from 2 to 1"},
	} {
		t.Run(name, func(t *testing.T) {
			var args []string
			if tc.override != "" {
				args = []string{"-p", "given:=" + tc.override}
			}
			p := nodeWith(t, unique("node"), "", args...).Parameters()
			got, err := p.Declare("given", tc.value, tc.descriptor)
			if tc.refused != "" {
				refusal(t, err, `cannot declare parameter "given": `, tc.refused)
				if _, declared := p.Get("given"); declared {
					t.Error("it is declared nevertheless")
				}
				return
			}
			check(t, err)
			read, declared := p.Get("given")
			if !reflect.DeepEqual(got, tc.want) || !reflect.DeepEqual(read, tc.want) || !declared {
				t.Errorf("declared %v, read %v, want %v", got, read, tc.want)
			}
		})
	}
	p := newNode(t).Parameters()
	must[any](t)(p.Declare("twice", 1, nil))
	refusal(t, second(p.Declare("twice", 1, nil)), "declared already")
	refusal(t, second(p.Declare("", 1, nil)), "its name is empty")
}

func TestParameterSet(t *testing.T) {
	p := newNode(t).Parameters()
	for name, d := range map[string]*descriptor{
		"fixed":   {ReadOnly: true},
		"bounded": {IntegerRange: &rclgo.IntegerRange{From: -5, To: 5}},
		"any":     {DynamicTyping: true},
		"plain":   nil,
	} {
		must[any](t)(p.Declare(name, 1, d))
	}
	for _, tc := range []struct {
		name    string
		params  []param
		refused string
	}{
		{"one", []param{{"plain", 2}}, ""},
		{"several", []param{{"plain", 3}, {"bounded", -5}}, ""},
		{"of another type, where that is allowed", []param{{"any", "text"}}, ""},
		{"none", nil, ""},
		{"unknown", []param{{"plain", 4}, {"who", 1}}, `cannot set parameter "who": it is not declared`},
		{"read-only", []param{{"plain", 4}, {"fixed", 2}}, `cannot set parameter "fixed": it is read-only`},
		{"of another type", []param{{"plain", "x"}},
			`cannot set parameter "plain": it is of type integer, and x is of type string`},
		{"out of range", []param{{"plain", 4}, {"bounded", 6}},
			`cannot set parameter "bounded": 6 is out of range, which is from -5 to 5`},
		{"nil", []param{{"plain", nil}}, `cannot set parameter "plain": it is of type integer, and cannot be unset`},
		{"no value", []param{{"plain", make(chan int)}}, `cannot set parameter "plain": a chan int is no value`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := values(p)
			err := p.Set(tc.params...)
			if tc.refused != "" {
				refusal(t, err, tc.refused)
				if !reflect.DeepEqual(values(p), before) {
					t.Errorf("refused, and yet %v became %v", before, values(p))
				}
				return
			}
			check(t, err)
			for _, want := range tc.params {
				if got := values(p)[want.Name]; fmt.Sprint(got) != fmt.Sprint(want.Value) {
					t.Errorf("%s is %v", want.Name, got)
				}
			}
		})
	}
	if err := p.Set(param{"who", 1}); !errors.Is(err, rclgo.ErrParameterNotDeclared) {
		t.Errorf("%v does not say what it is", err)
	}
	if err := p.Set(param{"fixed", 1}); !errors.Is(err, rclgo.ErrParameterReadOnly) {
		t.Errorf("%v does not say what it is", err)
	}
	check(t, p.Set(param{"any", nil}))
	if _, declared := p.Get("any"); declared {
		t.Error("a dynamic parameter without a value is still declared")
	}
	check(t, p.Undeclare("plain"))
	refusal(t, p.Undeclare("plain"), "not declared")
	refusal(t, p.Undeclare("fixed"), "for good")
	if got := p.Names(); !slices.Equal(got, []string{"bounded", "fixed", "use_sim_time"}) {
		t.Errorf("left are %v", got)
	}
}

func values(p *rclgo.Parameters) map[string]any {
	m := map[string]any{}
	for _, name := range p.Names() {
		m[name], _ = p.Get(name)
	}
	return m
}

func TestParametersAreTyped(t *testing.T) {
	n := nodeWith(t, unique("node"), "", "-p", "rate:=2.5")
	if rate := must[float64](t)(rclgo.DeclareParameter(n, "rate", 1.0, nil)); rate != 2.5 {
		t.Errorf("rate %v", rate)
	}
	if rate := must[float64](t)(rclgo.GetParameter[float64](n, "rate")); rate != 2.5 {
		t.Errorf("rate %v", rate)
	}
	must[any](t)(n.Parameters().Declare("later", nil, &descriptor{Type: rclgo.ParameterBool}))
	refusal(t, second(rclgo.GetParameter[int64](n, "rate")),
		`cannot read parameter "rate": it is of type double, not integer`)
	refusal(t, second(rclgo.GetParameter[int64](n, "who")), `cannot read parameter "who": it is not declared`)
	refusal(t, second(rclgo.GetParameter[bool](n, "later")), `cannot read parameter "later": it is not set`)
}

func TestNobodySharesAParametersSlice(t *testing.T) {
	p := newNode(t).Parameters()
	given := []int64{1, 2}
	r := &rclgo.IntegerRange{To: 9}
	declared := must[any](t)(p.Declare("list", given, &descriptor{IntegerRange: r})).([]int64)
	p.OnSet(func(list []param) error { list[0].Value.([]int64)[0] = 8; return nil })
	set := []int64{3, 4}
	check(t, p.Set(param{"list", set}))
	got, _ := p.Get("list")
	given[0], declared[0], set[0], r.To, got.([]int64)[1] = 5, 6, 7, 0, 9
	if got, _ := p.Get("list"); !reflect.DeepEqual(got, []int64{3, 4}) {
		t.Errorf("list became %v", got)
	}
	if d, _ := p.Describe("list"); d.IntegerRange.To != 9 || d.Name != "list" || d.Type != rclgo.ParameterIntegerArray {
		t.Errorf("descriptor became %+v", d)
	}
}

// TestAPanicHoldsNoParameter: a program may live on after a check or a listener has panicked, and so do its parameters.
func TestAPanicHoldsNoParameter(t *testing.T) {
	panics := func(do func() error) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		_ = do()
	}
	for name, when := range map[string]string{"a check": "set", "a listener": "changed"} {
		t.Run(name, func(t *testing.T) {
			p := newNode(t).Parameters()
			must[any](t)(p.Declare("n", 1, nil))
			calls := 0
			once := func(where string) {
				if where != when {
					return
				}
				if calls++; calls == 1 {
					panic("on purpose")
				}
			}
			p.OnSet(func([]param) error { once("set"); return nil })
			p.OnChange(func([]param) { once("changed") })
			panics(func() error { return p.Set(param{"n", 2}) })
			set := make(chan error, 1)
			go func() { set <- p.Set(param{"n", 3}) }()
			check(t, await(t, "it is set again", set))
			if calls != 2 {
				t.Errorf("%d calls", calls)
			}
		})
	}
}

func TestOnSetRefuses(t *testing.T) {
	p := newNode(t).Parameters()
	var seen []param
	cancel := p.OnSet(func(list []param) error {
		seen = list
		for _, q := range list {
			if q.Value == int64(13) {
				return errors.New("13 brings bad luck")
			}
		}
		return nil
	})
	refusal(t, second(p.Declare("floor", 13, nil)), `cannot declare parameter "floor": 13 brings bad luck`)
	must[any](t)(p.Declare("floor", 12, nil))
	must[any](t)(p.Declare("door", 1, nil))
	refusal(t, p.Set(param{"door", 2}, param{"floor", 13}), `cannot set parameters "door", "floor": 13 brings bad luck`)
	if door, _ := p.Get("door"); door != int64(1) || len(seen) != 2 {
		t.Errorf("door %v after the check of %v", door, seen)
	}
	cancel()
	check(t, p.Set(param{"floor", 13}))
}

// TestOnChangeHearsInOrder also sets from within.
func TestOnChangeHearsInOrder(t *testing.T) {
	p := newNode(t).Parameters()
	for _, name := range []string{"a", "b"} {
		must[any](t)(p.Declare(name, 0, nil))
	}
	var heard []string
	cancel := p.OnChange(func(list []param) {
		for _, q := range list {
			heard = append(heard, fmt.Sprint(q.Name, q.Value))
			if q.Name == "a" {
				check(t, p.Set(param{"b", q.Value}))
			}
		}
	})
	check(t, p.Set(param{"a", 1}))
	check(t, p.Set(param{"a", 2}, param{"b", 7}))
	refusal(t, p.Set(param{"a", "x"}), "of type")
	cancel()
	check(t, p.Set(param{"a", 3}))
	if want := []string{"a1", "b1", "a2", "b7", "b2"}; !slices.Equal(heard, want) {
		t.Errorf("heard %v, want %v", heard, want)
	}
}

func TestParametersFromManyGoroutines(t *testing.T) {
	p := newNode(t).Parameters()
	must[any](t)(p.Declare("n", 0, nil))
	var heard int // tell is called by one goroutine at a time
	p.OnChange(func(list []param) { heard += len(list) })
	p.OnSet(func([]param) error { _, _ = p.Get("n"); return nil })
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			own := fmt.Sprintf("own%d", worker)
			for i := range 50 {
				_, err := p.Declare(own, i, nil)
				if err := errors.Join(err, p.Set(param{"n", i}, param{own, -i}), p.Undeclare(own)); err != nil {
					t.Error(err)
				}
				_, _ = p.Get("n")
				_ = p.Names()
			}
		})
	}
	wg.Wait()
	eventually(t, "all listeners are called", func() bool {
		check(t, p.Set(param{"n", 1})) // does not wait, but publishes the remaining changes
		return heard >= 8*50*2
	})
}

func TestOverridesAreThoseOfTheNode(t *testing.T) {
	file := filepath.Join(t.TempDir(), "params.yaml")
	check(t, os.WriteFile(file, []byte(`
/**: {ros__parameters: {all: 1, deep: {er: {down: 2}}}}
/robot/*: {ros__parameters: {one_level: 3}}
/robot/arm: {ros__parameters: {exact: 4, all: 5, list: [1.5, 2.5]}}
/**/arm: {ros__parameters: {end: 6}}
/*: {ros__parameters: {top: 7}}
/robot/legs: {ros__parameters: {other: 8}}
`), 0o600))
	n := nodeWith(t, "arm", "/robot", "--params-file", file, "-p", "given:=9")
	want := map[string]any{
		"all": int64(5), "deep.er.down": int64(2), "one_level": int64(3), "exact": int64(4), "given": int64(9),
		"list": []float64{1.5, 2.5}, "end": int64(6),
	}
	if got := n.Parameters().Overrides(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestContextsArgumentsOverrideToo(t *testing.T) {
	args, _, err := rclgo.ParseArgs([]string{"--ros-args", "-p", "a:=1", "-p", "b:=1", "-p", "special:b:=2"})
	check(t, err)
	c := must[*rclgo.Context](t)(rclgo.NewContext(rclgo.ClockTypeROSTime, args))
	t.Cleanup(func() { check(t, c.Close()) })
	own, _, err := rclgo.ParseArgs([]string{"--ros-args", "-p", "a:=3"})
	check(t, err)
	for name, tc := range map[string]struct {
		node string
		opts rclgo.NodeOptions
		want map[string]any
	}{
		"the context's": {"plain", rclgo.NodeOptions{UseGlobalArguments: true},
			map[string]any{"a": int64(1), "b": int64(1)}},
		"for one node": {"special", rclgo.NodeOptions{UseGlobalArguments: true},
			map[string]any{"a": int64(1), "b": int64(2)}},
		"the node's own": {"plain", rclgo.NodeOptions{UseGlobalArguments: true, Arguments: own},
			map[string]any{"a": int64(3), "b": int64(1)}},
		"the own ones only": {"plain", rclgo.NodeOptions{Arguments: own}, map[string]any{"a": int64(3)}},
		"none":              {"plain", rclgo.NodeOptions{}, map[string]any{}},
	} {
		t.Run(name, func(t *testing.T) {
			n := must[*rclgo.Node](t)(c.NewNodeWithOpts(tc.node, "", &tc.opts))
			defer n.Close()
			if got := n.Parameters().Overrides(); !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestFaultyOverrideOfUseSimTime(t *testing.T) {
	name := unique("node")
	_, err := tryNodeWith(t, name, "", "-p", "use_sim_time:=5")
	refusal(t, err, fmt.Sprintf("cannot create node %q: ", "/"+name), `cannot declare parameter "use_sim_time": `,
		"the value given for it does not fit: it is of type bool, and 5 is of type integer")
}

func TestParametersOfAClosedNode(t *testing.T) {
	n := newNode(t)
	p := n.Parameters()
	must[any](t)(p.Declare("a", 1, nil))
	check(t, n.Close())
	for what, err := range map[string]error{
		"declare":   second(p.Declare("b", 1, nil)),
		"set":       p.Set(param{"a", 2}),
		"undeclare": p.Undeclare("a"),
	} {
		if !errors.Is(err, &rclgo.NodeInvalid{}) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if v, declared := p.Get("a"); v != int64(1) || !declared {
		t.Errorf("a is %v", v)
	}
}
