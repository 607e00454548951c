package introspection_test

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	test_msgs_msg "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/msg"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/typemap"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

func loadDynamic(t *testing.T, pkg, name string) *introspection.DynamicType {
	t.Helper()
	ts, err := introspection.LoadDynamic(pkg, name)
	if err != nil {
		t.Fatal(err)
	}
	return ts
}

// TestDynamicMessagesAgreeWithGenerated passes values of generated types through C
// into dynamic messages and back.
func TestDynamicMessagesAgreeWithGenerated(t *testing.T) {
	for _, name := range installed(t, "test_msgs") {
		t.Run(name, func(t *testing.T) {
			pkg, rest, _ := strings.Cut(name, "/")
			dynamic := loadDynamic(t, pkg, rest)
			generated := typemap.GetMessageMust(name)
			sent, got := generated.New(), generated.New()
			fill(reflect.ValueOf(sent), rand.New(rand.NewPCG(3, 4)))

			c := prepare(t, generated)
			if err := types.Encode(generated, c, sent); err != nil {
				t.Fatal(err)
			}
			between := dynamic.New()
			if err := types.Decode(dynamic, between, c); err != nil {
				t.Fatal(err)
			}
			clone := between.CloneMsg()
			between.SetDefaults()
			c = prepare(t, dynamic)
			if err := types.Encode(dynamic, c, clone); err != nil {
				t.Fatal(err)
			}
			if err := types.Decode(generated, got, c); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, sent) {
				t.Errorf("%+v came back as %+v", sent, got)
			}
		})
	}
}

func TestDynamicMessageHasDefaults(t *testing.T) {
	got, err := loadDynamic(t, "test_msgs", "Defaults").New().(*introspection.DynamicMessage).Get("int16_value")
	if err != nil || got != int16(-1000) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestDynamicFields(t *testing.T) {
	m := loadDynamic(t, "test_msgs", "Builtins").New().(*introspection.DynamicMessage)
	if got := m.Fields(); !slices.Equal(got, []string{"duration_value", "time_value"}) {
		t.Errorf("fields are %v", got)
	}
	for _, c := range []struct {
		path  string
		value any
		want  any
		err   string
	}{
		{"time_value.sec", 5, int32(5), ""},
		{"time_value.sec", uint8(6), int32(6), ""},
		{"time_value", map[string]any{"nanosec": 9}, map[string]any{"sec": int32(6), "nanosec": uint32(9)}, ""},
		{"time_value.nanosec", -1, nil, "does not fit"},
		{"time_value.sec", int64(1) << 40, nil, "does not fit"},
		{"time_value.sec", "5", nil, "does not fit"},
		{"time_value.sec", nil, nil, "no value"},
		{"time_value.day", 1, nil, `no field "day"`},
		{"time_value.sec.x", 1, nil, "nothing below"},
		{"time_value", 1, nil, "set from a map"},
		{"time_value", map[string]any{"sec": "x"}, nil, `field "sec"`},
	} {
		t.Run(c.path, func(t *testing.T) {
			err := m.Set(c.path, c.value)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("got %v, want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, err := m.Get(c.path); err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %v, %v, want %v", got, err, c.want)
			}
		})
	}
}

func TestDynamicLists(t *testing.T) {
	m := loadDynamic(t, "test_msgs", "UnboundedSequences").New().(*introspection.DynamicMessage)
	for path, value := range map[string]any{
		"int32_values":       []any{1, 2, 3},
		"string_values":      []string{"a", "b"},
		"float64_values":     []any{1, 2.5},
		"basic_types_values": []any{map[string]any{"bool_value": true, "uint8_value": 3}},
	} {
		if err := m.Set(path, value); err != nil {
			t.Fatal(err)
		}
	}
	ts := m.GetTypeSupport()
	c := prepare(t, ts)
	if err := types.Encode(ts, c, m); err != nil {
		t.Fatal(err)
	}
	got := test_msgs_msg.NewUnboundedSequences()
	if err := types.Decode(got.GetTypeSupport(), got, c); err != nil {
		t.Fatal(err)
	}
	want := test_msgs_msg.NewUnboundedSequences()
	want.Int32Values = []int32{1, 2, 3}
	want.StringValues = []string{"a", "b"}
	want.Float64Values = []float64{1, 2.5}
	want.BasicTypesValues = []test_msgs_msg.BasicTypes{{BoolValue: true, Uint8Value: 3}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	if list := m.Map()["basic_types_values"].([]any); list[0].(map[string]any)["uint8_value"] != uint8(3) {
		t.Errorf("the map has %v", list)
	}
	if err := m.Set("int32_values", []any{1, "x"}); err == nil || !strings.Contains(err.Error(), `"[1]"`) {
		t.Errorf("got %v", err)
	}
}

// TestDynamicSize: a large message is known as large without a copy of it, a list of small ones too.
func TestDynamicSize(t *testing.T) {
	text := loadDynamic(t, "std_msgs", "msg/String").New().(*introspection.DynamicMessage)
	if err := text.Set("data", strings.Repeat("x", 2<<20)); err != nil {
		t.Fatal(err)
	}
	if n := text.Size(); n < 2<<20 || n > 2<<20+100 {
		t.Errorf("a text of 2 MiB has %d bytes", n)
	}
	if n := testing.AllocsPerRun(10, func() { text.Size() }); n > 20 {
		t.Errorf("asking allocates %v times", n)
	}
	list := loadDynamic(t, "std_msgs", "msg/MultiArrayLayout").New().(*introspection.DynamicMessage)
	small := list.Size()
	dims := make([]any, 1000)
	for k := range dims {
		dims[k] = map[string]any{"label": "abc", "size": uint32(k), "stride": uint32(1)}
	}
	if err := list.Set("dim", dims); err != nil {
		t.Fatal(err)
	}
	if n := list.Size() - small; n < 1000*(3+4+4) || n > 1000*100 {
		t.Errorf("1000 small ones have %d bytes", n)
	}
}

func TestDynamicService(t *testing.T) {
	s, err := introspection.LoadDynamicService("test_msgs", "BasicTypes")
	if err != nil {
		t.Fatal(err)
	}
	if s.TypeSupport() == nil || s.Check() != nil {
		t.Error("it is not usable")
	}
	if got := s.Request().New().(*introspection.DynamicMessage).Fields(); !slices.Contains(got, "bool_value") {
		t.Errorf("the request has %v", got)
	}
	if _, err := introspection.LoadDynamicService("test_msgs", "Nothing"); err == nil {
		t.Error("a service that is not there was loaded")
	}
}

// wrapped has the fields of a message in a nested struct.
type wrapped struct {
	Body struct {
		Data string `yaml:"data"`
	} `yaml:",inline"`
}

func (w *wrapped) CloneMsg() types.Message                  { c := *w; return &c }
func (w *wrapped) SetDefaults()                             { *w = wrapped{} }
func (w *wrapped) GetTypeSupport() types.MessageTypeSupport { return nil }

func TestInlinedStructIsTheMessage(t *testing.T) {
	ts := introspection.NewMessageType("std_msgs/msg/String", func() types.Message { return &wrapped{} })
	mem := ts.PrepareMemory()
	defer ts.ReleaseMemory(mem)
	sent, got := &wrapped{}, &wrapped{}
	sent.Body.Data = "inside"
	if err := errors.Join(ts.Encode(mem, sent), ts.Decode(got, mem)); err != nil || *got != *sent {
		t.Errorf("got %+v, %v", got, err)
	}
}
