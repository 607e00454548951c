package rclgo

// The types of rcl_interfaces that the services of Parameters use.
type (
	parameterValueMsg struct {
		Type     uint8     `yaml:"type"`
		Bool     bool      `yaml:"bool_value"`
		Integer  int64     `yaml:"integer_value"`
		Double   float64   `yaml:"double_value"`
		String   string    `yaml:"string_value"`
		Bytes    []byte    `yaml:"byte_array_value"`
		Bools    []bool    `yaml:"bool_array_value"`
		Integers []int64   `yaml:"integer_array_value"`
		Doubles  []float64 `yaml:"double_array_value"`
		Strings  []string  `yaml:"string_array_value"`
	}
	parameterMsg struct {
		Name  string            `yaml:"name"`
		Value parameterValueMsg `yaml:"value"`
	}
	floatingPointRangeMsg struct {
		From float64 `yaml:"from_value"`
		To   float64 `yaml:"to_value"`
		Step float64 `yaml:"step"`
	}
	integerRangeMsg struct {
		From int64  `yaml:"from_value"`
		To   int64  `yaml:"to_value"`
		Step uint64 `yaml:"step"`
	}
	parameterDescriptorMsg struct {
		Name                  string                  `yaml:"name"`
		Type                  uint8                   `yaml:"type"`
		Description           string                  `yaml:"description"`
		AdditionalConstraints string                  `yaml:"additional_constraints"`
		ReadOnly              bool                    `yaml:"read_only"`
		DynamicTyping         bool                    `yaml:"dynamic_typing"`
		FloatingPointRange    []floatingPointRangeMsg `yaml:"floating_point_range"`
		IntegerRange          []integerRangeMsg       `yaml:"integer_range"`
	}
	setParametersResultMsg struct {
		Successful bool   `yaml:"successful"`
		Reason     string `yaml:"reason"`
	}
	listParametersResultMsg struct {
		Names    []string `yaml:"names"`
		Prefixes []string `yaml:"prefixes"`
	}
	parameterEventMsg struct {
		Stamp      timeMsg        `yaml:"stamp"`
		Node       string         `yaml:"node"`
		Declared   []parameterMsg `yaml:"new_parameters"`
		Changed    []parameterMsg `yaml:"changed_parameters"`
		Undeclared []parameterMsg `yaml:"deleted_parameters"`
	}

	// Each request has a type of its own, since each has its own ROS type.
	getParametersRequest struct {
		Names []string `yaml:"names"`
	}
	getParameterTypesRequest  getParametersRequest
	describeParametersRequest getParametersRequest
	getParametersResponse     struct {
		Values []parameterValueMsg `yaml:"values"`
	}
	getParameterTypesResponse struct {
		Types []byte `yaml:"types"`
	}
	describeParametersResponse struct {
		Descriptors []parameterDescriptorMsg `yaml:"descriptors"`
	}
	listParametersRequest struct {
		Prefixes []string `yaml:"prefixes"`
		Depth    uint64   `yaml:"depth"`
	}
	listParametersResponse struct {
		Result listParametersResultMsg `yaml:"result"`
	}
	setParametersRequest struct {
		Parameters []parameterMsg `yaml:"parameters"`
	}
	setAtomicallyRequest  setParametersRequest
	setParametersResponse struct {
		Results []setParametersResultMsg `yaml:"results"`
	}
	setAtomicallyResponse struct {
		Result setParametersResultMsg `yaml:"result"`
	}
)

var (
	parameterEventType = wireType[parameterEventMsg]("rcl_interfaces/msg/ParameterEvent")

	getParametersType = wireService[getParametersRequest, getParametersResponse](
		"rcl_interfaces/srv/GetParameters")
	getParameterTypesType = wireService[getParameterTypesRequest, getParameterTypesResponse](
		"rcl_interfaces/srv/GetParameterTypes")
	describeParametersType = wireService[describeParametersRequest, describeParametersResponse](
		"rcl_interfaces/srv/DescribeParameters")
	listParametersType = wireService[listParametersRequest, listParametersResponse](
		"rcl_interfaces/srv/ListParameters")
	setParametersType = wireService[setParametersRequest, setParametersResponse](
		"rcl_interfaces/srv/SetParameters")
	setAtomicallyType = wireService[setAtomicallyRequest, setAtomicallyResponse](
		"rcl_interfaces/srv/SetParametersAtomically")
)

// valueMsg converts a normal value to its message.
func valueMsg(value any) parameterValueMsg {
	_, t, _ := normalValue(value)
	m := parameterValueMsg{Type: uint8(t)}
	switch v := value.(type) {
	case bool:
		m.Bool = v
	case int64:
		m.Integer = v
	case float64:
		m.Double = v
	case string:
		m.String = v
	case []byte:
		m.Bytes = v
	case []bool:
		m.Bools = v
	case []int64:
		m.Integers = v
	case []float64:
		m.Doubles = v
	case []string:
		m.Strings = v
	}
	return m
}

// value returns the value of a message as a normal value; nil for an unknown type too.
func (m *parameterValueMsg) value() any {
	switch ParameterType(m.Type) {
	case ParameterBool:
		return m.Bool
	case ParameterInteger:
		return m.Integer
	case ParameterDouble:
		return m.Double
	case ParameterString:
		return m.String
	case ParameterByteArray:
		return m.Bytes
	case ParameterBoolArray:
		return m.Bools
	case ParameterIntegerArray:
		return m.Integers
	case ParameterDoubleArray:
		return m.Doubles
	case ParameterStringArray:
		return m.Strings
	}
	return nil
}

func parameterMsgs(list []Parameter) []parameterMsg {
	out := make([]parameterMsg, len(list))
	for i, p := range list {
		out[i] = parameterMsg{p.Name, valueMsg(p.Value)}
	}
	return out
}

func parametersFrom(list []parameterMsg) []Parameter {
	out := make([]Parameter, len(list))
	for i := range list {
		out[i] = Parameter{list[i].Name, list[i].Value.value()}
	}
	return out
}

func descriptorMsg(d ParameterDescriptor) parameterDescriptorMsg {
	m := parameterDescriptorMsg{
		Name: d.Name, Type: uint8(d.Type),
		Description: d.Description, AdditionalConstraints: d.AdditionalConstraints,
		ReadOnly: d.ReadOnly, DynamicTyping: d.DynamicTyping,
	}
	if r := d.FloatingPointRange; r != nil {
		m.FloatingPointRange = []floatingPointRangeMsg{{r.From, r.To, r.Step}}
	}
	if r := d.IntegerRange; r != nil {
		m.IntegerRange = []integerRangeMsg{{r.From, r.To, r.Step}}
	}
	return m
}

func resultMsg(err error) setParametersResultMsg {
	if err != nil {
		return setParametersResultMsg{Reason: err.Error()}
	}
	return setParametersResultMsg{Successful: true}
}
