package network

import (
	"bytes"

	"rstate/internal/machine"
	"rstate/internal/strict"
)

// Fault is one fault of a file.
type Fault = strict.Fault

// Faults is the error with every fault of a file.
type Faults = strict.Faults

// ItsID stands for the id of the simulation in the file of an experiment, from which a factory makes several.
const ItsID = "$(sim)"

// alone is the id that ItsID stands for where no factory gives one.
const alone = "0"

// Load reads a network file. Its error is Faults.
func Load(path string) (*Network, error) { return load(path, alone, nil) }

// LoadAs reads the file of an experiment for the simulation of that id. Two simulations of one experiment may share
// neither nodes nor topics, so their names have to contain the id. Its error is Faults.
func LoadAs(path, id string) (*Network, error) {
	return load(path, id, func(f *file) {
		if f.Simulation != "" && f.Simulation != id {
			f.root.Find("simulation").Fault("gives all simulations of the experiment one id",
				"write simulation: "+ItsID)
		}
	})
}

func load(path, id string, also func(*file)) (*Network, error) {
	report := &strict.Report{}
	data, problem, hint := strict.ReadFile(path)
	if problem != "" {
		report.Fault(path, problem, hint)
		return nil, report.Err()
	}
	return read(path, bytes.ReplaceAll(data, []byte(ItsID), []byte(id)), report, also)
}

// Parse reads the content of a network file; files that it names are looked for beside it. Its error is Faults.
func Parse(file string, data []byte) (*Network, error) {
	return read(file, bytes.ReplaceAll(data, []byte(ItsID), []byte(alone)), &strict.Report{}, nil)
}

// read reads a file and checks it; also, if it is not nil, checks more.
func read(path string, data []byte, report *strict.Report, also func(*file)) (*Network, error) {
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
	if also != nil {
		also(&f)
	}
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
