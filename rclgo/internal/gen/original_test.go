package gen

import (
	"reflect"
	"testing"
)

// Each test TestOriginalX of this file checks what the test TestX of the original's generator
// checks, where this generator has a counterpart: it has no C names, reads no error codes from
// headers, and leaves out no package.

func TestOriginalParseROS2Field(t *testing.T) {
	primitive := func(name string) Type { return Type{Primitive: name} }
	nested := func(pkg, name string) Type { return Type{Nested: Name{pkg, "msg", name}} }
	shaped := func(t Type, s Shape, n int) Type { t.Shape, t.Len = s, n; return t }
	for _, tc := range []struct {
		message, line, goName string
		want                  Field
	}{
		{"action_msgs/GoalInfo", "unique_identifier_msgs/UUID goal_id", "GoalId",
			Field{"goal_id", nested("unique_identifier_msgs", "UUID"), nil}},
		{"composition_interfaces/ListNodes_Response", "string[] full_node_names", "FullNodeNames",
			Field{"full_node_names", shaped(primitive("string"), Sequence, 0), nil}},
		{"test_msgs/Arrays", "float64[3] float64_values_default [3.1415, 0.0, -3.1415]", "Float64ValuesDefault",
			Field{"float64_values_default", shaped(primitive("float64"), Array, 3),
				[]string{"3.1415", "0", "-3.1415"}}},
		{"test_msgs/Arrays", "BasicTypes[3] basic_types_values", "BasicTypesValues",
			Field{"basic_types_values", shaped(nested("test_msgs", "BasicTypes"), Array, 3), nil}},
		{"test_msgs/Arrays", "bool[3] bool_values_default [false, true, false]", "BoolValuesDefault",
			Field{"bool_values_default", shaped(primitive("bool"), Array, 3), []string{"false", "true", "false"}}},
		{"test_msgs/Arrays", `string[3] string_values_default ["", "max value", "min value"]`, "StringValuesDefault",
			Field{"string_values_default", shaped(primitive("string"), Array, 3),
				[]string{`""`, `"max value"`, `"min value"`}}},
		{"px4_msgs/AdcReport", "float32 v_ref   # a comment with lsb=scale/resolution", "VRef",
			Field{"v_ref", primitive("float32"), nil}},
		{"px4_msgs/OrbTestLarge", "uint8[512] junk", "Junk",
			Field{"junk", shaped(primitive("uint8"), Array, 512), nil}},
		{"sensor_msgs/JoyFeedback", "uint8 type", "Type", Field{"type", primitive("uint8"), nil}},
		{"test_msgs/BoundedSequences", "BasicTypes[<=3] basic_types_values", "BasicTypesValues",
			Field{"basic_types_values", shaped(nested("test_msgs", "BasicTypes"), Sequence, 0), nil}},
		{"test_msgs/BoundedSequences", "int8[<=3] int8_values_default [0, 127, -128]", "Int8ValuesDefault",
			Field{"int8_values_default", shaped(primitive("int8"), Sequence, 0), []string{"0", "127", "-128"}}},
		{"test_msgs/Strings", `string<=22 bounded_string_value "this is yet another"`, "BoundedStringValue",
			Field{"bounded_string_value", primitive("string"), []string{`"this is yet another"`}}},
		{"test_msgs/Strings", "string<=22 bounded_string_value", "BoundedStringValue",
			Field{"bounded_string_value", primitive("string"), nil}},
		{"test_msgs/Strings", `string quoted "Hello\"world!"`, "Quoted",
			Field{"quoted", primitive("string"), []string{`"Hello\"world!"`}}},
		{"test_msgs/Strings", "int32[] empty []", "Empty",
			Field{"empty", shaped(primitive("int32"), Sequence, 0), []string{}}},
	} {
		t.Run(tc.line, func(t *testing.T) {
			m := parsed(t, tc.message, "msg", tc.line).Messages[0]
			if len(m.Constants) != 0 || len(m.Fields) != 1 || !reflect.DeepEqual(m.Fields[0], tc.want) {
				t.Errorf("got %+v, %+v, want %+v", m.Constants, m.Fields, tc.want)
			}
			if got := fieldNames(m)[0]; got != tc.goName {
				t.Errorf("in Go it is %s, want %s", got, tc.goName)
			}
		})
	}
	for _, tc := range []struct {
		message, line string
		want          Constant
	}{
		{"px4_msgs/ActuatorControls0", "uint8 NUM_ACTUATOR_CONTROLS = 8",
			Constant{"NUM_ACTUATOR_CONTROLS", primitive("uint8"), "8"}},
		{"sensor_msgs/JoyFeedback", "uint8 TYPE_LED    = 0", Constant{"TYPE_LED", primitive("uint8"), "0"}},
		{"px4_msgs/BatteryStatus", "uint8 BATTERY_WARNING_CRITICAL = 2    # critical, return / abort",
			Constant{"BATTERY_WARNING_CRITICAL", primitive("uint8"), "2"}},
		{"test_msgs/Constants", "byte BYTE_CONST=50", Constant{"BYTE_CONST", primitive("byte"), "50"}},
	} {
		t.Run(tc.line, func(t *testing.T) {
			m := parsed(t, tc.message, "msg", tc.line).Messages[0]
			if len(m.Fields) != 0 || len(m.Constants) != 1 || !reflect.DeepEqual(m.Constants[0], tc.want) {
				t.Errorf("got %+v, %+v, want %+v", m.Fields, m.Constants, tc.want)
			}
		})
	}
	t.Run("services", func(t *testing.T) {
		s := parsed(t, "action_msgs/CancelGoal", "srv",
			"# comment\n\nGoalInfo goal_info # one\n---\n##\n# codes\nint8 ERROR_NONE=0\n"+
				"int8 ERROR_REJECTED=1\n\n# code\nint8 return_code\nGoalInfo[] goals_canceling\t\t\n")
		request, response := s.Messages[0], s.Messages[1]
		if request.Name.Name != "CancelGoal_Request" || len(request.Fields) != 1 ||
			request.Fields[0].Type.Nested.String() != "action_msgs/msg/GoalInfo" {
			t.Errorf("request %+v", request)
		}
		if response.Name.Name != "CancelGoal_Response" || len(response.Constants) != 2 ||
			response.Constants[1].Value != "1" ||
			len(response.Fields) != 2 || response.Fields[1].Name != "goals_canceling" ||
			response.Fields[1].Type.Shape != Sequence {
			t.Errorf("response %+v", response)
		}
		for text, want := range map[string][2]int{"\n---\nstring frame_yaml\n": {0, 1},
			"\nstring input\n---\n": {1, 0}} {
			s := parsed(t, "tf2_msgs/X", "srv", text)
			if got := [2]int{len(s.Messages[0].Fields), len(s.Messages[1].Fields)}; got != want {
				t.Errorf("%q has %v fields, want %v", text, got, want)
			}
		}
	})
}

// parsed reads an interface, whose name is written package/Name.
func parsed(t *testing.T, name, kind, text string) *Interface {
	t.Helper()
	var n Name
	for i := range name {
		if name[i] == '/' {
			n = Name{name[:i], kind, name[i+1:]}
		}
	}
	i, err := ParseMsg(n, text)
	if err != nil {
		t.Fatal(err)
	}
	return i
}
