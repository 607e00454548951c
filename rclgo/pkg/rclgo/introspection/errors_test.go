package introspection_test

import (
	"errors"
	"strings"
	"testing"

	test_msgs_msg "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/msg"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

func TestMissingTypeIsAnError(t *testing.T) {
	make := func() types.Message { return test_msgs_msg.NewEmpty() }
	none := introspection.NewMessageType("no_such_msgs/msg/Nothing", make)
	for _, c := range []struct {
		name    string
		ts      any
		want    []string
		missing bool
	}{
		{"package", none, []string{`message type "no_such_msgs/msg/Nothing"`, "not installed", "source"}, true},
		{"message", introspection.NewMessageType("test_msgs/msg/Nothing", make),
			[]string{"package test_msgs is installed", "no such message"}, true},
		{"service", introspection.NewServiceType("test_msgs/srv/Nothing", none, none), []string{"no such service"},
			true},
		{"service's message", introspection.NewServiceType("test_msgs/srv/Empty", none, none), []string{"no_such_msgs"},
			true},
		{"action", introspection.NewActionType("no_such_msgs/action/Nothing", introspection.ActionParts{}),
			[]string{`action type "no_such_msgs/action/Nothing"`, "not installed"}, true},
		{"short name", introspection.NewMessageType("test_msgs/Empty", make), []string{"form package/msg/Name"}, false},
		{"path", introspection.NewMessageType("../x/msg/Empty", make), []string{"form package/msg/Name"}, false},
		{"kind", introspection.NewMessageType("test_msgs/lib/Empty", make), []string{"form package/msg/Name"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := types.Check(c.ts)
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q does not say %q", err, w)
				}
			}
			if errors.Is(err, introspection.ErrNotInstalled) != c.missing {
				t.Errorf("%v: ErrNotInstalled is %v", err, !c.missing)
			}
		})
	}
}

func TestEmptyPrefixPathIsNamed(t *testing.T) {
	t.Setenv("AMENT_PREFIX_PATH", "")
	err := introspection.Load("no_such_msgs/msg/Nothing")
	if err == nil || !strings.Contains(err.Error(), "AMENT_PREFIX_PATH is empty") {
		t.Errorf("got %v", err)
	}
}

// TestMissingTypeCanStillMakeMessages: a program may hold messages of a type that is
// only installed elsewhere.
func TestMissingTypeCanStillMakeMessages(t *testing.T) {
	ts := introspection.NewMessageType("no_such_msgs/msg/Nothing",
		func() types.Message { return test_msgs_msg.NewEmpty() })
	if ts.New() == nil {
		t.Fatal("no message")
	}
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, introspection.ErrNotInstalled) {
			t.Errorf("TypeSupport panicked with %v", err)
		}
	}()
	ts.TypeSupport()
	t.Error("TypeSupport returned")
}

func TestValuesBeyondTheirBounds(t *testing.T) {
	four := make([]bool, 4)
	for _, c := range []struct {
		name string
		msg  types.Message
		want string
	}{
		{"sequence", &test_msgs_msg.BoundedSequences{BoolValues: four},
			`cannot encode test_msgs/msg/BoundedSequences: field "bool_values": 4 elements, at most 3 are allowed`},
		{"sequence of strings", &test_msgs_msg.BoundedSequences{StringValues: make([]string, 4)},
			`field "string_values": 4 elements, at most 3 are allowed`},
		{"sequence of messages", &test_msgs_msg.BoundedSequences{BasicTypesValues: make([]test_msgs_msg.BasicTypes, 5)},
			`field "basic_types_values": 5 elements, at most 3 are allowed`},
		{"plain sequence", &test_msgs_msg.BoundedPlainSequences{Uint64Values: make([]uint64, 9)},
			`field "uint64_values": 9 elements, at most 3 are allowed`},
		{"string", &test_msgs_msg.Strings{BoundedStringValue: strings.Repeat("x", 23)},
			`field "bounded_string_value": 23 bytes, at most 22 are allowed`},
		{"in an array", &test_msgs_msg.MultiNested{ArrayOfBoundedSequences: [3]test_msgs_msg.BoundedSequences{2: {BoolValues: four}}},
			`field "array_of_bounded_sequences[2].bool_values": 4 elements, at most 3 are allowed`},
	} {
		t.Run(c.name, func(t *testing.T) {
			ts := c.msg.GetTypeSupport()
			mem := prepare(t, ts)
			err := types.Encode(ts, mem, c.msg)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			if err := types.Encode(ts, mem, ts.New()); err != nil {
				t.Errorf("after the error the memory is not good: %v", err)
			}
			defer func() {
				if recover() == nil {
					t.Error("AsCStruct did not panic")
				}
			}()
			ts.AsCStruct(mem, c.msg)
		})
	}
}

func TestStringsAtTheirBoundPass(t *testing.T) {
	msg := test_msgs_msg.NewStrings()
	msg.BoundedStringValue = strings.Repeat("x", 22)
	if got := through(t, msg).(*test_msgs_msg.Strings); got.BoundedStringValue != msg.BoundedStringValue {
		t.Errorf("got %q", got.BoundedStringValue)
	}
}

func TestWrongMessageIsAnError(t *testing.T) {
	ts := test_msgs_msg.StringsTypeSupport
	mem := prepare(t, ts)
	dynamic, err := introspection.LoadDynamic("test_msgs", "Strings")
	if err != nil {
		t.Fatal(err)
	}
	for name, msg := range map[string]types.Message{
		"nil": nil, "nil pointer": (*test_msgs_msg.Strings)(nil), "another type": test_msgs_msg.NewEmpty(),
		"dynamic": dynamic.New(),
	} {
		t.Run(name, func(t *testing.T) {
			if err := types.Encode(ts, mem, msg); err == nil {
				t.Error("encoded")
			}
			if err := types.Decode(ts, msg, mem); err == nil {
				t.Error("decoded")
			}
		})
	}
	if err := types.Encode(dynamic, mem, test_msgs_msg.NewStrings()); err == nil {
		t.Error("a dynamic type encoded a generated message")
	}
}

func TestOddStrings(t *testing.T) {
	t.Run("zero byte keeps its place", func(t *testing.T) {
		msg := &test_msgs_msg.Strings{StringValue: "a\x00b"}
		if got := through(t, msg).(*test_msgs_msg.Strings); got.StringValue != "a\x00b" {
			t.Errorf("got %q", got.StringValue)
		}
	})
	t.Run("bytes that are no UTF-8 pass", func(t *testing.T) {
		msg := &test_msgs_msg.Strings{StringValue: "\xff\xfe"}
		if got := through(t, msg).(*test_msgs_msg.Strings); got.StringValue != "\xff\xfe" {
			t.Errorf("got %q", got.StringValue)
		}
	})
	t.Run("a wide string is UTF-16", func(t *testing.T) {
		msg := &test_msgs_msg.WStrings{WstringValue: "\U0001F916\xff\x00é"}
		if got := through(t, msg).(*test_msgs_msg.WStrings); got.WstringValue != "\U0001F916\uFFFD\x00é" {
			t.Errorf("got %q", got.WstringValue)
		}
	})
}
