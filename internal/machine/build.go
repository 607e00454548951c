package machine

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"rstate/internal/strict"
)

// Built is a machine that was read, and where its parts are written: those of presets have no place.
type Built struct {
	Machine     *Machine
	States      map[string]strict.Value
	Transitions map[string]strict.Value
	Auto        map[Auto]strict.Value
	Outcomes    strict.Value
}

func builtOf(m *Machine) *Built {
	return &Built{Machine: m, States: map[string]strict.Value{}, Transitions: map[string]strict.Value{},
		Auto: map[Auto]strict.Value{}}
}

// Named reads what stands for a whole machine: the name of a preset, a YAML file, or the machine itself. It reports
// faults to the value's report and returns nil where nothing can be built.
func Named(v strict.Value) *Built { return named(v, nil) }

// named also knows the files that are being read, so that one that extends itself is found.
func named(v strict.Value, open []string) *Built {
	if v.IsMap() {
		var src Source
		strict.Record(FileFields(), Source{}).Read(v, &src)
		return src.build(v, open)
	}
	name, ok := v.Text("the name of a preset (" + strict.Or(Presets()) + "), a YAML file, or a mapping")
	if !ok {
		return nil
	}
	if ext := filepath.Ext(name); ext != ".yaml" && ext != ".yml" {
		if problem, hint := unknownPreset(name); problem != "" {
			v.Fault(fmt.Sprintf("the machine %q %s", name, problem), hint)
			return nil
		}
		m, err := Preset(name)
		if err != nil {
			v.Fault(err.Error(), "this is a fault of rstate itself")
			return nil
		}
		return builtOf(m)
	}
	file := strict.Beside(v.File(), name)
	if slices.Contains(open, file) {
		v.Fault("extends itself: "+strings.Join(append(open, file), " → "), "let one of them extend a preset")
		return nil
	}
	data, problem, hint := strict.ReadFile(file)
	if problem != "" {
		v.Fault("the file "+file+": "+problem, hint)
		return nil
	}
	return read(file, data, v.Report(), append(slices.Clone(open), file))
}

// read reads the file of a machine.
func read(file string, data []byte, report *strict.Report, open []string) *Built {
	v, ok := strict.Parse(file, data, report)
	if !ok {
		return nil
	}
	if open == nil {
		open = []string{file}
	}
	src := Source{Name: strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))}
	strict.Record(FileFields(), Source{}).Read(v, &src)
	return src.build(v, open)
}

// Adds says whether the source says more than what it extends.
func (s Source) Adds() bool {
	for _, v := range []strict.Value{s.Initial, s.Error, s.Repeat, s.Tells, s.Folder, s.States, s.Transitions, s.Auto,
		s.Outcomes} {
		if v.Given() {
			return true
		}
	}
	return false
}

// build makes the machine that is written at v.
func (s Source) build(v strict.Value, open []string) *Built {
	base := builtOf(nil)
	if s.Extends.Given() {
		if base = named(s.Extends, open); base == nil {
			return nil
		}
	}
	return s.Extend(v, base)
}

// Extend adds the source, written at v, to a machine that was built.
func (s Source) Extend(v strict.Value, base *Built) *Built {
	b := &Built{Machine: &Machine{Name: s.Name, Repeat: Reject, Tells: TellsAll}, States: base.States,
		Transitions: base.Transitions, Auto: base.Auto, Outcomes: base.Outcomes}
	m := b.Machine
	if base.Machine != nil {
		*m = *base.Machine
		m.States, m.Transitions = slices.Clone(m.States), slices.Clone(m.Transitions)
		if m.Base == "" {
			m.Base = base.Machine.Name
		}
		m.Name = s.Name
		if m.Name == "" {
			m.Name = base.Machine.Name + "-extended"
		}
	}
	if m.Name == "" {
		m.Name = "own"
	}
	if s.Repeat.Given() {
		repeatKind.Read(s.Repeat, &m.Repeat)
	}
	if s.Tells.Given() {
		tellsKind.Read(s.Tells, &m.Tells)
	}
	if s.Folder.Given() {
		folderKind().Read(s.Folder, &m.Folder)
	}
	for _, part := range []struct {
		v    strict.Value
		into *string
	}{{s.Initial, &m.Initial}, {s.Error, &m.Error}} {
		if part.v.Given() {
			nameKind().Read(part.v, part.into)
		}
	}
	c := &check{Built: b, base: base.Machine, at: v, src: s, before: v.Report().Count()}
	c.readStates(s.States)
	c.readTransitions(s.Transitions)
	c.readAuto(s.Auto)
	if s.Outcomes.Given() {
		m.Outcomes, b.Outcomes = nil, s.Outcomes
		outcomesKind().Read(s.Outcomes, &m.Outcomes)
	}
	c.whole()
	return b
}

// Default is a preset that is known to be there, as the base of a file that names no machine.
func Default(preset string) *Built {
	m, err := Preset(preset)
	if err != nil {
		panic("machine: a preset of ours is broken: " + err.Error()) // its test would have failed
	}
	return builtOf(m)
}
