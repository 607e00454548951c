package network

import (
	"rstate/internal/machine"
	"rstate/internal/strict"
)

// Fault is one fault of a file.
type Fault = strict.Fault

// Faults is the error with every fault of a file.
type Faults = strict.Faults

// Load reads a network file. Its error is Faults.
func Load(path string) (*Network, error) {
	report := &strict.Report{}
	data, problem, hint := strict.ReadFile(path)
	if problem != "" {
		report.Fault(path, problem, hint)
		return nil, report.Err()
	}
	return parse(path, data, report)
}

// Parse reads the content of a network file; files that it names are looked for beside it. Its error is Faults.
func Parse(file string, data []byte) (*Network, error) {
	return parse(file, data, &strict.Report{})
}

func parse(path string, data []byte, report *strict.Report) (*Network, error) {
	return read(path, data, report, refuseLater)
}

// read reads a file and checks it; later refuses what this version does not act on.
func read(path string, data []byte, report *strict.Report, later func(*file, *machine.Built)) (*Network, error) {
	root, ok := strict.Parse(path, data, report)
	if !ok {
		return nil, report.Err()
	}
	f := file{Network: Defaults()}
	f.File = path
	strict.Record(fileFields(), f).Read(root, &f)
	f.root, f.peers = root, root.Find("peers")
	f.readNodes()
	if f.groups.Given() {
		groupsKind().Read(f.groups, &f.Groups)
	}
	built := f.readMachine(root)
	check(&f, built, report)
	later(&f, built)
	if err := report.Err(); err != nil {
		return nil, err
	}
	n := f.Network
	n.Machine = built.Machine
	if n.Topic == "" {
		n.Topic = DefaultTopic(n.Machine, n.Simulation)
	}
	n.Warnings = report.Warnings()
	return &n, nil
}

// readNodes reads the nodes on top of the file's own defaults.
func (f *file) readNodes() {
	defaults := DefaultNode("")
	if f.defaults.Given() {
		strict.Record(sharedFields(), defaults).Read(f.defaults, &defaults)
	}
	if !f.nodes.Given() {
		return
	}
	before := f.nodes.Report().Count()
	nodesKind(defaults).Read(f.nodes, &f.Nodes)
	if len(f.Nodes) == 0 && f.nodes.Report().Count() == before {
		f.nodes.Fault("there are no nodes", "add one: /name: {}")
	}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if n.Arm != nil && n.Arm.Service == "" {
			n.Arm.Service = DefaultArmService(n.Name)
		}
	}
}

// readMachine finds the machine that the file names and adds what the file itself says of it. It returns nil where a
// machine cannot be made.
func (f *file) readMachine(root strict.Value) *machine.Built {
	base := f.machine
	if e := f.source.Extends; e.Given() {
		if base.Given() && !base.Same(e) {
			e.Fault("another machine is named by the key machine", "give one of the two")
		}
		base = e
	}
	built := machine.Default(DefaultMachine)
	if base.Given() {
		built = machine.Named(base)
	}
	if built == nil || !f.source.Adds() {
		return built
	}
	return f.source.Extend(root, built)
}
