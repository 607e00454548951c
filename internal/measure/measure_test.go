//go:build ros

package measure

import (
	"strings"
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"

	"rstate/internal/network"
	rcl_interfaces_msg "rstate/msgs/gen/rcl_interfaces/msg"
)

// TestA11FieldsOfAnyType: a field of any installed type is read, and one that cannot be compared is named.
func TestA11FieldsOfAnyType(t *testing.T) {
	for _, r := range []struct {
		kind, path string
		set        any
		want       network.Scalar
		fault      string
	}{
		{"test_msgs/msg/BasicTypes", "float32_value", float32(0.5), network.Number(0.5), ""},
		{"test_msgs/msg/BasicTypes", "bool_value", true, network.Truth(true), ""},
		{"test_msgs/msg/Strings", "string_value", "slot 1", network.Text("slot 1"), ""},
		{"test_msgs/msg/BasicTypes", "uint8_value", uint8(4), network.Number(4), ""},
		{"test_msgs/msg/Nested", "basic_types_value.float64_value", -1.5, network.Number(-1.5), ""},
		{"std_msgs/msg/Header", "stamp.sec", int32(-3), network.Number(-3), ""},
		{"test_msgs/msg/Nested", "basic_types_value", nil, network.Scalar{}, "is no number"},
		{"test_msgs/msg/Arrays", "float32_values", nil, network.Scalar{}, "is no number"},
		{"std_msgs/msg/Header", "percent", nil, network.Scalar{}, "is no field of std_msgs/msg/Header; correct the network file, the fields are stamp, frame_id"},
		{"test_msgs/msg/BasicTypes", "float32_value.x", nil, network.Scalar{}, "is no field of"},
	} {
		t.Run(r.kind+" "+r.path, func(t *testing.T) {
			pkg, name, _ := strings.Cut(r.kind, "/")
			support, err := rclgo.LoadDynamicMessageTypeSupport(pkg, name)
			if err != nil {
				t.Fatal(err)
			}
			msg := support.New().(*introspection.DynamicMessage)
			if r.set != nil {
				if err := msg.Set(r.path, r.set); err != nil {
					t.Fatal(err)
				}
			}
			got, fault := Field(r.kind, msg, r.path)
			if !got.Equal(r.want) || (fault == "") != (r.fault == "") || !strings.Contains(fault, r.fault) {
				t.Errorf("%v, %q", got, fault)
			}
			if unfit := Unfit(r.kind, support, r.path, network.Bound{Is: &r.want}); (unfit == "") != (r.fault == "") {
				t.Errorf("the type says %q", unfit)
			}
		})
	}
}

// TestA11ValuesThatNeverCome: a field that can never have the value with which the network file compares it is named.
func TestA11ValuesThatNeverCome(t *testing.T) {
	for _, r := range []struct {
		path  string
		is    network.Scalar
		fault string
	}{
		{"uint8_value", network.Number(255), ""},
		{"uint8_value", network.Number(256), "is never 256"},
		{"uint8_value", network.Number(-1), "is never -1"},
		{"int32_value", network.Number(1.5), "is never 1.5"},
		{"float64_value", network.Number(0.1), ""},
		{"float32_value", network.Number(0.5), ""},
		{"float32_value", network.Number(0.1),
			"is never 0.1: as a float32 that is 0.10000000149011612; write 0.10000000149011612"},
		{"float32_value", network.Number(0.10000000149011612), ""},
		{"float32_value", network.Number(1e300), "is never 1e+300; correct the network file"},
		{"int64_value", network.Number(1e300), "is never 1e+300; correct the network file"},
		{"uint8_value", network.Text("1"), "is a number, and the network file compares it with a text"},
		{"uint8_value", network.Truth(true), "is a number, and the network file compares it with true or false"},
		{"bool_value", network.Number(1), "is true or false, and the network file compares it with a number"},
	} {
		support, err := rclgo.LoadDynamicMessageTypeSupport("test_msgs", "msg/BasicTypes")
		if err != nil {
			t.Fatal(err)
		}
		got := Unfit("test_msgs/msg/BasicTypes", support, r.path, network.Bound{Is: &r.is})
		if (got == "") != (r.fault == "") || !strings.Contains(got, r.fault) {
			t.Errorf("%s, %v: %q", r.path, r.is, got)
		}
	}
}

// TestA11BoundsThatNothingPasses: a bound that excludes each value of the field's type is named.
func TestA11BoundsThatNothingPasses(t *testing.T) {
	at := func(n float64) *float64 { return &n }
	for _, r := range []struct {
		kind, path string
		bound      network.Bound
		fault      string
	}{
		{"test_msgs/msg/BasicTypes", "uint8_value", network.Bound{Below: at(0)},
			"of test_msgs/msg/BasicTypes is at least 0; write a greater number as below:"},
		{"test_msgs/msg/BasicTypes", "uint8_value", network.Bound{Below: at(1)}, ""},
		{"test_msgs/msg/BasicTypes", "uint8_value", network.Bound{Above: at(255)}, "is at most 255; write a smaller number"},
		{"test_msgs/msg/BasicTypes", "uint8_value", network.Bound{Above: at(254)}, ""},
		{"test_msgs/msg/BasicTypes", "int16_value", network.Bound{Below: at(-32768)}, "is at least -32768"},
		{"test_msgs/msg/BasicTypes", "int16_value", network.Bound{Above: at(-32768), Below: at(32767)}, ""},
		{"test_msgs/msg/BasicTypes", "float32_value", network.Bound{Above: at(1e39)}, "is at most 3.4"},
		{"test_msgs/msg/BasicTypes", "float64_value", network.Bound{Above: at(1e39)}, ""},
		{"test_msgs/msg/BasicTypes", "bool_value", network.Bound{Above: at(1)}, "compares it with a number"},
		{"std_msgs/msg/Empty", "data", network.Bound{Above: at(1)}, "the type has no fields, so no value can"},
	} {
		pkg, name, _ := strings.Cut(r.kind, "/")
		support, err := rclgo.LoadDynamicMessageTypeSupport(pkg, name)
		if err != nil {
			t.Fatal(err)
		}
		got := Unfit(r.kind, support, r.path, r.bound)
		if (got == "") != (r.fault == "") || !strings.Contains(got, r.fault) {
			t.Errorf("%s %v: %q", r.path, r.bound, got)
		}
	}
}

// TestA11Parameters: a parameter of each type is read, and one that cannot be compared is named.
func TestA11Parameters(t *testing.T) {
	for _, r := range []struct {
		value rcl_interfaces_msg.ParameterValue
		want  network.Scalar
		fault string
	}{
		{rcl_interfaces_msg.ParameterValue{}, network.Scalar{}, "is not set"},
		{rcl_interfaces_msg.ParameterValue{Type: 1, BoolValue: true}, network.Truth(true), ""},
		{rcl_interfaces_msg.ParameterValue{Type: 2, IntegerValue: -7}, network.Number(-7), ""},
		{rcl_interfaces_msg.ParameterValue{Type: 3, DoubleValue: 0.5}, network.Number(0.5), ""},
		{rcl_interfaces_msg.ParameterValue{Type: 4, StringValue: "x"}, network.Text("x"), ""},
		{rcl_interfaces_msg.ParameterValue{Type: 6}, network.Scalar{}, "is a list"},
	} {
		got, fault := Parameter(&r.value)
		if got != r.want || (fault == "") != (r.fault == "") || !strings.Contains(fault, r.fault) {
			t.Errorf("%+v: %v, %q", r.value, got, fault)
		}
	}
}
