package bed

// Parameters is rclpy's client of another node's parameters.
type Parameters struct {
	host *Host
	node string
}

// Parameters returns the client of a node, by its full name. The first request waits for the node.
func (h *Host) Parameters(node string) *Parameters { return &Parameters{h, node} }

// Described is a node's description of one of its parameters. Type is a number of
// rcl_interfaces/msg/ParameterType.
type Described struct {
	Name                  string
	Type                  int
	Description           string
	AdditionalConstraints string `json:"additional_constraints"`
	ReadOnly              bool   `json:"read_only"`
}

// Outcome is the result of setting a parameter.
type Outcome struct {
	Successful bool
	Reason     string
}

func (p *Parameters) ask(op string, arguments map[string]any, into any) {
	p.host.t.Helper()
	arguments["node"], arguments["timeout"] = p.node, Deadline.Seconds()
	p.host.must(op, arguments, into)
}

// List returns the names of all parameters.
func (p *Parameters) List() (names []string) {
	p.host.t.Helper()
	p.ask("list_parameters", map[string]any{}, &names)
	return names
}

// Describe returns the descriptions of some parameters.
func (p *Parameters) Describe(names ...string) (list []Described) {
	p.host.t.Helper()
	p.ask("describe_parameters", map[string]any{"names": names}, &list)
	return list
}

// Get returns the values of some parameters, decoded from JSON.
func (p *Parameters) Get(names ...string) (values []any) {
	p.host.t.Helper()
	p.ask("get_parameters", map[string]any{"names": names}, &values)
	return values
}

// Set sets one parameter.
func (p *Parameters) Set(name string, value any) Outcome {
	p.host.t.Helper()
	var list []Outcome
	p.ask("set_parameters", map[string]any{"values": map[string]any{name: value}}, &list)
	return list[0]
}

// SetAll sets all parameters or none.
func (p *Parameters) SetAll(values map[string]any) Outcome {
	p.host.t.Helper()
	var list []Outcome
	p.ask("set_parameters", map[string]any{"values": values, "atomically": true}, &list)
	return list[0]
}
