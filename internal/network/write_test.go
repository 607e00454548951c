package network

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"gopkg.in/yaml.v3"

	"rstate/internal/machine"
	"rstate/internal/strict"
)

// backAndForth writes a network, reads it again, and compares network and machine.
func backAndForth(t *testing.T, n *Network) {
	t.Helper()
	text := n.YAML()
	again, err := Parse("written.yaml", []byte(text))
	if err != nil {
		t.Fatalf("what is written is refused: %v\n%s", err, text)
	}
	if again.Machine.Hash() != n.Machine.Hash() {
		t.Errorf("the machine has the hash %s, want %s\n%s", again.Machine.Hash(), n.Machine.Hash(), text)
	}
	a, b := *again, *n
	for _, one := range []*Network{&a, &b} {
		one.File, one.Warnings, one.Machine = "", nil, nil
		level(reflect.ValueOf(one).Elem())
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("reads back to\n%+v\nwant\n%+v\n%s", a, b, text)
	}
	if twice := again.YAML(); twice != text {
		t.Errorf("is written as\n%s\nand then as\n%s", text, twice)
	}
	var report strict.Report
	root, ok := strict.Parse("machine.yaml", []byte(n.Machine.YAML()), &report)
	if !ok {
		t.Fatal(report.Err())
	}
	if m := machine.Named(root); report.Err() != nil || m.Machine.Hash() != n.Machine.Hash() {
		t.Errorf("the machine by itself: %v\n%s", report.Err(), n.Machine.YAML())
	}
}

// level makes empty and missing lists equal.
func level(v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		if v.Len() == 0 {
			v.SetZero()
		}
		for i := range v.Len() {
			level(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			level(v.Field(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			level(v.Elem())
		}
	}
}

func TestWhatIsWrittenReadsBackToTheSame(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../../config/*.yaml", "../../config/experiments/*.yaml",
		"testdata/accepted/*.yaml", "testdata/warnings/*.yaml"} {
		found, _ := filepath.Glob(pattern)
		files = append(files, found...)
	}
	if len(files) < 7 {
		t.Fatalf("only %d files", len(files))
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			n, err := Load(file)
			if err != nil {
				t.Fatal(err)
			}
			backAndForth(t, n)
		})
	}
	for name, text := range map[string]string{
		"modes": modes, "a changed preset": modes + "  activate: {cancel: refuse}\nrepeat: ignore\n",
		"numbers": "simulation: 007\nnodes: {/a: {probe: 90s, deadline: {configure: 1h}, checks: [{topic: /t, rate: 0.5Hz}, {service: /s}]}}\n",
		"checks of every kind": "simulation: t\nnodes: {/a: {checks: [{topic: /t, age: 200ms, when: enter}, {topic: /b, field: x.y, above: 0.2, below: 3, type: a_msgs/msg/B}, " +
			"{parameter: p, is: 'true', when: stay}, {parameter: q, is: true}, {parameter: r, is: -4}, {file: /run/x, warn: true}]}}\n",
		"a machine of its own": "simulation: t\nnodes: {/a: {}}\nmachine: {initial: idle, states: {idle: {nodes: unconfigured}, " +
			"busy: {nodes: active}, over: {nodes: finalized, final: true}}, transitions: {start: {from: [idle], to: busy}, " +
			"again: {from: any, to: busy, loop: true}, stop: {from: any, to: idle}, end: {from: any, to: over}}}\n",
	} {
		t.Run(name, func(t *testing.T) { backAndForth(t, mustParse(t, text)) })
	}
}

// Every default is written, whether the file had it or not.
func TestDefaultsAreWritten(t *testing.T) {
	text := mustParse(t, "simulation: t\nnodes: {/a: {arm: {}}}").YAML()
	var written struct {
		Proof, Topic, Startup string
		Machine               struct{ States map[string]any }
		Nodes                 map[string]struct {
			Arm      map[string]string
			Deadline map[string]string
			Late     string `yaml:"late"`
			OnDrift  string `yaml:"on_drift"`
		}
	}
	if err := yaml.Unmarshal([]byte(text), &written); err != nil {
		t.Fatal(err)
	}
	a := written.Nodes["/a"]
	if written.Proof != "500ms" || written.Topic != "/simulation/t/lifecycle" || written.Startup != "adopt" ||
		len(written.Machine.States) != 13 ||
		len(a.Arm) != 4 || a.Arm["service"] != "/a/arm" || len(a.Deadline) != 9 || a.Deadline["recover"] != "0s" ||
		a.Late != "join" || a.OnDrift != "report" {
		t.Errorf("written as\n%s", text)
	}
}

// FuzzWrite: every file that can be read can be written and read again.
func FuzzWrite(f *testing.F) {
	files, _ := filepath.Glob("../../config/*.yaml")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(modes))
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.Contains(data, []byte(".y")) {
			return // the test is about readable files
		}
		if n, err := Parse("fuzz.yaml", data); err == nil {
			backAndForth(t, n)
		}
	})
}
